#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# test-cross.sh DIR ARCH [STEPS]: Cellar for another processor (arm64, s390x), built by Debian's cross compiler and run by qemu-user: the programs of
# tests/unit, the suites of codecs and containers; then files of every format and filter (tests/cross), which must be those that this machine's
# build (TOOLS, default build-test/tools) writes, byte by byte, and which each must read as the other does. All in a bare Debian 12 in
# DIR/root-cross-ARCH (as root; made at the first call, from MIRROR). STEPS, for some of it again: of build, tests, files.
set -eu
cd "$(dirname "$0")/.."
mkdir -p "$1"
dir=$(cd "$1" && pwd)
arch=$2
tools=${TOOLS:-$(pwd)/build-test/tools}
case $arch in
    arm64) gnu=aarch64-linux-gnu qemu=qemu-aarch64-static ;;
    s390x) gnu=s390x-linux-gnu qemu=qemu-s390x-static ;;
    *)     echo "test-cross: say arm64 or s390x" >&2; exit 2 ;;
esac
processor=${gnu%%-*}
steps=${3:-build tests files}
root=$dir/root-cross-$arch
[ "$(id -u)" = 0 ] || { echo "test-cross: NOT RUN: chroot needs root" >&2; exit 1; }
trap 'umount "$root/proc" 2>/dev/null || true' EXIT
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive sh -euc "$1"; }

if [ ! -f "$root/ready-2" ]; then
    if [ ! -f "$dir/bare/ready" ]; then
        rm -rf "$dir/bare"
        debootstrap --variant=minbase bookworm "$dir/bare" ${MIRROR:-} >"$dir/debootstrap.log" ||
            { tail -5 "$dir/debootstrap.log" >&2; exit 1; }
        touch "$dir/bare/ready"
    fi
    rm -rf "$root"
    cp -a "$dir/bare" "$root"
    rm "$root/ready"
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    mount -t proc proc "$root/proc"
    libraries=
    for name in libhdf5-dev libutf8proc-dev libdeflate-dev libzstd-dev liblz4-dev libbz2-dev libblosc-dev libaec-dev libzfp-dev libfpzip-dev \
                liblzma-dev zlib1g-dev libcurl4-openssl-dev libcmocka-dev; do
        libraries="$libraries $name:$arch"
    done
    inside "dpkg --add-architecture $arch; apt-get update -qq
        apt-get install -y -qq --no-install-recommends cmake ninja-build ccache pkg-config python3 qemu-user-static gcc-$gnu libc6-dev-$arch-cross $libraries" \
        >"$dir/cross-$arch.log" 2>&1 || { tail -20 "$dir/cross-$arch.log" >&2; exit 1; }
    touch "$root/ready-2"
else
    mount -t proc proc "$root/proc"
fi

# A build from nothing: files of git archive bear the time of their commit, which says nothing about what was built before. ccache keeps it short.
build_it()
{
    rm -rf "$root/src" "$root/build"
    mkdir -p "$root/src"
    git archive HEAD | tar -x -C "$root/src"
    inside "cd /src
        export CCACHE_DIR=/ccache PKG_CONFIG_LIBDIR=/usr/lib/$gnu/pkgconfig:/usr/share/pkgconfig
        cmake -G Ninja -S . -B /build -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=$processor -DCMAKE_C_COMPILER=$gnu-gcc -DCMAKE_C_COMPILER_LAUNCHER=ccache \
              -DCMAKE_LIBRARY_ARCHITECTURE=$gnu -DCMAKE_FIND_ROOT_PATH=/usr/$gnu -DCELLAR_WERROR=ON -DDEP_blosc2_INCLUDE=OFF
        cmake --build /build -j ${JOBS:-$(nproc)} --target tools/all tests/unit/all tests/suite/all tests/cli/all -- -k 0" >"$dir/cross-build-$arch.log" 2>&1 ||
        { grep -E 'FAILED|error' "$dir/cross-build-$arch.log" | head -20 >&2; tail -20 "$dir/cross-build-$arch.log" >&2; exit 1; }

    # The processor's own loops are there to be compared with the portable ones (test_kernels, test_nd).
    if [ $arch = arm64 ]; then
        for loop in shuffle_neon unshuffle_neon transpose_neon gather_vec16 scatter_vec16; do
            inside "$gnu-nm /build/src/libcellar.so" | grep -q " t $loop" || { echo "test-cross: the library has no $loop" >&2; exit 1; }
        done
    fi
}

run_tests()
{
    # The programs; what the suites ask Python is no program. qemu takes its time.
    log=$dir/cross-tests-$arch.log
    inside "cd /build; CEL_TEST_EMULATOR=$qemu ctest -j ${JOBS:-$(nproc)} --timeout 6000 -R '^test_|^codec_suite_part|^container_suite_' -LE 'long|bench|net|install|thread' \
            -E 'peer|plugins|peak_memory|_blosc2$' --output-on-failure" >"$log" 2>&1 || true

    # Two cases fail by qemu 7.2, and are allowed to: it says that madvise(MADV_WIPEONFORK) was done, so that a child of a bare clone() takes itself for
    # its parent, and that posix_spawn() found a program that is not there.
    cases=$(sed -n 's/^\[  FAILED  \] \([a-z0-9_]*\)$/\1/p' "$log" | sort -u)
    other=$(sed -n 's/^\t *[0-9]* - //p' "$log" | grep -vxE 'test_(process|net) \(Failed\)' || true
            echo "$cases" | grep -vxE 'test_children|processes_print_credentials|' || true)
    if [ -n "$other" ] || ! grep -q '% tests passed' "$log"; then
        sed -n '/tests passed/,$p' "$log" >&2
        exit 1
    fi
    echo "$arch: $(sed -n 's/^.*% tests passed, //p' "$log"); by qemu: $(echo $cases)"
}

# The same files there and here.
compare_files()
{
    rm -rf "$root/files" "$dir/here-$arch"
    mkdir -p "$root/files/cdl" "$root/files/there" "$dir/here-$arch"
    tests/cross/cdl.py "$root/files/cdl"
    inside "NCGEN=/build/tools/ncgen NCCOPY=/build/tools/nccopy /src/tests/cross/write.sh /files/cdl /files/there $qemu"
    NCGEN=$tools/ncgen NCCOPY=$tools/nccopy tests/cross/write.sh "$root/files/cdl" "$dir/here-$arch"
    cp -r "$dir/here-$arch" "$root/files/here"

    # What is not the same bytes on a big-endian machine, by the design of others: the machine's own order where none is said (own), the streams of
    # liblz4, and the attributes that netCDF-C and libhdf5 keep in HDF5 as the machine has them; the chunks of those files are compared.
    exact=0 chunks=0 values=0
    for file in "$dir/here-$arch"/*; do
        name=$(basename "$file")
        there=$root/files/there/$name
        case $arch/$name in
            s390x/own*|s390x/lz4*|s390x/h5-lz4*) values=$((values + 1)) ;;
            s390x/h5-*)
                for side in here there; do
                    (cd "$root/files/$side" && "$tools/cellar" refs -q --inline=1000000 --as-given "$name") >"$dir/$side-$arch.json"
                done
                cmp "$dir/here-$arch.json" "$dir/there-$arch.json"
                chunks=$((chunks + 1)) ;;
            *) diff -r "$file" "$there"
               exact=$((exact + 1)) ;;
        esac
        "$tools/cellar" diff -q "$file" "$there" || { echo "test-cross: $name has other values" >&2; exit 1; }
        inside "cd /files; $qemu /build/tools/cellar diff -q here/$name there/$name" || { echo "test-cross: $name has other values there" >&2; exit 1; }
    done
    [ "$exact" -gt 0 ]
    echo "$arch: $exact files and stores of equal bytes, $chunks of equal chunks, $values more of equal values; all read alike there and here"
}

for step in $steps; do
    case $step in
        build) build_it ;;
        tests) run_tests ;;
        files) compare_files ;;
        *)     echo "test-cross: unknown step $step" >&2; exit 2 ;;
    esac
done
