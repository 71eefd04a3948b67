#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""nccopy against the installed netCDF-C's, in turns on the same files.

Rows: a classic file compressed (the commonest job), a file compressed anew, and a file copied
with its chunks and filters as they are. Files lie in memory (/dev/shm) unless --dir says
otherwise. The output must not be larger, and is compared with the input by its values."""
import argparse
import json
import os
import shutil
import subprocess
import time

from sidebyside import compare, print_head, print_row

# name, input, options, must
ROWS = [
    ("classic to deflate 5 + shuffle", "classic", ["-d5", "-s"], 4),
    ("500 MB anew at deflate 5 + shuffle", "deflated", ["-d5", "-s"], 4),
    ("500 MB uncompressed to deflate 5 + shuffle", "plain", ["-d5", "-s"], 4),
    ("500 MB, chunks and filters unchanged", "deflated5", [], 10),
]


def make_inputs(where, mib, needed):
    """One temperature-like field: smooth in space and time, with noise in the low digits."""
    import netCDF4
    import numpy
    y, x = 721, 1440
    steps = max(1, round(mib * 1e6 / (y * x * 4)))
    random = numpy.random.default_rng(7)
    lat = numpy.cos(numpy.linspace(-1.5, 1.5, y))[:, None]
    lon = numpy.linspace(0, 2 * numpy.pi, x)[None, :]
    kinds = {"classic": ("NETCDF3_64BIT_OFFSET", {}), "plain": ("NETCDF4", {"chunksizes": (8, 91, 180)}),
             "deflated": ("NETCDF4", {"zlib": True, "complevel": 1, "chunksizes": (8, 91, 180)}),
             "deflated5": ("NETCDF4", {"zlib": True, "complevel": 5, "chunksizes": (8, 91, 180)})}
    files = {}
    for name in needed:
        files[name] = netCDF4.Dataset(f"{where}/{name}.nc", "w", format=kinds[name][0])
        for dim, n in (("time", steps), ("lat", y), ("lon", x)):
            files[name].createDimension(dim, n)
        files[name].createVariable("t2m", "f4", ("time", "lat", "lon"), **kinds[name][1]).set_auto_maskandscale(False)
    for first in range(0, steps, 8):
        hour = numpy.arange(first, min(first + 8, steps))[:, None, None] * 0.25
        base = 240 + 60 * lat + 4 * numpy.sin(3 * lon + hour) * lat + 2 * numpy.cos(7 * lon - 5 * lat)
        block = (base + 0.3 * random.standard_normal((len(hour), y, x))).astype("f4")
        for file in files.values():
            file["t2m"][first:first + len(hour)] = block
    for file in files.values():
        file.close()


def timed(command, out):
    if os.path.exists(out):
        os.unlink(out)
    start = time.perf_counter()
    subprocess.run(command, check=True)
    return time.perf_counter() - start


def same_values(a, b):
    import netCDF4
    import numpy
    with netCDF4.Dataset(a) as first, netCDF4.Dataset(b) as second:
        return all(numpy.array_equal(first["t2m"][t], second["t2m"][t]) for t in range(0, len(first["t2m"]), 16))


def run_row(row, where, tools, turns):
    name, source, options, must = row
    source = f"{where}/{source}.nc"
    times = {who: [] for who in tools}
    outs = {who: f"{where}/{who}.nc" for who in tools}
    for _ in range(turns):
        for who, tool in tools.items():
            times[who].append(timed([tool, *options, source, outs[who]], outs[who]))
    result = compare(times["theirs"], times["ours"], must)
    result["size"] = os.path.getsize(outs["ours"]) / os.path.getsize(outs["theirs"])
    result["holds"] = result["holds"] and result["size"] <= 1 and same_values(source, outs["ours"])
    result["note"] = f"  size {result['size']:.3f}"
    print_row(name, result)
    return result


def main():
    args = argparse.ArgumentParser(description=__doc__)
    args.add_argument("--build", default="build")
    args.add_argument("--turns", type=int, default=3)
    args.add_argument("--only", default="", help="rows whose name has this text")
    args.add_argument("--size", type=int, default=500, help="megabytes of values")
    args.add_argument("--dir", default="/dev/shm")
    opt = args.parse_args()
    where = f"{opt.dir}/cellar-nccopy-{os.getpid()}"
    tools = {"theirs": "/usr/bin/nccopy", "ours": f"{opt.build}/tools/nccopy"}
    rows = [row for row in ROWS if opt.only in row[0]]
    os.makedirs(where)
    try:
        make_inputs(where, opt.size, {row[1] for row in rows})
        print_head(f"nccopy, {opt.size} MB of floats, {os.cpu_count()} cores")
        report = {row[0]: run_row(row, where, tools, opt.turns) for row in rows}
    finally:
        shutil.rmtree(where)
    with open(f"{opt.build}/bench_nccopy.json", "w") as out:
        json.dump(report, out, indent=1)


main()
