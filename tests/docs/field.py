# SPDX-License-Identifier: BSD-3-Clause
"""t2m.nc: 24 hours of a smooth field with noise, as netCDF-C writes it."""
import netCDF4
import numpy as np

rng = np.random.default_rng(1)
hour, lat, lon = np.meshgrid(np.arange(24), np.linspace(-90, 90, 90), np.linspace(0, 358, 180), indexing="ij")
values = 288 + 30 * np.cos(np.radians(lat)) + 5 * np.sin(np.radians(lon + 15 * hour)) + 0.05 * rng.standard_normal(hour.shape)
with netCDF4.Dataset("t2m.nc", "w") as ds:
    for name, length in (("time", None), ("lat", 90), ("lon", 180)):
        ds.createDimension(name, length)
    v = ds.createVariable("t2m", "f4", ("time", "lat", "lon"), zlib=True, chunksizes=(1, 90, 180))
    v.units = "K"
    v[:] = values
