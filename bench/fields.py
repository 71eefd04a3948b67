# SPDX-License-Identifier: BSD-3-Clause
"""The fields the benchmarks write and read: real ones from Debian's packages, and made ones."""
import glob
import math
import os
import subprocess
import sys

PACKAGES = ["ferret-datasets", "libncarg-data"]

# name, file in the packages, variable, shape as (steps, y, x), chunks of about 0.5 MB
REAL = [
    ("topography", "etopo5.cdf", "ROSE", (1, 2161, 4320), (1, 309, 432)),
    ("trinidad", "trinidad.nc", "data", (1, 1201, 2401), (1, 301, 401)),
    ("ocean temperature", "ocean_atlas_subset.nc", "TEMP", (228, 90, 180), (8, 90, 180)),
    ("sea temperature", "levitus_climatology.cdf", "TEMP", (20, 180, 360), (2, 180, 360)),
    ("winds", "monthly_navy_winds.cdf", "UWND", (132, 73, 144), (12, 73, 144)),
]
SYNTHETIC = [
    ("float32", "float", (48, 721, 1440), (8, 91, 180)),
    ("int16", "short", (48, 721, 1440), (8, 181, 180)),
    ("float64", "double", (48, 721, 1440), (8, 91, 90)),
]


class Field:
    def __init__(self, name, kind, ctype, shape, chunks, raw):
        self.name, self.kind, self.ctype, self.shape, self.chunks, self.raw = name, kind, ctype, shape, chunks, raw

    @property
    def elem(self):
        return {"float": 4, "short": 2, "double": 8}[self.ctype]

    @property
    def nbytes(self):
        return math.prod(self.shape) * self.elem

    @property
    def chunk_bytes(self):
        return math.prod(self.chunks) * self.elem

    @property
    def shards(self):
        """Up to four chunks along each axis, as few shards as that gives, all about as long."""
        grid = [-(-n // c) for n, c in zip(self.shape, self.chunks)]
        return tuple(c * -(-g // -(-g // 4)) for c, g in zip(self.chunks, grid))

    def fits(self, which):
        if which == "wide":  # a row of chunks that is larger than netCDF-C's cache
            return self.kind == "synthetic" and self.ctype == "float"
        if which == "steps":
            return self.shape[0] >= 8
        return True


def fetch_packages(into):
    """The packages' files, without installing anything."""
    os.makedirs(into, exist_ok=True)
    if not glob.glob(into + "/usr/share/*/data"):
        for package in PACKAGES:
            subprocess.run(["apt-get", "download", package], cwd=into, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
        for deb in glob.glob(into + "/*.deb"):
            subprocess.run(["dpkg", "-x", deb, into], check=True)
    return into


def real_fields(data_dir, shm):
    import netCDF4
    import numpy
    fields = []
    for name, file, var, shape, chunks in REAL:
        path = glob.glob(f"{data_dir}/**/{file}", recursive=True)
        if not path:
            print(f"bench: {file} is not to be had (packages {', '.join(PACKAGES)}); field left out", file=sys.stderr)
            continue
        with netCDF4.Dataset(path[0]) as dataset:
            dataset.set_auto_maskandscale(False)
            values = numpy.ascontiguousarray(dataset[var][:], dtype="=f4").reshape(shape)
        raw = f"{shm}/{name.replace(' ', '_')}.raw"
        values.tofile(raw)
        fields.append(Field(name, "real", "float", shape, chunks, raw))
    return fields


def synthetic_fields(shm, names):
    """A temperature-like field: smooth in space and time, with noise in the low digits."""
    import numpy
    t, y, x = 48, 721, 1440
    random = numpy.random.default_rng(7)
    lat = numpy.cos(numpy.linspace(-1.5, 1.5, y))[None, :, None]
    lon = numpy.linspace(0, 2 * numpy.pi, x)[None, None, :]
    hour = numpy.linspace(0, 4 * numpy.pi, t)[:, None, None]
    base = 240 + 60 * lat + 4 * numpy.sin(3 * lon + hour) * lat + 2 * numpy.cos(7 * lon - 5 * lat)
    base = base + 0.3 * random.standard_normal((t, y, x))
    made = {"float32": base.astype("f4"), "int16": numpy.round((base - 273) * 100).astype("i2"),
            "float64": base.astype("f8")}
    fields = []
    for name, ctype, shape, chunks in SYNTHETIC:
        if name in names:
            raw = f"{shm}/{name}.raw"
            made[name].tofile(raw)
            fields.append(Field(name, "synthetic", ctype, shape, chunks, raw))
    return fields
