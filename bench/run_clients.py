#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs that were built for netCDF-C, on netCDF-C and on Cellar (`cellar run`): what a user waits for.

Cellar is installed from the build to a folder of its own. Each command runs in turns on both; what counts is the ratio of the
medians; "CPU" is that ratio in processor seconds, which a busy machine hardly changes. Inputs are floats,
shuffled and deflated, a field that looks like weather; files lie in memory (/dev/shm)."""
import argparse
import json
import os
import resource
import shutil
import subprocess
import time

from sidebyside import compare, print_head, print_row

# title, programs it needs, command, must
ROWS = [
    ("ncks -4 -L 1", "ncks", "ncks -O -4 -L 1 one.nc out.nc", 2.5),
    ("cdo -f nc4 -z zip_1 copy", "cdo", "cdo -s -f nc4 -z zip_1 copy one.nc out.nc", 2.5),
    ("ncra over 10 files", "ncra", "ncra -O -4 -L 1 part?.nc out.nc", 2),
    ("ncrcat over 10 files", "ncrcat", "ncrcat -O -4 -L 1 part?.nc out.nc", 2),
    ("cdo timmean", "cdo", "cdo -s timmean one.nc out.nc", 2),
    ("xarray: mean over all", "python3", "/usr/bin/python3 -c \"import xarray as x; print(float(x.open_dataset('one.nc', "
     "engine='netcdf4').t.mean()))\"", 2),
]

MAKE = """
import sys
import netCDF4
import numpy as np
path, first, n = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
lat, lon = np.meshgrid(np.linspace(-90, 90, 361), np.linspace(0, 360, 720, endpoint=False), indexing="ij")
with netCDF4.Dataset(path, "w") as d:
    for name, length in (("time", None), ("lat", 361), ("lon", 720)):
        d.createDimension(name, length)
    for name, values, units in (("lat", lat[:, 0], "degrees_north"), ("lon", lon[0], "degrees_east"),
                                ("time", np.arange(first, first + n), "hours since 2000-01-01")):
        v = d.createVariable(name, "f8", (name,))
        v[:] = values
        v.units = units
    v = d.createVariable("t", "f4", ("time", "lat", "lon"), zlib=True, complevel=1, shuffle=True)
    v.units = "K"
    noise = np.random.RandomState(first)
    for i in range(n):
        k = (first + i) / 24
        wave = 280 - 40 * np.sin(np.radians(lat)) ** 2 + 8 * np.sin(np.radians(3 * lon + 15 * k)) * np.cos(np.radians(2 * lat))
        v[i] = np.round(wave + noise.normal(0, 0.3, wave.shape), 2)
"""


def cpu_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Clients:
    def __init__(self, build, folder):
        self.folder = folder
        self.prefix = os.path.join(folder, "prefix")
        subprocess.run(["cmake", "--install", build, "--prefix", self.prefix], check=True, stdout=subprocess.DEVNULL)

    def make(self, megabytes):
        if os.path.exists(os.path.join(self.folder, "ready")):
            return
        steps = max(10, int(megabytes * 1e6 / (361 * 720 * 4)) // 10 * 10)
        jobs = [("one.nc", 0, steps)] + [(f"part{i}.nc", i * steps // 10, steps // 10) for i in range(10)]
        for name, first, n in jobs:
            subprocess.run(["/usr/bin/python3", "-c", MAKE, name, str(first), str(n)], check=True, cwd=self.folder)
        open(os.path.join(self.folder, "ready"), "w").close()

    def seconds(self, command, ours):
        """On the clock, and of processors."""
        run = [os.path.join(self.prefix, "bin", "cellar"), "run", "--"] if ours else []
        out = os.path.join(self.folder, "out.nc")
        if os.path.exists(out):
            os.remove(out)
        start, cpu = time.perf_counter(), cpu_of_children()
        subprocess.run(run + ["sh", "-c", command], check=True, cwd=self.folder, stdout=subprocess.DEVNULL)
        return time.perf_counter() - start, cpu_of_children() - cpu


def main():
    args = argparse.ArgumentParser(description=__doc__)
    args.add_argument("--build", default="build")
    args.add_argument("--turns", type=int, default=5)
    args.add_argument("--megabytes", type=int, default=300)
    args.add_argument("--data", help="keep the inputs in this folder and take what is there")
    args.add_argument("--only", default="", help="rows with this text in their names; 'nothing' only makes the inputs")
    opt = args.parse_args()
    folder = opt.data or f"/dev/shm/cellar-clients-{os.getpid()}"
    os.makedirs(folder, exist_ok=bool(opt.data))
    report = {}
    try:
        clients = Clients(opt.build, folder)
        clients.make(opt.megabytes)
        print_head(f"programs, {opt.megabytes} MB of floats deflated, {os.cpu_count()} cores")
        for title, program, command, must in (row for row in ROWS if opt.only in row[0]):
            if not shutil.which(program):
                print(f"{title:<44} NOT RUN: no {program} here")
                continue
            turns = [(clients.seconds(command, False), clients.seconds(command, True)) for _ in range(opt.turns)]
            report[title] = compare([a for (a, _), _ in turns], [b for _, (b, _) in turns], must)
            cpu = compare([a for (_, a), _ in turns], [b for _, (_, b) in turns], None)
            report[title]["note"] = f"  CPU {cpu['ratio']:.2f}"
            print_row(title, report[title])
    finally:
        if not opt.data:
            shutil.rmtree(folder)
    with open(f"{opt.build}/bench_clients.json", "w") as out:
        json.dump(report, out, indent=1)


main()
