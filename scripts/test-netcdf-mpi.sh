#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# test-netcdf-mpi.sh SOURCE PREFIX: netCDF-C's own parallel programs, unchanged, on the libnetcdf_mpi that is installed below
# PREFIX, each with the number of ranks that netCDF-C runs it with. SOURCE/netcdf is netCDF-C's source (scripts/sources.sh).
# tst_parallel5 is not run: it asks for a symbol that only the inside of netCDF-C has. Then netCDF4-python (test-mpi4py.sh).
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
source=$1/netcdf
lib=$(dirname "$(find "$2" -name libnetcdf_mpi.so | head -1)")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ -d "$source/nc_test4" ] || { echo "test-netcdf-mpi: NOT RUN: there is no source of netCDF-C in $source" >&2; exit 1; }
cd "$work"
cat > config.h <<END
#include <stdint.h>
#define USE_PARALLEL 1
#define USE_PARALLEL4 1
#define USE_NETCDF4 1
#define USE_HDF5 1
#define HDF5_PARALLEL 1
#define HDF5_SUPPORTS_PAR_FILTERS 1
#define HAVE_ZSTD 1
#define TEMP_LARGE "."
END
run="timeout 1200 mpirun --oversubscribe"
[ "$(id -u)" != 0 ] || run="$run --allow-run-as-root"
bad=0
for test in tst_parallel:4 tst_parallel3:16 tst_parallel4:1 tst_parallel4:2 tst_parallel4:4 tst_parallel4:8 tst_parallel6:4 \
            tst_parallel_compress:4 tst_parallel_zlib:4 tst_quantize_par:4 tst_simplerw_coll_r:4 tst_mode:1; do
    name=${test%:*} ranks=${test#*:} result=passed
    mpicc -w -I. -I"$lib/../include" -I"$source/include" -I"$source/nc_test" "$source/nc_test4/$name.c" -o "$name" \
          -L"$lib" -lnetcdf_mpi -Wl,-rpath,"$lib" -lm >"$name.log" 2>&1 &&
        $run -n "$ranks" "./$name" >>"$name.log" 2>&1 || result=FAILED
    echo "$name, $ranks ranks: $result"
    [ $result = passed ] || { bad=1; tail -20 "$name.log"; }
done
"$here/scripts/test-mpi4py.sh" "$here/.venv-mpi" "$2" || bad=1
exit $bad
