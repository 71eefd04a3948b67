# SPDX-License-Identifier: BSD-3-Clause
"""Random arrays both ways with one peer: matrix.py TOOL PEER CASES [PEER'S OWN ARGUMENT].

Each case is made from its number, so a run is the same every time; `matrix.py TOOL PEER 300 [ARGUMENT] --only we:17`
runs one. A case that the peer itself refuses is a skip, with the peer's own words; more than 5 % of them fail the run.
With NCCOPY=nccopy each store is also copied to a netCDF-4 file and back, and read again in both places."""
import collections, importlib, os, sys
only = sys.argv.pop(sys.argv.index("--only") + 1) if "--only" in sys.argv else None
if only:
    sys.argv.remove("--only")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from peer import *
from matrix_cases import Case


class Mismatch(Exception):
    pass


class Server:
    """zarr_peer, or a peer's own program: a command a line."""

    def __init__(self, args):
        self.args = args
        self.start()

    def start(self):
        self.p = subprocess.Popen(self.args, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *words):
        self.p.stdin.write("\t".join(words) + "\n")
        self.p.stdin.flush()

    def lines_until_code(self, *words):
        self.ask(*words)
        lines = []
        for line in self.p.stdout:
            if line.startswith("= "):
                return int(line[2:]), lines
            lines.append(line.rstrip("\n"))
        raise Mismatch("zarr_peer ended")

    def answer(self, *words):
        """"ok ..." or "error ..."; a peer that ends is started again."""
        self.ask(*words)
        line = self.p.stdout.readline()
        if not line:
            self.p.wait()
            self.start()
            raise RuntimeError("the peer's program ended without an answer")
        if not line.startswith("ok"):
            raise RuntimeError(line.strip()[:300])
        return line[3:].strip()


ours = Server([tool, "serve"])
CODES = {v: k for k, v in NC.items()}


def our_run(*words):
    code, lines = ours.lines_until_code(*words)
    if code:
        raise Mismatch(" ".join(lines) or f"exit code {code}")
    return lines


def our_get(url, case):
    out = os.path.join(work, "out.bin")
    head = our_run("get", url, case.node, out)[0].split()
    raw = open(out, "rb").read()
    code = CODES.get(head[0], case.code)
    return np.frombuffer(raw, "<" + code).reshape(tuple(map(int, head[1:])))


def our_text(url, case):
    lines = [line for line in our_run("att", url, case.node) if line.startswith("text ")]
    return lines[0].split(" ", 2)[2] if lines else ""


def check_copies(peer, path, case, want):
    nccopy = os.environ.get("NCCOPY")
    if not nccopy:
        return
    file, back = fresh("copy.nc"), fresh("back.zarr")
    back_url = f"file://{back}#mode=zarr" + (",v3" if case.version == 3 else "")
    for source, target in ((path, file), (file, back_url)):
        r = subprocess.run([nccopy, source, target], capture_output=True, text=True)
        if r.returncode:
            raise Mismatch(f"nccopy: exit code {r.returncode}: {r.stderr.strip()}")
    same = expect_near if case.lossy else expect
    same("the copy in a netCDF-4 file", our_get(file, case), want)
    same("its copy back", our_get(back, case), want)
    if want.dtype.kind == "c":  # no other case has us write them
        case.zip = case.consolidated = False
        expect("the peer's reading of its copy back", peer.read(back, case)[0], want)


def store_of(case):
    return fresh("store.zip" if case.zip else "store.zarr")


def our_url(path, case):
    mode = ["zarr"] + (["v3"] if case.version == 3 else []) + (["consolidated"] if case.consolidated else []) + (["zip"] if case.zip else [])
    return f"file://{path}#mode=" + ",".join(mode)


def equal(a, b):
    """Bit by bit, except that one NaN is as good as another."""
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    if a.shape != b.shape:
        return False
    if a.dtype.kind in "fc":
        return bool(np.all((a == b) | (np.isnan(a) & np.isnan(b))))
    return np.array_equal(a, b)


def expect(what, got, want):
    got = np.asarray(got)
    if want.dtype.kind == "b":
        got, want = got.astype("u1"), want.astype("u1")
    if want.dtype.kind == "f" and want.dtype.itemsize == 2:
        got, want = got.astype("f4"), want.astype("f4")
    if got.dtype.newbyteorder("<") != want.dtype.newbyteorder("<") and not (want.dtype.kind in "iu" and got.dtype.itemsize == want.dtype.itemsize):
        raise Mismatch(f"{what}: type {got.dtype} instead of {want.dtype}")
    if not equal(got.astype(want.dtype), want):
        raise Mismatch(f"{what}: {got.ravel()[:8]} (shape {got.shape}) instead of {want.ravel()[:8]} (shape {want.shape})")


def expect_near(what, got, want):
    """A lossy codec that writes other bytes in the other format has rounded once more."""
    wide = lambda a: np.asarray(a).astype("f8")
    if got.shape != want.shape or (want.size and np.abs(wide(got) - wide(want)).max() > 0.02 * max(1, np.abs(wide(want)).max())):
        raise Mismatch(f"{what}: {got.ravel()[:8]} (shape {got.shape}) instead of {want.ravel()[:8]} (shape {want.shape})")


def whole(case):
    """What a reader must see where nothing, or all, was written."""
    return np.full(case.shape, case.fill, case.data.dtype) if case.empty else case.data


def we_write(peer, case):
    path = store_of(case)
    raw = os.path.join(work, "in.bin")
    case.data.tofile(raw)
    nctype = NC.get(case.code, "ubyte")
    join = lambda t: ",".join(map(str, t or ()))
    fill = "" if np.dtype(case.code).kind == "b" else repr(case.fill)
    our_run("put", our_url(path, case), case.node, nctype, join(case.shape), join(case.chunks), case.chain(),
            "" if case.empty else raw, "big" if case.big else "", fill, join(case.shards), case.text)
    read_back = our_get(path, case)
    want = whole(case)
    if not case.lossy:
        expect("our own reading", read_back, want)
    check_copies(peer, path, case, read_back)
    try:
        got, text = peer.read(path, case)
    except Mismatch:
        raise
    except Exception as e:
        raise Skip(e)
    expect("the peer's reading", got, read_back if case.lossy else want)
    if text is not None and text != case.text:
        raise Mismatch(f"the attribute is {text!r} for the peer, not {case.text!r}")


def they_write(peer, case):
    path = store_of(case)
    try:
        want = peer.write(path, case)
    except Exception as e:
        raise Skip(e)
    expect("our reading", our_get(path, case), want)
    if case.consolidated:
        expect("our reading of the consolidated metadata", our_get(f"file://{path}#mode=zarr,consolidated" + (",zip" if case.zip else ""), case), want)
    if peer.writes_text and case.text:
        text = our_text(path, case)
        if text != case.text:
            raise Mismatch(f"the attribute is {text!r} for us, not {case.text!r}")
    check_copies(peer, path, case, want)


class Skip(Exception):
    pass


def main():
    peer = importlib.import_module("matrix_peers").make(sys.argv[2], sys.argv[4:], Server)
    total, skips, ran = int(sys.argv[3]), collections.Counter(), 0
    for act, mine in ((we_write, True), (they_write, False)):
        for number in range(total) if mine or peer.can_write else ():
            if only and only != f"{'we' if mine else 'they'}:{number}":
                continue
            case = Case(number, peer.can, mine)
            ran += 1
            try:
                act(peer, case)
            except Skip as s:
                skips[f"{type(s.args[0]).__name__}: {str(s.args[0])[:200]}"] += 1
                if only or os.environ.get("MATRIX_VERBOSE"):
                    print(f"skipped {case}: {s.args[0]}"[:400])
            except Mismatch as e:
                failures.append(str(case))
                print(f"MISMATCH {case}: {e}"[:700])
    skipped = sum(skips.values())
    print(f"{peer.name}: {ran - skipped - len(failures)} equal, {len(failures)} mismatches, {skipped} skipped of {ran}")
    for text, n in skips.most_common():
        print(f"  skipped {n}: {text}")
    shutil.rmtree(work, ignore_errors=True)
    if skipped * 20 > ran:
        print("more than 5 % were skipped")
    sys.exit(1 if failures or skipped * 20 > ran else 0)


main()
