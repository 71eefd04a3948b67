# SPDX-License-Identifier: BSD-3-Clause
"""The codec blosc2 against python-blosc2: chunks, frames and arrays at random, both ways; files for reading.

    chunks.py PATH_OF_blosc2_serve [COUNT [SEED]]

What python-blosc2 writes is read, whole and in part, to the values that python-blosc2 itself reads. What we
write is opened by python-blosc2, with the same values, shape and parameters."""
import os
import subprocess
import sys

import blosc2
import numpy as np

F, C = blosc2.Filter, blosc2.Codec
FILTERS = [[], [F.SHUFFLE], [F.BITSHUFFLE], [F.DELTA], [F.DELTA, F.SHUFFLE], [F.BYTEDELTA], [F.SHUFFLE, F.BYTEDELTA], [F.NDCELL],
           [F.NDCELL, F.SHUFFLE], [F.NDCELL, F.BITSHUFFLE], [F.NDMEAN, F.SHUFFLE], [F.TRUNC_PREC, F.SHUFFLE], [F.INT_TRUNC, F.SHUFFLE],
           [F.SHUFFLE, F.SHUFFLE]]
CODECS = [C.BLOSCLZ, C.LZ4, C.LZ4HC, C.ZLIB, C.ZSTD]
FILL = {"i1": -127, "u1": 255, "i2": -32767, "u2": 65535, "i4": -2147483647, "u4": 4294967295, "i8": -9223372036854775806,
        "u8": 18446744073709551614, "f4": np.float32(9.9692099683868690e+36), "f8": 9.9692099683868690e+36}
TYPES = ["i1", "u2", "i4", "f4", "i8", "f8", "c16", "S3", "S12", "S24"]


class Served:
    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(os.environ, CELLAR_NUM_THREADS="4"))

    def ask(self, words, data):
        self.process.stdin.write(f"{words} {len(data)}\n".encode() + data)
        self.process.stdin.flush()
        line = self.process.stdout.readline().decode()
        assert line[:3] in ("ok ", "no "), f"blosc2_serve ended: {words}"
        answer = self.process.stdout.read(int(line[3:]))
        return answer if line.startswith("ok ") else answer.decode(errors="replace")


def values(rng, dtype, shape):
    """Numbers that a compressor can do something with, or not, or special ones."""
    n, kind = int(np.prod(shape)), rng.integers(0, 7)
    size = np.dtype(dtype).itemsize
    if kind == 0:
        return np.zeros(n, dtype).reshape(shape)
    if kind == 1:
        return np.frombuffer(rng.bytes(n * size), "u1").view(dtype).reshape(shape)
    if dtype[0] == "S":
        return np.frombuffer(bytes(rng.integers(0, 3, n * size, dtype="u1")), "u1").view(dtype).reshape(shape)
    walk = np.cumsum(rng.integers(-1, 3, n)).astype("f8")
    if kind == 2:
        walk[:] = walk[0]
    if kind == 3 and dtype[0] == "f":
        walk[:] = np.nan
    with np.errstate(invalid="ignore"):
        return (walk / 8 if dtype[0] in "fc" else np.nan_to_num(walk)).astype(dtype).reshape(shape)


def metas(rng, filters, dtype):
    size = np.dtype(dtype).itemsize
    return [int(rng.integers(1, 6)) if f in (F.NDCELL, F.NDMEAN) else int(rng.integers(1, 20)) if f == F.TRUNC_PREC
            else int(rng.integers(1, 8)) if f == F.INT_TRUNC else int(rng.choice([0, 0, 2, 3])) if f == F.SHUFFLE else 0 for f in filters]


def fits(filters, dtype):
    size = np.dtype(dtype).itemsize
    if F.NDMEAN in filters or F.TRUNC_PREC in filters:
        return dtype in ("f4", "f8")
    return F.INT_TRUNC not in filters or dtype[0] in "iu"


def is_lossy(filters):
    return F.NDMEAN in filters or F.TRUNC_PREC in filters or F.INT_TRUNC in filters


def theirs(rng, served):
    """An array of python-blosc2, chunk by chunk; None: it cannot make it itself."""
    rank = int(rng.integers(1, 5)) if rng.random() < 0.9 else int(rng.integers(5, 9))
    chunk = tuple(int(rng.integers(1, max(3, int(40000 ** (1 / rank))))) for _ in range(rank))
    block = tuple(int(rng.integers(1, c + 1)) for c in chunk)
    dtype = str(rng.choice(TYPES))
    filters = FILTERS[rng.integers(len(FILTERS))]
    if not fits(filters, dtype):
        return None
    cparams = dict(codec=CODECS[rng.integers(5)], clevel=int(rng.integers(0, 10)), filters=filters, filters_meta=metas(rng, filters, dtype),
                   splitmode=list(blosc2.SplitMode)[rng.integers(len(blosc2.SplitMode))], nthreads=1)
    a = values(rng, dtype, chunk)
    try:
        made = blosc2.asarray(a, chunks=chunk, blocks=block, cparams=cparams)
        want = made[:]
    except (RuntimeError, ValueError):
        return None
    if not is_lossy(filters) and want.tobytes() != a.tobytes():
        return None
    frame = made.to_cframe()
    got = served.ask(f"decode {a.nbytes}", frame)
    assert got == want.tobytes(), (chunk, block, dtype, cparams, got[:100] if isinstance(got, str) else "other values")
    start = [int(rng.integers(0, c)) for c in chunk]
    count = [int(rng.integers(1, c - s + 1)) for c, s in zip(chunk, start)]
    part = want[tuple(slice(s, s + n) for s, n in zip(start, count))]
    if int.from_bytes(frame[39:47], "big"):  # 0: the chunk is special, and its offset says so
        got = served.ask(f"part {','.join(map(str, start))} {','.join(map(str, count))} {part.nbytes}", frame)
        assert got == part.tobytes(), (chunk, block, dtype, cparams, start, count, got[:100] if isinstance(got, str) else "other values")
    return frame


def runs(rng, served):
    """A chunk without shape, with and without its frame."""
    dtype = str(rng.choice(TYPES))
    a = values(rng, dtype, (int(rng.integers(1, 20000)),))
    filters = [f for f in FILTERS[rng.integers(len(FILTERS))] if f not in (F.NDCELL, F.NDMEAN)]
    if not fits(filters, dtype):
        return
    cparams = dict(codec=CODECS[rng.integers(5)], clevel=int(rng.integers(0, 10)), filters=filters or [F.NOFILTER],
                   filters_meta=metas(rng, filters, dtype) or [0], blocksize=int(rng.choice([0, 256, 1024, 8192])) * a.itemsize,
                   typesize=a.itemsize, nthreads=1)
    s = blosc2.SChunk(chunksize=a.nbytes, cparams=cparams)
    try:
        s.append_data(a)
        want = s.decompress_chunk(0)
    except RuntimeError:
        return
    for form, data in (("chunk", s.get_chunk(0)), ("frame", s.to_cframe())):
        got = served.ask(f"decode {a.nbytes}", data)
        assert got == want, (form, dtype, cparams, got[:100] if isinstance(got, str) else "other values")


def files(rng, served):
    """A file with an array of several chunks: a part of it."""
    rank = int(rng.integers(1, 6))
    shape = tuple(int(rng.integers(1, max(3, int(60000 ** (1 / rank))))) for _ in range(rank))
    chunk = tuple(int(rng.integers(max(1, n // 4), n + 1)) for n in shape)
    block = tuple(int(rng.integers(1, c + 1)) for c in chunk)
    dtype = str(rng.choice(TYPES[:6]))
    filters = FILTERS[rng.integers(len(FILTERS))]
    if not fits(filters, dtype):
        return
    cparams = dict(codec=CODECS[rng.integers(5)], clevel=int(rng.integers(0, 10)), filters=filters, filters_meta=metas(rng, filters, dtype), nthreads=1)
    a = values(rng, dtype, shape)
    try:
        if rng.random() < 0.2:
            a = np.zeros(shape, dtype)
            made = blosc2.zeros(shape, dtype=dtype, chunks=chunk, blocks=block, urlpath="array.b2nd", mode="w")
            made[: shape[0] // 2] = a[: shape[0] // 2] = 7
        else:
            made = blosc2.asarray(a, chunks=chunk, blocks=block, cparams=cparams, urlpath="array.b2nd", mode="w")
        want = made[:]
    except (RuntimeError, ValueError):
        return
    if not is_lossy(filters):
        want = a  # c-blosc2 itself reads other values of some pipelines with several threads
    for whole in (True, False):
        start = [0 if whole else int(rng.integers(0, n)) for n in shape]
        count = [n if whole else int(rng.integers(1, n - s + 1)) for n, s in zip(shape, start)]
        part = want[tuple(slice(s, s + n) for s, n in zip(start, count))]
        got = served.ask(f"array {','.join(map(str, start))} {','.join(map(str, count))} {part.nbytes}", b"array.b2nd")
        assert got == part.tobytes(), (shape, chunk, block, dtype, cparams, start, count, got[:100] if isinstance(got, str) else "other values")


def ours(rng, served):
    rank = int(rng.integers(1, 5)) if rng.random() < 0.9 else int(rng.integers(5, 9))
    chunk = tuple(int(rng.integers(1, max(3, int(40000 ** (1 / rank))))) for _ in range(rank))
    dtype = str(rng.choice(TYPES[:6]))
    a = values(rng, dtype, chunk)
    cname = str(rng.choice(["blosclz", "lz4", "lz4hc", "zlib", "zstd"]))
    words = {"cname": cname, "clevel": int(rng.integers(0, 10)), "filter": str(rng.choice(["none", "shuffle", "bitshuffle", "delta"])),
             "blocksize": int(rng.choice([0, 0, 512, 4096]))}
    if rank > 1 and rng.random() < 0.6:
        words["filters"] = str(rng.choice(["shuffle+bytedelta", "ndcell:{}", "ndcell:{}+shuffle", "ndcell:{}+bitshuffle", "delta+shuffle", "shuffle:2"]))
        words["filters"] = words["filters"].format(rng.integers(1, 9))
    chain = "blosc2," + ",".join(f"{k}={v}" for k, v in words.items())
    got = served.ask(f"encode {chain} {a.dtype.kind}{a.itemsize} {'x'.join(map(str, chunk))}", a.tobytes())
    assert not isinstance(got, str), (got, chunk, dtype, chain)
    s = blosc2.schunk_from_cframe(got)
    assert (s.typesize, s.nchunks) == (a.itemsize, 1), (s.typesize, s.nchunks)
    assert s.cparams.codec.name.lower() == cname and s.cparams.clevel == words["clevel"], s.cparams
    if rank > 1:
        back = blosc2.ndarray_from_cframe(got)
        assert back.shape == back.chunks == chunk
        back = back[:].tobytes()
    else:
        try:
            back = s.decompress_chunk(0)
        except RuntimeError as e:
            raise AssertionError((str(e), chunk, dtype, chain, got[97:200].hex(" ")))
    assert back == a.tobytes(), (chunk, dtype, chain)
    if "filters" in words and "ndcell" not in words["filters"]:
        assert "+".join(f.name.lower() for f in s.cparams.filters if f != F.NOFILTER) == words["filters"].split(":")[0], s.cparams
    assert served.ask(f"decode {a.nbytes}", got) == a.tobytes(), (chunk, dtype, chain)


def our_files(rng, served):
    """A file that we write is an array of python-blosc2 with the same values and names, and reads back."""
    rank = int(rng.integers(1, 6))
    shape = tuple(int(rng.integers(1, max(3, int(40000 ** (1 / rank))))) for _ in range(rank))
    chunk = tuple(int(rng.integers(max(1, n // 4), n + 1)) for n in shape)
    dtype, order = str(rng.choice(["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"])), str(rng.choice(["<", "<", ">"]))
    a = np.ascontiguousarray(values(rng, dtype, shape))
    cname, how = str(rng.choice(["blosclz", "lz4", "lz4hc", "zlib", "zstd"])), str(rng.choice(["whole", "whole", "rows", "half"]))
    filters = str(rng.choice(["shuffle", "bitshuffle", "delta", "shuffle+bytedelta", "ndcell:3+shuffle", "delta+shuffle"]))
    chain = str(rng.choice(["-", "shuffle|deflate,level=4", "zstd,level=3", f"blosc2,cname={cname},clevel={rng.integers(0, 10)},filters={filters}",
                            f"blosc2,cname={cname},blocksize=4096,filter=none"]))
    got = served.ask(f"write {chain} {order if order == '>' else ''}{dtype} {'x'.join(map(str, shape))} {'x'.join(map(str, chunk))} {how}", a.tobytes())
    assert not isinstance(got, str), (got, shape, chunk, dtype, chain)
    made = blosc2.open("ours.b2nd")
    assert (made.shape, made.chunks, made.dtype) == (shape, chunk, np.dtype(order + dtype)), (made.info, shape, chunk, dtype)
    meta = made.schunk.vlmeta[:]
    assert meta["units"] == "m/s" and meta["scale"] == [0.5, 3.0] and meta["_ARRAY_DIMENSIONS"] == [f"dim{d}" for d in range(rank)], meta
    assert meta["_netcdf"]["name"] == "field" and meta["_netcdf"]["global"] == {"title": "test"}, meta
    written, want = shape[0] // 2 if how == "half" else shape[0], made[:]
    assert want[:written].tobytes() == a[:written].astype(order + dtype).tobytes(), (shape, chunk, dtype, chain, how)
    if how == "half":
        assert (want[written:] == FILL[dtype]).all(), (dtype, want[written:])
    back = served.ask(f"array {','.join('0' * rank)} {','.join(map(str, shape))} {a.nbytes}", b"ours.b2nd")
    assert back == want.astype(dtype).tobytes(), (shape, chunk, dtype, chain, how)


def damaged(rng, served, frame):
    """Another byte, or fewer: values or an error, and a process that goes on."""
    at = int(rng.integers(len(frame)))
    served.ask("decode 200000", frame[:at] + bytes([int(rng.integers(256))]) + frame[at + 1:])
    served.ask("decode 200000", frame[:at])


def changed_files(served, values):
    """Every byte of three small files, changed: values or an error."""
    field = (np.arange(6 * 9) // 5).reshape(6, 9)
    plain = blosc2.asarray(field.astype("i2"), chunks=(6, 9), blocks=(3, 4), cparams=dict(codec=C.LZ4, filters=[F.NDCELL, F.SHUFFLE], filters_meta=[2, 0]))
    several = blosc2.asarray(field.astype("f8"), chunks=(4, 5), blocks=(3, 4), cparams=dict(codec=C.BLOSCLZ))
    several.schunk.vlmeta["units"] = "m"
    special = blosc2.full((6, 9), 7, chunks=(6, 4), dtype="i4")
    for made in (plain, several, special):
        frame = made.to_cframe()
        for at in range(len(frame)):
            for value in range(1, 256, 256 // values):
                with open("changed.b2nd", "wb") as f:
                    f.write(frame[:at] + bytes([frame[at] ^ value]) + frame[at + 1:])
                served.ask("array 0,0 6,9 432", b"changed.b2nd")


def single_blocks(served):
    """Every block but one is damaged: what lies in that one is read, and nothing else. So no other is decoded."""
    field, read = (np.arange(12 * 18) // 5).reshape(12, 18).astype("i4"), 0
    for filters in ([F.SHUFFLE], [F.NDCELL, F.SHUFFLE]):
        made = blosc2.asarray(field, chunks=(12, 18), blocks=(5, 6), cparams=dict(codec=C.ZSTD, filters=filters, filters_meta=[2, 0][-len(filters):]))
        frame = made.to_cframe()
        chunk = int.from_bytes(frame[11:15], "big")
        offsets = [int.from_bytes(frame[chunk + 32 + 4 * i:chunk + 36 + 4 * i], "little") for i in range(9)]
        for block in range(9):
            damaged = bytearray(frame)
            for other in range(9):
                if other != block:
                    damaged[chunk + offsets[other]:chunk + offsets[other] + 4] = b"\xff\xff\xff\x7f"
            with open("damaged.b2nd", "wb") as f:
                f.write(damaged)
            row, column = block // 3 * 5, block % 3 * 6
            for start, count in (((row, column), (min(5, 12 - row), 6)), ((row + 1, column + 2), (1, 3))):
                part = field[start[0]:start[0] + count[0], start[1]:start[1] + count[1]]
                got = served.ask(f"array {start[0]},{start[1]} {count[0]},{count[1]} {part.nbytes}", b"damaged.b2nd")
                assert got == part.tobytes(), (block, start, count, got)
                read += 1
            got = served.ask(f"array {max(row - 1, 0)},{column} 6,6 144", b"damaged.b2nd")
            assert isinstance(got, str), "a damaged block was read"
    assert read == 36, read


def large_blocks(served):
    """Blocks that are large enough for several threads; and one of them damaged: the error is that of the first, for any number of threads."""
    rng = np.random.default_rng(3)
    field = np.cumsum(rng.integers(-3, 4, 60 * 130 * 170)).reshape(60, 130, 170).astype("f4")
    for filters, meta in (([F.DELTA, F.SHUFFLE], [0, 0]), ([F.SHUFFLE], [0]), ([F.NDCELL, F.BITSHUFFLE], [4, 0]), ([F.NDCELL, F.SHUFFLE], [4, 0])):
        for codec in (C.LZ4, C.ZSTD):
            made = blosc2.asarray(field, chunks=(40, 100, 150), blocks=(10, 50, 75), cparams=dict(codec=codec, filters=filters, filters_meta=meta, nthreads=1),
                                  urlpath="array.b2nd", mode="w")
            boxes = [((0, 0, 0), field.shape), ((0, 0, 0), (40, 100, 150))]
            boxes += [(start, tuple(int(rng.integers(1, n - s + 1)) for s, n in zip(start, field.shape)))
                      for start in (tuple(int(rng.integers(0, n)) for n in field.shape) for _ in range(8))]
            for start, count in boxes:
                part = field[tuple(slice(s, s + n) for s, n in zip(start, count))]
                got = served.ask(f"array {','.join(map(str, start))} {','.join(map(str, count))} {part.nbytes}", b"array.b2nd")
                assert got == part.tobytes(), (filters, codec, start, count, got[:100] if isinstance(got, str) else "other values")
    frame = bytearray(made.to_cframe())
    chunk = int.from_bytes(frame[11:15], "big")
    for block in (5, 2):  # of the first chunk, which has 16
        at = int.from_bytes(frame[chunk + 32 + 4 * block:chunk + 36 + 4 * block], "little")
        frame[chunk + at:chunk + at + 4] = b"\xff\xff\xff\x7f"
    with open("damaged.b2nd", "wb") as f:
        f.write(frame)
    texts = {served.ask("array 0,0,0 40,100,150 2400000", b"damaged.b2nd") for _ in range(20)}
    assert len(texts) == 1 and "block 2 " in texts.pop(), texts


def main():
    count, seed = int(sys.argv[2]) if len(sys.argv) > 2 else 400, int(sys.argv[3]) if len(sys.argv) > 3 else 1
    served, made = Served(sys.argv[1]), 0
    for i in range(count):
        rng = np.random.default_rng([seed, i])
        frame = theirs(rng, served)
        runs(rng, served)
        files(rng, served)
        ours(rng, served)
        our_files(rng, served)
        if frame:
            made += 1
            damaged(rng, served, frame)
    assert made > count / 3, made
    single_blocks(served)
    large_blocks(served)
    changed_files(served, 1 if count < 1000 else 255)
    print(f"{count} rounds, {made} arrays of python-blosc2")


main()
