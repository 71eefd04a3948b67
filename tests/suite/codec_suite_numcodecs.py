#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each codec decodes what numcodecs encodes, and the reverse; where the format leaves no
choice, or the library underneath is the same, the bytes are equal too.

codec_suite_numcodecs.py CODEC_SUITE_TOOL
"""
import json
import subprocess
import sys

import numcodecs
import numpy as np
from numcodecs.zfpy import ZFPY

tool = sys.argv[1]
bad = 0

smooth = 280 + 15 * np.sin(np.arange(4 * 33 * 17) / 300).reshape(4, 33, 17)
rng = np.random.default_rng(3)
DATA = [smooth.astype("<f4"), smooth.astype("<f8"), (smooth * 100).astype("<i4"), (smooth * 100).astype("<i2"),
        rng.integers(0, 255, (1, 40, 9), dtype="u1"), np.zeros((300,), "<i8"), np.arange(1, dtype="<i4")]

# codec, whether the bytes must be equal, kinds of data, largest error
CASES = [
    (numcodecs.Zlib(5), False, "fiu", 0),
    (numcodecs.GZip(5), False, "fiu", 0),
    (numcodecs.BZ2(9), True, "fiu", 0),
    (numcodecs.LZMA(preset=3), True, "fiu", 0),
    (numcodecs.Zstd(3), True, "fiu", 0),
    (numcodecs.Zstd(19), True, "fiu", 0),
    (numcodecs.LZ4(1), True, "fiu", 0),
    (numcodecs.LZ4(7), True, "fiu", 0),
    (numcodecs.CRC32(), True, "fiu", 0),
    (numcodecs.Adler32(), True, "fiu", 0),
    (ZFPY(mode=4, tolerance=0.01), True, "f", 0.01),
    (ZFPY(mode=3, precision=20), True, "f", 1),
    (ZFPY(mode=2, rate=16), True, "f", 1),
    (numcodecs.Base64(), True, "fiu", 0),
    (numcodecs.Delta("<i4"), True, "i4", 0),
    (numcodecs.Delta("<i4", "<i2"), True, "i4", 0),
    (numcodecs.Delta("<i2"), True, "i2", 0),
    (numcodecs.FixedScaleOffset(offset=270, scale=100, dtype="<f8", astype="<i2"), True, "f8", 0.006),
    (numcodecs.FixedScaleOffset(offset=260, scale=6, dtype="<f4", astype="|u1"), True, "f4", 0.1),
    (numcodecs.Quantize(2, "<f8"), True, "f8", 0.005),
    (numcodecs.Quantize(1, "<f4"), True, "f4", 0.05),
    (numcodecs.Quantize(2, "<f8", "<f4"), True, "f8", 0.005),
    (numcodecs.AsType("<f4", "<f8"), True, "f8", 1e-4),
    (numcodecs.AsType("<i8", "<i4"), True, "i4", 0),
    (numcodecs.BitRound(9), True, "f", 0.5),
] + [
    (numcodecs.Blosc(cname, 5, shuffle), True, "fiu", 0)
    for cname in ("blosclz", "lz4", "lz4hc", "zlib", "zstd", "snappy") for shuffle in (0, 1, 2)
]


def kind_of(a):
    return f"{a.dtype.kind}{a.dtype.itemsize}"


def run(mode, config, a, data):
    args = [tool, mode, json.dumps(config), kind_of(a), "x".join(map(str, a.shape))]
    done = subprocess.run(args, input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        raise RuntimeError(done.stderr.decode())
    return done.stdout


def check(ok, *what):
    global bad
    if not ok:
        bad += 1
        print(*what)


def values(raw, a):
    return np.frombuffer(raw, a.dtype).reshape(a.shape).astype("f8")


for codec, same_bytes, kinds, bound in CASES + [(numcodecs.Shuffle(0), True, "fiu", 0)]:
    for a in DATA:
        if a.dtype.kind not in kinds or (kinds[1:].isdigit() and kind_of(a) != kinds):
            continue
        if codec.codec_id == "zfpy" and a.dtype.itemsize < 4:
            continue
        if codec.codec_id == "shuffle":
            codec = numcodecs.Shuffle(a.dtype.itemsize)
        if codec.codec_id == "blosc" and a.size < 2:
            continue
        config = codec.get_config()
        config.pop("compression_kwargs", None)
        where = f"{config} on {kind_of(a)} {a.shape}"
        try:
            said = json.loads(run("json", config, a, b""))[0]
            check(numcodecs.get_codec(dict(said)) == codec or codec.codec_id == "zfpy", where, "our JSON:", said)
            theirs = np.ascontiguousarray(codec.encode(a)).tobytes()
            ours = run("encode", config, a, a.tobytes())
            check(not same_bytes or ours == theirs, where, "bytes differ:", len(ours), len(theirs))
            got = values(run("decode", config, a, theirs), a)
            check(np.max(np.abs(got - a.astype("f8"))) <= bound, where, "we read theirs wrongly")
            got = values(np.ascontiguousarray(codec.decode(ours)).tobytes(), a)
            check(np.max(np.abs(got - a.astype("f8"))) <= bound, where, "they read ours wrongly")
        except RuntimeError as e:
            check(False, where, e)
flags = rng.integers(0, 2, (5, 7)).astype("u1")
theirs = np.ascontiguousarray(numcodecs.PackBits().encode(flags.astype(bool))).tobytes()
check(run("encode", {"id": "packbits"}, flags, flags.tobytes()) == theirs, "packbits: bytes differ")
check(run("decode", {"id": "packbits"}, flags, theirs) == flags.tobytes(), "packbits: we read theirs wrongly")
print(f"{bad} differences")
sys.exit(1 if bad else 0)
