# SPDX-License-Identifier: BSD-3-Clause
# zfp's chunks are not the same bytes in HDF5 and in Zarr. Every copy has the values of its input, those of lossy modes too:
# nothing is rounded twice. (zfp of version 3 has the axes of length 1, which HDF5's leaves out: another rounding.)
. "$CLI/sample.sh"
values() { ncdump -v t "$1" | sed -n '/^ t =/,/;/p' | cksum; }
for filter in zfp,mode=reversible zfpy,mode=reversible zfp,mode=accuracy,accuracy=0.01 zfpy,mode=accuracy,accuracy=0.01 zfp,mode=precision,precision=12; do
    sample s "t:_Filter = \"$filter\" ;"
    sed -i 's/_ChunkSizes = 1, 4, 8/_ChunkSizes = 2, 4, 8/' s.cdl
    for mode in zarr zarr,v3; do
        ncgen -o "file://$PWD/s.zarr#mode=$mode" s.cdl
        nccopy -V t s.zarr copy.nc
        nccopy copy.nc "file://$PWD/back.zarr#mode=$mode"
        for copy in copy.nc back.zarr; do
            [ "$(values s.zarr)" = "$(values $copy)" ] || echo "$filter $mode: $copy has other values"
        done
        echo "$filter $mode: looked at"
        rm -rf s.zarr copy.nc back.zarr
    done
done
