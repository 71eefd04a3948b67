#!/bin/sh
# ./configure: its options reach CMake, mistakes stop it with a sentence, and a
# build with one compression method says so about the others.
#   configure.sh source-dir work-dir options|build
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
    refused --disable-shared "shared library only"
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
