#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ./configure: its options reach CMake, mistakes stop it with a sentence, and a
# build with one compression method says so about the others.
#   configure.sh source-dir work-dir options|build|static
set -eu
source=$1 work=$2 what=$3
rm -rf "$work"
mkdir -p "$work"
cd "$work"
export BUILD="$work/build"

refused()
{
    if "$source/configure" "$1" >refused.txt 2>&1; then
        echo "$1 was accepted"
        exit 1
    fi
    grep -q "$2" refused.txt || { cat refused.txt; exit 1; }
}

if [ "$what" = options ]; then
    "$source/configure" --help | grep -q with-compression
    refused --with-nothing "unknown option"
    refused --with-compression=zip,zap "zap is no compression method"
    "$source/configure" --prefix=/opt/x --with-compression=zip,bzip2 --with-plugin-dir=/opt/plugins \
        --disable-filter-tests CFLAGS=-O1 CPPFLAGS=-DSOMETHING >configured.txt 2>&1
    grep -q 'compression methods: zip,bzip2' configured.txt
    grep -q '^CMAKE_INSTALL_PREFIX:.*=/opt/x$' build/CMakeCache.txt
    grep -q '^CELLAR_PLUGIN_DIR:.*=/opt/plugins$' build/CMakeCache.txt
    grep -q '^CMAKE_C_FLAGS:.*=-DSOMETHING -O1$' build/CMakeCache.txt
    exit 0
fi

launcher=$(command -v ccache || true)
export CMAKE_C_COMPILER_LAUNCHER="$launcher"

# A static library: found in three ways, showing only public names, with its codecs
# inside, tools that run, and plugins that load as they do with the shared one.
if [ "$what" = static ]; then
    "$source/configure" --disable-shared --prefix="$work/prefix" >/dev/null
    cmake --build build >/dev/null
    cmake --install build >/dev/null
    test -z "$(find prefix -name 'libcellar.so*')"
    archive=$(find "$work/prefix" -name libcellar.a)
    nm "$archive" | awk 'NF == 3 && $2 ~ /^[TDBRC]$/ {print $3}' >names.txt
    grep -q '^cel_nc_open$' names.txt
    if grep -v -e '^cel_nc' -e '^cellar_' -e '^nc' names.txt; then
        echo "names that are not public"
        exit 1
    fi
    PKG_CONFIG_PATH=$(dirname "$archive")/pkgconfig
    export PKG_CONFIG_PATH
    outside=$source/tests/install/outside.c
    # shellcheck disable=SC2046
    cc "$outside" -o by_pkgconfig $(pkg-config --static --cflags --libs cellar)
    # shellcheck disable=SC2046
    cc "$outside" -o by_config $(prefix/bin/cellar-config --cflags --libs)
    mkdir project
    cp "$outside" project/
    printf '%s\n' 'cmake_minimum_required(VERSION 3.18)' 'project(outside C)' 'find_package(cellar REQUIRED)' \
        'add_executable(outside outside.c)' 'target_link_libraries(outside cellar::cellar)' >project/CMakeLists.txt
    cmake -S project -B project/build -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
    cmake --build project/build >/dev/null
    for program in ./by_pkgconfig ./by_config project/build/outside; do
        if ldd "$program" | grep -q libcellar; then
            echo "$program needs a shared libcellar"
            exit 1
        fi
        "$program"
    done
    printf 'netcdf one { dimensions: x = 9; variables: int v(x); v:_Filter = "32015,3"; data: v = 1,2,3,4,5,6,7,8,9; }' >one.cdl
    prefix/bin/ncgen -4 -o one.nc one.cdl
    CELLAR_PLUGINS=prefer HDF5_PLUGIN_PATH=$(prefix/bin/cellar-config --plugindir) prefix/bin/ncdump one.nc |
        grep -q '1, 2, 3, 4, 5, 6, 7, 8, 9'
    exit 0
fi
"$source/configure" --with-compression=zip --disable-plugins --disable-hdf5 >/dev/null
cmake --build build --target cellar >/dev/null
cat >one.c <<'C'
#include <cellar.h>
#include <netcdf.h>
#include <string.h>
int main(void)
{
    static const char *const others[] = {"szip", "bzip2", "fpzip", "zfp"};
    unsigned level[] = {5, 16};
    int ncid, dim, v;

    if (nc_create("file://one.zarr#mode=zarr,file", NC_NETCDF4 | NC_CLOBBER, &ncid) || nc_def_dim(ncid, "x", 9, &dim) ||
        nc_def_var(ncid, "v", NC_FLOAT, 1, &dim, &v))
        return 1;
    for (int i = 0; i < 4; i++)
        if (nc_def_var_compress(ncid, v, others[i], 1, level) != NC_ECOMPRESS || !strstr(cellar_error(), "-DCOMPRESSION"))
            return 2;
    return nc_def_var_compress(ncid, v, "zip", 1, level) || nc_close(ncid) ? 3 : 0;
}
C
cc one.c -I"$source/include" -Ibuild/include -Lbuild/src -lcellar -Wl,-rpath,"$work/build/src" -o one
./one
