# SPDX-License-Identifier: BSD-3-Clause
for t in ncdump ncgen nccopy; do
    $t --completion=bash >$t.bash && bash -n $t.bash && grep -c -- --help $t.bash
    $t --completion=zsh | head -1
done
. ./nccopy.bash; COMP_WORDS=(nccopy --ver) COMP_CWORD=1; _nccopy; echo "${COMPREPLY[@]}"
