#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Our plugins in stock h5py, against Debian's plugins where there are some, and against
libcellar.

codec_suite_plugins.py BUILD_PLUGIN_DIR LIBCELLAR SHOW_FILTERS

Every codec is written by h5py through our plugin and read back by a second process;
where Debian has a plugin for the same id, each reads what the other wrote. libcellar,
with no plugin at all, reads everything. What libcellar wrote with every codec
(SHOW_FILTERS, a program) is read by h5py, netCDF-C, ncdump, h5dump and h5repack with
our plugins. Exact data must come back exactly, lossy data within the bound of its
setting.
"""
import ctypes
import os
import subprocess
import sys
import tempfile

DEBIAN = "/usr/lib/x86_64-linux-gnu/hdf5/serial/plugins"


def double(v):
    import struct

    return struct.unpack("<II", struct.pack("<d", v))


# name: id (or what h5py calls it), words, kinds of data, largest error allowed, whether Debian has it
CASES = {
    "szip-nn": ("szip", ("nn", 8), "fi", 0, True),
    "szip-ec": ("szip", ("ec", 32), "fi", 0, True),
    "deflate": ("gzip", 6, "fi", 0, True),
    "bzip2": (307, (9,), "fi", 0, True),
    "lzf": (32000, (), "fi", 0, True),
    "blosc": (32001, (0, 0, 0, 0, 5, 1, 1), "fi", 0, True),
    "blosc-zstd-bits": (32001, (0, 0, 0, 0, 9, 2, 5), "fi", 0, True),
    "blosc-default": (32001, (), "fi", 0, True),
    "blosc2": (32026, (), "fi", 0, False),
    "blosc2-zstd-bits": (32026, (0, 0, 0, 0, 9, 2, 5), "fi", 0, False),
    "lz4": (32004, (), "fi", 0, True),
    "lz4-blocks": (32004, (256,), "fi", 0, True),
    "bitshuffle": (32008, (), "fi", 0, True),
    "bitshuffle-lz4": (32008, (0, 2), "fi", 0, True),
    "bitshuffle-lz4-24": (32008, (24, 2), "fi", 0, True),
    "bitshuffle-zstd": (32008, (0, 3, 5), "fi", 0, False),
    "zfp-rate": (32013, (1, 0) + double(16), "f", 1.0, True),
    "zfp-precision": (32013, (2, 0, 24), "f", 1.0, True),
    "zfp-accuracy": (32013, (3, 0) + double(0.01), "f", 0.01, True),
    "zfp-expert": (32013, (4, 0, 1, 16658, 64, 4294966222), "f", 1e-4, True),
    "zfp-reversible": (32013, (5,), "fi", 0, True),
    "fpzip": (32014, (), "f", 0, False),
    "fpzip-24": (32014, (24,), "f", 0.1, False),
    "zstd": (32015, (3,), "fi", 0, False),
    "zstd-minus": (32015, (2**32 - 5,), "fi", 0, False),
    "zstd-default": (32015, (), "fi", 0, False),
    "bitgroom": (32022, (3,), "f", 2.0, False),
    "granular": (32023, (3,), "f", 2.0, False),
    "bitround": (32032, (9,), "f", 2.0, False),
    "crc32c": (32810, (), "fi", 0, False),
}


def arrays(kinds):
    import numpy as np

    rng = np.random.default_rng(7)
    grid = 280 + 15 * np.sin(np.arange(30 * 41 * 57) / 500).reshape(30, 41, 57)
    out = {}
    if "f" in kinds:
        out["f4"] = grid.astype("<f4")
        out["f8"] = grid.astype("<f8")
    if "i" in kinds:
        out["i4"] = (grid * 100).astype("<i4")
        out["i8"] = (grid * 1000).astype("<i8")
    if "i" in kinds and "zfp" not in kinds:
        out["noise"] = rng.integers(0, 2**31 - 1, grid.shape, dtype="<i4")
    return out


def write(directory, only_debian):
    import h5py

    for name, (fid, words, kinds, _, debian) in CASES.items():
        if only_debian and not debian:
            continue
        with h5py.File(f"{directory}/{name}.h5", "w") as f:
            for key, data in arrays(kinds).items():
                f.create_dataset(key, data=data, chunks=(8, 41, 20), compression=fid, compression_opts=words)
            if "zfp" not in name and "szip" not in name and "i" in kinds:
                f.create_dataset("one", data=[1, 2, 3], chunks=(3,), compression=fid, compression_opts=words)


def read(directory, only_debian):
    import h5py
    import numpy as np

    bad = 0
    for name, (fid, words, kinds, bound, debian) in CASES.items():
        if only_debian and not debian:
            continue
        try:
            with h5py.File(f"{directory}/{name}.h5", "r") as f:
                for key, data in arrays(kinds).items():
                    got = f[key][...]
                    error = np.max(np.abs(got.astype("f8") - data.astype("f8")))
                    if not error <= bound:
                        bad += 1
                        print(f"{name}/{key}: error {error}, allowed {bound}")
                if "one" in f and list(f["one"][...]) != [1, 2, 3]:
                    bad += 1
                    print(f"{name}/one: wrong values")
        except OSError as e:
            bad += 1
            print(f"{name}: {e}")
    return bad


class Cellar:
    """Enough of libcellar to read a variable as doubles."""

    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        self.lib.cellar_error.restype = ctypes.c_char_p

    def check(self, code):
        if code != 0:
            raise OSError(self.lib.cellar_error().decode())

    def read(self, path, name, shape):
        import numpy as np

        ncid, varid = ctypes.c_int(), ctypes.c_int()
        out = np.empty(shape, "f8")
        self.check(self.lib.cel_nc_open(path.encode(), 0, ctypes.byref(ncid)))
        try:
            self.check(self.lib.cel_nc_inq_varid(ncid, name.encode(), ctypes.byref(varid)))
            self.check(self.lib.cel_nc_get_var_double(ncid, varid, out.ctypes.data_as(ctypes.c_void_p)))
        finally:
            self.lib.cel_nc_close(ncid)
        return out


def read_by_cellar(library, directory, only_debian):
    import numpy as np

    cellar, bad = Cellar(library), 0
    for name, (_, _, kinds, bound, debian) in CASES.items():
        if only_debian and not debian:
            continue
        for key, data in arrays(kinds).items():
            try:
                got = cellar.read(f"{directory}/{name}.h5", key, data.shape)
                error = np.max(np.abs(got - data.astype("f8")))
            except OSError as e:
                print(f"libcellar: {name}/{key}: {e}")
                error = float("inf")
            bad += not error <= bound
    return bad


LOSSY = ("bitgroom", "granular", "bitround", "ndmean")


def read_show(path):
    """What show_filters wrote: whole numbers, the same in every variable."""
    import h5py
    import netCDF4
    import numpy as np

    i = np.arange(40 * 30)
    wanted = np.trunc(250 + i % 30 * 0.5 + i // 30).astype("f4").reshape(40, 30)
    bad = 0
    with h5py.File(path) as a, netCDF4.Dataset(path) as b:
        b.set_auto_maskandscale(False)
        for name in b.variables:
            bound = 3 if name.startswith(LOSSY) else 0
            if b[name].dtype == np.uint8:
                continue
            for who, source in (("h5py", a), ("netCDF-C", b)):
                try:
                    error = np.max(np.abs(source[name][...] - wanted))
                except Exception as e:
                    print(f"{who}: {name}: {e}")
                    error = float("inf")
                if not error <= bound:
                    bad += 1
                    print(f"{who}: {name}: error {error}")
    return bad


def run(plugins, *args):
    env = dict(os.environ, HDF5_PLUGIN_PATH=plugins)
    return subprocess.run([sys.executable, __file__, *args], env=env).returncode


def tools(path, plugins):
    """The commands of Debian, with our plugins."""
    env = dict(os.environ, HDF5_PLUGIN_PATH=plugins)
    bad = 0
    for command in (["h5dump", path], ["h5repack", "-f", "NONE", path, path + ".plain"], ["/usr/bin/ncdump", path],
                    ["h5diff", path, path + ".plain"]):
        done = subprocess.run(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if done.returncode != 0 or b"unable" in done.stderr:
            bad += 1
            print(f"{' '.join(command)}: exit {done.returncode}: {done.stderr.decode()[:300]}")
    return bad


def main():
    if sys.argv[1] == "write":
        return write(sys.argv[2], sys.argv[3] == "debian")
    if sys.argv[1] == "read":
        return 1 if read(sys.argv[2], sys.argv[3] == "debian") else 0
    if sys.argv[1] == "show":
        return 1 if read_show(sys.argv[2]) else 0
    ours, library, show = sys.argv[1:4]
    bad = 0
    with tempfile.TemporaryDirectory() as tmp:
        for d in ("ours", "debian"):
            os.mkdir(f"{tmp}/{d}")
        steps = [(ours, "write", f"{tmp}/ours", "all"), (ours, "read", f"{tmp}/ours", "all")]
        if os.path.isdir(DEBIAN):
            steps += [(DEBIAN, "read", f"{tmp}/ours", "debian"), (DEBIAN, "write", f"{tmp}/debian", "debian"),
                      (ours, "read", f"{tmp}/debian", "debian")]
        for plugins, *args in steps:
            if run(plugins, *args) != 0:
                bad += 1
                print(f"failed: {args[0]} {os.path.basename(args[1])} with {plugins}")
        bad += read_by_cellar(library, f"{tmp}/ours", False)
        if os.path.isdir(DEBIAN):
            bad += read_by_cellar(library, f"{tmp}/debian", True)
        env = {k: v for k, v in os.environ.items() if k != "HDF5_PLUGIN_PATH"}
        bad += subprocess.run([show, f"{tmp}/show.nc"], env=env, stdout=subprocess.DEVNULL).returncode != 0
        bad += run(ours, "show", f"{tmp}/show.nc") != 0
        bad += tools(f"{tmp}/show.nc", ours)
    return 1 if bad else 0


sys.exit(main())
