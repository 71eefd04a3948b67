#!/usr/bin/python3
"""Open + find and read one variable + close, in files of 1000 variables.

netCDF-C and Cellar take turns in one run; what counts is the ratio of the medians.
The files are written by netCDF-C: with few attributes per variable (kept in the
object header) and with many (kept in a heap of their own)."""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile

MUST, AIM = 5, 30


def run(program, *args):
    return subprocess.run([program, *map(str, args)], check=True, capture_output=True, text=True).stdout


def times(program, path, repeats):
    return [float(line) for line in run(program, "time", path, "variable_500", repeats).split()]


def compare(build, path, rounds):
    ours, theirs = [], []
    for _ in range(rounds):
        theirs += times(os.path.join(build, "bench", "bench_open_theirs"), path, 3)
        ours += times(os.path.join(build, "bench", "bench_open_ours"), path, 20)
    return ours, theirs


def show(values):
    q = statistics.quantiles(values, n=4)
    return "%8.2f ms (%.2f to %.2f)" % (statistics.median(values) / 1e3, q[0] / 1e3, q[2] / 1e3)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    worst = 1e9
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as scratch:
        for natts in (4, 12):
            path = os.path.join(scratch, "many_%d.nc" % natts)
            run(os.path.join(args.build, "bench", "bench_open_theirs"), "make", path, 1000, natts)
            ours, theirs = compare(args.build, path, args.rounds)
            ratio = statistics.median(theirs) / statistics.median(ours)
            worst = min(worst, ratio)
            print("1000 variables, %2d attributes each: netCDF-C %s, Cellar %s: %.1f times faster"
                  % (natts, show(theirs), show(ours), ratio))
    print("must be %d, aim %d" % (MUST, AIM))
    return worst < MUST


if __name__ == "__main__":
    sys.exit(main())
