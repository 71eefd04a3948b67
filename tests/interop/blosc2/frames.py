# SPDX-License-Identifier: BSD-3-Clause
"""Frames both ways: written through our filters (160, 161) and, with their filter bytes set to
32 and 33, read by stock python-blosc2; written by stock and, with 160 and 161, read through ours.
frames.py TOOL PLUGINS: the tool is blosc2_frame, which an unmodified libblosc2 is linked to."""
import os, subprocess, sys, tempfile
import blosc2, numpy as np

TOOL, PLUGINS = sys.argv[1:3]
OURS = {"ndcell": 160, "ndmean": 161}
STOCK = {"ndcell": 32, "ndmean": 33}
FILTER = {"ndcell": blosc2.Filter.NDCELL, "ndmean": blosc2.Filter.NDMEAN}
ENV = dict(os.environ, LD_LIBRARY_PATH=PLUGINS + ":" + os.environ.get("LD_LIBRARY_PATH", ""))


def set_filter(path, old, new):
    """Filter bytes of the frame and of its chunks: 6 of them at 16 in a chunk's header; in the
    frame's, those before the metas. Answers how many were changed."""
    raw = bytearray(open(path, "rb").read())
    head = int.from_bytes(raw[11:15], "big")
    end = head + int.from_bytes(raw[39:47], "big")
    places = [i for i in range(64, 96) if raw[i] == old][:1]
    at = head
    while at < end:
        places += [i for i in range(at + 16, at + 22) if raw[i] == old]
        at += int.from_bytes(raw[at + 12:at + 16], "little")
    for i in places:
        raw[i] = new
    open(path, "wb").write(raw)
    return len(places)


def run(*words):
    return subprocess.run([TOOL, *map(str, words)], env=ENV, check=True)


def means(a, chunks, blocks, c):
    """What ndmean makes of an array: cells within blocks, blocks within chunks, padding of zeros."""
    out = np.zeros_like(a)
    for origin in np.ndindex(*[-(-n // k) for n, k in zip(a.shape, chunks)]):
        for place in np.ndindex(*[-(-k // b) for k, b in zip(chunks, blocks)]):
            lo = [o * k + p * b for o, k, p, b in zip(origin, chunks, place, blocks)]
            inside = [max(0, min(n - l, (o + 1) * k - l, b)) for n, l, o, k, b in zip(a.shape, lo, origin, chunks, blocks)]
            if not all(inside):
                continue
            block = np.zeros(blocks, a.dtype)
            where = tuple(slice(l, l + m) for l, m in zip(lo, inside))
            block[tuple(slice(0, m) for m in inside)] = a[where]
            for cell in np.ndindex(*[-(-b // c) for b in blocks]):
                s = tuple(slice(i * c, min((i + 1) * c, b)) for i, b in zip(cell, blocks))
                values = block[s].ravel()
                total = a.dtype.type(0)
                for v in values:
                    total = a.dtype.type(total + v)
                block[s] = a.dtype.type(total / a.dtype.type(values.size))
            out[where] = block[tuple(slice(0, m) for m in inside)]
    return out


def comma(shape):
    return ",".join(map(str, shape))


def check(folder, kind, dtype, shape, chunks, blocks, edge):
    rng = np.random.default_rng(7)
    field = (np.sin(np.arange(np.prod(shape)) / 9).reshape(shape) * 40).round()  # compressible
    a = (field + rng.integers(0, 3, shape)).astype(dtype)
    wanted = means(a, chunks, blocks, edge) if kind == "ndmean" else a
    raw, frame, back = (os.path.join(folder, n) for n in ("raw", "a.b2nd", "back"))
    for name in (frame, back):
        if os.path.exists(name):
            os.remove(name)

    a.tofile(raw)
    run("write", OURS[kind], edge, a.dtype.str, comma(shape), comma(chunks), comma(blocks), raw, frame)
    assert set_filter(frame, OURS[kind], STOCK[kind]) > 1, "no chunk was filtered"
    got = blosc2.open(frame)[...]
    assert got.dtype == a.dtype and got.tobytes() == wanted.tobytes(), ("stock reads ours", kind, dtype, shape)

    os.remove(frame)
    blosc2.asarray(a, chunks=chunks, blocks=blocks, urlpath=frame, contiguous=True,
                   cparams={"codec": blosc2.Codec.LZ4, "filters": [FILTER[kind], blosc2.Filter.SHUFFLE],
                            "filters_meta": [edge, 0]})
    assert set_filter(frame, STOCK[kind], OURS[kind]) > 1, "no chunk was filtered"
    run("read", back, frame)
    assert open(back, "rb").read() == wanted.tobytes(), ("ours reads stock", kind, dtype, shape)


def main():
    cases = [("ndcell", "<f4", (40, 60, 50), (20, 30, 25), (10, 15, 25), 4),
             ("ndcell", "<i2", (300, 200), (128, 100), (64, 50), 8),
             ("ndcell", "|u1", (90, 91, 32), (32, 40, 32), (16, 40, 32), 3),
             ("ndcell", "<f8", (6, 7, 8, 90), (6, 7, 8, 45), (3, 7, 8, 15), 2),
             ("ndmean", "<f4", (64, 96), (32, 48), (16, 24), 4),
             ("ndmean", "<f8", (30, 40, 20), (16, 20, 20), (8, 10, 10), 4)]
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            check(folder, *case)
    print(f"{len(cases)} arrays both ways with python-blosc2 {blosc2.__version__}")


main()
