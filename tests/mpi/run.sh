#!/bin/sh
# run.sh RANKS FAILURES: every format at 1, 2, 4 and 16 ranks; the netCDF-4 files must have the same bytes for any number.
# Under mpirun; nothing waits longer than a minute.
set -eu
ranks=$1 failures=$2
run="timeout 60 mpirun --oversubscribe"
[ "$(id -u)" != 0 ] || run="$run --allow-run-as-root"
for format in "netcdf4 deflate" "netcdf4 none" "classic none" "cdf5 none" "zarr deflate"; do
    for n in 1 2 4 16; do
        name=$(echo "$format" | tr ' ' -)-$n
        path=$name.nc
        [ "${format%% *}" != zarr ] || path="file://$PWD/$name.zarr#mode=nczarr"
        $run -n $n "$ranks" "$path" $format
    done
done
for n in 2 4 16; do
    cmp netcdf4-deflate-1.nc netcdf4-deflate-$n.nc
    $run -n $n "$failures" failures.nc
done
