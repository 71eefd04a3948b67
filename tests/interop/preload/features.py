# SPDX-License-Identifier: BSD-3-Clause
"""features.py PATH: what netCDF4-python can do, in one go."""
import sys

import netCDF4
import numpy as np

path = sys.argv[1]
d = netCDF4.Dataset(path, "w")
d.createDimension("time", None)
d.createDimension("lat", 20)
d.createDimension("lon", 30)
t = d.createVariable("time", "f8", ("time",))
t.units, t.calendar = "days since 2000-01-01", "standard"
options = {
    "a": dict(zlib=True, complevel=4, shuffle=True),
    "b": {},
    "c": dict(zlib=True, fletcher32=True, chunksizes=(1, 10, 30)),
    "d": dict(fill_value=-1, endian="big"),
    "q": dict(zlib=True, least_significant_digit=2),
}
for name, option in options.items():
    v = d.createVariable(name, "i4" if name == "d" else "f4", ("time", "lat", "lon"), **option)
    v[:] = np.arange(5 * 600).reshape(5, 20, 30)
    v.units = "m"
    v.valid_range = np.array([0, 1], "f4")
    v.setncattr("list", [1, 2, 3])
    v.scale_factor = np.float32(0.5)
t[:] = np.arange(5)
group = d.createGroup("g/h")
s = group.createVariable("s", str, ("lat",))
s[:] = np.array(["w%d" % i for i in range(20)], object)
vlen = d.createVariable("vlen", d.createVLType(np.int32, "vt"), ("lat",))
for i in range(20):
    vlen[i] = np.arange(i % 4, dtype="i4")
kind = np.dtype([("x", "f8"), ("y", "i2", 3)])
compound = d.createVariable("compound", d.createCompoundType(kind, "ct"), ("lat",))
values = np.zeros(20, dtype=kind)
values["x"] = np.arange(20)
compound[:] = values
enum = d.createVariable("enum", d.createEnumType(np.uint8, "et", {"A": 0, "B": 3}), ("lat",), fill_value=0)
enum[:] = np.array([0, 3] * 10, "u1")
d.title = "x"
d.setncattr_string("words", ["a", "bc"])
d.renameVariable("b", "bb")
d.renameDimension("lon", "longitude")
d.sync()
d.close()

d = netCDF4.Dataset(path, "a")
d["a"][7] = 3
d["a"].new = "late"
d["a"].delncattr("units")
d.close()

d = netCDF4.Dataset(path)
print(d)
for name in d.variables:
    v = d[name][:]
    print(d[name])
    print(list(v[:5]) if v.dtype == object else np.asarray(v).ravel()[:5], d[name].chunking(), d[name].filters())
print(d["g/h/s"][3:6], d["bb"][1:5:2, ::7, ::-1].sum(), d["a"][6].mask.all())
d.close()

m = netCDF4.Dataset("mem.nc", "w", memory=1000)
m.createDimension("x", 3)
m.createVariable("v", "i2", ("x",))[:] = [1, 2, 3]
image = m.close()
m = netCDF4.Dataset("mem.nc", memory=image)
print(len(image) > 0, m["v"][:])
m.close()

for kind in "NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA", "NETCDF4_CLASSIC":
    d = netCDF4.Dataset("c.nc", "w", format=kind)
    d.createDimension("x", 4)
    d.createDimension("t", None)
    v = d.createVariable("v", "i2", ("t", "x"))
    v.units = "K"
    v[:3] = np.arange(12).reshape(3, 4)
    d.close()
    d = netCDF4.Dataset("c.nc")
    print(d.data_model, d.disk_format, d["v"][:].tolist())
    d.close()
