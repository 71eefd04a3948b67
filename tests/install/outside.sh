#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# outside.sh WAY BUILD SCRATCH CC SANITIZE: install to a private prefix and move it; then the tools, or outside.c built
# by what WAY hands out, start in an empty environment. WAY is tools, system, pkgconfig, config or cmake.
set -eu
way=$1 build=$2 scratch=$3/$1 cc=$4 sanitize=$5
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$scratch"; mkdir -p "$scratch/elsewhere"
flags=${sanitize:+-fsanitize=$sanitize}
prefix=$scratch/elsewhere/prefix

fail() { echo "$*"; exit 1; }

install_and_move()
{
    cmake --install "$build" --prefix "$scratch/first" >/dev/null
    mv "$scratch/first" "$prefix"
    libdir=$(dirname "$(dirname "$(find "$prefix" -name cellar.pc)")")
    test -f "$prefix/include/cellar/netcdf.h"
    test ! -e "$prefix/include/netcdf.h"
    test -f "$libdir/cellar/plugins/lib__nch5shuffle.so" # and nowhere outside the prefix
}

# The loader's own word on which plugin was loaded.
check_tools()
{
    printf 'netcdf one { dimensions: x = 9; variables: int v(x); v:_Filter = "32015,3"; data: v = 1,2,3,4,5,6,7,8,9; }' >one.cdl
    env -i "$prefix/bin/ncgen" -4 -o one.nc one.cdl
    env -i "$prefix/bin/nccopy" one.nc two.nc
    env -i "$prefix/bin/ncdump" two.nc | grep -q '1, 2, 3, 4, 5, 6, 7, 8, 9' || fail "ncdump does not show the values"
    env -i LD_DEBUG=files CELLAR_PLUGINS=prefer "$prefix/bin/ncdump" one.nc >debug.txt 2>&1
    grep -q "$libdir/cellar/plugins/lib__nch5zstd.so" debug.txt || fail "the plugins of the moved prefix are not found"
}

# Nothing of a run path where the loader looks by itself, and names as they will be without DESTDIR.
check_system()
{
    DESTDIR=$scratch/stage cmake --install "$build" --prefix /usr/local >/dev/null
    stage=$scratch/stage/usr/local
    for tool in cellar ncdump ncgen nccopy; do
        if readelf -d "$stage/bin/$tool" | grep -e RUNPATH -e RPATH; then
            fail "$tool has a run path below a system prefix"
        fi
    done
    [ "$("$stage/bin/cellar-config" --prefix)" = /usr/local ] || fail "cellar-config does not name the prefix"
    grep -qx 'prefix=/usr/local' "$(find "$stage" -name cellar.pc)" || fail "cellar.pc does not name the prefix"
    if grep rpath "$(find "$stage" -name cellar.pc)" "$stage/bin/cellar-config"; then
        fail "flags for a system prefix name a run path"
    fi
}

build_pkgconfig()
{
    # shellcheck disable=SC2046
    $cc $flags "$here/outside.c" -o outside $(PKG_CONFIG_PATH="$libdir/pkgconfig" pkg-config --cflags --libs cellar)
    PKG_CONFIG_PATH="$libdir/pkgconfig" pkg-config --variable=plugindir cellar >plugindir.txt
}

# Also through a link to it.
build_config()
{
    mkdir bin
    ln -s "$prefix/bin/cellar-config" bin/cellar-config
    # shellcheck disable=SC2046
    $cc $flags "$here/outside.c" -o outside $(bin/cellar-config --cflags --libs)
    bin/cellar-config --plugindir >plugindir.txt
}

build_cmake()
{
    mkdir project
    cp "$here/outside.c" project/
    cat > project/CMakeLists.txt <<TXT
cmake_minimum_required(VERSION 3.18)
project(outside C)
find_package(cellar REQUIRED)
add_executable(outside outside.c)
target_link_libraries(outside cellar::cellar)
file(WRITE "$scratch/plugindir.txt" "\${cellar_PLUGIN_DIR}\n")
TXT
    cmake -S project -B project/build -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS="$flags" >/dev/null
    cmake --build project/build >/dev/null
    ln -s project/build/outside outside
}

cd "$scratch"
case $way in
    system) check_system ;;
    tools)  install_and_move; check_tools ;;
    *)      install_and_move
            "build_$way"
            env -i ./outside
            test -f "$(cat plugindir.txt)/lib__nch5shuffle.so" || fail "$way names plugins in $(cat plugindir.txt)" ;;
esac
