# SPDX-License-Identifier: BSD-3-Clause
# Words of mode= that are mistyped or against each other, a fragment without a URL, and local files named by a URL.
. "$CLI/sample.sh"; sample s
for mode in zarr,v4 nczarr,consolidate v2,v3 zarr,file,zip; do nccopy s.nc "file://x.zarr#mode=$mode"; echo "exit $?"; done
nccopy s.nc 'x.zarr#mode=zarr'; echo "exit $?"
nccopy s.nc 'a#1.nc' && ncdump -k 'a#1.nc'
ncdump -h 's.nc#mode=bytes'; echo "exit $?"
ncdump -h file://absent.nc; echo "exit $?"
ncdump -h fil://s.nc; echo "exit $?"
ncdump -k file://s.nc; ncdump -k 'file://s.nc#mode=bytes'
nccopy s.nc 'file://x.zarr#mode=zarr,v3' && ncdump -k 'file://x.zarr#mode=zarr,other'
ls
