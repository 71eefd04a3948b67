# SPDX-License-Identifier: BSD-3-Clause
. "$CLI/sample.sh"
sample s 't:_Filter = "shuffle|deflate,level=5|fletcher32" ;'
schema() { python3 "$CLI/check_schema.py" "$CLI/../../docs/schema/salvage.json"; }
numbers() { sed 's/byte [0-9]* /byte N /; s/offset [0-9]*/offset N/; s/0x../0xNN/g; s/[0-9]* bytes of [0-9]*/N bytes of M/'; }
damage() { printf '\377' | dd of=$1 bs=1 seek=$2 conv=notrunc 2>dd.txt; } # FILE OFFSET
offset() { cellar info --json --chunks=t s.nc | python3 -c "import json, sys; print(json.load(sys.stdin)['chunks']['offsets'][$1])"; }
echo "--- whole"
cellar salvage s.nc out.nc; echo "exit $?"; same_data s.nc out.nc
echo "--- a chunk"
cp s.nc bad.nc; damage bad.nc $(($(offset 5) + 20))
cellar salvage bad.nc out.nc | numbers; echo "exit ${PIPESTATUS[0]}"
cellar salvage --json bad.nc out.nc | schema
cellar diff -v t --first 2 s.nc out.nc
echo "--- the superblock, then the root group too"
cp s.nc bad.nc; dd if=/dev/zero of=bad.nc bs=1 count=40 conv=notrunc 2>dd.txt
cellar salvage bad.nc out.nc; echo "exit $?"; same_data s.nc out.nc
dd if=/dev/zero of=bad.nc bs=1 count=100 conv=notrunc 2>dd.txt
cellar salvage -q bad.nc out.nc; echo "exit $?"; ncdump -h out.nc | grep -c object_at
echo "--- a byte of an object header"
cp s.nc bad.nc; damage bad.nc 60
cellar salvage bad.nc out.nc | numbers; same_data s.nc out.nc
echo "--- cut short"
head -c $(($(wc -c <s.nc) - 2000)) s.nc >short.nc
cellar salvage short.nc out.nc | numbers | tail -2; echo "exit ${PIPESTATUS[0]}"
echo "--- classic"
echo 'netcdf c { dimensions: t = UNLIMITED ; x = 3 ; variables: short b(t) ; double d(t, x) ; data: b = 1, 2 ; d = 1, 2, 3, 4, 5, 6 ; }' |
    ncgen -o c.nc
head -c $(($(wc -c <c.nc) - 9)) c.nc >short.nc
cellar salvage short.nc out.nc; echo "exit $?"; ncdump out.nc | sed -n '/data:/,$p'
cp c.nc bad.nc; damage bad.nc 11
cellar salvage bad.nc out.nc | numbers; same_data c.nc out.nc
cp c.nc bad.nc; printf '\0' | dd of=bad.nc bs=1 seek=7 conv=notrunc 2>dd.txt
cellar salvage bad.nc out.nc; same_data c.nc out.nc
echo "--- Zarr"
nccopy s.nc s.zarr; rm s.zarr/count/0.0; head -c 5 s.zarr/t/1.1.1 >x && mv x s.zarr/t/1.1.1
cellar salvage s.zarr out.zarr | sed 's/ bytes.*//'; echo "exit ${PIPESTATUS[0]}"
rm -r out.zarr s.zarr; nccopy s.nc s.zarr; sed -i 's/"shape"/#shape"/' s.zarr/t/.zarray; sed -i 's/^{/#/' s.zarr/count/.zattrs
cellar salvage s.zarr out.zarr; echo "exit $?"; ncdump -v t s.nc | sed -n '/data:/,$p' >a.txt; ncdump -v t out.zarr | sed -n '/data:/,$p' | cmp - a.txt && echo "t is the same"
