#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Files and stores on servers, behind a proxy that delays each request: against netCDF-C and h5py with fsspec (opening, and
reading 64 chunks), and the fastest of zarr-python with obstore, TensorStore and zarrs (a Zarr array of 266 MB, whole).

All take turns in one run, through the same proxy to the same server (rclone, from scripts/net-peers.sh). The proxy (delay_proxy.c) counts
requests and bytes. Client, proxy and server share the processors: the server is told not to hash anew what it reads back, which took more
of them than reading did. Arrays are read by the address of the array itself, as the others do. Our times of files include starting the program; theirs do not include starting Python. A peer that is not there or
fails is named. What counts is the ratio of the medians: above 1, Cellar is faster. Writes bench_net.json beside the build."""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../tests/net")]
SHAPE, CHUNKS = "260x500x512", "10x250x256"
UNHASHED = ("--no-checksum", "--ignore-checksum")


class Proxy:
    """delay_proxy.c, to one port of this machine."""

    def __init__(self, program, target):
        self.process = subprocess.Popen([program, str(target)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return [int(n) for n in self.process.stdout.readline().split()]

    def delay(self, seconds):
        self.tell(f"delay {seconds * 1000:.0f}")

    def counts(self):
        """Requests and bytes since the last time."""
        return self.tell("counts")


def timed(command, env):
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=900)
    if done.returncode:
        raise RuntimeError((done.stderr.strip().splitlines() or ["failed"])[-1])
    return time.perf_counter() - start, done.stdout


class Bench:
    def __init__(self, options, folder):
        import servers
        self.options, self.folder, self.rows = options, folder, []
        self.tools = options.build + "/tools/"
        self.env = servers.environment()
        self.python = [sys.executable, HERE + "/net_peer.py"]
        link = options.build + "/bench/delay_proxy"
        self.web = Proxy(link, int(servers.rclone_http(folder, options=UNHASHED).rsplit(":", 1)[1]))
        self.s3 = Proxy(link, int(servers.rclone_s3(folder, options=(*UNHASHED, "--etag-hash=")).rsplit(":", 1)[1]))
        self.url = f"http://127.0.0.1:{self.web.port}/"
        self.endpoint = f"http://127.0.0.1:{self.s3.port}"

    def turn(self, proxy, command, env=None):
        """The seconds it prints, or of the whole program where that is a tool."""
        proxy.counts()
        seconds, printed = timed(command, env or self.env)
        tool = os.path.basename(command[0]) in ("ncdump", "read_all")
        return seconds if tool else float(printed.split()[-1]), *proxy.counts()

    def compare(self, what, proxy, ours, peers, must, before=lambda name: None, env=None):
        """Each in its turn; the ratio is to the fastest of the peers."""
        turns, missing = {"Cellar": []}, []
        for _ in range(self.options.turns):
            for name, command in [("Cellar", ours), *peers.items()]:
                if name in missing:
                    continue
                before(name)
                try:
                    turns.setdefault(name, []).append(self.turn(proxy, command, env if name == "Cellar" else None))
                except (RuntimeError, subprocess.TimeoutExpired) as error:
                    if name == "Cellar":
                        raise
                    print(f"  {name}: NOT RUN: {str(error)[:160]}", flush=True)
                    missing.append(name)
                    turns.pop(name, None)
        median = {name: sorted(t)[len(t) // 2] for name, t in turns.items()}
        theirs = min((m[0] for name, m in median.items() if name != "Cellar"), default=None)
        ratio = theirs / median["Cellar"][0] if theirs else None
        spread = {n: f"{min(t)[0]:.2f} to {max(t)[0]:.2f}" for n, t in turns.items()}
        row = {"what": what, "ratio": ratio, "must": must, "holds": ratio is not None and ratio >= must,
               "medians": {n: {"seconds": m[0], "requests": m[1], "bytes": m[2], "spread": spread[n]} for n, m in median.items()}}
        self.rows.append(row)
        print(f"{what}: " + "; ".join(f"{n} {m[0]:.2f} s ({spread[n]}), {m[1]} requests, {m[2] / 1e6:.2f} MB" for n, m in median.items()))
        print(f"  ratio {ratio:.2f} (must {must}) {'holds' if row['holds'] else 'NO'}" if ratio else "  no peer", flush=True)

    def files(self):
        program = self.options.build + "/tests/net/"
        for name, words in (("contiguous.nc", []), ("scattered.nc", ["chunked"]), ("first.nc", ["chunked", "first"])):
            timed([program + "scattered", f"{self.folder}/{name}", *words], self.env)
        timed([self.tools + "nccopy", "--cloud", self.folder + "/first.nc", self.folder + "/cloud.nc"], self.env)
        cdl = self.folder + "/many.cdl"
        with open(cdl, "w") as f:
            f.write("netcdf many { dimensions: y = 1024; x = 1024; variables: float v(y, x); v:_ChunkSizes = 16, 1024; data: v = "
                    + ", ".join(str(i * 37 % 1001) for i in range(1 << 20)) + "; }")
        timed([self.tools + "ncgen", "-4", "-o", self.folder + "/many.nc", cdl], self.env)
        for delay in (int(ms) / 1000 for ms in self.options.delays.split(",")):
            self.web.delay(delay)
            for name in ("contiguous.nc", "scattered.nc", "first.nc", "cloud.nc"):
                self.compare(f"open {name}, {delay * 1000:.0f} ms", self.web, [self.tools + "ncdump", "-h", self.url + name],
                             {p: [*self.python, "open", p, self.url + name] for p in ("netcdf4", "h5py")}, 1.2)
            self.compare(f"64 chunks, {delay * 1000:.0f} ms", self.web, [program + "read_all", self.url + "many.nc", "v"],
                         {p: [*self.python, "read", p, self.url + "many.nc", "v"] for p in ("netcdf4", "h5py")}, 1.2)

    def remove(self, name):
        shutil.rmtree(f"{self.folder}/bucket/{'ours' if name == 'Cellar' else name}.zarr", ignore_errors=True)

    def zarr(self, ops, level):
        """level: of zstd; 0: stored as they are."""
        import numpy
        raw = self.folder + "/field.f4"
        shape = [int(n) for n in SHAPE.split("x")]
        walk = numpy.random.default_rng(1).normal(size=shape).astype("<f4").cumsum(axis=2)
        (numpy.round(walk * 64) / 64).astype("<f4").tofile(raw)
        env = {**self.env, "AWS_ENDPOINT_URL": self.endpoint}
        def commands(op):
            ours = [self.options.build + "/bench/bench_zarr", op, raw, SHAPE, CHUNKS, "", f"zstd,level={level}" if level else "",
                    f"s3://bucket/ours.zarr{'/field' if op == 'read' else ''}#mode=zarr,v3", "1"]
            return ours, {p: [*self.python, "z" + op, p, self.endpoint, "bucket", p + ".zarr", raw, SHAPE, CHUNKS, str(level)]
                          for p in ("obstore", "tensorstore", "zarrs")}

        if "write" not in ops:  # what is read is written first, by each its own
            self.s3.delay(0)
            ours, peers = commands("write")
            for name, command in (("Cellar", ours), *peers.items()):
                self.remove(name)
                timed(command, env)
        self.s3.delay(.02)
        for op in ops:
            ours, peers = commands(op)
            self.compare(f"Zarr {op}, {f'zstd {level}' if level else 'no codec'}, 20 ms", self.s3, ours, peers, 1.2, env=env, before=self.remove if op == "write" else lambda name: None)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--delays", default="20,50", help="of files, in ms")
    parser.add_argument("--part", choices=("files", "zarr", "write", "read"), help="write and read are the parts of zarr")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    shm = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(dir=shm) as folder:
        os.chdir(folder)
        bench = Bench(options, folder)
        if options.part in (None, "files"):
            bench.files()
        if options.part != "files":
            for level in (3, 0):
                bench.zarr([options.part] if options.part in ("write", "read") else ("write", "read"), level)
        with open(options.build + "/bench_net.json", "w") as f:
            json.dump(bench.rows, f, indent=1)
    return 0 if all(row["holds"] for row in bench.rows) else 1


sys.exit(main())
