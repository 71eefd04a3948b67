#!/bin/sh
# outside.sh WAY BUILD SCRATCH CC SANITIZE: install, then build and run outside.c by WAY.
set -eu
way=$1 build=$2 scratch=$3/$1 cc=$4 sanitize=$5
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$scratch"; mkdir -p "$scratch"
cmake --install "$build" --prefix "$scratch/prefix" >/dev/null
prefix=$scratch/prefix
libdir=$(dirname "$(find "$prefix" -name cellar.pc)")/..
# The files name the configured prefix; an installation moved by --prefix is found by these.
export PKG_CONFIG_PATH="$libdir/pkgconfig"
flags=${sanitize:+-fsanitize=$sanitize}
case $way in
    pkgconfig)
        $cc $flags "$here/outside.c" -o "$scratch/outside" \
            $(pkg-config --define-variable=includedir="$prefix/include/cellar" --define-variable=libdir="$libdir" --cflags --libs cellar) ;;
    config)
        configured=$("$prefix/bin/cellar-config" --prefix)
        $cc $flags "$here/outside.c" -o "$scratch/outside" \
            $("$prefix/bin/cellar-config" --cflags --libs | sed "s#$configured/#$prefix/#g") ;;
    cmake)
        mkdir "$scratch/project"
        cp "$here/outside.c" "$scratch/project/"
        cat > "$scratch/project/CMakeLists.txt" <<TXT
cmake_minimum_required(VERSION 3.18)
project(outside C)
find_package(cellar REQUIRED)
add_executable(outside outside.c)
target_link_libraries(outside cellar::cellar)
TXT
        cmake -S "$scratch/project" -B "$scratch/project/build" -DCMAKE_PREFIX_PATH="$prefix" \
              -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS="$flags" >/dev/null
        cmake --build "$scratch/project/build" >/dev/null
        cp "$scratch/project/build/outside" "$scratch/outside" ;;
esac
test -f "$prefix/include/cellar/netcdf.h"
test ! -e "$prefix/include/netcdf.h"
test -f "$libdir/cellar/plugins/lib__nch5shuffle.so" # and nowhere outside the prefix
cd "$scratch"
LD_LIBRARY_PATH=$libdir ./outside
