#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# abi.sh WHAT LIBRARY HEADERS [FOLDER]: what programs linked to libcellar.so depend on, as FOLDER (default: this one) holds it
# of the last release: symbols.txt, and libcellar.abi for the types behind them.
#   symbols  the exported symbols are those of the list
#   diff     abidiff sees no change of a function, a variable or a type that the headers show
#   change   abidiff does report a function that is gone, another parameter and a longer structure
#   accept   write both files anew
set -eu
what=$1 library=$2 headers=$3
folder=${4:-$(cd "$(dirname "$0")" && pwd)}

symbols() { nm -D --defined-only "$library" | awk '$3 !~ /^__/ { sub("@.*", "", $3); print $3 }' | LC_ALL=C sort; }

# Without names of folders and parameters: neither is part of the promise.
dump()
{
    abidw --exported-interfaces-only --headers-dir "$headers" --drop-private-types --no-corpus-path --no-comp-dir-path --no-show-locs \
          --no-parameter-names --no-elf-needed --type-id-style hash "$library" | sed "s|path='.*/src/|path='src/|"
}

need_abidiff()
{
    command -v abidiff >/dev/null || { echo "NOT RUN: abidiff is missing (Debian: abigail-tools)"; exit 77; }
}

compare() { abidiff --no-added-syms "$1" "$2"; }

# The dump with one line of it changed, which abidiff must see as another library.
expect_change()
{
    sed "$2" "$folder/libcellar.abi" >changed.abi
    ! cmp -s "$folder/libcellar.abi" changed.abi || { echo "$1: nothing to change in the dump"; exit 1; }
    if compare "$folder/libcellar.abi" changed.abi >report.txt; then
        echo "abidiff does not report this: $1"
        exit 1
    fi
    echo "$1: reported"
}

case $what in
    symbols)
        symbols >now.txt
        diff "$folder/symbols.txt" now.txt && exit 0
        echo "the exported symbols are not those of tests/abi/symbols.txt: docs/versions.md says what may change, make abi-accept writes the list"
        exit 1 ;;
    diff)
        need_abidiff
        dump >now.abi
        compare "$folder/libcellar.abi" now.abi && exit 0
        echo "programs that were linked to the last release may not run: docs/versions.md says what may change, make abi-accept takes it over"
        exit 1 ;;
    change)
        need_abidiff
        expect_change "a function that is gone" "/<elf-symbol name='cellar_version'/d; /<function-decl name='cellar_version'/,/<\/function-decl>/d"
        int=$(sed -n "s/.*<type-decl name='int' size-in-bits='32' id='\([^']*\)'.*/\1/p" "$folder/libcellar.abi" | head -n 1)
        long=$(sed -n "s/.*<type-decl name='unsigned long int' size-in-bits='64' id='\([^']*\)'.*/\1/p" "$folder/libcellar.abi" | head -n 1)
        expect_change "another parameter" "/elf-symbol-id='cel_nc_sync'/,/<\/function-decl>/ s/<parameter type-id='$int'/<parameter type-id='$long'/"
        expect_change "a longer structure" "/<class-decl name='NC_memio'/ s/size-in-bits='[0-9]*'/size-in-bits='256'/" ;;
    accept)
        symbols >"$folder/symbols.txt"
        dump >"$folder/libcellar.abi"
        echo "$(wc -l <"$folder/symbols.txt") symbols in $folder" ;;
    *)  echo "abi.sh: unknown word $what" >&2; exit 2 ;;
esac
