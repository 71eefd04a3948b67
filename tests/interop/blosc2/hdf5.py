# SPDX-License-Identifier: BSD-3-Clause
"""HDF5 files with Blosc2 (filter 32026), both ways:

    hdf5.py PATH_OF_nccopy

Files of h5py with hdf5plugin and of PyTables are copied by our nccopy to files without filters, which h5py reads; files
that nccopy compresses with blosc2 are read by h5py with hdf5plugin."""
import itertools
import subprocess
import sys

try:
    import h5py
    import hdf5plugin
    import numpy as np
except ImportError as e:
    print(f"NOT RUN: {e}; scripts/peers.sh .venv-peers fetches it")
    sys.exit(77)

CNAMES = ["blosclz", "lz4", "lz4hc", "zlib", "zstd"]
FIELDS = {
    "d1": ((4001,), (1000,)),
    "d2": ((130, 217), (50, 70)),
    "d3": ((13, 40, 61), (5, 40, 20)),
    "d4": ((3, 9, 20, 21), (2, 5, 20, 7)),
}


def field(dims, dtype):
    n = int(np.prod(dims))
    return (280 + 15 * np.sin(np.arange(n) / 300) + np.arange(n) % 7).astype(dtype).reshape(dims)


def copy(nccopy, options, source, target):
    subprocess.run([nccopy, *options, source, target], check=True)


def same(path, wanted):
    with h5py.File(path) as f:
        for name, a in wanted.items():
            assert f[name][...].tobytes() == a.tobytes(), (path, name)


def from_hdf5plugin(nccopy):
    wanted = {}
    with h5py.File("theirs.h5", "w") as f:
        for (name, (dims, chunks)), cname, shuffle, dtype in itertools.product(FIELDS.items(), CNAMES, (0, 1, 2, 3), ("f4", "i2", "f8")):
            key = f"{name}_{cname}_{shuffle}_{dtype}"
            wanted[key] = field(dims, dtype)
            f.create_dataset(key, data=wanted[key], chunks=chunks, **hdf5plugin.Blosc2(cname=cname, clevel=5, filters=shuffle))
        wanted["zeros"] = np.zeros((100, 100), "f8")
        f.create_dataset("zeros", data=wanted["zeros"], chunks=(30, 30), **hdf5plugin.Blosc2())
    copy(nccopy, ["-4", "-F", "none"], "theirs.h5", "plain.nc")
    same("plain.nc", wanted)
    return len(wanted)


def from_pytables(nccopy):
    try:
        import tables
    except ImportError as e:
        print(f"NOT RUN: PyTables: {e}; scripts/peers.sh .venv-peers fetches it")
        return 0
    wanted = {}
    with tables.open_file("tables.h5", "w") as f:
        for (name, (dims, chunks)), cname in itertools.product(FIELDS.items(), CNAMES):
            key = f"{name}_{cname}"
            wanted[key] = field(dims, "f4")
            f.create_carray("/", key, obj=wanted[key], chunkshape=chunks, filters=tables.Filters(complevel=5, complib=f"blosc2:{cname}"))
    copy(nccopy, ["-4", "-F", "none"], "tables.h5", "plain_tables.nc")
    same("plain_tables.nc", wanted)
    return len(wanted)


def to_hdf5plugin(nccopy):
    wanted = {}
    with h5py.File("source.h5", "w") as f:
        for (name, (dims, chunks)), dtype in itertools.product(FIELDS.items(), ("f4", "i2", "f8")):
            wanted[f"{name}_{dtype}"] = field(dims, dtype)
            f.create_dataset(f"{name}_{dtype}", data=wanted[f"{name}_{dtype}"], chunks=chunks)
    for cname, filter in itertools.product(CNAMES, ("none", "shuffle", "bitshuffle", "delta")):
        copy(nccopy, ["-4", "-F", f"*,blosc2,cname={cname},clevel=5,filter={filter}"], "source.h5", "ours.nc")
        with h5py.File("ours.nc") as f:
            for name, a in wanted.items():
                words = f[name].id.get_create_plist().get_filter(0)[2]
                assert words[0] == 1 and words[2:4] == (a.itemsize, a.itemsize * int(np.prod(f[name].chunks))), words
                assert words[7:] == ((a.ndim, *f[name].chunks) if a.ndim > 1 else ()), words
                assert len(f[name].id.read_direct_chunk((0,) * a.ndim)[1]) > 0
        same("ours.nc", wanted)
    cells = {name: a for name, a in wanted.items() if a.ndim > 1}
    for filters in ("ndcell:4+shuffle", "delta+shuffle", "shuffle+bytedelta"):
        copy(nccopy, ["-4", "-V", ",".join(cells), "-F", f"*,blosc2,cname=zstd,filters={filters}"], "source.h5", "ours.nc")
        same("ours.nc", cells)
    return len(wanted) * 20 + len(cells) * 3


def main():
    nccopy = sys.argv[1]
    print(from_hdf5plugin(nccopy), "datasets of hdf5plugin")
    print(from_pytables(nccopy), "datasets of PyTables")
    print(to_hdf5plugin(nccopy), "datasets of ours")


main()
