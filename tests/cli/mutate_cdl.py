# SPDX-License-Identifier: BSD-3-Clause
"""mutate_cdl.py TOOLS CDL_DIR N: N damaged CDL texts through ncgen, and what it
accepts through ncdump. Each ends with exit code 0 or 1 and one line at most."""
import glob, os, random, subprocess, sys, tempfile

tools, cases, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
texts = [open(f, "rb").read() for f in sorted(glob.glob(cases + "/*.cdl"))]
pieces = [b"{", b"}", b",", b";", b":", b"=", b'"', b"'", b"(", b")", b"*", b"_", b"unlimited", b"data:", b"group:", b"types:",
          b"0x", b"1e400", b"-", b"\\", b"/", b"99999999999999999999", b"NaN", b"compound ", b"enum ", b"opaque(", b"\0", b"\xff", b"//"]
random.seed(7)


def damage(text):
    b = bytearray(text)
    for _ in range(random.randint(1, 6)):
        kind, at = random.random(), random.randrange(len(b) + 1)
        if kind < 0.3:
            b[at:at] = random.choice(pieces)
        elif kind < 0.6:
            del b[at:at + random.randint(1, 12)]
        elif kind < 0.8:
            other = random.choice(texts)
            b[at:at] = other[random.randrange(len(other)):][:60]
        elif b:
            b[at % len(b)] = random.randrange(256)
    return bytes(b)


def run(i, text, *command):
    r = subprocess.run(command, capture_output=True, timeout=60)
    if r.returncode not in (0, 1) or b"Sanitizer" in r.stderr or b"runtime error" in r.stderr:
        sys.exit("text %d, exit code %d\n%s\n%s" % (i, r.returncode, r.stderr.decode("latin1")[:2000], text.decode("latin1")))
    return r.returncode


os.chdir(tempfile.mkdtemp())
for i in range(n):
    text = damage(random.choice(texts))
    open("in.cdl", "wb").write(text)
    if run(i, text, tools + "/ncgen", "-4", "-o", "out.nc", "in.cdl") == 0:
        if run(i, text, tools + "/ncdump", "out.nc"):
            sys.exit("text %d: ncdump cannot print what ncgen made\n%s" % (i, text.decode("latin1")))
    left = [f for f in os.listdir(".") if "cellar" in f]
    if left:
        sys.exit("text %d left %s" % (i, left))
