#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""cdl.py OUT: the texts of datasets of all number types, byte orders and filters, in the folder OUT, for ncgen (write.sh). Their values are
exact in decimal, so that every processor reads the same ones; byte order is said, but in own*.cdl."""
import json
import os
import random
import sys

Y, X = 37, 53
CHUNK = 16, 20
CLASSIC = ["byte", "short", "int", "float", "double"]
NUMBERS = ["byte", "ubyte", "short", "ushort", "int", "uint", "int64", "uint64", "float", "double"]
REALS = ["float", "double"]
INTEGERS = NUMBERS[:8]
WIDE = NUMBERS[2:]
WORDS = ["int", "uint", "float"]
SUFFIX = {"byte": "b", "ubyte": "ub", "short": "s", "ushort": "us", "int": "", "uint": "u", "int64": "ll", "uint64": "ull", "float": "f", "double": ""}

LOSSLESS = [
    ("deflate,level=1", NUMBERS), ("shuffle|deflate,level=1", NUMBERS), ("shuffle|deflate,level=3", WORDS), ("shuffle|deflate,level=6", WORDS),
    ("shuffle|deflate,level=9|fletcher32", REALS), ("fletcher32", NUMBERS), ("bzip2,level=9", WORDS), ("zstd,level=3", WORDS),
    ("zstd,level=3,checksum=true", WORDS), ("shuffle|zstd,level=3", NUMBERS), ("lz4", WORDS), ("lzf", WORDS), ("shuffle|gzip,level=4", WORDS),
    ("lz4block", WORDS), ("lzma", ["float"]), ("bitshuffle", NUMBERS), ("bitshuffle,compression=lz4", NUMBERS), ("bitshuffle,compression=zstd", NUMBERS),
    ("ndcell,cell=4|zstd", NUMBERS), ("ndcell,cell=3|shuffle|lz4", NUMBERS), ("ndlorenzo|shuffle|deflate,level=3", NUMBERS),
    ("zfp,mode=reversible", WORDS + ["double"]), ("zfpy,mode=reversible", REALS), ("fpzip", REALS), ("delta|zstd", INTEGERS),
    ("base64", WORDS), ("crc32c", WORDS), ("crc32", WORDS), ("adler32", WORDS), ("jenkins_lookup3", WORDS),
    *((f"blosc,cname={name}", WORDS) for name in ("blosclz", "lz4", "lz4hc", "zlib", "zstd")),
    ("blosc,cname=lz4,shuffle=bitshuffle", WIDE), ("blosc,cname=blosclz,shuffle=noshuffle", WORDS),
    *((f"blosc2,cname={name}", WORDS) for name in ("blosclz", "lz4", "lz4hc", "zlib", "zstd")),
    ("blosc2,cname=zstd,filters=bitshuffle", NUMBERS), ("blosc2,cname=zstd,filters=ndcell:4+shuffle", NUMBERS), ("blosc2,filters=delta+shuffle", WORDS),
    ("szip,mask=4,pixels-per-block=8", WORDS), ("szip,mask=32,pixels-per-block=16", WORDS), ("nbit", WIDE), ("scaleoffset,type=int", INTEGERS),
]
LOSSY = [
    ("ndmean,cell=4|shuffle|zstd", REALS), ("scaleoffset,type=decimal,factor=2", REALS),
    *((f"{name}|shuffle|zstd", REALS) for name in ("bitgroom,nsd=3", "granularbitround,nsd=3", "bitround,nsb=9")),
    ("zfp,mode=accuracy,accuracy=0.01", REALS), ("zfp,mode=rate,rate=8", WORDS + ["double"]), ("zfp,mode=precision,precision=12", WORDS + ["double"]),
    ("zfpy,mode=accuracy,accuracy=0.01", REALS), ("fpzip,precision=16", REALS), ("fixedscaleoffset,offset=100,scale=10,astype=<i2", REALS),
    ("quantize,digits=2", REALS), ("astype,encode_dtype=<f4", ["double"]), ("packbits", ["ubyte"]),
    ("scale_offset,offset=100,scale=8", REALS), ("cast_value,data_type=<f4", ["double"]),
]


def values(kind, seed):
    """A smooth field with some noise; in the type's range, and of few binary digits where it is real."""
    noise = random.Random(seed)
    low = 0 if kind.startswith("u") else -100 if kind != "byte" else -60
    for y in range(Y):
        for x in range(X):
            v = low + 2 * y + x + noise.randrange(5)
            yield f"{v + noise.randrange(64) / 64}{SUFFIX[kind]}" if kind in REALS else f"{v}{SUFFIX[kind]}"


def text(variables, head="", tail=""):
    """variables: of (type, name, special attributes)"""
    variables = list(variables)
    lines = [f"netcdf cross {{ {head} dimensions: y = {Y} ; x = {X} ; variables:"]
    for kind, name, special in variables:
        lines += [f"  {kind} {name}(y, x) ;", *(f"    {name}:{attribute} ;" for attribute in special)]
    lines += ['  :title = "écrit là-bas" ;', "data:"]
    lines += [f"  {name} = {', '.join(values(kind, seed))} ;" for seed, (kind, name, _) in enumerate(variables)]
    return "\n".join([*lines, tail, "}"]) + "\n"


def chunked(order, filters=None):
    lines = [f'_Endianness = "{order}"', f"_ChunkSizes = {CHUNK[0]}, {CHUNK[1]}"]
    return lines + ([f'_Filter = "{filters}"'] if filters else [])


def numbers():
    yield from ((kind, f"{kind}_{order}", chunked(order)) for kind in NUMBERS for order in ("little", "big"))


def filtered(chains):
    for i, (chain, kinds) in enumerate(chains):
        for kind in kinds:
            yield kind, f"{kind}_{i}", chunked("little", chain)
        big = [kind for kind in kinds if kind not in ("byte", "ubyte")]
        if big and "<" not in chain and not chain.startswith("zfpy"):
            yield big[0], f"{big[0]}_{i}_big", chunked("big", chain)


def shards():
    little = {"name": "bytes", "configuration": {"endian": "little"}}
    zstd = {"name": "zstd", "configuration": {"level": 3, "checksum": False}}
    shard = {"name": "sharding_indexed", "configuration": {"chunk_shape": [8, 10], "codecs": [little, zstd], "index_codecs": [little, {"name": "crc32c"}]}}
    codecs = json.dumps([shard]).replace('"', '\\"')
    yield from ((kind, f"{kind}_0", ['_Endianness = "little"', f"_ChunkSizes = {CHUNK[0]}, {CHUNK[1]}", f'_Codecs = "{codecs}"']) for kind in NUMBERS)


OWN = """
group: more {
  types: compound pair { int i ; double d ; } ; int(*) list ; opaque(3) raw ; byte enum truth { no = 0, yes = 1 } ;
  dimensions: n = 3 ;
  variables: pair p(n) ; list l(n) ; raw r(n) ; truth t(n) ; string s(n) ; char c(n) ; int i(n) ; i:range = 1, -70000 ; i:scale = 0.5, 1e300 ; i:_FillValue = -9 ;
  pair :two = {1, 2.5}, {-3, 4.25} ;
  data: p = {1, 1.5}, {-2, 2.5}, {3, 3.5} ; l = {1, 2, 3}, {}, {-70000} ; r = 0X010203, 0X040506, 0X070809 ; t = yes, no, yes ;
    s = "a", "", "zwölf" ; c = "xyz" ; i = 1, _, -70000 ;
}"""


def texts():
    plain = [(kind, f"v_{kind}", ["valid_max = 100." if kind in REALS else "flag_values = 1, -2" if kind == "int" else 'units = "m"']) for kind in NUMBERS]
    yield "classic", text(v for v in plain if v[0] in CLASSIC)
    yield "cdf5", text(plain)
    yield "numbers", text(numbers())
    yield "lossless", text(filtered(c for c in LOSSLESS if "lz4" not in c[0]))
    yield "lz4", text(filtered(c for c in LOSSLESS if "lz4" in c[0]))
    yield "lossy", text(filtered(LOSSY))
    yield "shards", text(shards())
    yield "own", text(plain, tail=OWN)
    yield "own-zarr", text(plain)
    for kind in NUMBERS:
        yield f"b2nd-{kind}", text([(kind, f"v_{kind}", chunked("little", "blosc2,cname=zstd,filters=shuffle"))]).replace('  :title = "écrit là-bas" ;\n', "")


if __name__ == "__main__":
    for name, content in texts():
        with open(os.path.join(sys.argv[1], name + ".cdl"), "w", encoding="utf-8") as f:
            f.write(content)
