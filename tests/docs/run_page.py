# SPDX-License-Identifier: BSD-3-Clause
"""run_page.py PAGE PREFIX [FIRST]: what a page of the manual shows is done, in the order of the page, in the current folder.

    ```c, ```fortran, ```python   whose first line is a comment with a name and nothing else: kept as the file of that name
    ```sh                         run by sh -eu, with the programs of PREFIX first in PATH
    ```text behind it             what that printed: a line `...` is any lines, `...` within one any text
    <!-- fails -->                before a block: its last command must fail
    <!-- field -->                makes t2m.nc, a field of 24 x 90 x 180 floats
    <!-- run: COMMAND -->         done as a block of sh, and not shown

With FIRST, a command that makes the files which the page takes for granted, its commands are the indented lines that
begin with one of the programs.
"""
import os
import re
import subprocess
import sys

page, prefix, first_of_all = sys.argv[1], sys.argv[2], sys.argv[3:]
env = dict(os.environ, PATH=prefix + "/bin:/usr/bin:/bin", PKG_CONFIG_PATH=prefix + "/lib/pkgconfig", LC_ALL="C", PREFIX=prefix)
NAME = re.compile(r"(?:/\*|!|#) (\w+\.(?:c|f90|py))(?: \*/)?$")
PART = re.compile(r"^<!-- (fails|field|run: .*) -->$|^```(\w+)\n(.*?)^```$", re.M | re.S)
COMMAND = re.compile(r"^    ((?:CELLAR_\w+=\S+ |cellar |nccopy |ncdump |ncgen ).*)$", re.M)
FIELD = ["/usr/bin/python3", os.path.join(os.path.dirname(os.path.abspath(__file__)), "field.py")]


def matches(shown, said):
    parts = [re.escape(line).replace(re.escape("..."), ".*") for line in shown.rstrip("\n").split("\n")]
    wanted = "\n".join("(?:.*\n)*?.*" if part == ".*" else part for part in parts)
    return re.fullmatch(wanted, said.rstrip("\n"))


def parts(text):
    """Of each part of the page: a word, or a language and what is in the block."""
    if not first_of_all:
        return PART.findall(text)
    subprocess.run(FIELD, check=True)
    return [("", "sh", line) for line in first_of_all + COMMAND.findall(text)]


def main():
    ran, fails, said = 0, False, None
    for word, language, text in parts(open(page, encoding="utf-8").read()):
        first = text.split("\n")[0]
        if word == "fails":
            fails = True
        elif word == "field":
            subprocess.run(FIELD, check=True)
        elif language == "sh" or word.startswith("run: "):
            text = text or word[len("run: "):]
            done = subprocess.run(["sh", "-euc", text], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            said, ran = done.stdout, ran + 1
            if (done.returncode != 0) != fails:
                sys.exit("%s: this ended with %d:\n%s\n%s" % (page, done.returncode, text, said))
            fails = False
        elif language == "text" and said is not None:
            if not matches(text, said):
                sys.exit("%s: the page shows\n%s\nand this was printed\n%s" % (page, text, said))
        elif NAME.match(first):
            open(NAME.match(first)[1], "w").write(text)
            said = None
    if not ran:
        sys.exit("%s: nothing in it was run" % page)
    print("%s: %d blocks ran" % (page, ran))


main()
