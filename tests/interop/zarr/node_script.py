# SPDX-License-Identifier: BSD-3-Clause
"""A script for node in a folder of its own beside the packages that it imports: node looks for them by the script's folder,
and the folder with the packages may be another user's."""
import os
import shutil
import tempfile

folders = []  # removed when the program ends


def place(name, packages):
    """The script's path; packages is the folder of node_modules."""
    folder = tempfile.TemporaryDirectory()
    folders.append(folder)
    os.symlink(os.path.join(os.path.abspath(packages), "node_modules"), os.path.join(folder.name, "node_modules"))
    return shutil.copy(os.path.join(os.path.dirname(os.path.abspath(__file__)), name), folder.name)
