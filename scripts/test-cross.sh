#!/bin/sh
# test-cross.sh DIR ARCH: Cellar for another processor (arm64, s390x), built here by Debian's cross compiler and run by qemu-user: the test
# programs of tests/unit, then files of every format, which must be those that NCGEN and NCCOPY of this machine's build (TOOLS, default
# build-test/tools) write, byte by byte. All in a bare Debian 12 in DIR/root-cross-ARCH (as root; made at the first call).
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
root=$dir/root-cross-$arch
[ "$(id -u)" = 0 ] || { echo "test-cross: NOT RUN: chroot needs root" >&2; exit 1; }
trap 'umount "$root/proc" 2>/dev/null || true' EXIT
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive sh -euc "$1"; }

if [ ! -f "$root/ready" ]; then
    rm -rf "$root"
    debootstrap --variant=minbase bookworm "$root" "${MIRROR:-http://deb.debian.org/debian}" >"$dir/debootstrap-$arch.log" ||
        { tail -5 "$dir/debootstrap-$arch.log" >&2; exit 1; }
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    mount -t proc proc "$root/proc"
    libraries=
    for name in libhdf5-dev libutf8proc-dev libdeflate-dev libzstd-dev liblz4-dev libbz2-dev libblosc-dev libaec-dev libzfp-dev libfpzip-dev \
                liblzma-dev zlib1g-dev libcurl4-openssl-dev libcmocka-dev; do
        libraries="$libraries $name:$arch"
    done
    inside "dpkg --add-architecture $arch; apt-get update -qq
        apt-get install -y -qq --no-install-recommends cmake ninja-build pkg-config python3 qemu-user-static gcc-$gnu libc6-dev-$arch-cross $libraries" \
        >"$dir/cross-$arch.log" 2>&1 || { tail -20 "$dir/cross-$arch.log" >&2; exit 1; }
    touch "$root/ready"
else
    mount -t proc proc "$root/proc"
fi

rm -rf "$root/src"
mkdir -p "$root/src"
git archive HEAD | tar -x -C "$root/src"
inside "cd /src
    export PKG_CONFIG_LIBDIR=/usr/lib/$gnu/pkgconfig:/usr/share/pkgconfig
    cmake -G Ninja -S . -B /build -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=$processor -DCMAKE_C_COMPILER=$gnu-gcc \
          -DCMAKE_LIBRARY_ARCHITECTURE=$gnu -DCMAKE_FIND_ROOT_PATH=/usr/$gnu -DCELLAR_WERROR=ON -DDEP_blosc2_INCLUDE=OFF
    cmake --build /build -k 0 -j $(nproc)" >"$dir/cross-build-$arch.log" 2>&1 ||
    { grep -E 'FAILED|error' "$dir/cross-build-$arch.log" | head -20 >&2; tail -20 "$dir/cross-build-$arch.log" >&2; exit 1; }
inside "file=/build/src/libcellar.so; od -An -tx1 -j4 -N16 \$file"

# Each program in an empty folder, as ctest would.
inside "cd /src; failed=0; ran=0
    for program in /build/tests/unit/*/test_*; do
        [ -x \$program ] && [ -f \$program ] || continue
        rm -rf /try; mkdir /try; cd /try; ran=\$((ran + 1))
        TMPDIR=/try timeout 900 $qemu \$program >/try.log 2>&1 || { failed=\$((failed + 1)); echo \"FAILED: \$program\"; grep -vE '^\[ +(OK|RUN) ' /try.log | tail -15; }
    done
    echo \"$arch: \$ran test programs, \$failed failed\"; [ \$failed = 0 ] && [ \$ran -gt 0 ]"
