#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""killed.py TOOLS TIMES: each subcommand of cellar that writes a file or a store is ended at TIMES moments of its run by SIGTERM, and at
as many by SIGKILL. What bears the name of its output is then what was there before, or all of the new one. SIGTERM leaves nothing else;
what SIGKILL leaves the next whole run removes."""
import os
import random
import shutil
import signal
import subprocess
import sys
import time

tools, times = os.path.abspath(sys.argv[1]), int(sys.argv[2])
environment = {**os.environ, 'TMPDIR': os.getcwd(), 'PATH': f'{tools}:{os.environ["PATH"]}'}
OLD = b'what was there before'
wrong = []


def run(line, moment=None, by=signal.SIGKILL):
    """Ended after so many seconds, or not; the time that it took."""
    begin = time.monotonic()
    job = subprocess.Popen([os.path.join(tools, line[0]), *line[1:]], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           env=environment)
    if moment is not None:
        time.sleep(moment)
        job.send_signal(by)
    job.wait()
    return time.monotonic() - begin


def contents(path):
    """Of a file, or of all files of a store; None: there is nothing."""
    if os.path.isdir(path):
        return {os.path.relpath(os.path.join(folder, f), path): open(os.path.join(folder, f), 'rb').read()
                for folder, _, files in os.walk(path) for f in files}
    return open(path, 'rb').read() if os.path.exists(path) else None


def is_right(path, name, before, complete):
    """Speeds make pages and tuned files of two runs differ, so that these are asked whether they are whole."""
    now = contents(path)
    if now == before or now == complete:
        return True
    if name == 'info':
        return now.startswith(b'<!') and now.rstrip().endswith(b'</html>')
    if name == 'tune':
        return subprocess.run([f'{tools}/cellar', 'diff', '-q', '--no-attributes', 'in.nc', path]).returncode == 0
    return False


def put_before(path, before):
    if not path:
        return
    shutil.rmtree(path, ignore_errors=True)
    if os.path.isfile(path):
        os.remove(path)
    if before is not None:
        open(path, 'wb').write(before)


def check_litter(name, path, after):
    left = sorted(set(os.listdir('.')) - inputs - {path})
    if left:
        wrong.append(f'{name}: {after} leaves {left}')
    for each in left:
        shutil.rmtree(each) if os.path.isdir(each) else os.remove(each)


def try_all(name, line, path, before):
    put_before(path, before)
    took = run(line)
    complete = contents(path) if path else None
    if path and (complete is None or complete == before):
        wrong.append(f'{name}: {path} is not written when nobody kills it')
        return
    early = 0
    for by in [signal.SIGTERM] * times + [signal.SIGKILL] * times:
        moment = took * random.random()
        put_before(path, before)
        run(line, moment, by)
        early += not path or contents(path) == before
        if path and not is_right(path, name, before, complete):
            wrong.append(f'{name} ended by {by.name} after {moment:.4f} s leaves a {path} that is neither the old nor the new one')
        if by == signal.SIGTERM:
            check_litter(name, path, 'SIGTERM')
    put_before(path, before)
    run(line)
    check_litter(name, path, 'a whole run')
    put_before(path, None)
    print(f'{name} to {path}: ended {2 * times} times, {early} before it was in place')


cdl = '''netcdf in { dimensions: time = 40 ; y = 90 ; x = 180 ; variables: float t(time, y, x) ; t:_ChunkSizes = 1, 90, 180 ;
t:_Filter = "shuffle|deflate,level=1" ; data: t = %s ; }''' % ', '.join(f'{i % 997 / 7 + i % 13:.2f}' for i in range(40 * 90 * 180))
open('in.cdl', 'w').write(cdl)
subprocess.run([f'{tools}/ncgen', '-4', '-o', 'in.nc', 'in.cdl'], check=True)
subprocess.run([f'{tools}/nccopy', 'in.nc', 'in.zarr'], check=True)
whole = open('in.nc', 'rb').read()
open('cut.nc', 'wb').write(whole[:len(whole) * 3 // 4])
inputs = {'in.cdl', 'in.nc', 'in.zarr', 'cut.nc'}
for before in OLD, None:
    try_all('info', ['cellar', 'info', '--html', 'page.html', 'in.nc'], 'page.html', before)
    try_all('salvage', ['cellar', 'salvage', '-q', 'cut.nc', 'saved.nc'], 'saved.nc', before)
    try_all('tune', ['cellar', 'tune', '-q', '-o', 'tuned.nc', 'in.nc'], 'tuned.nc', before)
    try_all('refs', ['cellar', 'refs', '-q', '-o', 'refs.json', 'in.nc'], 'refs.json', before)
try_all('salvage', ['cellar', 'salvage', '-q', 'cut.nc', 'saved.zarr'], 'saved.zarr', None)
try_all('chunks', ['cellar', 'chunks', '--try', 'in.nc'], None, None)
try_all('verify', ['cellar', 'verify', '-q', '--checksums', 'sums', 'in.nc'], 'sums', None)
print('\n'.join(['WRONG:'] + wrong) if wrong else 'what was killed left nothing that looks like an output')
sys.exit(bool(wrong))
