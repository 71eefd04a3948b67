#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""HDF5 and classic files and Zarr stores on a web server of the test's own: the same dumps as from disk, in how many
requests, and with a server that fails every few of them.

usage: files.py TOOLS PART..."""
import json
import os
import pathlib
import re
import subprocess
import sys

import nasty

TOOLS = pathlib.Path(sys.argv[1])
failed = []
settings = {}  # more variables


def check(what, good, more=''):
    print('ok  ' if good else 'BAD ', what, more if not good else '')
    if not good:
        failed.append(what)


def run(*command):
    env = {k: v for k, v in os.environ.items() if not k.startswith(('AWS_', 'CELLAR_')) and not k.lower().endswith('_proxy')}
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=300,
                          env={**env, 'no_proxy': '*', 'CELLAR_HTTP_RETRIES': '3', **settings})


def dump(name, *options):
    return run(TOOLS / 'ncdump', *options, name)


def make_files():
    """Variables with data between them, and all defined first; records; a store."""
    data = ', '.join(str(i % 1000) for i in range(60 * 250))
    text = 'netcdf defined { dimensions: y = 60; x = 250; t = UNLIMITED; variables:\n'
    for i in range(50):
        text += f'float v{i}(y, x); CHUNKS v{i}:units = "K"; v{i}:long_name = "number {i}";\n'.replace(
            'CHUNKS', f'v{i}:_ChunkSizes = 20, 250;' if i else '')
    text += 'short r(t, x); data:\n' + ''.join(f'v{i} = {data};\n' for i in (0, 20, 40)) + 'r = 1, 2, 3; }\n'
    pathlib.Path('defined.cdl').write_text(text)
    pathlib.Path('classic.cdl').write_text(re.sub(r'v\d+:_ChunkSizes = 20, 250;', '', text))
    for kind, name, cdl in (('nc4', 'defined.nc', 'defined.cdl'), ('nc6', 'defined.nc6', 'classic.cdl')):
        made = run(TOOLS / 'ncgen', '-k', kind, '-o', name, cdl)
        if made.returncode:
            failed.append(f'{name}: {made.stderr}')
    run(TOOLS / 'nccopy', 'defined.nc', 'file://store.zarr#mode=zarr,v3,consolidated')


def count(s, *command):
    with s.lock:
        s.asked.clear()
        s.sent = 0
    done = dump(*command)
    return done, len(s.asked), s.sent


def formats(s):
    for name in ('defined.nc', 'defined.nc6', 'store.zarr'):
        local = 'file://store.zarr#mode=zarr,consolidated' if name == 'store.zarr' else name
        done, requests, sent = count(s, f'{s.url}/files/{name}')
        want = dump(local)
        check(f'{name}: as on disk', want.returncode == 0 and done.stdout == want.stdout and len(want.stdout) > 10000,
              done.stderr)
        done, requests, sent = count(s, f'{s.url}/files/{name}', '-h')
        check(f'{name}: its header', done.stdout == dump(local, '-h').stdout)
        print(f'     {name}: header in {requests} requests, {sent} bytes')
        most = {'defined.nc': 3, 'defined.nc6': 2, 'store.zarr': 9}[name]
        check(f'{name}: header in {most} requests at most', requests <= most, requests)
    check('mode=bytes', dump(f'{s.url}/files/defined.nc#mode=bytes', '-h').stdout == dump('defined.nc', '-h').stdout)
    done = run(TOOLS / 'nccopy', f'{s.url}/files/defined.nc', 'copy.nc')
    check('copied', done.returncode == 0 and dump('copy.nc').stdout.split('\n', 1)[1] ==
          dump('defined.nc').stdout.split('\n', 1)[1], done.stderr)
    done = json.loads(run(TOOLS / 'cellar', 'info', '--json', f'{s.url}/files/defined.nc').stdout)
    check('a size that is not known is null', done['bytes'] is None and {v['share'] for v in done['variables']} == {None}, done)
    check('verified', ': whole' in run(TOOLS / 'cellar', 'verify', f'{s.url}/files/defined.nc').stdout)


def refusals(s):
    pathlib.Path('page.html').write_text('<html>no data here</html>')
    pathlib.Path('text.txt').write_text('hello there, this is text')
    pathlib.Path('empty.nc').write_text('')
    for name, says in (('nothing.nc', 'neither an HDF5'), ('page.html', 'neither an HDF5'), ('text.txt', 'neither netCDF'),
                       ('empty.nc', 'empty')):
        done = dump(f'{s.url}/files/{name}')
        check(f'{name} is refused', done.returncode == 1 and says in done.stderr, done.stderr)
    check('403', 'does not allow' in dump(f'{s.url}/status/403/99').stderr)
    done = run(TOOLS / 'ncgen', '-o', f'{s.url}/files/new.nc', 'defined.cdl')
    check('nothing is written', done.returncode == 1 and not os.path.exists('new.nc'), done.stderr)
    done = dump(f'{s.url}/files/defined.nc?token=sesame&x=1')
    check('a query goes with each request', done.returncode == 0 and all('token=sesame' in a[1] for a in s.asked[-3:]))
    done = dump(f'{s.url}/files/nothing.nc?token=sesame')
    check('and into no text', done.returncode == 1 and 'sesame' not in done.stderr + done.stdout)


def is_clean(done, want):
    """One sentence for each variable that could not be read, and what was printed of the others is right."""
    lines = done.stderr.splitlines()
    known = set(want.split(';'))
    strange = [part for part in done.stdout.split(';')[:-1] if part not in known]
    return done.returncode == 1 and lines and all(x.startswith('ncdump: ') for x in lines) and len(strange) <= len(lines)


def faults(s):
    """Right values, or a sentence."""
    right = clean = tries = 0
    settings['CELLAR_HTTP_TIMEOUT'] = '1'
    for name in ('defined.nc', 'defined.nc6', 'store.zarr'):
        want = dump('file://store.zarr#mode=zarr,consolidated' if name == 'store.zarr' else name).stdout
        for s.every in (2, 3, 5, 7, 11):
            done = dump(f'{s.url}/files/{name}')
            tries += 1
            if done.returncode == 0 and done.stdout == want:
                right += 1
            elif is_clean(done, want):
                clean += 1
            else:
                check(f'{name}: every {s.every}', False, f'exit {done.returncode}: {done.stderr[-2000:]}')
    s.every = 0
    print(f'     faults delivered: {s.delivered}; {right} right, {clean} errors')
    check('right values or a sentence', right + clean == tries and right > 0)
    check('each fault was delivered', all(s.delivered.get(f, 0) > 0 for f in ('503', 'reset', 'short', 'wrong', 'stale', 'slow')))


def ahead(s):
    """Many chunks are under way while few threads read."""
    rows = 64 * 16
    pathlib.Path('many.cdl').write_text(
        f'netcdf many {{ dimensions: y = {rows}; x = 1024; variables: float v(y, x); v:_ChunkSizes = 16, 1024;\n'
        'data: v = ' + ', '.join(str(i * 37 % 1001) for i in range(rows * 1024)) + '; }')
    run(TOOLS / 'ncgen', '-4', '-o', 'many.nc', 'many.cdl')
    run(TOOLS / 'nccopy', 'many.nc', 'file://many.zarr#mode=zarr,v3,consolidated')
    program = TOOLS.parent / 'tests/net/read_all'
    make_shards()
    for name, least, *command in (('many.zarr', 16, program), ('many.nc', 16, program), ('shards.zarr', 16, program),
                                  ('many.nc', 16, TOOLS / 'cellar', 'verify'), ('many.nc', 16, TOOLS / 'nccopy'),
                                  ('many.zarr', 16, TOOLS / 'nccopy'), ('shards.zarr', 16, TOOLS / 'nccopy')):
        announced(s, name, least, *command)


def make_shards():
    """64 chunks in 4 shards."""
    codecs = [{'name': 'sharding_indexed', 'configuration': {
        'chunk_shape': [16], 'codecs': [{'name': 'bytes', 'configuration': {'endian': 'little'}}],
        'index_codecs': [{'name': 'bytes', 'configuration': {'endian': 'little'}}]}}]
    pathlib.Path('shards.cdl').write_text('netcdf shards { dimensions: x = 1024; variables: int v(x); v:_ChunkSizes = 256; v:_Codecs = '
                                          + json.dumps(json.dumps(codecs)) + '; data: v = ' + ', '.join(map(str, range(1024))) + '; }')
    made = run(TOOLS / 'ncgen', '-o', 'file://shards.zarr#mode=zarr,v3,consolidated', 'shards.cdl')
    check('shards are made', made.returncode == 0, made.stderr)


def announced(s, name, least, program, *more):
    """In how many latencies 64 chunks are read, beside those it takes to open the file."""
    what = f'{pathlib.Path(program).name} {" ".join(more)} {name}'
    output = {'read_all': ['v'], 'nccopy': ['file://out.zarr#mode=zarr' if 'zarr' in name else 'out.nc']}.get(pathlib.Path(program).name, [])
    s.latency, s.waves = .2, 0
    dump(f'{s.url}/files/{name}', '-h')
    opening, s.waves, s.most = s.waves, 0, 0
    done = run(program, *more, f'{s.url}/files/{name}', *output)
    s.latency = 0
    check(f'{what}: it is done', done.returncode == 0, done.stdout + done.stderr)
    if output == ['v']:
        local = name if name.endswith('.nc') else f'file://{name}#mode=zarr'
        check(f'{what}: the values on disk', done.stdout == run(program, local, 'v').stdout)
    check(f'{what}: many at a time', s.most >= least, s.most)
    print(f'     {what}: {s.most} under way, {s.waves} latencies, {opening} of them to open it')
    shards = 8 if 'shards' in name else 0  # two latencies for the index of each
    check(f'{what}: four latencies at most, after it is open', s.waves - opening <= 4 + shards, (s.waves, opening))


def layouts(s):
    """A file of 50 variables and 123 MB, in how many requests, bytes and latencies it is opened: where the server sends several ranges
    with one answer, and where it sends one alone, so that headers in n places take n requests, of which most are under way together."""
    program = TOOLS.parent / 'tests/net/scattered'
    for name, options, alone in (('contiguous.nc', (), 20), ('scattered.nc', ('chunked',), 45), ('first.nc', ('chunked', 'first'), 3)):
        made = run(program, name, *options)
        check(f'{name}: made', made.returncode == 0, made.stderr)
        run(TOOLS / 'nccopy', '--cloud', name, 'cloud-' + name)
        for name, most, s.several in ((name, 10, 'parts'), (name, alone, 'whole'), ('cloud-' + name, 2, 'parts')):
            done, requests, sent = count(s, f'{s.url}/files/{name}', '-h')
            check(f'{name}: as on disk', done.stdout == dump(name, '-h').stdout, done.stderr)
            check(f'{name}: opened in {most} requests at most', requests <= most, requests)
            if s.several == 'whole':  # the server counts what it would have sent, had it not been cut off
                sent -= os.path.getsize(name)
            check(f'{name}: in 2 MB at most', sent <= 2 << 20, sent)
            s.latency, s.waves = .2, 0
            dump(f'{s.url}/files/{name}', '-h')
            s.latency = 0
            check(f'{name}: in 10 latencies at most', s.waves <= 10, s.waves)
            print(f'     {name}: opened in {requests} requests, {sent} bytes, {s.waves} latencies; several ranges: {s.several}')
        several(s, name.removeprefix('cloud-'))
        os.remove(name)
        os.remove(name.removeprefix('cloud-'))
    s.several = 'parts'


def several(s, name):
    """Whatever comes in answer to several ranges: the header as on disk."""
    want = dump(name, '-h').stdout
    for s.several in ('quoted', 'backwards', 'first alone', 'no parts', 'cut', 'shifted', 'another size', 'endless numbers',
                      'less than it says') if name == 'scattered.nc' else ():
        done, requests, _ = count(s, f'{s.url}/files/{name}', '-h')
        print(f'     several ranges, {s.several}: {requests} requests')
        check(f'several ranges, {s.several}', done.stdout == want, done.stderr)
        check(f'several ranges, {s.several}: understood', requests <= 10 or s.several not in ('quoted', 'backwards'), requests)


def main():
    s = nasty.Server()
    make_files()
    for part in sys.argv[2:]:
        {'formats': formats, 'refusals': refusals, 'faults': faults, 'ahead': ahead, 'layouts': layouts}[part](s)
    print(len(failed), 'failed', *failed, sep='\n')
    return 1 if failed else 0


sys.exit(main())
