#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# write.sh CDL OUT [EMULATOR]: one file of each format and of each filter from the texts in CDL (cdl.py), into the empty folder OUT. NCGEN and NCCOPY
# are the tools, which EMULATOR runs. Names that begin with "own" have the machine's own byte order; h5-* are netCDF-4.
set -eu
cdl=$(cd "$1" && pwd)
cd "$2"
shift 2
out=$(pwd)
ncgen() { "$emulator" $NCGEN "$@"; }
emulator=${1:-env}

for kind in classic 64-bit-offset cdf5; do
    ncgen -k $kind -o "$kind.nc" "$cdl/$([ $kind = cdf5 ] && echo cdf5 || echo classic).cdl"
done
for text in numbers lossless lz4 lossy; do
    ncgen -4 -o "h5-$text.nc" "$cdl/$text.cdl"
    for mode in nczarr zarr zarr,v3 zarr,v3,zip; do
        ncgen -o "file://$out/$text-$mode.zarr#mode=$mode" "$cdl/$text.cdl"
    done
done
ncgen -k netCDF-4-classic -o own-classic-model.nc "$cdl/classic.cdl"
ncgen -o "file://$out/shards.zarr#mode=zarr,v3" "$cdl/shards.cdl"
for kind in byte ushort int int64 float double; do
    ncgen -o "$kind.b2nd" "$cdl/b2nd-$kind.cdl"
done
for quantizer in bitgroom=3 granular=3 bitround=9; do
    "$emulator" $NCCOPY -q --quantize="float_little:$quantizer" -F 'float_little,shuffle|zstd' -V float_little h5-numbers.nc "h5-${quantizer%=*}.nc"
done
ncgen -4 -o own.nc "$cdl/own.cdl"
for mode in nczarr zarr,v3; do
    ncgen -o "file://$out/own-$mode.zarr#mode=$mode" "$cdl/own-zarr.cdl"
done
