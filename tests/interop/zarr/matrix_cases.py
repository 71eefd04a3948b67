# SPDX-License-Identifier: BSD-3-Clause
"""Random cases of the Zarr matrix: what an array is like, and how it is stored. A peer says what it can do; a case
asks for no more."""
import json, random
import numpy as np

INTS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
REALS = ["f4", "f8"]
V3_NAMES = {"b1": "bool", "c8": "complex64", "c16": "complex128", "f2": "float16", "f4": "float32", "f8": "float64"}
V3_NAMES.update({c: ("int" if c[0] == "i" else "uint") + str(8 * int(c[1:])) for c in INTS})

# By name: a chain of Cellar's, its JSON of version 2 (filters and compressor in one list) and of version 3, and
# for which types it is. Codecs before "bytes" are marked; SIZE stands for the element size, TYPE for the type.
ALL, WIDE = INTS + REALS, ["i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]
N = lambda name, **config: {"name": name, "configuration": config}
CODECS = {
    "none": ("", [], [], ALL),
    "zlib": ("deflate,level=4", [{"id": "zlib", "level": 4}], [N("numcodecs.zlib", level=4)], ALL),
    "gzip": ("gzip,level=3", [{"id": "gzip", "level": 3}], [N("gzip", level=3)], ALL),
    "zstd": ("zstd,level=3", [{"id": "zstd", "level": 3}], [N("zstd", level=3, checksum=False)], ALL),
    "zstd negative": ("zstd,level=-5", [{"id": "zstd", "level": -5}], [N("zstd", level=-5, checksum=False)], ALL),
    "zstd checksum": ("zstd,level=1,checksum=1", None, [N("zstd", level=1, checksum=True)], ALL),
    "bz2": ("bzip2,level=5", [{"id": "bz2", "level": 5}], [N("numcodecs.bz2", level=5)], ALL),
    "lz4": ("lz4block", [{"id": "lz4", "acceleration": 1}], [N("numcodecs.lz4", acceleration=1)], ALL),
    "lzma": ("lzma", [{"id": "lzma", "format": 1, "check": -1, "preset": 3, "filters": None}],
             [N("numcodecs.lzma", format=1, check=-1, preset=3, filters=None)], ALL),
    "lzma raw": ('{"id":"lzma","format":3,"check":-1,"preset":null,"filters":[{"id":33,"preset":6}]}',
                 [{"id": "lzma", "format": 3, "check": -1, "preset": None, "filters": [{"id": 33, "preset": 6}]}],
                 [N("numcodecs.lzma", format=3, check=-1, preset=None, filters=[{"id": 33, "preset": 6}])], ALL),
    "shuffle zlib": ("shuffle|deflate,level=2", [{"id": "shuffle", "elementsize": "SIZE"}, {"id": "zlib", "level": 2}],
                     [N("numcodecs.shuffle", elementsize="SIZE"), N("numcodecs.zlib", level=2)], WIDE),
    "crc32c": ("crc32c", [{"id": "crc32c"}], [{"name": "crc32c"}], ALL),
    "zstd crc32c": ("zstd,level=3|crc32c", None, [N("zstd", level=3, checksum=False), {"name": "crc32c"}], ALL),
    "fletcher32": ("fletcher32", [{"id": "fletcher32"}], [N("numcodecs.fletcher32")], ALL),
    "jenkins_lookup3": ("jenkins_lookup3", [{"id": "jenkins_lookup3", "initval": 0, "prefix": None}],
                        [N("numcodecs.jenkins_lookup3", initval=0, prefix=None)], ALL),
    "crc32": ("crc32", [{"id": "crc32"}], [N("numcodecs.crc32")], ALL),
    "adler32": ("adler32", [{"id": "adler32"}], [N("numcodecs.adler32")], ALL),
    "base64": ("base64", [{"id": "base64"}], None, ALL),
    "delta": ("delta|zstd,level=1", [{"id": "delta", "dtype": "TYPE"}, {"id": "zstd", "level": 1}],
              [("before", N("numcodecs.delta", dtype="TYPE")), N("zstd", level=1, checksum=False)], INTS),
    "fixedscaleoffset": ("fixedscaleoffset,offset=-1000,scale=10,astype=<i4",
                         [{"id": "fixedscaleoffset", "offset": -1000, "scale": 10, "dtype": "TYPE", "astype": "<i4"}],
                         [("before", N("numcodecs.fixedscaleoffset", offset=-1000, scale=10, dtype="TYPE", astype="<i4"))], ["f8"]),
    "quantize": ("quantize,digits=2", [{"id": "quantize", "digits": 2, "dtype": "TYPE"}],
                 [("before", N("numcodecs.quantize", digits=2, dtype="TYPE"))], REALS),
    "astype": ("astype,encode_dtype=<f8", [{"id": "astype", "encode_dtype": "<f8", "decode_dtype": "TYPE"}],
               [("before", N("numcodecs.astype", encode_dtype="<f8", decode_dtype="TYPE"))], ["f4"]),
    "bitround": ("bitround,nsb=7", [{"id": "bitround", "keepbits": 7}], [("before", N("numcodecs.bitround", keepbits=7))], REALS),
    "packbits": ("packbits", [{"id": "packbits"}], [("before", N("numcodecs.packbits"))], ["b1"]),
    "scale_offset": ("scale_offset,offset=5,scale=0.5", None, [("before", N("scale_offset", offset=5, scale=0.5))], REALS),
    "cast_value": ("scale_offset,offset=0,scale=8|cast_value,data_type=<i4,out_of_range=clamp", None,
                   [("before", N("scale_offset", offset=0, scale=8)),
                    ("before", N("cast_value", data_type="int32", out_of_range="clamp"))], REALS),
    "zfp": ("zfp,accuracy=0.01", None, [("serializer", N("zfp", mode="fixed_accuracy", tolerance=0.01))], REALS),
    "zfp reversible": ("zfp,mode=reversible", None, [("serializer", N("zfp", mode="reversible"))], ["i4", "i8"] + REALS),
    "zfpy": ("zfpy,accuracy=0.01", [{"id": "zfpy", "mode": 4, "tolerance": 0.01, "rate": -1, "precision": -1}],
             [("serializer", N("numcodecs.zfpy", mode=4, tolerance=0.01))], REALS),
}
BLOSC = [(c, s) for c in ("lz4", "lz4hc", "blosclz", "zlib", "zstd") for s in ("noshuffle", "shuffle", "bitshuffle")]
for c, s in BLOSC:
    CODECS[f"blosc {c} {s}"] = (
        f"blosc,cname={c},shuffle={s}",
        [{"id": "blosc", "cname": c, "clevel": 5, "shuffle": ("noshuffle", "shuffle", "bitshuffle").index(s), "blocksize": 0}],
        [N("blosc", cname=c, clevel=5, shuffle=s, typesize="SIZE", blocksize=0)], ALL)
LOSSY = ("fixedscaleoffset", "quantize", "bitround", "cast_value", "zfp", "zfpy", "packbits", "scale_offset", "astype")


def fit(value, size, code):
    """The element's size and type in a codec's JSON."""
    if isinstance(value, dict):
        return {k: fit(v, size, code) for k, v in value.items()}
    if isinstance(value, list):
        return [fit(v, size, code) for v in value]
    return size if value == "SIZE" else ("|" if size == 1 else "<") + code if value == "TYPE" else value


class Case:
    """One array: version, type, byte order, shape, chunks, shards, codec, fill value, keys, order, store."""

    def __init__(self, number, can, ours):
        r = random.Random(f"{can['name']} {number} {ours}")
        self.number, self.ours = number, ours
        self.version = r.choice(can["versions"])
        self.codec = self.pick_codec(r, can)
        types = [t for t in CODECS[self.codec][3] if t in can["types"]]
        if not ours and self.codec in ("none", "zstd", "gzip", "zlib"):
            types += [t for t in can.get("more types", []) if can.get("more versions", {}).get(t, self.version) == self.version]
        self.code = r.choice(types)
        self.size = np.dtype(self.code).itemsize
        self.big = self.size > 1 and r.random() < 0.3 and can.get("big", True) and self.codec not in can.get("little only", LOSSY + ("delta",))
        self.pick_shape(r, can)
        self.shards = self.pick_shards(r, can)
        self.fill = self.pick_fill(r, can)
        self.empty = r.random() < 0.06
        self.separator = r.choice("./") if not ours and can.get("separators", True) else None
        self.v2_keys = not ours and self.version == 3 and r.random() < 0.2 and can.get("v2 keys", True)
        self.order = None
        if not ours and len(self.shape) > 1 and r.random() < 0.3 and can.get("order", True) and self.codec.split()[0] not in ("zfp", "zfpy"):
            self.order = r.sample(range(len(self.shape)), len(self.shape)) if self.version == 3 else "F"
        self.consolidated = r.random() < 0.25 and can.get("consolidated", True)
        self.zip = r.random() < 0.2 and can.get("zip ours" if ours else "zip", True)
        self.node = r.choice(["v", "g/v"]) if can.get("groups", True) else "v"
        self.text = r.choice(["", "plain", "25 °C", "日本 🌊"])
        self.data = self.make_data(np.random.default_rng([number, int(ours)]))

    def pick_codec(self, r, can):
        names = [n for n, c in CODECS.items() if c[1 if self.version == 2 else 2] is not None and
                 not (self.version == 2 and self.ours and c[1] is None) and
                 n in can["codecs"].get(self.version, ()) and (self.ours or n not in can.get("not written", ())) and any(t in can["types"] for t in c[3])]
        return r.choice(names)

    def pick_shape(self, r, can):
        rank = r.choice(can.get("ranks", [0, 1, 1, 2, 2, 2, 3, 3, 4]))
        if self.codec.startswith("zfp"):
            rank = max(rank, 1)
        self.shape = tuple(r.choice([1, 2, 3, 5, 7, 11, 13]) for _ in range(rank))
        if rank and r.random() < can.get("zero length", 0.05) and not self.codec.startswith("zfp"):
            self.shape = self.shape[:-1] + (0,) if not self.ours else (0,) + self.shape[1:]
        self.chunks = tuple(r.randint(1, max(1, n)) for n in self.shape)
        if not self.ours and r.random() < 0.1 and can.get("large chunks", True):
            self.chunks = tuple(c + 2 for c in self.chunks)

    def pick_shards(self, r, can):
        if self.version == 2 or not self.shape or 0 in self.shape or can.get("shards", True) not in (True, "ours" if self.ours else None) or r.random() > 0.3:
            return None
        if self.ours:
            return tuple(c * r.randint(1, 3) for c in self.chunks)
        self.chunks = tuple(min(c, n) for c, n in zip(self.chunks, self.shape))
        return tuple(c * r.randint(1, 3) for c in self.chunks)

    def pick_fill(self, r, can):
        kind = np.dtype(self.code).kind
        if kind == "f" and not self.codec.startswith(("zfp", "cast", "fixed")):
            return r.choice([0.0, 0.0, -1.5, 7.25, float("nan"), float("inf"), -float("inf")] if can.get("odd fills", True) else [0.0, -1.5])
        if kind in "iu":
            info = np.iinfo(self.code)
            return r.choice([0, 0, 1, 100] + ([int(info.min), int(info.max)] if can.get("large fills", True) else []))
        return 0

    def make_data(self, r):
        kind, n = np.dtype(self.code).kind, int(np.prod(self.shape, dtype=int))
        if kind == "f":
            # in steps that every lossy codec here keeps or all peers round alike
            values = np.round(np.sin(np.arange(n) * 0.3) * 1000 + r.integers(0, 50, n), 2)
            if not self.codec.startswith(("zfp", "cast", "fixed", "quantize")) and n > 3:
                values[r.integers(0, n)] = r.choice([np.nan, np.inf, -np.inf, -0.0, 1e30])
        elif kind == "c":
            values = r.normal(size=n) + 1j * r.normal(size=n)
        elif kind == "b":
            values = r.integers(0, 2, n)
        else:
            info = np.iinfo(self.code)
            values = r.integers(info.min, info.max, n, dtype=self.code, endpoint=True) if not self.codec.startswith("zfp") else r.integers(0, 100, n)
        if self.code == "f2":
            values = np.clip(values, -60000, 60000)
        with np.errstate(over="ignore"):
            return np.asarray(values).astype("<" + self.code).reshape(self.shape)

    @property
    def lossy(self):
        return self.codec.split()[0] in LOSSY and self.codec != "zfp reversible"

    def chain(self):
        return CODECS[self.codec][0] if self.shape else ""  # netCDF: a single value has no filters

    def dtype(self):
        return (">" if self.big else "|" if self.size == 1 else "<") + self.code

    def codecs2(self):
        """(filters or None, compressor or None)"""
        chain = fit(CODECS[self.codec][1], self.size, self.code)
        for c in chain:
            for key in ("dtype", "decode_dtype"):
                if key in c and self.big:
                    c[key] = self.dtype()
        elements = ("delta", "fixedscaleoffset", "quantize", "astype", "bitround", "packbits", "shuffle")
        last = chain.pop() if chain and chain[-1]["id"] not in elements else None
        return chain or None, last

    def codecs3(self):
        """(before, serializer, after): JSON"""
        before, serializer, after = [], None, []
        for c in fit([list(c) if isinstance(c, tuple) else ["after", c] for c in CODECS[self.codec][2]], self.size, self.code):
            if c[0] == "before":
                before.append(c[1])
            elif c[0] == "serializer":
                serializer = c[1]
            else:
                after.append(c[1])
        if self.order:
            before.insert(0, N("transpose", order=self.order))
        if not serializer:
            serializer = N("bytes", endian="big" if self.big else "little") if self.size > 1 else {"name": "bytes"}
        return before, serializer, after

    def fill_json(self):
        if isinstance(self.fill, float) and self.fill != self.fill:
            return "NaN"
        if self.fill in (float("inf"), -float("inf")):
            return "Infinity" if self.fill > 0 else "-Infinity"
        kind = np.dtype(self.code).kind
        return [0.0, 0.0] if kind == "c" else bool(self.fill) if kind == "b" else self.fill

    def document2(self):
        filters, compressor = self.codecs2()
        return {"zarr_format": 2, "shape": self.shape, "chunks": self.chunks, "dtype": self.dtype(), "fill_value": self.fill_json(),
                "order": self.order or "C", "filters": filters, "compressor": compressor, "dimension_separator": self.separator or "."}

    def document3(self):
        before, serializer, after = self.codecs3()
        codecs = before + [serializer] + after
        if self.shards:
            index = [N("bytes", endian="little"), {"name": "crc32c"}]
            codecs = [N("sharding_indexed", chunk_shape=self.chunks, codecs=codecs, index_codecs=index, index_location="end")]
        keys = N("v2" if self.v2_keys else "default", separator=self.separator or "/")
        return {"zarr_format": 3, "node_type": "array", "shape": self.shape, "data_type": V3_NAMES[self.code],
                "chunk_grid": N("regular", chunk_shape=self.shards or self.chunks), "chunk_key_encoding": keys,
                "fill_value": self.fill_json(), "codecs": codecs, "attributes": {"text": self.text}}

    def __str__(self):
        words = [f"v{self.version}", self.dtype(), f"{self.shape} in {self.chunks}", self.codec, f"fill {self.fill}"]
        words += [w for w, on in (("empty", self.empty), ("consolidated", self.consolidated), ("zip", self.zip), ("v2 keys", self.v2_keys),
                                  (f"shards {self.shards}", self.shards), (f"order {self.order}", self.order),
                                  (f"separator {self.separator}", self.separator), (self.node, True)) if on]
        return f"{'we write' if self.ours else 'they write'} {self.number}: " + ", ".join(words)
