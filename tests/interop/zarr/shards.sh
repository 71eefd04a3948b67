#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shards.sh TOOLS: shards through CDL, ncdump and nccopy, and what is refused.
set -eu
tools=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
cdl()
{
    cat <<END
netcdf t {
dimensions: y = 4 ; x = 6 ;
variables:
  int v(y, x) ;
    v:_ChunkSizes = $1 ;
    v:_Codecs = "[{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[2,3]$2,\"codecs\":[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}},{\"name\":\"zstd\",\"configuration\":{\"level\":3}}]}}]" ;
data:
  v = 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24 ;
}
END
}
grid()
{
    tr -d ' \n' <"$1/v/zarr.json" | grep -o '"chunk_grid".*"chunk_key'
}
fail()
{
    echo "FAILED: $1"
    exit 1
}
cdl "4, 6" "" >t.cdl
"$tools/ncgen" -o "file://$dir/a.zarr#mode=zarr,v3" t.cdl
[ -f a.zarr/v/c/0/0 ] && [ "$(find a.zarr/v/c -type f | wc -l)" = 1 ] || fail "one shard is one file"
grid a.zarr | grep -q '"chunk_shape":\[4,6\]' || fail "the grid has the lengths of a shard: $(grid a.zarr)"
"$tools/ncdump" -s a.zarr >a.cdl
grep -q '_ChunkSizes = 2, 3' a.cdl || fail "chunks are the inner ones"
grep -q 'shard_shape.*4,.*6' a.cdl || fail "_Codecs has the lengths of a shard"
"$tools/ncgen" -o "file://$dir/b.zarr#mode=zarr,v3" a.cdl
cmp a.zarr/v/c/0/0 b.zarr/v/c/0/0 || fail "a dump gives the same shard again"
"$tools/nccopy" a.zarr "file://$dir/c.zarr#mode=zarr,v3"
grid c.zarr | grep -q '"chunk_shape":\[4,6\]' || fail "nccopy keeps shards"
cmp a.zarr/v/c/0/0 c.zarr/v/c/0/0 || fail "nccopy gives the same shard"
"$tools/nccopy" a.zarr d.nc # shards are for Zarr only; the values are kept
"$tools/ncdump" d.nc | sed -n '/^data/,$p' >d.txt
"$tools/ncdump" a.zarr | sed -n '/^data/,$p' | cmp - d.txt || fail "values as netCDF-4"
refused()
{
    if "$tools/ncgen" -o "$1" t.cdl 2>err; then fail "$2 was accepted"; fi
    grep -q "$3" err || fail "$2: $(cat err)"
}
refused "file://$dir/e.zarr#mode=zarr,v2" "shards in version 2" "Zarr version 3"
refused "$dir/e.nc" "shards in HDF5" "Zarr version 3"
cdl "4, 6" ',\"shard_shape\":[4,5]' >t.cdl
refused "file://$dir/f.zarr#mode=zarr,v3" "a shard that chunks do not divide" "multiple"
cdl "4, 6" ',\"index_location\":\"middle\"' >t.cdl
refused "file://$dir/g.zarr#mode=zarr,v3" "an index in the middle" "index_location"
echo "shards: all well"
