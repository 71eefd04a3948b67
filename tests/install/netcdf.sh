#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# netcdf.sh BUILD SCRATCH CC SYMBOLS: the libnetcdf of an installed and moved prefix. It shows netCDF's names and no others;
# a program is built with what nc-config, pkg-config and CMake hand out, and with the static library, and runs on it.
set -eu
build=$1 scratch=$2 cc=$3 symbols=$4
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$scratch"; mkdir -p "$scratch/elsewhere"; cd "$scratch"
cmake --install "$build" --prefix "$scratch/first" >/dev/null
mv first elsewhere/prefix
netcdf=$(dirname "$(dirname "$(find "$scratch/elsewhere" -name nc-config)")")
lib=$netcdf/lib

fail() { echo "$*"; exit 1; }

# --- names ---
sed -n 's/^#define \(nc[A-Za-z0-9_]*\) .*/\1/p' "$symbols" | sort >wanted.txt
for soname in libnetcdf.so.19 libnetcdf.so.22; do
    readelf -d "$lib/$soname" | grep -q "soname: \[$soname\]" || fail "$soname has another name inside"
    nm -D --defined-only "$lib/$soname" | awk '{print $3}' | grep -vx H5get_libversion | sort >shown.txt
    diff wanted.txt shown.txt || fail "$soname shows other names than netCDF's"
done
if nm -D --defined-only "$lib/libnetcdf.so.22" | grep H5; then
    fail "libnetcdf.so.22 shows a name of libhdf5"
fi
nm --defined-only "$lib/libnetcdf.a" 2>/dev/null | awk 'NF == 3 && $2 ~ /^[A-Z]$/ {print $3}' | sort >shown.txt
diff wanted.txt shown.txt || fail "libnetcdf.a shows other names than netCDF's"
for name in ncerr ncopts; do # a program that is not position independent holds a copy of them
    readelf --dyn-syms -W "$lib/libnetcdf.so.22" | grep -E "4 OBJECT +GLOBAL DEFAULT +[0-9]+ $name\$" >/dev/null || fail "$name is no variable"
done

# --- programs ---
on_ours()
{
    ldd "$1" | grep "libnetcdf.so.22 => $lib/" >/dev/null || { ldd "$1"; fail "$1 is not linked to our libnetcdf"; }
    env -i "$1"
}
config=$netcdf/bin/nc-config
# shellcheck disable=SC2046
$cc "$here/outside.c" -o by_config $($config --cflags --libs)
on_ours ./by_config
# shellcheck disable=SC2046
$cc "$here/outside.c" -o by_pkgconfig $(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --cflags --libs netcdf)
on_ours ./by_pkgconfig
# shellcheck disable=SC2046
$cc "$here/outside.c" -o by_archive $($config --cflags) "$lib/libnetcdf.a" $($config --static)
env -i ./by_archive
mkdir project
cp "$here/outside.c" project/
cat >project/CMakeLists.txt <<TXT
cmake_minimum_required(VERSION 3.18)
project(outside C)
find_package(netCDF 4.9 REQUIRED)
add_executable(outside outside.c)
target_link_libraries(outside \${netCDF_LIBRARIES})
TXT
cmake -S project -B project/build -DCMAKE_PREFIX_PATH="$netcdf" -DCMAKE_C_COMPILER="$cc" >/dev/null
cmake --build project/build >/dev/null
on_ours project/build/outside

# --- answers ---
[ "$($config --version)" = "netCDF $(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --modversion netcdf)" ] || fail "two versions"
[ "$($config --prefix)" = "$netcdf" ] || fail "nc-config does not know where it was moved to"
for option in $($config --help | grep -o -e '--has-[a-z0-9+]*'); do
    $config "$option" | grep -qE '^(yes|no|deflate.*)$' || fail "nc-config $option says nothing"
done
if $config --nothing 2>/dev/null; then
    fail "nc-config takes any option"
fi
grep -q '^nc_inq_compound(' "$netcdf/include/netcdf.h" || fail "netcdf.h is not in the shape that build systems look for"
