#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""CELLAR_CACHE: what was read from a server once is not sent again, and never served when it is not what the server has; damage,
limits, several processes, disks that take nothing, and folders that others may look into.

usage: cache.py TOOLS"""
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys

import nasty

TOOLS = pathlib.Path(sys.argv[1])
failed = []


def check(what, good, more=''):
    print('ok  ' if good else 'BAD ', what, more if not good else '')
    if not good:
        failed.append(what)


def environment(cache):
    env = {k: v for k, v in os.environ.items() if not k.startswith(('AWS_', 'CELLAR_')) and not k.lower().endswith('_proxy')}
    return {**env, 'no_proxy': '*', 'HOME': os.getcwd(), 'NCLOGGING': '1', **({'CELLAR_CACHE': cache} if cache else {})}


def dump(url, cache, **more):
    return subprocess.run([str(TOOLS / 'ncdump'), url], capture_output=True, text=True, timeout=300, env=environment(cache),
                          **more)


def make(name, first):
    values = ', '.join(str((first + i * 7919) % 100003) for i in range(300 * 500))
    pathlib.Path(f'{name}.cdl').write_text(f'netcdf t {{ dimensions: y = 300; x = 500; variables: int v(y, x); '
                                           f'v:_ChunkSizes = 50, 500; data: v = {values}; }}')
    for target, option in ((f'{name}.nc', '-4'), (f'file://{name}.zarr#mode=zarr,v3,consolidated', '-4')):
        subprocess.run([str(TOOLS / 'ncgen'), option, '-o', target, f'{name}.cdl'], check=True)


def entries(folder='cache'):
    return [p for p in pathlib.Path(folder).iterdir() if p.name != 'total']


class Reader:
    """Dumps a dataset of the server; how many bytes of values were sent for it."""

    def __init__(self, server, name):
        self.server, self.url = server, f'{server.url}/files/{name}'
        self.want = dump(self.url, None).stdout

    def read(self, cache, **more):
        before = self.server.sent
        done = dump(self.url, cache, **more)
        self.stderr = done.stderr
        return done.returncode == 0 and done.stdout == self.want, self.server.sent - before

    def expect(self, what, cache, least, most, says='', **more):
        right, sent = self.read(cache, **more)
        check(f'{self.url.rsplit(".")[-1]}: {what}', right and least <= sent <= most and says in self.stderr,
              f'right {right}, {sent} bytes, {self.stderr}')


def damage(reader):
    size = sum(p.stat().st_size for p in entries())
    for what, change in (('a changed byte', lambda b: b[:-9] + bytes([b[-9] ^ 1]) + b[-8:]), ('a cut', lambda b: b[:-1]),
                         ('a changed ETag', lambda b: b[:9] + b'x' + b[10:]), ('an empty file', lambda b: b'')):
        for p in entries():
            p.write_bytes(change(p.read_bytes()))
        reader.expect(f'{what} in each entry: all is fetched again', 'cache:10M', size // 2, 1 << 30)
    reader.expect('and kept again', 'cache:10M', 0, size // 3)


def limits(server, reader):
    limit = 500 << 10
    for _ in range(2):
        reader.expect('with little room', 'small:500K', 1, 1 << 30)
        total = sum(p.stat().st_size for p in entries('small'))
        check(f'{total} bytes of {limit} are kept', 0 < total <= limit)
    pathlib.Path('small/total').write_bytes(b'')
    reader.expect('a total that was lost', 'small:500K', 1, 1 << 30)
    check('and counted anew', 0 < sum(p.stat().st_size for p in entries('small')) <= limit)


def no_disk():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))


def folders(reader):
    check('modes', os.stat('cache').st_mode & 0o777 == 0o700 and all(p.stat().st_mode & 0o777 == 0o600 for p in entries()))
    os.makedirs('open', mode=0o755)
    reader.expect('a folder that others may look into', 'open:10M', 1, 1 << 30, 'chmod 700')
    check('has nothing', not os.listdir('open'))
    reader.expect('no size', 'cache', 1, 1 << 30, 'folder:size')
    reader.expect('no such folder', 'a/b/c:1M', 1, 1 << 30, 'cannot be made')
    reader.expect('a disk that takes nothing', 'full:10M', 1, 1 << 30, preexec_fn=no_disk)
    check('leaves nothing', not entries('full'))


def together(server, name):
    shutil.rmtree('cache', ignore_errors=True)
    url = f'{server.url}/files/{name}'
    want = dump(url, None).stdout
    running = [subprocess.Popen([str(TOOLS / 'ncdump'), url], env=environment('cache:500K' if i % 2 else 'cache:1M'),
                                stdout=subprocess.PIPE, text=True) for i in range(8)]
    check('eight at once', all(p.communicate()[0] == want and p.returncode == 0 for p in running))
    check('within the larger limit', sum(p.stat().st_size for p in entries()) <= 1 << 20)
    victim = subprocess.Popen([str(TOOLS / 'ncdump'), url], env=environment('cache:1M'), stdout=subprocess.PIPE)
    victim.stdout.read(10)
    victim.kill()
    victim.wait()
    check('after a kill', dump(url, 'cache:1M').stdout == want)


def stats(reader):
    """What `cellar run --stats` says, from folders as they are installed."""
    for folder in ('bin', 'lib/cellar/netcdf/bin', 'lib/cellar/netcdf/lib'):
        os.makedirs('prefix/' + folder)
    shutil.copy(TOOLS / 'cellar', 'prefix/bin/cellar')
    os.symlink(TOOLS / 'ncdump', 'prefix/lib/cellar/netcdf/bin/ncdump')

    def run(cache):
        return subprocess.run(['prefix/bin/cellar', 'run', '--stats', '--', 'ncdump', reader.url], capture_output=True, text=True,
                              env=environment(cache))

    def told(cache):
        text = run(cache).stderr
        return re.search(r'network  (\d+) requests \(0 of them made again\)  received ([\d.]+) MB  sent 0.000 MB'
                         r'(?:  from the cache on disk ([\d.]+) MB)?', text) or check('--stats', False, text)

    if 'CELLAR_COMPAT' in run('cache:10M').stderr:
        print('NOT RUN: --stats: this build has no libnetcdf for cellar run')
        return
    shutil.rmtree('cache')
    with reader.server.lock:
        reader.server.asked.clear()
    first, asked = told('cache:10M'), len(reader.server.asked)
    second = told('cache:10M')
    if first and second:
        check('--stats tells of each request', int(first[1]) == asked > 0 and float(first[2]) > .4 and not first[3])
        check('and of the cache', float(second[2]) < .2 and float(second[3]) > .4)


def main():
    server = nasty.Server()
    make('a', 1)
    make('b', 2)
    for name in ('nc', 'zarr'):
        shutil.rmtree('cache', ignore_errors=True)
        move = shutil.copytree if name == 'zarr' else shutil.copy
        move(f'a.{name}', f'data.{name}')
        reader = Reader(server, f'data.{name}')
        right, sent = reader.read(None)
        reader.expect('the first time', 'cache:10M', sent, sent)
        reader.expect('the second time', 'cache:10M', 0, sent // 3)
        damage(reader)
        if name == 'zarr':
            shutil.rmtree('data.zarr')
        move(f'b.{name}', f'data.{name}')
        old, reader = reader, Reader(server, f'data.{name}')
        check('other values', old.want != reader.want)
        reader.expect('replaced: all is fetched again', 'cache:10M', sent // 2, 1 << 30)
        reader.expect('and the second time', 'cache:10M', 0, sent // 3)
    limits(server, reader)
    folders(reader)
    stats(Reader(server, 'data.nc'))
    together(server, 'data.nc')
    print(len(failed), 'failed', *failed, sep='\n')
    return 1 if failed else 0


sys.exit(main())
