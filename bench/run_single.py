#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Single values, one call each (nc_put_var1_*, nc_get_var1_*), also through conversions, against the installed netCDF-C and,
where .venv-peers is made, the newest one. All run in turns; a row counts by the faster netCDF-C. Processor time of one call."""
import argparse
import json
import os
import statistics
import subprocess
import sys

from sidebyside import compare, processor

FORMATS = ["classic", "cdf5", "netcdf4"]
MUST = 1  # at least as fast
PEERS = ["theirs", "newest"]


def run(program, path, form, n):
    return json.loads(subprocess.run([program, path, form, str(n)], check=True, capture_output=True, text=True).stdout)


def measure(options, form, path):
    programs = {who: f"{options.build}/bench/bench_single_{who}" for who in [*PEERS, "ours"]}
    times = {who: {} for who, program in programs.items() if os.path.exists(program)}
    for _ in range(options.turns):
        for who in times:
            for row, ns in run(programs[who], path, form, options.number).items():
                times[who].setdefault(row, []).append(ns)
    return times


def faster_peer(times, row):
    return min((times[who][row] for who in PEERS if who in times), key=statistics.median)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--number", type=int, default=1000000, help="of values in each row")
    parser.add_argument("--formats", default=",".join(FORMATS))
    options = parser.parse_args()
    path = f"/dev/shm/cellar-single-{os.getpid()}.nc"
    print(f"processor: {processor()}")
    for form in options.formats.split(","):
        times = measure(options, form, path)
        print(f"{form:<24}{'netCDF-C ns':>12}{'Cellar ns':>10}{'ratio':>7}  {'lowest to highest':<18}{'must':>5}  holds")
        for row in times["ours"]:
            result = compare(faster_peer(times, row), times["ours"][row], MUST)
            print(f"{row:<24}{result['theirs']:>12.1f}{result['ours']:>10.1f}{result['ratio']:>7.2f}  "
                  f"{min(times['ours'][row]):6.1f} .. {max(times['ours'][row]):<8.1f}{MUST:>5}  {'yes' if result['holds'] else 'NO'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
