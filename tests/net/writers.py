#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Several programs that write chunks of the same shards in a bucket: nothing is lost. A program that is killed in the middle of
its writes: the store is readable, and has what was synced. Servers that answer conditions in other ways: a sentence.

usage: writers.py BUILD [long]"""
import json
import os
import pathlib
import signal
import subprocess
import sys

import bucket

BUILD = pathlib.Path(sys.argv[1])
WRITER = BUILD / 'tests/net/shard_writer'
LONG = 'long' in sys.argv[2:]
BYTES = {'name': 'bytes', 'configuration': {'endian': 'little'}}
failed = []


def check(what, good, more=''):
    print('ok  ' if good else 'BAD ', what, '' if good else more)
    if not good:
        failed.append(what)


def environment(server):
    env = {k: v for k, v in os.environ.items() if not k.startswith(('AWS_', 'CELLAR_')) and not k.lower().endswith('_proxy')}
    return {**env, 'no_proxy': '*', 'NCLOGGING': '1', 'AWS_ACCESS_KEY_ID': 'k', 'AWS_SECRET_ACCESS_KEY': 's', 'AWS_ENDPOINT_URL': server.url}


def run(server, *command):
    return subprocess.run([str(c) for c in command], env=environment(server), capture_output=True, text=True, timeout=120)


def sharding(length, *codecs):
    return {'name': 'sharding_indexed', 'configuration': {'chunk_shape': [length], 'codecs': list(codecs), 'index_codecs': [BYTES]}}


def make(server, url, nested=False, length=192, shard=64, chunk=4):
    """Shards within shards are only written where others made them: the document is changed in the bucket."""
    codecs = json.dumps(json.dumps([sharding(chunk, BYTES)]))
    pathlib.Path('v.cdl').write_text(f'netcdf v {{ dimensions: x = {length}; variables: int v(x); v:_ChunkSizes = {shard};'
                                     f' v:_Codecs = {codecs}; }}')
    done = run(server, BUILD / 'tools/ncgen', '-o', url + '#mode=zarr,v3', 'v.cdl')
    check('a store is made', done.returncode == 0, done.stderr)
    if nested:
        key = 'v.zarr/v/zarr.json'
        document = json.loads(server.values[key][0])
        document['codecs'] = [sharding(8, sharding(4, BYTES))]
        server.values[key] = json.dumps(document).encode(), '"nested"'


def together(nested, writers, meetings):
    """The server makes two puts of each of three shards meet that often; of each pair one is refused, and merges anew."""
    server = bucket.Server(meetings)
    url = 's3://bucket/v.zarr'
    make(server, url, nested)
    programs = [subprocess.Popen([WRITER, 'write', url, str(i), str(writers)], env=environment(server), stdout=subprocess.DEVNULL)
                for i in range(writers)]
    check('all writers end well', [p.wait(timeout=200) for p in programs] == [0] * writers)
    count = run(server, WRITER, 'count', url, writers).stdout
    what = f'{writers} writers, {"shards in shards" if nested else "shards"}'
    check(f'{what}: nothing is lost', count == '48 of 48, 0 empty\n', count)
    check(f'{what}: they met', list(server.met.values()) == [meetings] * 3, server.met)
    check(f'{what}: one was refused each time', server.refused >= 3 * (meetings - 1), server.refused)
    server.shutdown()


def blind():
    """A server that ignores conditions: one writer is told, and loses nothing."""
    server = bucket.Server(blind=True)
    url = 's3://bucket/v.zarr'
    make(server, url, False)
    done = run(server, WRITER, 'write', url, 0, 1)
    check('conditions that are ignored: noticed', done.returncode == 0 and 'ignores conditions' in done.stderr, done.stderr)
    check('conditions that are ignored: one writer', run(server, WRITER, 'count', url, 1).stdout == '48 of 48, 0 empty\n')
    server.shutdown()


def killed():
    """What was synced is there, and at most the one chunk under way more."""
    for after in (0, 1, 5, 17, 30) if LONG else (5,):
        server = bucket.Server()
        url = 's3://bucket/v.zarr'
        make(server, url, False)
        p = subprocess.Popen([WRITER, 'write', url, '0', '1'], env=environment(server), stdout=subprocess.PIPE, text=True)
        lines = sum(1 for _ in zip(range(after), p.stdout))
        p.send_signal(signal.SIGKILL)
        lines += len(p.stdout.read().splitlines())
        p.wait()
        done = run(server, WRITER, 'count', url, 1)
        counts = [int(word) for word in done.stdout.replace(',', '').split() if word.isdigit()]
        check(f'killed after {lines} chunks', done.returncode == 0 and lines >= after and counts and
              lines <= counts[0] <= lines + 1 and counts[0] + counts[2] == 48, (done.stdout, done.stderr))
        server.shutdown()


def without_conditions():
    """Values whose ETag cannot be a condition, and a server that has none: one writer is told, and loses nothing."""
    for what, settings, says in (('weak', {'etag': 'W/"%s"'}, 'weak or overlong'),
                                 ('overlong', {'etag': '"' + 'x' * 100 + '%s"'}, 'weak or overlong'),
                                 ('501', {'odd': [(501, 'NotImplemented')] * 9}, 'ignores conditions')):
        server = bucket.Server(**settings)
        url = 's3://bucket/v.zarr'
        make(server, url, False)
        done = run(server, WRITER, 'write', url, 0, 12)
        check(f'{what}: noticed', done.returncode == 0 and done.stderr.count(says) == 1, done.stderr)
        check(f'{what}: one writer', run(server, WRITER, 'count', url, 12).stdout == '4 of 48, 44 empty\n')
        server.shutdown()


def conflicts():
    """409 to a condition means that another came first: the shard is merged anew. Whole, and in parts."""
    for what, length, puts in (('whole', 64, 1), ('in parts', 10 << 20, 3)):
        server = bucket.Server()
        url = 's3://bucket/v.zarr'
        make(server, url, length=length, shard=length, chunk=length // 2)
        server.odd, server.puts = [(409, 'ConditionalRequestConflict')] * 2, 0
        done = run(server, WRITER, 'write', url, 0, length)
        check(f'409, {what}: tried anew', done.returncode == 0 and not server.odd and server.puts >= 3 * puts,
              (done.stderr, server.odd, server.puts))
        check(f'409, {what}: written', len(server.values['v.zarr/v/c/0'][0]) >= 2 * length)
        server.shutdown()


together(False, 2, 6)
if LONG:
    together(False, 4, 3)
together(True, 3, 4)
blind()
without_conditions()
conflicts()
killed()
print(len(failed), 'failed', *failed, sep='\n')
sys.exit(1 if failed else 0)
