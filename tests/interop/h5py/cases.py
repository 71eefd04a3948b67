# SPDX-License-Identifier: BSD-3-Clause
"""The files of world.py: (name, what makes it at a path) for layouts, types and filters."""
import os
import zlib

import h5py
import numpy as np

try:
    import hdf5plugin
except ImportError:
    hdf5plugin = None


class NotMade(Exception):
    """This h5py cannot make the file."""


def sample(name, shape, dtype="<f4"):
    """The same values for the same name, on every machine."""
    r = np.random.default_rng(zlib.crc32(name.encode()))
    dtype = np.dtype(dtype)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return r.integers(info.min // 2, info.max // 2, shape, dtype=dtype.newbyteorder("="), endpoint=True).astype(dtype)
    return (np.cumsum(r.standard_normal(shape), axis=-1) if shape else r.standard_normal(shape)).astype(dtype)


# --- layouts: each with every version of the library ---------------------------------------------------------------------
def dataset(**options):
    def make(f, name):
        shape = options.get("shape", (10, 7))
        f.create_dataset("v", data=sample(name, shape), **{k: v for k, v in options.items() if k != "shape"})
    return make


def low_level(shape=(10, 7), chunk=None, prepare=lambda p: None, maximum=None):
    """Through a creation list of its own, for what create_dataset has no word for."""
    def make(f, name):
        p = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        if chunk:
            p.set_chunk(chunk)
        prepare(p)
        d = h5py.h5d.create(f.id, b"v", h5py.h5t.IEEE_F32LE, h5py.h5s.create_simple(shape, maximum), dcpl=p)
        d.write(h5py.h5s.ALL, h5py.h5s.ALL, sample(name, shape))
    return make


def sparse(f, name):
    d = f.create_dataset("v", (40, 40), "<f4", chunks=(7, 7), maxshape=(None, 40), fillvalue=-5)
    d[8:10, 3:20] = sample(name, (2, 17))


def grown(f, name):
    d = f.create_dataset("v", (3, 4), "<i4", chunks=(2, 3), maxshape=(None, None))
    d[...] = sample(name, (3, 4), "<i4")
    d.resize((9, 11))
    d[5:, 6:] = sample(name + "2", (4, 5), "<i4")
    d.resize((8, 9))


def external(f, name):
    raw = os.path.join(os.path.dirname(f.filename), "raw.bin")
    f.create_dataset("v", (6, 5), "<f4", external=[(raw, 0, 120)])[...] = sample(name, (6, 5))


def virtual(f, name):
    f.create_dataset("part", data=sample(name, (4, 5)))
    layout = h5py.VirtualLayout((4, 10), "<f4")
    layout[:, :5] = h5py.VirtualSource(".", "part", (4, 5))
    f.create_virtual_dataset("v", layout, fillvalue=7)


def many(f, name):
    for i in range(40):
        f.create_dataset(f"g{i % 3}/d{i}", data=sample(f"{name}{i}", (3,), "<i2"))
    for i in range(40):
        f["g0"].attrs[f"a{i}"] = i


def linked(f, name):
    f.create_dataset("v", data=sample(name, (4,)))
    f["hard"] = f["v"]
    f["soft"] = h5py.SoftLink("/v")
    f["dangling"] = h5py.SoftLink("/nowhere")
    f["other"] = h5py.ExternalLink("nowhere.h5", "/v")


def scales(f, name):
    f.create_dataset("x", data=np.arange(5.0)).make_scale("x")
    f.create_dataset("v", data=sample(name, (5,)))
    f["v"].dims[0].attach_scale(f["x"])


def null(f, name):
    f.create_dataset("v", dtype="<f4", data=h5py.Empty("<f4"))


LAYOUTS = {
    "contiguous": dataset(), "scalar": dataset(shape=()), "empty": dataset(shape=(0, 4)),
    "compact": low_level(prepare=lambda p: p.set_layout(h5py.h5d.COMPACT)),
    "one chunk": dataset(chunks=(10, 7)), "fixed array": dataset(chunks=(3, 4)),
    "extensible array": dataset(chunks=(3, 4), maxshape=(None, 7)), "B-tree": dataset(chunks=(3, 4), maxshape=(None, None)),
    "implicit": low_level(chunk=(3, 4), prepare=lambda p: p.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)),
    "deflate": dataset(chunks=(3, 4), compression=4), "shuffle": dataset(chunks=(3, 4), compression=4, shuffle=True),
    "fletcher32": dataset(chunks=(3, 4), fletcher32=True), "lzf": dataset(chunks=(3, 4), compression="lzf"),
    "one chunk, deflate": dataset(chunks=(10, 7), compression=4),
    "extensible array, deflate": dataset(chunks=(3, 4), maxshape=(None, 7), compression=4),
    "B-tree, deflate": dataset(chunks=(3, 4), maxshape=(None, None), compression=4),
    "scale offset": dataset(chunks=(3, 4), scaleoffset=3), "early": low_level(prepare=lambda p: p.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)),
    "many chunks": dataset(shape=(300, 40), chunks=(3, 4), maxshape=(None, 40), compression=1),
    "sparse": sparse, "grown": grown, "external": external, "virtual": virtual, "many objects": many, "links": linked, "scales": scales,
    "null": null,
}


def layouts():
    for version in ("earliest", "v108", "v110", "v112", "v114", "v200", "latest"):
        for name, make in LAYOUTS.items():
            def build(path, version=version, name=name, make=make):
                try:
                    f = h5py.File(path, "w", libver=(version, "latest"))
                except ValueError as error:
                    raise NotMade(error) from error
                with f:
                    make(f, name)
            yield f"{name}, {version}", build


# --- types -----------------------------------------------------------------------------------------------------------------
def low_type(make, data):
    """A type that numpy has no form for; data: the bytes of the values."""
    def build(f):
        t = make()
        d = h5py.h5d.create(f.id, b"v", t, h5py.h5s.create_simple((3,)))
        d.write(h5py.h5s.ALL, h5py.h5s.ALL, np.frombuffer(data, f"V{t.get_size()}"), mtype=t)
    return build


def of(dtype, values):
    def build(f):
        f.create_dataset("v", data=np.array(values, dtype) if not isinstance(values, np.ndarray) else values, dtype=dtype)
        f["v"].attrs["a"] = f["v"][:1]
    return build


def vlens(kind):
    def build(f):
        d = f.create_dataset("v", (3,), h5py.vlen_dtype(np.dtype(kind)))
        known = np.empty(3, object)
        for i in range(3):
            d[i] = known[i] = np.arange(i + 1, dtype=kind)
        return {"v": known}  # h5py does not swap the bytes of lists of the other order
    return build


def strings(encoding, length=None):
    def build(f):
        words = ["", "grün", "日本語"] if encoding == "utf-8" else ["", "ab", "abcde"]
        d = f.create_dataset("v", (3,), h5py.string_dtype(encoding, length))
        d[...] = np.array([w.encode() for w in words], h5py.string_dtype(encoding, length))
    return build


def references(region):
    def build(f):
        d = f.create_dataset("d", data=np.arange(5))
        f.create_dataset("v", (2,), h5py.regionref_dtype if region else h5py.ref_dtype)
        f["v"][0] = d.regionref[1:3] if region else d.ref
        f.create_dataset("other", data=[1, 2])
    return build


def odd_float():
    t = h5py.h5t.IEEE_F32LE.copy()
    t.set_fields(23, 15, 8, 0, 15)
    t.set_precision(24)
    t.set_size(3)
    return t


def narrow(sign):
    t = (h5py.h5t.STD_I32LE if sign else h5py.h5t.STD_U32LE).copy()
    t.set_precision(12)
    t.set_offset(4)
    return t


def types():
    found = {}
    for order in "<>":
        for code in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"):
            values = sample(code, (5,), "f8") if code[0] in "fc" else sample(code, (5,), code)
            found[order + code] = of(np.dtype(order + code), values.astype(order + code))
    found["long double"] = of(np.longdouble, [1, 2.5, -3])
    found["bool"] = of(bool, [True, False, True])
    for base in ("i1", "<i4", ">i2", "u8"):
        found[f"enum of {base}"] = of(h5py.enum_dtype({"red": 1, "green": 2, "blue": 3}, base), [1, 3, 2])
    found["opaque"] = of(np.dtype("V5"), np.frombuffer(b"abcde12345\0\1\2\3\4", "V5"))
    for encoding in ("ascii", "utf-8"):
        found[f"strings, {encoding}"] = strings(encoding)
        found[f"fixed text, {encoding}"] = strings(encoding, 9)
    for kind in ("<i4", ">f8", "u1"):
        found[f"lists of {kind}"] = vlens(kind)
    pair = np.dtype([("a", "<i4"), ("b", "<f8")])
    found["structure"] = of(pair, np.array([(1, 2.5), (3, -4)], pair))
    mixed = np.dtype([("p", pair), ("t", "S4"), ("n", ">i2", (2, 2))])
    found["structure in structure"] = of(mixed, np.zeros(2, mixed))
    spaced = np.dtype({"names": ["x", "y"], "formats": ["u1", "<f4"], "offsets": [0, 8], "itemsize": 16})
    found["structure with gaps"] = of(spaced, np.array([(1, 2), (3, 4)], spaced))
    array = np.dtype(("<i4", (2, 3)))
    found["array"] = lambda f: f.create_dataset("v", (4,), array).__setitem__(..., np.arange(24).reshape(4, 2, 3))
    found["object references"], found["region references"] = references(False), references(True)
    for size in (8, 16, 32, 64):
        found[f"bitfield {size}"] = low_type(lambda size=size: getattr(h5py.h5t, f"STD_B{size}LE").copy(), bytes(range(3 * size // 8)))
    found["12 bits of 32, signed"], found["12 bits of 32"] = low_type(lambda: narrow(True), bytes(range(12))), low_type(lambda: narrow(False), bytes(range(12)))
    found["float of 3 bytes"] = low_type(odd_float, bytes(range(9)))
    found["time"] = low_type(lambda: h5py.h5t.UNIX_D32LE.copy(), bytes(range(12)))
    for name, make in found.items():
        def build(path, make=make):
            with h5py.File(path, "w", libver=("v108", "latest")) as f:
                try:
                    known = make(f)
                except (TypeError, ValueError, AttributeError) as error:
                    raise NotMade(error) from error
                f.create_dataset("beside", data=np.arange(3))
                return known
        yield name, build


# --- filters ----------------------------------------------------------------------------------------------------------------
def of_hdf5plugin():
    p = hdf5plugin
    yield from (("bitshuffle", p.Bitshuffle(cname="none")), ("bitshuffle lz4", p.Bitshuffle(cname="lz4")), ("bitshuffle zstd", p.Bitshuffle(cname="zstd")))
    yield from ((f"blosc {c} {s}", p.Blosc(cname=c, shuffle=s)) for c in ("blosclz", "lz4", "lz4hc", "zlib", "zstd") for s in (0, 1, 2))
    yield from ((f"blosc2 {c}", p.Blosc2(cname=c)) for c in ("blosclz", "lz4", "zlib", "zstd"))
    yield from (("bzip2", p.BZip2()), ("lz4", p.LZ4()), ("zstd", p.Zstd()))
    yield from (("zfp", p.Zfp(reversible=True)), ("zfp accuracy", p.Zfp(accuracy=0.01)), ("zfp rate", p.Zfp(rate=16)), ("zfp precision", p.Zfp(precision=12)))
    yield from (("sz", p.SZ(absolute=0.01)), ("sz3", p.SZ3(absolute=0.01)), ("sperr", p.Sperr(rate=8)))


# SPERR takes no lists of one axis: h5py cannot even close such a file.
ONE_AXIS_NOT = ("sperr",)
SHAPES = {"1-D": ((257,), (64,)), "2-D": ((20, 33), (16, 16)), "3-D": ((6, 20, 18), (6, 16, 16))}
REAL_ONLY = ("zfp", "sz", "sperr")


def filters():
    if not hdf5plugin:
        print("NOT RUN: this Python has no hdf5plugin, so its filters are not tried")
        return
    for name, options in of_hdf5plugin():
        for dtype in ("<f4", "<f8") if name.startswith(REAL_ONLY) else ("<f4", "<i2"):
            for dims, (shape, chunks) in SHAPES.items():
                if dims == "1-D" and name in ONE_AXIS_NOT:
                    continue

                def build(path, name=name, options=options, dtype=dtype, shape=shape, chunks=chunks):
                    with h5py.File(path, "w") as f:
                        try:
                            f.create_dataset("v", data=sample(name, shape, dtype), chunks=chunks, **options)
                        except (ValueError, OSError, RuntimeError) as error:
                            raise NotMade(error) from error
                        f.create_dataset("beside", data=np.arange(3))
                yield f"{name}, {dtype}, {dims}", build


PARTS = {"layouts": layouts, "types": types, "filters": filters}
