"""The manual's Python runs as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
NEEDS = {"python.md": ["xarray", "dask", "zarr"], "distributed.md": ["xarray", "dask"]}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("page", NEEDS)
def test_page(page, tmp_path, monkeypatch, capsys):
    for peer in NEEDS[page]:
        pytest.importorskip(peer)
    monkeypatch.chdir(tmp_path)
    text = (DOCS / page).read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
    assert blocks
    exec(compile("\n".join(blocks), page, "exec"), {"__name__": page})
