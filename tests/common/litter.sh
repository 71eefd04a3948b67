#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# litter.sh before|after SOURCE BUILD: which files are in the source tree and at the top of the build tree. "after" fails
# if there are others than "before": tests write to folders of their own only.
what=$1 source=$2 build=$3
list=$build/tests/litter

names()
{
    find "$source" \( -path "$build" -o -name '.git' -o -name 'build*' -o -name '.venv*' -o -name '__pycache__' \) -prune -o -print
    find "$build" -maxdepth 1 ! -name Testing ! -name install_manifest.txt ! -name '.ninja*' -print
}

names | LC_ALL=C sort >"$list.$what" || exit 1
[ "$what" = after ] || exit 0
new=$(LC_ALL=C comm -13 "$list.before" "$list.after")
[ -z "$new" ] && exit 0
echo "files that tests of this run left outside their own folders (or that somebody made meanwhile):"
echo "$new"
exit 1
