# SPDX-License-Identifier: BSD-3-Clause
"""The types of the package (mypy), and its style (ruff)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1]


def run(*command):
    done = subprocess.run([sys.executable, "-m", *command], cwd=PACKAGE, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.long
def test_types(tmp_path):
    for peer in ("mypy", "xarray", "zarr", "dask"):
        pytest.importorskip(peer)
    run("mypy", "--config-file", "pyproject.toml", "--cache-dir", str(tmp_path), "-p", "cellar")


def test_style():
    pytest.importorskip("ruff")
    run("ruff", "check", "--no-cache", ".")
    run("ruff", "format", "--no-cache", "--check", ".")


def test_stub_has_every_function_of_the_module():
    from cellar import _native

    stub = (PACKAGE / "cellar" / "_native.pyi").read_text()
    declared = {line.split("(")[0].removeprefix("def ") for line in stub.splitlines() if line.startswith("def ")}
    assert declared == {name for name in dir(_native) if not name.startswith("__")}
