#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""random_files.py FOLDER COUNT [SEED [plain]]: HDF5 files by h5py with groups, links, attributes, types and datasets of every kind
that h5py can write, in all versions of the format, and with messages that no library writes any more (older_messages.py). The
same seed gives the same files. Prints in how many files each structure of the format stands (structures.py), and fails if one of those
that are expected stands in fewer than a fiftieth of them. plain: without numbers of few bits, which HDF5 1.14 and newer do not
write, so that every h5py gives files with the same contents."""
import ctypes
import os
import random
import sys

import h5py
import numpy as np

from older_messages import make_older
from structures import structures

# What must stand in a fiftieth of the files. HDF5 2.x writes some things, and Debian's 1.10 others.
EXPECTED = """superblock 0, superblock 1, superblock 2, superblock 3, user block
addresses of 4 and lengths of 4, addresses of 8 and lengths of 4, addresses of 4 and lengths of 8
object header 1, object header 2, continuation 1, continuation 2, symbol table, symbol node, B-tree 1, local heap
link information, hard link, soft link message, external link, dense links, group information
attribute 1, attribute 2, attribute 3, attribute information, dense attributes, comment, modification time, reference count
fractal heap, direct block, indirect block, tiny objects, huge objects, filtered heap, B-tree 2, B-tree 2 leaf, B-tree 2 inner node
shared message, committed type, message: shared messages, table of shared messages, list of shared messages
message: B-tree k, message: file space, dataspace 1, dataspace 2, scalar, simple, null space
type integer, type float, type time, type string, type bitfield, type opaque, type compound, type reference, type enum, type vlen
type array, bfloat16, datatype version 1, datatype version 2, datatype version 3, reference of kind 0, reference of kind 1, global heap
old fill value, fill value 1, fill value 2, fill value 3, filters 1, filters 2, external files
layout 1 contiguous, layout 1 chunked, layout 2 contiguous, layout 2 chunked, layout 3 compact, layout 3 contiguous, layout 3 chunked
layout 4 chunked, layout 4 virtual, single chunk, implicit, fixed array, extensible array
chunks in a B-tree 2, raw edges, data block of a fixed array, index block of an extensible array, data block of an extensible array"""
OF_1 = "message: cache image, layout 4 compact, layout 4 contiguous"
OF_2 = "datatype version 4, layout 5 chunked, type complex, datatype version 5, reference of kind 2, chunks beyond 4 GiB"
NUMBERS = ["i1", "u1", "<i2", ">i2", "<u2", "<i4", ">i4", "<u4", "<i8", ">u8", "<f2", ">f2", "<f4", ">f4", "<f8", ">f8"]
WORDS = ["alpha", "bit", "Größe", "", "x", "a longer piece of text, with blanks", "q" * 300, "units", "°C"]


NOTED = {}  # by file: what it has that structures.py does not see
NEW = h5py.version.hdf5_version_tuple >= (2, 0, 0)


def odd_numbers(r):
    """Numbers of few bits in many bytes, and of sizes that no machine has."""
    if r.random() < 0.5:
        t = h5py.h5t.NATIVE_INT32.copy()
        t.set_precision(r.choice([9, 17, 24]))
        t.set_offset(r.choice([0, 3]))
    else:
        t = h5py.h5t.STD_U64BE.copy()
        t.set_size(r.choice([3, 5, 8]))
        t.set_precision(min(8 * t.get_size(), r.choice([13, 24])))
    return t


def compound(r, depth=0):
    fields = []
    for i in range(r.randint(1, 5)):
        kind = r.random()
        if kind < 0.6 or depth > 1:
            t = r.choice(NUMBERS)
        elif kind < 0.7:
            t = "S%d" % r.randint(1, 9)
        elif kind < 0.8:
            t = (r.choice(NUMBERS), (r.randint(1, 3), r.randint(1, 3)))
        elif kind < 0.9:
            t = h5py.enum_dtype({"off": 0, "on": 1, "odd": -3}, basetype=r.choice(["i1", "<i4", ">i2"]))
        else:
            t = compound(r, depth + 1)
        fields.append(("f%d" % i,) + (t if isinstance(t, tuple) else (t,)))
    return np.dtype(fields, align=r.random() < 0.3)


def any_type(r):
    kind = r.random()
    if kind < 0.5:
        return np.dtype(r.choice(NUMBERS))
    if kind < 0.65:
        return compound(r)
    if kind < 0.75:
        return h5py.enum_dtype({"red": 1, "green": 7, "blue": 100}, basetype=r.choice(["i1", "u1", "<i4", ">i8"]))
    if kind < 0.8:
        return np.dtype("V%d" % r.choice([1, 5, 16]))
    if kind < 0.85:
        return np.dtype(r.choice(["c8", "c16"]))
    if kind < 0.9:
        return np.dtype("bool")
    return np.dtype("S%d" % r.choice([1, 4, 17]))


def values(r, dtype, shape):
    raw = bytes(r.randrange(256) for _ in range(int(np.prod(shape, dtype=int)) * dtype.itemsize))
    if dtype.kind in "iu" and not h5py.check_enum_dtype(dtype) or dtype.kind == "V" and not dtype.fields:
        return np.frombuffer(raw, dtype).reshape(shape)
    if dtype.fields:
        out = np.zeros(shape, dtype)
        for name in dtype.names:
            sub = dtype.fields[name][0]
            out[name] = values(r, sub.base, tuple(shape) + sub.shape)
        return out
    if h5py.check_enum_dtype(dtype):
        choices = list(h5py.check_enum_dtype(dtype).values())
        return np.array([r.choice(choices) for _ in range(int(np.prod(shape, dtype=int)))], dtype).reshape(shape)
    if dtype.kind == "S":
        return np.array([r.choice(["", "a", "bcd", "efghij"]).encode()[: dtype.itemsize]
                         for _ in range(int(np.prod(shape, dtype=int)))], dtype).reshape(shape)
    return np.array([r.choice([0, 1, -1.5, 2.25, 1e3, 3.14159]) for _ in range(int(np.prod(shape, dtype=int)))]).astype(
        dtype).reshape(shape)


def vlens(r, n):
    base = np.dtype(r.choice(["<i4", ">f8", "u1"]))
    out = np.empty(n, dtype=object)
    for i in range(n):
        out[i] = np.array([r.randrange(100) for _ in range(r.choice([0, 1, 5]))], base)
    return out, h5py.vlen_dtype(base)


def odd_attribute(r, obj, name):
    t = odd_numbers(r)
    shape = (r.randint(1, 4),)
    data = np.array([r.randrange(100) for _ in range(shape[0])], dtype="<i8")
    if "plain" not in sys.argv:
        a = h5py.h5a.create(obj.id, name.encode(), t, h5py.h5s.create_simple(shape))
        a.write(data, mtype=h5py.h5t.NATIVE_INT64)


def add_attribute(r, obj, name, named):
    kind = r.randrange(13)
    shape = r.choice([(), (1,), (4,), (2, 3), (0,)])
    if kind < 3:
        obj.attrs[name] = r.choice(WORDS)
    elif kind < 4:
        obj.attrs.create(name, [r.choice(WORDS) for _ in range(r.randint(1, 5))], dtype=h5py.string_dtype())
    elif kind < 5:
        obj.attrs.create(name, r.choice(WORDS).encode() or b"-", dtype="S%d" % r.randint(1, 40))
    elif kind < 8:
        dtype = any_type(r)
        obj.attrs.create(name, values(r, dtype, shape), dtype=dtype)
    elif kind < 9:
        data, dtype = vlens(r, r.randint(1, 3))
        obj.attrs.create(name, data, dtype=dtype)
    elif kind < 10:
        obj.attrs[name] = h5py.Empty(r.choice(["f4", "S3"]))
    elif kind < 11 and named:
        t = r.choice(named)
        obj.attrs.create(name, values(r, t.dtype, (2,)), dtype=t)
    elif kind < 12:
        odd_attribute(r, obj, name)
    else:
        obj.attrs[name] = obj.ref


def add_attributes(r, obj, named):
    for i in range(r.choice([0, 0, 2, 5, 12, 40])):
        add_attribute(r, obj, "att_%d" % i, named)
    if r.random() < 0.05:
        obj.attrs["large"] = np.arange(7000, dtype="f8")


def note(group, what):
    NOTED.setdefault(group.file.filename, set()).add(what)


def add_layout(r, group, name, growing):
    """A dataset of a layout that h5py does not choose by itself."""
    dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    n, chunk = r.randint(2, 40), r.randint(1, 6)
    kind = r.choice(["compact", "single chunk", "implicit", "fixed array", "paged array", "raw edges", "extensible array",
                     "chunks in a B-tree 2"])
    if kind == "compact":
        dcpl.set_layout(h5py.h5d.COMPACT)
    else:
        chunk = n if kind == "single chunk" else chunk
        n = 1100 if kind == "paged array" else n
        chunk = 1 if kind == "paged array" else chunk
        dcpl.set_chunk((min(chunk, n),) * (2 if kind == "chunks in a B-tree 2" else 1))
        if kind == "implicit":
            dcpl.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
        elif kind == "raw edges" and libhdf5():
            dcpl.set_deflate(4)
            libhdf5().H5Pset_chunk_opts(ctypes.c_int64(dcpl.id), ctypes.c_uint(2))
    shape = (n, 6) if kind == "chunks in a B-tree 2" else (n,)
    unlimited = growing and kind in ("extensible array", "chunks in a B-tree 2")
    space = h5py.h5s.create_simple(shape, (h5py.h5s.UNLIMITED,) * len(shape) if unlimited else shape)
    d = h5py.Dataset(h5py.h5d.create(group.id, name.encode(), h5py.h5t.STD_I32LE, space, dcpl))
    if kind == "paged array":
        d[17], d[1090] = 1, 2
    else:
        d[...] = np.arange(int(np.prod(shape))).reshape(shape)


def add_virtual(r, group, name):
    """Rows of another dataset, every second one, in this file."""
    n = r.randint(2, 6)
    group[name + "_source"] = np.arange(3 * n, dtype="i4").reshape(n, 3)
    layout = h5py.VirtualLayout((2 * n, 3), "i4")
    layout[::2] = h5py.VirtualSource(".", group.name.rstrip("/") + "/" + name + "_source", (n, 3))
    group.create_virtual_dataset(name, layout, fillvalue=-5)


def add_external(r, group, name):
    """Numbers in files of their own, beside this one."""
    n, at = r.randint(2, 9), r.choice([0, 3])
    raw = os.path.basename(group.file.filename) + group.name.replace("/", "_") + ".raw"
    dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    dcpl.set_external((raw + "1").encode(), at, 4)
    dcpl.set_external((raw + "2").encode(), 0, 4 * n)
    h5py.h5d.create(group.id, name.encode(), h5py.h5t.STD_I32BE, h5py.h5s.create_simple((n + 1,)), dcpl)
    folder = os.path.dirname(group.file.filename)
    for part, numbers in (("1", [7]), ("2", range(n))):
        with open(os.path.join(folder, raw + part), "wb") as f:
            f.write(bytes(at if part == "1" else 0) + np.array(numbers, ">i4").tobytes())


def add_bfloat(r, group, name):
    """bfloat16: the upper half of a float."""
    t = h5py.h5t.IEEE_F32LE.copy()
    t.set_fields(15, 7, 8, 0, 7)
    t.set_size(2)
    t.set_precision(16)
    t.set_ebias(127)
    d = h5py.h5d.create(group.id, name.encode(), t, h5py.h5s.create_simple((5,)))
    d.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array([0, 1, -2.5, 3e30, r.randint(1, 100)], "f4"))
    note(group, "bfloat16")


def add_odd_types(r, group):
    """Types that netCDF has no name for, or that lie in datasets only."""
    t = r.choice(["UNIX_D32LE", "UNIX_D64BE", "STD_B8LE", "STD_B16LE", "STD_B64BE"])
    h5py.h5d.create(group.id, b"odd_type", getattr(h5py.h5t, t), h5py.h5s.create_simple((r.randint(1, 4),)))
    kind = r.randrange(4)
    if kind == 0:
        group.create_dataset("regions", (2,), dtype=h5py.regionref_dtype)
    elif kind == 1:
        h5py.h5d.create(group.id, b"arrays", h5py.h5t.array_create(h5py.h5t.STD_I16BE, (2, 3)), h5py.h5s.create_simple((3,)))
    elif kind == 2:
        data, dtype = vlens(r, 3)
        d = group.create_dataset("lists", (3,), dtype=dtype)
        for i in range(3):
            d[i] = data[i]
    else:
        t = h5py.h5t.C_S1.copy()
        t.set_size(6)
        t.set_strpad(r.choice([h5py.h5t.STR_SPACEPAD, h5py.h5t.STR_NULLTERM]))
        d = h5py.h5d.create(group.id, b"padded", t, h5py.h5s.create_simple((2,)))
        d.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array([b"ab", b"cdefg"], "S6"))


def is_newest(group):
    """Does HDF5 2.x write its newest version of the format?"""
    return NEW and group.file.libver[0] in ("v200", "latest")


def complex_type(group, dtype):
    """Of class 11; else a compound with some padding, since it must not be the one that complex attributes have."""
    if is_newest(group):
        return h5py.h5t.COMPLEX_IEEE_F32LE if dtype == "c8" else h5py.h5t.COMPLEX_IEEE_F64LE
    part = h5py.h5t.IEEE_F32LE if dtype == "c8" else h5py.h5t.IEEE_F64LE
    t = h5py.h5t.create(h5py.h5t.COMPOUND, 3 * part.get_size())
    t.insert(b"r", 0, part)
    t.insert(b"i", part.get_size(), part)
    return t


def add_complex(r, group):
    """What HDF5 2.x has a class for, and others have as a compound."""
    values = np.array([r.choice([0, 1, -2.5]) + 1j * r.randint(0, 9) for _ in range(3)], r.choice(["c8", "c16"]))
    d = h5py.h5d.create(group.id, b"complex", complex_type(group, values.dtype), h5py.h5s.create_simple((3,)))
    d.write(h5py.h5s.ALL, h5py.h5s.ALL, values, complex_type(group, values.dtype) if is_newest(group) else None)


def add_large_chunk(r, group):
    """A chunk beyond 4 GiB, never written."""
    chunk = (3 << 30,) if is_newest(group) else (1 << 20,)
    group.create_dataset("large_chunk", (r.randint(1, 9),), "i4", maxshape=(None,), chunks=chunk, fillvalue=r.randint(1, 9))
    if is_newest(group):
        note(group, "chunks beyond 4 GiB")


class Vlen(ctypes.Structure):
    """hvl_t"""
    _fields_ = [("n", ctypes.c_size_t), ("p", ctypes.c_void_p)]


def write_new_list(d, scales):
    """DIMENSION_LIST of the references of HDF5 1.12 on, for which h5py has no call."""
    lib, i64 = libhdf5(), ctypes.c_int64
    lib.H5Tvlen_create.restype = lib.H5Screate_simple.restype = lib.H5Acreate2.restype = i64
    refs = [(ctypes.c_ubyte * 64)() for _ in scales]
    for ref, scale in zip(refs, scales):
        lib.H5Rcreate_object(i64(d.file.id.id), scale.name.encode(), i64(0), ref)
    t = i64(lib.H5Tvlen_create(i64(i64.in_dll(lib, "H5T_STD_REF_g").value)))
    space = i64(lib.H5Screate_simple(1, (ctypes.c_uint64 * 1)(len(scales)), None))
    a = i64(lib.H5Acreate2(i64(d.id.id), b"DIMENSION_LIST", t, space, i64(0), i64(0)))
    if lib.H5Awrite(a, t, (Vlen * len(refs))(*[Vlen(1, ctypes.addressof(ref)) for ref in refs])) < 0:
        sys.exit("references of HDF5 1.12 cannot be written")
    for close, what in ((lib.H5Aclose, a), (lib.H5Sclose, space), (lib.H5Tclose, t)):
        close(what)


def add_new_references(r, group):
    """Dimension scales by references of 18 bytes, which only HDF5 1.12 and newer write."""
    scales = [group.create_dataset("dim_%s" % name, data=np.arange(n)) for name, n in (("a", 2), ("b", 3))]
    d = group.create_dataset("on_new_references", data=np.arange(6).reshape(2, 3))
    for s in scales:
        s.make_scale(s.name.split("/")[-1])
    if is_newest(group):
        write_new_list(d, scales)
        note(group, "reference of kind 2")
        return
    for i, s in enumerate(scales):
        d.dims[i].attach_scale(s)


def shares_filters(group):
    """libhdf5 1.10 cannot read compressed heaps that it writes where messages about filters are shared."""
    fcpl, flags, n = group.file.id.get_create_plist(), ctypes.c_uint(), ctypes.c_uint()
    lib, fid = libhdf5(), ctypes.c_int64(fcpl.id)
    lib.H5Pget_shared_mesg_nindexes(fid, ctypes.byref(n))
    if n.value:
        lib.H5Pget_shared_mesg_index(fid, ctypes.c_uint(0), ctypes.byref(flags), ctypes.byref(n))
    return bool(flags.value & 0x800)


def add_filtered_links(r, group, name):
    """So many links that they lie in a heap, which is compressed."""
    gcpl = h5py.h5p.create(h5py.h5p.GROUP_CREATE)
    libhdf5().H5Pset_deflate(ctypes.c_int64(gcpl.id), ctypes.c_uint(6))
    gcpl.set_link_creation_order(h5py.h5p.CRT_ORDER_TRACKED)
    many = h5py.Group(h5py.h5g.create(group.id, name.encode(), gcpl=gcpl))
    for i in range(r.randint(12, 40)):
        many.create_dataset("a_rather_long_name_of_a_link_%d" % i, data=i)


def add_dataset(r, group, name, named, growing):
    shape = tuple(r.choice([0, 1, 3, 5]) for _ in range(r.randint(0, 3)))
    kind = r.random()
    options = {}
    if shape and r.random() < 0.4 and (growing or 0 not in shape):
        options["chunks"] = tuple(min(r.randint(1, 4), n or 1) for n in shape)
        if growing and (r.random() < 0.5 or 0 in shape):
            options["maxshape"] = tuple(None if n == 0 or r.random() < 0.5 else n for n in shape)
        options.update(r.choice([{}, {"compression": "gzip"}, {"shuffle": True}, {"fletcher32": True}]))
    if kind < 0.12:
        options.pop("fletcher32", None)  # not for values in the global heap
        d = group.create_dataset(name, shape, h5py.string_dtype(), **options)
        if d.size:
            d[...] = np.array([r.choice(WORDS) for _ in range(d.size)], dtype=object).reshape(shape)
    elif kind < 0.2 and named:
        t = r.choice(named)
        d = group.create_dataset(name, shape, t, **options)
        if d.size:
            d[...] = values(r, t.dtype, shape)
    elif kind < 0.24:
        d = group.create_dataset(name, dtype=h5py.ref_dtype, shape=(2,))
    elif kind < 0.27:
        d = group.create_dataset(name, data=h5py.Empty("f8"))
    else:
        dtype = any_type(r)
        if dtype.kind in "iuf" and not h5py.check_enum_dtype(dtype) and r.random() < 0.3:
            options["fillvalue"] = 7
        d = group.create_dataset(name, shape, dtype, **options)
        if d.size and r.random() < 0.8:
            d[...] = values(r, dtype, shape)
    add_attributes(r, d, named)
    return d


def add_scales(r, group):
    """Dimensions in the way of h5py, and variables that have them."""
    lens = [r.randint(2, 5) for _ in range(2)]
    scales = []
    for i, n in enumerate(lens):
        s = group.create_dataset("dim_%d" % i, data=np.arange(n))
        s.make_scale("dim_%d" % i if r.random() < 0.7 else "")
        scales.append(s)
    d = group.create_dataset("on_scales", data=np.zeros(lens))
    for i, s in enumerate(scales):
        if r.random() < 0.9:
            d.dims[i].attach_scale(s)


def fill_group(r, group, named, depth, growing):
    for i in range(r.choice([0, 1, 2, 5])):
        add_dataset(r, group, "v%d" % i, named, growing)
    if r.random() < 0.1:
        for i in range(r.choice([20, 150])):
            group.create_dataset("many_%d" % i, data=i)
    if r.random() < 0.25:
        add_layout(r, group, "laid_out", growing)
    if growing and r.random() < 0.1:
        add_virtual(r, group, "virtual")
    if r.random() < 0.05:
        add_external(r, group, "external")
    if r.random() < 0.05:
        add_bfloat(r, group, "bfloat")
    if r.random() < 0.1:
        add_odd_types(r, group)
    if r.random() < 0.1:
        add_complex(r, group)
    if growing and r.random() < 0.1:
        add_large_chunk(r, group)
    if r.random() < 0.1:
        add_new_references(r, group)
    if r.random() < 0.1:
        group["elsewhere"] = h5py.ExternalLink("no_such_file.h5", "/x")
    if r.random() < 0.1:
        h5py.h5o.set_comment(group.id, b"what this group is for")
    if growing and r.random() < 0.05 and libhdf5() and not shares_filters(group):  # in files of short addresses it cannot either
        add_filtered_links(r, group, "filtered")
    if r.random() < 0.3:
        add_scales(r, group)
    if r.random() < 0.3 and len(group):
        group["soft"] = h5py.SoftLink(group.name.rstrip("/") + "/" + next(iter(group)))
        group["dangling"] = h5py.SoftLink("/no/such/thing")
        group["relative"] = h5py.SoftLink("./soft")
        add_attributes(r, group, named)
    for i in range(r.choice([0, 1, 3]) if depth < 3 else 0):
        track = r.random() < 0.5
        fill_group(r, group.create_group("group_%d" % i, track_order=track), named, depth + 1, growing)


def libhdf5():
    """The one that h5py uses, for what h5py has no call for; NULL: it has another name."""
    with open("/proc/self/maps") as maps:
        names = [line.split()[-1] for line in maps if "libhdf5" in line and "_hl" not in line]
    return ctypes.CDLL(names[0]) if names else None


def creation_list(r, growing):
    fcpl = h5py.h5p.create(h5py.h5p.FILE_CREATE)
    lib, fid = libhdf5(), ctypes.c_int64(fcpl.id)
    if lib and r.random() < 0.5:
        lib.H5Pset_sym_k(fid, ctypes.c_uint(r.choice([2, 8])), ctypes.c_uint(r.choice([1, 4])))
        lib.H5Pset_istore_k(fid, ctypes.c_uint(r.choice([2, 8])))
    if lib and r.random() < 0.2:  # datatypes, dataspaces, attributes ... kept once for all
        lib.H5Pset_shared_mesg_nindexes(fid, ctypes.c_uint(1))
        lib.H5Pset_shared_mesg_index(fid, ctypes.c_uint(0), ctypes.c_uint(r.choice([0x182A, 0x0A, 0x1000])),
                                     ctypes.c_uint(r.choice([1, 40])))
    if not growing:
        fcpl.set_sizes(*r.choice([(4, 4), (8, 4), (4, 8)]))
    if r.random() < 0.2:
        fcpl.set_file_space_strategy(r.choice([h5py.h5f.FSPACE_STRATEGY_AGGR, h5py.h5f.FSPACE_STRATEGY_NONE]), False, 1)
    if r.random() < 0.2:
        fcpl.set_userblock(512)
    if r.random() < 0.5:
        fcpl.set_link_creation_order(h5py.h5p.CRT_ORDER_TRACKED | h5py.h5p.CRT_ORDER_INDEXED)
        fcpl.set_attr_creation_order(h5py.h5p.CRT_ORDER_TRACKED | h5py.h5p.CRT_ORDER_INDEXED)
    return fcpl


def fill_simply(r, f):
    """What libhdf5 survives in a metadata cache image: of files with more, it crashes or cannot read what it wrote."""
    for i in range(r.randint(1, 6)):
        how = r.choice([{}, {"chunks": (3,)}, {"chunks": (2,), "compression": "gzip"}])
        d = f.create_dataset("g%d/v%d" % (r.randint(0, 2), i), data=np.arange(r.randint(3, 40), dtype=r.choice(NUMBERS)), **how)
        for k in range(r.randint(0, 4)):
            d.attrs["att_%d" % k] = r.choice([k, np.bytes_("text %d" % k), np.arange(k + 1.0)])


class CacheImage(ctypes.Structure):
    """H5AC_cache_image_config_t"""
    _fields_ = [("version", ctypes.c_int), ("make", ctypes.c_bool), ("save_size", ctypes.c_bool), ("ages", ctypes.c_int)]


def ask_image(fapl):
    """A metadata cache image is written when the file is closed."""
    image = CacheImage(1, True, False, -1)
    libhdf5().H5Pset_mdc_image_config(ctypes.c_int64(fapl.id), ctypes.byref(image))


def make_file(r, path):
    known = h5py._hl.files.libver_dict
    low = known.get(r.choice(["earliest", "earliest", "v108", "v108", "v110", "v112", "v114", "v200"]), known["v110"])
    fapl = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    fapl.set_libver_bounds(low, h5py.h5f.LIBVER_LATEST)
    fapl.set_fclose_degree(h5py.h5f.CLOSE_STRONG)
    imaged = r.random() < 0.2 and low >= known["v110"] and libhdf5()
    if imaged and not NEW:  # HDF5 2.0 cannot read those it writes
        ask_image(fapl)
    growing = r.random() < 0.85  # libhdf5 cannot read what it writes of datasets that grow in files of short addresses
    fid = h5py.h5f.create(path.encode(), h5py.h5f.ACC_TRUNC, creation_list(r, growing), fapl)
    with h5py.File(fid) as f:
        named = []
        if imaged:
            fill_simply(r, f)
            return
        for i in range(r.choice([0, 0, 1, 3])):
            f["type_%d" % i] = compound(r) if r.random() < 0.7 else any_type(r)
            named.append(f["type_%d" % i])
        fill_group(r, f, named, 0, growing)


def expected():
    return ", ".join(EXPECTED.splitlines()).split(", ") + (OF_2 if NEW else OF_1).split(", ")


def main():
    folder, count = sys.argv[1], int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    found = dict.fromkeys(expected(), 0)
    os.makedirs(folder, exist_ok=True)
    for i in range(count):
        path = os.path.join(folder, "random_%d_%d.h5" % (seed, i))
        r = random.Random(seed * 1000003 + i)
        make_file(r, path)
        make_older(path, r)
        for what in structures(path) | NOTED.pop(path, set()):
            found[what] = found.get(what, 0) + 1
    print("%d files, h5py %s, HDF5 %s; files with " % (count, h5py.__version__, h5py.version.hdf5_version)
          + ", ".join("%s: %d" % item for item in found.items()))
    few = [what for what in expected() if found[what] < count // 50]
    if few:
        sys.exit("in fewer than %d files: %s" % (count // 50, ", ".join(few)))


if __name__ == "__main__":
    main()
