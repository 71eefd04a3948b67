#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# alone.sh HEADER DIR...: the header compiles alone, twice, as C99 and C++, with
# every compiler that is here, with asm labels and with macros in their place.
set -eu
header=$1; shift
flags="-pedantic -Wall -Wextra -Werror -fsyntax-only"
for dir in "$@"; do flags="$flags -I$dir"; done
source=$(mktemp); trap 'rm -f "$source"' EXIT
printf '#include "%s"\n#include "%s"\nint main(void) { return 0; }\n' "$header" "$header" > "$source"

for labels in "" -DCELLAR_NO_ASM_LABELS; do
  for cc in gcc clang; do
    command -v $cc > /dev/null && $cc -x c -std=c99 $flags $labels "$source"
  done
  for cxx in g++ clang++; do
    command -v $cxx > /dev/null && $cxx -x c++ -std=c++11 $flags $labels "$source"
  done
done
