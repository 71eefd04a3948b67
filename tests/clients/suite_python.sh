#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# suite_python.sh CACHE NETCDF: netCDF4-python's newest source, built with NETCDF4_DIR and nothing else, and its own tests on
# it. The same tests must pass as with PyPI's wheel, which has netCDF-C; what passes on Cellar alone is told.
set -eu
cache=$1 netcdf=$2
venv=$cache/venv-python
work=$cache/build-python
not_run() { echo "NOT RUN: netCDF4-python's tests: $1 (see $work.log)"; exit 0; }
rm -rf "$work"; mkdir -p "$work"
exec 3>"$work.log"
if [ ! -x "$venv/bin/python" ]; then
    python3 -m venv "$venv" >&3 2>&1 || not_run "no virtual environment"
fi
"$venv/bin/pip" install -q numpy cftime pytest "setuptools>=77" setuptools_scm cython certifi >&3 2>&1 || not_run "PyPI cannot be reached"
cd "$work"
"$venv/bin/pip" download -q --no-deps --no-binary netCDF4 --no-build-isolation netCDF4 >&3 2>&1 || not_run "no source"
mkdir source && tar -xf ./*.tar.gz -C source --strip-components=1

tests() # NAME: to NAME.txt, a line for each test
{
    # the package in the source folder is not the one that was built
    rm -rf run && mkdir run && cp -r source/test run/test
    (cd run/test && NO_NET=1 "$venv/bin/python" -m pytest -q -rA -p no:cacheprovider . 2>&1) >"$1.log" || true
    sed -n 's/^\(PASSED\|FAILED\|ERROR\|SKIPPED\) \([^ ]*\).*/\1 \2/p' "$1.log" | sort >"$1.txt"
}
"$venv/bin/pip" install -q --force-reinstall --no-deps netCDF4 >&3 2>&1 || not_run "no wheel"
tests theirs
NETCDF4_DIR=$netcdf "$venv/bin/pip" install -v --force-reinstall --no-deps --no-build-isolation ./netcdf4-*.tar.gz >&3 2>&1 ||
    { tail -5 "$work.log"; echo "netCDF4-python does not build with NETCDF4_DIR=$netcdf"; exit 1; }
"$venv/bin/python" -c 'import netCDF4; print(netCDF4.__version__, "on", netCDF4.getlibversion())'
tests ours
grep '^PASSED' theirs.txt >passed.txt || true
if grep -vxF -f ours.txt passed.txt; then
    echo "netCDF4-python: these pass with its own netCDF-C and not on Cellar (see $work/ours.log)"
    exit 1
fi
echo "netCDF4-python: $(grep -c '^PASSED' ours.txt) tests pass, $(grep -c . passed.txt) on netCDF-C"
