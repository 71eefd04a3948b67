#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# zarr-peers.sh DIR: the peers of `make test-zarr` that neither Debian nor scripts/peers.sh has, made once: zarr-python
# 2.18, the newest zarr-python that the newest Python at hand takes, and zarrs, built by cargo. What cannot be had is
# named in DIR/missing with the reason.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dir=$1
[ -f "$dir/ready-1" ] && exit 0 # a new number whenever the list changes
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
: > "$dir/missing"

pip_into() # NAME PYTHON PACKAGES...
{
    name=$1 python=$2
    shift 2
    "$python" -m venv "$dir/$name" >"$dir/$name.log" 2>&1 &&
        timeout 900 "$dir/$name/bin/pip" install -q --disable-pip-version-check "$@" >>"$dir/$name.log" 2>&1 ||
        echo "$name: pip could not install $*" >> "$dir/missing"
}

pip_into zarr218 /usr/bin/python3 'zarr==2.18.*' 'numcodecs<0.16'

newest=
for python in python3.14 python3.13 python3.12 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[2-9].*/bin/python3; do
    if [ -z "$newest" ] && "$python" -c '' 2>/dev/null; then newest=$python; fi
done
if [ -n "$newest" ]; then
    pip_into zarr-new "$newest" zarr cast-value-rs 'numcodecs[zfpy,crc32c]'
else
    echo "zarr-new: no Python 3.12 or newer, which zarr-python newer than 3.1 wants" >> "$dir/missing"
fi

if command -v cargo >/dev/null; then
    timeout 3000 cargo build -q --release --manifest-path "$here/../tests/interop/zarr/zarrs/Cargo.toml" --target-dir "$dir/zarrs" \
        >"$dir/zarrs.log" 2>&1 || echo "zarrs: cargo could not build it: $(grep -m1 '^error' "$dir/zarrs.log" || true)" >> "$dir/missing"
    rm -f "$here/../tests/interop/zarr/zarrs/Cargo.lock"
else
    echo "zarrs: there is no cargo" >> "$dir/missing"
fi
touch "$dir/ready-1"
