#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# own_folder.sh COMMAND...: runs a test in an empty folder of its own, which is also its TMPDIR's parent, and removes it:
# names without a folder lie nowhere else, and two tests never meet. The test's verdict is the command's. CEL_TEST_EMULATOR runs
# programs that were built for another processor (scripts/test-cross.sh).
own=$(mktemp -d "${TMPDIR:-/tmp}/cellar-own-XXXXXX") || exit 1
trap 'rm -rf "$own"' EXIT
trap 'exit 143' TERM INT HUP
mkdir "$own/tmp" "$own/work" && chmod 755 "$own" && chmod 1777 "$own/tmp" && cd "$own/work" || exit 1
TMPDIR=$own/tmp ${CEL_TEST_EMULATOR:-} "$@"
rc=$?
cd / || exit 1
exit $rc
