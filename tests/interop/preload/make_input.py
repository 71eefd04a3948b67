# SPDX-License-Identifier: BSD-3-Clause
"""make_input.py PATH: a small file of the kind NCO and CDO work on."""
import sys

import netCDF4
import numpy as np

rng = np.random.RandomState(1)
with netCDF4.Dataset(sys.argv[1], "w") as d:
    for name, n in (("time", None), ("lat", 18), ("lon", 36)):
        d.createDimension(name, n)
    for name, values, units in (("lat", np.linspace(-85, 85, 18), "degrees_north"),
                                ("lon", np.arange(0, 360, 10), "degrees_east"),
                                ("time", np.arange(24), "days since 2000-01-01")):
        v = d.createVariable(name, "f8", (name,))
        v[:] = values
        v.units = units
    d["lat"].standard_name, d["lon"].standard_name = "latitude", "longitude"
    d["time"].calendar = "standard"
    v = d.createVariable("ta", "f4", ("time", "lat", "lon"), zlib=True, fill_value=1e20)
    v[:] = rng.rand(24, 18, 36)
    v.units = "K"
    v[3, 4] = np.ma.masked
    p = d.createVariable("pk", "i2", ("time", "lat", "lon"))
    p.scale_factor, p.add_offset = 0.01, 5.0
    p[:] = rng.rand(24, 18, 36) + 5
