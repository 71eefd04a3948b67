# SPDX-License-Identifier: BSD-3-Clause
"""Both ways with zarrita (npm): zarrita.py TOOL NODE_FOLDER."""
import json, os, subprocess, sys
sys.path.insert(0, os.path.dirname(__file__))
import node_script
from peer import *
script = node_script.place("zarrita.mjs", sys.argv[2])
node = lambda *args: subprocess.run(["node", script, *args], check=True, capture_output=True, text=True).stdout


def ours(mode, chain, code):
    def act():
        path = fresh("ours.zarr")
        data = sample("<" + code, (13, 11))
        put(f"file://{path}#mode={mode}", "v", data, (5, 4), chain)
        got = json.loads(node("read", path, "v"))
        assert got["shape"] == [13, 11] and np.array_equal(np.array(got["data"]).reshape(13, 11), data.astype("f8"))
    case(f"zarrita reads ours: {mode} {chain} {code}", act)


for mode in ("zarr", "zarr,v3"):
    for chain in ("", "zstd,level=3", "gzip,level=3", "blosc,cname=lz4,shuffle=shuffle"):
        for code in ("f4", "i2", "f8"):
            ours(mode, chain, code)
def theirs():
    path = fresh("theirs.zarr")
    os.mkdir(path)
    node("write", path)
    assert same(get(path, "v")[1], (np.arange(30) * 0.5).astype("f4").reshape(6, 5))
case("we read zarrita's", theirs)
finish()
