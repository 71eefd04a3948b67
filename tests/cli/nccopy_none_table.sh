# SPDX-License-Identifier: BSD-3-Clause
# Every row of the specification's table: -F none, -F var, input filter -> output filter.
. "$CLI/sample.sh"
sample plain
sample deflated 't:_DeflateLevel = 5 ; t:_Shuffle = "true" ;'
row() { in=$1; shift; nccopy "$@" $in.nc out.nc; echo "$in $*: $(chain out.nc t | tr '\n' ' ')"; same_data $in.nc out.nc >/dev/null || echo DIFFERENT DATA; }
row plain -F none
row deflated -F none
row plain -F none -F t,none
row deflated -F none -F t,none
row plain -F none -F t,307,9
row deflated -F none -F t,307,9
row deflated
row plain -F t,none
row deflated -F t,none
row plain -F t,307,9
row plain
row deflated -F t,307,9
