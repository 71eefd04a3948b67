# SPDX-License-Identifier: BSD-3-Clause
"""One operation on a Zarr store by another library, timed; the counterpart of bench_zarr.c.

    zarr_peer.py PEER write|read FIELD SHAPE CHUNKS SHARDS CODEC FOLDER REPEAT

PEER: zarr2, zarr3 or tensorstore. CODEC: zlib, zstd or blosc. Reads go into memory that is there, as in bench_zarr.c."""
import shutil
import sys
import time
import warnings

import numpy

warnings.simplefilter("ignore")
peer, op, raw, shape, chunks, shards, codec, folder, repeat = sys.argv[1:]
shape, chunks, shards = ([int(n) for n in t.split("x")] if t else None for t in (shape, chunks, shards))
data = numpy.fromfile(raw, "<f4").reshape(shape)
room = numpy.full(shape, 1, "<f4")
path = folder + "/field"

if peer == "tensorstore":
    import tensorstore as ts
    context = ts.Context({"file_io_sync": False})
    inner = [{"name": "bytes", "configuration": {"endian": "little"}},
             {"zstd": {"name": "zstd", "configuration": {"level": 3}},
              "blosc": {"name": "blosc", "configuration": {"cname": "lz4", "clevel": 5, "shuffle": "shuffle"}}}.get(codec)]
    codecs = inner if not shards else [{"name": "sharding_indexed", "configuration": {"chunk_shape": chunks, "codecs": inner}}]
    spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": path}}
    def write():
        store = ts.open({**spec, "create": True, "metadata": {
            "shape": shape, "data_type": "float32", "fill_value": 0.0, "codecs": codecs,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": shards or chunks}}}}, context=context).result()
        store.write(data).result()
    def read():
        ts.array(room).write(ts.open(spec, context=context).result()).result()
elif peer == "zarr3":
    import zarr
    made = {"zstd": zarr.codecs.ZstdCodec(level=3), "blosc": zarr.codecs.BloscCodec(cname="lz4", clevel=5, shuffle="shuffle")}
    def write():
        zarr.create_array(folder, name="field", shape=shape, chunks=chunks, shards=shards, dtype="f4", filters=None,
                          compressors=[made[codec]])[...] = data
    def read():
        from zarr.core.buffer.cpu import NDBuffer
        zarr.open_array(path, mode="r").get_basic_selection(Ellipsis, out=NDBuffer.from_numpy_array(room))
else:
    import numcodecs
    import zarr
    filters = [numcodecs.Shuffle(4)] if codec == "zlib" else None
    made = {"zlib": numcodecs.Zlib(1), "zstd": numcodecs.Zstd(3), "blosc": numcodecs.Blosc("lz4", 5, 1)}
    def write():
        zarr.open(path, mode="w", shape=shape, chunks=chunks, dtype="<f4", filters=filters, compressor=made[codec])[...] = data
    def read():
        zarr.open(path, mode="r").get_basic_selection(Ellipsis, out=room)

for _ in range(int(repeat)):
    if op == "write":
        shutil.rmtree(folder, ignore_errors=True)
    start = time.perf_counter()
    write() if op == "write" else read()
    print(time.perf_counter() - start)
if op == "read" and not (room == data).all():
    sys.exit("what was read is not the field")
