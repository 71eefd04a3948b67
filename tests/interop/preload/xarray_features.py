# SPDX-License-Identifier: BSD-3-Clause
"""xarray_features.py INPUT OUTPUT: through xarray, lazily and not."""
import sys

import numpy as np
import xarray as xr

ds = xr.open_dataset(sys.argv[1], engine="netcdf4")
print(ds)
print(float(ds.ta.mean()), float(ds.pk.isel(time=3).max()), int(ds.ta.isnull().sum()))
ds["double"] = ds.ta * 2
ds["when"] = ds.time + np.timedelta64(1, "D")
ds["label"] = ("lat", np.array(["l%d" % i for i in range(ds.sizes["lat"])], dtype=object))
encoding = {"double": {"zlib": True, "complevel": 3, "chunksizes": (5, 9, 36)}, "ta": {"dtype": "i2", "scale_factor": 0.001, "_FillValue": -1}}
ds.to_netcdf(sys.argv[2], engine="netcdf4", encoding=encoding, unlimited_dims=["time"])
back = xr.open_dataset(sys.argv[2], engine="netcdf4").sel(lat=slice(-30, 30)).mean("lon")
print(back.load())
