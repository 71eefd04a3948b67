#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""libnetcdf_mpi of this library against Debian's (netCDF-C over parallel HDF5), and for classic files against PnetCDF: ranks write
and read one variable together.

usage: run_mpi.py --prefix PREFIX; libcellar_mpi is installed below PREFIX. Both run in turns; what counts is the ratio of the
medians over all turns. Files lie in memory (/dev/shm). Needs libnetcdf-mpi-dev and libpnetcdf-dev. Zarr is compared with netCDF-4 of this library, and
of the other ("HDF5")."""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

from sidebyside import compare, print_head, print_row

MUST = {"write filtered chunks": 1.5, "read filtered chunks": 2.0, "write chunks": 1.0, "write contiguous": 1.0, "write CDF-5": 1.0}
THEIRS = "/usr/lib/x86_64-linux-gnu/netcdf/mpi"


def build(folder, prefix):
    source = pathlib.Path(__file__).with_name("bench_mpi.c")
    lib = next(pathlib.Path(prefix).rglob("libnetcdf_mpi.so")).parent
    flags = {"theirs": [f"-I{THEIRS}/include", "-lnetcdf_mpi"], "pnetcdf": ["-DBENCH_PNETCDF", "-lpnetcdf"],
             "ours": [f"-I{lib}/../include", f"-I{prefix}/include", f"-L{lib}", f"-Wl,-rpath,{lib}", "-lnetcdf_mpi"]}
    for who, words in flags.items():
        subprocess.run(["mpicc", "-O2", str(source), *words, "-o", f"{folder}/{who}"], check=True)


def run(program, ranks, *words):
    command = ["mpirun", "--oversubscribe", "-n", str(ranks), program, *words]
    if os.getuid() == 0:
        command.insert(1, "--allow-run-as-root")
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


RUNS = {"theirs": ("theirs", "netcdf4"), "ours": ("ours", "netcdf4"), "zarr": ("ours", "zarr"),
        "pnetcdf": ("pnetcdf", "classic"), "classic": ("ours", "classic")}


def measure(folder, ranks, turns):
    seconds = {who: {} for who in RUNS}
    for _ in range(turns):
        for who, (program, family) in RUNS.items():
            for op, took in run(f"{folder}/{program}", ranks, folder, "1", family).items():
                seconds[who].setdefault(op, []).append(took)
    return seconds


def main():
    args = argparse.ArgumentParser(description=__doc__)
    args.add_argument("--prefix", default="build-mpi/prefix")
    args.add_argument("--turns", type=int, default=5)
    args.add_argument("--ranks", type=int, nargs="*", default=[2, 4])
    opt = args.parse_args()
    folder = tempfile.mkdtemp(dir="/dev/shm", prefix="cellar-mpi-")
    try:
        build(folder, os.path.abspath(opt.prefix))
        for ranks in opt.ranks:
            seconds = measure(folder, ranks, opt.turns)
            print_head(f"{ranks} ranks, {os.cpu_count()} cores")
            for op in seconds["ours"]:
                print_row(op, compare(seconds["theirs"][op], seconds["ours"][op], MUST.get(op)))
            for op in seconds["classic"]:
                print_row(op, compare(seconds["pnetcdf"][op], seconds["classic"][op], MUST.get(op)))
            for op in seconds["zarr"]:
                print_row(f"Zarr {op}", compare(seconds["ours"][op], seconds["zarr"][op], 1.0))
                print_row(f"Zarr {op}, HDF5", compare(seconds["theirs"][op], seconds["zarr"][op], MUST.get(op)))
    finally:
        shutil.rmtree(folder)


main()
