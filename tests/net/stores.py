#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Zarr stores on real servers: the contract of a store, the tools, and zarr-python on the same bucket.

usage: stores.py BUILD [PART...]"""
import json
import os
import pathlib
import subprocess
import sys

import servers

BUILD = pathlib.Path(sys.argv[1])
TOOLS = BUILD / 'tools'
failed = []

CDL = '''netcdf t {
dimensions: x = 40; y = 50; t = UNLIMITED;
variables:
  float v(x, y); v:_ChunkSizes = 20, 25; v:units = "K"; v:_FillValue = -1.f;
  int n(x); short r(t, x); r:_ChunkSizes = 2, 40; char c(x);
  :title = "a title";
group: g { variables: double d(x); data: d = 1, 2, 3, 4; }
data: n = 1, 2, 3; r = 1, 2, 3; c = "text"; v = 1, 2, 3, 4.5;
}'''
ZIPS = ['zarr,v3,zip', 'zarr,v2,zip,consolidated', 'nczarr,v2,zip']
MODES = ['nczarr,v2', 'zarr,v2', 'zarr,v2,consolidated', 'zarr,v3', 'zarr,v3,consolidated', 'nczarr,v3']


def check(what, good, more=''):
    print('ok  ' if good else 'BAD ', what, '' if good else more)
    if not good:
        failed.append(what)


def run(env, *command, fails=False):
    done = subprocess.run([str(c) for c in command], capture_output=True, timeout=300, env=env)
    text = done.stdout + done.stderr
    if servers.SECRET.encode() in text:
        failed.append(f'{command}: the secret was printed')
    if bool(done.returncode) != fails:
        failed.append(f'{command}: exit {done.returncode}')
        print('BAD ', command, done.returncode, done.stderr.decode()[-600:])
    return (done.stderr if fails else done.stdout).decode()


def dump(env, url, *options):
    text = run(env, TOOLS / 'ncdump', *options, url)
    return text.split('\n', 1)[-1]


def contract(endpoint, name):
    env = servers.environment(endpoint, CELLAR_TEST_STORE='s3://bucket/contract')
    done = subprocess.run([str(BUILD / 'tests/unit/store/test_store')], env=env, capture_output=True, text=True)
    check(f'{name}: the contract of a store', done.returncode == 0 and 'a_large_value_goes_in_parts' in done.stdout,
          done.stdout[-800:] + done.stderr[-800:])


def tools(endpoint, name):
    env = servers.environment(endpoint)
    for i, mode in enumerate(MODES):
        local, url = f'file://{name}{i}.zarr#mode={mode}', f's3://bucket/dir =+%é(1)/{name}{i}.zarr#mode={mode}'
        run(env, TOOLS / 'nccopy', 't.nc', local)
        run(env, TOOLS / 'nccopy', 't.nc', url)
        want = dump(env, local)
        check(f'{name}: {mode} as on disk', len(want) > 300 and dump(env, url) == want)
        there = f'{endpoint}/bucket/dir%20%3D%2B%25%C3%A9%281%29/{name}{i}.zarr#mode={mode},s3'
        check(f'{name}: {mode} by the address of the server', dump(env, there) == want)
        run(env, TOOLS / 'nccopy', url, f'{name}{i}.nc')
        run(env, TOOLS / 'nccopy', local, f'{name}{i}-local.nc')
        check(f'{name}: {mode} copied back', dump(env, f'{name}{i}.nc') == dump(env, f'{name}{i}-local.nc'))
    url = f's3://bucket/dir =+%é(1)/{name}3.zarr'
    check(f'{name}: cellar info', '40x50' in run(env, TOOLS / 'cellar', 'info', url))
    check(f'{name}: cellar verify', ': whole' in run(env, TOOLS / 'cellar', 'verify', url))
    run(env, TOOLS / 'nccopy', 't.nc', url + '#mode=zarr,v3')
    check(f'{name}: a store is replaced', dump(env, url) == dump(env, f'file://{name}3.zarr#mode=zarr'))
    check(f'{name}: no bucket', "there is no bucket 'nowhere'" in
          run(env, TOOLS / 'ncdump', 's3://nowhere/x.zarr', fails=True))
    check(f'{name}: no store', 'is no Zarr store' in run(env, TOOLS / 'ncdump', 's3://bucket/x.zarr', fails=True))
    secret = run(env, TOOLS / 'ncdump', f's3://{servers.KEY}:{servers.SECRET}@bucket/x.zarr', fails=True)
    check(f'{name}: no secrets in URLs', 'password is not opened' in secret)


def signatures(endpoint):
    wrong = servers.environment(endpoint, AWS_SECRET_ACCESS_KEY='wrong')
    check('rclone: a wrong secret', 'does not allow' in run(wrong, TOOLS / 'ncdump', 's3://bucket/x.zarr', fails=True))


PEER = '''
import sys, json, numpy, zarr
what, kind, bucket_url, endpoint, key, secret = sys.argv[1:]
def store(path):
    if kind == 's3fs':
        import s3fs
        fs = s3fs.S3FileSystem(key=key, secret=secret, endpoint_url=endpoint, asynchronous=True)
        return zarr.storage.FsspecStore(fs, path=f'bucket/{path}')
    import obstore.store
    return zarr.storage.ObjectStore(obstore.store.S3Store('bucket', prefix=path, endpoint=endpoint, access_key_id=key,
        secret_access_key=secret, region='us-east-1', client_options={'allow_http': True}, virtual_hosted_style_request=False))
data = numpy.arange(60 * 70, dtype='f4').reshape(60, 70)
if what == 'write':
    for version in (2, 3):
        root = zarr.open_group(store(f'{kind}{version}.zarr'), mode='w', zarr_format=version)
        a = root.create_array('a', shape=data.shape, chunks=(20, 35), dtype='f4', attributes={'units': 'm'})
        a[:] = data
        if version == 3:
            s = root.create_array('s', shape=data.shape, shards=(40, 70), chunks=(20, 35), dtype='f4')
            s[:] = data
            zarr.consolidate_metadata(store(f'{kind}{version}.zarr'))
else:
    for path in json.loads(what):
        a = zarr.open_group(store(path), mode='r')['v'][:]
        print(path, [float(x) for x in a.ravel()[:5]], a.shape)
'''


def numbers(env, url, name):
    text = dump(env, url, '-v', name)
    text = text.split(f' {name} =')[-1].split(';')[0] if f' {name} =' in text else ''
    return [0. if x.strip() == '_' else float(x) for x in text.replace('\n', ' ').split(',') if x.strip()]


def peers(endpoint, name, kind):
    env = servers.environment(endpoint)
    arguments = [kind, 's3://bucket', endpoint, servers.KEY, servers.SECRET]
    done = subprocess.run([sys.executable, '-c', PEER, 'write', *arguments], env=env, capture_output=True, text=True)
    check(f'{name}: zarr-python with {kind} writes', done.returncode == 0, done.stderr[-1500:])
    want = [float(i) for i in range(60 * 70)]
    for version in (2, 3):
        check(f'{name}: what it wrote in version {version}', numbers(env, f's3://bucket/{kind}{version}.zarr', 'a') == want)
    check(f'{name}: shards', numbers(env, f's3://bucket/{kind}3.zarr', 's') == want)
    paths = [f'{kind}-ours{i}.zarr' for i in range(len(MODES))]
    for path, mode in zip(paths, MODES):
        run(env, TOOLS / 'nccopy', 't.nc', f's3://bucket/{path}#mode={mode}')
    done = subprocess.run([sys.executable, '-c', PEER, json.dumps(paths), *arguments], env=env, capture_output=True, text=True)
    check(f'{name}: zarr-python with {kind} reads ours',
          done.stdout.count('[1.0, 2.0, 3.0, 4.5, -1.0] (40, 50)') == len(MODES), done.stdout + done.stderr[-1500:])


def shards(endpoint, name):
    env = servers.environment(endpoint)
    codecs = '[{"name": "sharding_indexed", "configuration": {"chunk_shape": [10, 25], "codecs": [{"name": "bytes", ' \
             '"configuration": {"endian": "little"}}], "index_codecs": [{"name": "bytes", "configuration": ' \
             '{"endian": "little"}}, {"name": "crc32c"}]}}]'
    pathlib.Path('s.cdl').write_text(CDL.replace('v:units', 'v:_Codecs = %s; v:units' % json.dumps(codecs)))
    for url in (f'{name}-shards.zarr', 's3://bucket/shards.zarr'):
        run(env, TOOLS / 'ncgen', '-o', ('' if '://' in url else 'file://') + url + '#mode=zarr,v3', 's.cdl')
    want = dump(env, f'{name}-shards.zarr', '-s')
    check(f'{name}: shards of ours', 'sharding' in want and dump(env, 's3://bucket/shards.zarr', '-s') == want)


ZIP_PEER = '''
import sys, numpy, zarr, obstore, obstore.store
endpoint, key, secret, *names = sys.argv[1:]
store = obstore.store.S3Store('bucket', endpoint=endpoint, access_key_id=key, secret_access_key=secret, region='us-east-1',
                              client_options={'allow_http': True}, virtual_hosted_style_request=False)
for version in (2, 3):
    with zarr.storage.ZipStore(f'theirs{version}.zip', mode='w') as z:
        root = zarr.open_group(z, mode='w', zarr_format=version)
        a = root.create_array('a', shape=(60, 70), chunks=(20, 35), dtype='f4')
        a[:] = numpy.arange(60 * 70, dtype='f4').reshape(60, 70)
    obstore.put(store, f'theirs{version}.zip', open(f'theirs{version}.zip', 'rb').read())
for name in names:
    with open(name, 'wb') as f:
        f.write(bytes(obstore.get(store, name).bytes()))
    with zarr.storage.ZipStore(name, mode='r') as z:
        a = zarr.open_group(z, mode='r')['v'][:]
        print([float(x) for x in a.ravel()[:5]], a.shape)
'''


def archives(endpoint, name):
    """Zip archives: as on disk, byte by byte what zarr-python reads, changed in place; and those that zarr-python makes."""
    env = servers.environment(endpoint)
    names = [f'{name}-ours{i}.zip' for i in range(len(ZIPS))]
    for zip, mode in pairs(names):
        run(env, TOOLS / 'nccopy', 't.nc', f'file://local-{zip}#mode={mode}')
        for _ in range(2):
            run(env, TOOLS / 'nccopy', 't.nc', f's3://bucket/{zip}#mode={mode}')
        want = dump(env, f'file://local-{zip}#mode={mode},consolidated')
        check(f'{name}: {mode} as on disk', len(want) > 300 and dump(env, f's3://bucket/{zip}#mode={mode}') == want)
        check(f'{name}: {mode} by its first bytes', dump(env, f's3://bucket/{zip}') == want)
        check(f'{name}: {mode} by the address of the server', dump(env, f'{endpoint}/bucket/{zip}#mode=zarr,zip,s3') == want)
        check(f'{name}: {mode} verified', ': whole' in run(env, TOOLS / 'cellar', 'verify', f's3://bucket/{zip}'))
    done = subprocess.run([sys.executable, '-c', ZIP_PEER, endpoint, servers.KEY, servers.SECRET, *names], env=env, capture_output=True, text=True)
    check(f'{name}: zarr-python reads our archives', done.stdout.count('[1.0, 2.0, 3.0, 4.5, -1.0] (40, 50)') == len(ZIPS), done.stderr[-1500:])
    for zip in names:
        check(f'{name}: {zip}, byte by byte', pathlib.Path(zip).read_bytes() == pathlib.Path(f'local-{zip}').read_bytes())
    for version in (2, 3):
        check(f'{name}: an archive of zarr-python, version {version}',
              numbers(env, f's3://bucket/theirs{version}.zip', 'a') == [float(i) for i in range(60 * 70)])
    changed(env, name)


def pairs(names):
    return list(zip(names, ZIPS))


def changed(env, name):
    pathlib.Path('z.cdl').write_text('netcdf z { dimensions: x = 48; variables: int v(x); v:_ChunkSizes = 4; }')
    url, writer = f's3://bucket/{name}-z.zip', BUILD / 'tests/net/shard_writer'
    run(env, TOOLS / 'ncgen', '-o', url + '#mode=zarr,v3,zip', 'z.cdl')
    for part in range(2):
        run(env, writer, 'write', url, part, 2)
    check(f'{name}: an archive is changed in place', run(env, writer, 'count', url, 2) == '12 of 12, 0 empty\n')


def web(folder):
    env = servers.environment()
    for mode in ('zarr,v2', 'zarr,v3'):
        run(env, TOOLS / 'nccopy', 't.nc', f'file://{folder}/{mode[-2:]} é.zarr#mode={mode},consolidated')
    run(env, TOOLS / 'nccopy', 't.nc', f'file://{folder}/unlisted.zarr#mode=zarr,v3')
    run(env, TOOLS / 'nccopy', 't.nc', f'file://{folder}/a é.zip#mode=zarr,v3,zip')
    plain = servers.rclone_http(folder)
    pair = servers.certificate()
    tls = servers.rclone_http(folder, pair)
    for version in ('v2', 'v3'):
        want = dump(env, f'file://{folder}/{version} é.zarr#mode=zarr,consolidated')
        check(f'http: {version}', dump(env, f'{plain}/{version} é.zarr') == want and len(want) > 300)
        check(f'http: {version}, encoded', dump(env, f'{plain}/{version}%20%C3%A9.zarr#mode=zarr') == want)
        trusting = servers.environment(CELLAR_CA_BUNDLE=pair[0])
        check(f'https: {version}', dump(trusting, f'{tls}/{version} é.zarr') == want)
    want = dump(env, f'file://{folder}/a é.zip#mode=zarr,zip,consolidated')
    check('http: an archive', dump(env, f'{plain}/a é.zip') == want and len(want) > 300)
    check('https: an archive', dump(trusting, f'{tls}/a%20%C3%A9.zip#mode=zarr,zip') == want)
    check('http: a store that cannot be listed', 'consolidated' in
          run(env, TOOLS / 'ncdump', f'{plain}/unlisted.zarr', fails=True))
    check('https: a certificate that does not verify', 'certificate does not verify' in
          run(env, TOOLS / 'ncdump', f'{tls}/v3 é.zarr', fails=True))
    check('http: nothing is written', 'can only be read' in
          run(env, TOOLS / 'nccopy', 't.nc', f'{plain}/new.zarr#mode=zarr,v3', fails=True))


def no_key(endpoint):
    return servers.environment(endpoint, AWS_ACCESS_KEY_ID=None, AWS_SECRET_ACCESS_KEY=None)


def identities(endpoint, moto):
    env = no_key(endpoint)
    url = 's3://bucket/who.zarr'
    run(servers.environment(endpoint), TOOLS / 'nccopy', 't.nc', url + '#mode=zarr,v3')
    refused = run(env, TOOLS / 'ncdump', '-h', url, fails=True)
    check('nobody in particular', 'answers 400' in refused or 'does not allow' in refused, refused)
    os.makedirs('.aws', exist_ok=True)
    pathlib.Path('.aws/credentials').write_text(f'[default]\naws_access_key_id = {servers.KEY}\n'
                                                f'aws_secret_access_key = {servers.SECRET}\n')
    pathlib.Path('.aws/config').write_text(f'[profile p]\nendpoint_url = {endpoint}\nregion = eu-west-1\n'
                                           f'aws_access_key_id = {servers.KEY}\naws_secret_access_key = {servers.SECRET}\n')
    check('the files of AWS', 'float v' in run(env, TOOLS / 'ncdump', '-h', url))
    profile = no_key(None)
    profile['AWS_PROFILE'] = 'p'
    check('a profile with an endpoint', 'float v' in run(profile, TOOLS / 'ncdump', '-h', url))
    os.remove('.aws/credentials')
    os.remove('.aws/config')
    meta = no_key(moto)
    meta.update(AWS_EC2_METADATA_DISABLED='false', AWS_EC2_METADATA_SERVICE_ENDPOINT=moto)
    run(servers.environment(moto), TOOLS / 'nccopy', 't.nc', url + '#mode=zarr,v3')
    check('an instance', 'float v' in run(meta, TOOLS / 'ncdump', '-h', url))
    log = pathlib.Path('moto.log').read_text(errors='replace')
    check('whose service was asked', '/latest/meta-data/iam/security-credentials/default-role' in log and '/latest/api/token' in log)


def main():
    pathlib.Path('t.cdl').write_text(CDL)
    env = servers.environment()
    run(env, TOOLS / 'ncgen', '-4', '-o', 't.nc', 't.cdl')
    moto, rclone = servers.moto(), servers.rclone_s3('buckets')
    os.makedirs('web')
    for name, endpoint in (('moto', moto), ('rclone', rclone), ('versitygw', servers.versitygw('gateway'))):
        if not endpoint:
            continue
        contract(endpoint, name)
        tools(endpoint, name)
        shards(endpoint, name)
        archives(endpoint, name)
        for kind in ('s3fs', 'obstore'):
            peers(endpoint, name, kind)
    signatures(rclone)
    identities(rclone, moto)
    web('web')
    print(len(failed), 'failed', *failed, sep='\n')
    return 1 if failed else 0


sys.exit(main())
