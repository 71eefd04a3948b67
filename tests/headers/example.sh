#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# example.sh CELLAR_H DIR...: the example in the header's comment compiles, as C99 and as C++.
set -eu
header=$1; shift
flags="-pedantic -Wall -Wextra -Werror -Wno-unused-function -fsyntax-only"
for dir in "$@"; do flags="$flags -I$dir"; done
source=$(mktemp); trap 'rm -f "$source"' EXIT
sed -n '/^ \*     #include <cellar.h>/,/^ \*     }$/p' "$header" | sed 's/^ \* \{0,5\}//' > "$source"
grep -q cellar_error "$source" # an example was found

for cc in gcc clang; do
  command -v $cc > /dev/null && $cc -x c -std=c99 $flags "$source"
done
for cxx in g++ clang++; do
  command -v $cxx > /dev/null && $cxx -x c++ -std=c++11 $flags "$source"
done
