# SPDX-License-Identifier: BSD-3-Clause
"""As records_read.c, with zarr-python, and for NCZarr version 2 with netCDF-C's newest as well: for each line "N NVARS PATH" one line
of answer, so that Python starts once."""
import sys

import netCDF4
import numpy
import zarr

SHAPE = (32, 48)
NC_EDIMSIZE = -63


def expected(n):
    t = numpy.arange(n).reshape(-1, 1, 1)
    i = numpy.arange(SHAPE[0] * SHAPE[1]).reshape(SHAPE)
    return (t * 10000 % 8000000 + i).astype("f4")


def check(array_of, n, nvars):
    for v in range(nvars):
        if not numpy.array_equal(array_of(f"v{v}")[:n], expected(n)):
            return f"v{v}: wrong"
    return None if numpy.array_equal(array_of("time")[:n], numpy.arange(n)) else "time: wrong"


def check_zarr(where, n, nvars):
    if not where.endswith(".zip"):
        return check(lambda name: zarr.open_group(where, mode="r")[name], n, nvars)
    with zarr.storage.ZipStore(where, mode="r") as store:
        group = zarr.open_group(store, mode="r")
        return check(lambda name: group[name], n, nvars)


def check_netcdf(url, n, nvars):
    """netCDF-C opens no store whose arrays and dimensions have different lengths, and these lie in different files."""
    try:
        data = netCDF4.Dataset(url)
    except OSError as e:
        return f"later: {e}" if e.errno == NC_EDIMSIZE else str(e)
    with data:
        data.set_auto_mask(False)
        return check(lambda name: data[name], n, nvars)


def answer(n, nvars, url):
    if n == 0:
        return None
    wrong = check_zarr(url.partition("#")[0].removeprefix("file://"), n, nvars)
    if not wrong and url.endswith("#mode=nczarr,file"):
        wrong = check_netcdf(url, n, nvars)
    return wrong


for line in sys.stdin:
    n, nvars, url = line.split(maxsplit=2)
    try:
        text = answer(int(n), int(nvars), url.strip()) or "right"
    except Exception as e:  # whatever a damaged store makes them say
        text = f"{type(e).__name__}: {e}"
    print(" ".join(text.split()), flush=True)
