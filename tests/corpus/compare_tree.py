# SPDX-License-Identifier: BSD-3-Clause
"""What ncdump -j shows of an HDF5 file beside what h5py finds in it (h5_tree.py): a list of differences, one line each.

Nothing may be missing without a word: an object is shown, or it is among the "unreadable" ones with the reason."""
import math
import re
import struct

# What netCDF keeps for itself: shown as dimensions and storage, not as attributes.
HIDDEN = {"CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST", "DIMENSION_LABELS", "_Netcdf4Dimid", "_Netcdf4Coordinates",
          "_nc3_strict", "_NCProperties", "_NCCOPY", "_Quantize"}
ONLY_DIMENSION = "This is a netCDF dimension but not a netCDF variable"
DEFAULT_FILL = {-127, -32767, -2147483647, 255, 65535, 4294967295, -9223372036854775806, 18446744073709551614,
                9.969209968386869e36, ""}


def flat(value):
    """The leaves of a JSON value in order; a row of characters is one string."""
    if isinstance(value, dict):
        return [leaf for v in value.values() for leaf in flat(v)]
    if isinstance(value, list):
        return [leaf for v in value for leaf in flat(v)]
    return [value]


def near(a, b):
    """Equal, or equal as a float: we print as many digits as the type needs, h5py widens."""
    if a == b:
        return True
    try:
        return struct.pack("f", a) == struct.pack("f", b)
    except (OverflowError, struct.error):
        return False


def special(word):
    return {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}[word]


def same_text(ours, theirs):
    """Trailing blanks and NULs are padding; one side may end a string at a NUL; bytes that are no UTF-8 show as a mark."""
    shown = re.sub("\ufffd+", "\ufffd", ours).rstrip("\0 ")
    theirs = re.sub("\ufffd+", "\ufffd", theirs.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
    return shown == theirs.rstrip("\0 ") or shown.split("\0")[0].rstrip(" ") == theirs.split("\0")[0].rstrip(" ")


def same_leaf(ours, theirs, fills):
    if ours is None:
        return any(same_leaf(fill, theirs, ()) for fill in fills)
    if isinstance(ours, str) and isinstance(theirs, str):
        if ours.startswith("0X") and theirs.startswith("0x"):
            return ours[2:] == theirs[2:]
        if theirs in ("nan", "inf", "-inf") and ours in ("NaN", "Infinity", "-Infinity"):
            return special(ours) == theirs
        return same_text(ours, theirs)
    if isinstance(ours, str) != isinstance(theirs, str):
        return ours == str(theirs)
    return near(ours, theirs) or (isinstance(ours, float) and math.isnan(ours) and theirs != theirs)


def same_values(ours, theirs, fills=()):
    if len(ours) == len(theirs):
        return all(same_leaf(a, b, fills) for a, b in zip(ours, theirs))
    if not all(isinstance(v, str) for v in ours + theirs):
        return False
    return same_text(*("".join(side).replace("\0", "") for side in (ours, theirs)))


class Shown:
    """ncdump's document, by path."""

    def __init__(self, root):
        self.groups, self.variables, self.types, self.said, self.dims = {}, {}, set(), set(), {}
        self.walk(root, "/", {}, {})

    def walk(self, group, path, dims, grows):
        below = path.rstrip("/") + "/"
        dims = {**dims, **{name: d["length"] for name, d in group.get("dimensions", {}).items()}}
        self.groups[path] = group.get("attributes", {})
        self.types |= {below + name for name in group.get("types", {})}
        self.said |= {below + name for name in group.get("unreadable", {})}
        self.dims.update({below + name: d["length"] for name, d in group.get("dimensions", {}).items()})
        grows = {**grows, **{name: d.get("unlimited", False) for name, d in group.get("dimensions", {}).items()}}
        for name, var in group.get("variables", {}).items():
            self.variables[below + name] = {**var, "shape": [dims[d] for d in var["dimensions"]],
                                            "grows": [grows[d] for d in var["dimensions"]]}
        for name, inner in group.get("groups", {}).items():
            self.walk(inner, below + name, dims, grows)

    def says(self, path):
        """The object, or one above it, is listed with a reason."""
        parts = path.split("/")
        return any("/".join(parts[:i]) in self.said for i in range(1, len(parts) + 1))


def compare_atts(path, ours, theirs, shown):
    for name, values in theirs.items():
        place = f"{path.rstrip('/')}/:{name}" if path in shown.groups else f"{path}:{name}"
        if name in HIDDEN or place in shown.said or path + ":" in shown.said or path.rstrip("/") + "/:" in shown.said:
            continue
        if name not in ours:
            yield f"{path}:{name} is not shown"
        elif isinstance(values, list) and not same_values(flat(ours[name]["value"]), values):
            yield f"{path}:{name} is {str(ours[name]['value'])[:60]}, h5py has {str(values)[:60]}"
    for name in set(ours) - set(theirs):
        if name not in ("_FillValue",):
            yield f"{path}:{name} is shown, h5py does not find it"


def own_fill(var):
    own = var.get("attributes", {}).get("_FillValue")
    return flat(own["value"]) if own else []


def values_of(var, shape):
    """null stands for a whole record that equals the fill value."""
    fill, leaves = own_fill(var), flat(cut(var["data"], shape))
    return [v for leaf in leaves for v in (fill if leaf is None else [leaf])] if len(fill) > 1 else leaves


def fills_of(var, theirs):
    return DEFAULT_FILL | set(own_fill(var)) | set(theirs.get("fill") or ())


def fits(ours, theirs):
    """netCDF shows a variable as long as its unlimited dimensions; h5py as long as its own data."""
    return len(ours["shape"]) == len(theirs) and all(
        mine == other or (grows and mine > other) for mine, other, grows in zip(ours["shape"], theirs, ours["grows"]))


def cut(data, shape):
    return [cut(row, shape[1:]) for row in data[:shape[0]]] if shape and isinstance(data, list) else data


def compare_variable(path, ours, theirs, shown, with_data):
    yield from compare_atts(path, ours.get("attributes", {}), theirs["atts"], shown)
    length = math.prod(theirs["shape"] or ())
    if theirs["shape"] is not None and not fits(ours, theirs["shape"]):
        yield f"{path} has the shape {ours['shape']}, h5py says {theirs['shape']}"
    elif "values" not in theirs or not with_data or not length:
        return
    elif "data" not in ours or "unreadable" in ours:
        yield f"{path}: its data is not shown, h5py reads it"
    elif not same_values(values_of(ours, theirs["shape"]), theirs["values"], fills_of(ours, theirs)):
        yield f"{path} = {str(flat(ours['data']))[:60]}, h5py has {str(theirs['values'])[:60]}"


def is_only_dimension(found):
    name = found["atts"].get("NAME")
    return isinstance(name, list) and name and str(name[0]).startswith(ONLY_DIMENSION)


def compare_object(path, theirs, shown, with_data):
    if theirs["kind"] == "variable" and is_only_dimension(theirs) and path in shown.dims:
        return
    path = path.replace("/_nc4_non_coord_", "/")  # netCDF's mark of a variable that only shares a dimension's name
    if path in shown.variables and theirs["kind"] == "variable":
        yield from compare_variable(path, shown.variables[path], theirs, shown, with_data)
    elif path in shown.groups and theirs["kind"] == "group":
        yield from compare_atts(path, shown.groups[path], theirs["atts"], shown)
    elif path in shown.types and theirs["kind"] in ("type", "broken"):
        return
    elif theirs["kind"] == "broken" and (path in shown.variables or path in shown.groups):
        return  # we see more of it than h5py
    elif shown.says(path):
        return
    else:
        yield f"{path}: a {theirs['kind']} that is not shown"


def differences(document, tree, with_data):
    shown = Shown(document)
    there = {path.replace("/_nc4_non_coord_", "/") for path in tree}
    found = [line for path, theirs in tree.items() for line in compare_object(path, theirs, shown, with_data)]
    found += [f"{path} is shown, h5py does not find it" for path in (*shown.groups, *shown.variables) if path not in there]
    return found
