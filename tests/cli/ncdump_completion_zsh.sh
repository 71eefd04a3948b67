# SPDX-License-Identifier: BSD-3-Clause
# Tab pressed in a real zsh.
for t in ncdump ncgen nccopy; do $t --completion=zsh >_$t; done
touch sample.nc
timeout 60 zsh -f "$CLI/complete.zsh" "nccopy --veri" "ncdump --expl" "nccopy -d5 --dry" "ncgen -o sam" "nccopy --report=j" "nccopy sam"
