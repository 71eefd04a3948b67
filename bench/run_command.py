#!/usr/bin/python3
"""The `cellar` command beside the programs that do the same: diff beside cdo and h5diff, info beside ncdump.

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


def measure(command):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.monotonic() - start, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compare(name, ours, theirs, must, rounds):
    """True unless the ratio by the clock is below what it must be."""
    if not shutil.which(theirs[0]):
        print(f"{name:34} NOT RUN: there is no {theirs[0]}")
        return True
    times = [(measure(ours), measure(theirs)) for _ in range(rounds)]
    clock, processor = (statistics.median(b[k] for _, b in times) / statistics.median(a[k] for a, _ in times) for k in (0, 1))
    print(f"{name:34} {clock:7.2f} by the clock, {processor:7.2f} by processor time; must be {must}")
    return clock >= must


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    cellar, nccopy = (os.path.join(args.build, "tools", tool) for tool in ("cellar", "nccopy"))
    good = True
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as scratch:
        a, b, c, raw, raw2, many = (os.path.join(scratch, n + ".nc") for n in ("a", "b", "c", "raw", "raw2", "many"))
        write(a, zlib=True, complevel=1, shuffle=True)
        write(c, 0.01, zlib=True, complevel=1, shuffle=True)
        subprocess.run([nccopy, "-s", "-d", "4", a, b], check=True)
        for compressed, plain in ((a, raw), (c, raw2)):
            subprocess.run([nccopy, "-F", "none", compressed, plain], check=True)
        write_many(many)
        for name, x, y in ("the same, filtered otherwise", a, b), ("all values differ", a, c), ("all differ, no filters", raw, raw2):
            for peer, rounds in (["cdo", "-s", "diffn"], args.rounds), (["h5diff"], 1):  # which takes long
                good = compare(f"diff, {name}: {peer[0]}", [cellar, "diff", x, y], [*peer, x, y], 4, rounds) and good
        good = compare(f"info of {MANY} variables: ncdump -hs", [cellar, "info", many], ["/usr/bin/ncdump", "-hs", many], 10,
                       args.rounds) and good
    return not good


if __name__ == "__main__":
    sys.exit(main())
