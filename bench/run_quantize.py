#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Quantizing against the installed netCDF-C, and against not quantizing at all.

Both programs run in turns; what counts is the ratio of the medians over all turns. The
spread is the middle half of the ratios of single turns. Files lie in memory (/dev/shm)."""
import argparse
import json
import os
import statistics
import subprocess

# mode, ratio to netCDF-C that must be reached, cost over an uncompressed put that is aimed at
ROWS = [("bitgroom3", 2, 0.25), ("granular3", 8, 0.60), ("bitround9", 2, 0.25)]


WALL, CPU = 0, 1


def run(program, rounds, threads=None):
    env = dict(os.environ, CELLAR_NUM_THREADS=str(threads)) if threads else None
    out = subprocess.run([program, "/dev/shm/bench_quantize.nc", str(rounds)], check=True, stdout=subprocess.PIPE,
                         env=env)
    return json.loads(out.stdout)


def quartiles(values):
    low, _, high = statistics.quantiles(values, n=4)
    return low, high


def median(pairs, which):
    return statistics.median(pair[which] for pair in pairs)


def row(mode, must, aim, ours, theirs, one):
    ratio = median(theirs[mode], WALL) / median(ours[mode], WALL)
    low, high = quartiles([a[WALL] / b[WALL] for a, b in zip(theirs[mode], ours[mode])])
    cost = median(ours[mode], WALL) / median(ours["none"], WALL) - 1
    cpu_ratio = median(theirs[mode], CPU) / median(one[mode], CPU)
    cpu_cost = median(one[mode], CPU) / median(one["none"], CPU) - 1
    print(f"{mode:<12}{median(theirs[mode], WALL):>11.3f}{median(ours[mode], WALL):>10.3f}{ratio:>7.1f}"
          f"  {low:5.1f} .. {high:<5.1f} {must or '':>5}{cost:>7.0%}{f'{aim:.0%}' if aim else '':>6}"
          f"{cpu_ratio:>11.1f}{cpu_cost:>10.0%}")
    return {"mode": mode, "ratio": ratio, "middle_half": [low, high], "must": must, "cost": cost, "aim": aim,
            "cpu_ratio": cpu_ratio, "cpu_cost": cpu_cost}


def main():
    args = argparse.ArgumentParser(description=__doc__)
    args.add_argument("--build", default="build")
    args.add_argument("--turns", type=int, default=5)
    args.add_argument("--rounds", type=int, default=3)
    opt = args.parse_args()
    program = f"{opt.build}/bench/bench_quantize_"
    ours, theirs, one = {}, {}, {}
    for _ in range(opt.turns):
        for store, name, threads in ((theirs, "theirs", None), (ours, "ours", None), (one, "ours", 1)):
            for mode, seconds in run(program + name, opt.rounds, threads).items():
                store.setdefault(mode, []).extend(seconds)
    print(f"nc_put_vara_float, {os.cpu_count()} cores; medians of {opt.turns * opt.rounds}; "
          "cost: over an unquantized put; CPU: time of one thread")
    print(f"{'mode':<12}{'netCDF-C s':>11}{'Cellar s':>10}{'ratio':>7}{'  middle half':<16}{'must':>5}{'cost':>7}{'aim':>6}"
          f"{'CPU ratio':>11}{'CPU cost':>10}")
    report = [row(mode, must, aim, ours, theirs, one) for mode, must, aim in [("none", None, None)] + ROWS]
    with open(f"{opt.build}/bench_quantize.json", "w") as out:
        json.dump(report, out, indent=1)


main()
