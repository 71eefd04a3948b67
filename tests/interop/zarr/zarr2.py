# SPDX-License-Identifier: BSD-3-Clause
"""Both ways with Debian's zarr-python 2 and numcodecs, and xarray."""
import sys, os
sys.path.insert(0, os.path.dirname(__file__))
from peer import *
import numcodecs, zarr, warnings
warnings.simplefilter("ignore")

SHAPE, CHUNKS = (13, 11), (5, 4)

# --- they write, we read -----------------------------------------------------------
def theirs(name, data, expect=None, url=None, **options):
    def act():
        path = fresh(name + ".zarr")
        group = zarr.open_group(path, "w")
        group.create_dataset("v", data=data, chunks=options.pop("chunks", CHUNKS[:data.ndim]), **options)
        _, got = get(url(path) if url else path, "v")
        assert same(got, data if expect is None else expect), f"{got!r} != {data!r}"
    case("read " + name, act)

for dtype in ["|b1", "|i1", "|u1"] + [o + k for o in "<>" for k in ("i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8")]:
    for order in "CF":
        data = sample(dtype, SHAPE)
        expect = data.astype("u1") if dtype == "|b1" else data.astype("f4") if dtype[1:] == "f2" else None
        theirs(f"dtype {dtype} {order}", data, expect, order=order, compressor=None)
theirs("separator", sample("<i4", SHAPE), dimension_separator="/")
theirs("three axes F", sample("<f8", (5, 6, 7)), chunks=(2, 3, 4), order="F")
for fill in (0, 5, None, float("nan"), float("inf"), -float("inf"), 1e20, 0.1):
    def act(fill=fill):
        path = fresh("fill.zarr")
        a = zarr.open_group(path, "w").create_dataset("v", shape=(10,), chunks=(3,), dtype="<f8", fill_value=fill)
        a[0:3] = 7
        want = np.full(10, 0.0 if fill is None else fill); want[0:3] = 7
        assert same(get(path, "v")[1], want)
    case(f"read missing chunks, fill {fill}", act)

codecs = [numcodecs.Zlib(5), numcodecs.GZip(5), numcodecs.BZ2(5), numcodecs.LZ4(), numcodecs.Zstd(5), numcodecs.Zstd(-5), numcodecs.LZMA()] + \
         [numcodecs.Blosc(c, 5, s) for c in ("lz4", "lz4hc", "blosclz", "zlib", "zstd", "snappy") for s in (0, 1, 2)]
for c in codecs:
    theirs(f"codec {c!r}", sample("<f4", SHAPE), compressor=c)
filters = {
    "delta": ([numcodecs.Delta("<i4")], "<i4"),
    "delta astype": ([numcodecs.Delta("<i4", "<i8")], "<i4"),
    "shuffle": ([numcodecs.Shuffle(4)], "<f4"),
    "crc32": ([numcodecs.CRC32()], "<f4"),
    "adler32": ([numcodecs.Adler32()], "<f4"),
    "fixedscaleoffset": ([numcodecs.FixedScaleOffset(-1000, 10, "<f8", "<i4")], "<f8"),
    "quantize": ([numcodecs.Quantize(2, "<f8")], "<f8"),
    "bitround": ([numcodecs.BitRound(7)], "<f4"),
    "packbits": ([numcodecs.PackBits()], "|b1"),
    "astype": ([numcodecs.AsType("<f4", "<f8")], "<f8"),
    "astype half": ([numcodecs.AsType("<f2", "<f8")], "<f8"),
    "base64": ([numcodecs.Base64()], "<i2"),
}
for name, (chain, dtype) in filters.items():
    def act(chain=chain, dtype=dtype):
        path = fresh("filter.zarr")
        a = zarr.open_group(path, "w").create_dataset("v", data=sample(dtype, SHAPE), chunks=CHUNKS, filters=chain, compressor=numcodecs.Zlib(1))
        want = a[:]
        assert same(get(path, "v")[1], want.astype("u1") if want.dtype == bool else want)
    case("read filter " + name, act)
words = np.array(["", "a", "zwölf", "日本語", "x" * 40] * 5, dtype=object).reshape(5, 5)
ascii_words = np.array(["", "ab", "abcdefgh"] * 4, dtype=object).reshape(3, 4)
theirs("fixed bytes", ascii_words.astype("S8"), ascii_words, chunks=(2, 2))
theirs("utf-32 little", words.astype("<U40"), words, chunks=(2, 3))
theirs("utf-32 big", words.astype(">U40"), words, chunks=(2, 3))
theirs("vlen-utf8", words, words, chunks=(2, 3), dtype=object, object_codec=numcodecs.VLenUTF8())
def both_ways(name, data, expect=None, **options):
    """They write, we read and write back, they read."""
    def act():
        path = fresh("both.zarr")
        a = zarr.open_group(path, "w").create_dataset("v", shape=data.shape, chunks=options.pop("chunks", (2, 3)), **options)
        a[...] = data
        want = data if expect is None else expect
        assert same(get(path, "v")[1], want), "read"
        for key in os.listdir(path + "/v"):  # only what we write counts
            assert key.startswith(".") or os.path.getsize(path + "/v/" + key)
        before = a[...]
        run("again", path, "v")
        after = zarr.open_group(path, "r")["v"][...]
        assert all(np.array_equal(x, y) for x, y in zip(before.ravel(), after.ravel())), f"{after!r} != {before!r}"
    case("both ways " + name, act)
for order_filters in ([], [numcodecs.Shuffle(4)], [numcodecs.Delta("<i4")]):
    both_ways(f"order F, {order_filters}", sample("<i4", (9, 7, 11)), chunks=(4, 3, 5), dtype="<i4", order="F", filters=order_filters)
both_ways("order F, big-endian", sample(">i4", SHAPE), chunks=CHUNKS, dtype=">i4", order="F")
both_ways("order F, strings", words, dtype=object, order="F", object_codec=numcodecs.VLenUTF8())
both_ways("order F, utf-32", words.astype("<U40"), words, dtype="<U40", order="F")
both_ways("order F, half", sample("<f2", SHAPE), sample("<f2", SHAPE).astype("f4"), chunks=CHUNKS, dtype="<f2", order="F")
for order in "CF":
    big = (np.arange(25) + 1j * np.arange(25)).reshape(5, 5)
    both_ways("complex big-endian " + order, big.astype(">c8"), big.astype("<c8").tobytes(), dtype=">c8", order=order)
colours = np.array(["red", "green", "blue", "", "green"] * 5).reshape(5, 5)
both_ways("json2", words, dtype=object, object_codec=numcodecs.JSON())
both_ways("json2, one axis, zlib", words.ravel(), dtype=object, object_codec=numcodecs.JSON(), chunks=(4,), compressor=numcodecs.Zlib(1))
both_ways("vlen-utf8", words, dtype=object, object_codec=numcodecs.VLenUTF8())
both_ways("categorize U", colours, colours.astype(object), dtype="<U5", filters=[numcodecs.Categorize(["red", "green", "blue"], dtype="<U5")])
both_ways("categorize O, 2 bytes", colours.astype(object), dtype=object,
          object_codec=numcodecs.Categorize(["red", "green", "blue"], dtype=object, astype=">u2"))
def lists(dtype, **options):
    def act():
        path = fresh("lists.zarr")
        data = np.empty((3, 4), dtype=object)
        for i in range(12):
            data.flat[i] = np.arange(i % 5).astype(dtype) * 3 + i
        a = zarr.open_group(path, "w").create_dataset("v", shape=(3, 4), chunks=(2, 3), dtype=object, object_codec=numcodecs.VLenArray(dtype), **options)
        a[...] = data
        out = os.path.join(work, "lists.txt")
        for turn in range(2):
            run("get", path, "v", out)
            got = [[float(x) for x in line.split()] for line in open(out)]
            assert got == [list(map(float, x)) for x in data.flat], got
            assert all(np.array_equal(x, y) for x, y in zip(zarr.open_group(path, "r")["v"][...].flat, data.flat)), turn
            run("again", path, "v")
    case(f"both ways vlen-array {dtype}", act)
import lzma
raw = [{"id": lzma.FILTER_DELTA, "dist": 4}, {"id": lzma.FILTER_LZMA2, "preset": 1}]
LZMAS = {"raw": numcodecs.LZMA(format=lzma.FORMAT_RAW, filters=raw),
         "raw, options": numcodecs.LZMA(format=lzma.FORMAT_RAW, filters=[{"id": lzma.FILTER_LZMA2, "preset": 7, "dict_size": 1 << 16, "lc": 2, "lp": 1, "pb": 1}]),
         "raw LZMA1": numcodecs.LZMA(format=lzma.FORMAT_RAW, filters=[{"id": lzma.FILTER_LZMA1, "preset": 3}]),
         "raw x86": numcodecs.LZMA(format=lzma.FORMAT_RAW, filters=[{"id": lzma.FILTER_X86}, {"id": lzma.FILTER_LZMA2, "preset": 6}]),
         "alone": numcodecs.LZMA(format=lzma.FORMAT_ALONE),
         "extreme": numcodecs.LZMA(preset=3 | lzma.PRESET_EXTREME)}
for name, codec in LZMAS.items():
    both_ways("lzma " + name, sample("<i4", SHAPE), chunks=CHUNKS, dtype="<i4", compressor=codec)
both_ways("complex", (np.arange(25) + 1j * np.arange(25)).astype("<c8").reshape(5, 5),
          (np.arange(25) + 1j * np.arange(25)).astype("<c8").tobytes(), dtype="<c8", fill_value=1)
lists("<f8")
lists("<i4", compressor=numcodecs.Zlib(1))
lists(">f4")
def zip_act():
    path = fresh("their.zip")
    store = zarr.ZipStore(path, mode="w")
    zarr.group(store).create_dataset("g/v", data=sample("<f4", SHAPE), chunks=CHUNKS)
    store.close()
    assert same(get(path, "g/v")[1], sample("<f4", SHAPE))
case("read their zip", zip_act)
def consolidated_act():
    path = fresh("cons.zarr")
    g = zarr.open_group(path, "w"); g.create_dataset("v", data=sample("<f4", SHAPE), chunks=CHUNKS)
    zarr.consolidate_metadata(path)
    assert same(get(f"file://{path}#mode=zarr,consolidated", "v")[1], sample("<f4", SHAPE))
case("read consolidated", consolidated_act)

# --- we write, they read ----------------------------------------------------------------
def ours(name, data, chain="", mode="nczarr", expect=None, nctype=None, chunks=CHUNKS):
    def act():
        path = fresh("ours.zip" if "zip" in mode else "ours.zarr")
        put(f"file://{path}#mode={mode}", "g/v", data, chunks[:data.ndim], chain, nctype)
        got = zarr.open_group(path, "r")["g/v"][...]
        assert same(got, data if expect is None else expect), f"{got!r} != {data!r}"
    case("write " + name, act)

for mode in ("nczarr", "zarr", "zarr,zip", "nczarr,consolidated"):
    for code in NC:
        ours(f"{mode} {code}", sample("<" + code, SHAPE), "shuffle|deflate,level=3" if code[1] != "1" else "deflate,level=3", mode)
for chain in ("zstd,level=3", "bzip2,level=9", "blosc,cname=zstd,shuffle=bitshuffle", "blosc,cname=lz4", "shuffle|zstd,level=1", "gzip,level=3",
              "lzma", "crc32|zstd", "adler32", "delta|zstd", "bitround,keepbits=7|zstd", "lz4block"):
    ours("chain " + chain, sample("<f4" if "bitround" in chain else "<i4", SHAPE), chain, expect=None if "bitround" not in chain else
         numcodecs.BitRound(7).decode(numcodecs.BitRound(7).encode(sample("<f4", SHAPE).ravel())).view("<f4").reshape(SHAPE))
ours("strings", words, "deflate,level=1", expect=np.array([s.encode() for s in words.ravel()]).reshape(words.shape), nctype="string")
ours("chars", np.array([b"a", b"b", b"c"] * 5), nctype="char", chunks=(4,))
ours("scalar in plain Zarr", np.array(42, "<i4"), mode="zarr", chunks=())

# Codecs that make bytes of elements: they read ours, we read it again, they read what we wrote back.
def made(name, data, chain, expect=None, nctype="string", mode="nczarr", chunks=(2, 3)):
    def act():
        path = fresh("made.zarr")
        put(f"file://{path}#mode={mode}", "v", data, chunks[:data.ndim], chain, nctype)
        want = data if expect is None else expect
        a = zarr.open_group(path, "r")["v"]
        assert same(a[...], want), f"{a[...]!r} != {want!r}"
        assert same(get(path, "v")[1], want)
        run("again", path, "v")
        assert same(zarr.open_group(path, "r")["v"][...], want), "again"
        assert a.filters[0] == numcodecs.get_codec(a.filters[0].get_config())
    case(f"make {name}, {mode}", act)
for mode in ("nczarr", "zarr", "zarr,consolidated"):
    made("vlen-utf8", words, '[{"id": "vlen-utf8"}, {"id": "zlib", "level": 1}]', mode=mode)
    made("vlen-utf8, alone", words, '{"id": "vlen-utf8"}', mode=mode)
    made("json2", words, '[{"id": "json2"}, {"id": "zlib", "level": 1}]', mode=mode)
    made("json2 with parameters", words, '[{"id": "json2", "encoding": "utf-8", "sort_keys": true, "strict": true}]', mode=mode)
    made("json2, three axes", words.reshape(5, 1, 5), '{"id": "json2"}', chunks=(2, 1, 3), mode=mode)
    made("categorize", colours.astype(object), '[{"id": "categorize", "labels": ["red", "green", "blue"]}, {"id": "zstd", "level": 1}]', mode=mode)
    made("categorize of objects", colours.astype(object), '[{"id": "categorize", "labels": ["red", "green", "blue"], "dtype": "|O", "astype": "<i2"}]',
         mode=mode)
many = np.array([f"name {i}" for i in range(300)], dtype=object)
made("categorize with many labels", many, '[{"id": "categorize", "labels": [' + ", ".join(f'"name {i}"' for i in range(300)) + "]}]", chunks=(64,))
for code, name in NC.items():
    made(f"json2 of {name}", sample("<" + code, SHAPE), '[{"id": "json2"}, {"id": "zlib", "level": 1}]', nctype=name, chunks=CHUNKS)
odd = np.array([[np.nan, np.inf, -np.inf], [0.1, -0.0, 9.96921e+36]])
made("json2 of NaN and infinities", odd, '{"id": "json2"}', nctype="double")
theirs("json2 of numbers", odd, chunks=(2, 2), filters=[numcodecs.JSON()], compressor=None)
both_ways("json2 of numbers", sample("<i8", SHAPE), dtype="<i8", chunks=CHUNKS, filters=[numcodecs.JSON()])
both_ways("json2 of booleans", sample("|b1", SHAPE), sample("|b1", SHAPE).astype("u1"), dtype="|b1", chunks=CHUNKS, filters=[numcodecs.JSON()])
def made_lists(nctype, dtype, chain="", mode="nczarr"):
    def act():
        path, name = fresh("madelists.zarr"), os.path.join(work, "lists.txt")
        data = [np.arange(i % 5).astype(dtype) * 3 + i for i in range(12)]
        with open(name, "w") as f:
            f.write("".join(" ".join(str(x) for x in d) + "\n" for d in data))
        run("put", f"file://{path}#mode={mode}", "v", nctype, "3,4", "2,3", chain, name)
        for turn in range(2):
            got = zarr.open_group(path, "r")["v"][...]
            assert all(np.array_equal(x, y) and x.dtype == np.dtype(dtype) for x, y in zip(got.flat, data)), f"{turn}: {got!r}"
            run("again", path, "v")
        head = run("get", path, "v", name).split()
        assert head[0] == ("my_lists" if mode == "nczarr" else "vlen_" + nctype[:-1]), head
        assert [[float(x) for x in line.split()] for line in open(name)] == [list(map(float, x)) for x in data]
    case(f"make lists of {nctype} {chain} {mode}", act)
for mode in ("nczarr", "zarr"):
    made_lists("double*", "<f8", mode=mode)
    made_lists("int*", "<i4", '[{"id": "vlen-array"}, {"id": "zlib", "level": 1}]', mode)
    made_lists("int*", ">i4", '{"id": "vlen-array", "dtype": ">i4"}', mode)
def refused(name, nctype, chain, part, mode="nczarr"):
    def act():
        data = words if nctype == "string" else sample("<f4", (5, 5))
        try:
            put(f"file://{fresh('refused.zarr')}#mode={mode}", "v", data, (2, 3), chain, nctype)
        except AssertionError as e:
            assert part in str(e), e
            return
        assert False, "it was made"
    case("refuse " + name, act)
refused("json2 in version 3", "string", '{"id": "json2"}', "version 2", "zarr,v3")
refused("a second object codec", "string", '[{"id": "json2"}, {"id": "vlen-utf8"}]', "comes first")
refused("an object codec that is not first", "string", '[{"id": "zlib", "level": 1}, {"id": "json2"}]', "comes first")
refused("text codec on numbers", "float", '{"id": "vlen-utf8"}', "not for type float")
refused("lists of numbers that are none", "float", '{"id": "vlen-array"}', "not for type float")
refused("a parameter nobody knows", "string", '{"id": "json2", "indnt": 2}', "no parameter indnt")
refused("an encoding that is not written", "string", '{"id": "json2", "encoding": "utf-16"}', "utf-16")
refused("no labels", "string", '{"id": "categorize"}', "labels")
refused("a label that is no string", "string", '{"id": "categorize", "labels": ["a", 1]}', "label 1")
refused("too many labels", "string", '{"id": "categorize", "labels": ["' + '", "'.join(map(str, range(256))) + '"], "astype": "|u1"}', "more than")
refused("a value that is no label", "string", '{"id": "categorize", "labels": ["a"]}', "none of its labels")
refused("objects packed by Python", "string", '{"id": "pickle"}', "pickle")

def xarray_act():
    import xarray
    path = fresh("x.zarr")
    put(f"file://{path}#mode=nczarr", "t", sample("<f4", SHAPE), CHUNKS, "shuffle|zstd,level=3")
    ds = xarray.open_zarr(path, consolidated=False)
    assert ds["t"].dims == ("dim_0_13", "dim_1_11") and same(ds["t"].values, sample("<f4", SHAPE))
    back = fresh("x2.zarr")
    xarray.Dataset({"u": (("y", "x"), sample("<f8", SHAPE), {"units": "K", "flag": 3})}).to_zarr(back)
    assert same(get(back, "u")[1], sample("<f8", SHAPE))
    text = run("att", back, "u")
    assert "units char K" in text and "flag int 3" in text, text
case("xarray both ways", xarray_act)
def empty_strings():
    import xarray
    path = fresh("e.zarr")
    put(f"file://{path}#mode=zarr", "t", words, (5, 5), '{"id": "vlen-utf8"}', "string")
    assert same(xarray.open_zarr(path, consolidated=False)["t"].values, words)  # none of them is a missing value
    assert same(get(path, "t")[1], words)
case("xarray reads our empty strings", empty_strings)
finish()
