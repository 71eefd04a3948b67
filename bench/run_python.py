#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""run_python.py [MB] [WORD...]: the Python package side by side with its peers: netCDF4-python, h5netcdf, hidefix,
zarr-python's own pipeline, zarrs. Run it with the Python of .venv-python (make python-installed). All take turns; a ratio
above 1 means that Cellar is faster, and "CPU" is the same ratio in processor seconds, which a busy machine changes less.
"others" is how much of the machine other programs took meanwhile: such a row is worth no more than its CPU. With words only
the rows whose names have one of them are run.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import shutil
import sys
import tempfile
import time
import timeit
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from sidebyside import compare, print_head, print_row

import cellar
from cellar import _native

warnings.simplefilter("ignore")
MB = int(sys.argv[1]) if len(sys.argv) > 1 else 300
WORDS = sys.argv[2:]
OWN = "zarr.core.codec_pipeline.BatchedCodecPipeline"


def have(name: str) -> bool:
    if importlib.util.find_spec(name) is None:
        print(f"NOT RUN: {name} is not installed")
        return False
    return True


def wanted(what: str) -> bool:
    return not WORDS or any(word in what for word in WORDS)


def machine_busy() -> float:
    """Processor seconds that all programs of the machine have taken."""
    ticks = [int(n) for n in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
    return (sum(ticks[:8]) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")


def measure(
    cases: Mapping[str, Callable[[], object]], rounds: int, before: Callable[[str], object]
) -> dict[str, list[tuple[float, float]]]:
    """Seconds and processor seconds of each case, in turns, without the first turn and without `before`."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in cases}
    for _ in range(rounds + 1):
        for name, run in cases.items():
            before(name)
            begin, cpu = time.perf_counter(), time.process_time()
            run()
            times[name].append((time.perf_counter() - begin, time.process_time() - cpu))
    return {name: t[1:] for name, t in times.items()}


def report(
    what: str,
    cases: Mapping[str, Callable[[], object]],
    must: Mapping[str, float | None],
    rounds: int = 7,
    before: Callable[[str], object] = lambda name: None,
) -> None:
    """A row for each peer, with what the ratio must be."""
    if not wanted(what):
        return
    begin, busy, cpu = time.perf_counter(), machine_busy(), time.process_time()
    found = measure(cases, rounds, before)
    others = (machine_busy() - busy - (time.process_time() - cpu)) / (time.perf_counter() - begin) / (os.cpu_count() or 1)
    ours = found.pop("cellar")
    for name, theirs in found.items():
        row = compare([t for t, _ in theirs], [t for t, _ in ours], must[name])
        processor = compare([t for _, t in theirs], [t for _, t in ours], None)
        print_row(f"{what}: {name}", row | {"note": f"  CPU {processor['ratio']:.2f}, others {max(others, 0):.0%}"})


def field(n: int) -> np.ndarray:
    """A smooth field with noise, n megabytes of float32 in steps of 1 MB."""
    rng = np.random.default_rng(0)
    y, x = np.meshgrid(np.linspace(0, 6, 512), np.linspace(0, 9, 512), indexing="ij")
    base = (280 + 10 * np.sin(y) * np.cos(x)).astype("f4")
    steps = [base + rng.normal(0, 0.05, base.shape).astype("f4") for _ in range(8)]
    return np.stack([np.round(steps[i % 8] * 64) / 64 for i in range(n)]).astype("f4")


# --- the cost of a call ---


class ByCtypes:
    """The same index through ctypes, to compare the cost of a call."""

    def __init__(self, v: cellar.Variable) -> None:
        self.ids, self.shape, self.dtype = (v.group._id, v._id), v.shape, v.dtype
        library = ctypes.CDLL(str(Path(cellar.__file__).parent / "libcellar.so.0"))
        self.get = library.cel_nc_get_vara
        self.get.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
        self.sizes = ctypes.c_size_t * len(self.shape)

    def __getitem__(self, key: tuple[int | slice, ...]) -> object:
        start, count, kept = [], [], []
        for item, n in zip(key, self.shape, strict=True):
            if isinstance(item, slice):
                first, stop, step = item.indices(n)
                start.append(first)
                count.append(len(range(first, stop, step)))
                kept.append(count[-1])
            else:
                start.append(item + n if item < 0 else item)
                count.append(1)
        out = np.empty(kept, self.dtype)
        if self.get(*self.ids, self.sizes(*start), self.sizes(*count), out.ctypes.data):
            raise OSError
        return out if kept else out[()]


def call_cost(v: cellar.Variable) -> None:
    """One value of a cached chunk, by the module and by ctypes; the best of 20."""
    cases = {"the module": v, "ctypes": ByCtypes(v)}
    best = {name: min(timeit.repeat(lambda a=a: a[3, 4, 5], number=200, repeat=20)) / 200 * 1e6 for name, a in cases.items()}
    print("one value: " + ", ".join(f"{name} {t:.2f} us" for name, t in best.items()))


def single_reads(path: str) -> None:
    if not have("netCDF4"):
        return
    import netCDF4

    with cellar.open(path) as ds, netCDF4.Dataset(path) as theirs:
        both = {"cellar": ds["v"], "netCDF4": theirs["v"]}
        call_cost(both["cellar"])
        n = both["cellar"].shape[0]
        steps = {name: lambda a=a: [a[i % n] for i in range(1000)] for name, a in both.items()}
        report("v[i], one step, 1000 times", steps, {"netCDF4": 2}, 3)
        values = {name: lambda a=a: [a[3, 4, 5] for _ in range(100000)] for name, a in both.items()}
        report("one value, 10^5 times", values, {"netCDF4": 2}, 3)


# --- xarray ---


def with_xarray(folder: str, path: str) -> None:
    if not (have("xarray") and have("netCDF4") and have("h5netcdf")):
        return
    import xarray as xr

    many = f"{folder}/many.nc"
    small = np.zeros((4, 20, 30), "f4")
    attrs = {"units": "K", "long_name": "temperature", "standard_name": "air_temperature", "cell_methods": "time: mean"}
    ds = xr.Dataset({f"v{i}": (("time", "y", "x"), small + i, attrs) for i in range(50)}, {"time": np.arange(4)})
    ds.to_netcdf(many, engine="netcdf4", encoding={v: {"zlib": True} for v in ds.data_vars})
    engines = ["cellar", "netcdf4", "h5netcdf"]
    must = {"netcdf4": 3, "h5netcdf": 3, "hidefix": 1.2}
    report("open 50 variables", {e: lambda e=e: xr.open_dataset(many, engine=e).close() for e in engines}, must, 15)
    files = []
    for i in range(100):
        files.append(f"{folder}/f{i:03}.nc")
        xr.Dataset({"t": (("time", "x"), small[:1, 0] + i)}, {"time": [i], "x": np.arange(30)}).to_netcdf(
            files[-1], engine="netcdf4"
        )
    report("open_mfdataset of 100 files", {e: lambda e=e: xr.open_mfdataset(files, engine=e).close() for e in engines}, must)

    def load(engine: str) -> None:
        with xr.open_dataset(path, engine=engine) as ds:
            ds.v.load()

    def by_dask(engine: str, chunks: dict[str, int], mean: bool = False) -> None:
        with xr.open_dataset(path, engine=engine, chunks=chunks) as ds, dask.config.set(scheduler="threads"):
            (ds.v.mean() if mean else ds.v).compute()

    loading = engines + (["hidefix"] if have("hidefix") else [])
    report(f"load {MB} MB deflated", {e: lambda e=e: load(e) for e in loading}, must)
    if not have("dask"):
        return
    import dask

    for kind, chunks in (("chunks of the file", {}), ("8 steps each", {"z": 8})):
        report(f"Dask threads, {kind}", {e: lambda e=e, c=chunks: by_dask(e, c) for e in engines[:2]}, must)
    means = {e: lambda e=e: by_dask(e, {"z": 8}, True) for e in engines[:2]}
    report("a mean by Dask threads", means, {"netcdf4": None})


# --- zarr-python ---


def with_zarr(folder: str, values: np.ndarray) -> None:
    if not have("zarr"):
        return
    import zarr
    from zarr.codecs import BloscCodec, ZstdCodec

    import cellar.zarr

    pipelines = {"cellar": "cellar.zarr.CodecPipeline", "zarr-python": OWN}
    must = {"zarr-python": 2, "zarrs": 1.1}
    if have("zarrs"):
        pipelines["zarrs"] = "zarrs.ZarrsCodecPipeline"
    for codec in (ZstdCodec(level=3), BloscCodec(cname="lz4")):
        for shards in (None, (16, 512, 512)):
            kind = f"{type(codec).__name__.removesuffix('Codec').lower()}, {'sharded' if shards else 'plain'}"

            def write(name: str, codec=codec, shards=shards) -> None:
                with zarr.config.set({"codec_pipeline.path": pipelines[name]}):
                    array = zarr.create_array(f"{folder}/{name}.zarr", shape=values.shape, dtype="f4", chunks=(2, 256, 512),
                                              shards=shards, compressors=codec)  # fmt: skip
                    array[:] = values

            def read(name: str) -> None:
                with zarr.config.set({"codec_pipeline.path": pipelines[name]}):
                    zarr.open_array(f"{folder}/{name}.zarr", mode="r")[:]

            def clear(name: str) -> None:
                shutil.rmtree(f"{folder}/{name}.zarr", ignore_errors=True)

            if not wanted(f"zarr write, {kind}") and not wanted(f"zarr read, {kind}"):
                continue
            report(f"zarr write, {kind}", {name: lambda name=name: write(name) for name in pipelines}, must, before=clear)
            for name in pipelines:
                clear(name)
                write(name)
            sizes = {name: sum(p.stat().st_size for p in Path(f"{folder}/{name}.zarr").rglob("*")) for name in pipelines}
            print("  MB stored: " + ", ".join(f"{name} {size / 1e6:.1f}" for name, size in sizes.items()))
            report(f"zarr read, {kind}", {name: lambda name=name: read(name) for name in pipelines}, must)
            for name in pipelines:
                clear(name)
    counts = cellar.zarr.counters()
    print(f"chunks: {counts['native']} native, {counts['fallback']} fallback")


def main() -> None:
    print(f"cellar {cellar.__version__}, {_native.get_threads()} threads, {MB} MB")
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        values = field(MB)
        path = f"{folder}/field.nc"
        with cellar.open(path, "w") as ds:
            for name, n in zip("zyx", values.shape, strict=True):
                ds.create_dimension(name, n)
            ds.create_variable("v", "f4", ("z", "y", "x"), chunks=(1, 512, 512), chain="shuffle|deflate,level=4")[:] = values
        print_head("operation: peer", "peer")
        single_reads(path)
        with_xarray(folder, path)
        with_zarr(folder, values)


if __name__ == "__main__":
    main()
