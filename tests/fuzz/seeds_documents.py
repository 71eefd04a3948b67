# SPDX-License-Identifier: BSD-3-Clause
"""Zarr stores by hand: documents as others have them, one kind each, which no writer at hand makes."""
import json
import os
import struct

ARRAY2 = {"zarr_format": 2, "shape": [4], "chunks": [2], "compressor": None, "order": "C", "filters": None, "fill_value": 0}
ARRAY3 = {"zarr_format": 3, "node_type": "array", "shape": [4], "attributes": {"a": [1, "Infinity"]}, "fill_value": 0,
          "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
          "chunk_key_encoding": {"name": "default"}, "codecs": [{"name": "bytes", "configuration": {"endian": "big"}}],
          "dimension_names": ["x"]}
LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}


def save(folder, name, data):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as f:
        f.write(data)


def chunk_of(row):
    chunk = row[1] if len(row) > 1 else 16
    return chunk if isinstance(chunk, bytes) else bytes(range(chunk))


def crc32c(data):
    "With its sum behind it."
    sum = 0xffffffff
    for byte in data:
        sum ^= byte
        for _ in range(8):
            sum = sum >> 1 ^ (0x82f63b78 if sum & 1 else 0)
    return data + words(sum ^ 0xffffffff)


def words(*values):
    return struct.pack("<%dI" % len(values), *values)


def array2(dtype, **more):
    return dict(ARRAY2, dtype=dtype, **more)


def objects2(codec, fill="", **more):
    return array2("|O", fill_value=fill, filters=[dict({"id": codec}, **more)])


LZMA = {"id": "lzma", "format": 3, "check": -1, "preset": None, "filters": [{"id": 3, "dist": 4}, {"id": 33, "preset": 1}]}
INNER = [["r", "<f4"], ["i", ">f4"]]
# a name: the array's document and its first chunk: bytes, or how many of them, or 16
VERSION_2 = {
    "struct": (array2([["a", "<i4"], ["b", "<f8"], ["c", "|V3"]], fill_value="AAAAAAAAAAAAAAAAAAAA"),),
    "nested": (array2([["a", "<i2", [2, 2]], ["b", INNER], ["c", "|S3"], ["d", "<U2"], ["e", "|u1"]], fill_value=None), bytes(range(56))),
    "swapped": (array2([["a", ">i2", [3]], ["b", ">f8"]], fill_value="AAECAwQFBgcICQoLDA0="), bytes(range(28))),
    "raw": (array2("|V4", fill_value="AAECAw=="),),
    "complex": (array2("<c8", fill_value=["NaN", 1.5]),),
    "bits": (array2("<f4", fill_value="0x7fc00001"), 8),
    "time": (array2("<M8[ns]", fill_value="NaT"),),
    "truth": (array2("|b1", fill_value=True), 2),
    "char": (array2("|S1", fill_value="eg=="), b"ab"),
    "latin": (array2("|S1", fill_value="\u00e9", shape=[]), b"ab"),
    "json2": (objects2("json2", None), b'["a", "bb", "|O", [2]]'),
    "json2_odd": (objects2("json2", None), b'[{"a": [1, 2.5]}, null, "|O", [2]]'),
    "json2_numbers": (array2("<i4", filters=[{"id": "json2"}]), b'[7, -8, "<i4", [2]]'),
    "vlen": (objects2("vlen-array", 0, dtype="<i4"), words(2, 4, 7, 4, 9)),
    "vlen_big": (objects2("vlen-array", 0, dtype=">i2"), words(2, 4) + b"\0\1\0\2" + words(2) + b"\0\3"),
    "bytes": (objects2("vlen-bytes"), words(2, 1) + b"a" + words(2) + b"bc"),
    "utf8": (objects2("vlen-utf8"), words(2, 1) + b"a" + words(2) + b"bc"),
    "pickle": (objects2("pickle"),),
    "labels": (objects2("categorize", labels=["x", "yy"], dtype="|O", astype="|u1"), b"\1\2"),
    "labels_text": (array2("<U3", fill_value="", filters=[{"id": "categorize", "labels": ["x", "\u00e9y"], "dtype": "<U3", "astype": ">i2"}]), b"\0\1\0\2"),
    "labels_long": (array2("<U1", fill_value="", filters=[{"id": "categorize", "labels": ["x", "yy"], "dtype": "<U1", "astype": "|u1"}]), b"\1\2"),
    "lzma": (array2("<i4", compressor=LZMA),),
    "lookup3": (array2("<i4", compressor={"id": "jenkins_lookup3", "initval": 3, "prefix": None}), 12),
    "bitround": (array2("<f4", filters=[{"id": "bitround", "keepbits": 4}]), 8),
    "packbits": (array2("|b1", filters=[{"id": "packbits"}]), b"\6\x80"),
}
# As netCDF-C writes them: types of attributes, names of types, dimensions.
NCZARR_GROUP = {"_nczarr_superblock": {"version": "2.0.0"}, "_nczarr_group": {"dimensions": {"q": {"size": 4, "unlimited": 1}}, "arrays": ["v"], "groups": []}}
NCZARR_2 = {
    "_nczarr_array": {"dimension_references": ["/q"], "dimrefs": ["/q"], "storage": "chunked", "type_alias": "string"},
    "_nczarr_attr": {"types": {"x": "<i4", "y": ">S1", "z": "<f4", "j": "|J0", "f": "<f8"}},
    "x": [1, 2], "y": "text", "z": ["0x7fc00001", "NaN"], "j": {"k": [1]}, "f": "AAAAAAAA8D8=",
}
PLAIN_2 = {"x": [1, 2.5, "NaN", None, {"a": 1}], "y": "text", "z": [True, False], "_FillValue": "AAAAAAAA+H8=",
           "w": [1, 18446744073709551615], "v": [], "u": ["a", "bb"], "_ARRAY_DIMENSIONS": ["q"]}


def casting(data_type, **how):
    return {"name": "cast_value", "configuration": dict({"data_type": data_type}, **how)}


def array3(data_type, *codecs, **more):
    return dict(ARRAY3, data_type=data_type, codecs=list(codecs) or ARRAY3["codecs"], **more)


def shards(location, *index_codecs, inner=(LITTLE,)):
    return {"name": "sharding_indexed", "configuration": {"chunk_shape": [1], "codecs": list(inner), "index_codecs": list(index_codecs), "index_location": location}}


FIELDS = [["a", "int32"], ["b", "float64"]]
NAMED_FIELDS = [{"name": "a", "data_type": "int32"}, {"name": "t", "data_type": {"name": "fixed_length_utf32", "configuration": {"length_bytes": 8}}}]
INDEX = struct.pack("<4Q", 0, 4, 4, 4)
SHARD = b"\1\0\0\0\2\0\0\0"
MAP = {"encode": [["NaN", 0], [300, 255]], "decode": [[0, "NaN"], [7, "-Infinity"]]}
VERSION_3 = {
    "struct": (array3({"name": "struct", "configuration": {"fields": FIELDS}}, fill_value="AAAAAAAAAAAAAAAA"), 24),
    "structured": (array3({"name": "structured", "configuration": {"fields": FIELDS}}, fill_value="AAAAAAAAAAAAAAAA"), 24),
    "struct_named": (array3({"name": "struct", "configuration": {"fields": NAMED_FIELDS}}, fill_value={"a": 3, "t": "xy"}), 24),
    "raw": (array3("r32", fill_value=[0, 1, 2, 3]), 8),
    "half": (array3("float16", fill_value="0x7e00"), 4),
    "bfloat": (array3("bfloat16", LITTLE, fill_value="NaN"), 4),
    "complex": (array3("complex64", fill_value=["NaN", 0]), 16),
    "time": (array3({"name": "numpy.datetime64", "configuration": {"unit": "s", "scale_factor": 1}}, LITTLE, fill_value="NaT"), 16),
    "text": (array3({"name": "fixed_length_utf32", "configuration": {"length_bytes": 8}}, LITTLE, fill_value="ab"), 16),
    "bytes": (array3("bytes", {"name": "vlen-bytes"}, fill_value=""),),
    "strings": (array3("string", {"name": "vlen-utf8"}, fill_value="a"), words(2, 1) + b"a" + words(2) + b"bc"),
    "unknown": (array3("int4"),),
    "cast": (array3("float64", casting("uint8", rounding="towards-zero", out_of_range="clamp", scalar_map=MAP), {"name": "bytes"}), 2),
    "cast_wrap": (array3("int32", casting("int16", rounding="nearest-away", out_of_range="wrap"), LITTLE), 4),
    "cast_reals": (array3("int32", casting("float64", rounding="towards-negative"), LITTLE), struct.pack("<2d", 3, -4)),
    "cast_beyond": (array3("int8", casting("float32", out_of_range="wrap"), LITTLE), struct.pack("<2f", 300, -1000)),
    "cast_clamp": (array3("uint8", casting("int32", out_of_range="clamp"), LITTLE), struct.pack("<2i", 300, -1)),
    "cast_half": (array3("float32", casting("float16", rounding="towards-positive"), LITTLE), b"\0\x3c\0\xc0"),
    "scale": (array3("float32", {"name": "scale_offset", "configuration": {"offset": 5, "scale": 0.1}}, LITTLE), 8),
    "scale_whole": (array3("int16", {"name": "scale_offset", "configuration": {"offset": -5, "scale": 2}}, LITTLE), struct.pack("<2h", 4, 6)),
    "scale_half": (array3("float16", {"name": "scale_offset", "configuration": {"offset": 1, "scale": 2}}, LITTLE), b"\0\x3c\0\xc0"),
    "scale_cast": (array3("float32", {"name": "scale_offset", "configuration": {"scale": 10}}, casting("int16"), LITTLE), struct.pack("<2h", 4, 6)),
    "shards_end": (array3("int32", shards("end", LITTLE)), SHARD + INDEX),
    "shards_start": (array3("int32", shards("start", LITTLE)), struct.pack("<4Q", 32, 4, 36, 4) + SHARD),
    "shards_crc": (array3("int32", shards("end", LITTLE, {"name": "crc32c"})), SHARD + crc32c(INDEX)),
    "shards_packed": (array3("int32", shards("end", LITTLE), {"name": "crc32c"}), crc32c(SHARD + INDEX)),
    "shards_index_zstd": (array3("int32", shards("end", LITTLE, {"name": "zstd", "configuration": {"level": 1}})), SHARD + INDEX),
    "shards_strings": (array3("string", shards("end", LITTLE, inner=[{"name": "vlen-utf8"}]), fill_value=""), words(1, 1) + b"a" + words(1, 0) + struct.pack("<4Q", 0, 9, 9, 8)),
    "transpose": (dict(array3("int16", {"name": "transpose", "configuration": {"order": [1, 0]}}, LITTLE), shape=[2, 3], dimension_names=None,
                       chunk_grid={"name": "regular", "configuration": {"chunk_shape": [2, 3]}}), 12),
    "transpose_strings": (dict(array3("string", {"name": "transpose", "configuration": {"order": [1, 0]}}, {"name": "vlen-utf8"}), shape=[2, 1], fill_value="",
                               dimension_names=None, chunk_grid={"name": "regular", "configuration": {"chunk_shape": [2, 1]}}), words(2, 1) + b"a" + words(2) + b"bc"),
    "rectilinear": (dict(array3("int16", LITTLE), chunk_grid={"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": [[1, 3]]}}),),
}


def put_version_2(top):
    for name, row in VERSION_2.items():
        for kind, attributes in (("", PLAIN_2), ("nc_", NCZARR_2)):
            folder = top + "/by_hand_" + kind + name
            save(folder, ".zgroup", b'{"zarr_format": 2}')
            save(folder, ".zattrs", json.dumps(NCZARR_GROUP if kind else {}).encode())
            save(folder + "/v", ".zarray", json.dumps(row[0]).encode())
            save(folder + "/v", ".zattrs", json.dumps(attributes).encode())
            save(folder + "/v", "0", chunk_of(row))


def put_version_3(top):
    for name, row in VERSION_3.items():
        document = row[0]
        folder = top + "/v3_by_hand_" + name
        root = {"zarr_format": 3, "node_type": "group", "attributes": {},
                "consolidated_metadata": {"kind": "inline", "must_understand": False, "metadata": {"v": document}}}
        save(folder, "zarr.json", json.dumps(root).encode())
        save(folder + "/v", "zarr.json", json.dumps(document).encode())
        rank = len(document["shape"])
        save("/".join([folder + "/v/c"] + ["0"] * (rank - 1)), "0", chunk_of(row))


def make_all(top):
    put_version_2(top)
    put_version_3(top)
