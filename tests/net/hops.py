#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Between a program and its data: a proxy (tinyproxy) as http_proxy, https_proxy, no_proxy and .ncrc name it, and HTTP/2 (nginx).
What secrets a program has are in nothing that it leaves behind, also not in a core file.

usage: hops.py BUILD"""
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys

import servers

BUILD = pathlib.Path(sys.argv[1])
TOOLS = BUILD / 'tools'
SECRET = 'cave/of+forty/thieves'
failed = []


def check(what, good, more=''):
    print('ok  ' if good else 'BAD ', what, '' if good else more)
    if not good:
        failed.append(what)


def environment(**more):
    env = servers.environment(AWS_ACCESS_KEY_ID=None, AWS_SECRET_ACCESS_KEY=None, **more)
    if 'no_proxy' not in more:
        del env['no_proxy']
    return env


def dump(url, **more):
    return servers.run(environment(**more), TOOLS / 'ncdump', url)


def is_right(done):
    return 'v = 1, 2, 3, 4' in done.stdout


def proxies(plain, tls, bundle):
    port = servers.free_port()
    pathlib.Path('tiny.conf').write_text(f'Port {port}\nListen 127.0.0.1\nTimeout 60\nMaxClients 50\nLogLevel Connect\n'
                                         f'LogFile "{os.getcwd()}/tiny.log"\n')
    if not servers.start_system('tinyproxy', ['-d', '-c', 'tiny.conf'], port):
        return
    proxy = f'http://127.0.0.1:{port}'
    log = pathlib.Path('tiny.log')

    def through(what, url, expected, **more):
        before = log.read_text().count('Request')
        done = dump(url, **more)
        check(what, is_right(done) and (log.read_text().count('Request') > before) == expected, done.stderr)

    through('http_proxy', f'{plain}/t.nc', True, http_proxy=proxy)
    through('https_proxy: a tunnel, and the certificate is the server\'s', f'{tls}/t.nc', True, https_proxy=proxy,
            CELLAR_CA_BUNDLE=bundle)
    check('which must verify', 'certificate does not verify' in dump(f'{tls}/t.nc', https_proxy=proxy).stderr)
    through('no_proxy', f'{plain}/t.nc', False, http_proxy=proxy, no_proxy='localhost,127.0.0.1')
    pathlib.Path('.ncrc').write_text(f'HTTP.PROXY.SERVER={proxy}\n')
    through('.ncrc', f'{plain}/t.nc', True)
    os.remove('.ncrc')
    check('a proxy that is not there', dump(f'{plain}/t.nc', http_proxy='http://127.0.0.1:1').returncode == 1)


def http2(pair):
    port = servers.free_port()
    here = os.getcwd()
    pathlib.Path('nginx.conf').write_text(f'''daemon off; error_log {here}/nginx-error.log; pid {here}/nginx.pid; user root;
events {{}} http {{ log_format f '$server_protocol $status $request'; access_log {here}/nginx.log f;
client_body_temp_path {here}/n1; proxy_temp_path {here}/n2; fastcgi_temp_path {here}/n3; uwsgi_temp_path {here}/n4; scgi_temp_path {here}/n5;
server {{ listen 127.0.0.1:{port} ssl http2; ssl_certificate {here}/{pair[0]}; ssl_certificate_key {here}/{pair[1]}; root {here}/web; }} }}''')
    if not servers.start_system('nginx', ['-e', f'{here}/nginx-error.log', '-c', f'{here}/nginx.conf'], port):
        return
    url = f'https://127.0.0.1:{port}'
    for name in ('t.nc', 't.zarr'):
        done = dump(f'{url}/{name}', CELLAR_CA_BUNDLE=pair[0])
        check(f'HTTP/2: {name}', is_right(done), done.stderr)
    lines = pathlib.Path('nginx.log').read_text().splitlines()
    check('all of it', lines and all(x.startswith('HTTP/2.0 20') or '404' in x for x in lines), lines)
    done = dump(f'{url}/t.nc')
    check('a certificate that does not verify', 'certificate does not verify' in done.stderr and not is_right(done))


def allow_core():
    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def secrets(rclone):
    """A program that has read from a bucket with a secret from a file dies: what it wrote, and its core."""
    os.makedirs('.aws', exist_ok=True)
    pathlib.Path('.aws/credentials').write_text(f'[default]\naws_access_key_id = {servers.KEY}\naws_secret_access_key = {SECRET}\n')
    os.chmod('.aws/credentials', 0o600)
    pathlib.Path('stats').write_text('')
    env = environment(AWS_ENDPOINT_URL=rclone, no_proxy='*', CELLAR_STATS='stats', CELLAR_CACHE='cache:1M', NETCDF_LOG_LEVEL='5')
    seen = []
    for url in ('s3://bucket/t.nc', 's3://bucket/t.zarr', 's3://bucket/absent.nc', 's3://nowhere/x.zarr'):
        seen.append(servers.run(env, TOOLS / 'ncdump', url))
    check('read with a secret', is_right(seen[0]) and is_right(seen[1]) and seen[2].returncode == seen[3].returncode == 1)
    left = ''.join(d.stdout + d.stderr for d in seen) + ''.join(
        p.read_text(errors='replace') for p in [pathlib.Path('stats'), *pathlib.Path('cache').iterdir()])
    check('no secret in texts, stats and cache', SECRET not in left and len(left) > 1000)
    done = subprocess.run([str(BUILD / 'tests/net/read_all'), 's3://bucket/t.nc', 'v', 'abort'], env=env, preexec_fn=allow_core,
                          capture_output=True)
    cores = [p for p in pathlib.Path('.').iterdir() if p.name.startswith('core')]
    if done.returncode != -signal.SIGABRT or not cores:
        print('NOT RUN: no core file is written here (/proc/sys/kernel/core_pattern)', file=sys.stderr)
        return
    core = cores[0].read_bytes()
    check('a core file that knows the key', servers.KEY.encode() in core)
    check('and not the secret', SECRET.encode() not in core)


def main():
    pathlib.Path('t.cdl').write_text('netcdf t { dimensions: x = 4; variables: float v(x); data: v = 1, 2, 3, 4; }')
    os.makedirs('web')
    env = environment(no_proxy='*')
    servers.run(env, TOOLS / 'ncgen', '-4', '-o', 'web/t.nc', 't.cdl')
    servers.run(env, TOOLS / 'ncgen', '-o', 'file://web/t.zarr#mode=zarr,v3,consolidated', 't.cdl')
    pair = servers.certificate()
    proxies(servers.rclone_http('web'), servers.rclone_http('web', pair), pair[0])
    http2(pair)
    shutil.copytree('web', 'buckets/bucket')
    secrets(servers.rclone_s3('buckets', SECRET))
    print(len(failed), 'failed', *failed, sep='\n')
    return 1 if failed else 0


sys.exit(main())
