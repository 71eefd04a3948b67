#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Values that are put while their writer goes on: many at a time, also from one thread; who asks for one gets it; a put that fails is told at
the latest by a sync, which tries it again.

usage: behind.py BUILD"""
import os
import pathlib
import subprocess
import sys
import time

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


def documents():
    """They tell of values put before, and come behind these; together. What is put at once comes behind all."""
    server = bucket.Server()
    server.latency = .2
    out = ask(server, 'put', 'first', '1', 'later', 'a', 'x', 'later', 'b', 'y', 'telling', 'c', 'z', 'telling', 'd', 'z', 'get', 'c', 'put', 'e', 'w')
    there = {key[len('d.zarr/'):]: {k[len('d.zarr/'):] for k in keys} for key, keys in server.arrived}
    check('documents come behind values', {'a', 'b'} <= there['c'] and {'a', 'b'} <= there['d'] and not {'a', 'b'} & there['b'], there)
    check('and together', 'c' not in there['d'], there)
    check('a put at once behind all', {'a', 'b', 'c', 'd'} <= there['e'], there)
    check('who asks for one gets it', 'get z' in out, out)
    server.refuses = {'d.zarr/bad': 1}
    out = ask(server, 'put', 'first', '1', 'telling', 'bad', 'x', 'sync', 'sync', 'get', 'bad')
    check('one that is refused is told by a sync, which tries it again', out[2].startswith('sync failed') and 'bad' in out[2] and
          out[3:] == ['sync ', 'get x'], out)
    server.shutdown()


def of_many_variables():
    """One latency for all of their documents, none for what did not change."""
    server = bucket.Server()
    server.latency = .1
    cdl = ' '.join(f'int v{i}(x); v{i}:number = {i};' for i in range(40))
    pathlib.Path('vars.cdl').write_text(f'netcdf vars {{ dimensions: x = 4; variables: {cdl} }}')
    for mode in ('zarr,v3', 'nczarr,v2', 'nczarr,v3'):
        server.arrived.clear()
        server.most = 0
        done = run(server, BUILD / 'tools/ncgen', '-o', f's3://bucket/vars-{mode}.zarr#mode={mode}', 'vars.cdl')
        keys = [key for key, _ in server.arrived]
        check(f'{mode}: documents of 40 variables are put', done.returncode == 0 and sum('/v' in key for key in keys) >= 40, done.stderr)
        check(f'{mode}: none twice, but the first, which tries conditions', len(keys) - len(set(keys)) == 1 and keys.count(keys[0]) == 2, keys)
        check(f'{mode}: many at a time', server.most >= 16, server.most)
    server.shutdown()


def killed():
    """At some put of many: what is there is a store, with what was put or nothing in each place; before the first, nothing."""
    want = run(bucket.Server(), BUILD / 'tools/ncdump', '-v', 'v', 'many.nc').stdout.split('data:')[-1]
    want = [line.strip(' ,;}\n') for line in want.replace('v =', '').split(',')]
    for mode, when in (('zarr,v3', 2), ('zarr,v3', 5), ('nczarr,v2', 4), ('zarr,v3', 40), ('zarr,v2', 100)):
        server = bucket.Server()
        server.latency = .03
        env = {**os.environ, 'no_proxy': '*', 'AWS_ACCESS_KEY_ID': 'k', 'AWS_SECRET_ACCESS_KEY': 's', 'AWS_ENDPOINT_URL': server.url}
        p = subprocess.Popen([BUILD / 'tools/nccopy', 'many.nc', f's3://bucket/many.zarr#mode={mode}'], env=env)
        while server.puts < when and p.poll() is None:
            time.sleep(.001)
        p.kill()
        p.wait()
        time.sleep(.2)  # what had arrived is put
        chunks = sum('/v/' in key and not key.endswith(('.json', '.zarray', '.zattrs')) for key in server.values)
        done = run(server, BUILD / 'tools/ncdump', '-v', 'v', 's3://bucket/many.zarr') if chunks else run(
            server, BUILD / 'tools/ncdump', '-h', 's3://bucket/many.zarr')
        got = [line.strip(' ,;}\n') for line in done.stdout.split('data:')[-1].replace('v =', '').split(',')] if chunks else []
        wrong = [(a, b) for a, b in zip(want, got) if a != b and b != '_']
        check(f'{mode}, killed after {when} puts, {chunks} chunks: readable, and no value is wrong', done.returncode == 0 and not wrong and
              (not chunks or len(got) == len(want)), (done.returncode, done.stderr, wrong[:3], len(got), len(want)))
        done = run(server, BUILD / 'tools/nccopy', 'many.nc', f's3://bucket/many.zarr#mode={mode}')
        check('and it is made anew', done.returncode == 0 and len([k for k in server.values if '/v/' in k]) >= 129, done.stderr)
        server.shutdown()


def in_a_dataset():
    """nc_close says so, in the words of a tool."""
    server = bucket.Server()
    server.refuses = {'many.zarr/v/c/77/0': 99}
    done = run(server, BUILD / 'tools/nccopy', 'many.nc', 's3://bucket/many.zarr#mode=zarr,v3')
    check('a chunk that cannot be put is an error', done.returncode == 1 and 'v/c/77/0: the server does not allow to write it' in done.stderr,
          done.stderr)
    server.shutdown()


for part in (many, order, failures, recovers, documents, of_many_variables, killed, in_a_dataset):
    part()
print(len(failed), 'failed', *failed, sep='\n')
sys.exit(1 if failed else 0)
