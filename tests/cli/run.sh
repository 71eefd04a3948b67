#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh TOOLS CASE.sh: run one case in an empty directory and compare what it
# printed (x.stdout, x.stderr) and its exit code (x.exit) with what is expected;
# a file that is not there stands for nothing, and for 0. With UPDATE=1 the
# expectations are written anew: read them before committing.
set -u
tools=$(cd "$1" && pwd)
case=$(cd "$(dirname "$2")" && pwd)/$(basename "$2" .sh)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PATH=$tools:$PATH LC_ALL=C CLI=$(dirname "$case") TOOLS=$tools
unset HDF5_PLUGIN_PATH NETCDF_LOG_LEVEL NCLOGGING CELLAR_STRICT

mkdir "$work/dir"
(cd "$work/dir" && bash -u "$case.sh") >"$work/stdout" 2>"$work/stderr" </dev/null
echo $? >"$work/exit"
[ -f "$case.exit" ] || [ "$(cat "$work/exit")" != 0 ] || rm "$work/exit"

bad=0
for part in stdout stderr exit; do
    touch "$work/$part"
    if [ "${UPDATE:-}" ]; then
        rm -f "$case.$part"
        [ ! -s "$work/$part" ] || cp "$work/$part" "$case.$part"
    elif [ -f "$case.$part" ]; then
        diff -u "$case.$part" "$work/$part" || bad=1
    elif [ -s "$work/$part" ]; then
        echo "unexpected $part:"; cat "$work/$part"; bad=1
    fi
done
exit $bad
