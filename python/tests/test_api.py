# SPDX-License-Identifier: BSD-3-Clause
"""Datasets, variables, types and attributes, read back by Cellar and by netCDF4-python."""

from __future__ import annotations

import gc
import pickle
import threading

import numpy as np
import pytest

import cellar
from cellar import _native

FORMATS = ["netcdf4", "netcdf4-classic", "classic", "64bit-offset", "64bit-data", "nczarr", "zarr2", "zarr3"]
VALUES = np.random.default_rng(1).normal(size=(7, 11, 13)).astype("f4")


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "a.nc")


@pytest.fixture
def field(path):
    """A file with one variable in chunks."""
    with cellar.open(path, "w") as ds:
        for name, size in zip("zyx", VALUES.shape, strict=True):
            ds.create_dimension(name, size)
        ds.create_variable("v", "f4", ("z", "y", "x"), chunks=(2, 4, 5), chain="shuffle|zstd,level=3", data=VALUES)
    with cellar.open(path) as ds:
        yield ds["v"]


KEYS = [
    np.s_[...], np.s_[:], np.s_[3], np.s_[-1], np.s_[1, 2, 3], np.s_[:, 4], np.s_[..., 2], np.s_[2, ..., ::3],
    np.s_[::-1], np.s_[5:1:-2, ::-3, 1:], np.s_[0:0], np.s_[3:3, :, 1], np.s_[100:], np.s_[[1, 5]], np.s_[[5, 1, 1]],
    np.s_[:, [0, 10]], np.s_[1, [3, 2], :], np.s_[np.array([True, False] * 3 + [True])], np.s_[np.int64(2), np.uint8(3)],
    np.s_[:, :, np.arange(13) % 2 == 0], np.s_[VALUES > 0.5], np.s_[[], :, 1],
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS, ids=range(len(KEYS)))
def test_index(field, key):
    got, expected = field[key], VALUES[key]
    assert got.dtype == expected.dtype and got.shape == expected.shape
    np.testing.assert_array_equal(got, expected)


def test_lists_select_along_each_dimension(field):
    np.testing.assert_array_equal(field[[1, 3], :, [2, 0, 5]], VALUES[[1, 3]][:, :, [2, 0, 5]])


@pytest.mark.parametrize("key", [(7,), (0, 0, 13), (-8,), (0, 0, 0, 0), ([7],), (None, 0), ("a",), (1.5,), (True,)])
def test_index_that_is_none(field, key):
    with pytest.raises((IndexError, TypeError)):
        field[key]


@pytest.mark.parametrize("dtype", ["f4", "f8", ">f4", "f2"])
def test_out(field, dtype):
    memory = np.full((13, 2, 7), -1, dtype)
    out = memory.T[:, ::-1, ::2]
    assert field.read((slice(None), slice(0, 2), slice(0, 13, 2)), out=out) is out
    np.testing.assert_array_equal(out, VALUES[:, 0:2, 0:13:2].astype(dtype))
    assert (memory[1::2] == -1).all()


def test_out_that_does_not_fit(field):
    with pytest.raises(ValueError, match="shape"):
        field.read(out=np.empty((1, 2, 3), "f4"))
    memory = np.empty(VALUES.shape, "f4")
    memory.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        field.read(out=memory)


@pytest.mark.parametrize("format", FORMATS)
def test_formats(tmp_path, format):
    path = tmp_path / "data"
    with cellar.open(path, "w", format=format) as ds:
        ds.attrs.update(title="hällo", n=np.int32(3), f=[1.5, 2.5])
        ds.create_dimension("y", 11)
        ds.create_dimension("x", 13)
        v = ds.create_variable("v", "f8", ("y", "x"), attrs={"units": "K"})
        v[...] = VALUES[0]
        v[3:5, ::2] = 7
        ds.attrs["later"] = "yes"
    expected = VALUES[0].astype("f8")
    expected[3:5, ::2] = 7
    with cellar.open(path) as ds:
        np.testing.assert_array_equal(ds["v"][...], expected)
        assert ds["v"].attrs["units"] == "K" and ds.attrs["title"] == "hällo" and ds.attrs["later"] == "yes"
        assert ds.attrs["n"] == 3 and list(ds.attrs["f"]) == [1.5, 2.5]
        assert ds.mode == "r"
        with pytest.raises(ValueError, match="open for reading"):
            ds.create_dimension("z", 3)


def test_unlimited(path):
    with cellar.open(path, "w") as ds:
        ds.create_dimension("t")
        ds.create_dimension("x", 4)
        v = ds.create_variable("v", "i4", ("t", "x"), fill_value=-1)
        v[0] = [1, 2, 3, 4]
        v[3, 1:3] = 9
        assert v.shape == (4, 4)
        v[4:6] = [[5] * 4, [6] * 4]
        v[6:] = np.full((2, 4), 7)
        assert v.shape == (8, 4) and ds.dimensions["t"].unlimited
    with cellar.open(path) as ds:
        expected = [[1, 2, 3, 4], [-1] * 4, [-1] * 4, [-1, 9, 9, -1], [5] * 4, [6] * 4, [7] * 4, [7] * 4]
        np.testing.assert_array_equal(ds["v"][:], expected)


def test_values_are_converted_and_checked_by_the_library(path):
    with cellar.open(path, "w") as ds:
        ds.create_dimension("x", 3)
        v = ds.create_variable("v", "i1", ("x",))
        v[:] = [1.9, -1.9, 5.0]
        np.testing.assert_array_equal(v[:], [1, -1, 5])
        with pytest.raises(cellar.Error) as error:
            v[:] = [1, 300, 2]
        assert error.value.code == -60 and "v" in str(error.value)


def test_types(path):
    pair = np.dtype([("a", "i4"), ("b", "f8", (2,))], align=True)
    with cellar.open(path, "w") as ds:
        ds.create_dimension("x", 3)
        ds.create_variable("s", str, ("x",))[:] = ["", "ä", "long " * 30]
        ds.create_variable("c", "S1", ("x",))[:] = "abc"
        ds.create_variable("p", ds.create_compound("pair", pair), ("x",))[:] = [(1, [2, 3]), (4, [5, 6]), (7, [8, 9])]
        colour = ds.create_enum("colour", "u1", {"red": 1, "green": 2})
        ds.create_variable("e", colour, ("x",), fill_value=1)[:] = [2, 1, 2]
        ds.create_variable("l", ds.create_vlen("list", "i2"), ("x",))[1] = [1, 2, 3]
        ds.create_variable("o", ds.create_opaque("four", 4), ("x",))[0] = np.void(b"abcd")
        ds.create_variable("scalar", "f8")[...] = 2.5
        ds.create_group("g/h").create_variable("text", str)[...] = "inner"
    with cellar.open(path) as ds:
        assert list(ds["s"][:]) == ["", "ä", "long " * 30] and ds["s"].datatype is str
        assert list(ds["s"][::-2]) == ["long " * 30, ""] and ds["s"][1] == "ä"
        assert ds["c"][:].tobytes() == b"abc"
        assert ds["p"].dtype == pair and ds["p"][1]["b"].tolist() == [5, 6]
        assert ds["e"].datatype.enum_dict == {"red": 1, "green": 2} and ds["e"][:].tolist() == [2, 1, 2]
        assert [v.tolist() for v in ds["l"][:]] == [[], [1, 2, 3], []]
        assert ds["o"][0].tobytes() == b"abcd"
        assert ds["scalar"][...] == 2.5 and ds["g/h/text"][...] == "inner"
        assert set(ds.types) == {"pair", "colour", "list", "four"}
        assert [g.path for g in ds.walk()] == ["/", "/g", "/g/h"]


def test_types_as_netcdf4_python_has_them(path):
    netCDF4 = pytest.importorskip("netCDF4")
    with cellar.open(path, "w") as ds:
        ds.create_dimension("x", 2)
        ds.create_variable("s", str, ("x",))[:] = ["a", "b"]
        pair = ds.create_compound("pair", [("a", "i4"), ("b", "f8")])
        ds.create_variable("p", pair, ("x",))[:] = np.array([(1, 2), (3, 4)], pair.dtype)
        ds.create_variable("l", ds.create_vlen("list", "i2"), ("x",))[:] = np.array([np.arange(2), np.arange(3)], object)
        ds.create_variable("e", ds.create_enum("e_t", "i1", {"a": 0, "b": 1}), ("x",))[:] = [1, 0]
    with netCDF4.Dataset(path) as theirs, cellar.open(path) as ours:
        for name in "spe":
            np.testing.assert_array_equal(theirs[name][:], ours[name][:])
        assert [v.tolist() for v in theirs["l"][:]] == [v.tolist() for v in ours["l"][:]] == [[0, 1], [0, 1, 2]]
        assert theirs["e"].datatype.enum_dict == ours["e"].datatype.enum_dict


def test_how_it_is_kept(path):
    with cellar.open(path, "w") as ds:
        ds.create_dimension("x", 1000)
        v = ds.create_variable(
            "v", "f4", ("x",), chunks=(100,), chain="shuffle|deflate,level=2", quantize=("bitround", 8), endian="big"
        )
        v[:] = np.linspace(1, 2, 1000)
        assert 0 < v.loss[1] < 2**-8
    with cellar.open(path) as ds:
        v = ds["v"]
        assert v.chunks == (100,) and "deflate,level=2" in v.chain and v.quantize == ("bitround", 8)
        assert v.endian == "big" and 0 < v.stored < v.nbytes == 4000 and v.shards is None
        assert "zlib" in v.chain_as("json") and v.chain_as("ids").startswith("2")
        for text in (ds._repr_html_(), v._repr_html_(), repr(ds), repr(v)):
            assert "deflate" in text


def test_shards(tmp_path):
    path = tmp_path / "s.zarr"
    with cellar.open(path, "w") as ds:
        ds.create_dimension("y", 20)
        ds.create_dimension("x", 30)
        v = ds.create_variable("v", "i4", ("y", "x"), chunks=(5, 5), shards=(10, 15), chain="zstd")
        v[:] = np.arange(600).reshape(20, 30)
    with cellar.open(path) as ds:
        assert ds["v"].shards == (10, 15) and ds["v"].chunks == (5, 5) and ds.format == "zarr"
        np.testing.assert_array_equal(ds["v"][7:12, ::-1], np.arange(600).reshape(20, 30)[7:12, ::-1])


def test_masked_values_are_filled(path):
    with cellar.open(path, "w") as ds:
        ds.create_dimension("x", 3)
        v = ds.create_variable("v", "f4", ("x",), fill_value=-9)
        v[:] = np.ma.array([1, 2, 3], mask=[False, True, False])
        np.testing.assert_array_equal(v[:], [1, -9, 3])


# --- errors ---


def test_errors_say_what_where_and_which(tmp_path, path, field):
    with pytest.raises(FileNotFoundError) as missing:
        cellar.open(tmp_path / "none.nc")
    assert isinstance(missing.value, cellar.Error) and missing.value.code == 2 and "none.nc" in missing.value.file
    with pytest.raises(FileExistsError):
        cellar.open(path, "x")
    (tmp_path / "text").write_text("no data at all")
    with pytest.raises(cellar.Error) as unknown:
        cellar.open(tmp_path / "text")
    assert unknown.value.code == -51
    with cellar.open(tmp_path / "b.nc", "w") as ds:
        ds.create_dimension("x", 4)
        with pytest.raises(cellar.Error) as chain:
            ds.create_variable("v", "f4", ("x",), chunks=(4,), chain="zsdt")
        assert chain.value.variable == "v" and "zsdt" in str(chain.value)
        assert isinstance(pickle.loads(pickle.dumps(chain.value)), cellar.Error)
        with pytest.raises(KeyError, match="dimension"):
            ds.create_variable("w", "f4", ("nowhere",))
        with pytest.raises(TypeError, match="complex"):
            ds.create_variable("w", "c8", ("x",))


def test_damage_is_told_by_chunk(tmp_path):
    path = tmp_path / "d.zarr"
    with cellar.open(path, "w") as ds:
        ds.create_dimension("x", 100)
        ds.create_variable("v", "i4", ("x",), chunks=(50,), chain="zstd")[:] = np.arange(100)
    chunk = next(p for p in path.rglob("*") if p.is_file() and p.name == "1")
    chunk.write_bytes(b"damage")
    with cellar.open(path) as ds:
        np.testing.assert_array_equal(ds["v"][:50], np.arange(50))
        with pytest.raises(cellar.Error) as error:
            ds["v"][:]
    assert error.value.variable == "v" and "1" in error.value.chunk and error.value.filter == "zstd"


def test_unknown_codec_spoils_only_its_values(tmp_path):
    path = tmp_path / "u.zarr"
    with cellar.open(path, "w") as ds:
        ds.create_dimension("x", 10)
        for name in "vw":
            ds.create_variable(name, "f4", ("x",), chunks=(5,), chain="zstd", attrs={"units": "K"})[:] = 1
    text = (path / "v" / "zarr.json").read_text()
    assert '"zstd"' in text
    (path / "v" / "zarr.json").write_text(text.replace('"zstd"', '"nonesuch"'))
    with cellar.open(path) as ds:
        assert "nonesuch" in ds["v"].chain and "nonesuch" in repr(ds["v"]) and "nonesuch" in ds._repr_html_()
        np.testing.assert_array_equal(ds["w"][:], np.ones(10))
        with pytest.raises(cellar.Error, match="nonesuch"):
            ds["v"][:]


@pytest.mark.parametrize("format", ["netcdf4", "classic", "zarr2", "zarr3"])
def test_details_of_all_are_those_of_each(tmp_path, format):
    path = tmp_path / "d"
    with cellar.open(path, "w", format=format) as ds:
        ds.create_dimension("x", 10)
        ds.create_variable("v", "f4", ("x",), attrs={"units": "K", "numbers": np.arange(3, dtype="i4")})
        ds.create_variable("w", "i2", (), attrs={"scale": 0.5})
    with cellar.open(path) as ds:
        each = [(_native.atts(ds._id, v._id), _native.layout(ds._id, v._id)) for v in ds.variables.values()]
        assert _native.details(ds._id) == each and len(each) == 2
        assert [len(attributes) >= n for n, (attributes, _) in zip((2, 1), each, strict=True)] == [True, True]


WRONG = {  # what was written: what the sentence says
    'ds.create_variable("q", "f4", ("x",), chunks=(1, 2))': "variable q: chunks needs 1 lengths",
    'ds.create_variable("q", "f4", ("x",), chunks=(-1,))': "variable q: chunks needs 1 lengths",
    'ds.create_variable("q", "f4", ("x",), shards=5)': "variable q: shards needs 1 lengths",
    'ds.create_variable("q", "f4", ("x",), quantize=("bitruond", 3))': "quantize is a pair of bitgroom",
    'ds.create_variable("q", "f4", ("x",), quantize=9)': "quantize is a pair of bitgroom",
    'ds.create_variable("q", "f4", ("x",), endian="middle")': "endian is one of native",
    'ds.create_variable("q", "f4", ("x",), quantize="bitround")': "quantize is a pair of bitgroom, granular, bitround",
    'ds.create_variable("q", "f4", ("x",), data=np.zeros(11))': r"variable q: data of the shape \(11,\) does not fit",
    'ds.create_variable("q", "u1", ("x",), fill_value=-1)': "the fill value -1 does not fit uint8",
    'ds.create_variable("q", "i2", ("x",), fill_value=0.5)': "the fill value 0.5 does not fit int16",
    'ds.create_dimension("n", "5")': "cannot be interpreted as an integer",
    'ds["v"]["a"]': "an index is a whole number, a slice",
    'ds["v"][1.5]': "an index is a whole number, a slice",
    'ds["v"].__setitem__(slice(None), np.zeros(11))': r"v: values of the shape \(11,\) do not fit the selection's \(10,\)",
    'ds["v"].read(out=[0] * 10)': "v: out is a numpy array, not list",
    'ds["v"].chain_as("nam")': "v: a spelling is one of ids, names",
    "ds[3]": "variables and groups have names; 3 is none",
    'cellar.open(other, format="zarr3")': "format='zarr3' is for creating; mode 'r' opens",
    'cellar.open(other)["v"].__setitem__(0, 1)': "v: the dataset is open for reading; open it with mode 'r[+]'",
    'ds["a/b"]': "/ has no group 'a'",
    'ds.attrs["no"]': "w.nc: there is no attribute 'no'",
    'del ds.attrs["no"]': "w.nc: there is no attribute 'no'",
    'ds.attrs["a"] = {"x": 1}': "attribute a: text, numbers and lists",
    'ds.attrs["a"] = None': "attribute a: text, numbers and lists",
    'cellar.copy(other, target, chunks={"nope": 3})': "there is no dimension nope",
    'cellar.copy(other, target, chain={"nope": "zstd"})': "there is no variable nope",
    'cellar.copy(other, target, quantize={"nope": ("bitround", 3)})': "there is no variable nope",
}


@pytest.mark.parametrize("use", WRONG)
def test_wrong_use_is_told_in_a_sentence_and_leaves_nothing(tmp_path, use):
    other, target = tmp_path / "other.nc", tmp_path / "target.nc"
    with cellar.open(other, "w") as ds:
        ds.create_dimension("x", 10)
        ds.create_variable("v", "f4", ("x",))
    target.write_text("kept")
    with cellar.open(tmp_path / "w.nc", "w") as ds:
        ds.create_dimension("x", 10)
        ds.create_variable("v", "f4", ("x",))[:] = 0
        with pytest.raises((ValueError, TypeError, IndexError, KeyError), match=WRONG[use]):
            exec(use, globals() | locals())
    with cellar.open(tmp_path / "w.nc") as ds:
        assert list(ds.variables) == ["v"] and not ds.attrs
    assert target.read_text() == "kept"


@pytest.mark.parametrize("format", ["netcdf4", "zarr3"])
def test_definition_that_failed_is_repeated(tmp_path, format):
    with cellar.open(tmp_path / "h", "w", format=format) as ds:
        ds.create_dimension("x", 10)
        for chain in ("zsdt", "zstd,level=99"):
            with pytest.raises(cellar.Error, match="filter text"):
                ds.create_variable("v", "f4", ("x",), chunks=(4,), chain=chain)
        with pytest.raises(ValueError, match="variable v: an earlier definition of it failed"):
            ds.create_variable("v", "f8", ("x",), chunks=(4,), chain="zstd")
        v = ds.create_variable("v", "f4", ("x",), chunks=(5,), chain="zstd,level=4", data=np.arange(10, dtype="f4"))
        assert v.chunks == (5,) and v.chain == "zstd,level=4" and list(ds.variables) == ["v"]
        with pytest.raises(cellar.Error, match="has a variable v already"):
            ds.create_variable("v", "f4", ("x",), chunks=(5,), chain="zstd")
    with cellar.open(tmp_path / "h") as ds:
        assert ds["v"].chain == "zstd,level=4" and np.array_equal(ds["v"][:], np.arange(10))


def test_closed(field):
    field.group.dataset.close()
    field.group.dataset.close()
    assert repr(field) == f"<cellar.Variable {field.name} (closed)>"
    for use in (lambda: field[0], lambda: field.chain, lambda: field.group.attrs["a"]):
        with pytest.raises(ValueError, match="closed"):
            use()


# --- threads, processes, memory ---


def test_threads_read_at_once(field):
    failed = []

    def work(seed):
        rng = np.random.default_rng(seed)
        for _ in range(50):
            i, j = rng.integers(0, 7), rng.integers(0, 11)
            if not (field[i, j:] == VALUES[i, j:]).all():
                failed.append((i, j))

    workers = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    assert not failed


def test_pickle(field):
    again = pickle.loads(pickle.dumps(field))
    np.testing.assert_array_equal(again[...], VALUES)
    group = pickle.loads(pickle.dumps(field.group))
    assert list(group) == ["v"]


def test_forgotten_datasets_are_closed(path, field):
    import os

    def handles():
        return len(os.listdir("/proc/self/fd"))

    before = handles()
    for _ in range(50):
        cellar.open(path)["v"][0]
    gc.collect()
    assert handles() <= before + 2


def test_settings():
    before = cellar.threads()
    try:
        assert cellar.threads(1) == 1
    finally:
        cellar.threads(before)
    names = {codec["name"] for codec in cellar.chains()}
    assert {"deflate", "shuffle", "zstd", "ndlorenzo"} <= names


# --- copy ---


@pytest.mark.parametrize("format", [None, "zarr3", "64bit-data"])
def test_copy(tmp_path, path, field, format):
    steps = []
    target = tmp_path / "copy"
    cellar.copy(path, target, format=format, progress=lambda *step: steps.append(step))
    with cellar.open(target) as ds:
        np.testing.assert_array_equal(ds["v"][...], VALUES)
        if format is None:
            assert ds["v"].chain == field.chain and ds["v"].chunks == field.chunks
    assert steps[-1] == (VALUES.nbytes, VALUES.nbytes, "v")


@pytest.mark.parametrize("format", ["netcdf4", "classic", "nczarr", "zarr3"])
def test_copy_onto_itself_is_refused(tmp_path, format):
    path = tmp_path / ("t.zarr" if "zarr" in format else "t.nc")
    with cellar.open(path, "w", format=format) as ds:
        ds.create_dimension("x", 10)
        ds.create_variable("v", "i4", ("x",), data=np.arange(10))
    (tmp_path / "link").symlink_to(path)
    for target in (path, tmp_path / "." / path.name, tmp_path / "link", f"file://{path}#mode=zarr"):
        with pytest.raises(ValueError, match="source and target of the copy are the same"):
            cellar.copy(path, target)
    with cellar.open(path) as ds:
        np.testing.assert_array_equal(ds["v"][...], np.arange(10))


def test_copy_with_other_filters_and_stopped(tmp_path, path, field):
    cellar.copy(path, tmp_path / "b.nc", chain="deflate,level=1", chunks={"z": 7}, quantize={"v": ("bitround", 5)})
    with cellar.open(tmp_path / "b.nc") as ds:
        assert ds["v"].chunks == (7, 4, 5) and "deflate" in ds["v"].chain
        np.testing.assert_allclose(ds["v"][...], VALUES, rtol=2**-5)

    def stop(*step):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cellar.copy(path, tmp_path / "c.nc", progress=stop)
    assert not (tmp_path / "c.nc").exists()


# --- h5py ---


@pytest.mark.parametrize("chain", ["zstd", "blosc", "lz4", "bzip2", "bitshuffle", "lzf", "ndlorenzo", "shuffle|deflate,1"])
def test_h5py_knows_every_filter(path, chain):
    h5py = pytest.importorskip("h5py")
    cellar.register_hdf5_plugins()
    cellar.register_hdf5_plugins()
    with cellar.open(path, "w") as ds:
        ds.create_dimension("x", 1000)
        ds.create_variable("v", "f4", ("x",), chunks=(100,), chain=chain)[:] = np.arange(1000)
    with h5py.File(path) as file:
        np.testing.assert_array_equal(file["v"][:], np.arange(1000))
