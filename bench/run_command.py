#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The `cellar` command beside the programs that do the same: diff beside cdo and h5diff, info beside ncdump, verify beside a
program that reads all values through the library, bits beside xbitinfo, refs beside kerchunk.

The programs take turns in one run; what counts is the ratio of the medians, by the clock and by processor time (which a busy
machine changes less). A program that is not here is left out, and said to be."""
import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import netCDF4
import numpy

STEPS, Y, X = 36, 1024, 2048  # of four bytes: 302 MB
MANY = 1000
CHUNKS = 80000
INPUTS = "a", "b", "c", "raw", "raw2", "many", "step", "chunks"

# Programs in Python say how long the work took, without the start of the interpreter and the loading of modules.
READ = """
import ctypes, sys, time
lib = ctypes.CDLL(sys.argv[1])
ncid, varid, buffer = ctypes.c_int(), ctypes.c_int(), ctypes.create_string_buffer(%d)
start, before = time.monotonic(), time.process_time()
assert lib.cel_nc_open(sys.argv[2].encode(), 0, ctypes.byref(ncid)) == 0 and lib.cel_nc_inq_varid(ncid, b"t", ctypes.byref(varid)) == 0
for step in range(%d):
    first, count = (ctypes.c_size_t * 3)(step, 0, 0), (ctypes.c_size_t * 3)(1, %d, %d)
    assert lib.cel_nc_get_vara_float(ncid, varid, first, count, buffer) == 0
print(time.monotonic() - start, time.process_time() - before)
""" % (4 * Y * X, STEPS, Y, X)
BITS = """
import sys, time
import xarray, xbitinfo
data = xarray.open_dataset(sys.argv[1])[["t"]].load()
start, before = time.monotonic(), time.process_time()
for dim in ("lat", "lon"):
    xbitinfo.get_bitinformation(data, dim=dim, implementation="python")
print(time.monotonic() - start, time.process_time() - before)
"""
REFS = """
import sys, time
from kerchunk.hdf import SingleHdf5ToZarr
start, before = time.monotonic(), time.process_time()
SingleHdf5ToZarr(sys.argv[1], inline_threshold=0).translate()
print(time.monotonic() - start, time.process_time() - before)
"""


def field(step, noise):
    y, x = numpy.linspace(0, 9, Y)[:, None], numpy.linspace(0, 12, X)
    walk = numpy.random.default_rng(step).standard_normal((Y, X)).cumsum(1) / 8
    values = 280 + 20 * numpy.sin(y) + 10 * numpy.cos(x + step / 9) + numpy.round(walk, 2)
    return (values + noise * numpy.random.default_rng(1000 + step).standard_normal((Y, X))).astype("f4")


def write(path, noise=0, **storage):
    with netCDF4.Dataset(path, "w") as d:
        for name, n, units in ("time", None, "hours since 2000-01-01"), ("lat", Y, "degrees_north"), ("lon", X, "degrees_east"):
            d.createDimension(name, n)
            v = d.createVariable(name, "f8", (name,))
            v.units = units
            v[:] = numpy.arange(n or STEPS) / 20
        t = d.createVariable("t", "f4", ("time", "lat", "lon"), chunksizes=(1, Y // 2, X), **storage)
        for step in range(STEPS):
            t[step] = field(step, noise)


def write_many(path):
    with netCDF4.Dataset(path, "w") as d:
        d.createDimension("x", 10)
        for i in range(MANY):
            d.createVariable(f"v{i}", "f4", ("x",), chunksizes=(10,), zlib=True).units = "K"


def write_chunks(path):
    with netCDF4.Dataset(path, "w") as d:
        d.createDimension("x", CHUNKS)
        d.createVariable("v", "i4", ("x",), chunksizes=(1,))[:] = numpy.arange(CHUNKS)


def write_step(path):
    with netCDF4.Dataset(path, "w") as d:
        d.createDimension("lat", Y)
        d.createDimension("lon", X)
        d.createVariable("t", "f4", ("lat", "lon"))[:] = field(0, 0)


def python_with(module):
    """An interpreter that has it, ours or one of the peers'; None: there is none."""
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for python in (sys.executable, *(os.path.join(root, venv, "bin", "python") for venv in (".venv-peers", ".venv-kerchunk", ".venv-bits"))):
        if shutil.which(python) and subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode == 0:
            return python
    return None


def measure_inside(command):
    """By what the program says of itself."""
    return tuple(float(x) for x in subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def measure(command):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.monotonic() - start, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compare(name, ours, theirs, must, rounds, inside=False):
    """True unless the ratio by the clock is below what it must be. inside: their program says how long it took."""
    if not theirs[0] or not shutil.which(theirs[0]):
        print(f"{name:42} NOT RUN: there is no {theirs[0] or 'such module'}")
        return True
    times = [(measure(ours), (measure_inside if inside else measure)(theirs)) for _ in range(rounds)]
    clock, processor = (statistics.median(b[k] for _, b in times) / statistics.median(a[k] for a, _ in times) for k in (0, 1))
    spread = sorted(b[0] / a[0] for a, b in times)
    print(f"{name:42} {clock:7.2f} by the clock ({spread[0]:.2f} to {spread[-1]:.2f}), {processor:7.2f} by processor time; "
          f"must be {must}; {statistics.median(a[0] for a, _ in times):.3f} s")
    return clock >= must


def make_inputs(folder, nccopy):
    """The files of all rows, once: FOLDER/ready says that they are whole."""
    a, b, c, raw, raw2, many, step, chunks = (os.path.join(folder, n + ".nc") for n in INPUTS)
    if not os.path.exists(folder + "/ready"):
        os.makedirs(folder, exist_ok=True)
        write(a, zlib=True, complevel=1, shuffle=True)
        write(c, 0.01, zlib=True, complevel=1, shuffle=True)
        subprocess.run([nccopy, "-s", "-d", "4", a, b], check=True)
        for compressed, plain in ((a, raw), (c, raw2)):
            subprocess.run([nccopy, "-F", "none", compressed, plain], check=True)
        write_many(many)
        write_step(step)
        write_chunks(chunks)
        open(folder + "/ready", "w").close()
    return a, b, c, raw, raw2, many, step, chunks


def rows(build, folder, rounds):
    """name, our command, their command, what the ratio must be, rounds, their program says how long it took."""
    cellar, nccopy = (os.path.join(build, "tools", tool) for tool in ("cellar", "nccopy"))
    a, b, c, raw, raw2, many, step, chunks = make_inputs(folder, nccopy)
    for name, x, y in ("the same, filtered otherwise", a, b), ("all values differ", a, c), ("all differ, no filters", raw, raw2):
        for peer, turns in (["cdo", "-s", "diffn"], rounds), (["h5diff"], 1):  # which takes long
            yield f"diff, {name}: {peer[0]}", [cellar, "diff", x, y], [*peer, x, y], 4, turns, False
    yield f"info of {MANY} variables: ncdump -hs", [cellar, "info", many], ["/usr/bin/ncdump", "-hs", many], 10, rounds, False
    library = os.path.join(build, "src", "libcellar.so")
    yield "verify: reading all values", [cellar, "verify", "-q", a], [sys.executable, "-c", READ, library, a], 0.9, rounds, True
    yield "bits: xbitinfo", [cellar, "bits", step], [python_with("xbitinfo"), "-c", BITS, step], 100, rounds, True
    yield (f"refs of {CHUNKS} chunks: kerchunk", [cellar, "refs", "--inline", "0", "-o", os.path.join(folder, "refs.json"), chunks],
           [python_with("kerchunk.hdf"), "-c", REFS, chunks], 5, rounds, True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--data", help="keep the inputs in this folder and take what is there")
    parser.add_argument("--only", default="", help="rows with this text in their names; 'nothing' only makes the inputs")
    args = parser.parse_args()
    good = True
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as scratch:
        for name, *row in rows(args.build, args.data or scratch, args.rounds):
            if args.only in name:
                good = compare(name, *row) and good
    return not good


if __name__ == "__main__":
    sys.exit(main())
