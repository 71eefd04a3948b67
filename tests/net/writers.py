#!/usr/bin/env python3
"""Several programs that write chunks of the same shards in a bucket: nothing is lost. A program that is killed in the middle of
its writes: the store is readable, and has what was synced.

usage: writers.py BUILD"""
import json
import os
import pathlib
import signal
import subprocess
import sys

import bucket

BUILD = pathlib.Path(sys.argv[1])
WRITER = BUILD / 'tests/net/shard_writer'
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


def make(server, url, nested):
    """Shards within shards are only written where others made them: the document is changed in the bucket."""
    codecs = json.dumps(json.dumps([sharding(4, BYTES)]))
    pathlib.Path('v.cdl').write_text('netcdf v { dimensions: x = 192; variables: int v(x); v:_ChunkSizes = 64; v:_Codecs = %s; }'
                                     % codecs)
    done = run(server, BUILD / 'tools/ncgen', '-o', url + '#mode=zarr,v3', 'v.cdl')
    check('a store is made', done.returncode == 0, done.stderr)
    if nested:
        key = 'v.zarr/v/zarr.json'
        document = json.loads(server.values[key][0])
        document['codecs'] = [sharding(8, sharding(4, BYTES))]
        server.values[key] = json.dumps(document).encode(), '"nested"'


def together(nested, writers):
    server = bucket.Server(delay=.005)
    url = 's3://bucket/v.zarr'
    make(server, url, nested)
    programs = [subprocess.Popen([WRITER, 'write', url, str(i), str(writers)], env=environment(server), stdout=subprocess.DEVNULL)
                for i in range(writers)]
    check('all writers end well', [p.wait(timeout=200) for p in programs] == [0] * writers)
    count = run(server, WRITER, 'count', url, writers).stdout
    what = f'{writers} writers, {"shards in shards" if nested else "shards"}'
    check(f'{what}: nothing is lost', count == '48 of 48, 0 empty\n', count)
    check(f'{what}: they met', server.refused > writers, server.refused)
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
    for after in (0, 1, 5, 17, 30):
        server = bucket.Server(delay=.005)
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


together(False, 2)
together(False, 4)
together(True, 3)
blind()
killed()
print(len(failed), 'failed', *failed, sep='\n')
sys.exit(1 if failed else 0)
