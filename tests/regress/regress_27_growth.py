# SPDX-License-Identifier: BSD-3-Clause
"""Work grows as the number of things does: four times as many of any kind, written and read again, take about four times the
instructions, as valgrind counts them (the same on every machine). Opening a store takes the same for any number of chunks."""
import os, re, resource, shutil, subprocess, sys, tempfile

GROWTH = os.path.join(os.environ["CEL_TEST_BUILD"], "tests", "regress", "growth")
FEW = 100          # things; the other run has four times as many
MOST = 4.6         # ... and may take this many times the instructions: 4, and sorting
FLAT = 1.05        # where their number should not matter
ALL = ("netcdf4", "classic", "zarr")
KINDS = {"chunks": ("netcdf4", "zarr"), "variables": ALL, "attributes": ALL, "groups": ("netcdf4", "zarr"),
         "dimensions": ("netcdf4", "classic"), "records": ALL, "files": ALL}
MANY = {("files", "netcdf4"): 1000}  # fault 27: a list was as long as there were files
scratch = tempfile.mkdtemp(prefix="regress_27_", dir=os.environ.get("TMPDIR") or os.environ["CEL_TEST_BUILD"])
failures = 0


def complain(text):
    global failures
    failures += 1
    print("FAILED:", text)


def place(kind, form, n):
    path = os.path.join(scratch, "%s-%s-%d" % (kind, form, n))
    return "file://%s#mode=zarr,file" % path if form == "zarr" else path


def run(kind, form, phase, n, where, count=True):
    tool = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"] if count else []
    done = subprocess.run([*tool, GROWTH, kind, form, phase, str(n), where], capture_output=True, text=True)
    found = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
    if done.returncode != 0 or (count and not found):
        complain("%s %s %s %d: %s" % (kind, form, phase, n, done.stderr[-400:]))
        return 1
    return int(found.group(1).replace(",", "")) if count else 0


def check_growth(kind, form):
    few = MANY.get((kind, form), FEW)
    wheres = [(n, place(kind, form, n)) for n in (1, few, 4 * few)]
    for phase in "write", "read":
        if phase == "write" and (kind, form) in MANY:  # each is made by libhdf5: it takes minutes
            for n, where in wheres:
                run(kind, form, phase, n, where, count=False)
            continue
        one, some, many = (run(kind, form, phase, n, where) for n, where in wheres)
        ratio = (many - one) / max(some - one, 1)
        print("%-12s %-8s %-6s %8.0f instructions each, four times as many take %.2f times"
              % (kind, form, phase, (some - one) / few, ratio), flush=True)
        if ratio > MOST:
            complain("%s, %s, %s: four times as many take %.2f times the instructions" % (kind, form, phase, ratio))


def check_open(form):
    counts = []
    for n in FEW, 4 * FEW:
        where = place("chunks-open", form, n)
        run("chunks-open", form, "write", n, where, count=False)
        counts.append(run("chunks-open", form, "read", n, where))
    print("opening, %s: %d and %d instructions for %d and %d chunks" % (form, *counts, FEW, 4 * FEW))
    if counts[1] > FLAT * counts[0]:
        complain("opening takes %d instructions with %d chunks, %d with %d" % (counts[0], FEW, counts[1], 4 * FEW))


if os.environ.get("CEL_TEST_SANITIZE"):
    print("NOT RUN: valgrind says nothing under sanitizers")
    sys.exit(77)
if not shutil.which("valgrind"):
    print("NOT RUN: there is no valgrind")
    sys.exit(77)
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
need = 4 * max(MANY.values()) + 100
if hard != resource.RLIM_INFINITY and hard < need:
    print("NOT RUN: open files: the system gives a process only", hard)
    del KINDS["files"]
elif soft < need:
    resource.setrlimit(resource.RLIMIT_NOFILE, (need, hard))
try:
    for kind, forms in KINDS.items():
        for form in forms:
            check_growth(kind, form)
    for form in "netcdf4", "zarr":
        check_open(form)
finally:
    shutil.rmtree(scratch)
print("%d failures" % failures)
sys.exit(failures != 0)
