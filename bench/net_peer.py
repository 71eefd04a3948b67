# SPDX-License-Identifier: BSD-3-Clause
"""One operation over the network by another library, timed; the counterpart of ncdump, read_all and bench_zarr in run_net.py.

    net_peer.py open|read netcdf4|h5py URL [VARIABLE]
    net_peer.py zwrite|zread obstore|tensorstore|zarrs ENDPOINT BUCKET NAME FIELD SHAPE CHUNKS LEVEL (of zstd; 0: none)

Prints the seconds it took, without starting Python and importing."""
import sys
import time
import warnings

warnings.simplefilter("ignore")
op, peer, *rest = sys.argv[1:]


def open_file():
    if peer == "netcdf4":
        import netCDF4
        start = time.perf_counter()
        f = netCDF4.Dataset(rest[0] + "#mode=bytes")
        text = str([(v, f[v].ncattrs(), f[v].shape) for v in f.variables])
    else:
        import fsspec
        import h5py
        start = time.perf_counter()
        f = h5py.File(fsspec.open(rest[0]).open(), "r")
        text = str([(v, list(f[v].attrs), f[v].shape) for v in f])
    assert len(text) > 2
    if op == "read":
        f[rest[1]][...]
    return time.perf_counter() - start


def whole_array():
    endpoint, bucket, name, raw, shape, chunks, level = rest
    level = int(level)
    import numpy
    shape, chunks = ([int(n) for n in t.split("x")] for t in (shape, chunks))
    data = numpy.fromfile(raw, "<f4").reshape(shape)
    key = {"aws_access_key_id": "AKIAFORTESTS", "aws_secret_access_key": "open/sesame+secret"}
    if peer == "tensorstore":
        import os
        os.environ.update({k.upper(): v for k, v in key.items()})
        import tensorstore as ts
        spec = {"driver": "zarr3", "kvstore": {"driver": "s3", "bucket": bucket, "path": name + "/field/", "endpoint": endpoint,
                                               "aws_region": "us-east-1"}}
        codecs = [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "zstd", "configuration": {"level": level}}][:2 if level else 1]
        start = time.perf_counter()
        if op == "zread":
            got = ts.open(spec).result().read().result()
        else:
            ts.open({**spec, "create": True, "delete_existing": False, "metadata": {
                "shape": shape, "data_type": "float32", "fill_value": 0.0, "codecs": codecs,
                "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunks}}}}).result().write(data).result()
    else:
        import obstore.store
        import zarr
        from zarr.storage import ObjectStore
        if peer == "zarrs":
            import zarrs  # noqa: F401
            zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline"})
        zarr.config.set({"async.concurrency": 64})
        store = ObjectStore(obstore.store.S3Store(bucket, prefix=name, endpoint=endpoint, region="us-east-1",
                                                  access_key_id=key["aws_access_key_id"],
                                                  secret_access_key=key["aws_secret_access_key"],
                                                  client_options={"allow_http": True}))
        start = time.perf_counter()
        if op == "zread":
            got = zarr.open_array(store, path="field", mode="r")[...]
        else:
            zarr.create_array(store, name="field", shape=shape, chunks=chunks, dtype="f4", filters=None,
                              compressors=[zarr.codecs.ZstdCodec(level=level)] if level else None, overwrite=False)[...] = data
    seconds = time.perf_counter() - start
    assert op == "zwrite" or (got == data).all()
    return seconds


print(open_file() if op in ("open", "read") else whole_array())
