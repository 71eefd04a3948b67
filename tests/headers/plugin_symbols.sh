#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# plugin_symbols.sh FOLDER: every plugin there finds each of its symbols in itself or in a library that it names.
set -u
export LC_ALL=C

failed=0
count=0
for plugin in "$1"/*.so "$1"/blosc2/*.so; do
    [ -e "$plugin" ] || continue
    count=$((count + 1))
    # What the sanitizers need comes with the program.
    missing=$(ldd -r "$plugin" 2>&1 | grep -E 'undefined symbol|not found' | grep -vE '__(asan|ubsan|tsan|sanitizer|lsan)')
    if [ -n "$missing" ]; then
        failed=$((failed + 1))
        printf '%s:\n%s\n' "$plugin" "$missing"
    fi
done
if [ $count -lt 10 ]; then
    echo "only $count plugins in $1: build them first"
    exit 1
fi
echo "$count plugins, $failed of them miss symbols"
[ $failed -eq 0 ]
