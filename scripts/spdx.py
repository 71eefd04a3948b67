#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The licence's SPDX line, in every file of the tree that is code: source, scripts, what builds them, man pages.

usage: spdx.py ROOT [--check]
Without --check it writes the lines that are missing. With it it names the files and fails. For all else in the tree
(documents, data, what tests expect) REUSE.toml says the same."""
import pathlib
import re
import subprocess
import sys

LINE = "SPDX-License-Identifier: BSD-3-Clause"
FORMS = {
    "/* %s */": ("*.c", "*.h", "*.h.in", "*.def"),
    "// %s": ("*.mjs", "*.rs"),
    "# %s": ("*.sh", "*.py", "*.pyi", "*.cmake", "*.cmake.in", "*.pc.in", "*-config.in", "*.toml", "*.yml", "*.cff", "*.zsh", "*.R",
             "CMakeLists.txt", "Makefile", "configure", "run", "rules", "Doxyfile", ".clang-format", ".editorconfig", ".gitignore"),
    "! %s": ("*.f90",),
    "%% %s": ("*.m",),
    '.\\" %s': ("*.1",),
}
HEAD = 3  # lines in which it must stand: a script's first line names its interpreter


def form_of(path):
    return next((form for form, names in FORMS.items() if any(path.match(name) for name in names)), None)


def with_line(text, line):
    """TEXT with LINE at its top, below the line that names a script's interpreter."""
    interpreter = re.match(r"(#![^\n]*\n)?", text).group()
    return interpreter + line + "\n" + text[len(interpreter):]


def files_of(root):
    """The tree's files, as git lists them; without git (a release's tarball) every one."""
    if not pathlib.Path(root, ".git").exists():
        return [path for path in pathlib.Path(root).rglob("*") if not path.relative_to(root).parts[0].startswith("build")]
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], stdout=subprocess.PIPE, check=True).stdout.decode()
    return [pathlib.Path(root, name) for name in listed.split("\0") if name]


def main(root, check):
    missing = 0
    for path in files_of(root):
        form = form_of(path)
        if form is None or path.is_symlink() or not path.is_file():
            continue
        text = path.read_text(encoding="utf-8", errors="surrogateescape")
        if any(LINE in line for line in text.split("\n")[:HEAD]):
            continue
        missing += 1
        if check:
            print(f"{path}: no line '{LINE}' at its top: scripts/spdx.py writes it")
        else:
            path.write_text(with_line(text, form % LINE), encoding="utf-8", errors="surrogateescape")
    return 1 if check and missing else 0


sys.exit(main(sys.argv[1], sys.argv[2:] == ["--check"]))
