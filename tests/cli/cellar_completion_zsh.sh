# SPDX-License-Identifier: BSD-3-Clause
# Tab pressed in a real zsh.
cellar --completion=zsh >_cellar
touch sample.nc
timeout 60 zsh -f "$CLI/complete.zsh" "cellar hel" "cellar --ver" "cellar help --ver" "cellar help sam"
