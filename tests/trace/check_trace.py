# SPDX-License-Identifier: BSD-3-Clause
"""Timelines (CELLAR_TRACE) of real runs: check_trace.py PROGRAM TOOLS. They are JSON whatever happens to the process, spans of a
thread nest, and every chunk has the steps that it must have. Nothing is said of times but their order."""
import collections
import http.server
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time

PROGRAM, TOOLS = sys.argv[1], sys.argv[2]
CHUNKS = {"%d.%d" % (x, y) for x in range(8) for y in range(2)}
LAG = 0.5  # seconds that the file may lag behind
failures = 0


def check(what, text):
    global failures
    if not what:
        failures += 1
        print("FAILED:", text)


def load(path):
    check(stat.S_IMODE(os.stat(path).st_mode) == 0o600, "%s is readable by others" % path)
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def trace(what, name="t.json", code=0, **env):
    if os.path.exists("t.json"):
        os.unlink("t.json")
    done = subprocess.run([PROGRAM, what], env={**os.environ, "CELLAR_TRACE": name, "CELLAR_NUM_THREADS": "2", **env},
                          capture_output=True, text=True)
    check(done.returncode == code, "%s: exit code %d: %s" % (what, done.returncode, done.stderr))
    return done


def threads(events):
    by = collections.defaultdict(list)
    for e in events:
        if e["ph"] == "X":
            by[e["pid"], e["tid"]].append(e)
    return by


def nanoseconds(us):
    return round(us * 1000)


def parents(spans):
    """Each span with the one it lies in; None: in none."""
    open_spans, found = [], []
    for span in sorted(spans, key=lambda s: (nanoseconds(s["ts"]), -nanoseconds(s["dur"]))):
        start, end = nanoseconds(span["ts"]), nanoseconds(span["ts"]) + nanoseconds(span["dur"])
        while open_spans and open_spans[-1][1] <= start:
            open_spans.pop()
        check(not open_spans or end <= open_spans[-1][1], "%s overlaps %s" % (span, open_spans and open_spans[-1][0]))
        found.append((span, open_spans[-1][0] if open_spans else None))
        open_spans.append((span, end))
    return found


def chunk_steps(events):
    """What was done within the span of each chunk: [(chunk, {categories})]."""
    steps = []
    for spans in threads(events).values():
        inside = collections.defaultdict(set)
        every = parents(spans)
        for span, parent in every:
            if parent:
                inside[id(parent)].add(span["cat"])
        steps += [(s["args"].get("chunk"), inside[id(s)]) for s, _ in every if s["name"] == "chunk"]
    return steps


def names_threads(events):
    named = {(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name"}
    check({(e["pid"], e["tid"]) for e in events if "tid" in e and e["ph"] != "i"} <= named, "a thread without a name")


def formats():
    trace("formats")
    events = load("t.json")
    names_threads(events)
    steps = chunk_steps(events)
    for file in ("a.nc", "b.nc", "c.zarr", "d.zip", "e.b2nd"):
        for what in ("get", "put", "open", "create", "close"):
            check(any(e["name"] == what and file in e["args"]["file"] for e in events if e["ph"] == "X"), "%s of %s" % (what, file))
    read = collections.Counter(c for c, cats in steps if "read" in cats)
    check(set(read) == CHUNKS, "chunks that were read: %s" % read)
    check(all("decode" in cats or "read" not in cats for _, cats in steps), "a chunk is read and not decoded")
    check(all(n == 4 for n in read.values()), "each chunk is read once in each of four formats: %s" % read)
    encoded = collections.Counter(c for c, cats in steps if "encode" in cats)
    check(set(encoded) == CHUNKS and all(n == 4 for n in encoded.values()), "chunks that were encoded: %s" % encoded)
    names = {e["name"] for e in events}
    check({"deflate", "shuffle", "unshuffle, scatter", "place", "write", "find"} <= names, "steps: %s" % names)
    last = [e for e in events if e["name"] == "bytes in flight"][-1]
    check(last["args"]["bytes"] == 0, "bytes in flight at the end: %s" % last)


def several_threads():
    trace("threads", CELLAR_NUM_THREADS="3")
    events = load("t.json")
    names_threads(events)
    by = threads(events)
    for spans in by.values():
        parents(spans)
    roles = collections.Counter(e["args"]["name"] for e in events if e["name"] == "thread_name")
    check(roles["caller"] == 4 and roles["worker"] >= 1, "threads: %s" % roles)
    read = [c for c, cats in chunk_steps(events) if {"read", "decode"} <= cats]
    check(len(read) == 4 * 8 * len(CHUNKS), "%d chunks were read" % len(read))


def processes():
    trace("fork")
    mine, child = load("t.json"), [f for f in os.listdir(".") if f.startswith("t.json.")]
    check(len(child) == 1, "files of children: %s" % child)
    other = load(child[0])
    pids = {e["pid"] for e in mine}, {e["pid"] for e in other}
    check(all(len(p) == 1 for p in pids) and pids[0] != pids[1], "processes: %s %s" % pids)
    check(len([e for e in mine if e["name"] == "get"]) == 1 and len([e for e in other if e["name"] == "get"]) == 1, "one get each")
    trace("fork", name="p%p.json")
    check({"p%d.json" % next(iter({e["pid"] for e in load(f)})) for f in os.listdir(".") if f.startswith("p")} ==
          {f for f in os.listdir(".") if f.startswith("p")}, "%p is the number of the process")


def killed():
    with subprocess.Popen([PROGRAM, "kill"], stdout=subprocess.PIPE, text=True,
                          env={**os.environ, "CELLAR_TRACE": "k.json", "CELLAR_NUM_THREADS": "2"}) as process:
        process.stdout.readline()
        time.sleep(2 * LAG)
        process.send_signal(signal.SIGKILL)
    events = load("k.json")
    check(any(e["name"] == "close" for e in events), "a dataset was closed before the process was killed")
    check(len(chunk_steps(events)) >= len(CHUNKS), "chunks before it was killed")


def other_files():
    done = trace("close", name="c.json")
    check("the program closed it" in done.stderr, "the file was closed: %s" % done.stderr)
    load("c.json")
    with open("data.nc", "w") as f:
        f.write("not a timeline")
    done = trace("names", name="data.nc")
    check("is left as it is" in done.stderr and open("data.nc").read() == "not a timeline", "a file of others: %s" % done.stderr)
    os.symlink("data.nc", "link.json")
    trace("names", name="link.json")
    check(open("data.nc").read() == "not a timeline", "a link is followed")
    done = trace("names", name="/nowhere/t.json")
    check("/nowhere/t.json: No such file or directory" in done.stderr, "no folder: %s" % done.stderr)
    os.chmod("c.json", 0o644)
    trace("names", name="c.json")
    load("c.json")


def names():
    trace("names")
    text = [e["args"].get("file", "") for e in load("t.json") if e["name"] == "close"]
    check(text[::2] == ['quote".nc', "line\n\t\x01\x7f.nc", "no\ufffd\ufffdutf8.nc"], "names of files: %s" % text)
    check({e["args"]["variable"] for e in load("t.json") if e["name"] == "get"} == {'say "hi" \\ \xe9'}, "name of a variable")


def command():
    """The command looks for libnetcdf where it is installed."""
    for folder in "bin", "lib/cellar/netcdf/bin", "lib/cellar/netcdf/lib":
        os.makedirs(os.path.join("prefix", folder))
    tool = shutil.copy(os.path.join(TOOLS, "cellar"), "prefix/bin/cellar")
    done = subprocess.run([tool, "run", "--trace", "r.json", "--", PROGRAM, "names"], capture_output=True, text=True)
    if "built without libnetcdf" in done.stderr:
        print("NOT RUN: cellar run --trace:", done.stderr)
        return
    check(done.returncode == 0, "cellar run: %s" % done.stderr)
    check(any(e["name"] == "get" for e in load("r.json")), "cellar run --trace")


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


def network():
    """A store on a server: each request is a span, and no secret of its address is told."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = "http://127.0.0.1:%d/c.zarr?sig=SIGNATURE#mode=zarr" % server.server_address[1]
        done = subprocess.run([PROGRAM, "read", url], env={**os.environ, "CELLAR_TRACE": "n.json"}, capture_output=True, text=True)
        server.shutdown()
    if "without libcurl" in done.stderr:
        print("NOT RUN: requests:", done.stderr)
        return
    check(done.returncode == 0, "reading from a server: %s" % done.stderr)
    events = load("n.json")
    with open("n.json") as f:
        check("SIGNATURE" not in f.read(), "a secret is in the timeline")
    begun, ended = ([e["id"] for e in events if e["ph"] == ph] for ph in "be")
    check(len(begun) > len(CHUNKS) and sorted(begun) == sorted(ended), "requests: %d begun, %d ended" % (len(begun), len(ended)))
    check(any(e["args"]["name"] == "network" for e in events if e["name"] == "thread_name"), "the network's thread")
    check(any(e["name"] == "wait: request" for e in events), "somebody waits for requests")


def full_disk():
    """A limit to the size of files stands for a full disk."""
    done = subprocess.run(["sh", "-c", 'trap "" XFSZ; ulimit -f 64; exec "$0" threads', PROGRAM],
                          env={**os.environ, "CELLAR_TRACE": "f.json", "CELLAR_NUM_THREADS": "2"}, capture_output=True, text=True)
    if done.returncode == 0:
        load("f.json")
    check("no timeline is kept" in done.stderr or done.returncode == 0, "a full disk: %s" % done.stderr)
    load("f.json")


for test in (formats, several_threads, processes, killed, other_files, names, full_disk, command, network):
    test()
print("%d failures" % failures)
sys.exit(failures != 0)
