# SPDX-License-Identifier: BSD-3-Clause
"""The tests of zarr-python and netCDF4-python, of the versions that are installed, run on Cellar: what passes without it
must pass with it, but for the tests that are named here with the reason. Their sources come from PyPI."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

RUN = "import sys{imports}\nimport pytest\nsys.exit(pytest.main(sys.argv[1:]))"
OPTIONS = ["-q", "-rfEpx", "-p", "no:cacheprovider", "-o", "addopts=", "--show-capture=no", "--tb=no"]


def source(package: str, folder: Path) -> Path:
    """The package's source distribution, unpacked."""
    pytest.importorskip(package)
    wanted = f"{package}=={importlib.metadata.version(package)}"
    got = subprocess.run(
        [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", package, "-d", folder, wanted],
        capture_output=True,
        text=True,
    )
    if got.returncode:
        pytest.skip(f"NOT RUN: the source of {wanted} cannot be had: {got.stderr.strip()[-200:]}")
    shutil.unpack_archive(next(folder.glob("*.tar.gz")), folder)
    return next(path for path in folder.iterdir() if path.is_dir())


def outcomes(folder: Path, tests: list[str], imports: str = "", **environment: str) -> dict[str, str]:
    done = subprocess.run(
        [sys.executable, "-c", RUN.format(imports=imports), *OPTIONS, *tests],
        cwd=folder,
        env=os.environ | {"NO_NET": "1"} | environment,
        capture_output=True,
        text=True,
    )
    words = [line.split(" - ")[0].split(" ", 1) for line in done.stdout.splitlines()]
    found = {row[1]: row[0] for row in words if len(row) == 2 and row[0] in ("PASSED", "FAILED", "ERROR")}
    assert any(word == "PASSED" for word in found.values()), done.stdout[-2000:] + done.stderr[-2000:]
    return found


def lost(theirs: dict[str, str], ours: dict[str, str]) -> set[str]:
    """Tests that pass on the peer alone, and are not expected to."""
    return {name for name, word in theirs.items() if word == "PASSED" and ours.get(name) != "PASSED"}


@pytest.mark.long
def test_netcdf4_python(tmp_path: Path) -> None:
    tests = source("netCDF4", tmp_path) / "test"  # beside it lies a package without its module
    folder = tests.rename(tmp_path / "test")
    ours = outcomes(folder, ["."], ", cellar.netcdf4")
    assert lost(outcomes(folder, ["."]), ours) == set()


@pytest.mark.long
def test_zarr_python(tmp_path: Path) -> None:
    tests = ["tests/test_codecs", "tests/test_indexing.py", "tests/test_array.py", "tests/test_v2.py"]
    folder = source("zarr", tmp_path)
    ours = outcomes(folder, tests, ZARR_CODEC_PIPELINE__PATH="cellar.zarr.CodecPipeline")
    # They count reads of chunks that are about to be overwritten; Cellar's pipeline makes none.
    known = "tests/test_array.py::test_create_array_with_data_num_gets"
    names = lost(outcomes(folder, tests), ours)
    assert {name for name in names if not name.startswith(known)} == set()
    assert len(names) <= len(ours) // 100
