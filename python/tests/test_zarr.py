# SPDX-License-Identifier: BSD-3-Clause
"""zarr-python's pipeline on Cellar: the same values and stores that zarr-python itself reads, and every chunk native."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest

zarr = pytest.importorskip("zarr", minversion="3")
from zarr.codecs import BloscCodec, Crc32cCodec, GzipCodec, TransposeCodec, ZstdCodec
from zarr.storage import LocalStore, MemoryStore

import cellar
import cellar.zarr as ours

OWN = "zarr.core.codec_pipeline.BatchedCodecPipeline"
CELLAR = "cellar.zarr.CodecPipeline"
VALUES = np.random.default_rng(5).integers(0, 90, (23, 31, 19))
COMPRESSORS = {
    "none": None,
    "zstd": ZstdCodec(level=3),
    "blosc": BloscCodec(cname="lz4"),
    "bitshuffle": BloscCodec(cname="zstd", shuffle="bitshuffle"),
    "gzip": GzipCodec(),
    "crc": [ZstdCodec(), Crc32cCodec()],
}
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def on_cellar():
    with zarr.config.set({"codec_pipeline.path": CELLAR}):
        ours.reset_counters()
        yield


def same(array, expected):
    np.testing.assert_array_equal(array[...], expected)
    np.testing.assert_array_equal(array[3:17:2, 5, :], expected[3:17:2, 5, :])
    np.testing.assert_array_equal(array.oindex[[3, 9, 2], :, [1, 5]], expected[[3, 9, 2]][:, :, [1, 5]])
    np.testing.assert_array_equal(array.vindex[[1, 2], [3, 4], [5, 6]], expected[[1, 2], [3, 4], [5, 6]])
    assert array[1, 2, 3] == expected[1, 2, 3]


def change(array, expected, lists=True):
    array[3:17, 5, ::3] = expected[3:17, 5, ::3] = expected[0, 0, 0]
    array[20:, :, 17:] = expected[20:, :, 17:] = expected[:3, :, :2]
    if lists:  # zarr-python's own pipeline cannot, in shards
        array.oindex[[3, 9], 5, :] = expected[[3, 9], 5, :] = expected[[3, 9], 1, :]
    array[5] = expected[5] = 0


@pytest.mark.parametrize("shards", [None, (10, 12, 20)], ids=["plain", "sharded"])
@pytest.mark.parametrize(
    "compressor", [c if c in ("zstd", "blosc") else pytest.param(c, marks=pytest.mark.long) for c in COMPRESSORS]
)
@pytest.mark.parametrize("local", [True, False], ids=["local", "memory"])
def test_read_and_write(tmp_path, local, compressor, shards):
    for dtype in ("f4", "i2", "u8", "bool", "f2", "c8", "M8[s]", "S3") if compressor == "none" else ("f4", "u1"):
        values = VALUES.astype(dtype)
        store = LocalStore(tmp_path / dtype) if local else MemoryStore()
        array = zarr.create_array(
            store, shape=values.shape, dtype=values.dtype, chunks=(5, 6, 10), shards=shards,
            compressors=COMPRESSORS[compressor],
        )  # fmt: skip
        array[...] = values
        same(array, values)
        change(array, values)
        same(array, values)
        same(pickle.loads(pickle.dumps(array)), values) if local else None
        with zarr.config.set({"codec_pipeline.path": OWN}):
            theirs = zarr.open_array(store, mode="r+")
            same(theirs, values)
            change(theirs, values, lists=shards is None)
        same(zarr.open_array(store, mode="r"), values)
    assert ours.counters()["fallback"] == 0, ours.reasons()
    assert ours.counters()["native"] > 0


@pytest.mark.parametrize(("order", "compressor"), list(itertools.product("CF", ["auto", None])))
def test_version_2(tmp_path, order, compressor):
    options = dict(shape=VALUES.shape, dtype="f4", chunks=(5, 6, 10), zarr_format=2, order=order, compressors=compressor)
    array = zarr.create_array(tmp_path / "a", **options)
    array[...] = VALUES
    same(array, VALUES.astype("f4"))
    with zarr.config.set({"codec_pipeline.path": OWN}):
        same(zarr.open_array(tmp_path / "a", mode="r"), VALUES.astype("f4"))
    assert ours.counters()["fallback"] == 0, ours.reasons()


def test_transposed(tmp_path):
    options = dict(shape=VALUES.shape, dtype="i4", chunks=(5, 6, 10), filters=[TransposeCodec(order=(2, 0, 1))])
    array = zarr.create_array(tmp_path / "a", **options)
    array[...] = VALUES
    same(array, VALUES)
    with zarr.config.set({"codec_pipeline.path": OWN}):
        same(zarr.open_array(tmp_path / "a", mode="r"), VALUES)
    assert ours.counters()["fallback"] == 0, ours.reasons()


def test_no_dimensions(tmp_path):
    for store in (tmp_path / "a", MemoryStore()):
        array = zarr.create_array(store, shape=(), dtype="i4")
        array[...] = 42
        assert array[()] == 42 and array[...] == 42
    assert ours.counters()["fallback"] == 0, ours.reasons()


def test_what_is_not_known_falls_back(tmp_path):
    array = zarr.create_array(tmp_path / "s", shape=(4,), dtype=str, chunks=(2,))
    array[:] = np.array(["a", "bb", "", "d"], object)
    assert list(array[:]) == ["a", "bb", "", "d"]
    assert ours.counters()["native"] == 0 and ours.counters()["fallback"] > 0 and ours.reasons()


def test_empty_chunks_are_not_written(tmp_path):
    array = zarr.create_array(tmp_path / "e", shape=(10,), dtype="i4", chunks=(5,), fill_value=7)
    array[:] = [7] * 5 + [1] * 5
    assert array.nchunks_initialized == 1
    array[:] = 7
    assert array.nchunks_initialized == 0
    np.testing.assert_array_equal(array[:], 7)
    with zarr.config.set({"array.write_empty_chunks": True}):
        full = zarr.create_array(tmp_path / "f", shape=(10,), dtype="i4", chunks=(5,), fill_value=7)
        full[:] = 7
        assert full.nchunks_initialized == 2


def test_read_only_store(tmp_path):
    zarr.create_array(tmp_path / "a", shape=(4,), dtype="i4", chunks=(2,))[:] = 1
    array = zarr.open_array(tmp_path / "a", mode="r")
    with pytest.raises(ValueError, match="read-only"):
        array[:] = 2
    assert (array[:] == 1).all()


def test_damage_is_an_error(tmp_path):
    array = zarr.create_array(tmp_path / "a", shape=(40,), dtype="i4", chunks=(20,), shards=None)
    array[:] = np.arange(40)
    (tmp_path / "a" / "c" / "1").write_bytes(b"damage")
    with pytest.raises(cellar.Error, match="zstd"):
        array[:]
    sharded = zarr.create_array(tmp_path / "s", shape=(40,), dtype="i4", chunks=(10,), shards=(40,))
    sharded[:] = np.arange(40)
    shard = tmp_path / "s" / "c" / "0"
    whole = shard.read_bytes()
    for cut in (3, len(whole) - 5):
        shard.write_bytes(whole[:cut])
        with pytest.raises(cellar.Error, match="shard"):
            sharded[:]
    shard.write_bytes(whole[:-20] + b"\xff" * 8 + whole[-12:])
    with pytest.raises(cellar.Error, match="index"):
        sharded[:]


CHAINS = ["ndcell", "ndmean", "ndlorenzo", "fpzip", "zfp", "bitshuffle", "lzf", "granularbitround", "bitgroom",
          "bitround,nsb=10", "shuffle|lz4", "lz4", "szip,4,8", "ndlorenzo|zstd", "bitshuffle|zstd"]  # fmt: skip


@pytest.mark.parametrize("pipeline", [OWN, CELLAR])
@pytest.mark.parametrize("chain", CHAINS)
def test_our_codecs_open_in_zarr_python(tmp_path, chain, pipeline):
    field = (np.arange(40 * 50).reshape(40, 50) ** 0.5).astype("f4")
    with cellar.open(tmp_path / "a", "w", format="zarr3") as ds:
        ds.create_dimension("y", 40)
        ds.create_dimension("x", 50)
        ds.create_variable("v", "f4", ("y", "x"), chunks=(16, 16), chain=chain)[:] = field
    with cellar.open(tmp_path / "a") as ds:
        expected = ds["v"][...]
    with zarr.config.set({"codec_pipeline.path": pipeline}):
        array = zarr.open_array(tmp_path / "a" / "v", mode="r+")
        np.testing.assert_array_equal(array[...], expected)
        array[...] = field
    with cellar.open(tmp_path / "a") as ds:
        np.testing.assert_array_equal(ds["v"][...], expected)


def test_entry_points_are_the_table_of_codecs():
    """Every codec that zarr-python or numcodecs lacks is offered by the name it has in stores."""
    from importlib.metadata import entry_points

    import cellar.codecs

    offered = {e.name: e for e in entry_points(group="zarr.codecs") if e.value.startswith("cellar.")}
    for codec in cellar.chains():
        key = f"zarr3_{codec['name']}"
        if hasattr(cellar.codecs, key):
            assert offered[codec["zarr3"]].load() is getattr(cellar.codecs, key)
    assert {e.value.split(":")[1] for e in offered.values()} == {k for k in vars(cellar.codecs) if k.startswith("zarr3_")}
