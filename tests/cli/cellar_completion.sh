# SPDX-License-Identifier: BSD-3-Clause
cellar --completion=bash >cellar.bash && bash -n cellar.bash && . ./cellar.bash
for words in "cellar hel" "cellar help --v"; do
    COMP_WORDS=($words) COMP_CWORD=$(($(wc -w <<<"$words") - 1))
    _cellar
    echo "${COMPREPLY[@]}"
done
