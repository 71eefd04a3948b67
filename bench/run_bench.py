#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Ratios against netCDF-C, measured side by side in one run.

Every operation is run by the installed netCDF-C, by the newest one (inside PyPI's netCDF4,
where scripts/peers.sh has made .venv-peers), by Cellar with all cores and by Cellar with one
thread, in turns, at least five times; what counts is the ratio of the medians, to the
faster netCDF-C. Files lie in memory (/dev/shm). Prints a table and writes bench.json beside
the build. Machines are noisy: believe the ratios, not the seconds."""
import argparse
import glob
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import time

from fields import SYNTHETIC, Field, fetch_packages, real_fields, synthetic_fields
from sidebyside import processor

MIB = 1 << 20

# title, operation, filter, must, aim, threads of ours, which fields
ROWS = [
    ("read shuffle+deflate", "read", "deflate1", 5.5, 8, "all", "any"),
    ("write shuffle+deflate 1", "write", "deflate1", 6, 10, "all", "any"),
    ("write shuffle+deflate 5", "write", "deflate5", 6, 10, "all", "any"),
    ("read shuffle+zstd 3", "read", "zstd3", 4.5, 6, "all", "any"),
    ("write shuffle+zstd 3", "write", "zstd3", 3.2, 5, "all", "any"),
    ("read uncompressed chunks", "read", "none", 3.2, 4, "all", "any"),
    ("read uncompressed chunks, fresh memory", "read_fresh", "none", 3.5, 4.5, "all", "any"),
    ("read contiguous", "read", "contiguous", 1, 1.3, "all", "any"),
    ("write uncompressed chunks", "write", "none", 1.5, 1.7, "all", "any"),
    ("write one step per call", "write_steps", "deflate1", 8, 12, "all", "wide"),
    ("read one step per call", "read_steps", "deflate1", 4, 8, "all", "wide"),
    ("time series at a point", "point", "deflate1", 5, 10, "all", "steps"),
    ("one-step slab", "slab", "deflate1", 5, 8, "all", "steps"),
    ("one thread: read shuffle+deflate", "read", "deflate1", 1.9, 2.5, "one", "any"),
    ("one thread: write shuffle+deflate 1", "write", "deflate1", 2, 3, "one", "any"),
]
READS = {"read", "read_fresh", "read_steps", "point", "slab"}


# --- measuring --------------------------------------------------------------------

class Bench:
    def __init__(self, options, shm):
        self.options, self.shm = options, shm
        self.program = {who: f"{options.build}/bench/bench_array_{who}" for who in ("ours", "theirs", "newest")}
        self.peers = {}  # contender: its version
        for who in ("theirs", "newest"):
            if os.path.exists(self.program[who]):
                asked = subprocess.run([self.program[who], "version"], check=True, capture_output=True, text=True)
                self.peers[who] = asked.stdout.split()[0]
        self.results = {}

    def once(self, who, threads, op, field, filter_, file):
        env = dict(os.environ)
        if filter_.startswith("zstd"):  # netCDF-C runs the same zstd, through our plugin
            env["HDF5_PLUGIN_PATH"] = f"{self.options.build}/plugins"
        if threads == "one":
            env["CELLAR_NUM_THREADS"] = "1"
        repeat = str(max(1, min(20, int(40e6 / field.nbytes))))
        shape = ["x".join(map(str, s)) for s in (field.shape, field.chunks)]
        run = subprocess.run([self.program[who], op, field.raw, field.ctype, *shape, filter_, file, repeat],
                             env=env, capture_output=True, text=True)
        if run.returncode != 0:
            raise RuntimeError(f"{who}: {op} {filter_} {field.name}: {run.stderr.strip()}")
        return json.loads(run.stdout)

    def measure(self, op, field, filter_):
        """Medians by contender, the faster netCDF-C as "theirs"; all read the file that the installed one wrote."""
        key = (op, field.name, filter_)
        if key in self.results:
            return self.results[key]
        contenders = {peer: (peer, "one") for peer in self.peers}
        contenders.update({"all": ("ours", "all"), "one": ("ours", "one")})
        samples = {name: [] for name in contenders}
        shared = f"{self.shm}/shared.nc"
        try:
            if op in READS:
                self.once("theirs", "one", "write", field, filter_, shared)
            for _ in range(self.options.runs):
                for name, (who, threads) in contenders.items():
                    file = shared if op in READS else f"{self.shm}/{name}.nc"
                    samples[name].append(self.once(who, threads, op, field, filter_, file))
            if op == "write" and filter_ == "none":
                samples["floor"] = [self.once("ours", "all", "floor", field, filter_, f"{self.shm}/floor.nc")
                                    for _ in range(self.options.runs)]
            out = {name: summary(s) for name, s in samples.items()}
            out["by_peer"] = {self.peers[peer]: out.pop(peer) for peer in self.peers}
            out["theirs"] = min(out["by_peer"].values(), key=lambda peer: peer["median"])
        except RuntimeError as error:
            print(f"bench: {error}", file=sys.stderr)
            out = None
        for file in glob.glob(f"{self.shm}/*.nc"):
            os.unlink(file)
        self.results[key] = out
        return out


def summary(samples):
    seconds = sorted(s["seconds"] for s in samples)
    return {"median": statistics.median(seconds), "spread": (seconds[-1] - seconds[0]) / statistics.median(seconds),
            "file": samples[0]["file"], "bytes": samples[0]["bytes"], "extra": max(s["extra"] for s in samples),
            "cpu": statistics.median(s["cpu"] for s in samples), "seconds": seconds}


def geometric(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


# --- the table -----------------------------------------------------------------------

def run_row(bench, row, fields):
    title, op, filter_, must, aim, threads, which = row
    out = {"row": title, "must": must, "aim": aim, "fields": []}
    for field in fields:
        if not field.fits(which):
            continue
        m = bench.measure(op, field, filter_)
        if m is None:
            out["failed"] = True
            continue
        out["fields"].append({
            "field": field.name, "kind": field.kind, "ratio": m["theirs"]["median"] / m[threads]["median"],
            "by_peer": {version: peer["median"] / m[threads]["median"] for version, peer in m["by_peer"].items()},
            "floor": m["floor"]["median"] / m[threads]["median"] if "floor" in m else None,
            "size": m[threads]["file"] / m["theirs"]["file"], "mb_per_s": m[threads]["bytes"] / 1e6 / m[threads]["median"],
            "theirs_mb_per_s": m["theirs"]["bytes"] / 1e6 / m["theirs"]["median"],
            "spread": m[threads]["spread"], "theirs_spread": m["theirs"]["spread"],
            "cpu_ratio": m["theirs"]["cpu"] / m[threads]["cpu"], "one_to_all": m["one"]["median"] / m["all"]["median"],
            "extra_mib": m[threads]["extra"] / MIB, "theirs_extra_mib": m["theirs"]["extra"] / MIB, "detail": m})
    for kind in ("real", "synthetic"):
        out[kind] = geometric([f["ratio"] for f in out["fields"] if f["kind"] == kind])
    means = [out[k] for k in ("real", "synthetic") if out[k] is not None]
    larger = [f for f in out["fields"] if op.startswith("write") and f["size"] > 1.005]
    out["larger_files"] = [f["field"] for f in larger]
    out["holds"] = bool(means) and not out.get("failed") and min(means) >= must and not larger
    out["reaches_aim"] = out["holds"] and aim is not None and min(means) >= aim
    return out


def show(value):
    return "    -" if value is None else f"{value:5.2f}"


def print_rows(rows, verbose):
    print(f"\n{'operation (by the faster netCDF-C)':38} {'must':>5} {'aim':>5} {'real':>6} {'synth':>6}  holds")
    for r in rows:
        verdict = "aim reached" if r["reaches_aim"] else "yes" if r["holds"] else "NO"
        if r.get("failed"):
            verdict += " (did not run)"
        if r["larger_files"]:
            verdict += f" (larger files: {', '.join(r['larger_files'])})"
        print(f"{r['row']:38} {show(r['must'])} {show(r['aim'])}  {show(r['real'])}  {show(r['synthetic'])}  {verdict}")
        for f in r["fields"] if verbose else []:
            print(f"    {f['field']:20} {f['ratio']:6.2f}x  {f['theirs_mb_per_s']:7.0f} -> {f['mb_per_s']:7.0f} MB/s"
                  f"  spread {f['theirs_spread']:4.0%} {f['spread']:4.0%}  1->all {f['one_to_all']:4.2f}x  cpu {f['cpu_ratio']:4.2f}x"
                  f"  file {f['size']:6.3f}  memory {f['theirs_extra_mib']:5.1f} -> {f['extra_mib']:5.1f} MiB"
                  + "".join(f"  {version}: {ratio:.2f}x" for version, ratio in f["by_peer"].items())
                  + (f"  bare pwrite: {f['floor']:.2f}x" if f["floor"] else ""))


PEER_PYTHON = """
import sys, time, numpy
peer, raw, path = sys.argv[1:]
field = numpy.fromfile(raw, 'f4').reshape(48, 721, 1440)
chunks = (8, 91, 180)
start = time.perf_counter()
if peer == 'h5py':
    import h5py
    with h5py.File(path, 'w') as f:
        f.create_dataset('field', data=field, chunks=chunks, shuffle=True, compression='gzip', compression_opts=1)
    middle = time.perf_counter()
    with h5py.File(path) as f:
        back = f['field'][:]
else:
    import zarr, numcodecs
    z = zarr.open(path, mode='w', shape=field.shape, chunks=chunks, dtype='f4',
                  filters=[numcodecs.Shuffle(4)], compressor=numcodecs.Zlib(1))
    z[:] = field
    middle = time.perf_counter()
    back = zarr.open(path, mode='r')[:]
end = time.perf_counter()
assert (back == field).all()
print(middle - start, end - middle)
"""


def run_peers(bench, field, shm):
    """Other writers of shuffle+deflate 1, and copies that compress anew at level 5."""
    out = []
    for peer in ("h5py", "zarr-python"):
        path = f"{shm}/peer.out"
        runs = []
        for _ in range(bench.options.runs):
            run = subprocess.run(["/usr/bin/python3", "-c", PEER_PYTHON, peer, field.raw, path], capture_output=True,
                                 text=True)
            if run.returncode != 0:
                print(f"bench: {peer}: {run.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
                break
            runs.append([float(t) for t in run.stdout.split()])
        shutil.rmtree(path, ignore_errors=True) if os.path.isdir(path) else os.path.exists(path) and os.unlink(path)
        for i, op in enumerate(("write", "read")):
            ours = bench.measure(op, field, "deflate1")
            if len(runs) == bench.options.runs and ours:
                out.append({"peer": peer, "op": f"{op} shuffle+deflate 1",
                            "ratio": statistics.median(r[i] for r in runs) / ours["all"]["median"]})
    source, copy = f"{shm}/copy_in.nc", f"{shm}/copy_out.nc"
    bench.once("theirs", "one", "write", field, "deflate1", source)
    commands = {"nccopy": ["/usr/bin/nccopy", "-d", "5", "-s", source, copy],
                "h5repack": ["/usr/bin/h5repack", "-f", "SHUF", "-f", "GZIP=5", source, copy],
                "ours": [f"{bench.options.build}/tools/nccopy", "-d", "5", "-s", source, copy]}
    times = {name: [] for name in commands if os.path.exists(commands[name][0])}
    for _ in range(bench.options.runs if "ours" in times else 0):
        for name in times:
            start = time.perf_counter()
            subprocess.run(commands[name], check=True, capture_output=True)
            times[name].append(time.perf_counter() - start)
            os.unlink(copy)
    for name in times:
        if name != "ours" and times[name]:
            out.append({"peer": name, "op": "copy, compressing anew at level 5",
                        "ratio": statistics.median(times[name]) / statistics.median(times["ours"])})
    os.unlink(source)
    return out


def run_growth(bench, shm):
    """10, 100 and 1000 times the chunks: time per chunk must not grow."""
    import numpy
    raw = f"{shm}/many.raw"
    numpy.random.default_rng(3).standard_normal(100000 * 256).astype("f4").tofile(raw)
    out = []
    for op in ("write", "read"):
        per_chunk = []
        for n in (100, 1000, 10000, 100000):
            field = Field("many", "growth", "float", (n, 16, 16), (1, 16, 16), raw)
            file = f"{shm}/many.nc"
            if op == "read":
                bench.once("ours", "all", "write", field, "deflate1", file)
            samples = [bench.once("ours", "all", op, field, "deflate1", file)["seconds"] for _ in range(5)]
            per_chunk.append(min(samples) / n)
            os.unlink(file)
        out.append({"op": op, "microseconds_per_chunk": [p * 1e6 for p in per_chunk],
                    "holds": max(per_chunk[1:]) <= 1.3 * per_chunk[0]})
    os.unlink(raw)
    return out


def run_codecs(options, fields):
    """The codecs' own loops against libhdf5's and zlib's, on the real fields too; 0: every promise holds."""
    program = options.build + "/bench/bench_codec"
    if not os.path.exists(program):
        return None
    return subprocess.run([program] + [f"{f.name.replace(' ', '_')}:{f.elem}:{f.raw}" for f in fields
                                       if f.kind == "real"]).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build-bench")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", default="", help="rows whose title has this text; or peers, codecs")
    parser.add_argument("--fields", default="", help="fields by name, separated by commas")
    parser.add_argument("--out", help="where the figures go (default: bench.json in the build)")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    shm = f"/dev/shm/cellar-bench-{os.getpid()}"
    os.makedirs(shm)
    try:
        fields = synthetic_fields(shm, [s[0] for s in SYNTHETIC])
        fields += real_fields(fetch_packages(options.build + "/bench/data"), shm)
        if options.fields:
            fields = [f for f in fields if f.name in options.fields.split(",")]
        bench = Bench(options, shm)
        print(f"processor: {processor()}; netCDF-C {', '.join(bench.peers.values())}")
        rows = []
        for row in ROWS:
            if options.only in row[0]:
                rows.append(run_row(bench, row, fields))
                print_rows(rows[-1:], True)
        wide = [f for f in fields if f.fits("wide")]
        peers = run_peers(bench, wide[0], shm) if wide and options.only in "peers" else []
        growth = run_growth(bench, shm) if not options.only else []
        codecs = run_codecs(options, fields) if options.only in "codecs" else None
    finally:
        shutil.rmtree(shm)
    print_rows(rows, False)
    for p in peers:
        print(f"{p['op']}: {p['ratio']:.2f} times {p['peer']}")
    for g in growth:
        times = ", ".join(f"{t:.1f}" for t in g["microseconds_per_chunk"])
        print(f"{g['op']}, us per chunk for 100, 1000, 10000, 100000 chunks: {times}: "
              f"{'linear' if g['holds'] else 'WORSE THAN LINEAR'}")
    path = options.out or options.build + "/bench.json"
    with open(path, "w") as out:
        json.dump({"rows": rows, "operations_of_peers": peers, "growth": growth, "codecs_missed": codecs,
                   "cores": os.cpu_count(), "processor": processor(), "versions": bench.peers}, out, indent=1)
    print(f"\nfigures: {path}")


if __name__ == "__main__":
    main()
