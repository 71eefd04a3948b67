# zfp's chunks are not the same bytes in HDF5 and in Zarr: they are encoded anew, and every copy has the values.
. "$CLI/sample.sh"
values() { ncdump -v t "$1" | sed -n '/^ t =/,/;/p' | cksum; }
for filter in zfp,mode=reversible zfpy,mode=reversible; do
    sample s "t:_Filter = \"$filter\" ;"
    for mode in zarr zarr,v3; do
        ncgen -o "file://$PWD/s.zarr#mode=$mode" s.cdl
        nccopy -V t s.zarr copy.nc
        nccopy copy.nc "file://$PWD/back.zarr#mode=$mode"
        for copy in s.zarr copy.nc back.zarr; do
            [ "$(values s.nc)" = "$(values $copy)" ] || echo "$filter $mode: $copy has other values"
        done
        echo "$filter $mode: looked at"
        rm -rf s.zarr copy.nc back.zarr
    done
done
