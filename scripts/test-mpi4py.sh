#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# test-mpi4py.sh VENV PREFIX: netCDF4-python's newest source, built against the libnetcdf_mpi that is installed below PREFIX, with
# mpi4py in the virtual environment VENV; a test of ours, our example, and the examples of its own for ranks, unchanged.
set -eu
venv=$1 prefix=$2
here=$(cd "$(dirname "$0")/.." && pwd)
netcdf=$(dirname "$(dirname "$(find "$prefix" -name libnetcdf_mpi.so | head -1)")")
log=$venv.log
not_run() { echo "NOT RUN: netCDF4-python with mpi4py: $1 (see $log)"; exit 0; }
: >"$log"
[ -x "$venv/bin/python" ] || python3 -m venv "$venv" >>"$log" 2>&1 || not_run "no virtual environment"
pip() { "$venv/bin/pip" --disable-pip-version-check "$@" >>"$log" 2>&1; }
if [ ! -d "$venv/source" ]; then
    pip install -q numpy cftime "setuptools>=77" setuptools_scm cython certifi mpi4py || not_run "PyPI cannot be reached"
    rm -rf "$venv/sdist" "$venv/unpacked" && mkdir "$venv/unpacked"
    pip download -q --no-deps --no-build-isolation --no-binary netCDF4 -d "$venv/sdist" netCDF4 || not_run "no source"
    tar -xf "$venv"/sdist/*.tar.gz -C "$venv/unpacked" --strip-components=1
    mv "$venv/unpacked" "$venv/source"
fi
# Built anew where another header was installed: the library itself is found at run time.
cat "$netcdf"/include/netcdf*.h >"$venv/headers.new"
if ! cmp -s "$venv/headers.new" "$venv/headers"; then
    CC=mpicc NETCDF4_DIR=$netcdf pip install -v --force-reinstall --no-cache-dir --no-deps --no-build-isolation "$venv/source" ||
        { tail -5 "$log"; echo "netCDF4-python does not build with CC=mpicc NETCDF4_DIR=$netcdf"; exit 1; }
    mv "$venv/headers.new" "$venv/headers"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
run="timeout 1200 mpirun --oversubscribe"
[ "$(id -u)" != 0 ] || run="$run --allow-run-as-root"
bad=0
try() { # NAME RANKS PROGRAM WORD...
    name=$1 ranks=$2
    shift 2
    $run -n "$ranks" "$venv/bin/python" "$@" >"$name.log" 2>&1 || { bad=1; echo "$name, $ranks ranks: FAILED"; tail -20 "$name.log"; return 0; }
    echo "$name, $ranks ranks: passed"
}
try netcdf4_python 2 "$here/tests/mpi/netcdf4_python.py" two.nc
try netcdf4_python 4 "$here/tests/mpi/netcdf4_python.py" four.nc
try ranks.py 4 "$here/examples/Python/ranks.py"
try mpi_example.py 4 "$venv/source/examples/mpi_example.py" NETCDF4
try mpi_example.py 4 "$venv/source/examples/mpi_example.py"
try mpi_example_compressed.py 4 "$venv/source/examples/mpi_example_compressed.py"
# The same by netCDF-C, which Debian's Python has.
/usr/bin/python3 - <<'PYTHON' || { bad=1; echo "netCDF-C reads other values in ranks.nc"; }
import netCDF4, numpy
rows = netCDF4.Dataset("ranks.nc")["field"][:]
assert rows.shape == (128, 256) and numpy.array_equal(rows, (numpy.arange(128)[:, None] + numpy.arange(256) / 256).astype("f4"))
PYTHON
exit $bad
