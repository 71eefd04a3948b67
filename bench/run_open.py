#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Opening files and looking at what they hold: every row of the table "HDF5 read by ourselves".

Cellar takes turns with the installed netCDF-C and, where .venv-peers has it, with the newest one (PyPI's netCDF4); what counts is the
ratio of the medians to the faster of them, beside it the middle half of the ratios of single turns. All read the same files,
written by the installed netCDF-C and, those of a million chunks, by h5py. Files lie in memory (/dev/shm).

--rows WORD runs the rows whose name has it; --files FOLDER keeps the files there, so that a later run finds them."""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

from sidebyside import compare, processor

INDICES = ["B-tree 1", "implicit", "fixed array", "extensible array", "B-tree 2"]
CHUNKS = 1000000
CALLERS, ROWS, VALUES = 4, 64, 1 << 16  # as bench_open.c has them


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.peers = [who for who in ("theirs", "newest") if os.path.exists(self.program(who))]

    def program(self, who):
        return os.path.join(self.options.build, "bench", "bench_open_" + who)

    def file(self, name, make):
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            make(path + ".part")
            os.rename(path + ".part", path)
        return path

    def run(self, who, *args, env=None):
        return subprocess.run([self.program(who), *map(str, args)], check=True, capture_output=True, text=True, env=env).stdout

    def many(self, groups, variables, attributes):
        return self.file("%d_%d_%d.nc" % (groups, variables, attributes),
                         lambda path: self.run("theirs", "make", path, groups, variables, attributes))

    def values(self, what, path, name, repeats):
        """By who: the medians of turns."""
        out = {who: [] for who in self.peers + ["ours"]}
        for _ in range(self.options.rounds):
            for who in out:
                n = repeats if who == "ours" else max(1, repeats // 5)
                out[who].append(statistics.median(float(x) for x in self.run(who, what, path, name, n).split()))
        return out


def show(title, unit, out, must):
    """True: it holds. The faster of the two others counts."""
    peer = min((who for who in out if who != "ours"), key=lambda who: statistics.median(out[who]))
    row = compare(out[peer], out["ours"], must)
    each = ", ".join("%s %.4g" % (who, statistics.median(v)) for who, v in out.items())
    print("%-46s %-62s %6.2f  (%.2f to %.2f)  must %-4s %s"
          % (title, "%s: %s" % (unit, each), row["ratio"], *row["middle_half"], must, "" if row["holds"] else "NO"), flush=True)
    return row["holds"]


# --- the rows ---------------------------------------------------------------------------------------


def small_file(bench):
    out = bench.values("few", bench.many(0, 2, 5), "-", 300)
    return show("open, 5 variables and attributes, close", "us", out, 5)


def header(bench):
    """Whole programs: theirs is netcdf-bin's; the newest library, under the same program."""
    path, out = bench.many(0, 1000, 12), {"theirs": [], "ours": []}
    newest = bench.options.newest
    if newest:
        out["newest"] = []
    for _ in range(bench.options.rounds * 2):
        for who in out:
            program = os.path.join(bench.options.build, "tools", "ncdump") if who == "ours" else "/usr/bin/ncdump"
            env = dict(os.environ, LD_PRELOAD=newest) if who == "newest" else None
            start = time.monotonic()
            subprocess.run([program, "-h", path], check=True, stdout=subprocess.DEVNULL, env=env)
            out[who].append((time.monotonic() - start) * 1e3)
    return show("ncdump -h, 1000 variables of 12 attributes", "ms", out, 8)


def one_of_many(bench):
    out = bench.values("one", bench.many(200, 100, 4), "group_117/variable_50", 20)
    return show("open 20000 variables in 200 groups, read one", "us", out, 40)


def all_of_many(bench):
    out = bench.values("all", bench.many(200, 100, 4), "-", 3)
    return show("inquire all 20000", "us", out, 8)


def memory(bench):
    out = bench.values("memory", bench.many(200, 100, 4), "-", 1)
    return show("memory after inquiring all 20000", "KiB", out, 4)


def make_chunks(kind):
    import h5py
    import numpy

    def make(path):
        old = kind == "B-tree 1"
        shape, chunk = ((1000, 1000), (1, 1)) if kind == "B-tree 2" else ((CHUNKS,), (1,))
        most = (None,) * len(shape) if kind in ("B-tree 2", "extensible array") else shape
        with h5py.File(path, "w", libver="earliest" if old else ("v110", "v110")) as f:
            plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            plist.set_chunk(chunk)
            if kind == "implicit":
                plist.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
            space = h5py.h5s.create_simple(shape, tuple(h5py.h5s.UNLIMITED if n is None else n for n in most))
            d = h5py.h5d.create(f.id, b"v", h5py.h5t.STD_I32LE, space, plist)
            d.write(h5py.h5s.ALL, h5py.h5s.ALL, numpy.full(shape, 7, "i4"))
    return make


def chunk_of(kind):
    def row(bench):
        path = bench.file(kind.replace(" ", "_") + ".h5", make_chunks(kind))
        return show("open, one of a million chunks, " + kind, "us", bench.values("chunk", path, "v", 100), 1.5)
    return row


def make_variables(path):
    import netCDF4
    import numpy
    with netCDF4.Dataset(path, "w") as d:
        d.createDimension("row", ROWS)
        d.createDimension("x", VALUES)
        values = numpy.sin(numpy.arange(ROWS * VALUES) / 999).astype("f4").reshape(ROWS, VALUES)
        for i in range(CALLERS):
            d.createVariable("v%d" % i, "f4", ("row", "x"), zlib=True, complevel=1, chunksizes=(1, VALUES))[...] = values + i


def callers(threads, must):
    def row(bench):
        path = bench.file("callers.nc", make_variables)
        env = dict(os.environ, CELLAR_NUM_THREADS=threads) if threads else os.environ
        times = {n: [] for n in (1, CALLERS)}
        for _ in range(bench.options.rounds):
            for n in times:
                out = bench.run("ours", "callers%d" % n, path, "-", 5, env=env)
                times[n].append(statistics.median(float(x) for x in out.split()))
        result = compare(times[1], times[CALLERS], must)
        title = "4 callers, " + ("CELLAR_NUM_THREADS=1" if threads else "all threads")
        print("%-46s %-62s %6.2f  (%.2f to %.2f)  must %-4s %s"
              % (title, "us: 1 caller %.4g, 4 callers %.4g" % (result["theirs"], result["ours"]), result["ratio"],
                 *result["middle_half"], must, "" if result["holds"] else "NO"), flush=True)
        return result["holds"]
    return row


TABLE = [("few", small_file), ("header", header), ("one", one_of_many), ("all", all_of_many), ("memory", memory)]
TABLE += [("chunk " + kind, chunk_of(kind)) for kind in INDICES]
TABLE += [("callers 1", callers("1", 1.8)), ("callers default", callers(None, 1.0))]


def newest_netcdf(options):
    """The library that bench_open_newest uses."""
    out = subprocess.run(["ldd", os.path.join(options.build, "bench", "bench_open_newest")], capture_output=True, text=True).stdout
    return next((line.split()[2] for line in out.splitlines() if "libnetcdf" in line), None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--rows", default="")
    parser.add_argument("--files")
    options = parser.parse_args()
    options.newest = newest_netcdf(options)
    print("processor: %s" % processor())
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as scratch:
        folder = options.files or scratch
        os.makedirs(folder, exist_ok=True)
        bench = Bench(options, folder)
        return not all([row(bench) for name, row in TABLE if options.rows in name])


if __name__ == "__main__":
    sys.exit(main())
