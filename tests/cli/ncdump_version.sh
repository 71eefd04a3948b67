for t in ncdump ncgen nccopy; do $t --version | sed 's/[0-9][0-9.]*/N/'; done
