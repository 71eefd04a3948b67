#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: run.sh BUILD MINUTES [TARGET...]
# Fuzz each target so many minutes, JOBS (default 1) of them at a time, from the corpus and the seeds of the build, and
# print a table. What is found new is kept in BUILD/tests/fuzz/found/TARGET, what fails in .../reports/TARGET; one
# report makes this fail.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1/tests/fuzz" && pwd)
seconds=$(awk "BEGIN { print int($2 * 60) }")
shift 2
[ $# -gt 0 ] || set -- $(cd "$build" && ls -d fuzz_* | grep -v '\.' | sed 's/^fuzz_//')

TMPDIR=$(mktemp -d "$( [ -w /dev/shm ] && echo /dev/shm || echo /tmp )/cellar-fuzz-XXXXXX")
trap 'rm -rf "$TMPDIR"' EXIT
trap 'kill $workers; exit 1' INT TERM
# Others' plugins are not looked for; what libhdf5 leaks is its own. A size that a file claims may be asked of
# malloc, which may refuse; memory in use is what is limited.
export TMPDIR HDF5_PLUGIN_PATH=/nonexistent CELLAR_NUM_THREADS=1
export ASAN_OPTIONS=allocator_may_return_null=1 LSAN_OPTIONS=suppressions=$here/lsan.supp:print_suppressions=0 UBSAN_OPTIONS=print_stacktrace=1

number() { # KEY FILE: the sum over all runs
    awk -v key="stat::$1:" '$1 == key { n += $2 } END { print n + 0 }' "$2"
}

# A run ends at its first report; the next one has the time that is left.
fuzz() {
    target=$1 log=$build/$1.log end=$(($(date +%s) + seconds)) left=$seconds runs=0
    mkdir -p "$build/found/$target" "$build/reports/$target" "$build/seeds.d/$target" "$here/corpus/$target"
    : > "$log"
    while [ "$left" -gt 0 ] && [ "$runs" -lt 20 ]; do
        "$build/fuzz_$target" -max_total_time="$left" -timeout=25 -rss_limit_mb=2048 -malloc_limit_mb=4194304 -max_len=16384 \
            -print_final_stats=1 \
            -artifact_prefix="$build/reports/$target/" "$build/found/$target" "$here/corpus/$target" \
            "$build/seeds.d/$target" >> "$log" 2>&1 && break
        runs=$((runs + 1))
        left=$((end - $(date +%s)))
    done
    edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | sort -n | tail -1)
    printf '%-10s %12s %8s %8s\n' "$target" "$(number number_of_executed_units "$log")" "${edges:-0}" "$runs"
    return "$runs"
}

# The JOBS workers take the targets in turn.
worker() {
    first=$1 n=0 reported=0
    shift
    for target; do
        [ $((n % jobs)) -ne "$first" ] || fuzz "$target" || reported=1
        n=$((n + 1))
    done
    return "$reported"
}

jobs=${JOBS:-1} workers= failed=0
printf '%-10s %12s %8s %8s\n' target executions edges reports
for i in $(seq 0 $((jobs - 1))); do
    worker "$i" "$@" &
    workers="$workers $!"
done
for pid in $workers; do
    wait "$pid" || failed=1
done
exit "$failed"
