#!/usr/bin/env python3
"""run_python.py [MB]: the Python package side by side with its peers: netCDF4-python, h5netcdf, hidefix, zarr-python's own
pipeline, zarrs. Run it with the Python of .venv-python (make python-installed). Medians of interleaved runs; a ratio
above 1 means that Cellar is faster.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import statistics
import sys
import tempfile
import time
import timeit
import warnings
from pathlib import Path

import numpy as np

import cellar
from cellar import _native

warnings.simplefilter("ignore")
MB = int(sys.argv[1]) if len(sys.argv) > 1 else 300
OWN = "zarr.core.codec_pipeline.BatchedCodecPipeline"


def have(name: str) -> bool:
    if importlib.util.find_spec(name) is None:
        print(f"NOT RUN: {name} is not installed")
        return False
    return True


def measure(cases: dict[str, object], rounds: int = 5) -> dict[str, float]:
    """Median seconds of each case, in turns, so that all see the same machine."""
    times: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(rounds):
        for name, run in cases.items():
            begin = time.perf_counter()
            run()  # type: ignore[operator]
            times[name].append(time.perf_counter() - begin)
    return {name: statistics.median(t) for name, t in times.items()}


def report(what: str, cases: dict[str, object], rounds: int = 5) -> None:
    found = measure(cases, rounds)
    ours = found.pop("cellar")
    peers = ", ".join(f"{name} {t * 1e3:.2f} ms ({t / ours:.1f}x)" for name, t in found.items())
    print(f"{what}: cellar {ours * 1e3:.2f} ms; {peers}")


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


def one_value(path: str) -> None:
    """One value of a cached chunk: the module, the same by ctypes, and netCDF4-python. The best of 20: what is
    compared is the cost of a call."""
    ds = cellar.open(path)
    v = ds["v"]
    cases = {"cellar": v, "ctypes": ByCtypes(v)}
    if have("netCDF4"):
        import netCDF4

        cases["netCDF4"] = theirs = netCDF4.Dataset(path)["v"]
    best = {name: min(timeit.repeat(lambda a=a: a[3, 4, 5], number=200, repeat=20)) / 200 * 1e6 for name, a in cases.items()}
    print("one value: " + ", ".join(f"{name} {t:.2f} us ({t / best['cellar']:.1f}x)" for name, t in best.items()))
    if have("netCDF4"):
        steps = {name: lambda a=a: [a[i] for i in range(100)] for name, a in (("cellar", v), ("netCDF4", theirs))}
        report("one step, 100 times", steps)
    ds.close()


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
    report("xarray, open 50 variables", {e: lambda e=e: xr.open_dataset(many, engine=e).close() for e in engines}, 9)
    files = []
    for i in range(100):
        files.append(f"{folder}/f{i:03}.nc")
        xr.Dataset({"t": (("time", "x"), small[:1, 0] + i)}, {"time": [i], "x": np.arange(30)}).to_netcdf(
            files[-1], engine="netcdf4"
        )
    report(
        "xarray, open_mfdataset of 100 files",
        {e: lambda e=e: xr.open_mfdataset(files, engine=e).close() for e in engines},
        3,
    )
    whole = {e: lambda e=e: xr.open_dataset(path, engine=e).v.load() for e in engines}
    if have("hidefix"):
        whole["hidefix"] = lambda: xr.open_dataset(path, engine="hidefix").v.load()
    report(f"xarray, load {MB} MB deflated", whole, 3)
    threads = {e: lambda e=e: xr.open_dataset(path, engine=e, chunks={"z": 8}).v.mean().compute() for e in engines[:2]}
    report("the same through Dask threads", threads, 3)


# --- zarr-python ---


def with_zarr(folder: str, values: np.ndarray) -> None:
    if not have("zarr"):
        return
    import zarr
    from zarr.codecs import BloscCodec, ZstdCodec

    import cellar.zarr

    pipelines = {"cellar": "cellar.zarr.CodecPipeline", "zarr-python": OWN}
    if have("zarrs"):
        pipelines["zarrs"] = "zarrs.ZarrsCodecPipeline"
    for codec in (ZstdCodec(level=3), BloscCodec(cname="lz4")):
        for shards in (None, (16, 512, 512)):
            kind = f"{type(codec).__name__}, {'sharded' if shards else 'plain'}"

            def write(name: str, codec=codec, shards=shards) -> None:
                with zarr.config.set({"codec_pipeline.path": pipelines[name]}):
                    array = zarr.create_array(f"{folder}/{name}.zarr", shape=values.shape, dtype="f4", chunks=(2, 256, 512),
                                              shards=shards, compressors=codec, overwrite=True)  # fmt: skip
                    array[:] = values

            def read(name: str) -> None:
                with zarr.config.set({"codec_pipeline.path": pipelines[name]}):
                    zarr.open_array(f"{folder}/{name}.zarr", mode="r")[:]

            report(f"zarr write, {kind}", {name: lambda name=name: write(name) for name in pipelines}, 3)
            report(f"zarr read, {kind}", {name: lambda name=name: read(name) for name in pipelines}, 3)
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
        one_value(path)
        with_xarray(folder, path)
        with_zarr(folder, values)


if __name__ == "__main__":
    main()
