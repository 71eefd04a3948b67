# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s 't:_Filter = "shuffle|deflate,level=5|fletcher32" ;'
nccopy s.nc s.zarr
echo 'netcdf c { dimensions: t = UNLIMITED ; variables: byte b(t) ; double d(t) ; data: b = 1, 2 ; d = 3, 4 ; }' | ncgen -o c.nc
cellar verify s.nc s.zarr c.nc; echo "exit $?"
cellar verify -q s.nc; echo "exit $?"
mkdir -p dir/below && cp s.nc dir/below && cp -r s.zarr dir && echo text >dir/README && cp c.nc dir/below/records
cellar verify dir; echo "exit $?"
cellar verify --json s.nc s.zarr c.nc nofile | python3 "$CLI/check_schema.py" "$CLI/../../docs/schema/verify.json"
# A variable that was given no record of those others have is whole.
echo 'netcdf e { dimensions: t = UNLIMITED ; variables: byte b(t) ; float never(t) ; never:_ChunkSizes = 1 ; data: b = 1, 2, 3 ; }' | ncgen -4 -o e.nc
cellar verify -q e.nc; echo "exit $?"
