#!/bin/sh
# litter.sh before|after SOURCE BUILD: which files are in the source tree and at the top of the build tree. "after" fails
# if there are others than "before": tests write to folders of their own only.
what=$1 source=$2 build=$3
list=$build/tests/litter

names()
{
    cd "$source" || exit 1
    find . \( -name '.git' -o -name 'build*' -o -name '.venv*' -o -name '__pycache__' \) -prune -o -print
    cd "$build" || exit 1
    find . -maxdepth 1 ! -name install_manifest.txt ! -name '.ninja*' -print | sed 's/^/(build) /'
}

names | LC_ALL=C sort >"$list.$what" || exit 1
[ "$what" = after ] || exit 0
new=$(LC_ALL=C comm -13 "$list.before" "$list.after")
[ -z "$new" ] && exit 0
echo "files that tests of this run left outside their own folders (or that somebody made meanwhile):"
echo "$new"
exit 1
