# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s 't:_Filter = "shuffle|deflate,level=5|fletcher32" ;'
damage() { # FILE OFFSET
    printf '\377' | dd of=$1 bs=1 seek=$2 conv=notrunc 2>dd.txt
}
offset() { cellar info --json --chunks=t s.nc | python3 -c "import json, sys; print(json.load(sys.stdin)['chunks']['offsets'][$1])"; }
cp s.nc bad.nc; damage bad.nc $(($(offset 5) + 20))
cellar verify bad.nc s.nc | sed 's/offset [0-9]*/offset N/; s/[0-9.]* kB/N kB/'; echo "exit ${PIPESTATUS[0]}"
cellar verify --json bad.nc | python3 "$CLI/check_schema.py" "$CLI/../../docs/schema/verify.json"
nccopy s.nc s.zarr
head -c 5 s.zarr/count/0.0 >x && mv x s.zarr/count/0.0; cp s.zarr/t/0.0.0 s.zarr/t/7.0.0
cellar verify s.zarr; echo "exit $?"
echo 'netcdf c { dimensions: t = UNLIMITED ; variables: byte b(t) ; double d(t) ; data: b = 1, 2 ; d = 3, 4 ; }' | ncgen -o c.nc
head -c $(($(wc -c <c.nc) - 9)) c.nc >short.nc
cellar verify short.nc; echo "exit $?"
