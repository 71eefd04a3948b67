#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# whose_damage.sh PROGRAM ARGUMENT...: runs it under valgrind, where a crash of it has no stack to tell whose it is: memory
# was damaged earlier. Succeeds if memory was used that is freed or was never set, and by libhdf5 alone; otherwise prints the first
# place that is somebody else's.
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT
# The program has a malloc() of its own, which must stay; valgrind's takes the place of the C library's below it.
valgrind -q --soname-synonyms=somalloc=nouserintercepts --num-callers=12 --log-file="$log" "$@" >/dev/null 2>&1
awk '
    /Invalid (read|write|free)|uninitialised/ { found++; open = 1; next }
    open && /(at|by) 0x/ {
        if (/vgpreload|vg_replace|\.S:|\/libc\.so/)
            next
        if (!/libhdf5/ && !/: H5[A-Z]*_/) { print; bad = 1; exit } # with debug information no library is named
        open = 0
    }
    END { exit bad || !found }' "$log" >&2
