#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: h5_damage.sh PROGRAM DIRECTORY ROUNDS: make the samples, damage each ROUNDS times
set -eu
here=$(dirname "$0")
rm -rf "$2"
/usr/bin/python3 "$here/make_h5_samples.py" "$2"
exec "$1" "$3" "$2"/*
