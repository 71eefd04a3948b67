# SPDX-License-Identifier: BSD-3-Clause
for t in ncdump ncgen nccopy; do $t --version | sed 's/[0-9][0-9.]*/N/'; done
