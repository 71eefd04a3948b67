# SPDX-License-Identifier: BSD-3-Clause
"""Both ways with zarr-python 3 and TensorStore, from the virtual environment of scripts/peers.sh."""
import sys, os
sys.path.insert(0, os.path.dirname(__file__))
from peer import *
import warnings
warnings.simplefilter("ignore")
import zarr, tensorstore as ts

SHAPE, CHUNKS = (13, 11), (5, 4)
CODECS = {"gzip": zarr.codecs.GzipCodec(level=5), "zstd": zarr.codecs.ZstdCodec(level=3),
          "zstd with checksum": zarr.codecs.ZstdCodec(level=3, checksum=True), "crc32c": zarr.codecs.Crc32cCodec()}
CODECS.update({f"blosc {c} {s}": zarr.codecs.BloscCodec(cname=c, clevel=5, shuffle=s)
               for c in ("lz4", "lz4hc", "blosclz", "zlib", "zstd") for s in ("noshuffle", "shuffle", "bitshuffle")})


def theirs(name, data, expect=None, **options):
    def act():
        path = fresh("theirs.zarr")
        group = zarr.create_group(path, zarr_format=3)
        options.setdefault("compressors", None)
        a = group.create_array("g/v" if options.pop("nested", False) else "v", shape=data.shape, dtype=data.dtype,
                               chunks=options.pop("chunks", CHUNKS[:data.ndim]), **options)
        a[...] = data
        _, got = get(path, "v")
        assert same(got, data if expect is None else expect), f"{got!r} != {data!r}"
    case("read zarr-python 3: " + name, act)


# --- they write, we read ---------------------------------------------------------------
for code in ("b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"):
    data = sample(code, SHAPE)
    theirs(code, data, data.astype("u1") if code == "b1" else data.astype("f4") if code == "f2" else None)
for name, codec in CODECS.items():
    theirs(name, sample("f4", SHAPE), compressors=[codec])
theirs("big endian", sample("i4", SHAPE), serializer=zarr.codecs.BytesCodec(endian="big"))
theirs("transpose", sample("f8", (5, 6, 7)), chunks=(2, 3, 4), filters=[zarr.codecs.TransposeCodec(order=(2, 0, 1))])
theirs("v2 keys", sample("f4", SHAPE), chunk_key_encoding={"name": "v2", "separator": "."})
theirs("scalar", np.array(3.5, "f4"), chunks=())
theirs("sharded", sample("f4", (20, 24)), shards=(10, 12), chunks=(5, 4), compressors=[CODECS["zstd"]])
theirs("sharded, ragged", sample("i4", (13, 11)), shards=(10, 8), chunks=(5, 4), compressors=[CODECS["gzip"]])
theirs("sharded in 3 dimensions", sample("f8", (9, 10, 11)), shards=(4, 6, 8), chunks=(2, 3, 4), compressors=[CODECS["blosc lz4 shuffle"]])
def sharded_at_start():
    path = fresh("s.zarr")
    g = zarr.create_group(path, zarr_format=3)
    data = sample("f4", (16, 16))
    a = g.create_array("v", shape=data.shape, dtype="f4", chunks=(8, 8), compressors=None, filters=None,
                       serializer=zarr.codecs.ShardingCodec(chunk_shape=(4, 4), index_location="start"))
    a[...] = data
    assert same(get(path, "v")[1], data)
case("read a shard with its index at the start", sharded_at_start)
def fills():
    for fill in (0.0, 5.5, float("nan"), float("inf"), -float("inf")):
        path = fresh("f.zarr")
        a = zarr.create_group(path, zarr_format=3).create_array("v", shape=(10,), chunks=(3,), dtype="f8", fill_value=fill)
        a[0:3] = 7
        want = np.full(10, fill); want[0:3] = 7
        assert same(get(path, "v")[1], want), fill
case("read missing chunks", fills)
words = np.array(["", "a", "zwölf", "日本語", "x" * 40] * 5, dtype=object).reshape(5, 5)
def strings():
    path = fresh("w.zarr")
    a = zarr.create_group(path, zarr_format=3).create_array("v", shape=words.shape, dtype=str, chunks=(2, 3))
    a[...] = words.astype(a.dtype)
    kind, got = get(path, "v")
    assert kind == "string" and same(got, words), got
case("read strings", strings)
def consolidated():
    path = fresh("c.zarr")
    g = zarr.create_group(path, zarr_format=3)
    g.create_array("v", shape=SHAPE, dtype="f4", chunks=CHUNKS)[...] = sample("f4", SHAPE)
    zarr.consolidate_metadata(path)
    assert same(get(path, "v")[1], sample("f4", SHAPE))
    assert same(get(f"file://{path}#mode=zarr,consolidated", "v")[1], sample("f4", SHAPE))
case("read consolidated metadata", consolidated)
def version2():
    path = fresh("v2.zarr")
    g = zarr.create_group(path, zarr_format=2)
    g.create_array("v", shape=SHAPE, dtype="f4", chunks=CHUNKS)[...] = sample("f4", SHAPE)
    assert same(get(path, "v")[1], sample("f4", SHAPE))
case("read version 2 by zarr-python 3", version2)
def version2_objects():
    codecs = {'{"id": "vlen-utf8"}': words, '[{"id": "vlen-utf8"}, {"id": "zstd", "level": 1}]': words,
              '{"id": "vlen-bytes"}': np.array([w.encode() for w in words.ravel()], dtype=object).reshape(words.shape),
              '{"id": "categorize", "labels": ["a", "zwölf", "日本語", "' + "x" * 40 + '"]}': words}
    for chain, want in codecs.items():
        path = fresh("o.zarr")
        put(f"file://{path}#mode=zarr", "v", words, (2, 3), chain, "string")
        got = zarr.open_group(path, mode="r")["v"][...]
        assert same(got.astype(object), want), f"{chain}: {got!r}"
    path = fresh("o3.zarr")
    put(f"file://{path}#mode=zarr,v3", "v", words, (2, 3), '[{"name": "vlen-utf8"}, {"name": "zstd", "configuration": {"level": 1}}]', "string")
    assert same(zarr.open_group(path, mode="r")["v"][...].astype(object), words)
case("zarr-python 3 reads our codecs for strings", version2_objects)
def version2_strings():
    path = fresh("s2.zarr")
    a = zarr.create_group(path, zarr_format=2).create_array("v", shape=words.shape, dtype=str, chunks=(2, 3), order="F")
    a[...] = words.astype(a.dtype)
    assert same(get(path, "v")[1], words)
    run("again", path, "v")
    assert same(zarr.open_group(path, mode="r")["v"][...].astype(object), words)
case("strings of version 2 both ways", version2_strings)
def transposed():
    path = fresh("t.zarr")
    data = sample("f4", (5, 6, 7))
    a = zarr.create_group(path, zarr_format=3).create_array("v", shape=data.shape, dtype="f4", chunks=(2, 3, 4), compressors=[CODECS["zstd"]],
                                                            filters=[zarr.codecs.TransposeCodec(order=(2, 0, 1))])
    a[...] = data
    run("again", path, "v")
    run("fill", path, "v", "1,2,3", "3,2,2", "9")
    data[1:4, 2:4, 3:5] = 9
    assert same(zarr.open_group(path, mode="r")["v"][...], data) and same(get(path, "v")[1], data)
case("transpose both ways", transposed)
def attributes():
    path = fresh("a.zarr")
    g = zarr.create_group(path, zarr_format=3, attributes={"title": "hello", "n": 3, "list": [1, 2.5], "words": ["a", "b"], "object": {"k": [1]}})
    g.create_array("v", shape=(2,), dtype="i4", chunks=(2,), attributes={"units": "K", "flag": True})
    text = run("att", path, "")
    for want in ("title char hello", "n int 3", "list double 1 2.5", "words string a b", 'object char {"k": [1]}'):
        assert want in text, text
    assert "units char K" in run("att", path, "v")
case("read attributes", attributes)

# --- we write, they read ------------------------------------------------------------------
def open_ts(path):
    return ts.open({"driver": "zarr3", "kvstore": {"driver": "file", "path": path}}).result()


def ours(name, data, chain="", mode="zarr,v3", nctype=None, expect=None, tensorstore=True):
    def act():
        path = fresh("ours.zarr")
        put(f"file://{path}#mode={mode}", "g/v", data, CHUNKS[:data.ndim], chain, nctype)
        want = data if expect is None else expect
        got = zarr.open_group(path, mode="r")["g/v"][...]
        assert same(got, want), f"zarr-python: {got!r} != {want!r}"
        if tensorstore:
            got = open_ts(path + "/g/v").read().result()
            assert same(got, want), f"TensorStore: {got!r} != {want!r}"
        assert same(get(path, "g/v")[1], want)
    case("write " + name, act)


for mode in ("zarr,v3", "nczarr,v3", "zarr3,consolidated"):
    for code in NC:
        ours(f"{mode} {code}", sample("<" + code, SHAPE), "zstd,level=3", mode)
for chain in ("", "gzip,level=3", "blosc,cname=zstd,shuffle=bitshuffle", "blosc,cname=lz4,shuffle=shuffle", "zstd,level=3|crc32c", "crc32c"):
    ours("chain " + (chain or "(none)"), sample("<f4", SHAPE), chain)
for chain in ("shuffle|deflate,level=3", "bzip2,level=9", "delta|zstd", "shuffle|zstd,level=3"):
    ours("numcodecs chain " + chain, sample("<i4", SHAPE), chain, tensorstore=False)
ours("strings", words, "zstd,level=3", nctype="string", tensorstore=False, expect=words)
ours("scalar", np.array(42, "<i4"))

# --- shards: we make them ----------------------------------------------------------------------
BYTES = '{"name":"bytes","configuration":{"endian":"little"}}'
def sharded_json(inner, codecs=(), **more):
    import json
    config = {"chunk_shape": inner, "codecs": [json.loads(BYTES), *codecs], **more}
    return json.dumps([{"name": "sharding_indexed", "configuration": config}])


def ours_sharded(name, shape, shard, text, mode="zarr,v3", check_chain=None):
    def act():
        data = sample("<f4", shape)
        path = fresh("shards.zarr")
        put(f"file://{path}#mode={mode}", "g/v", data, shard, text)
        a = zarr.open_group(path, mode="r")["g/v"]
        assert a.shards == shard, a.shards
        assert same(a[...], data), "zarr-python"
        assert same(open_ts(path + "/g/v").read().result(), data), "TensorStore"
        assert same(get(path, "g/v")[1], data)
    case("write shards: " + name, act)


ZSTD = {"name": "zstd", "configuration": {"level": 3, "checksum": False}}
ours_sharded("zstd", (20, 24), (10, 12), sharded_json([5, 4], [ZSTD]))
ours_sharded("nothing else, nczarr", (20, 24), (10, 12), sharded_json([5, 4]), mode="nczarr,v3")
ours_sharded("ragged", (33, 29), (10, 12), sharded_json([5, 3], [ZSTD]))
ours_sharded("3 dimensions, blosc", (9, 10, 11), (4, 6, 8), sharded_json([2, 3, 4], [
    {"name": "blosc", "configuration": {"cname": "lz4", "clevel": 5, "shuffle": "shuffle", "typesize": 4, "blocksize": 0}}]))
ours_sharded("index at the start", (20, 24), (10, 12), sharded_json([5, 4], [ZSTD], index_location="start"))
ours_sharded("index without a check", (20, 24), (10, 12), sharded_json([5, 4], [ZSTD], index_codecs=[{"name": "bytes", "configuration": {"endian": "little"}}]))
ours_sharded("a chunk a shard", (20, 24), (10, 12), sharded_json([10, 12], [ZSTD]))
ours_sharded("more shards than are kept open", (400, 40), (10, 8), sharded_json([5, 4], [ZSTD]))

# --- shards: codecs around, axes permuted, shards within shards ------------------------------------------
def odd_shards(name, codecs, shape=(24, 36), outer=(12, 18), by_zarr=True):
    """TensorStore or zarr-python writes, we read; then we change a part, and they read."""
    def act():
        import json
        path = fresh("odd.zarr")
        data = sample("<f4", shape)
        os.makedirs(path + "/v")
        json.dump({"zarr_format": 3, "node_type": "group", "attributes": {}}, open(path + "/zarr.json", "w"))
        json.dump({"zarr_format": 3, "node_type": "array", "shape": shape, "data_type": "float32", "attributes": {},
                   "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": outer}},
                   "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
                   "fill_value": 0.0, "codecs": codecs}, open(path + "/v/zarr.json", "w"))
        def theirs_read():
            return zarr.open_group(path, mode="r")["v"][...] if by_zarr else open_ts(path + "/v").read().result()
        if by_zarr:
            zarr.open_group(path, mode="r+")["v"][...] = data
        else:
            open_ts(path + "/v").write(data).result()
        assert same(get(path, "v")[1], data), "read"
        run("fill", path, "v", "3,3", "14,25", "99")
        data[3:17, 3:28] = 99
        assert same(get(path, "v")[1], data), "read again"
        assert same(theirs_read(), data), "they read"
    case("shards, " + name, act)


INDEX = [json_bytes := {"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]
BIG_INDEX = [{"name": "bytes", "configuration": {"endian": "big"}}]
def shard(inner, codecs, index=INDEX, location="end"):
    return {"name": "sharding_indexed", "configuration": {"chunk_shape": inner, "codecs": codecs, "index_codecs": index, "index_location": location}}
GZIP = {"name": "gzip", "configuration": {"level": 1}}
T = lambda *order: {"name": "transpose", "configuration": {"order": order}}
odd_shards("gzip around", [shard([6, 6], [json_bytes]), GZIP])  # TensorStore refuses codecs around shards
odd_shards("crc32c around, gzip within", [shard([6, 6], [json_bytes, GZIP], location="start"), {"name": "crc32c"}])
odd_shards("within shards within gzip, transposed",
           [shard([6, 6], [T(1, 0), shard([2, 3], [T(1, 0), json_bytes], location="start"), {"name": "crc32c"}]), GZIP])
odd_shards("transposed before, lengths that differ", [T(1, 0), shard([9, 4], [json_bytes, GZIP])], by_zarr=False)  # zarr-python refuses them
for by_zarr in (True, False):
    who = "zarr-python" if by_zarr else "TensorStore"
    odd_shards(f"transposed within ({who})", [shard([6, 6], [T(1, 0), json_bytes, GZIP])], by_zarr=by_zarr)
    odd_shards(f"transposed before ({who})", [T(1, 0), shard([6, 6], [json_bytes, GZIP])], by_zarr=by_zarr)
    odd_shards(f"index big-endian, unchecked ({who})", [shard([6, 6], [json_bytes], BIG_INDEX)], by_zarr=by_zarr)
    odd_shards(f"within shards ({who})", [shard([6, 6], [shard([3, 2], [json_bytes, GZIP])])], by_zarr=by_zarr)

# --- shards: we change what they wrote -------------------------------------------------------
def rewrite_shard():
    path = fresh("shard.zarr")
    data = sample("f4", (20, 24))
    g = zarr.create_group(path, zarr_format=3)
    g.create_array("v", shape=data.shape, dtype="f4", chunks=(5, 4), shards=(10, 12), compressors=[CODECS["zstd"]])[...] = data
    run("fill", path, "v", "3,3", "4,5", "99")
    data[3:7, 3:8] = 99
    assert same(zarr.open_group(path, mode="r")["v"][...], data)
    assert same(open_ts(path + "/v").read().result(), data)
case("rewrite part of their shards", rewrite_shard)
def two_processes_in_a_shard():
    import subprocess
    path = fresh("shared.zarr")
    zarr.create_group(path, zarr_format=3).create_array("v", shape=(40, 40), dtype="f4", chunks=(10, 10), shards=(40, 40))
    for turn in range(5):
        jobs = [subprocess.Popen([tool, "fill", path, "v", f"{10 * (i // 4)},{10 * (i % 4)}", "10,10", str(100 * turn + i + 1)])
                for i in range(16)]
        assert all(j.wait() == 0 for j in jobs)
        got = zarr.open_group(path, mode="r")["v"][...]
        want = np.kron(np.arange(16).reshape(4, 4) + 100 * turn + 1, np.ones((10, 10)))
        assert same(got, want.astype("f4")), f"turn {turn}: a chunk was lost"
case("16 processes write chunks of one shard", two_processes_in_a_shard)
def one_element():
    path = fresh("large.zarr")
    a = zarr.create_group(path, zarr_format=3).create_array("v", shape=(1000, 10000), dtype="f4", chunks=(10, 10), shards=(1000, 10000),
                                                             compressors=None)
    a[500:510, 500:510] = 7
    value, reads, nbytes = run("count", path, "v", "505,505").split()
    assert float(value) == 7
    index = 16 * 100 * 1000 + 4  # 10^5 inner chunks
    assert int(reads) <= 4 and int(nbytes) <= index + 400 + 64, (reads, nbytes)
case("one element of 10^5 inner chunks reads one index and one chunk", one_element)
finish()
