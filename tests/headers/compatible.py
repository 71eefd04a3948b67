# SPDX-License-Identifier: BSD-3-Clause
"""compatible.py DIR...: our headers against those of an installed netCDF-C.

Every function both declare has the same type: a compiler that sees one after the
other says so. Every NC_ constant of theirs is one of ours with the same value.
"""
import os
import re
import subprocess
import sys
import tempfile

dirs = sys.argv[1:]
theirs = "/usr/include/netcdf.h"
if not os.path.exists(theirs):
    print("no netCDF-C here")
    sys.exit(77)

# Where 4.9.3, or DESIGN.md, says otherwise than the 4.9.0 that may be installed.
DIFFERENT = {"NC_QUANTIZE_MAX_FLOAT_NSD", "NC4_LAST_ERROR"}
GUARDS = ["_NETCDF_", "NETCDF_FILTER_H", "NCAUX_H", "NETCDF_MEM_H"]
HEADERS = ["netcdf.h", "netcdf_filter.h", "netcdf_aux.h", "netcdf_mem.h"]
OURS = ["-I" + d for d in dirs]


def compile_c(text, *flags):
    with tempfile.TemporaryDirectory() as tmp:
        source, program = os.path.join(tmp, "x.c"), os.path.join(tmp, "x")
        with open(source, "w") as f:
            f.write(text)
        command = ["gcc", "-w", *flags, source, "-o", program]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode:
            print(result.stderr)
            sys.exit(1)
        return "" if "-fsyntax-only" in flags else subprocess.run([program], capture_output=True, text=True).stdout


def both_in_one():
    """Struct types have no name to compare by: ours are taken for theirs."""
    text = "".join('#include "%s"\n' % h for h in HEADERS)
    text += "".join("#undef %s\n" % g for g in GUARDS + ["EXTERNL", "MSC_EXTRA"])
    for name in ["nc_vlen_t", "NC_memio", "NC_H5_Filterspec", "BLOSC_SHUFFLE", "BLOSC_SUBCOMPRESSORS"]:
        text += "#define %s their_%s\n" % (name, name)
    for name in ["BLOSC_NOSHUFFLE", "BLOSC_BITSHUFFLE", "BLOSC_LZ", "BLOSC_LZ4", "BLOSC_LZ4HC", "BLOSC_SNAPPY",
                 "BLOSC_ZLIB", "BLOSC_ZSTD"]:
        text += "#define %s their_%s\n" % (name, name)
    # functions that take such a struct are compared below, by layout
    for name in ["nc_free_vlen", "nc_free_vlens", "nc_open_memio", "nc_close_memio", "ncaux_h5filterspec_free",
                 "ncaux_h5filterspec_parselist"]:
        text += "#define %s their_%s\n" % (name, name)
    text += "".join("#include </usr/include/%s>\n" % h for h in HEADERS)
    compile_c(text, "-fsyntax-only", *OURS)


def constants():
    names = set(re.findall(r"^#define\s+(NC_?\w+|_FillValue|MAX_\w+|FILL_\w+)[ \t]+\S", open(theirs).read(), re.M))
    names = sorted(n for n in names if not n.startswith("NC_HAVE_"))
    lines = []
    for n in names:
        lines.append('#ifndef %s\n puts("%s is not defined");\n#else\n P("%s", %s);\n#endif' % (n, n, n, n))
    text = """
#include <netcdf.h>
#include <netcdf_aux.h>
#include <netcdf_mem.h>
#include <stdio.h>
#define P(name, v) _Generic((v), char *: printf("%s %s\\n", name, (v)), \\
    float: printf("%s %.17g\\n", name, (v)), double: printf("%s %.17g\\n", name, (v)), \\
    long long: printf("%s %lld\\n", name, (v)), unsigned long long: printf("%s %llu\\n", name, (v)), \\
    long: printf("%s %ld\\n", name, (v)), unsigned long: printf("%s %lu\\n", name, (v)), \\
    default: printf("%s %d\\n", name, (v)))
int main(void)
{
""" + "\n".join(lines) + """
printf("layout %zu %zu %zu %zu %zu %zu\\n", sizeof(nc_vlen_t), offsetof(nc_vlen_t, p), sizeof(NC_memio),
       offsetof(NC_memio, memory), offsetof(NC_memio, flags), offsetof(NC_H5_Filterspec, params));
return 0;
}
"""
    mine, other = compile_c(text, *OURS).splitlines(), compile_c(text).splitlines()
    bad = [(a, b) for a, b in zip(mine, other) if a != b and a.split()[0] not in DIFFERENT]
    for a, b in bad:
        print("ours:", a, " theirs:", b)
    if bad or len(mine) != len(other) or len(mine) < 200:
        print(len(mine), "and", len(other), "constants")
        sys.exit(1)


def names():
    """Every function that their headers declare and their library exports is declared by ours."""
    text = "".join(open(f"/usr/include/{h}").read() for h in HEADERS + ["netcdf_par.h"] if os.path.exists(f"/usr/include/{h}"))
    declared = set(re.findall(r"\b(nc\w+)\s*\(", text))
    library = subprocess.run(["gcc", "-print-file-name=libnetcdf.so"], capture_output=True, text=True).stdout.strip()
    exported = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True).stdout
    exported = {line.split()[-1].split("@")[0] for line in exported.splitlines()}
    includes = "".join('#include "%s"\n' % h for h in HEADERS + ["netcdf_f.h", "netcdf_par.h"])
    ours = subprocess.run(["gcc", "-E", "-P", "-x", "c", *OURS, "-"], input=includes, capture_output=True, text=True).stdout
    missing = {name for name in declared & exported if not re.search(r"\b%s\b" % name, ours)}
    if missing or len(declared & exported) < 300:
        print(len(declared & exported), "functions of netCDF-C, missing here:", *sorted(missing))
        sys.exit(1)


both_in_one()
constants()
names()
