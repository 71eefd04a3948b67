# SPDX-License-Identifier: BSD-3-Clause
"""version.py PROJECT [PROGRAM...]: every place that names Cellar's version names the one of include/cellar.h; the
programs say it, too. The day of the release is the same wherever it stands."""
import email.utils
import glob
import os
import re
import subprocess
import sys

root = sys.argv[1]
# Where the version must stand, and what stands around it.
PLACES = [
    ("include/cellar.h", r'^#define CELLAR_VERSION "(.*)"$'),
    ("python/pyproject.toml", r'^version = "(.*)"$'),
    ("debian/changelog", r"^cellar \((.*)-\d+\)"),
    ("CITATION.cff", r"^version: (.*)$"),
    ("CHANGELOG.md", r"^## (\S+)"),
    ("README.md", r"^Cellar (\d[\d.]*\d),"),
    ("docs/command.md", r"^cellar +(\d[\d.]*\d),"),
]
# Where it stands only in examples, in whatever number.
PAGES = ["README.md", "docs/**/*.md", "docs/man/*.1", "include/*.h", "src/**/*.[ch]", "tools/**/*.[ch]", "python/README.md"]
MENTION = re.compile(r"\b(?:lib)?cellar[ =/]+(\d+\.\d+\.\d+)\b", re.I)


def read(path):
    return open(os.path.join(root, path), encoding="utf-8").read()


def other_dates():
    """The day of the release: the same in the three places that have one."""
    days = {"CHANGELOG.md": re.search(r"^## \S+ \((.*)\)$", read("CHANGELOG.md"), flags=re.M)[1],
            "CITATION.cff": re.search(r"^date-released: (.*)$", read("CITATION.cff"), flags=re.M)[1],
            "debian/changelog": email.utils.parsedate_to_datetime(re.search(r"^ -- .*>  (.*)$", read("debian/changelog"), flags=re.M)[1]).date().isoformat()}
    return ["%s says the day %s" % place for place in sorted(days.items())] if len(set(days.values())) > 1 else []


def main():
    numbers = dict(re.findall(r"^#define CELLAR_VERSION_(\w+) (\d+)$", read("include/cellar.h"), flags=re.M))
    version = ".".join(numbers[part] for part in ("MAJOR", "MINOR", "PATCH"))
    wrong = []
    for path, shape in PLACES:
        found = re.search(shape, read(path), flags=re.M)
        if not found or found[1] != version:
            wrong.append("%s says version %s" % (path, found[1] if found else "nowhere"))
    wrong.extend(other_dates())
    for pattern in PAGES:
        for path in glob.glob(pattern, root_dir=root, recursive=True):
            wrong.extend("%s mentions version %s" % (path, said) for said in MENTION.findall(read(path)) if said != version)
    for program in sys.argv[2:]:
        said = subprocess.run([program, "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
        if version not in said:
            wrong.append("%s --version says %s" % (program, said.strip()))
    print("\n".join(wrong + ["include/cellar.h says version %s" % version]))
    return 1 if wrong else 0


sys.exit(main())
