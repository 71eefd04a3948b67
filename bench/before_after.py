#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Two builds of Cellar in turns: did a change make anything slower?

    before_after.py OLD NEW     two build folders, both made with -DCELLAR_BENCH=ON -DCMAKE_BUILD_TYPE=Release

The programs are NEW's, run on either library; nccopy is each build's own. Rows: arrays of the benchmark's fields in netCDF-4
and Zarr, quantizing, classic files, opening files, nccopy. Beside each ratio of medians (above 1: NEW is faster) stands the
middle half of the ratios of single turns. A row is slower when that whole half lies below 1. Exit code 1: some row is slower.

Files lie in memory (/dev/shm). --only WORD runs the rows whose name has it."""
import argparse
import json
import os
import shutil
import subprocess
import sys
import time

from fields import SYNTHETIC, fetch_packages, real_fields, synthetic_fields
from sidebyside import compare, print_head, print_row

ARRAYS = [(op, filter_) for filter_ in ("deflate1", "zstd3", "none") for op in ("write", "read")] + [
    ("write", "deflate5"), ("read", "contiguous"), ("write_steps", "deflate1"), ("read_steps", "deflate1"),
    ("point", "deflate1"), ("slab", "deflate1")]
STEPS = ("point", "slab", "write_steps", "read_steps")
CHAINS = {"zstd": "zstd,level=3", "blosc": "blosc,cname=lz4,clevel=5,shuffle=shuffle"}
OPENS = [("few", (0, 2, 5), "-"), ("one", (200, 100, 4), "group_117/variable_50"), ("all", (200, 100, 4), "-")]


class Builds:
    def __init__(self, options, shm):
        self.folders = {"old": os.path.abspath(options.old), "new": os.path.abspath(options.new)}
        self.shm, self.turns, self.only = shm, options.turns, options.only
        self.slower, self.rows = [], {}

    def run(self, who, program, *args):
        env = dict(os.environ, LD_LIBRARY_PATH=self.folders[who] + "/src")
        command = [f"{self.folders['new']}/bench/{program}", *map(str, args)]
        return subprocess.run(command, check=True, capture_output=True, text=True, env=env).stdout

    def row(self, name, once):
        """once(who): a list of seconds."""
        if self.only not in name:
            return
        seconds = {who: [] for who in self.folders}
        for _ in range(self.turns):
            for who in seconds:
                seconds[who].extend(once(who))
        self.show(name, seconds)

    def show(self, name, seconds):
        row = compare(seconds["old"], seconds["new"], None)
        if row["middle_half"][1] < 1:
            self.slower.append(name)
            row["note"] = "  SLOWER"
        self.rows[name] = row
        print_row(name, row)

    def remove(self, path):
        shutil.rmtree(path) if os.path.isdir(path) else os.path.exists(path) and os.unlink(path)


def arrays(builds, fields):
    for op, filter_ in ARRAYS:
        for field in fields:
            if op in STEPS and not field.fits("steps"):
                continue
            shape = ["x".join(map(str, s)) for s in (field.shape, field.chunks)]
            args = [field.raw, field.ctype, *shape, filter_, f"{builds.shm}/a.nc", max(1, min(20, int(40e6 / field.nbytes)))]
            if not op.startswith("write"):
                builds.run("old", "bench_array_ours", "write", *args)
            builds.row(f"{op} {filter_}, {field.name}",
                       lambda who: [json.loads(builds.run(who, "bench_array_ours", op, *args))["seconds"]])
            builds.remove(args[-2])


def stores(builds, fields):
    for codec, chain in CHAINS.items():
        for field in (f for f in fields if f.ctype == "float"):
            shape, chunks = ("x".join(map(str, s)) for s in (field.shape, field.chunks))
            store = f"{builds.shm}/a.zarr"
            repeat = max(2, min(10, int(100e6 / field.nbytes)))
            args = [field.raw, shape, chunks, "", chain, f"file://{store}#mode=zarr,file,v3", repeat]
            for op in ("write", "read"):
                builds.row(f"Zarr {op} {codec}, {field.name}",
                           lambda who: [min(map(float, builds.run(who, "bench_zarr", op, *args).split()))])
            builds.remove(store)


def quantizing(builds, _):
    seconds = {}
    for _ in range(builds.turns if builds.only in "quantize" else 0):
        for who in builds.folders:
            for mode, pairs in json.loads(builds.run(who, "bench_quantize_ours", f"{builds.shm}/q.nc", 3)).items():
                seconds.setdefault(mode, {}).setdefault(who, []).extend(wall for wall, _ in pairs)
    for mode, both in seconds.items():
        builds.show(f"quantize {mode}", both)


def classic(builds, _):
    seconds = {}
    for kind in "15" if builds.only in "classic" else "":
        for _ in range(builds.turns):
            for who in builds.folders:
                for op, times in json.loads(builds.run(who, "bench_classic_ours", f"{builds.shm}/c.nc", kind, 2)).items():
                    seconds.setdefault(f"classic CDF-{kind} {op}", {}).setdefault(who, []).extend(times)
    for name, both in seconds.items():
        builds.show(name, both)


def opening(builds, _):
    for what, made, name in OPENS:
        path = f"{builds.shm}/open.nc"
        builds.run("old", "bench_open_ours", "make", path, *made)
        builds.row(f"open {what}", lambda who: map(float, builds.run(who, "bench_open_ours", what, path, name, 20).split()))
        builds.remove(path)


def copying(builds, fields):
    field = next(f for f in fields if f.kind == "synthetic")
    shape = ["x".join(map(str, s)) for s in (field.shape, field.chunks)]
    source, copy = f"{builds.shm}/in.nc", f"{builds.shm}/out.nc"
    builds.run("old", "bench_array_ours", "write", field.raw, field.ctype, *shape, "deflate1", source, 1)

    def once(who, *options):
        start = time.monotonic()
        subprocess.run([builds.folders[who] + "/tools/nccopy", *options, source, copy], check=True)
        seconds = time.monotonic() - start
        os.unlink(copy)
        return [seconds]
    builds.row("nccopy as it is stored", once)
    builds.row("nccopy -d5 -s", lambda who: once(who, "-d5", "-s"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--only", default="", help="rows whose name has this text")
    parser.add_argument("--fields", default="", help="fields by name, separated by commas")
    options = parser.parse_args()
    shm = f"/dev/shm/cellar-two-{os.getpid()}"
    os.makedirs(shm)
    try:
        builds = Builds(options, shm)
        fields = synthetic_fields(shm, [s[0] for s in SYNTHETIC]) + real_fields(fetch_packages(builds.folders["new"] + "/bench/data"), shm)
        fields = [f for f in fields if not options.fields or f.name in options.fields.split(",")]
        print_head(f"medians of {options.turns} turns", "old")
        for rows in (arrays, stores, quantizing, classic, opening, copying):
            rows(builds, fields)
    finally:
        shutil.rmtree(shm)
    print(f"\n{len(builds.rows)} rows, {len(builds.slower)} slower" + "".join(f"\n    {name}" for name in builds.slower))
    sys.exit(1 if builds.slower else 0)


if __name__ == "__main__":
    main()
