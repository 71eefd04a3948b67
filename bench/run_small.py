#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Many small things, against the installed netCDF-C and, where .venv-peers is made, the newest one, in turns: small files made, a
record of 100 variables appended and synced, many chunks of 4 KiB, and opening a Zarr store of many chunks, which netCDF-C 4.9.0 of
Debian does not open at all: there the row is how much longer it takes with all of them than with one. A row counts by the faster
netCDF-C. Nothing waits for the disk. Time is processor time of all threads; memory is what the process grew by, per chunk."""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

from sidebyside import compare, print_head, print_row

ROWS = [  # what, kind, format, phase, how many, must
    ("make a file of 20 variables, 100 attributes", "small-files", "netcdf4", "write", 3000, 1.4),
    ("the same, classic", "small-files", "classic", "write", 3000, None),
    ("append a record of 100 variables and sync", "records-synced", "netcdf4", "write", 1000, 1),
    ("the same, classic", "records-synced", "classic", "write", 1000, 1),
    ("write chunks of 4 KiB", "chunks", "netcdf4", "write", 1000000, 1),
    ("read chunks of 4 KiB", "chunks", "netcdf4", "read", 1000000, 1),
]
PEERS = ["theirs", "newest"]
STORED = 1000000


def run(build, who, kind, form, phase, n, where):
    out = subprocess.run([os.path.join(build, "bench", "bench_growth_" + who), kind, form, phase, str(n), where], check=True,
                         capture_output=True, text=True).stdout
    us, kib = out.split()
    return float(us) / 1e6, float(kib)


def in_turns(build, row, share, rounds, scratch):
    what, kind, form, phase, n, must = row
    n = max(1, int(n * share))
    contenders = [who for who in [*PEERS, "ours"] if os.path.exists(os.path.join(build, "bench", "bench_growth_" + who))]
    seconds, memory = {who: [] for who in contenders}, {who: [] for who in contenders}
    for _ in range(rounds):
        for who in seconds:
            where = os.path.join(scratch, "%s-%s" % (kind, who))
            if phase == "read" and not os.path.exists(where):
                run(build, who, kind, form, "write", n, where)
            s, kib = run(build, who, kind, form, phase, n, where)
            seconds[who].append(s)
            memory[who].append(kib)
    peer = min((who for who in contenders if who != "ours"), key=lambda who: statistics.median(seconds[who]))
    result = compare(seconds[peer], seconds["ours"], must)
    per = [1024 * statistics.median(memory[who]) / n for who in (peer, "ours")]
    result["note"] = "  by %s; bytes of memory each: %.0f, Cellar %.0f" % (peer, *per)
    print_row("%s, %d" % (what, n), result)


def opening(build, share, rounds, scratch):
    n, times = max(1, int(STORED * share)), {}
    for stored in 1, n:
        where = "file://%s#mode=zarr,file" % os.path.join(scratch, "store-%d" % stored)
        run(build, "ours", "chunks-open", "zarr", "write", stored, where)
        times[stored] = statistics.median(run(build, "ours", "chunks-open", "zarr", "read", stored, where)[0] for _ in range(3 * rounds))
    print("open a Zarr store of %d chunks: %.0f us, of 1 chunk: %.0f us" % (n, 1e6 * times[n], 1e6 * times[1]))
    shutil.rmtree(os.path.join(scratch, "store-%d" % n))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--share", type=float, default=1, help="of the numbers, for a quick look")
    parser.add_argument("--only", default="", help="rows with this text")
    args = parser.parse_args()
    print_head("many small things (processor time)")
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as scratch:
        for row in ROWS:
            if args.only in row[0]:
                in_turns(args.build, row, args.share, args.rounds, scratch)
        if not args.only:
            opening(args.build, args.share, args.rounds, scratch)
    return 0


if __name__ == "__main__":
    sys.exit(main())
