#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# deb.sh DIR: the Debian packages in DIR/packages, built from the tarball that dist.sh put into DIR. They are built twice and
# must be equal in every byte, and lintian must have nothing to say against them.
set -eu
dir=$(cd "$1" && pwd)
tarball=$(echo "$dir"/cellar-*.tar.gz)
[ -f "$tarball" ] || { echo "deb: there is no tarball in $dir: run make dist" >&2; exit 1; }
version=$(basename "$tarball" .tar.gz | sed 's/^cellar-//')

# build FOLDER: a source package and its binary packages in FOLDER. The folder has the same name both times: a package's
# build path is not among the things that Debian lets vary.
build()
{
    rm -rf "$dir/work" "$1"
    mkdir "$dir/work"
    cp "$tarball" "$dir/work/cellar_$version.orig.tar.gz"
    tar -xzf "$tarball" -C "$dir/work"
    (cd "$dir/work/cellar-$version" && CCACHE_DISABLE=1 dpkg-buildpackage -us -uc) >"$dir/deb.log" 2>&1 || { tail -40 "$dir/deb.log" >&2; exit 1; }
    rm -rf "$dir/work/cellar-$version"
    mv "$dir/work" "$1"
}

build "$dir/packages"
(umask 027; TZ=Asia/Tokyo LC_ALL=C.UTF-8 build "$dir/again")
for file in "$dir"/packages/*.deb "$dir"/packages/*.dsc "$dir"/packages/*.debian.tar.xz; do
    cmp "$file" "$dir/again/$(basename "$file")"
done
rm -rf "$dir/again"
echo "deb: two builds, equal bytes: $(ls "$dir"/packages/*.deb | wc -l) packages"

# The one tag left out asks for the number of a bug in Debian's own tracker.
lintian --fail-on error,warning --tag-display-limit 0 --suppress-tags initial-upload-closes-no-bugs "$dir"/packages/*.changes >"$dir/lintian.txt" 2>&1 || { cat "$dir/lintian.txt" >&2; exit 1; }
cat "$dir/lintian.txt"
echo "deb: $(lintian --version) has nothing to say against them"
