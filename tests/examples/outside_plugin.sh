#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds the example plugin outside the source tree in one of the ways its users
# have, then runs it: in Cellar (in place of the filter that is built in), and in
# stock HDF5 tools on the file Cellar wrote.
#
#   outside_plugin.sh cmake|make|gcc|gcc_hdf5 source-dir work-dir include-dirs filter_example
set -eu
way=$1 source=$2 work=$3 includes=$4 example=$5
flags=$(printf '%s' "$includes" | tr ';' '\n' | sed 's/^/-I/' | tr '\n' ' ')

rm -rf "$work"
mkdir -p "$work/source" "$work/plugins"
cp "$source"/* "$work/source"
cd "$work/source"
case $way in
cmake)
    cmake -S . -B ../build -DCELLAR_INCLUDE_DIRS="$includes" >/dev/null
    cmake --build ../build >/dev/null
    cp ../build/libbzip2.so ../plugins
    ;;
make)
    make -s CELLAR_CFLAGS="$flags" OUT=../plugins
    ;;
gcc)
    # shellcheck disable=SC2086
    gcc -g -O0 -shared -fPIC -o ../plugins/libbzip2.so H5Zbzip2.c $flags -lbz2
    ;;
gcc_hdf5)
    pkg-config --exists hdf5-serial || exit 77
    # shellcheck disable=SC2046,SC2086
    gcc -g -O0 -shared -fPIC -DUSE_HDF5 -o ../plugins/libbzip2.so H5Zbzip2.c $flags \
        $(pkg-config --cflags hdf5-serial) $(pkg-config --libs-only-L hdf5-serial) -lhdf5_hl -lhdf5 -lbz2
    ;;
esac
cd "$work"

for entry in H5PLget_plugin_type H5PLget_plugin_info NCZ_get_codec_info; do
    nm -D plugins/libbzip2.so | grep -q " T $entry\$" || { echo "$entry is not exported"; exit 1; }
done

export HDF5_PLUGIN_PATH="$work/plugins"
CELLAR_PLUGINS=prefer LD_DEBUG=files LD_DEBUG_OUTPUT=loaded "$example" plugin.nc | tee plugin.txt
grep -q plugins/libbzip2.so loaded.* || { echo "the plugin was not loaded"; exit 1; }
grep -q 'filter id=307 params=9' plugin.txt
"$example" built-in.nc >/dev/null
cmp plugin.nc built-in.nc || { echo "plugin and codec write different files"; exit 1; }

if command -v h5dump >/dev/null 2>&1; then
    h5dump -y -d /var built-in.nc >dump.txt
    grep -q '100.25' dump.txt
fi
