#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Zarr against zarr-python 2 (Debian), zarr-python 3 and TensorStore (from the peers' virtual environment).

Both sides take turns in one run, with the same codecs at the same levels, on stores in memory (/dev/shm); readers read
the store that the peer wrote. What counts is the ratio of the medians: above 1, Cellar is faster. A row holds when the
mean over the real fields and that over the made one reach what it must, and no store is larger than the peer's.
Prints a table and writes bench_zarr.json beside the build."""
import argparse
import json
import math
import os
import shutil
import statistics
import subprocess
import sys

from fields import fetch_packages, real_fields, synthetic_fields

OURS = {"zlib": "shuffle|deflate,level=1", "zstd": "zstd,level=3", "blosc": "blosc,cname=lz4,clevel=5,shuffle=shuffle"}

# title, operation, codec, in shards, {peer: ratio that must be reached}
ROWS = [(f"{op} {title}", op, codec, sharded, musts)
        for codec, title, sharded, musts in (
            ("zlib", "shuffle+zlib 1", False, {"zarr2": 4}),
            ("zstd", "zstd 3", False, {"zarr2": 2, "zarr3": 2, "tensorstore": 1}),
            ("blosc", "blosc lz4", False, {"zarr2": 2, "zarr3": 2, "tensorstore": 1}),
            ("zstd", "zstd 3 in shards", True, {"zarr3": 2, "tensorstore": 1}))
        for op in ("write", "read")]
LEVEL = 0.95    # as fast, within what a noisy machine can tell
LARGER = 1.005  # larger, beyond what metadata and luck with matches make


def folder_size(folder):
    return sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(folder) for name in names)


class Bench:
    def __init__(self, options, shm):
        self.options, self.shm = options, shm
        self.here = os.path.dirname(os.path.abspath(__file__))
        self.python = {"zarr2": "/usr/bin/python3", "zarr3": options.peers + "/bin/python", "tensorstore": options.peers + "/bin/python"}

    def run(self, who, op, field, codec, sharded, folder):
        shape, chunks, shards = ("x".join(map(str, s)) for s in (field.shape, field.chunks, field.shards if sharded else ()))
        args = [op, field.raw, shape, chunks, shards]
        if who in self.python:
            command = [self.python[who], self.here + "/zarr_peer.py", who, *args, codec, folder]
        else:
            command = [self.options.build + "/bench/bench_zarr", *args, OURS[codec], f"file://{folder}#mode=zarr,file,{who}"]
        repeat = max(2, min(10, int(100e6 / field.nbytes)))
        done = subprocess.run([*command, str(repeat)], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{who}: {op} {codec}: {(done.stderr.strip().splitlines() or ['failed'])[-1]}")
        return min(map(float, done.stdout.split()))

    def measure(self, op, field, codec, sharded, peer):
        """Seconds of both, taking turns, and how large our store is, theirs being 1."""
        mine = "v2" if peer == "zarr2" else "v3"
        theirs, ours = f"{self.shm}/theirs.zarr", f"{self.shm}/ours.zarr"
        try:
            self.run(peer, "write", field, codec, sharded, theirs)
            if op == "read":  # ours reads their array through a group
                name = ".zgroup" if mine == "v2" else "zarr.json"
                with open(f"{theirs}/{name}", "w") as out:
                    json.dump({"zarr_format": 2} if mine == "v2" else {"zarr_format": 3, "node_type": "group", "attributes": {}}, out)
            times = {peer: [], mine: []}
            for _ in range(self.options.runs):
                times[peer].append(self.run(peer, op, field, codec, sharded, theirs))
                times[mine].append(self.run(mine, op, field, codec, sharded, theirs if op == "read" else ours))
            size = folder_size(ours) / folder_size(theirs) if op == "write" else None
        finally:
            for folder in (theirs, ours):
                shutil.rmtree(folder, ignore_errors=True)
        return times[peer], times[mine], size


def spread(seconds):
    return (max(seconds) - min(seconds)) / statistics.median(seconds)


def geometric(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def run_field(bench, row, field, peer):
    _, op, codec, sharded, _ = row
    theirs, ours, size = bench.measure(op, field, codec, sharded, peer)
    middle = statistics.median(theirs), statistics.median(ours)
    return {"field": field.name, "kind": field.kind, "ratio": middle[0] / middle[1], "size": size,
            "theirs_mb_per_s": field.nbytes / 1e6 / middle[0], "mb_per_s": field.nbytes / 1e6 / middle[1],
            "theirs_spread": spread(theirs), "spread": spread(ours), "theirs_seconds": theirs, "seconds": ours}


def judge(out):
    for kind in ("real", "synthetic"):
        out[kind] = geometric([f["ratio"] for f in out["fields"] if f["kind"] == kind])
    means = [out[kind] for kind in ("real", "synthetic") if out[kind] is not None]
    out["larger"] = [f["field"] for f in out["fields"] if f["size"] and f["size"] > LARGER]
    out["holds"] = bool(means) and not out["failed"] and not out["larger"] and min(means) >= (LEVEL if out["must"] == 1 else out["must"])


def run_row(bench, row, fields, peer):
    out = {"row": row[0], "peer": peer, "must": row[4][peer], "fields": [], "failed": False}
    for field in fields:
        try:
            out["fields"].append(run_field(bench, row, field, peer))
        except RuntimeError as error:
            print(f"bench: {error}", file=sys.stderr)
            out["failed"] = True
    judge(out)
    return out


def show(value):
    return "     -" if value is None else f"{value:6.2f}"


def print_row(r, verbose):
    verdict = ("yes" if r["holds"] else "NO") + (" (did not run)" if r["failed"] else "")
    if r["larger"]:
        verdict += f" (larger: {', '.join(r['larger'])})"
    print(f"{r['row']:24} {r['peer']:12} {r['must']:4}  {show(r['real'])} {show(r['synthetic'])}  {verdict}")
    for f in r["fields"] if verbose else []:
        size = "" if f["size"] is None else f"  size {f['size']:6.4f}"
        print(f"    {f['field']:20} {f['ratio']:6.2f}x  {f['theirs_mb_per_s']:6.0f} -> {f['mb_per_s']:6.0f} MB/s"
              f"  spread {f['theirs_spread']:4.0%} {f['spread']:4.0%}{size}")
    sys.stdout.flush()


def print_rows(rows):
    print(f"\n{'operation':24} {'peer':12} {'must':>4}  {'real':>6} {'synth':>6}  holds")
    for r in rows:
        print_row(r, False)


def rows_of(path):
    with open(path) as file:
        return json.load(file)["rows"]


def all_fields(options, shm):
    fields = synthetic_fields(shm, ["float32"]) + real_fields(fetch_packages(options.build + "/bench/data"), shm)
    return [f for f in fields if not options.fields or f.name in options.fields.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build-bench")
    parser.add_argument("--peers", default=".venv-peers", help="the folder of scripts/peers.sh")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", default="", help="the row with this title")
    parser.add_argument("--peer", default="", help="this peer only")
    parser.add_argument("--fields", default="", help="fields by name, separated by commas")
    parser.add_argument("--add", action="store_true", help="keep the rows that an earlier run measured and this one does not")
    options = parser.parse_args()
    options.build, options.peers = os.path.abspath(options.build), os.path.abspath(options.peers)
    peers = ["zarr2"] + (["zarr3", "tensorstore"] if os.path.exists(options.peers + "/bin/python") else [])
    if len(peers) < 3:
        print("bench: zarr-python 3 and TensorStore are not to be had; run scripts/peers.sh", file=sys.stderr)
    path = options.build + "/bench_zarr.json"
    rows = rows_of(path) if options.add and os.path.exists(path) else []
    shm = f"/dev/shm/cellar-zarr-{os.getpid()}"
    os.makedirs(shm)
    try:
        bench, fields = Bench(options, shm), all_fields(options, shm)
        for row in ROWS:
            for peer in row[4]:
                if peer not in peers or options.peer not in ("", peer) or options.only not in ("", row[0]):
                    continue
                rows = [r for r in rows if (r["row"], r["peer"]) != (row[0], peer)] + [run_row(bench, row, fields, peer)]
                print_row(rows[-1], True)
    finally:
        shutil.rmtree(shm)
    order = [r[0] for r in ROWS]
    rows.sort(key=lambda r: order.index(r["row"]))
    print_rows(rows)
    with open(path, "w") as out:
        json.dump({"rows": rows, "cores": os.cpu_count()}, out, indent=1)
    print(f"\n{sum(r['holds'] for r in rows)} of {len(rows)} hold; figures: {path}")


if __name__ == "__main__":
    main()
