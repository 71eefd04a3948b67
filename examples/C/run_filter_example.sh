#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs the filter example and looks at its file with whatever tools are there.
#
#   run_filter_example.sh [filter_example [file]]
set -eu
program=${1:-./filter_example}
file=${2:-bzip2.nc}

"$program" "$file"
if command -v h5dump >/dev/null 2>&1; then
    h5dump -p -H -d /var "$file" | sed -n '/FILTERS/,/}/p'
fi
