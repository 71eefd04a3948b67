#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compression ratios of the n-dimensional filters on real fields, as a page (docs/nd-ratios.md).

nd_ratios.py --build BUILD --page PAGE: every field is written by our nccopy with every chain
(filters x compressors), in chunks of about 256 KiB; the ratio is the bytes of its elements over the bytes
its chunks take in the file. Fields come from Debian's packages ferret-datasets and libncarg-data."""
import argparse, math, os, subprocess, sys, tempfile
import netCDF4, numpy
from fields import PACKAGES, fetch_packages
import glob

# name, file, variable, shape as (..., y, x), type
FIELDS = [
    ("topography, int16", "etopo5.cdf", "ROSE", (2161, 4320), "i2"),
    ("topography, float", "etopo5.cdf", "ROSE", (2161, 4320), "f4"),
    ("Trinidad, elevation", "trinidad.nc", "data", (1201, 2401), "f4"),
    ("regional model, height", "HSURF_regional_model_0.11deg.nc", "HSURF", None, "f4"),
    ("regional model, land share", "FR-LAND_regional_model_0.11deg.nc", "FR_LAND", None, "f4"),
    ("sea temperature", "levitus_climatology.cdf", "TEMP", (20, 180, 360), "f4"),
    ("ocean temperature", "ocean_atlas_subset.nc", "TEMP", (228, 90, 180), "f4"),
    ("model temperature", "rectilinear_grid_3D.nc", "t", None, "f4"),
    ("model surface temperature", "tas_rectilinear_grid_2D.nc", "tas", None, "f4"),
    ("winds", "monthly_navy_winds.cdf", "UWND", (132, 73, 144), "f4"),
    ("sea ice", "fice.nc", "fice", None, "f4"),
    ("sea mask, byte", "levitus_climatology.cdf", "TEMP", (20, 180, 360), "mask"),
]
FILTERS = [
    ("none", ""),
    ("shuffle", "shuffle|"),
    ("bitshuffle", "bitshuffle|"),
    ("ndcell", "ndcell,cell=4|"),
    ("ndcell + shuffle", "ndcell,cell=4|shuffle|"),
    ("ndcell + bitshuffle", "ndcell,cell=4|bitshuffle|"),
    ("ndlorenzo + shuffle", "ndlorenzo|shuffle|"),
    ("ndlorenzo + bitshuffle", "ndlorenzo|bitshuffle|"),
]
CODECS = [("LZ4", "lz4"), ("zstd 3", "zstd,level=3"), ("deflate 6", "deflate,level=6")]


def load(data_dir, file, var, shape, kind):
    path = glob.glob(f"{data_dir}/**/{file}", recursive=True)
    if not path:
        return None
    with netCDF4.Dataset(path[0]) as dataset:
        dataset.set_auto_maskandscale(False)
        values = dataset[var][:]
    values = values.reshape(shape) if shape else numpy.squeeze(values)
    if kind == "mask":
        return (numpy.abs(values) > 1e9).astype("i1")
    return numpy.ascontiguousarray(values).astype("=" + kind)


def chunks_of(shape, size):
    """Whole last axes as long as 256 KiB last: the slower ones are cut."""
    chunk = list(shape)
    for d in range(len(chunk)):
        rest = math.prod(chunk[d + 1:]) * size
        chunk[d] = max(1, min(chunk[d], 262144 // rest if rest < 262144 else 1))
        if rest < 262144:
            break
    return chunk


class Files:
    def __init__(self, build, folder):
        self.nccopy, self.folder = f"{build}/tools/nccopy", folder
        self.stored = f"{build}/bench/stored"

    def write(self, values, kind):
        dims = [f"d{i}" for i in range(values.ndim)]
        with netCDF4.Dataset(f"{self.folder}/in.nc", "w") as out:
            for name, n in zip(dims, values.shape):
                out.createDimension(name, n)
            out.createVariable("v", values.dtype, dims, chunksizes=chunks_of(values.shape, values.itemsize))[:] = values

    def ratio(self, values, chain):
        out = f"{self.folder}/out.nc"
        subprocess.run([self.nccopy, "-F", f"v,{chain}", f"{self.folder}/in.nc", out], check=True)
        stored = int(subprocess.run([self.stored, out, "v"], check=True, capture_output=True, text=True).stdout)
        return values.nbytes / stored


def row(cells, best):
    return "| " + " | ".join(f"**{c:.2f}**" if c == best else f"{c:.2f}" for c in cells) + " |"


def page(results):
    out = ["# Compression ratios of the n-dimensional filters", "",
           "Made by `make nd-ratios`. Bytes of the elements over bytes of the chunks in the file, chunks of about 256 KiB, cells of edge 4,",
           f"fields from Debian's packages {' and '.join(PACKAGES)}. Bold: the best of its row. All chains are lossless.", ""]
    wins = {name: 0 for name, _ in FILTERS}
    for codec, _ in CODECS:
        out += [f"## {codec}", "", "| field | " + " | ".join(n for n, _ in FILTERS) + " |",
                "|---" * (len(FILTERS) + 1) + "|"]
        for field, shape, ratios in results:
            cells = [ratios[name, codec] for name, _ in FILTERS]
            best = max(cells)
            wins[FILTERS[cells.index(best)][0]] += 1
            out.append(f"| {field} ({' x '.join(map(str, shape))}) " + row(cells, best))
        means = [math.exp(sum(math.log(r[name, codec]) for _, _, r in results) / len(results)) for name, _ in FILTERS]
        out += ["| geometric mean " + row(means, max(means)), ""]
    total = len(results) * len(CODECS)
    out += ["## Winners and losers", "", f"Best of its row, of {total} rows:", ""]
    out += [f"- {name}: {count}" for name, count in sorted(wins.items(), key=lambda w: -w[1])]
    out += ["", "Against the same chain without it (geometric mean over the fields; in brackets, fields made smaller by more than 1 %):", "",
            "| | " + " | ".join(c for c, _ in CODECS) + " |", "|---" * (len(CODECS) + 1) + "|"]
    for after, before in [("ndcell", "none"), ("ndcell + shuffle", "shuffle"), ("ndcell + bitshuffle", "bitshuffle"),
                          ("ndlorenzo + shuffle", "shuffle"), ("ndlorenzo + bitshuffle", "bitshuffle")]:
        cells = []
        for codec, _ in CODECS:
            gains = [r[after, codec] / r[before, codec] for _, _, r in results]
            cells.append(f"{math.exp(sum(map(math.log, gains)) / len(gains)):.2f} ({sum(g > 1.01 for g in gains)} of {len(gains)})")
        out.append(f"| {after} against {before} | " + " | ".join(cells) + " |")
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--page", required=True)
    options = parser.parse_args()
    data_dir = fetch_packages(options.build + "/bench/data")
    results = []
    with tempfile.TemporaryDirectory() as folder:
        files = Files(options.build, folder)
        for name, file, var, shape, kind in FIELDS:
            values = load(data_dir, file, var, shape, kind)
            if values is None:
                print(f"nd-ratios: {file} is not to be had; {name} left out", file=sys.stderr)
                continue
            files.write(values, kind)
            ratios = {(n, c): files.ratio(values, f + k) for n, f in FILTERS for c, k in CODECS}
            results.append((name, values.shape, ratios))
    if not results:
        sys.exit("nd-ratios: no field could be had; the page stays as it was")
    with open(options.page, "w") as out:
        out.write(page(results))


main()
