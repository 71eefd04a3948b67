#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Classic files against the installed netCDF-C: floats, fixed and record variables, each kind.

Both programs run in turns; what counts is the ratio of the medians over all turns. The
spread is the middle half of the ratios of single turns. Files lie in memory (/dev/shm)."""
import argparse
import json
import os
import subprocess

from sidebyside import compare, print_head, print_row

KINDS = {"1": "CDF-1", "2": "CDF-2", "5": "CDF-5"}
MUST = 1.5
# single values, one call each: what is measured is the call, not the array
CALLS = {"write six by steps", "read six by steps"}


def run(program, path, kind, rounds):
    out = subprocess.run([program, path, kind, str(rounds)], check=True, stdout=subprocess.PIPE)
    return json.loads(out.stdout)


def main():
    args = argparse.ArgumentParser(description=__doc__)
    args.add_argument("--build", default="build")
    args.add_argument("--turns", type=int, default=5)
    args.add_argument("--rounds", type=int, default=2)
    args.add_argument("--kinds", default="125")
    opt = args.parse_args()
    path = f"/dev/shm/cellar-classic-{os.getpid()}.nc"
    report = {}
    for kind in opt.kinds:
        seconds = {"theirs": {}, "ours": {}}
        for _ in range(opt.turns):
            for who in seconds:
                for op, times in run(f"{opt.build}/bench/bench_classic_{who}", path, kind, opt.rounds).items():
                    seconds[who].setdefault(op, []).extend(times)
        print_head(f"{KINDS[kind]}, floats, {os.cpu_count()} cores")
        for op in seconds["ours"]:
            row = compare(seconds["theirs"][op], seconds["ours"][op], None if op in CALLS else MUST)
            report[f"{KINDS[kind]} {op}"] = row
            print_row(op, row)
    with open(f"{opt.build}/bench_classic.json", "w") as out:
        json.dump(report, out, indent=1)


main()
