# SPDX-License-Identifier: BSD-3-Clause
"""dist_info.py PYPROJECT FOLDER: what importlib.metadata finds of the package, as a wheel would install it."""
import os
import sys
import tomllib

with open(sys.argv[1], "rb") as f:
    project = tomllib.load(f)["project"]
folder = os.path.join(sys.argv[2], "%(name)s-%(version)s.dist-info" % project)
os.makedirs(folder, exist_ok=True)
with open(os.path.join(folder, "METADATA"), "w") as f:
    f.write("Metadata-Version: 2.1\nName: %(name)s\nVersion: %(version)s\nSummary: %(description)s\n" % project)
    f.writelines("Requires-Dist: %s\n" % need for need in project["dependencies"])
with open(os.path.join(folder, "entry_points.txt"), "w") as f:
    for group, points in project["entry-points"].items():
        f.write("[%s]\n" % group)
        f.writelines("%s = %s\n" % point for point in points.items())
