# SPDX-License-Identifier: BSD-3-Clause
# URLs that do not say what to create, and plain names that say it by their ending.
. "$CLI/sample.sh"; sample s
for out in file://x.zarr file://x.zarr#mode=zar fil://x.zarr#mode=zarr; do nccopy s.nc "$out"; echo "exit $?"; done
nccopy -V count s.nc s.zip && head -c 2 s.zip && echo && ncdump -k s.zip && ncdump -v count s.zip | tail -n 4
mkfifo pipe.nc; ncdump -h pipe.nc; echo "exit $?"; rm pipe.nc
ls
