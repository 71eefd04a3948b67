# SPDX-License-Identifier: BSD-3-Clause
"""Stores as zarr-python 3 writes them, into FOLDER/stores: seeds_zarr.py FOLDER"""
import os
import sys

try:
    import numcodecs
    import numpy as np
    import zarr
except ImportError as missing:
    sys.exit("seeds: no stores of zarr-python: %s" % missing)

V2 = [None, numcodecs.Zlib(3), numcodecs.Zstd(3), numcodecs.Blosc(), numcodecs.LZ4(), numcodecs.BZ2(), numcodecs.LZMA(),
      numcodecs.GZip(1)]
FILTERS = {"delta": [numcodecs.Delta(dtype="u2")], "shuffle": [numcodecs.Shuffle(2)],
           "fso": [numcodecs.FixedScaleOffset(offset=0, scale=1, dtype="u2", astype="u1")],
           "quantize": [numcodecs.Quantize(3, "f4")], "crc": [numcodecs.CRC32()]}


def save(top, name, version, dtype="u2", values=None, **how):
    g = zarr.open_group(os.path.join(top, name), mode="w", zarr_format=version)
    v = g.create_array("v", shape=(4, 4), chunks=how.pop("chunks", (2, 2)), dtype=dtype, **how)
    v[...] = (np.arange(16).reshape(4, 4) * 9 + 3).astype(dtype) if values is None else values
    v.attrs["a"] = [2, 3.5, "x"]
    g.attrs["t"] = {"x": None}


def attempt(top, name, *args, **how):
    "What this version of zarr-python cannot write is left out."
    try:
        save(top, name, *args, **how)
    except Exception as why:
        print("seeds: %s: not made: %s" % (name, why))


def make_all(top):
    for i, c in enumerate(V2):
        attempt(top, "v2_%d" % i, 2, compressors=c)
    for name, filters in FILTERS.items():
        attempt(top, "v2_" + name, 2, dtype="f4" if name == "quantize" else "u2", filters=filters, compressors=None)
    for kind in ("bool", "i1", ">i4", "f2", "f8", "c8", "U3", "S3", "M8[s]"):
        attempt(top, "v2_type_" + kind.strip(">").replace("[s]", ""), 2, dtype=kind, compressors=None,
                values="ab" if kind[0] in "US" else 0 if kind[0] == "M" else None)
        attempt(top, "v3_type_" + kind.strip(">").replace("[s]", ""), 3, dtype=kind, compressors=None,
                values="ab" if kind[0] in "US" else 0 if kind[0] == "M" else None)
    attempt(top, "v2_text", 2, dtype=str, values="ab", compressors=None)
    attempt(top, "v3_text", 3, dtype=str, values="ab", compressors=None)
    attempt(top, "v2_order", 2, order="F", compressors=None, fill_value=5)
    attempt(top, "v2_slash", 2, compressors=None, chunk_key_encoding={"name": "v2", "separator": "/"})
    attempt(top, "v3_gzip", 3, compressors=zarr.codecs.GzipCodec(level=1))
    attempt(top, "v3_blosc", 3, compressors=zarr.codecs.BloscCodec())
    attempt(top, "v3_zstd", 3)
    attempt(top, "v3_crc", 3, compressors=zarr.codecs.Crc32cCodec())
    attempt(top, "v3_transpose", 3, filters=zarr.codecs.TransposeCodec(order=(1, 0)), compressors=None)
    attempt(top, "v3_key2", 3, compressors=None, chunk_key_encoding={"name": "v2", "separator": "."})
    attempt(top, "v3_shards", 3, shards=(4, 4), compressors=None)
    attempt(top, "v3_shards_zstd", 3, shards=(4, 2))
    zarr.consolidate_metadata(os.path.join(top, "v2_0"), zarr_format=2)


if __name__ == "__main__":
    make_all(os.path.join(sys.argv[1], "stores"))
