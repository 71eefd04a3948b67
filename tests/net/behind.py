#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Values that are put while their writer goes on: many at a time, also from one thread; who asks for one gets it; a put that fails is told at
the latest by a sync, which tries it again.

usage: behind.py BUILD"""
import os
import pathlib
import subprocess
import sys

import bucket

BUILD = pathlib.Path(sys.argv[1])
failed = []


def check(what, good, more=''):
    print('ok  ' if good else 'BAD ', what, '' if good else more)
    if not good:
        failed.append(what)


def run(server, *command):
    env = {k: v for k, v in os.environ.items() if not k.startswith(('AWS_', 'CELLAR_')) and not k.lower().endswith('_proxy')}
    env = {**env, 'no_proxy': '*', 'AWS_ACCESS_KEY_ID': 'k', 'AWS_SECRET_ACCESS_KEY': 's', 'AWS_ENDPOINT_URL': server.url,
           'CELLAR_NUM_THREADS': '1', 'CELLAR_HTTP_RETRIES': '0'}
    return subprocess.run([str(c) for c in command], env=env, capture_output=True, text=True, timeout=120)


def ask(server, *words):
    return run(server, BUILD / 'tests/net/store_ask', 's3://bucket/d.zarr', 'write', *words).stdout.splitlines()


def many():
    server = bucket.Server()
    pathlib.Path('many.cdl').write_text('netcdf many { dimensions: y = 128; x = 1024; variables: float v(y, x); v:_ChunkSizes = 1, 1024; data: v = '
                                        + ', '.join(str(i * 37 % 1001) for i in range(128 * 1024)) + '; }')
    run(server, BUILD / 'tools/ncgen', '-o', 'many.nc', '-4', 'many.cdl')
    server.latency = .1
    done = run(server, BUILD / 'tools/nccopy', 'many.nc', 's3://bucket/many.zarr#mode=zarr,v3')
    server.latency = 0
    print(f'     {server.most} puts under way')
    check('one thread has many puts under way', done.returncode == 0 and server.most >= 32, (server.most, done.stderr))
    values = [k for k in server.values if '/v/c/' in k]
    check('and all of them are there', len(values) == 128, len(values))
    check('with their values', run(server, BUILD / 'tools/ncdump', '-v', 'v', 's3://bucket/many.zarr').stdout.split('data:')[-1] ==
          run(server, BUILD / 'tools/ncdump', '-v', 'v', 'many.nc').stdout.split('data:')[-1])
    server.shutdown()


def order():
    server = bucket.Server()
    server.latency = .1
    out = ask(server, 'put', 'first', '1', 'later', 'a', 'old', 'later', 'b', 'x', 'get', 'b', 'later', 'a', 'new', 'get', 'a', 'size', 'a',
              'want', 'a', 'later', 'a', 'newest', 'get', 'a', 'later', 'c', 'y', 'list', 'erase', 'c', 'get', 'c', 'later', 'd', 'z', 'sync')
    check('who asks for a value gets the last one put', [line for line in out if line.startswith(('get', 'size'))] ==
          ['get x', 'get new', 'size 3', 'get newest', 'get failed 1 '], out)
    check('a list has those under way', any(line.startswith('a b c first') for line in out), out)
    check('a sync waits for them', server.values.get('d.zarr/d', ('',))[0] == b'z' and out[-1] == 'sync ', out)
    server.shutdown()


def failures():
    server = bucket.Server()
    server.refuses = {'d.zarr/bad': 99}
    out = ask(server, 'put', 'first', '1', 'later', 'proof', '1', 'later', 'bad', 'x', 'later', 'good', 'y', 'sync', 'sync', 'get', 'bad')
    check('a sync fails, names the value, and so does the next', [line.split(' ')[:2] for line in out if line.startswith('sync')] ==
          [['sync', 'failed']] * 2 and all('bad: the server does not allow' in line for line in out if line.startswith('sync')), out)
    check('who asks for it is told', out[-1].startswith('get failed') and 'bad' in out[-1], out)
    check('the others are there', server.values['d.zarr/good'][0] == b'y' and 'd.zarr/bad' not in server.values)
    out = ask(server, 'later', 'proof', '1', 'later', 'bad', 'x', 'sync', 'put', 'bad', 'x')
    check('a put of the same value counts', out[2].startswith('sync failed') and out[3].startswith('put failed'), out)
    server.shutdown()


def recovers():
    """The server takes at the second sync what it refused before."""
    server = bucket.Server()
    server.refuses = {'d.zarr/bad': 1}
    out = ask(server, 'later', 'proof', '1', 'later', 'bad', 'x', 'sync', 'sync', 'get', 'bad')
    check('a sync tries again what failed', [line[:11] for line in out[2:4]] == ['sync failed', 'sync '] and out[4] == 'get x', out)
    server.shutdown()


def in_a_dataset():
    """nc_close says so, in the words of a tool."""
    server = bucket.Server()
    server.refuses = {'many.zarr/v/c/77/0': 99}
    done = run(server, BUILD / 'tools/nccopy', 'many.nc', 's3://bucket/many.zarr#mode=zarr,v3')
    check('a chunk that cannot be put is an error', done.returncode == 1 and 'v/c/77/0: the server does not allow to write it' in done.stderr,
          done.stderr)
    server.shutdown()


for part in (many, order, failures, recovers, in_a_dataset):
    part()
print(len(failed), 'failed', *failed, sep='\n')
sys.exit(1 if failed else 0)
