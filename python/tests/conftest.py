# SPDX-License-Identifier: BSD-3-Clause
"""What cannot run for want of a package is said loudly, never passed over."""

from __future__ import annotations

import importlib.util

import pytest

MISSING: set[str] = set()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "long: not in `make test`")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.skipped and isinstance(report.longrepr, tuple):
        MISSING.update(report.longrepr[2] for words in ("could not import", "NOT RUN") if words in report.longrepr[2])
    return report


def pytest_collectreport(report) -> None:
    if report.skipped and isinstance(report.longrepr, tuple):
        MISSING.add(f"{report.nodeid}: {report.longrepr[2]}")


def pytest_terminal_summary(terminalreporter) -> None:
    for name in ("xarray", "zarr", "dask", "distributed", "h5py", "netCDF4", "hypothesis", "mypy", "ruff"):
        if importlib.util.find_spec(name) is None:
            MISSING.add(f"{name} is not installed")
    for what in sorted(MISSING):
        terminalreporter.write_line(f"NOT RUN: {what}", red=True)
