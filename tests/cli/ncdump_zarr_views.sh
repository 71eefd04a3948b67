# SPDX-License-Identifier: BSD-3-Clause
# fill_value of plain Zarr is _FillValue to xarray and to us, whatever the mode; and an array that lost its shape is named,
# with the reason.
mkdir -p t.zarr/v t.zarr/lost
echo '{"zarr_format": 2}' > t.zarr/.zgroup
echo '{"zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "<i4", "fill_value": 7, "order": "C", "filters": null, "compressor": null}' > t.zarr/v/.zarray
echo '{"zarr_format": 2, "shape": [], "chunks": [], "dtype": "<i4", "fill_value": 7, "order": "C", "filters": null, "compressor": null}' > t.zarr/lost/.zarray
echo '{"_ARRAY_DIMENSIONS": ["x"]}' > t.zarr/lost/.zattrs
for name in t.zarr "file://$PWD/t.zarr#mode=xarray" "file://$PWD/t.zarr#mode=zarr"; do
    ncdump "$name" | sed '/^netcdf/d'
done
