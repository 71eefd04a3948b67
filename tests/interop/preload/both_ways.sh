#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# both_ways.sh SOURCE CASES LIBRARY DIR: run every line of CASES.txt ("needs NAME"
# lines say which program must be there) without and with LIBRARY in front.
# Commands write OUT.nc; inputs are made once, by libnetcdf itself.
set -u
source=$1; cases=$2; library=$3; dir=$4
rm -rf "$dir"; mkdir -p "$dir/theirs" "$dir/ours" && cd "$dir" || exit 1
export SCRIPTS=$source TYPES=$source/types.cdl HDF5_PLUGIN_PATH= CDO_HISTORY_INFO=0 LC_ALL=C

/usr/bin/python3 "$source/make_input.py" input.nc || exit 77
/usr/bin/ncgen -4 -o types.nc "$source/types.cdl" || exit 77

# Is it really in front? ncdump's usage names the library it runs over.
LD_PRELOAD=$library /usr/bin/ncdump 2>&1 | grep -q Cellar || { echo "the library is not in front"; exit 1; }

run() { # SIDE COMMAND
  (cd "$1" && bash -c "$2" > said 2> complaints; echo "exit $?" >> said)
  [ -e "$1/OUT.nc" ] || return
  /usr/bin/ncdump -n x "$1/OUT.nc" 2>&1 | grep -vE ':(history|history_of_appended_files|NCO|CDO) = ' > "$1/dump"
}

failed=0; n=0
while IFS= read -r line; do
  case $line in
    ''|'#'*) continue ;;
    'needs '*) command -v "${line#needs }" > /dev/null || { echo "no ${line#needs } here"; exit 77; }; continue ;;
  esac
  rm -rf theirs/* ours/*
  run theirs "$line"
  run ours "export LD_PRELOAD=$library; $line"
  n=$((n + 1))
  for part in said dump; do
    [ -e theirs/$part ] || [ -e ours/$part ] || continue
    diff theirs/$part ours/$part > difference 2>&1 && continue
    echo "--- $line"; head -20 difference; failed=$((failed + 1)); break
  done
done < "$source/$cases.txt"
echo "$n commands, $failed different"
[ $n -gt 0 ] && [ $failed -eq 0 ]
