# SPDX-License-Identifier: BSD-3-Clause
# No room for the output: one line that says so, and nothing is left. On a file system that
# is really full where this process may mount one, else under a limit of the file's size.
printf 'netcdf big { dimensions: n = 200000 ; variables: int v(n) ; data: v = %s ; }' "$(seq -s, 1 200000)" >big.cdl
ncgen -4 -o big.nc big.cdl
mkdir disk
if [ -z "${NO_MOUNT:-}" ] && mount -t tmpfs -o size=400k none disk 2>/dev/null; then
    trap 'umount disk' EXIT
    room() { head -c "$1" /dev/zero >disk/old.nc; }
    in_limit() { shift; "$@"; }
else
    room() { echo "what was there" >disk/old.nc; }
    in_limit() { (ulimit -f "$1"; shift; "$@"); }
fi
try() { # KIB COMMAND...: with so much room
    room 300000 && cp -p disk/old.nc old && in_limit "$@" 2>err
    echo "exit $?, $(wc -l <err) line"
    sed -E 's/^([a-z]+: [^: ]+).*(No space left on device|File too large)$/\1 ... no room/; s|disk/||' err
    cmp disk/old.nc old && ls -A disk
}
try 100 nccopy -F "v,zstd" big.nc disk/old.nc
try 100 nccopy -3 big.nc disk/new.nc
try 100 nccopy big.nc disk/new.zarr
try 10 ncgen -4 -o disk/old.nc big.cdl
try 10 ncgen -3 -o disk/new.nc big.cdl
