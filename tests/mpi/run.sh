#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh PROGRAMS [MATRIX_RUNS]: every format at 1, 2, 4 and 16 ranks; files and stores must have the same bytes for any
# number, also those without chunks, which ranks write by themselves. Then one rank errs, in every step and way, in MATRIX_RUNS
# sessions of each format (132: each combination at least once with 2 and 3 ranks; the long form is 1000), gets no memory, or
# MPI itself fails. PROGRAMS is the folder of mpi_ranks and the others. Under mpirun, or what MPIRUN names; what nobody waits
# for longer is in patience.h.
set -eu
programs=$1 runs=${2:-132}
mpirun=${MPIRUN:-mpirun --oversubscribe}
[ "$(id -u)" != 0 ] || [ -n "${MPIRUN:-}" ] || mpirun="$mpirun --allow-run-as-root"
run="timeout 1200 $mpirun"

path_of() { # FORMAT NAME
    case $1 in
    zarr2) echo "file://$PWD/$2#mode=nczarr" ;;
    zarr3 | shards) echo "file://$PWD/$2#mode=nczarr,v3" ;;
    *) echo "$2" ;;
    esac
}

while read -r format filter; do
    for n in 1 2 4 16; do
        name=$(echo "$format-$filter-$n" | tr '|,=' ---)
        $run -n $n "$programs/mpi_ranks" "$(path_of "$format" "$name")" "$format" "$filter" </dev/null
        [ $n = 1 ] && first=$name || diff -r "$first" "$name"
    done
done <<END
netcdf4 shuffle|deflate,level=1
netcdf4 shuffle|zstd,level=3
netcdf4 blosc
netcdf4 fletcher32
netcdf4 none
cdf1 none
cdf2 none
cdf5 none
zarr2 deflate,level=1
zarr2 none
zarr3 shuffle|zstd,level=3
END
python=$(cd "$(dirname "$0")/../.." && pwd)/.venv-peers/bin/python
[ -x "$python" ] || python=/usr/bin/python3
"$python" "$(dirname "$0")/peers.py" netcdf4-shuffle-deflate-level-1-4 netcdf4-shuffle-zstd-level-3-4 netcdf4-fletcher32-16 netcdf4-none-4 \
    cdf1-none-4 cdf2-none-4 cdf5-none-4 zarr2-deflate-level-1-4 zarr2-none-4 zarr3-shuffle-zstd-level-3-4
for n in 2 4 16; do
    $run -n $n "$programs/mpi_codecs" .
done
# Chunks that ranks have in parts, by random cuts: where the cuts leave nothing out, the same bytes for any number of ranks.
while read -r format filter; do
    for seed in 1 2 3; do
        for n in 1 2 4 16; do
            name=parts-$(echo "$format-$filter" | tr '|,=' ---)-$seed-$n
            $run -n $n "$programs/mpi_parts" "$(path_of "$format" "$name")" "$filter" $seed </dev/null
            [ $n = 1 ] && first=$name || diff -r "$first" "$name"
        done
    done
done <<END
netcdf4 shuffle|deflate,level=1
netcdf4 none
zarr3 shuffle|zstd,level=3
shards shuffle|zstd,level=3
END
while read -r format filter; do
    for n in 1 2 3 4 16; do
        $run -n $n "$programs/mpi_kept" "$(path_of "$format" "$(echo "kept-$format-$filter-$n" | tr '|,=' ---)")" "$format" "$filter" </dev/null
    done
done <<END
netcdf4 shuffle|deflate,level=1
netcdf4 blosc
zarr2 zstd,level=3
zarr3 shuffle|zstd,level=3
shards zstd,level=3
END
for format in netcdf4 cdf1 cdf2 cdf5; do
    for n in 1 2 4 16; do
        $run -n $n "$programs/mpi_values" values-$format-$n $format
        cmp values-$format-1 values-$format-$n
    done
done
for format in netcdf4 cdf1 cdf2 cdf5; do
    for fill in 0 1; do
        for n in 1 2 4 16; do
            $run -n $n "$programs/mpi_alone" alone-$format-$fill-$n $format $fill
            cmp alone-$format-$fill-1 alone-$format-$fill-$n
        done
    done
done
for n in 1 2 4; do
    $run -n $n "$programs/mpi_alone" alone-chunks chunks 0
done
rm alone-chunks
for n in 2 4 16; do
    $run -n $n "$programs/mpi_failures" failures.nc
done
for n in 1 2 3; do
    $run -n $n "$programs/mpi_texts" texts-$n.nc netcdf4
    $run -n $n "$programs/mpi_texts" "$(path_of zarr3 texts-$n.zarr)" zarr3
done
every=7
[ "$runs" -lt 1000 ] || every=1
for n in 2 3; do
    $run -n $n "$programs/mpi_memory" . $every
    $run -n $n "$programs/mpi_broken" .
done
for n in 2 3; do
    for format in netcdf4 zarr2 cdf1; do
        timeout $((runs * 20)) $mpirun -n $n "$programs/mpi_matrix" "$(path_of $format matrix-$format-$n)" $format "$runs" 0
    done
done

# Ranks whose disks are not the same one, though path and inode number are, as on machines made from one image: rank 1's
# file stays as it is. That rank cannot read what was written, so the program fails.
if [ "$(id -u)" = 0 ]; then
    mkdir -p apart
    cat >apart.sh <<'END'
mount -t tmpfs none apart
if [ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 0 ]; then
    exec "$1" apart/x.nc netcdf4 'shuffle|zstd,level=3'
fi
echo "another machine's file" >apart/x.nc
"$1" apart/x.nc netcdf4 'shuffle|zstd,level=3' || true
cp apart/x.nc apart.seen
END
    $run -n 2 unshare -m sh apart.sh "$programs/mpi_ranks" >apart.log 2>&1 || true
    [ "$(cat apart.seen)" = "another machine's file" ] || { echo "a rank wrote to another machine's file" >&2; exit 1; }
else
    echo "ranks that share no disk: NOT RUN (only as root)" >&2
fi

# The library beside a copy of itself under libcellar's name.
cp "$programs/../../src/libcellar_mpi.so.0" libcellar.so.0
if $run -n 1 env LD_PRELOAD="$PWD/libcellar.so.0" "$programs/mpi_ranks" both.nc netcdf4 none 2>both.log; then
    echo "both flavours: not refused" >&2
    exit 1
fi
grep -q "both loaded in this process" both.log
