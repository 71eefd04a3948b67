# SPDX-License-Identifier: BSD-3-Clause
"""Seeds for fuzz_blosc2, made by python-blosc2:  seeds_blosc2.py FOLDER
Frames of small arrays with each filter and compressor, special chunks, chunks without a frame."""
import os
import sys

import blosc2
import numpy as np

F, C = blosc2.Filter, blosc2.Codec
folder = os.path.join(sys.argv[1], "blosc2")
os.makedirs(folder, exist_ok=True)


def save(name, head, data):
    with open(os.path.join(folder, name), "wb") as f:
        f.write(bytes(head) + data)


field = (np.arange(12 * 18) // 5).reshape(12, 18)
FILTERS = {"none": ([], []), "shuffle": ([F.SHUFFLE], [0]), "bits": ([F.BITSHUFFLE], [0]), "delta": ([F.DELTA, F.SHUFFLE], [0, 0]),
           "cell": ([F.NDCELL, F.SHUFFLE], [3, 0]), "mean": ([F.NDMEAN], [2]), "trunc": ([F.TRUNC_PREC], [8]),
           "bytedelta": ([F.SHUFFLE, F.BYTEDELTA], [0, 0])}
for codec in (C.BLOSCLZ, C.LZ4, C.ZLIB, C.ZSTD):
    for name, (filters, meta) in FILTERS.items():
        if codec != C.LZ4 and name not in ("shuffle", "none"):
            continue
        made = blosc2.asarray(field.astype("f4"), chunks=(12, 18), blocks=(5, 9),
                              cparams=dict(codec=codec, clevel=9, filters=filters, filters_meta=meta, nthreads=1))
        save(f"{codec.name}_{name}", [0, 3, 5], made.to_cframe())
        save(f"{codec.name}_{name}_chunk", [0, 0, 0], made.schunk.get_chunk(0))
for name, made in {"zeros": blosc2.zeros((9, 9), dtype="f8"), "nans": blosc2.nans((9, 9), dtype="f4"),
                   "full": blosc2.full((9, 9), 7, dtype="i8"), "uninit": blosc2.uninit((9, 9), dtype="i2")}.items():
    save(name, [0, 1, 2], made.to_cframe())
save("vlmeta", [0, 0, 0], (lambda a: (a.schunk.vlmeta.__setitem__("k", 1), a.to_cframe())[1])(blosc2.asarray(field.astype("i2"))))
save("chunks", [0, 0, 0], blosc2.asarray(field.astype("f8"), chunks=(5, 7), blocks=(3, 4)).to_cframe())
for i, filter in enumerate((0, 1, 2, 3, 4, 32, 35, 36)):
    save(f"encode_{filter}", [1, i % 6, 1 + i, 3, 20] + [0] * 4 + [filter, 1] + [0] * 4 + [2, 0], field.astype("i4").tobytes())
