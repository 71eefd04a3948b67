#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Zip archives on servers: read by ranges from a web server, in how many requests, with a server that fails every few of them; written to
a bucket whole, on condition that what lies there is what was read.

usage: archives.py BUILD"""
import os
import pathlib
import resource
import signal
import subprocess
import sys
import zipfile

import bucket
import nasty

BUILD = pathlib.Path(sys.argv[1])
TOOLS, WRITER = BUILD / 'tools', BUILD / 'tests/net/shard_writer'
CDL = '''netcdf t { dimensions: x = 400; y = 500; variables: float v(x, y); v:_ChunkSizes = 50, 250; v:_Compress = "zstd";
int n(x); n:_ChunkSizes = 400; double s; :title = "a title"; group: g { variables: short d(x); d:_ChunkSizes = 100; data: d = 1, 2, 3; }
data: n = 1, 2, 3; s = 2.5; v = ''' + ', '.join(str(i * 37 % 1009) for i in range(400 * 500)) + '; }'
failed = []


def check(what, good, more=''):
    print('ok  ' if good else 'BAD ', what, '' if good else more)
    if not good:
        failed.append(what)


def environment(endpoint='', **more):
    env = {k: v for k, v in os.environ.items() if not k.startswith(('AWS_', 'CELLAR_')) and not k.lower().endswith('_proxy')}
    return {**env, 'no_proxy': '*', 'NCLOGGING': '1', 'AWS_ACCESS_KEY_ID': 'k', 'AWS_SECRET_ACCESS_KEY': 'SESAME', 'AWS_ENDPOINT_URL': endpoint,
            'CELLAR_HTTP_RETRIES': '3', 'CELLAR_HTTP_TIMEOUT': '1', **more}


def run(env, *command):
    done = subprocess.run([str(c) for c in command], env=env, capture_output=True, text=True, timeout=120)
    if 'SESAME' in done.stdout + done.stderr:
        failed.append(f'{command}: the secret was printed')
    return done


def dump(env, url, *options):
    return run(env, TOOLS / 'ncdump', *options, url)


# --- read -----------------------------------------------------------------------------------------------

def make():
    pathlib.Path('t.cdl').write_text(CDL)
    for mode in ('zarr,v3,consolidated', 'zarr,v2', 'nczarr,v2'):
        done = run(environment(), TOOLS / 'ncgen', '-o', f'file://{mode.replace(",", "-")}.zip#mode={mode},zip', 't.cdl')
        check(f'{mode}: made', done.returncode == 0, done.stderr)
    with zipfile.ZipFile('zarr-v2.zip') as old, zipfile.ZipFile('deflated.zip', 'w', zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            with new.open(name, 'w', force_zip64=len(name) % 2 == 0) as f:  # longer headers than the directory tells of
                f.write(old.read(name))
        new.comment = b'by another hand' * 50
    with zipfile.ZipFile('zarr-v2.zip') as old, zipfile.ZipFile('long.zip', 'w') as new:
        for name in old.namelist():
            info = zipfile.ZipInfo(name)
            info.extra = b'\x99\x99\xf4\x01' + bytes(500)  # fields of somebody's own
            new.writestr(info, old.read(name))


def web():
    s = nasty.Server()
    for name, most in (('zarr-v3-consolidated.zip', 4), ('zarr-v2.zip', 9), ('nczarr-v2.zip', 9), ('deflated.zip', 9), ('long.zip', 20)):
        url, want = f'{s.url}/files/{name}', dump(environment(), f'file://{name}#mode=zarr,zip,consolidated')
        with s.lock:
            s.asked.clear()
            s.sent = 0
        head = dump(environment(), url, '-h')
        print(f'     {name}: opened in {len(s.asked)} requests, {s.sent} bytes')
        check(f'{name}: opened in {most} requests at most', head.returncode == 0 and len(s.asked) <= most, (len(s.asked), head.stderr))
        check(f'{name}: in 250 KB at most', s.sent <= 250000, s.sent)
        for more in ('', '#mode=zarr,zip'):
            done = dump(environment(), url + more)
            check(f'{name}{more}: as on disk', want.returncode == 0 and done.stdout == want.stdout and len(done.stdout) > 100000, done.stderr)
    many_values(environment(), 'file://many.zip', 100000)
    s.latency, s.most = .1, 0
    done = run(environment(), BUILD / 'tests/net/read_all', f'{s.url}/files/many.zip', 'v')
    check('many chunks', done.stdout == run(environment(), BUILD / 'tests/net/read_all', 'many.zip', 'v').stdout and done.returncode == 0, done.stderr)
    check('chunks of an archive are announced', s.most >= 8, s.most)
    s.latency = 0
    done = run(environment(), TOOLS / 'cellar', 'verify', f'{s.url}/files/deflated.zip')
    check('verified', ': whole' in done.stdout, done.stdout + done.stderr)
    done = run(environment(), TOOLS / 'nccopy', f'{s.url}/files/deflated.zip', 'copy.nc')
    check('copied', done.returncode == 0 and dump(environment(), 'copy.nc', '-v', 'v').returncode == 0, done.stderr)
    refused(s)
    faults(s)


def refused(s):
    whole = pathlib.Path('zarr-v2.zip').read_bytes()
    pathlib.Path('cut.zip').write_bytes(whole[:-30])
    pathlib.Path('empty.zip').write_bytes(b'')
    at = whole.rindex(b'PK\5\6')
    pathlib.Path('far.zip').write_bytes(whole[:at + 16] + b'\xf0\xff\xff\x7f' + whole[at + 20:])
    first, *entries = whole.split(b'PK\1\2')
    pathlib.Path('huge.zip').write_bytes(b'PK\1\2'.join([first, *(e[:16] + b'\xf0\xff\xff\x7f' * 2 + e[24:] for e in entries)]))
    for name, says in (('cut.zip', 'not a zip archive'), ('empty.zip', 'not a zip archive'), ('far.zip', 'lies outside'),
                       ('none.zip', 'no such archive')):
        done = dump(environment(), f'{s.url}/files/{name}?token=SESAME#mode=zarr,zip')
        check(f'{name}: refused', done.returncode == 1 and says in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr)
    done = dump(environment(), f'{s.url}/files/huge.zip#mode=zarr,zip', '-h')
    check('huge.zip: the bounds of a local one', 'CELLAR_MAX_DECODED' in done.stdout and
          done.stdout == dump(environment(), 'file://huge.zip#mode=zarr,zip', '-h').stdout, done.stdout)
    done = run(environment(), TOOLS / 'ncgen', '-o', f'{s.url}/files/new.zip#mode=zarr,zip', 't.cdl')
    check('a web server is only read', done.returncode == 1 and 'only be read' in done.stderr, done.stderr)


def faults(s):
    want, right, clean = dump(environment(), 'zarr-v2.zip').stdout, 0, 0
    parts = set(want.split(';'))
    for s.every in (2, 3, 5, 7, 11):
        done = dump(environment(), f'{s.url}/files/zarr-v2.zip')
        strange = [part for part in done.stdout.split(';')[:-1] if part not in parts]
        if done.returncode == 0 and done.stdout == want:
            right += 1
        elif done.returncode == 1 and done.stderr and len(strange) <= len(done.stderr.splitlines()):
            clean += 1
        else:
            check(f'every {s.every}', False, done.stderr)
    s.every = 0
    print(f'     faults delivered: {s.delivered}; {right} right, {clean} errors')
    check('right values or a sentence', right + clean == 5 and right > 0)
    check('each fault was delivered', all(s.delivered.get(f, 0) > 0 for f in ('503', 'reset', 'short', 'wrong', 'stale', 'slow')), s.delivered)


# --- written --------------------------------------------------------------------------------------------

def make_ints(env, url, length=192):
    pathlib.Path('v.cdl').write_text(f'netcdf v {{ dimensions: x = {length}; variables: int v(x); v:_ChunkSizes = 4; }}')
    return run(env, TOOLS / 'ncgen', '-o', url + '#mode=zarr,v3,zip', 'v.cdl')


def written():
    server = bucket.Server()
    env = environment(server.url)
    for mode in ('zarr,v3,zip', 'zarr,v2,zip', 'nczarr,v2,zip', 'zarr,v3,zip,consolidated'):
        name = mode.replace(',', '-') + '.zip'
        run(env, TOOLS / 'ncgen', '-o', f'file://{name}#mode={mode}', 't.cdl')
        for again in ('', ', over what is there'):
            server.puts = 0
            done = run(env, TOOLS / 'ncgen', '-o', f's3://bucket/a b/{name}#mode={mode}', 't.cdl')
            check(f'{mode}{again}: written', done.returncode == 0, done.stderr)
            check(f'{mode}{again}: the bytes of a local one', server.values[f'a b/{name}'][0] == pathlib.Path(name).read_bytes())
            check(f'{mode}{again}: what was put is known by the answer', server.asked[-1][0] == 'PUT', server.asked[-2:])
            check(f'{mode}{again}: with one put beside those that claim the name', server.puts <= (1 if again else 3), server.puts)
        check(f'{mode}: dumped', dump(env, f's3://bucket/a b/{name}').stdout ==
              dump(env, f'file://{name}#mode=zarr,zip,consolidated').stdout)
    check('nothing is left', [p for p in os.listdir(os.environ['TMPDIR']) if 'cellar-' in p] == [], os.listdir(os.environ['TMPDIR']))
    server.shutdown()


def named():
    """The ending says what is made, as it does for a path."""
    server = bucket.Server()
    env = environment(server.url)
    want = dump(env, 'file://nczarr-v2.zip').stdout
    for command, before, behind in ((('nccopy',), ['nczarr-v2.zip'], []), (('ncgen', '-o'), [], ['t.cdl'])):
        for name in ('named.zip', 'named.zarr', 'a folder.ZARR/b.zip'):
            server.values.clear()
            done = run(env, TOOLS / command[0], *command[1:], *before, f's3://bucket/{name}', *behind)
            key = name if name.endswith('.zip') else name + '/.zgroup'
            check(f'{command[0]} to s3://bucket/{name}', done.returncode == 0 and key in server.values, (done.stderr, list(server.values)))
            check('and back', dump(env, f's3://bucket/{name}').stdout.split('{', 1)[1] == want.split('{', 1)[1])
    for name in ('program.zip', 'program.zarr'):
        done = run(env, BUILD / 'tests/net/archive_writer', f's3://bucket/{name}', '5000000', 'named')
        check(f'nc_create of s3://bucket/{name}', done.returncode == 0, done.stderr)
    check('an archive and a store', server.values['program.zip'][0][:2] == b'PK' and 'program.zarr/.zgroup' in server.values)
    done = run(env, TOOLS / 'nccopy', 'nczarr-v2.zip', 's3://bucket/named.nc')
    check('another ending is refused', done.returncode == 1 and '.zarr' in done.stderr and '.zip' in done.stderr, done.stderr)
    server.shutdown()


def no_room():
    """The folder where an archive is made is full: a sentence that names it, nothing on the server, and what is there stays."""
    server = bucket.Server()
    env = environment(server.url)
    check('made', make_ints(env, 's3://bucket/v.zip').returncode == 0)
    there = dict(server.values)
    os.makedirs('full', exist_ok=True)
    mounted = os.geteuid() == 0 and subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=1m', 'none', 'full'], capture_output=True).returncode == 0

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        if not mounted:
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

    def try_it(what, *command):
        done = subprocess.run([str(c) for c in command], env={**env, 'TMPDIR': os.path.abspath('full')}, capture_output=True, text=True,
                              timeout=120, preexec_fn=limit)
        check(f'{what}: says where there is no room', done.returncode == 1 and 'full' in done.stderr and 'TMPDIR' in done.stderr and
              ('No space left' in done.stderr or 'File too large' in done.stderr), done.stderr)
        check(f'{what}: nothing is changed on the server', server.values == there, {k: len(v[0]) for k, v in server.values.items()})
        return done.stderr

    try:
        for chunk in (5000000, 10000):
            try_it(f'a new archive, chunks of {chunk}', BUILD / 'tests/net/archive_writer', 's3://bucket/new.zip', chunk)
            for left in os.listdir('full'):
                os.unlink('full/' + left)
        told = try_it('a tool', TOOLS / 'nccopy', 'many.zip', 's3://bucket/new.zip')
        check('a tool tells what it leaves', all(name in told for name in os.listdir('full')), (os.listdir('full'), told))
        try_it('over what is there', TOOLS / 'nccopy', 'many.zip', 's3://bucket/v.zip')
    finally:
        if mounted:
            subprocess.run(['umount', 'full'])
    server.shutdown()


def appended():
    server = bucket.Server()
    env, url = environment(server.url), 's3://bucket/v.zip'
    check('made', make_ints(env, url).returncode == 0)
    for part in range(3):
        done = run(env, WRITER, 'write', url, part, 3)
        check(f'opened and changed, {part}', done.returncode == 0 and 'ignores' not in done.stderr, done.stderr)
    check('all is there', run(env, WRITER, 'count', url, 3).stdout == '48 of 48, 0 empty\n')
    with open('v.zip', 'wb') as f:
        f.write(server.values['v.zip'][0])
    check('a sound archive', zipfile.ZipFile('v.zip').testzip() is None)
    server.shutdown()


def changed_meanwhile():
    """What another put there since is not replaced; what could not be put is told of."""
    server = bucket.Server()
    env, url = environment(server.url), 's3://bucket/v.zip'
    make_ints(env, url)
    p = subprocess.Popen([WRITER, 'write', url, '0', '1'], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    p.stdout.readline()
    with server.lock:
        server.values['v.zip'] = b'of another', '"another"'
    _, error = p.communicate(timeout=60)
    check('another archive is left alone', p.returncode == 1 and 'somebody else' in error and server.values['v.zip'][0] == b'of another', error)
    server.shutdown()


def two_writers():
    server = bucket.Server()
    env, url = environment(server.url), 's3://bucket/v.zip'
    make_ints(env, url)
    p = subprocess.Popen([WRITER, 'write', url, '0', '1'], env=env, stdout=subprocess.PIPE, text=True)
    p.stdout.readline()
    p.send_signal(signal.SIGSTOP)
    done = run(env, WRITER, 'write', url, 1, 2)
    check('a second writer of this machine is told to wait', done.returncode == 1 and 'being written by another' in done.stderr, done.stderr)
    os.makedirs('elsewhere', exist_ok=True)
    there = run({**env, 'TMPDIR': 'elsewhere'}, WRITER, 'write', url, 1, 48)  # as on another machine
    p.send_signal(signal.SIGCONT)
    p.communicate(timeout=60)
    check('of two writers elsewhere one fails', there.returncode == 0 and p.returncode == 1, (there.stderr, p.returncode))
    count = run(env, WRITER, 'count', url, 48).stdout
    check("and the other's values are there", count.startswith('2 of 48'), count)
    server.shutdown()


def killed():
    server = bucket.Server()
    env, url = environment(server.url), 's3://bucket/v.zip'
    make_ints(env, url)
    p = subprocess.Popen([WRITER, 'write', url, '0', '1'], env=env, stdout=subprocess.PIPE, text=True)
    lines = sum(1 for _ in zip(range(5), p.stdout))
    p.send_signal(signal.SIGKILL)
    lines += len(p.stdout.read().splitlines())
    p.wait()
    count = run(env, WRITER, 'count', url, 1).stdout.split()
    check(f'killed after {lines} chunks', lines >= 5 and lines <= int(count[0]) <= lines + 1, count)
    again = run(env, WRITER, 'write', url, 0, 1)
    left = [name for name in os.listdir(os.environ['TMPDIR']) if name.startswith('.cellar-tmp')]
    check('the next writer removes what was left', again.returncode == 0 and not left, (again.stderr, left))
    server.shutdown()


def many_values(env, url='s3://bucket/big.zip', chunk=5000000):
    return run(env, BUILD / 'tests/net/archive_writer', url, str(chunk))


def large():
    server = bucket.Server()
    env = environment(server.url)
    done = many_values(env)
    check('20 MB, in parts', done.returncode == 0 and len(server.values['big.zip'][0]) > 20000000, done.stderr)
    check('it is read', dump(env, 's3://bucket/big.zip', '-h').returncode == 0)
    done = many_values(env)
    check('NC_NOCLOBBER', done.returncode == 1 and 'exists already' in done.stderr, done.stderr)
    server.shutdown()
    server = bucket.Server(blind=True)
    env = environment(server.url)
    done = many_values(env)
    check('a server that ignores conditions is noticed', done.returncode == 0 and 'ignores conditions' in done.stderr, done.stderr)
    done = run({**env, 'TMPDIR': 'nowhere'}, TOOLS / 'ncgen', '-o', 's3://bucket/x.zip#mode=zarr,zip', 't.cdl')
    check('no place to make it', done.returncode == 1 and 'TMPDIR' in done.stderr, done.stderr)
    server.shutdown()


os.makedirs('scratch', exist_ok=True)
os.environ['TMPDIR'] = os.path.abspath('scratch')
make()
web()
for part in (written, named, no_room, appended, changed_meanwhile, two_writers, killed, large):
    part()
print(len(failed), 'failed', *failed, sep='\n')
sys.exit(1 if failed else 0)
