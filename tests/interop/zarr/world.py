# SPDX-License-Identifier: BSD-3-Clause
"""What other libraries' stores have beside arrays of numbers, and what ours must have for them: structures, times,
bfloat16, consolidated metadata, ASCII documents, codecs by several names. With zarr-python 3 (scripts/peers.sh)."""
import sys, os, json
sys.path.insert(0, os.path.dirname(__file__))
from peer import *
import warnings
warnings.simplefilter("ignore")
import zarr, ml_dtypes

DATA = sample("<f4", (6, 5))


def document(path, change):
    with open(path) as f:
        doc = json.load(f)
    change(doc)
    with open(path, "w") as f:
        json.dump(doc, f)


def of_zarr(version, data, name="v", **options):
    path = fresh("theirs.zarr")
    group = zarr.create_group(path, zarr_format=version)
    a = group.create_array(name, shape=data.shape, dtype=data.dtype, chunks=options.pop("chunks", data.shape), **options)
    a[...] = data
    return path


# --- structures ------------------------------------------------------------------------
RECORDS = {
    "numbers and text": np.array([(1, 2.5, b"ab"), (3, 4.5, b"c")], dtype=[("a", "<i4"), ("b", "<f8"), ("s", "S3")]),
    "both byte orders, nested": np.array([(1, (2, 3)), (300, (4, 5))], dtype=[("a", ">i2"), ("n", [("x", "<i4"), ("y", "u1")])]),
    "code points": np.array([("ab", 1), ("日本", 2)], dtype=[("u", "<U4"), ("n", "u1")]),
    "code points, big-endian": np.array([("ab", 1), ("日本", 2)], dtype=[("u", ">U4"), ("n", ">u2")]),
}


def in_memory(values):
    """The bytes that netCDF's compound has: little-endian numbers, text as UTF-8 of four bytes a character."""
    out = b""
    for record in np.atleast_1d(values):
        for name in values.dtype.names:
            kind, v = values.dtype[name], record[name]
            if kind.names:
                out += in_memory(np.asarray(v))
            elif kind.kind == "U":
                out += str(v).encode().ljust(kind.itemsize, b"\0")
            elif kind.kind == "S":
                out += bytes(v).ljust(kind.itemsize, b"\0")
            else:
                out += np.asarray(v).astype(kind.newbyteorder("<")).tobytes()
    return out


def records(version, name, values):
    def act():
        path = of_zarr(version, values, compressors=None)
        try:
            theirs = zarr.open_group(path, mode="r")["v"][...]  # version 3 of 3.1 loses the byte order of fields
        except ValueError:
            theirs = values  # ... and does not read its own nested fields of version 2
        assert get(path, "v")[1] == in_memory(theirs), get(path, "v")[1]
        stored = open(path + ("/v/0" if version == 2 else "/v/c/0"), "rb").read()
        run("again", path, "v")  # read, and written back
        assert get(path, "v")[1] == in_memory(theirs)
        assert open(path + ("/v/0" if version == 2 else "/v/c/0"), "rb").read() == stored
    case(f"v{version} structure: {name}", act)


for version in (2, 3):
    for name, values in RECORDS.items():
        if version == 2 or "big-endian" not in name:  # 3.1 stores it in an order that its metadata does not tell
            records(version, name, values)
def big_records():
    values = RECORDS["numbers and text"]
    path = of_zarr(3, values, serializer=zarr.codecs.BytesCodec(endian="big"), compressors=None)
    assert get(path, "v")[1] == in_memory(values)
case("v3 structure behind big-endian bytes", big_records)
def subarray():
    path = fresh("sub.zarr")
    os.makedirs(path + "/v")
    open(path + "/.zgroup", "w").write('{"zarr_format": 2}')
    raw = np.array([(1, [1.5, 2.5, 3.5])], dtype=[("a", "<i4"), ("arr", ">f4", (3,))])
    raw.tofile(path + "/v/0")
    json.dump({"zarr_format": 2, "shape": [1], "chunks": [1], "dtype": [["a", "<i4"], ["arr", ">f4", [3]]], "compressor": None,
               "filters": None, "fill_value": None, "order": "C"}, open(path + "/v/.zarray", "w"))
    assert get(path, "v")[1] == np.array([(1, [1.5, 2.5, 3.5])], dtype=[("a", "<i4"), ("arr", "<f4", (3,))]).tobytes()
case("v2 structure with an array", subarray)
def struct_fill():
    values = RECORDS["both byte orders, nested"]
    for version in (2, 3):
        path = fresh("f.zarr")
        a = zarr.create_group(path, zarr_format=version).create_array("v", shape=(3,), chunks=(1,), dtype=values.dtype, fill_value=values[1])
        a[0] = values[0]
        if version == 3:
            values = zarr.open_group(path, mode="r")["v"][:2]
        want = in_memory(values[:1]) + 2 * in_memory(values[1:])
        assert get(path, "v")[1] == want, (version, get(path, "v")[1], want)
case("fill values of structures", struct_fill)

# --- times and bfloat16 ------------------------------------------------------------------
def times():
    for version in (2, 3):
        for dtype, units in (("M8[ns]", "nanoseconds since 1970-01-01"), ("M8[D]", "days since 1970-01-01"), ("m8[h]", "hours"),
                             ("m8[10us]", "10 microseconds"), ("M8[Y]", None)):
            values = np.array([1, 2, 10957, -5], "i8").astype(dtype)
            values[3] = "NaT"
            path = of_zarr(version, values)
            assert same(get(path, "v")[1], values.astype("i8")), dtype
            text = run("att", path, "v")
            assert (f"units char {units}" in text) == (units is not None) and ("units" in text) == (units is not None), text
            run("again", path, "v")
            assert np.array_equal(zarr.open_group(path, mode="r")["v"][...].astype("i8"), values.astype("i8"))
            assert "units" not in zarr.open_group(path, mode="r")["v"].attrs
    path = of_zarr(3, np.array([1], "M8[s]"), attributes={"units": "mine"})
    assert "units char mine" in run("att", path, "v")
case("numpy's times", times)
def bfloat():
    import tensorstore as ts
    values = np.array([1.5, -2.25, 1e30, np.inf, 0.1], ml_dtypes.bfloat16)
    for driver, metadata in (("zarr", {"dtype": "bfloat16", "shape": [5], "chunks": [2]}),
                             ("zarr3", {"data_type": "bfloat16", "shape": [5]})):
        path = fresh("b.zarr")
        a = ts.open({"driver": driver, "kvstore": {"driver": "file", "path": path + "/v/"}, "metadata": metadata}, create=True).result()
        a.write(values).result()
        assert same(get(path, "v")[1], values.astype("f4")), get(path, "v")
        run("fill", path, "v", "1", "2", "3.140625")
        got = ts.open({"driver": driver, "kvstore": {"driver": "file", "path": path + "/v/"}}).result().read().result()
        assert same(got.astype("f4")[1:3], np.array([3.140625, 3.140625], "f4")) and same(got.astype("f4")[3:], values.astype("f4")[3:])
case("bfloat16", bfloat)
def hex_half():
    path = of_zarr(3, np.array([1, 2], "f2"), chunks=(1,))
    document(path + "/v/zarr.json", lambda d: d.update(fill_value="0x4500", shape=[3]))  # 5
    assert same(get(path, "v")[1], np.array([1, 2, 5], "f4"))
case("bits of a half float as its fill value", hex_half)

# --- consolidated metadata -----------------------------------------------------------------
def kept_true(version):
    path = fresh("c.zarr")
    group = zarr.create_group(path, zarr_format=version)
    group.create_array("v", shape=(6, 5), dtype="f4", chunks=(3, 3))[...] = DATA
    group.create_group("g").create_array("w", shape=(2,), dtype="i4", chunks=(2,))
    zarr.consolidate_metadata(path)
    zarr.consolidate_metadata(path, path="g")
    put(path, "g/new", sample("<i4", (4,)), (2,))
    for open_at, members in ((path, {"v", "g", "g/w", "g/new"}), (path + "/g", {"w", "new"})):
        now = zarr.open_group(open_at, mode="r", use_consolidated=True)
        assert {name for name, _ in now.members(max_depth=None)} == members, (open_at, list(now.members(max_depth=None)))
    assert same(zarr.open_group(path, mode="r", use_consolidated=True)["g/new"][...], sample("<i4", (4,)))
    assert same(get(f"file://{path}#mode=zarr,consolidated", "g/new")[1], sample("<i4", (4,)))
for version in (2, 3):
    case(f"v{version} consolidated metadata stays true", lambda version=version: kept_true(version))
def alone(version):
    """Nothing but the consolidated document is there: it has everything, also for zarr-python."""
    path = fresh("alone.zarr")
    put(f"file://{path}#mode=zarr,v{version},consolidated", "g/h/v", DATA, (3, 3))
    for at, _, names in os.walk(path):
        for name in names:
            if name in (".zarray", ".zattrs") or (name == ".zgroup" and at != path) or (name == "zarr.json" and at != path):
                os.remove(os.path.join(at, name))
    assert same(zarr.open_group(path, mode="r", use_consolidated=True)["g/h/v"][...], DATA)
    assert same(get(f"file://{path}#mode=zarr,consolidated", "g/h/v")[1], DATA)
for version in (2, 3):
    case(f"v{version} consolidated metadata alone", lambda version=version: alone(version))
def by_environment():
    os.environ["NCZARR_CONSOLIDATED"] = "1"
    try:
        path = fresh("e.zarr")
        put(f"file://{path}#mode=zarr", "v", DATA, (3, 3))
        assert os.path.exists(path + "/.zmetadata")
        os.remove(path + "/v/.zarray")
        assert same(get(path, "v")[1], DATA)
    finally:
        del os.environ["NCZARR_CONSOLIDATED"]
case("NCZARR_CONSOLIDATED", by_environment)
def untouched():
    path = fresh("u.zarr")
    zarr.create_group(path, zarr_format=3).create_array("v", shape=(6, 5), dtype="f4", chunks=(3, 3))
    zarr.consolidate_metadata(path)
    before = open(path + "/zarr.json").read()
    run("fill", path, "v", "0,0", "2,2", "7")
    assert open(path + "/zarr.json").read() == before
case("chunks alone leave the documents as they are", untouched)

# --- documents -------------------------------------------------------------------------------
def ascii_documents():
    words = np.array(["°C", "日本 🌊"], dtype=object)
    for mode in ("zarr", "nczarr", "zarr,consolidated"):
        path = fresh("a.zarr")
        put(f"file://{path}#mode={mode}", "v", words, (2,), '{"id": "categorize", "labels": ["°C", "日本 🌊"]}', "string")
        for at, _, names in os.walk(path):
            for name in names:
                if name.startswith(".z"):
                    assert open(os.path.join(at, name), "rb").read().isascii(), (mode, name)
        assert list(get(path, "v")[1]) == list(words)
        assert list(zarr.open_group(path, mode="r")["v"][...]) == list(words)
    path = fresh("u.zarr")
    put(f"file://{path}#mode=nczarr", "größe", DATA, (3, 3))  # netCDF-C finds no variable by an escaped name
    assert "größe" in open(path + "/.zattrs", encoding="utf-8").read()
case("documents of version 2 are ASCII", ascii_documents)
def latin1():
    raw = os.path.join(work, "in.bin")
    DATA.tofile(raw)
    for mode in ("zarr", "nczarr", "zarr,v3"):
        path = fresh("l.zarr")
        subprocess.run([tool, "put", f"file://{path}#mode={mode}", "v", "float", "6,5", "3,3", "", raw, "", "", "", b"25 \xb0C"], check=True)
        assert same(get(path, "v")[1], DATA) and "text char 25 °C" in run("att", path, "v")
        assert zarr.open_group(path, mode="r")["v"].attrs["text"] == "25 °C"
case("text that is not UTF-8", latin1)
def oddities():
    path = of_zarr(3, DATA)
    document(path + "/zarr.json", lambda d: d.update(attributes=None, extension={"must_understand": False, "name": "x"}))
    document(path + "/v/zarr.json", lambda d: d.update(attributes=None, storage_transformers=None, extension={"must_understand": False}))
    assert same(get(path, "v")[1], DATA)
    put(path, "w", DATA, (3, 3))
    with open(path + "/zarr.json") as f:
        assert json.load(f)["extension"]["name"] == "x"
case("null and unknown members", oddities)

# --- codecs by several names ---------------------------------------------------------------------
def renamed(chain, names, data=DATA):
    for name in names:
        path = fresh("r.zarr")
        put(f"file://{path}#mode=zarr,v3", "v", data, (3, 3), chain)
        want = get(path, "v")[1]
        def change(doc):
            doc["codecs"][0]["name"] = name
        document(path + "/v/zarr.json", change)
        assert same(get(path, "v")[1], want), name
case("bitround by its names", lambda: renamed("bitround,nsb=7", ("bitround", "numcodecs.bitround", "https://codec.zarrs.dev/array_to_bytes/bitround")))
case("zfp by its names", lambda: renamed("zfp,accuracy=0.01", ("zfp", "zarrs.zfp", "https://codec.zarrs.dev/array_to_bytes/zfp")))
def zfp_first_form():
    path = fresh("z.zarr")
    put(f"file://{path}#mode=zarr,v3", "v", DATA, (3, 3), "zfp,mode=reversible")
    with open(path + "/v/zarr.json") as f:
        assert [c["name"] for c in json.load(f)["codecs"]] == ["zfp"]
    document(path + "/v/zarr.json", lambda d: d["codecs"].append({"name": "bytes", "configuration": {"endian": "little"}}))
    assert same(get(path, "v")[1], DATA)
case("zfp before bytes, as Cellar first wrote it", zfp_first_form)
def cast_map():
    path = fresh("m.zarr")
    data = np.array([1.25, np.nan, 300, -7, 2.5], "f8")
    json_chain = [{"name": "cast_value", "configuration": {"data_type": "uint8", "rounding": "towards-zero", "out_of_range": "clamp",
                   "scalar_map": {"encode": [["NaN", 99]], "decode": [[99, "NaN"]]}}}]
    put(f"file://{path}#mode=zarr,v3", "v", data, (5,), json.dumps(json_chain))
    assert same(get(path, "v")[1], np.array([1, np.nan, 255, 0, 2], "f8")), get(path, "v")
    with open(path + "/v/zarr.json") as f:
        assert json.load(f)["codecs"][0] == json_chain[0]
    json_chain[0]["configuration"].pop("out_of_range")
    path = fresh("m.zarr")
    try:
        put(f"file://{path}#mode=zarr,v3", "v", data, (5,), json.dumps(json_chain))
        raise AssertionError("300 as uint8 was taken")
    except AssertionError as e:
        assert "no place in |u1" in str(e), e
case("cast_value with a map", cast_map)
def listed():
    path = of_zarr(3, DATA)
    document(path + "/v/zarr.json", lambda d: d["chunk_grid"].update(name="rectilinear", configuration={"kind": "inline", "chunk_shapes": [3, [2, 3]]}))
    put(path, "w", DATA, (3, 3))
    assert same(get(path, "w")[1], DATA)
    try:
        get(path, "v")
        raise AssertionError("it was read")
    except AssertionError as e:
        assert "has no variable v" in str(e), e
case("a rectilinear grid beside other arrays", listed)
def unknown_serializer():
    path = of_zarr(3, DATA)
    document(path + "/v/zarr.json", lambda d: d.update(codecs=[{"name": "numcodecs.pcodec", "configuration": {"level": 8}}]))
    try:
        get(path, "v")
        raise AssertionError("it was read")
    except AssertionError as e:
        assert "has no variable v" in str(e), e
case("a serializer that is not here", unknown_serializer)
finish()
