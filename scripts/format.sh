#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# scripts/format.sh          put every C file into the shape of .clang-format
# scripts/format.sh --check  name those that are not in it, and fail
# Versions of clang-format differ in what they do; the tree follows Debian 12's, 14.
set -eu
cd "$(dirname "$0")/.."
version=14
tool=$(command -v clang-format-$version || command -v clang-format) ||
    { echo "format: NOT RUN: clang-format $version is not here (apt-get install clang-format-$version)"; exit 77; }
"$tool" --version | grep -q "version $version\." ||
    { echo "format: NOT RUN: $("$tool" --version); the tree follows version $version"; exit 77; }

files=$(find src tools include plugins examples bench tests -name '*.[ch]')
if [ "${1:-}" != --check ]; then
    echo "$files" | xargs "$tool" -i
    exit 0
fi
if echo "$files" | xargs "$tool" --dry-run --Werror 2>&1 | sed -n 's/:.*error: code should be clang-formatted.*//p' | sort | uniq -c |
    grep .; then
    echo "format: the files above (with the number of places) are not as .clang-format says: run 'make format'"
    exit 1
fi
