# SPDX-License-Identifier: BSD-3-Clause
"""corpus.py FOLDER NCDUMP EXPECTED [PART]: every HDF5, classic netCDF and Zarr file below FOLDER is dumped with our
ncdump and compared with its peers: the text with netCDF-C's ncdump, and for HDF5 all objects, attributes and values with
what h5py finds. Only files with PART in their names, if it is given.

What differs must stand in EXPECTED: file, kind of difference, number of lines that differ, reason. A difference that is
not there, has another number of lines, or is there and gone, fails; so does every crash and every file that takes longer
than a machine under any load would need. A number "*" is any, none too: for peers that print what happens to lie in memory. Nothing may be missing without a word, so a line "... cannot be read: reason" of
ours is not counted as a difference.

A dump stops after MOST bytes (some test files claim terabytes): then what both printed up to there is compared."""
import concurrent.futures
import difflib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(0, os.path.dirname(__file__))
from compare_tree import differences  # noqa: E402
from find_files import find  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
PEER = "/usr/bin/ncdump"
PYTHON = "/usr/bin/python3"
MOST = 16 << 20
SECONDS = 600       # a hang; the slowest file needs under ten
PEER_SECONDS = 60   # netCDF-C walks around in cycles of links until its memory ends
PEER_MEMORY = 512 << 20


class Run:
    """One program's end: code is its exit status, negative for a signal, None for "still running"."""

    def __init__(self, command, seconds, memory=None):
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            def limits():
                resource.setrlimit(resource.RLIMIT_FSIZE, (MOST, MOST))
                signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
                if memory:
                    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
            try:
                self.code = subprocess.run(command, stdout=out, stderr=err, stdin=subprocess.DEVNULL, timeout=seconds,
                                           preexec_fn=limits).returncode
            except subprocess.TimeoutExpired:
                self.code = None
            out.seek(0)
            err.seek(0)
            self.out = out.read().decode("utf-8", "surrogateescape")
            self.err = err.read().decode("utf-8", "replace").strip()
        self.cut = self.code == -signal.SIGXFSZ or len(self.out) >= MOST

    def crashed(self):
        return self.code is not None and not self.cut and (self.code < 0 or self.code > 2)


def address(path, kind):
    if kind != "zarr":
        return path
    return f"file://{path}#mode=nczarr,{'file' if os.path.isdir(path) else 'zip'}"


def run_peer(path, kind):
    """Debian's netCDF-C reads Zarr from folders only: it gets what is in the archive as one."""
    with tempfile.TemporaryDirectory() as folder:
        if kind == "zarr" and not os.path.isdir(path):
            with zipfile.ZipFile(path) as archive:
                archive.extractall(folder)
            inside = os.listdir(folder)
            path = os.path.join(folder, inside[0]) if len(inside) == 1 else folder
        return Run([PEER, "-n", "x", "-p", "9,17", address(path, kind)], PEER_SECONDS, PEER_MEMORY)


def lines_of(run):
    """Without what we say of objects that cannot be read: netCDF-C leaves those out."""
    return [line for line in run.out.split("\n") if " cannot be read: " not in line]


def text_differences(ours, peer):
    """Where netCDF-C stopped with an error, only what it printed until then counts."""
    mine, theirs = lines_of(ours), lines_of(peer)
    if ours.cut or peer.cut:
        shorter = min(len(mine), len(theirs)) - 1  # the last line may be half a line
        mine, theirs = mine[:shorter], theirs[:shorter]
    if peer.code != 0 and not peer.cut:
        theirs = theirs[:-2]
    if mine == theirs:
        return []
    if len(mine) + len(theirs) > 40000:
        return [f"{sum(a != b for a, b in zip(mine, theirs))} lines differ"]
    lines = [line for line in list(difflib.unified_diff(theirs, mine, lineterm="", n=0))[2:] if not line.startswith("@@")]
    return [line for line in lines if line[0] == "-"] if peer.code != 0 else lines


def tree_of(path):
    """What h5py finds; without values where it does not survive them; None where it finds nothing."""
    for words in ([], ["names"]):
        run = Run([PYTHON, os.path.join(HERE, "h5_tree.py"), path, *words], PEER_SECONDS)
        if run.code == 0 and run.out.startswith("{") and not run.cut:
            return json.loads(run.out)
    return None


def tree_differences(ncdump, path):
    """None where h5py cannot walk the file: there is nothing to compare with."""
    tree = tree_of(path)
    if tree is None:
        return None
    many = any(found.get("many") for found in tree.values())
    run = Run([ncdump, "-j", *(["-h"] if many else []), path], SECONDS)
    try:
        return differences(json.loads(run.out), tree, not many)
    except json.JSONDecodeError as why:
        return [f"ncdump -j: {why}: {run.err[:200]}"]


def text_verdict(lines):
    """"more": netCDF-C prints nothing that we do not print too."""
    return ("more" if all(line.startswith("+") for line in lines) else "text"), lines


def verdicts(ncdump, path, kind):
    """(kind of difference, lines) of one file, and which peers were compared with."""
    ours = Run([ncdump, "-n", "x", "-p", "9,17", address(path, kind)], SECONDS)
    if ours.code is None:
        return [("hang", [f"no end within {SECONDS} s"])], []
    if ours.crashed():
        return [("crash", [f"ended with {ours.code}: {ours.err[-400:]}"])], []
    peer = run_peer(path, kind)
    found, peers = [], []
    if peer.out and peer.code is not None and not peer.crashed():
        peers.append("netCDF-C")
        found.append(("refused", [ours.err]) if not ours.out else text_verdict(text_differences(ours, peer)))
    if kind == "hdf5" and ours.out:
        lines = tree_differences(ncdump, path)
        if lines is not None:
            peers.append("h5py")
            found.append(("tree", lines))
    elif kind == "hdf5" and tree_of(path) is not None:
        peers.append("h5py")
        found.append(("refused", [ours.err]))
    return [verdict for verdict in found if verdict[1]], peers


def load_expected(path):
    expected = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                name, kind, count, reason = line.rstrip("\n").split("\t")
                expected[name, kind] = count if count == "*" else int(count), reason
    return expected


def judge(name, found, expected):
    """The lines to print: faults only."""
    for kind, lines in found:
        known = None if kind in ("hang", "crash") else expected.get((name, kind))
        if not known or known[0] not in ("*", len(lines)):
            yield f"{name}\t{kind}\t{len(lines)}\t{'expected ' + str(known[0]) if known else 'not expected'}"
            yield from (f"    {line[:200]}" for line in lines[:int(os.environ.get("LINES_SHOWN", "8"))])
    kinds = {kind for kind, _ in found}
    for wanted in expected:
        if wanted[0] == name and wanted[1] not in kinds and expected[wanted][0] != "*":
            yield f"{name}\t{wanted[1]}\tgone: take it out of the list"


def main():
    root, ncdump, listed = sys.argv[1:4]
    part = sys.argv[4] if len(sys.argv) > 4 else ""
    files = [(name, kind) for name, kind in find(root) if part in name]
    expected = load_expected(listed)
    count = {"netCDF-C": 0, "h5py": 0, "neither": 0, "differ as listed": 0}
    faults = 0

    def one(item):
        return item[0], *verdicts(ncdump, os.path.join(os.path.abspath(root), item[0]), item[1])

    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count()))) as pool:
        for name, found, peers in pool.map(one, files):
            lines = list(judge(name, found, expected))
            faults += bool(lines)
            count["differ as listed"] += bool(found) and not lines
            for peer in peers or ["neither"]:
                count[peer] += 1
            for line in lines:
                print(line, flush=True)
    names = {name for name, _ in files}
    packages = {name.split("/")[0] for name in names}  # those of a package that cannot be had are not missed
    for name, kind in expected:
        if name not in names and not part and name.split("/")[0] in packages:
            print(f"{name}\t{kind}\tis listed, and no such file was found")
            faults += 1
    print(f"{len(files)} files: compared with netCDF-C's ncdump {count['netCDF-C']}, with h5py {count['h5py']}, "
          f"opened by neither {count['neither']}; {count['differ as listed']} differ as listed, {faults} otherwise")
    if not files:
        sys.exit("no files were found")
    sys.exit(1 if faults else 0)


main()
