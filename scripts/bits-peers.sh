#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# bits-peers.sh DIR: xbitinfo, the peer of `cellar bits`, in a virtual environment of its own, made once: it wants an older numpy and
# numcodecs than the other peers (scripts/peers.sh). What cannot be had is named in DIR/missing; tests then say "NOT RUN".
set -eu
dir=$1
[ -f "$dir/ready-1" ] && exit 0 # a new number whenever the list changes
/usr/bin/python3 -m venv "$dir"
: > "$dir/missing"
timeout 900 "$dir/bin/pip" install -q --disable-pip-version-check xbitinfo==0.0.7 netCDF4 >"$dir/pip.log" 2>&1 ||
    echo "xbitinfo: $(tail -n 1 "$dir/pip.log")" >> "$dir/missing"
touch "$dir/ready-1"
