#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Where URLs lead. gs:// goes to Google's own host, and AWS_REQUEST_PAYER with every request, signed: a proxy leads the way to that host to a bucket of this
machine, whose certificate is for Google's name. URLs with mistakes, missing keys and hosts that refuse: one sentence of each tool.

usage: addresses.py BUILD"""
import os
import pathlib
import re
import socket
import ssl
import subprocess
import sys
import threading

import bucket
import nasty

BUILD = pathlib.Path(sys.argv[1])
HOST = 'storage.googleapis.com'
failed = []


def check(what, good, more=''):
    print('ok  ' if good else 'BAD ', what, '' if good else more)
    if not good:
        failed.append(what)


def run(more, *command):
    env = {k: v for k, v in os.environ.items() if not k.startswith(('AWS_', 'CELLAR_')) and not k.lower().endswith('_proxy')}
    env = {**env, 'AWS_ACCESS_KEY_ID': 'GOOGKEY', 'AWS_SECRET_ACCESS_KEY': 's', 'CELLAR_HTTP_RETRIES': '0', **more}
    return subprocess.run([str(c) for c in command], env=env, capture_output=True, text=True, timeout=120)


def pump(source, sink):
    try:
        while data := source.recv(1 << 16):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass


class Proxy:
    """CONNECT to any host leads to one port of this machine; `names` are those that were asked for."""

    def __init__(self, port):
        self.target, self.names = port, []
        self.listener = socket.create_server(('127.0.0.1', 0))
        self.url = f'http://127.0.0.1:{self.listener.getsockname()[1]}'
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self.connect, args=(client,), daemon=True).start()

    def connect(self, client):
        head = b''
        while b'\r\n\r\n' not in head:
            head += client.recv(4096)
        self.names.append(head.split()[1].decode())
        server = socket.create_connection(('127.0.0.1', self.target))
        client.sendall(b'HTTP/1.1 200 OK\r\n\r\n')
        threading.Thread(target=pump, args=(client, server), daemon=True).start()
        pump(server, client)


def google():
    subprocess.run(['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', f'/CN={HOST}', '-addext',
                    f'subjectAltName=DNS:{HOST}', '-keyout', 'key.pem', '-out', 'cert.pem'], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain('cert.pem', 'key.pem')
    server = bucket.Server(tls=context)
    proxy = Proxy(server.server_address[1])
    env = {'https_proxy': proxy.url, 'CELLAR_CA_BUNDLE': 'cert.pem'}
    done = run(env, BUILD / 'tools/ncgen', '-o', 'gs://bucket/t.zarr#mode=zarr,v3', 't.cdl')
    check('a store is written to gs://', done.returncode == 0 and 't.zarr/zarr.json' in server.values, done.stderr)
    done = run(env, BUILD / 'tools/ncdump', 'gs://bucket/t.zarr')
    check('and read', 'v = 1, 2, 3' in done.stdout, done.stderr)
    check("at Google's host alone", set(proxy.names) == {f'{HOST}:443'}, proxy.names)
    signed = [h['authorization'] for _, _, h in server.asked if 'authorization' in h]
    check('signed for its region', signed and all(re.match(r'AWS4-HMAC-SHA256 Credential=GOOGKEY/\d{8}/auto/s3/aws4_request', a) for a in signed),
          signed[:1])
    server.asked.clear()
    done = run({**env, 'AWS_NO_SIGN_REQUEST': 'true'}, BUILD / 'tools/ncdump', 'gs://bucket/t.zarr')
    check('without a signature where nobody asks', done.returncode == 0 and server.asked and
          not any('authorization' in h for _, _, h in server.asked), done.stderr)
    done = run({'https_proxy': proxy.url}, BUILD / 'tools/ncdump', 'gs://bucket/t.zarr')
    check('not at a host whose certificate does not verify', done.returncode == 1 and 'certificate' in done.stderr, done.stderr)
    server.shutdown()


def payer():
    server = bucket.Server()
    env = {'AWS_ENDPOINT_URL': server.url, 'no_proxy': '*'}
    for pays in (True, False):
        server.asked.clear()
        more = {'AWS_REQUEST_PAYER': 'requester'} if pays else {}
        done = run({**env, **more}, BUILD / 'tools/ncgen', '-o', 's3://bucket/p.zarr#mode=zarr,v3', 't.cdl')
        done = run({**env, **more}, BUILD / 'tools/ncdump', 's3://bucket/p.zarr') if done.returncode == 0 else done
        asked = [h.get('x-amz-request-payer') for _, _, h in server.asked]
        check(f'payer: {pays}', done.returncode == 0 and len(asked) > 5 and set(asked) == {'requester' if pays else None}, (asked, done.stderr))
        check(f'payer: {pays}, signed', all(('x-amz-request-payer' in h.get('authorization', '')) == pays for _, _, h in server.asked))
    server.shutdown()


MISTAKES = (  # the URL, what is said of it
    ('s3://', 'names no bucket'), ('gs://', 'names no bucket'), ('s3:///x.zarr', 'names no bucket'), ('s3://bucket/nothing.zarr', 'is no Zarr store'),
    ('s3://bucket/nothing.nc', 'neither an HDF5'), ('s3://bucket/nothing.zip', 'neither an HDF5'),
    ('s3://bucket/nothing#mode=zarr,zip', 'no such archive'), ('s3://bucket/p.zarr?x=SESAME', 'has no query'),
    ('http://127.0.0.1:1/p#mode=dap4', 'OPeNDAP'), ('http://', 'names no host'), ('https:///x.nc', 'names no host'), ('http:/host/x.nc', 'no such file'),
    ('htp://host/x.nc', 'no such kind of URL'), ('http://anna:SESAME@127.0.0.1:1/x.nc', 'password is not opened'),
    ('http://127.0.0.1:1/x.nc?key=SESAME', 'connect'), ('http://nowhere.invalid/x.nc', 'resolve'), ('http://127.0.0.1:99999/x.nc', ''))


def mistakes():
    server = bucket.Server()
    env = {'AWS_ENDPOINT_URL': server.url, 'no_proxy': '*', 'AWS_SECRET_ACCESS_KEY': 'SESAME'}
    for url, says in MISTAKES:
        for command in (['ncdump'], ['cellar', 'info'], ['cellar', 'verify'], ['nccopy']):
            done = run(env, BUILD / 'tools' / command[0], *command[1:], url, *(['out.nc'] if command == ['nccopy'] else []))
            text = done.stderr + done.stdout
            check(f'{" ".join(command)} {url}', done.returncode in (1, 2) and says in text and len(text.splitlines()) == 1 and 'SESAME' not in text,
                  (done.returncode, text))
    for url, says in (('s3://bucket/x.nc', 'a Zarr store can be written'), ('http://127.0.0.1:1/x.nc', 'only be read'),
                      ('s3://#mode=zarr', 'names no bucket'), ('s3://bucket#mode=zarr', 'below a name'), ('s3://bucket#mode=zarr,zip', 'names no archive')):
        done = run(env, BUILD / 'tools/ncgen', '-o', url, 't.cdl')
        check(f'ncgen -o {url}', done.returncode == 1 and says in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr)
    server.shutdown()


def queries():
    """What a URL's query holds is in no output, also where all is well."""
    run({}, BUILD / 'tools/ncgen', '-4', '-o', 'q.nc', 't.cdl')
    s = nasty.Server()
    url = f'{s.url}/files/q.nc?token=SESAME#mode=bytes'
    for command in (['ncdump'], ['ncdump', '-h'], ['cellar', 'info'], ['cellar', 'info', '--json'], ['cellar', 'verify'],
                    ['cellar', 'verify', '--json']):
        done = run({'no_proxy': '*'}, BUILD / 'tools' / command[0], *command[1:], url)
        check(f'{" ".join(command)}: no query', done.returncode == 0 and done.stdout and 'SESAME' not in done.stdout + done.stderr,
              (done.returncode, done.stdout[:300], done.stderr))
    run({'no_proxy': '*'}, BUILD / 'tools/cellar', 'info', '--html=page.html', url)
    check('nor in a page', 'SESAME' not in pathlib.Path('page.html').read_text())
    s.shutdown()


pathlib.Path('t.cdl').write_text('netcdf t { dimensions: x = 3; variables: int v(x); data: v = 1, 2, 3; }')
google()
payer()
mistakes()
queries()
print(len(failed), 'failed', *failed, sep='\n')
sys.exit(1 if failed else 0)
