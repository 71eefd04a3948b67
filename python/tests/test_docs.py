# SPDX-License-Identifier: BSD-3-Clause
"""The manual's Python runs as it stands there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
NEEDS = {
    "docs/python.md": ["xarray", "dask", "zarr"],
    "docs/distributed.md": ["xarray", "dask"],
    "python/README.md": ["xarray", "zarr", "h5py"],
}


@pytest.mark.parametrize("page", NEEDS)
def test_page(page, tmp_path):
    for peer in NEEDS[page]:
        pytest.importorskip(peer)
    text = (REPOSITORY / page).read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
    assert blocks
    done = subprocess.run([sys.executable, "-c", "\n".join(blocks)], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
