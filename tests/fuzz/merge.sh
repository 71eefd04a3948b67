#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: merge.sh BUILD [TARGET...]
# The corpus anew: of what it holds, the seeds and what run.sh found, few and small files that reach every edge. Small
# ones are asked first, and those of more than LARGEST bytes not at all. Files with a name of their own, which are
# mended faults, stay as they are.
set -eu
LARGEST=${LARGEST:-12000}
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1/tests/fuzz" && pwd)
shift
[ $# -gt 0 ] || set -- $(cd "$build" && ls -d fuzz_* | grep -v '\.' | sed 's/^fuzz_//')
export HDF5_PLUGIN_PATH=/nonexistent CELLAR_NUM_THREADS=1 ASAN_OPTIONS=allocator_may_return_null=1 LSAN_OPTIONS=suppressions=$here/lsan.supp

for target; do
    kept=$here/corpus/$target
    new=$build/merged/$target
    some=$build/merged/$target.some
    rm -rf "$new" "$some"
    mkdir -p "$new" "$kept" "$build/found/$target" "$build/seeds.d/$target"
    for most in 300 1000 2000 "$LARGEST"; do
        rm -rf "$some"
        mkdir "$some"
        for folder in "$kept" "$build/seeds.d/$target" "$build/found/$target"; do
            find "$folder" -type f -size -"$((most + 1))"c -exec cp -t "$some" {} +
        done
        "$build/fuzz_$target" -set_cover_merge=1 -use_counters=0 -max_len=16384 -malloc_limit_mb=4194304 "$new" "$some" > "$build/$target.merge.log" 2>&1
    done
    find "$kept" -type f | grep -E '/[0-9a-f]{40}$' | xargs -r rm
    find "$new" -type f | while read -r file; do # seeds may have come with names of their own
        cp "$file" "$kept/$(sha1sum < "$file" | cut -c1-40)"
    done
    rm -rf "$some"
    printf '%-10s %5s files %8s bytes\n' "$target" "$(ls "$kept" | wc -l)" "$(cat "$kept"/* | wc -c)"
done
