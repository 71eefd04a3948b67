# SPDX-License-Identifier: BSD-3-Clause
# An input that may not be read, an output directory that may not be written: root may do
# both, so that root tries as nobody.
. "$CLI/sample.sh"; sample in
chmod 000 in.nc; mkdir closed; chmod 555 closed; cp in.cdl closed.cdl; chmod 000 closed.cdl; chmod 755 .
as=; [ "$(id -u)" = 0 ] && as="setpriv --reuid=65534 --regid=65534 --clear-groups --"
mine() { if [ -n "$as" ]; then chmod -R a+rX "${PWD%/*}"; chmod 000 in.nc closed.cdl; $as "$@"; else "$@"; fi; echo "exit $?"; }
mine "$TOOLS/nccopy" in.nc closed/out.nc
mine "$TOOLS/ncdump" in.nc
mine "$TOOLS/ncgen" -o closed/out.nc closed.cdl
cp "in.cdl" open.cdl
mine "$TOOLS/ncgen" -o closed/out.nc open.cdl
"$TOOLS/ncgen" -4 -o good.nc open.cdl
mine "$TOOLS/nccopy" good.nc closed/out.nc
ls -A closed; ls -A
