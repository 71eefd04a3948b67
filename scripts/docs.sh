#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# docs.sh DIR: the manual as a site in DIR/html, made by Doxygen. A warning of Doxygen, a link that leads nowhere and a function of cellar.h without a text fail.
set -eu
cd "$(dirname "$0")/.."
dir=$1
command -v doxygen >/dev/null || { echo "docs: doxygen is missing: scripts/setup.sh docs installs it" >&2; exit 1; }
rm -rf "$dir/html"
mkdir -p "$dir"
version=$(sed -n 's/^#define CELLAR_VERSION "\(.*\)"$/\1/p' include/cellar.h)
{ cat docs/site/Doxyfile; echo "PROJECT_NUMBER = $version"; echo "OUTPUT_DIRECTORY = $dir"; } | doxygen - 2>"$dir/warnings"
if [ -s "$dir/warnings" ]; then
    cat "$dir/warnings" >&2
    echo "docs: Doxygen gave $(wc -l <"$dir/warnings") lines of warnings" >&2
    exit 1
fi
# Files that pages link to and that are no pages themselves lie beside the site under their names in the project.
grep -oh 'href="files/[^"#]*' "$dir"/html/*.html | sort -u | sed 's/^href="files.//' | while read -r file; do
    mkdir -p "$dir/html/files/$(dirname "$file")"
    cp "$file" "$dir/html/files/$file"
done
python3 tests/docs/links.py --site "$dir/html"
python3 tests/docs/functions.py --site "$dir/html" include/cellar.h
echo "docs: $dir/html/index.html"
