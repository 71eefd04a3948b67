#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# hdf5.sh DIR 1.14|2: libhdf5 of another version than the machine's, built from source into DIR/VERSION, once.
#
# 1.14 is Debian 13's source package. 2 is what can be had: Debian's own source package where the
# mirror has one, else the newest hdf5-metno-src crate, which carries HDF5's source. Exit status 1: no source.
set -eu

dir=$1
version=$2
here=$(dirname "$0")
[ -f "$dir/$version/ready" ] && exit 0
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)

say() { echo "hdf5: $*" >&2; }

# suite: the unpacked source package, if it is of the version wanted.
from_debian() {
    "$here/sources.sh" "$dir/debian-$1" "$1" hdf5 2>"$dir/debian-$1.log" || return 1
    grep -q "define H5_VERS_MAJOR *${version%%.*}\$" "$dir/debian-$1/hdf5/src/H5public.h" || return 1
    echo "$dir/debian-$1/hdf5"
}

# cargo knows the machine's registry; the crate's build script is never run.
from_crate() {
    command -v cargo >/dev/null || return 1
    mkdir -p "$dir/crate/src"
    : > "$dir/crate/src/lib.rs"
    printf '[package]\nname = "fetch"\nversion = "0.0.0"\n[dependencies]\nhdf5-metno-src = "*"\n' > "$dir/crate/Cargo.toml"
    (cd "$dir/crate" && CARGO_HOME=$dir/crate/home cargo vendor -q vendor >/dev/null 2>"$dir/crate.log") || return 1
    echo "$dir/crate/vendor/hdf5-metno-src/ext/hdf5"
}

case $version in
    1.14) source=$(from_debian trixie) || source= ;;
    2)    source=$(from_debian sid) || source=$(from_crate) || source= ;;
    *)    say "no recipe for version $version: say 1.14 or 2"; exit 2 ;;
esac
[ -n "$source" ] && [ -f "$source/CMakeLists.txt" ] || { say "the source of HDF5 $version cannot be had; see $dir/*.log"; exit 1; }

# HDF5 2 asks for a newer cmake than Debian 12 has.
cmake=cmake
wanted=$(sed -n 's/^cmake_minimum_required *(VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt" | head -1)
if [ "$(printf '%s\n' "$wanted" "$(cmake --version | sed -n 's/^cmake version //p')" | sort -V | head -1)" != "$wanted" ]; then
    [ -x "$dir/cmake/bin/cmake" ] || { /usr/bin/python3 -m venv "$dir/cmake" && "$dir/cmake/bin/pip" install -q cmake; } >"$dir/cmake.log" 2>&1 ||
        { say "HDF5 $version asks for cmake $wanted, and a newer one cannot be had; see $dir/cmake.log"; exit 1; }
    cmake=$dir/cmake/bin/cmake
fi

say "building HDF5 $version from $source"
"$cmake" -G Ninja ${LAUNCH:-} -S "$source" -B "$dir/build-$version" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DCMAKE_INSTALL_PREFIX="$dir/$version" -DBUILD_SHARED_LIBS=ON -DBUILD_STATIC_LIBS=OFF -DBUILD_TESTING=OFF \
    -DHDF5_BUILD_EXAMPLES=OFF -DHDF5_BUILD_CPP_LIB=OFF -DHDF5_BUILD_FORTRAN=OFF -DHDF5_BUILD_JAVA=OFF \
    -DHDF5_BUILD_TOOLS=OFF -DHDF5_BUILD_HL_LIB=ON -DHDF5_ENABLE_ZLIB_SUPPORT=ON -DHDF5_ENABLE_Z_LIB_SUPPORT=ON \
    -DHDF5_ENABLE_SZIP_SUPPORT=OFF >"$dir/build-$version.log" 2>&1 ||
    { tail -20 "$dir/build-$version.log" >&2; exit 1; }
"$cmake" --build "$dir/build-$version" -j "${JOBS:-2}" >>"$dir/build-$version.log" 2>&1 &&
    "$cmake" --install "$dir/build-$version" >>"$dir/build-$version.log" 2>&1 ||
    { tail -20 "$dir/build-$version.log" >&2; exit 1; }
touch "$dir/$version/ready"
