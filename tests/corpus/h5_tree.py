# SPDX-License-Identifier: BSD-3-Clause
"""h5_tree.py FILE [names]: what h5py finds in an HDF5 file, as one JSON document for corpus.py to compare with ncdump -j.

{path: {"kind": "group" | "variable" | "type" | "other" | "broken", "shape": [...], "values": [...], "fill": [...],
        "atts": {name: [...]}}}: values are flat lists of numbers, strings and, for what JSON has no word, hex text.
"values" is missing where libhdf5 cannot read them, where there are more than MOST of them ("many"), and with "names",
which is asked for where h5py does not survive the values."""
import json
import sys

import h5py
import numpy as np
from h5py import h5a, h5d, h5g, h5o, h5s, h5t

MOST = 0 if sys.argv[2:] == ["names"] else 200_000  # values of one object


class NoWord(Exception):
    """A kind of value that netCDF has no word for (references, times)."""


def text(raw):
    return raw.split(b"\0")[0].decode("utf-8", "surrogateescape")


def leaves_of_string(kind, raw):
    if kind.is_variable_str():
        return [text(raw) if isinstance(raw, bytes) else raw or ""]
    return [bytes(raw).rstrip(b"\0").decode("utf-8", "surrogateescape")]


def leaves_of_enum(kind, value):
    names = {kind.get_member_value(i): kind.get_member_name(i) for i in range(kind.get_nmembers())}
    name = names.get(int(value))
    return [name.decode("utf-8", "surrogateescape") if name is not None else int(value)]


def leaves(kind, value):
    """The leaves of one element, in the order of the file type's fields."""
    group = kind.get_class()
    if group == h5t.STRING:
        return leaves_of_string(kind, value)
    if group == h5t.ENUM:
        return leaves_of_enum(kind, value)
    if group in (h5t.INTEGER, h5t.BITFIELD):
        return [int(value)]
    if group == h5t.FLOAT:
        return [float(value) if np.isfinite(value) else str(float(value))]
    if group == h5t.COMPOUND:
        return [leaf for i in range(kind.get_nmembers()) for leaf in leaves(kind.get_member_type(i), value[i])]
    if group == h5t.ARRAY:
        return [leaf for v in np.asarray(value).reshape(-1, *np.shape(value)[len(kind.get_array_dims()):])
                for leaf in leaves(kind.get_super(), v)]
    if group == h5t.VLEN:
        return [leaf for v in (() if value is None else value) for leaf in leaves(kind.get_super(), v)]
    if group == h5t.OPAQUE:
        return ["0x" + bytes(value).hex().upper()]
    raise NoWord(group)


def every(kind, values, n):
    flat = np.asarray(values)
    if kind.get_class() == h5t.ARRAY:
        flat = flat.reshape(n, *kind.get_array_dims())
    else:
        flat = flat.reshape(n)
    return [leaf for v in flat for leaf in leaves(kind, v)]


def has_word(kind):
    group = kind.get_class()
    if group in (h5t.REFERENCE, h5t.TIME):
        raise NoWord(group)
    if group == h5t.COMPOUND:
        for i in range(kind.get_nmembers()):
            has_word(kind.get_member_type(i))
    if group in (h5t.ARRAY, h5t.VLEN):
        has_word(kind.get_super())


def count(space):
    return 0 if space.get_simple_extent_type() == h5s.NULL else space.get_simple_extent_npoints()


def memory(shape, dtype):
    """Zeros: what was never written and has no fill value is left as it is. libhdf5 takes None for no pointer, not 0."""
    return (np.empty if dtype.hasobject else np.zeros)(shape, dtype)


def attributes(obj):
    found = {}
    for i in range(h5a.get_num_attrs(obj)):
        att = h5a.open(obj, index=i)
        name = att.name.decode("utf-8", "surrogateescape")
        found[name] = None
        try:
            kind, n = att.get_type(), count(att.get_space())
            has_word(kind)
            if n > MOST:
                continue
            values = memory(att.shape if n else (0,), att.dtype)
            if n:
                att.read(values)
            found[name] = every(kind, values, n)
        except Exception as why:  # what h5py cannot read is no measure
            found[name] = {"why": str(why)}
    return found


def fill_of(data, kind):
    """None where the file has none, or one that libhdf5 hands out as a pointer."""
    if data.dtype.hasobject:
        return None
    value = np.zeros((), data.dtype)
    try:
        data.get_create_plist().get_fill_value(value)
        return leaves(kind, value[()])
    except Exception:
        return None


def variable(data):
    space, kind = data.get_space(), data.get_type()
    found = {"kind": "variable", "shape": list(data.shape or ()), "atts": attributes(data)}
    n = count(space)
    if space.get_simple_extent_type() == h5s.NULL:
        return {**found, "shape": None}
    try:
        has_word(kind)
        found["many"] = n > MOST
        if n <= MOST:
            values = memory(data.shape if n else (0,), data.dtype)
            if n:
                data.read(h5s.ALL, h5s.ALL, values)
            found["values"] = every(kind, values, n)
            found["fill"] = fill_of(data, kind)
    except Exception as why:
        found["why"] = f"{type(why).__name__}: {why}"
    return found


def walk(group, path, above, found):
    here = (h5o.get_info(group).fileno, h5o.get_info(group).addr)
    if here in above:
        found[path] = {"kind": "cycle"}
        return
    found[path] = {"kind": "group", "atts": attributes(group)}
    names = []
    group.links.iterate(names.append)
    for raw in names:
        name = raw.decode("utf-8", "surrogateescape")
        inner = f"{path.rstrip('/')}/{name}"
        try:
            obj = h5o.open(group, raw)
        except Exception as why:
            found[inner] = {"kind": "broken", "why": str(why)}
            continue
        try:
            if isinstance(obj, h5g.GroupID):
                walk(obj, inner, above | {here}, found)
            elif isinstance(obj, h5d.DatasetID):
                found[inner] = variable(obj)
            else:
                found[inner] = {"kind": "type"}
        except Exception as why:
            found[inner] = {"kind": "broken", "why": str(why)}


def main():
    found = {}
    with h5py.File(sys.argv[1], "r") as file:
        walk(h5g.open(file.id, b"/"), "/", frozenset(), found)
    json.dump(found, sys.stdout)


main()
