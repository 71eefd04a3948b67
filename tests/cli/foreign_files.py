#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Files as h5py, h5netcdf, netCDF4, xarray and zarr-python leave them: what users hand to nccopy.

Each maker writes one file or store; `HDF5` and `ZARR` list them by name. What a library at hand cannot make is left out by
raising Absent. foreign_files.py NAME STORE VALUES.npz makes one store, and keeps what zarr-python reads from it."""
import os
import sys

import numpy as np

try:
    import h5py
except ImportError:
    h5py = None  # stores only


class Absent(Exception):
    """The Python packages here cannot make this file."""


HDF5, ZARR = {}, {}


def hdf5(make):
    def into(path):
        with h5py.File(path, "w") as f:
            make(f)

    HDF5[make.__name__] = into
    return make


def plain(make):
    HDF5[make.__name__] = make
    return make


def zarr_store(make):
    ZARR[make.__name__] = make
    return make


# --- text ---------------------------------------------------------------------------------------------
TEXT = ["a", "", "Zürich", "a longer text, with a comma", "\u65e5\u672c"]


@hdf5
def text_h5py(f):
    utf8 = h5py.string_dtype()
    f.create_dataset("s", data=TEXT, dtype=utf8)
    f.create_dataset("two_axes", data=np.array(TEXT[:4], dtype=object).reshape(2, 2), dtype=utf8)
    f.create_dataset("scalar", data="one", dtype=utf8)
    f.create_dataset("nothing", shape=(0,), dtype=utf8)
    f.create_dataset("ascii", data=["x", "yy"], dtype=h5py.string_dtype("ascii"))
    f.create_dataset("never_written", shape=(3,), dtype=utf8)


@hdf5
def text_compressed(f):
    f.create_dataset("s", data=TEXT * 100, dtype=h5py.string_dtype(), chunks=(64,), compression="gzip", shuffle=True)
    f.create_dataset("grows", data=TEXT, dtype=h5py.string_dtype(), chunks=(2,), maxshape=(None,))


@hdf5
def text_fixed(f):
    f["bytes"] = np.array([b"abc", b"de", b""], dtype="S5")
    f.create_dataset("utf8", data=np.array(["Zürich".encode()], dtype=h5py.string_dtype("utf-8", 8)))
    f["one"] = np.bytes_(b"word")
    f["bytes"].attrs["note"] = np.array([b"p", b"qr"])
    f["bytes"].attrs["notes"] = TEXT


@plain
def text_xarray_h5netcdf(path):
    import xarray as xr

    xr.Dataset({"s": (("x",), np.array(TEXT, dtype=object))}).to_netcdf(path, engine="h5netcdf")


@plain
def text_xarray_netcdf4(path):
    import xarray as xr

    xr.Dataset({"s": (("x",), np.array(TEXT, dtype=object)), "c": (("x",), np.array([b"p", b"qr", b"", b"s", b"t"]))}).to_netcdf(path, engine="netcdf4")


# --- shapes ----------------------------------------------------------------------------------------------
@hdf5
def zero_length(f):
    f["rows"] = np.zeros((0, 5))
    f["columns"] = np.zeros((5, 0), "i2")
    f["cube"] = np.zeros((3, 0, 2), "u1")
    f.create_dataset("grows", shape=(0, 4), maxshape=(None, 4), chunks=(2, 4), dtype="f4", compression="gzip")
    f.create_dataset("chunked", shape=(0, 4), maxshape=(3, 4), chunks=(1, 4), dtype="f4")


@plain
def zero_length_xarray(path):
    import xarray as xr

    xr.Dataset({"s": (("x",), np.zeros(0)), "t": (("x", "y"), np.zeros((0, 3), "i4"))}).to_netcdf(path, engine="h5netcdf")


@hdf5
def scalars(f):
    for kind in ("i1", "u1", "<i2", ">i2", "i4", "u8", "f4", ">f8"):
        f["v_" + kind.replace("<", "l").replace(">", "b")] = np.array(7, kind)


@hdf5
def layouts(f):
    values = np.arange(60, dtype="f4").reshape(6, 10)
    f["contiguous"] = values
    f.create_dataset("chunked", data=values, chunks=(4, 4))
    f.create_dataset("gzip", data=values, chunks=(4, 4), compression="gzip", shuffle=True, fletcher32=True)
    f.create_dataset("lzf", data=values, chunks=(4, 4), compression="lzf")
    f.create_dataset("scaleoffset", data=values.astype("i4"), chunks=(4, 4), scaleoffset=0)
    f.create_dataset("grows", data=values, chunks=(4, 4), maxshape=(None, None))
    f.create_dataset("fill", shape=(6,), dtype="i4", fillvalue=-9)
    f.create_dataset("big", data=values.astype(">f8"), chunks=(3, 5))
    compact = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    compact.set_layout(h5py.h5d.COMPACT)
    space = h5py.h5s.create_simple((3,))
    h5py.h5d.create(f.id, b"compact", h5py.h5t.NATIVE_INT32, space, compact).write(space, space, np.arange(3, dtype="i4"))


@hdf5
def scales(f):
    f["x"] = np.arange(4.0)
    f["y"] = np.arange(3)
    f["x"].make_scale("x")
    f["y"].make_scale("other name")
    f["t"] = np.ones((4, 3), "f4")
    f["t"].dims[0].attach_scale(f["x"])
    f["t"].dims[1].attach_scale(f["y"])
    f["t"].dims[0].label = "x"


# --- types --------------------------------------------------------------------------------------------------
@hdf5
def booleans(f):
    f["mask"] = np.array([True, False, True])
    f["mask"].attrs["flag"] = True
    f.attrs["flags"] = np.array([True, False])


def many_attributes(n, last):
    def make(f):
        d = f.create_dataset("v", data=[1, 2])
        for i in range(n):
            d.attrs[f"a{i}"] = i
        last(f, d)

    return make


for count in (1, 7, 8, 9, 20, 200):
    def last_true(f, d):
        d.attrs["bool"] = True

    maker = many_attributes(count, last_true)
    maker.__name__ = f"boolean_after_{count}"
    hdf5(maker)


@hdf5
def attributes(f):
    d = f.create_dataset("v", data=[1, 2])
    d.attrs["bool"] = True
    d.attrs["complex"] = 1 + 2j
    d.attrs["enum"] = np.array([1], dtype=h5py.enum_dtype({"A": 1, "B": 2}, "i1"))
    d.attrs["two_axes"] = np.arange(6.0).reshape(2, 3)
    d.attrs["empty"] = h5py.Empty("f4")
    d.attrs["empty_text"] = ""
    d.attrs["nothing"] = np.zeros(0, "i4")
    d.attrs["record"] = np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")])
    d.attrs["ref"] = d.ref
    d.attrs["region"] = d.regionref[0:1]
    d.attrs["half"] = np.float16(1.5)
    f.create_group("g").attrs["of_group"] = [1, 2, 3]
    for i in range(12):
        f.attrs[f"record{i}"] = np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")])


@hdf5
def complex_numbers(f):
    f["c64"] = np.array([1 + 2j, 3 - 4j], "c8")
    f["c128"] = np.array([[1j, 2]], "c16")


@hdf5
def records(f):
    inner = np.dtype([("x", "f4"), ("y", "f4")])
    outer = np.dtype([("id", "i8"), ("at", inner), ("v", "f4", (2, 2)), ("name", "S4")])
    rows = np.zeros(3, outer)
    rows["id"], rows["v"], rows["name"] = [1, 2, 3], 1.5, b"ab"
    f["rows"] = rows
    f.create_dataset("packed", data=rows, chunks=(2,), compression="gzip")
    named = np.zeros(2, dtype=[("n", "i4"), ("s", h5py.string_dtype())])
    named["s"] = ["p", "q"]
    f["named"] = named
    f["kind"] = inner


@hdf5
def record_names(f):
    f["odd"] = np.zeros(2, dtype=[("a\tb", "i4"), ("c/d", "f4")])
    f["plain"] = np.arange(3)


@hdf5
def other_types(f):
    f["enum"] = np.array([1, 2, 1], dtype=h5py.enum_dtype({"RED": 1, "GREEN": 2}, "u2"))
    f["opaque"] = np.array([b"abcd", b"efgh"], dtype="V4")
    lists = f.create_dataset("lists", (2,), dtype=h5py.vlen_dtype("i4"))
    lists[0], lists[1] = [1, 2, 3], []
    f["half"] = np.array([1, 2.5], "f2")
    f["plain"] = np.arange(3)


@hdf5
def datetimes(f):
    times = np.array(["2020-01-01", "2021-06-01"], dtype="datetime64[ns]")
    f.create_dataset("when", data=times.astype(h5py.opaque_dtype(times.dtype)))
    f["plain"] = np.arange(3)


# --- what has no place in netCDF: named, and left out ---------------------------------------------------------
@hdf5
def references(f):
    f["plain"] = np.arange(3)
    f.create_dataset("objects", data=[f["plain"].ref, f.ref], dtype=h5py.ref_dtype)
    f.create_dataset("regions", (1,), dtype=h5py.regionref_dtype)[0] = f["plain"].regionref[0:2]
    f.create_dataset("record", (1,), dtype=[("n", "i4"), ("r", h5py.ref_dtype)])


@hdf5
def odd_types(f):
    f["plain"] = np.arange(3)
    space = h5py.h5s.create_simple((2,))
    h5py.h5d.create(f.id, b"bitfield", h5py.h5t.STD_B8LE, space)
    h5py.h5d.create(f.id, b"array", h5py.h5t.array_create(h5py.h5t.NATIVE_INT32, (2, 3)), space)
    h5py.h5d.create(f.id, b"time", h5py.h5t.UNIX_D32LE, space)
    f["long_double"] = np.array([1, 2], np.longdouble)
    f["null"] = h5py.Empty("i4")
    f["plain"].attrs["null"] = h5py.Empty("i4")


@hdf5
def links(f):
    f["plain"] = np.arange(3)
    f["second_name"] = f["plain"]
    f["soft"] = h5py.SoftLink("/plain")
    f["dangling"] = h5py.SoftLink("/nowhere")
    f["external"] = h5py.ExternalLink("elsewhere.h5", "/x")
    f.create_group("g")["up"] = h5py.SoftLink("/plain")
    f["g/loop"] = f["/g"]


@plain
def matlab73(path):
    with h5py.File(path, "w", userblock_size=512) as f:
        refs = f.create_group("#refs#")
        for name, value in (("a", np.array([[65, 66]], "u2")), ("b", np.ones((1, 2)))):
            refs[name] = value
        cell = f.create_dataset("cells", data=np.array([[refs["a"].ref], [refs["b"].ref]], dtype=object), dtype=h5py.ref_dtype)
        cell.attrs["MATLAB_class"] = np.bytes_(b"cell")
        f["values"] = np.arange(6.0).reshape(2, 3)
        f["values"].attrs["MATLAB_class"] = np.bytes_(b"double")
        logical = f.create_dataset("mask", data=np.array([[1, 0]], "u1"))
        logical.attrs["MATLAB_class"] = np.bytes_(b"logical")
        logical.attrs["MATLAB_int_decode"] = np.int32(1)
        nothing = f.create_dataset("nothing", data=np.array([0, 0], "u8"))
        nothing.attrs["MATLAB_empty"] = np.uint8(1)
        structure = f.create_group("s")
        structure["x"] = np.ones((1, 1))
        structure.attrs["MATLAB_fields"] = np.array([np.array([b"x"], "S1")], dtype=object).astype("S1")
    with open(path, "r+b") as f:
        f.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\0\2IM")


@hdf5
def virtual(f):
    with h5py.File(os.path.splitext(f.filename)[0] + "-source.h5", "w") as source:
        source["part"] = np.arange(4)
    layout = h5py.VirtualLayout(shape=(8,), dtype="i8")
    layout[0:4] = h5py.VirtualSource(os.path.splitext(f.filename)[0] + "-source.h5", "part", shape=(4,))
    f.create_virtual_dataset("v", layout, fillvalue=-1)
    f["plain"] = np.arange(3)


# --- stores ----------------------------------------------------------------------------------------------------
def group_of(path, version):
    import zarr

    major = int(zarr.__version__.split(".")[0])
    if version == 3 and major < 3:
        raise Absent("zarr-python before 3 writes version 2 only")
    return zarr.open_group(path, mode="w", **({"zarr_format": version} if major > 2 else {})), major


def add(group, major, name, values, **options):
    if major < 3:
        return group.create_dataset(name, data=values, **options)
    array = group.create_array(name, shape=values.shape, dtype=values.dtype, chunks=options.get("chunks", "auto"))
    array[...] = values
    return array


def numbers(path, version):
    group, major = group_of(path, version)
    for kind in ("i1", "u1", "i2", ">i4", "u8", "f4", ">f8", "f2", "?"):
        name = "v_" + kind.replace(">", "b").replace("?", "bool")
        add(group, major, name, (np.arange(12).reshape(3, 4) % 5).astype(kind), chunks=(2, 3))
        add(group, major, "scalar_" + name, np.array(1, kind))
    add(group, major, "nothing", np.zeros((0, 3), "f4"), chunks=(1, 3))
    group.attrs.update({"title": "t", "n": 1, "list": [1, 2], "nested": {"a": [1, {"b": None}]}})


def structures(path, version):
    group, major = group_of(path, version)
    add(group, major, "plain", np.arange(3.0))
    add(group, major, "c64", np.array([1 + 2j, 3], "c8"))
    add(group, major, "scalar", np.array(1 + 2j, "c16"))
    add(group, major, "rows", np.array([(1, 2.5)], dtype=[("a", "i4"), ("b", "f8")]))
    group.create_group("sub").attrs["here"] = "x"


def words(path, version):
    group, major = group_of(path, version)
    add(group, major, "fixed", np.array(["a", "Zürich"]))
    add(group, major, "bytes", np.array([b"ab", b"c"]))
    if major < 3:
        import numcodecs

        group.create_dataset("any", data=np.array(TEXT, dtype=object), object_codec=numcodecs.VLenUTF8())
        group.create_dataset("times", data=np.array(["2020-01-01"], dtype="datetime64[s]"))


for style in (numbers, structures, words):
    for zarr_version in (2, 3):
        ZARR[f"{style.__name__}_v{zarr_version}"] = lambda path, style=style, v=zarr_version: style(path, v)


@zarr_store
def xarray_crs(path):
    import xarray as xr

    data = xr.Dataset({"t": (("y", "x"), np.ones((4, 5), "f4"))}, coords={"crs": 0, "x": np.arange(5.0), "name": "word"})
    data["crs"].attrs["grid_mapping_name"] = "latitude_longitude"
    data.to_zarr(path)


def main():
    name, path, values = sys.argv[1:]
    try:
        ZARR[name](path)
    except (Absent, ImportError) as why:
        print(why, file=sys.stderr)
        return 77
    import zarr

    arrays = {key: array[...] for key, array in zarr.open_group(path, mode="r").arrays()}
    np.savez(values, **{key: np.asarray(x).astype("i8") if np.asarray(x).dtype.kind == "M" else x for key, x in arrays.items()})
    return 0


if __name__ == "__main__":
    sys.exit(main())
