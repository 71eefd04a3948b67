#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# dist.sh DIR [TESTS]: the last commit as DIR/cellar-VERSION.tar.gz, whose bytes depend on the commit alone (it is made twice and compared).
# It is then unpacked where git finds nothing, built, installed, and those of its tests are run that the regular expression
# TESTS names; `all`: those of make test's first step.
set -eu
cd "$(dirname "$0")/.."
mkdir -p "$1"
dir=$(cd "$1" && pwd)
tests=${2:-^test_|^cases_|^header_|^install_|^docs_|^abi_|^structure_}
git rev-parse --verify -q HEAD >/dev/null || { echo "dist: the tarball is made of a commit: this is no clone" >&2; exit 1; }
[ -z "$(git status --porcelain)" ] || echo "dist: what is not committed is not in the tarball:" "$(git status --porcelain | wc -l) files" >&2
version=$(git show HEAD:include/cellar.h | sed -n 's/^#define CELLAR_VERSION "\(.*\)"$/\1/p')
name=cellar-$version

# umask and owner of whoever calls do not matter to git archive, but the configuration may.
pack() { git -c tar.umask=0022 archive --format=tar --prefix="$name/" HEAD | gzip -9n >"$1"; }

pack "$dir/$name.tar.gz"
(umask 077; sleep 1; pack "$dir/again.tar.gz")
cmp "$dir/$name.tar.gz" "$dir/again.tar.gz"
rm "$dir/again.tar.gz"

rm -rf "$dir/$name" "$dir/prefix"
tar -xzf "$dir/$name.tar.gz" -C "$dir"
peers=$(pwd)/.venv-peers
cd "$dir/$name"
[ ! -e "$peers" ] || ln -s "$peers" .venv-peers # the tests' peers, which make test would fetch
export GIT_DIR=/nonexistent/git
launch=$(command -v ccache >/dev/null && echo -DCMAKE_C_COMPILER_LAUNCHER=ccache || true)
# shellcheck disable=SC2086
cmake -G Ninja $launch -DCELLAR_WERROR=ON -S . -B build-test -DCMAKE_INSTALL_PREFIX="$dir/prefix" >"$dir/configure.log"
cmake --build build-test -j "${JOBS:-$(nproc)}" >"$dir/build.log" || { tail -30 "$dir/build.log" >&2; exit 1; }
cmake --install build-test >/dev/null
"$dir/prefix/bin/cellar" --version
case $tests in
    all) set -- -LE 'long|bench|manual' ;;
    *)   set -- -LE 'long|bench|manual' -R "$tests" ;;
esac
(cd build-test && ctest -j "${JOBS:-$(nproc)}" --output-on-failure "$@" >"$dir/test.log") || { tail -60 "$dir/test.log" >&2; exit 1; }
tail -20 "$dir/test.log" | grep 'tests passed'
cd "$dir"
rm -rf "$name" prefix
sha256sum "$name.tar.gz"
