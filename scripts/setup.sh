#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Install the Debian packages that are missing. Safe to run again and again.
#
#   scripts/setup.sh          what the build and the demo need
#   scripts/setup.sh test     and the peers the tests compare with
#   scripts/setup.sh zarr     and GDAL, which only `make test-zarr` asks
#   scripts/setup.sh net      and the proxy and web server that only `make test-net` asks
#   scripts/setup.sh fuzz     and libFuzzer, with what reads its coverage
#   scripts/setup.sh bench    and the real fields the benchmarks read
#   scripts/setup.sh clients  and the programs that are run on Cellar
#   scripts/setup.sh python   what `pip install ./python` builds with
#   scripts/setup.sh docs     what the manual is made and tried with
#   scripts/setup.sh cross    what a build for other processors is made in
#   scripts/setup.sh deb      what the Debian packages are built and tried with
#   scripts/setup.sh list     print the packages for the above and stop
set -eu

build="gcc g++ make cmake ninja-build pkg-config
       libhdf5-dev libutf8proc-dev libdeflate-dev libzstd-dev
       liblz4-dev libbz2-dev libblosc-dev libaec-dev libzfp-dev libfpzip-dev
       liblzma-dev zlib1g-dev libcurl4-openssl-dev"
test="$build clang clang-format-14 libclang-rt-14-dev valgrind libcmocka-dev hdf5-tools netcdf-bin libnetcdf-dev
      hdf5-filter-plugin hdf5-filter-plugin-blosc-serial hdf5-filter-plugin-zfp-serial
      hdf5-plugin-lzf bitshuffle python3 python3-venv python3-numpy python3-h5py python3-netcdf4
      python3-xarray python3-h5netcdf python3-zarr python3-numcodecs python3-zfpy
      pnetcdf-bin openmpi-bin nco cdo zsh strace abigail-tools"
# Only to fetch zarrita, a peer; another npm than Debian's is as good.
command -v npm >/dev/null 2>&1 || test="$test npm"
zarr="$test gdal-bin python3-gdal"
clients="$test gdal-bin gmt r-cran-ncdf4 octave-netcdf gfortran m4 dpkg-dev python3-dev python3-pip python3-pytest cython3"
fuzz="$test libclang-rt-14-dev llvm-14"
bench="$test"
python="$build python3-venv python3-dev"
docs="$test doxygen gfortran"
deb="$build debhelper dh-python dpkg-dev lintian debootstrap python3-dev"
mpi="$test libopenmpi-dev gfortran"
cross="$test debootstrap"
net="$test tinyproxy-bin nginx-light"

case ${1:-build} in
    build) want=$build ;;
    test)  want=$test ;;
    zarr)  want=$zarr ;;
    fuzz)  want=$fuzz ;;
    bench) want=$bench ;;
    clients) want=$clients ;;
    python) want=$python ;;
    docs)  want=$docs ;;
    deb)   want=$deb ;;
    mpi)   want=$mpi ;;
    cross) want=$cross ;;
    net)   want=$net ;;
    list)  printf '%s\n' $fuzz | sort -u; exit 0 ;;
    *)     echo "setup: unknown word '$1': say build, test, zarr, fuzz, bench, clients, python, docs, deb, mpi, cross, net or list" >&2; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "setup: this is not a Debian system; install the equivalents of these yourself, then run cmake:" >&2
    printf '  %s\n' $want >&2
    exit 1
fi

missing=
for package in $want; do
    case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true) in
        *" installed") ;;
        *) missing="$missing $package" ;;
    esac
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" != 0 ]; then
    if command -v sudo >/dev/null 2>&1 && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
        as_root=sudo
    else
        echo "setup: these packages are missing, and there is neither root nor sudo to install them:" >&2
        echo "  apt-get install$missing" >&2
        exit 1
    fi
fi

echo "setup: installing$missing"
$as_root apt-get update -qq
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
