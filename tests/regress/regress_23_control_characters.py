# SPDX-License-Identifier: BSD-3-Clause
"""No tool lets a control character (C0, DEL, C1) or a byte that is not UTF-8 through to a terminal: from names, values, attributes,
file names, filters or errors. What ncdump prints instead reads back as it was."""
import json, os, shutil, struct, subprocess, sys, tempfile

TOOLS = os.environ["CEL_TEST_TOOLS"]
scratch = tempfile.mkdtemp(prefix="regress_23.")
failures = 0

HOSTILE = b"a\x1b]0;owned\x07\x1b[2Jb\x7f\xc2\x9bc\xff\xc3(d\xc2\x85e\xe9"  # ESC, BEL, DEL, CSI as C1, not UTF-8, NEL, latin 1
NAME = HOSTILE[:60]
GOOD = "h\u00e9\u4e2d\U0001f600".encode()


def complain(text):
    global failures
    failures += 1
    print("FAILED:", text)


def name(raw):
    return struct.pack(">i", len(raw)) + raw + b"\0" * (-len(raw) % 4)


def att(raw, value):
    return name(raw) + struct.pack(">ii", 2, len(value)) + value + b"\0" * (-len(value) % 4)


def classic(path, length=60):
    """Hostile bytes in every place that holds text."""
    text = (HOSTILE + GOOD + b"\n\t").ljust(length, b".")

    def build(begin):
        out = b"CDF\1" + struct.pack(">i", 0) + struct.pack(">ii", 10, 1) + name(NAME + GOOD) + struct.pack(">i", length)
        out += struct.pack(">ii", 12, 2) + att(NAME, HOSTILE + GOOD) + att(b"title", HOSTILE)
        out += struct.pack(">ii", 11, 1) + name(NAME + b"v" + GOOD) + struct.pack(">ii", 1, 0)
        out += struct.pack(">ii", 12, 2) + att(NAME, HOSTILE) + att(b"units", b"days since " + HOSTILE)
        return out + struct.pack(">iii", 2, length, begin)
    header = build(len(build(0)))
    with open(path, "wb") as f:
        f.write(header + text)
    return path


def hidden(raw):
    """The first bytes that must not be shown, or nothing."""
    try:
        text = raw.decode()
    except UnicodeDecodeError as e:
        return "not UTF-8: %r" % raw[max(0, e.start - 30):e.start + 10]
    for i, c in enumerate(text):
        if (c < " " and c not in "\n\t") or "\x7f" <= c <= "\x9f":
            return "%r in %r" % (c, text[max(0, i - 30):i + 10])
    return None


def run(*args, env=None):
    got = subprocess.run(args, capture_output=True, cwd=scratch, env=dict(os.environ, **(env or {})))
    for stream, raw in (("standard output", got.stdout), ("standard error", got.stderr)):
        bad = hidden(raw)
        if bad:
            complain("%r: %s: %s" % (args, stream, bad))
    if got.returncode < 0:
        complain("%r: signal %d" % (args, -got.returncode))
    return got


def tool(which, *args, **more):
    return run(os.path.join(TOOLS, which).encode(), *args, **more)


plain = classic(os.path.join(scratch, "plain.nc"))
odd = classic(os.path.join(scratch.encode(), b"odd\x1b[31m\xc2\x9b\xff.nc"))
for path in (plain, odd):
    for options in ([], ["-h"], ["-c"], ["-s"], ["-t"], ["-b", "c"], ["-f", "c"], ["-f", "f"], ["-x"], ["-j"], ["-k"], ["-K"],
                    ["-i"], ["-s", "--explain"], ["-v", NAME], ["-g", NAME], ["-n", NAME], ["-Z" + "\x1b"]):
        tool("ncdump", *options, path)
json.loads(tool("ncdump", "-j", plain).stdout)

# What is printed of values gives them back. Names of this kind cannot be made: ncgen says so.
cdl = os.path.join(scratch, "back.cdl")
with open(cdl, "wb") as f:
    f.write(tool("ncdump", plain).stdout)
tool("ncgen", "-o", "again.nc", cdl)
ok = "netcdf v {\ndimensions: x = 40 ;\nvariables: char v(x) ; string s ; :a = \"%s\" ;\ndata: v = \"%s\" ; s = \"%s\" ; }\n"
text = "".join("\\%03o" % b for b in HOSTILE)
with open(cdl, "w") as f:
    f.write(ok % (text, text, text))
for target in ("values.nc", "file://" + scratch + "/values.zarr#mode=zarr"):
    got = tool("ncgen", "-4", "-o", target, cdl)
    if got.returncode != 0:
        complain("ncgen: %s" % got.stderr)
    for options in ([], ["-j"], ["-s"]):
        tool("ncdump", *options, target)
with open(os.path.join(scratch, "again.cdl"), "wb") as f:
    f.write(tool("ncdump", "-n", "v", "values.nc").stdout)
tool("ncgen", "-4", "-o", "values2.nc", "again.cdl")
printed = tool("ncdump", "-n", "v", "values2.nc").stdout
if b"\\033]0;owned\\007" not in printed:
    complain("the text is not there: %r" % printed)
if printed != tool("ncdump", "-n", "v", "values.nc").stdout:
    complain("text values did not come back")

# Errors and reports.
log = {"NETCDF_LOG_LEVEL": "3"}
for which in ("ncdump", "nccopy", "ncgen"):
    for args in ([b"no\x1b[31mfile\xff.nc"], [b"--no\x1b[31m\xff"], [b"-\x1b"], [b"-v", b"no\x1b\xff", plain], [odd],
                 [b"-o", b"out\x1b\xff/x.nc", plain]):
        tool(which, *args, env=log)
for options in ([], ["-d1"], ["--report"], ["--report=json"], ["--verify"], ["-F", NAME + b",deflate,1"], ["-v", NAME], ["-c", NAME + b"/3"],
                ["-F", b"\x1b\xff"], ["-4", "--report"], ["--dry-run"]):
    tool("nccopy", *options, odd, b"copy\x1b[1m\xff.nc", env=log)
    tool("nccopy", *options, plain, "file://" + scratch + "/copy.zarr", env=log)
with open(cdl, "wb") as f:
    f.write(b"netcdf x { variables: int a\x1b\xff ; b\x9b\x07 }\n")
tool("ncgen", cdl)
with open(cdl, "wb") as f:
    f.write(b"netcdf x {\nvariables: int \xc2\x9bname ; \xc2\x9bname:a = \"\x1b\xff\" ; }\n")
for options in (["-lc"], ["-o", "x.nc"], []):
    tool("ncgen", *options, cdl, env=log)
os.makedirs(os.path.join(scratch, "meta.zarr"))
with open(os.path.join(scratch, "meta.zarr", ".zgroup"), "w") as f:
    f.write('{"zarr_format": "2\\u001b[31m"}')
tool("ncdump", "file://" + scratch + "/meta.zarr#mode=zarr", env=log)
shutil.rmtree(scratch)
print("%d failures" % failures)
sys.exit(failures != 0)
