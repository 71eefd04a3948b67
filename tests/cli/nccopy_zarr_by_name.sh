# SPDX-License-Identifier: BSD-3-Clause
# A plain name that ends in .zarr is a store.
. "$CLI/sample.sh"
sample s
nccopy s.nc s.zarr && ls -d s.zarr/.zgroup && same_data s.nc s.zarr
ncgen -o t.zarr s.cdl && ls -d t.zarr/.zgroup && same_data s.nc t.zarr && ls -A
