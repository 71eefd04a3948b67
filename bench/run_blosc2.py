# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of Blosc2 (.b2nd) beside python-blosc2, in one process and turn by turn:

    run_blosc2.py --library build/libcellar.so [--threads 1,2] [--rounds 5] [--only zstd]

Prints how often faster Cellar is, by the seconds of all cores (user and system) and by the clock, the smallest of some rounds
each. Both read the same files of python-blosc2: the whole array, and small boxes at random places. Both write the whole array."""
import argparse
import ctypes
import os
import resource
import tempfile
import time

import blosc2
import numpy as np

SHAPE, CHUNKS, BLOCKS = (128, 360, 720), (8, 360, 720), (4, 60, 120)
BOX, BOXES = (1, 40, 60), 150
F, C = blosc2.Filter, blosc2.Codec
CODECS = {"zstd": C.ZSTD, "lz4": C.LZ4, "blosclz": C.BLOSCLZ}
CHAINS = {"shuffle": ([F.SHUFFLE], [0], "filter=shuffle"), "ndcell:4+shuffle": ([F.NDCELL, F.SHUFFLE], [4, 0], "filters=ndcell:4+shuffle")}


def field():
    t, y, x = np.meshgrid(*(np.arange(n, dtype="f4") for n in SHAPE), indexing="ij")
    rng = np.random.default_rng(1)
    return np.round((280 + 20 * np.sin(y / 57 + t / 9) + 5 * np.cos(x / 31) + rng.normal(0, 0.05, SHAPE)) * 64).astype("f4") / 64


class Cellar:
    """The C API by ctypes."""

    def __init__(self, path):
        self.lib = ctypes.CDLL(os.path.abspath(path))
        self.prefix = "cel_nc_" if hasattr(self.lib, "cel_nc_open") else "nc_"

    def call(self, name, *args):
        status = getattr(self.lib, self.prefix + name)(*args)
        assert status == 0, (name, status)

    def threads(self, n):
        self.lib.cellar_set_threads(n)

    def sizes(self, values):
        return (ctypes.c_size_t * len(values))(*values)

    def read(self, path, boxes):
        ncid = ctypes.c_int()
        self.call("open", path.encode(), 0, ctypes.byref(ncid))
        parts = []
        for start, count in boxes:
            out = np.empty(count, "f4")
            self.call("get_vara_float", ncid, 0, self.sizes(start), self.sizes(count), out.ctypes.data_as(ctypes.c_void_p))
            parts.append(out)
        self.call("close", ncid)
        return parts

    def write(self, path, values, chain):
        ncid, var, dims = ctypes.c_int(), ctypes.c_int(), (ctypes.c_int * 3)()
        self.call("create", path.encode(), 0x1000, ctypes.byref(ncid))
        for d, n in enumerate(values.shape):
            dim = ctypes.c_int()
            self.call("def_dim", ncid, b"tyx"[d:d + 1], ctypes.c_size_t(n), ctypes.byref(dim))
            dims[d] = dim.value
        self.call("def_var", ncid, b"field", 5, 3, dims, ctypes.byref(var))
        self.call("def_var_chunking", ncid, var, 0, self.sizes(CHUNKS))
        assert self.lib.cellar_def_var_chain(ncid, var, chain.encode()) == 0
        self.call("put_var_float", ncid, var, values.ctypes.data_as(ctypes.c_void_p))
        self.call("close", ncid)


def theirs_read(path, boxes, threads):
    array = blosc2.open(path, dparams=dict(nthreads=threads))
    return [array[tuple(slice(s, s + n) for s, n in zip(start, count))] for start, count in boxes]


def theirs_write(path, values, cparams):
    blosc2.asarray(values, chunks=CHUNKS, blocks=BLOCKS, cparams=cparams, urlpath=path, mode="w")


def measure(act):
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    result = act()
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF)
    return result, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def used_by_all():
    """Seconds that the cores of the machine have worked, for whomever."""
    with open("/proc/stat") as f:
        user, nice, system, _, _, irq, soft, steal = map(int, f.readline().split()[1:9])
    return (user + nice + system + irq + soft + steal) / os.sysconf("SC_CLK_TCK")


def compare(name, ours, theirs, rounds, check):
    best = [[1e9, 1e9], [1e9, 1e9]]
    start, all_before, own_before = time.perf_counter(), used_by_all(), sum(os.times()[:2])
    for _ in range(rounds):
        for side, act in enumerate((ours, theirs)):
            result, cpu, wall = measure(act)
            best[side] = [min(best[side][0], cpu), min(best[side][1], wall)]
            check(result)
    others = (used_by_all() - all_before - sum(os.times()[:2]) + own_before) / (time.perf_counter() - start)
    print(f"  {name:34} cpu {best[1][0] / best[0][0]:6.2f}   clock {best[1][1] / best[0][1]:6.2f}   ours {best[0][0] * 1e3:8.1f} ms cpu {best[0][1] * 1e3:8.1f} clock   others {max(others, 0):.2f} cores", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="")
    parser.add_argument("--what", default="whole,boxes,write")
    options = parser.parse_args()
    cellar, values, rng = Cellar(options.library), field(), np.random.default_rng(2)
    boxes = [(tuple(int(rng.integers(0, n - b + 1)) for n, b in zip(SHAPE, BOX)), BOX) for _ in range(BOXES)]
    whole = [((0, 0, 0), SHAPE)]

    def same(wanted):
        def check(parts):
            for part, (start, count) in zip(parts or [], wanted):
                assert (part == values[tuple(slice(s, s + n) for s, n in zip(start, count))]).all()
        return check

    with tempfile.TemporaryDirectory() as folder:
        path, made = os.path.join(folder, "theirs.b2nd"), os.path.join(folder, "made.b2nd")
        for threads in map(int, options.threads.split(",")):
            cellar.threads(threads)
            print(f"{threads} threads, {values.nbytes / 1e6:.0f} MB: times faster than python-blosc2 {blosc2.__version__}")
            for cname, (chain, (filters, meta, text)) in ((c, f) for c in CODECS for f in CHAINS.items() if options.only in c + f[0]):
                cparams = dict(codec=CODECS[cname], clevel=5, filters=filters, filters_meta=meta, nthreads=threads)
                theirs_write(path, values, cparams)
                label = f"{cname} {chain}"
                if "whole" in options.what:
                    compare(f"{label}, whole", lambda: cellar.read(path, whole), lambda: theirs_read(path, whole, threads), options.rounds, same(whole))
                if "boxes" in options.what:
                    compare(f"{label}, {BOXES} boxes", lambda: cellar.read(path, boxes), lambda: theirs_read(path, boxes, threads), options.rounds, same(boxes))
                if "write" not in options.what:
                    continue
                size = int(np.prod(BLOCKS)) * 4
                compare(f"{label}, write", lambda: cellar.write(made, values, f"blosc2,cname={cname},clevel=5,blocksize={size},{text}"),
                        lambda: theirs_write(path, values, cparams), options.rounds, same(whole))
                print(f"  {'':34} bytes: ours {os.path.getsize(made)}, theirs {os.path.getsize(path)}", flush=True)


main()
