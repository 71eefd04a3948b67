#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""cdl_roundtrip.py TOOLS SEED COUNT: CDL -> file -> CDL -> file for random schemas of all types. ncdump -s prints the same text
of both files, every definition, storage setting and value; and ncgen makes the same bytes of the same text. (The bytes of the
first file may differ from the second's: values that were never given are written as fill values there.) A failing seed is
named and can be run alone (COUNT 1)."""
import os
import random
import subprocess
import sys
import tempfile

# name, lowest, highest, tag in attributes
INTEGERS = {"byte": (-128, 127, "b"), "ubyte": (0, 255, "UB"), "short": (-32768, 32767, "s"), "ushort": (0, 65535, "US"),
            "int": (-2**31, 2**31 - 1, ""), "uint": (0, 2**32 - 1, "U"), "int64": (-2**63, 2**63 - 1, "LL"), "uint64": (0, 2**64 - 1, "ULL")}
CLASSIC = ["byte", "char", "short", "int", "float", "double"]
CDF5 = CLASSIC + ["ubyte", "ushort", "uint", "int64", "uint64"]
NETCDF4 = CDF5 + ["string"]
WORDS = ["string", "ubyte", "int64", "data", "unlimited", "types", "group", "variables", "a b", "x.y", "n-1", "p+q", "u@h", "2nd", "ä", "日本",
         "q\\r", "b[0]", "c;d", "e=f", "g{h", "nan", "NaNf", "i'j", 'k"l', "m(n)", "o,p", "netcdf", "Infinity", "inf", "dimensions"]
TYPE_WORDS = ["string", "ubyte", "int64"]
SPECIAL = " !\"#$&'()*,:;<=>?[]\\^`{|}~"


def escaped(name):
    text = "".join("\\" + c if c in SPECIAL else c for c in name)
    return "\\" + text if name[0].isdigit() or name in TYPE_WORDS else text


class Schema:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.kind = self.r.choice(["4", "4", "4", "4", "3", "5", "6", "7"])
        self.atomic = {"4": NETCDF4, "5": CDF5}.get(self.kind, CLASSIC)
        self.out = []
        self.n = 0

    def line(self, text):
        self.out.append(text)

    def name(self, used, of_type=False):
        """A new one for this group (a type's: for the file), as CDL writes it."""
        while True:
            self.n += 1
            word = self.r.choice(WORDS) if self.r.random() < 0.3 else "n"
            word += str(self.n) if of_type or word == "n" else ""
            if word not in used:
                used.add(word)
                return escaped(word)

    # --- values: CDL text of one value ----------------------------------------------------------
    def text(self, raw):
        """Characters; raw: any byte, else what UTF-8 has and a string can hold."""
        def one():
            c = self.r.choice(["a", "z", " ", "\\n", "\\t", "\\\\", "\\\"", "'", "\\001", "\\177", "ü", "€", "%", "?", "0"])
            return self.r.choice([c, "\\%03o" % self.r.randrange(1, 256)]) if raw else c
        return "".join(one() for _ in range(self.r.randrange(6)))

    def real(self, kind, tagged):
        if self.r.random() < 0.15:
            word = self.r.choice(["NaN", "Infinity", "-Infinity"])
            return word + ("f" if kind == "float" else "")
        number = self.r.choice(["0", "-0", "1", "-1.5", "1e30", "-2.5e-30", "9.96921e+36", "3.25", repr(self.r.uniform(-1e3, 1e3))])
        if not tagged:
            return number
        return number + ("." if "." not in number and "e" not in number else "") + ("f" if kind == "float" else "")

    def integer(self, kind, tagged):
        low, high, tag = INTEGERS[kind]
        number = self.r.choice([low, high, 0, 1, self.r.randint(low, high)])
        return f"{number}{tag if tagged else ''}"

    def value(self, t, tagged=False):
        if isinstance(t, str):
            if t == "char":
                return '"' + self.r.choice(["a", "", "\\n", "\\000", "\\377", "ü"[:0] + "z"]) + '"'
            if t == "string":
                return "NIL" if self.r.random() < 0.05 else f'"{self.text(False)}"'
            return self.real(t, tagged) if t in ("float", "double") else self.integer(t, tagged)
        kind = t["kind"]
        if kind == "enum":
            return self.r.choice(t["members"])[0] if self.r.random() < 0.9 else "_UNDEFINED" if not any(v == 0 for _, v in t["members"]) else t["members"][0][0]
        if kind == "opaque":
            return "0X" + "".join("%02X" % self.r.randrange(256) for _ in range(t["size"]))
        if kind == "vlen":
            return "{" + ", ".join(self.value(t["base"]) for _ in range(self.r.randrange(4))) + "}"
        return "{" + ", ".join(self.field(base, dims) for base, dims in t["fields"]) + "}"

    def field(self, base, dims):
        if not dims:
            return self.value(base)
        if base == "char":
            return '{"' + "x" * self.r.randrange(dims + 1) + '"}'
        return "{" + ", ".join(self.value(base) for _ in range(dims)) + "}"

    # --- definitions ---------------------------------------------------------------------------------
    def any_type(self, types):
        return self.r.choice(types) if types and self.r.random() < 0.4 else self.r.choice(self.atomic)

    @staticmethod
    def type_name(t):
        return t if isinstance(t, str) else t["name"]

    def define_type(self, types, used):
        kind = self.r.choice(["compound", "enum", "opaque", "vlen"])
        t = {"kind": kind, "name": self.name(used, of_type=True)}
        if kind == "compound":
            t["fields"] = [(self.any_type(types), self.r.choice([0, 0, 2])) for _ in range(self.r.randint(1, 4))]
            names = set()
            self.line(f"compound {t['name']} {{ " + " ".join(
                f"{self.type_name(b)} {self.name(names)}{f'({d})' if d else ''} ;" for b, d in t["fields"]) + " } ;")
        elif kind == "enum":
            base = self.r.choice([k for k in INTEGERS if k in self.atomic])
            low, high, _ = INTEGERS[base]
            values = self.r.sample([low, high, 0, 1, 2, 3], self.r.randint(1, 4))
            names = set()
            t["members"] = [(self.name(names), v) for v in dict.fromkeys(values)]
            self.line(f"{base} enum {t['name']} {{ " + ", ".join(f"{n} = {v}" for n, v in t["members"]) + " } ;")
        elif kind == "opaque":
            t["size"] = self.r.randint(1, 9)
            self.line(f"opaque({t['size']}) {t['name']} ;")
        else:
            t["base"] = self.any_type([x for x in types])
            self.line(f"{self.type_name(t['base'])}(*) {t['name']} ;")
        types.append(t)

    def attribute(self, owner, types, used):
        t = self.any_type(types)
        name = self.name(used)
        if t == "char":
            self.line(f'{owner} :{name} = "{self.text(True)}" ;')
            return
        count = self.r.randint(1, 3)
        values = ", ".join(self.value(t, tagged=True) for _ in range(count))
        prefix = f"{self.type_name(t)} " if not isinstance(t, str) or t == "string" else ""
        self.line(f"{prefix}{owner} :{name} = {values} ;")

    def storage(self, name, t, dims):
        """Special attributes, of netCDF-4 files only."""
        varies = not isinstance(t, str) or t in ("string",)
        if self.kind not in "47" or not dims or varies or self.r.random() < 0.5:
            return
        self.line(f"{name} :_ChunkSizes = {', '.join(str(max(1, min(length, 2))) for _, length, _ in dims)} ;")
        if self.r.random() < 0.5:
            self.line(f'{name} :_DeflateLevel = {self.r.randint(1, 9)} ;')
        if self.r.random() < 0.3:
            self.line(f'{name} :_Shuffle = "true" ;')
        if self.r.random() < 0.3:
            self.line(f'{name} :_Fletcher32 = "true" ;')
        if t != "char" and self.r.random() < 0.3:
            self.line(f'{name} :_Endianness = "{self.r.choice(["big", "little"])}" ;')

    def variable(self, types, dims, used):
        t = self.any_type(types)
        name = self.name(used)
        mine = [self.r.choice(dims) for _ in range(self.r.randrange(4))] if dims else []
        if self.kind != "4":
            mine = [d for i, d in enumerate(mine) if not d[2] or i == 0]
        shape = f"({', '.join(d[0] for d in mine)})" if mine else ""
        self.line(f"{self.type_name(t)} {name}{shape} ;")
        if isinstance(t, str) and t not in ("string",) and self.r.random() < 0.2:
            fill = self.value(t, tagged=True)
            self.line(f"{name} :_FillValue = {fill} ;")
        self.storage(name, t, mine)
        atts = {"_FillValue"}
        for _ in range(self.r.randrange(3)):
            self.attribute(name, types, atts)
        return name, t, mine

    def data(self, name, t, dims):
        def block(axes):
            if not axes:
                return self.value(t)
            inner = [block(axes[1:]) for _ in range(axes[0][1])]
            text = ", ".join(inner)
            return "{" + text + "}" if axes[0][2] and axes is not dims else text
        if t == "char" and dims:
            if any(d[2] for d in dims[1:]):
                return
            row = dims[-1][1]
            rows = 1
            for d in dims[:-1]:
                rows *= d[1]
            values = ", ".join('"' + "".join(self.r.choice(["a", "\\n", "\\000", "\\200", "~"]) for _ in range(row)) + '"' for _ in range(rows))
        else:
            values = block(dims)
        if values:
            self.line(f"{name} = {values} ;")

    def group(self, types, dims, depth):
        types, dims, used = list(types), list(dims), set()
        if self.kind == "4" and self.r.random() < 0.7:
            self.line("types:")
            for _ in range(self.r.randint(1, 4)):
                self.define_type(types, used)
        wanted = self.r.randrange(4)
        if wanted:
            self.line("dimensions:")
        for _ in range(wanted):
            grows = self.r.random() < 0.3 and (self.kind == "4" or not any(d[2] for d in dims))
            name, length = self.name(used), self.r.randint(1, 4)
            self.line(f"{name} = {'UNLIMITED' if grows else length} ;")
            dims = [d for d in dims if d[0] != name] + [(name, length, grows)]
        self.line("variables:")
        found = [self.variable(types, dims, used) for _ in range(self.r.randrange(5))]
        atts = set()
        for _ in range(self.r.randrange(3)):
            self.attribute("", types, atts)
        self.line("data:")
        for v in found:
            if self.r.random() < 0.8:
                self.data(*v)
        while self.kind == "4" and depth < 3 and self.r.random() < 0.4:
            self.line(f"group: {self.name(used)} {{")
            self.group(types, dims, depth + 1)
            self.line("}")

    def cdl(self):
        self.line("netcdf x {")
        self.group([], [], 0)
        self.line("}")
        return "\n".join(self.out)


def run(*command):
    done = subprocess.run(command, capture_output=True)
    if done.returncode:
        raise RuntimeError(f"{os.path.basename(command[0])} {' '.join(command[1:])}: {done.stderr.decode(errors='replace')}")
    return done.stdout


def turn(tools, folder, seed):
    schema = Schema(seed)
    text = schema.cdl()
    at = {x: f"{folder}/{x}" for x in ("0.cdl", "1.nc", "1.cdl", "2.nc", "3.nc")}
    with open(at["0.cdl"], "w") as f:
        f.write(text)
    try:
        run(tools + "/ncgen", "-" + schema.kind, "-o", at["1.nc"], at["0.cdl"])
        printed = run(tools + "/ncdump", "-s", "-p", "9,17", "-n", "x", at["1.nc"])
        with open(at["1.cdl"], "wb") as f:
            f.write(printed)
        run(tools + "/ncgen", "-" + schema.kind, "-o", at["2.nc"], at["1.cdl"])
        again = run(tools + "/ncdump", "-s", "-p", "9,17", "-n", "x", at["2.nc"])
        run(tools + "/ncgen", "-" + schema.kind, "-o", at["3.nc"], at["1.cdl"])
    except RuntimeError as why:
        return str(why)
    if printed != again:
        return "ncdump prints another text:\n" + printed.decode(errors="replace") + "\n--- then\n" + again.decode(errors="replace")
    with open(at["2.nc"], "rb") as a, open(at["3.nc"], "rb") as b:
        return "" if a.read() == b.read() else "the files differ, though their texts do not"


def main():
    tools, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for s in range(seed, seed + count):
            why = turn(tools, folder, s)
            if why:
                failed += 1
                print(f"seed {s}: {why[:3000]}")
    print(f"{count} schemas, {failed} failures")
    return 1 if failed else 0


sys.exit(main())
