#!/usr/bin/python3
"""Zarr against zarr-python 2 (Debian), zarr-python 3 and TensorStore (from the peers' virtual environment).

All take turns in one run, on stores in memory (/dev/shm); readers read the store that the peer wrote. What counts is the
ratio of the medians: above 1, Cellar is faster. Prints per row whether it holds and writes bench_zarr.json beside the build."""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys

import run_bench

OURS = {"zlib": "shuffle|deflate,level=1", "zstd": "zstd,level=3", "blosc": "blosc,cname=lz4,clevel=5,shuffle=shuffle"}
SHARDS = "24x364x720"

# title, operation, codec, shards, {peer: ratio that must be reached}
ROWS = [(f"{op} {title}{' in shards' if shards else ''}", op, codec, shards, musts)
        for codec, title, shards, musts in (
            ("zlib", "shuffle+zlib 1", "", {"zarr2": 4}),
            ("zstd", "zstd 3", "", {"zarr2": 2, "zarr3": 2, "tensorstore": 1}),
            ("blosc", "blosc lz4", "", {"zarr2": 2, "zarr3": 2, "tensorstore": 1}),
            ("zstd", "zstd 3", SHARDS, {"zarr3": 2, "tensorstore": 1}))
        for op in ("write", "read")]
LEVEL = 0.95  # as fast, within what a noisy machine can tell


class Bench:
    def __init__(self, options, shm):
        self.options, self.shm = options, shm
        self.here = os.path.dirname(os.path.abspath(__file__))
        self.python = {"zarr2": "/usr/bin/python3", "zarr3": options.peers + "/bin/python", "tensorstore": options.peers + "/bin/python"}

    def run(self, who, op, field, codec, shards, folder):
        shape, chunks = ("x".join(map(str, s)) for s in (field.shape, field.chunks))
        args = [op, field.raw, shape, chunks, shards]
        if who in self.python:
            command = [self.python[who], self.here + "/zarr_peer.py", who, *args, codec, folder]
        else:
            command = [self.options.build + "/bench/bench_zarr", *args, OURS[codec], f"file://{folder}#mode=zarr,file,{who}"]
        done = subprocess.run([*command, str(self.options.repeat)], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{who}: {op} {codec}: {(done.stderr.strip().splitlines() or ['failed'])[-1]}")
        return min(map(float, done.stdout.split()))

    def measure(self, op, field, codec, shards, peer):
        """Seconds of both, taking turns."""
        mine = "v2" if peer == "zarr2" else "v3"
        theirs, ours = f"{self.shm}/theirs.zarr", f"{self.shm}/ours.zarr"
        self.run(peer, "write", field, codec, shards, theirs)
        if op == "read":  # ours reads their array through a group
            name = ".zgroup" if mine == "v2" else "zarr.json"
            with open(f"{theirs}/{name}", "w") as out:
                json.dump({"zarr_format": 2} if mine == "v2" else {"zarr_format": 3, "node_type": "group", "attributes": {}}, out)
        times = {peer: [], mine: []}
        for _ in range(self.options.runs):
            times[peer].append(self.run(peer, op, field, codec, shards, theirs))
            times[mine].append(self.run(mine, op, field, codec, shards, theirs if op == "read" else ours))
        for folder in (theirs, ours):
            shutil.rmtree(folder, ignore_errors=True)
        return times[peer], times[mine]


def spread(seconds):
    return (max(seconds) - min(seconds)) / statistics.median(seconds)


def run_row(bench, row, fields, peers):
    title, op, codec, shards, musts = row
    out = []
    for peer, must in musts.items():
        if peer not in peers:
            continue
        for field in fields:
            if shards and field.kind != "synthetic":
                continue
            try:
                theirs, ours = bench.measure(op, field, codec, shards, peer)
            except RuntimeError as error:
                print(f"bench: {error}", file=sys.stderr)
                out.append({"row": title, "peer": peer, "field": field.name, "must": must, "holds": False})
                continue
            ratio = statistics.median(theirs) / statistics.median(ours)
            out.append({"row": title, "peer": peer, "field": field.name, "must": must, "ratio": ratio,
                        "holds": ratio >= (LEVEL if must == 1 else must), "mb_per_s": field.nbytes / 1e6 / statistics.median(ours),
                        "theirs_mb_per_s": field.nbytes / 1e6 / statistics.median(theirs), "spread": spread(ours),
                        "theirs_spread": spread(theirs)})
            show(out[-1])
    return out


def show(r):
    print(f"{r['row']:28} {r['peer']:12} {r['field']:18} must {r['must']:3}  {r['ratio']:6.2f}x  {r['theirs_mb_per_s']:6.0f} -> "
          f"{r['mb_per_s']:6.0f} MB/s  spread {r['theirs_spread']:4.0%} {r['spread']:4.0%}  {'holds' if r['holds'] else 'DOES NOT HOLD'}",
          flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build-bench")
    parser.add_argument("--peers", default=".venv-peers", help="the folder of scripts/peers.sh")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=2, help="operations per process; the best counts")
    parser.add_argument("--only", default="", help="rows whose title has this text")
    parser.add_argument("--peer", default="", help="this peer only")
    parser.add_argument("--fields", default="float32,topography,ocean temperature")
    options = parser.parse_args()
    options.build, options.peers = os.path.abspath(options.build), os.path.abspath(options.peers)
    peers = ["zarr2"] + (["zarr3", "tensorstore"] if os.path.exists(options.peers + "/bin/python") else [])
    peers = [p for p in peers if options.peer in p]
    if len(peers) < 3 and not options.peer:
        print("bench: zarr-python 3 and TensorStore are not to be had; run scripts/peers.sh", file=sys.stderr)
    shm = f"/dev/shm/cellar-zarr-{os.getpid()}"
    os.makedirs(shm)
    rows = []
    try:
        names = options.fields.split(",")
        fields = run_bench.synthetic_fields(shm, names)
        fields += [f for f in run_bench.real_fields(run_bench.fetch_packages(options.build + "/bench/data"), shm) if f.name in names]
        bench = Bench(options, shm)
        for row in ROWS:
            if options.only in row[0]:
                rows += run_row(bench, row, fields, peers)
    finally:
        shutil.rmtree(shm)
    with open(options.build + "/bench_zarr.json", "w") as out:
        json.dump({"rows": rows, "cores": os.cpu_count()}, out, indent=1)
    missed = [r for r in rows if not r["holds"]]
    print(f"\n{len(rows) - len(missed)} of {len(rows)} hold; figures: {options.build}/bench_zarr.json")


if __name__ == "__main__":
    main()
