# SPDX-License-Identifier: BSD-3-Clause
"""The same calls give the same bytes, whatever lies in fresh memory, on the stack and in the holes of structs.
usage: same_bytes.py PROGRAM CONTAINER"""
import os
import subprocess
import sys
import tempfile

PATTERNS = (0, 85, 170, 255)


def tree(top):
    return {os.path.relpath(os.path.join(folder, name), top): open(os.path.join(folder, name), "rb").read()
            for folder, _, names in os.walk(top) for name in names}


def make(program, container, folder, pattern, threads):
    os.mkdir(folder)
    env = dict(os.environ, MALLOC_PERTURB_=str(pattern), CELLAR_NUM_THREADS=str(threads))
    asan = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:max_malloc_fill_size=1073741824:malloc_fill_byte=%d" % pattern
    env["ASAN_OPTIONS"] = asan.lstrip(":")  # ASan has its own malloc, and the program frees nothing
    subprocess.run([program, container, folder, str(pattern)], check=True, env=env)
    return tree(folder)


def difference(one, other):
    if sorted(one) != sorted(other):
        return "other files: %s" % ", ".join(sorted(set(one) ^ set(other)))
    for name in sorted(one):
        a, b = one[name], other[name]
        if a != b:
            at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            return "%s: %d and %d bytes, the first difference at %d: %s, %s" % (
                name, len(a), len(b), at, a[at:at + 16].hex(), b[at:at + 16].hex())
    return None


def main(program, container):
    with tempfile.TemporaryDirectory() as top:
        made = [make(program, container, os.path.join(top, str(i)), p, 1 + i) for i, p in enumerate(PATTERNS)]
    if not made[0]:
        print("%s: no file was made" % container)
        return 1
    for pattern, files in zip(PATTERNS[1:], made[1:]):
        what = difference(made[0], files)
        if what:
            print("%s: pattern %d instead of %d: %s" % (container, pattern, PATTERNS[0], what))
            return 1
    print("%s: %d files, %d bytes, the same under %d patterns" % (
        container, len(made[0]), sum(map(len, made[0].values())), len(PATTERNS)))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
