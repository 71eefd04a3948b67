#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# python-asan.sh VENV DIR [PYTEST ARGUMENTS]: the Python package with its module and its library built with AddressSanitizer and
# UndefinedBehaviorSanitizer in DIR, and its tests on it. Python itself has no sanitizer, so theirs is loaded first; what
# Python keeps until it ends is no leak.
set -eu
venv=$(cd "$1" && pwd)
mkdir -p "$2"
dir=$(cd "$2" && pwd)
shift 2
cd "$(dirname "$0")/.."
repository=$PWD
cmake -G Ninja -S python -B "$dir/build" -DCMAKE_BUILD_TYPE=Debug -DCELLAR_SANITIZE=address,undefined -DPython_EXECUTABLE="$venv/bin/python" \
    -DCMAKE_C_FLAGS='-fsanitize=address,undefined -fno-sanitize-recover=undefined' ${CMAKE_C_COMPILER_LAUNCHER:+-DCMAKE_C_COMPILER_LAUNCHER="$CMAKE_C_COMPILER_LAUNCHER"} >/dev/null
cmake --build "$dir/build" --target _native cellar all_plugins -j "$(nproc)" >"$dir/build.log" || { tail -20 "$dir/build.log"; exit 1; }
rm -rf "$dir/package" && mkdir -p "$dir/package/cellar/plugins" "$dir/run"
cp -r python/cellar/. "$dir/package/cellar"
cp "$dir"/build/library/plugins/lib*.so "$dir/package/cellar/plugins"
cp "$dir/build/_native.abi3.so" "$dir/build/library/src/libcellar.so.0" "$dir/package/cellar"
cd "$dir/run"
LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)" ASAN_OPTIONS=detect_leaks=0 \
    LD_LIBRARY_PATH="$dir/package/cellar" PYTHONPATH="$dir/package" PYTHONMALLOC=malloc \
    "$venv/bin/python" -m pytest -q -p no:cacheprovider "$@" "$repository/python/tests/test_api.py" "$repository/python/tests/test_property.py" \
    "$repository/python/tests/test_zarr.py" "$repository/python/tests/test_xarray.py"
