#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# python-newer.sh VENV DIR: the wheel that Debian's Python builds, in DIR, installed without being built anew into an environment of
# each newer Python of this machine, with the newest peers that one takes, and the tests of the package run there. No newer
# Python is said loudly. A free-threaded Python (python3.13t and later, or the one that FREE_PYTHON names) takes a build of its own,
# which must leave the GIL off; peers come as wheels alone there.
set -eu
venv=$(cd "$1" && pwd)
mkdir -p "$2"
dir=$(cd "$2" && pwd)
cd "$(dirname "$0")/.."
here=$PWD
rm -f "$dir"/*.whl
"$venv/bin/pip" wheel -q --disable-pip-version-check --no-build-isolation --no-deps -w "$dir" ./python
tried=
install() { "$dir/$version/bin/pip" install -q --disable-pip-version-check --no-deps --force-reinstall "$@"; }
for python in ${FREE_PYTHON:-} python3.15t python3.14t python3.13t python3.15 python3.14 python3.13 python3.12 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[2-9].*/bin/python3; do
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2] + sys.abiflags)' 2>/dev/null) || continue
    case " $tried " in *" $version "*) continue ;; esac
    tried="$tried $version"
    case $version in
        *t)
            PIP_ONLY_BINARY=:all: scripts/python-venv.sh "$dir/$version" "$python"
            install --no-build-isolation ./python
            "$dir/$version/bin/python" -W error -c 'import cellar, sys; assert not sys._is_gil_enabled(), "the GIL is on"'
            ;;
        *)
            scripts/python-venv.sh "$dir/$version" "$python"
            install "$dir"/*.whl
            ;;
    esac
    peers=$("$dir/$version/bin/pip" list --disable-pip-version-check 2>/dev/null | awk '/^(numpy|xarray|zarr|dask|h5py|netCDF4) / {printf " %s %s", $1, $2}')
    echo "Python $version:$peers"
    while read -r package; do echo "NOT RUN: $package cannot be had for Python $version"; done <"$dir/$version/missing"
    (cd "$dir" && "$dir/$version/bin/python" -m pytest -q -p no:cacheprovider -m 'not long' --ignore "$here/python/tests/peers" "$here/python/tests")
done
[ -n "$tried" ] || echo "NOT RUN: there is no Python newer than Debian's"
