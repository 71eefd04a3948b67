# SPDX-License-Identifier: BSD-3-Clause
"""sbom.py LIBRARY FILE: a CycloneDX 1.5 document of libcellar and the libraries of THIRD_PARTY.md, with the versions that this system has.
sbom.py --check LIBRARY...: the list names what the libraries are linked to, and nothing that none of them is."""
import json
import os
import re
import subprocess
import sys
import uuid

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SYSTEM = ("libc", "libm", "ld-linux", "ld64", "ld", "libpthread", "libdl", "libgcc_s", "libcellar", "libasan", "libubsan", "libtsan")
ROW = re.compile(r"^\| (\S+) \| (\S.*?) \| (lib\w+) \| (\w+)", re.M)


def listed():
    with open(os.path.join(ROOT, "THIRD_PARTY.md"), encoding="utf-8") as f:
        return ROW.findall(f.read())


def needed(library):
    said = subprocess.run(["objdump", "-p", library], check=True, capture_output=True, text=True).stdout
    names = {re.split(r"\.so|-x86|-aarch|\.", name)[0]: name for name in re.findall(r"NEEDED +(\S+)", said)}
    return {name: file for name, file in names.items() if name not in SYSTEM}


def check(libraries):
    linked = {name for library in libraries for name in needed(library)}
    rows = {soname for _, _, soname, how in listed() if how == "linked"}
    for name in sorted(linked - rows):
        print("THIRD_PARTY.md does not list %s, which is linked" % name)
    for name in sorted(rows - linked):
        print("THIRD_PARTY.md lists %s, which nothing is linked to" % name)
    print("%d libraries are linked to %d files" % (len(linked), len(libraries)))
    return 1 if linked != rows else 0


def package_version(soname):
    """The version of the Debian package that has the shared object, or None."""
    files = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, env=dict(os.environ, PATH="/sbin:/usr/sbin:/usr/bin:/bin")).stdout
    found = re.search(r"^\s%s(?:_serial)?\.so\.\S* .*=> (\S+)$" % soname, files, flags=re.M)
    if not found:
        return None
    owner = subprocess.run(["dpkg-query", "-S", "*/" + os.path.basename(os.path.realpath(found[1]))], capture_output=True, text=True).stdout
    if not owner:
        return None
    package = owner.split(": ")[0].split(",")[0]
    return subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True).stdout or None


def licence(text):
    return [{"expression": text}] if " OR " in text else [{"license": {"id": text}}]


def component(row):
    name, terms, soname, how = row
    out = {"type": "library", "bom-ref": name, "name": name, "licenses": licence(terms),
           "properties": [{"name": "cellar:soname", "value": soname}, {"name": "cellar:used", "value": how}]}
    version = package_version(soname)
    if version:
        out["version"] = version
    else:
        print("sbom: the version of %s is not known here" % name, file=sys.stderr)
    return out


def make(library, file):
    with open(os.path.join(ROOT, "include/cellar.h"), encoding="utf-8") as f:
        version = re.search(r'^#define CELLAR_VERSION "(.*)"$', f.read(), flags=re.M)[1]
    if check([library]):
        return 1
    parts = [component(row) for row in listed()]
    body = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
            "metadata": {"component": {"type": "library", "bom-ref": "cellar", "name": "cellar", "version": version,
                                       "licenses": licence("BSD-3-Clause"), "supplier": {"name": "the Cellar developers"}}},
            "components": parts,
            "dependencies": [{"ref": "cellar", "dependsOn": [part["bom-ref"] for part in parts]}]}
    # The number is the document's own: the same libraries, the same bytes.
    body["serialNumber"] = "urn:uuid:%s" % uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(body, sort_keys=True))
    with open(file, "w", encoding="utf-8") as f:
        json.dump(body, f, indent=2)
        f.write("\n")
    print("sbom: %d components in %s" % (len(parts), file))
    return 0


sys.exit(check(sys.argv[2:]) if sys.argv[1] == "--check" else make(sys.argv[1], sys.argv[2]))
