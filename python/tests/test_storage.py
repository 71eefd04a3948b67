# SPDX-License-Identifier: BSD-3-Clause
"""storage_options: each dataset in a bucket of its own, as fsspec's users write it."""

import os
import pathlib
import pickle
import sys

import numpy as np
import pytest

import cellar

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "net"))
bucket = pytest.importorskip("bucket")


@pytest.fixture
def server(monkeypatch, tmp_path):
    for name in [n for n in os.environ if n.startswith("AWS_") or n.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("CELLAR_HTTP_RETRIES", "0")
    s = bucket.Server()
    yield s
    s.shutdown()


def options(server, **more):
    return {"key": "ANNA", "secret": "SESAME", "endpoint_url": server.url, **more}


def who(server):
    return {h.get("authorization", "nobody").partition("Credential=")[2].partition("/")[0] for _, _, h in server.asked}


def fill(server, url="s3://bucket/x.zarr", **more):
    with cellar.open(url, "w", storage_options=options(server, **more)) as ds:
        ds.create_dimension("x", 6)
        ds.create_variable("v", "i4", ("x",), data=np.arange(6))


def test_each_dataset_has_its_own(server):
    other = bucket.Server()
    fill(server)
    fill(other, key="BERTA")
    assert who(server) == {"ANNA"} and who(other) == {"BERTA"}
    with cellar.open("s3://bucket/x.zarr", storage_options=options(server)) as a:
        with cellar.open("s3://bucket/x.zarr", storage_options=options(other, key="CARLA")) as b:
            assert (a["v"][:] == b["v"][:]).all()
    assert who(server) == {"ANNA"} and who(other) == {"BERTA", "CARLA"}
    assert not any(name.startswith("AWS_") and name != "AWS_EC2_METADATA_DISABLED" for name in os.environ)
    other.shutdown()


def test_the_environment_serves_those_without(server, monkeypatch):
    fill(server)
    monkeypatch.setenv("AWS_ENDPOINT_URL", server.url)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "DORA")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s")
    server.asked.clear()
    cellar.open("s3://bucket/x.zarr").close()
    assert who(server) == {"DORA"}
    server.asked.clear()
    cellar.open("s3://bucket/x.zarr", storage_options={"anon": True}).close()
    assert who(server) == {""}


def test_a_profile(server, monkeypatch, tmp_path):
    fill(server)
    (tmp_path / "credentials").write_text("[emil]\naws_access_key_id = EMIL\naws_secret_access_key = s\n")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "DORA")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s")
    server.asked.clear()
    cellar.open(
        "s3://bucket/x.zarr", storage_options={"profile": "emil", "client_kwargs": {"endpoint_url": server.url}}
    ).close()
    assert who(server) == {"EMIL"}


def test_region_token_and_payer(server):
    more = {"token": "TOKEN", "requester_pays": True, "client_kwargs": {"region_name": "eu-north-1"}}
    fill(server, **more)
    for _, _, headers in server.asked:
        assert "/eu-north-1/s3/" in headers["authorization"]
        assert headers["x-amz-security-token"] == "TOKEN" and headers["x-amz-request-payer"] == "requester"


def test_modes(server):
    url = "s3://bucket/m.zarr"
    for expected in (1, 2):
        with cellar.open(url, "a", storage_options=options(server)) as ds:
            ds.attrs[f"n{expected}"] = expected
            assert len(ds.attrs) == expected
    with pytest.raises(FileExistsError):
        cellar.open(url, "x", storage_options=options(server))
    fill(server, "s3://bucket/m.zip")
    assert server.values["m.zip"][0].startswith(b"PK")
    with cellar.open("s3://bucket/m.zip", "r+", storage_options=options(server)) as ds:
        ds["v"][2] = 7
    with cellar.open("s3://bucket/m.zip", storage_options=options(server)) as ds:
        assert list(ds["v"][:]) == [0, 1, 7, 3, 4, 5]


def test_other_processes_get_them(server):
    fill(server)
    with cellar.open("s3://bucket/x.zarr", storage_options=options(server)) as ds:
        with pickle.loads(pickle.dumps(ds)) as again:
            assert list(again["v"][:]) == [0, 1, 2, 3, 4, 5]
        assert "SESAME" not in repr(ds) + repr(ds._storage)


def test_xarray(server):
    xarray = pytest.importorskip("xarray")
    fill(server)
    with xarray.open_dataset("s3://bucket/x.zarr", engine="cellar", storage_options=options(server)) as ds:
        assert list(ds["v"].values) == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"use_ssl": True}, "'use_ssl' is not understood; these are: anon, key"),
        ({"client_kwargs": {"verify": False}}, "client_kwargs: 'verify' is not understood"),
        ({"key": "ANNA"}, "key and secret go together"),
        ({"key": "ANNA", "secret": "SESAME", "profile": "p"}, "key and secret, or a profile"),
        ({"key": "ANNA", "secret": 5}, "secret is a text, not int"),
        ("SESAME", "a mapping is needed, not str"),
    ],
)
def test_what_is_not_understood_is_refused(given, says):
    with pytest.raises((ValueError, TypeError), match=says) as error:
        cellar.open("s3://bucket/x.zarr", storage_options=given)
    assert "SESAME" not in str(error.value)


def test_files_have_none(tmp_path):
    with pytest.raises(ValueError, match="are for s3:// and gs:// URLs"):
        cellar.open(tmp_path / "x.nc", storage_options={"anon": True})
