# SPDX-License-Identifier: BSD-3-Clause
# Names that can be no output: the input itself, a directory that holds something else, none, standard output. All is left as it was.
. "$CLI/sample.sh"; sample s
mkdir -p docs.zarr docs
echo kept | tee docs.zarr/letter >docs/letter
cp s.nc before.nc
ncdump s.nc >s.cdl
cp s.cdl before.cdl
try() {
    "$@"
    echo "${*:1:2}: exit $?"
}
try cellar refs -o s.nc s.nc
try cellar info --html s.nc s.nc
try cellar tune -q -o s.nc s.nc
try cellar salvage s.nc s.nc
try nccopy s.nc s.nc
try ncgen -o s.cdl s.cdl
try nccopy s.nc docs
try nccopy s.nc docs.zarr
try nccopy s.nc "file://docs#mode=zarr"
try ncgen -o docs s.cdl
try cellar refs -o docs s.nc
try cellar salvage s.nc docs
try nccopy s.nc -
try nccopy - out.nc
try nccopy s.nc ""
try ncgen -o - s.cdl
try ncgen -o "" s.cdl
try ncdump ""
try cellar verify -
try cellar verify --checksums none/sums s.nc
cmp s.nc before.nc && cmp s.cdl before.cdl && cat docs/letter docs.zarr/letter
# A store takes the place of a store, and of an empty directory.
mkdir empty.zarr
nccopy s.nc empty.zarr && nccopy s.nc empty.zarr/ && cellar diff --no-values s.nc empty.zarr && ls -d empty.zarr
