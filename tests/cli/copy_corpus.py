#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""copy_corpus.py FOLDER TOOLS [PART]: every HDF5, classic netCDF and Zarr file below FOLDER (scripts/corpus.sh) through nccopy, to
netCDF-4 and back to its own format, and both copies held against the file by `cellar diff`.

A copy may lack only what nccopy's warnings name, and fail only where netCDF-C's ncdump and nccopy fail too. Only files with PART in
their names, if it is given."""
import concurrent.futures
import os
import re
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "corpus"))
from find_files import find  # noqa: E402

SECONDS = 600
PEER_SECONDS = 60  # netCDF-C walks around in cycles of links until its memory ends
MOST = 1 << 30     # of a copy: some files claim terabytes
# The values of these are rounded anew by their filter (scaleoffset with decimal digits, whose fill value no copy has).
ROUNDED = {"hdf5/test/be_data.h5", "hdf5/test/le_data.h5"}


def run(command, seconds=SECONDS):
    """(exit code, stdout, stderr); None: no end; a file grew beyond MOST: 153, as of a shell."""
    env = {k: v for k, v in os.environ.items() if k != "HDF5_PLUGIN_PATH"}
    try:
        done = subprocess.run(command, capture_output=True, timeout=seconds, env=env, stdin=subprocess.DEVNULL,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (MOST, MOST)))
    except subprocess.TimeoutExpired:
        return None, "", "no end"
    code = 153 if b"File too large" in done.stderr else done.returncode
    return code, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def unnamed(differences, warnings):
    """Lines of `cellar diff` about things that no warning names: itself, or a group that holds it."""
    named = {m.strip("/:") for m in re.findall(r"^nccopy: warning: (?:type |variable )?(.+?) is (?:not copied|copied )", warnings, re.M)}
    lines = []
    for line in differences.splitlines():
        what = re.match(r"(?:variable |group |type )?(.+?) is only in |.+: type (.+) and ", line)
        path = (what.group(1) or what.group(2)).strip("/:") if what else ""
        if line.startswith("dimension ") and named:  # nobody's: the variable that had it is left out
            continue
        if not what or not any(path == n or path.startswith(n + "/") or path.startswith(n + ":") for n in named):
            lines.append(line)
    return lines


def peer_opens(address, scratch):
    return run(["/usr/bin/ncdump", "-h", address], PEER_SECONDS)[0] == 0 and \
        run(["/usr/bin/nccopy", "-k", "nc4", address, scratch + "/peer.nc"], PEER_SECONDS)[0] == 0


def copies(tools, address, kind, scratch):
    """(source, target, options) of both ways."""
    there, back = scratch + "/there.nc", scratch + "/back.nc"
    options = ["-k", "nc4"]
    if kind == "zarr":
        back, options = f"file://{scratch}/back#mode=nczarr,file", []
    elif kind == "classic":
        options = ["-k", run([tools + "/ncdump", "-k", address])[1].strip()]
    return (address, there, ["-k", "nc4"]), (there, back, options)


def check(tools, root, name, kind):
    """What is wrong, or None; and a word for the count."""
    path = os.path.join(os.path.abspath(root), name)
    address = f"file://{path}#mode=nczarr,{'file' if os.path.isdir(path) else 'zip'}" if kind == "zarr" else path
    warnings = ""
    with tempfile.TemporaryDirectory() as scratch:
        for source, target, options in copies(tools, address, kind, scratch):
            code, _, said = run([f"{tools}/nccopy", *options, source, target])
            if code == 153:
                return None, "larger than 1 GiB"
            if code:
                opens = source == address and not peer_opens(address, scratch)
                return (None, "opened by neither") if opens and said.strip() else (f"nccopy ends with {code}: {said}", "")
            warnings += said
            code, differences, said = run([f"{tools}/cellar", "diff", "--first", "1", address, target])
            lines = unnamed(differences, warnings) if code == 1 else []
            if code not in (0, 1) or (lines and name not in ROUNDED):
                return "\n    ".join([f"cellar diff ends with {code}", *lines[:8], said]), ""
    return None, "with parts left out by name" if warnings else "equal"


def main():
    root, tools = sys.argv[1:3]
    part = sys.argv[3] if len(sys.argv) > 3 else ""
    files = [f for f in find(root) if part in f[0]]
    count, faults = {}, 0
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count()))) as pool:
        for (name, _), (wrong, word) in zip(files, pool.map(lambda f: check(tools, root, *f), files)):
            faults += bool(wrong)
            count[word] = count.get(word, 0) + (not wrong)
            if wrong:
                print(f"{name}: {wrong}", flush=True)
    print(f"{len(files)} files copied there and back: " + ", ".join(f"{n} {word}" for word, n in sorted(count.items()) if word) +
          f"; {faults} wrong")
    sys.exit(1 if faults or not files else 0)


main()
