# SPDX-License-Identifier: BSD-3-Clause
# What may not be read is no damage, wherever in a store it lies; root may read all, so that root tries as nobody. A pipe is refused by
# each subcommand, and none waits for who writes to it.
. "$CLI/sample.sh"; sample s
for name in chunk document array; do nccopy s.nc $name.zarr; done
chmod 755 .; mkdir out; chmod 777 out
as=; [ "$(id -u)" = 0 ] && as="setpriv --reuid=65534 --regid=65534 --clear-groups --" && chmod -R a+rX "${PWD%/*}"
chmod 000 chunk.zarr/t/1.0.0 document.zarr/t/.zarray array.zarr/t
try() { timeout 20 $as "$TOOLS/cellar" "$@"; echo "$1: exit $?"; }
for name in chunk document array; do
    try verify $name.zarr
    try salvage -q $name.zarr out/$name.zarr
done
mkfifo pipe
for command in info verify doctor bits chunks tune; do try $command pipe 2>&1 | tail -n 2; done
try diff pipe s.nc
try refs -o out/refs.json pipe
try salvage pipe out/saved.nc
ls out
chmod 755 array.zarr/t
