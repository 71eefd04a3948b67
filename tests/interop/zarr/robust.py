# SPDX-License-Identifier: BSD-3-Clause
"""Zarr stores under several writers and under kill -9: nothing lost, nothing half."""
import os, random, signal, subprocess, sys, time, zipfile
sys.path.insert(0, os.path.dirname(__file__))
from peer import *
import zarr

rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 50


def processes():
    path = fresh("many.zarr")
    put(f"file://{path}#mode=nczarr", "v", np.zeros((40, 40), "f4"), (10, 10), "zstd,level=1")
    jobs = []
    for turn in range(4):
        for i in range(4):  # four processes at a time, each in a row of chunks of its own
            jobs.append(subprocess.Popen([tool, "fill", path, "v", f"{10 * i},{10 * turn}", "10,10", str(4 * turn + i + 1)]))
        assert all(j.wait() == 0 for j in jobs)
    got = zarr.open_group(path, "r")["v"][:]
    for turn in range(4):
        for i in range(4):
            assert (got[10 * i:10 * i + 10, 10 * turn:10 * turn + 10] == 4 * turn + i + 1).all()
case("four processes write different chunks", processes)


def kill(path, name, check):
    random.seed(7)
    for i in range(rounds):
        writer = subprocess.Popen([tool, "churn", path, "v"], stderr=subprocess.DEVNULL)
        time.sleep(random.uniform(0.01, 0.15))
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        check(i)


def killed_directory():
    path = fresh("killed.zarr")
    put(f"file://{path}#mode=nczarr", "v", np.zeros((60, 60), "f4"), (10, 10), "shuffle|deflate,level=1")
    def check(i):
        _, got = get(path, "v")
        for y in range(0, 60, 10):
            for x in range(0, 60, 10):
                part = got[y:y + 10, x:x + 10]
                assert (part == part[0, 0]).all(), f"round {i}: chunk ({y},{x}) is torn"
    kill(path, "directory", check)
    put_again = get(path, "v")  # a reader leaves the leftovers; the next writer removes them
    run("fill", path, "v", "0,0", "1,1", "5")
    assert not [f for f in os.listdir(path) if f.startswith(".cellar-tmp-")], os.listdir(path)
case(f"{rounds} killed writers of a directory", killed_directory)


SHARDS = ('[{"name":"sharding_indexed","configuration":{"chunk_shape":[300,300],'
          '"codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}}]')
def killed_shards():
    """Chunks of 360 kB, which go to a draft of their shard one by one."""
    path = fresh("shards.zarr")
    put(f"file://{path}#mode=zarr,v3", "v", np.zeros((1200, 1200), "f4"), (600, 600), SHARDS)
    left = 0
    def check(i):
        nonlocal left
        left += len([f for f in os.listdir(path) if f.startswith(".cellar-tmp-")])
        _, got = get(path, "v")
        for y in (0, 600):
            for x in (0, 600):
                part = got[y:y + 600, x:x + 600]
                assert (part == part[0, 0]).all(), f"round {i}: shard ({y},{x}) is torn"
    kill(path, "shards", check)
    assert left > 0, "no writer was killed while a draft was there"
    run("fill", path, "v", "0,0", "1,1", "5")
    assert not [f for f in os.listdir(path) if f.startswith(".cellar-tmp-")], os.listdir(path)
case(f"{rounds} killed writers of shards", killed_shards)


def killed_zip():
    path = fresh("killed.zip")
    put(f"file://{path}#mode=nczarr,zip", "v", np.zeros((60, 60), "f4"), (10, 10), "shuffle|deflate,level=1")
    def check(i):
        assert zipfile.ZipFile(path).testzip() is None
        _, got = get(path, "v")
        assert (got == got[0, 0]).all(), f"round {i}: the archive is neither old nor new"
    kill(path, "zip", check)
    run("fill", path, "v", "0,0", "1,1", "5")
    left = [f for f in os.listdir(os.path.dirname(path)) if f.startswith(".cellar-tmp-")]
    assert not left, left
case(f"{rounds} killed writers of a zip archive", killed_zip)
finish()
