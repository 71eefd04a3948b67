#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Servers that mean harm, or are broken in ways that look like it, and programs that meet at one: nobody waits for ever, no memory is
shown or taken, nobody's values are lost, and what says who asks goes nowhere else.

usage: hostile.py BUILD [long]"""
import datetime
import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

import bucket
import nasty

BUILD = pathlib.Path(sys.argv[1])
PROGRAMS = BUILD / 'tests/net'
SIGNED = {'AWS_ACCESS_KEY_ID': 'k', 'AWS_SECRET_ACCESS_KEY': 's'}
failed = []


def check(what, good, more=''):
    print('ok  ' if good else 'BAD ', what, '' if good else more)
    if not good:
        failed.append(what)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def log_message(self, *_):
        pass

    def any(self):
        self.rfile.read(int(self.headers.get('Content-Length', 0)))
        with self.server.lock:
            self.server.asked.append((self.command, self.path, {k.lower(): v for k, v in self.headers.items()}))
        self.server.reply(self)

    do_GET = do_PUT = do_HEAD = do_DELETE = do_POST = any

    def answer(self, status, body=b'', headers=(), length=None):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header('Content-Length', str(len(body) if length is None else length))
        self.end_headers()
        if self.command != 'HEAD':
            self.wfile.write(body)

    def wanted(self):
        match = re.fullmatch(r'bytes=(\d+)-(\d+)', self.headers.get('Range', ''))
        return (int(match[1]), int(match[2])) if match else None


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, reply):
        super().__init__(('127.0.0.1', 0), Handler)
        self.reply, self.lock, self.asked = reply, threading.Lock(), []
        self.url = f'http://127.0.0.1:{self.server_address[1]}'
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        pass  # a client that gave up


def ask(program, *command, **env):
    """What it prints; None: it does not end."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(('AWS_', 'CELLAR_')) and not k.lower().endswith('_proxy')}
    try:
        done = subprocess.run([PROGRAMS / program, *map(str, command)], capture_output=True, timeout=100,
                              env={**clean, 'no_proxy': '*', 'HOME': os.getcwd(), 'AWS_EC2_METADATA_DISABLED': 'true', **env})
    except subprocess.TimeoutExpired:
        return None
    return done.stdout.decode(errors='replace') if done.returncode >= 0 else f'ended by signal {-done.returncode}'


def store(server, mode, *command, **env):
    return ask('store_ask', 's3://bucket/x', mode, *command, AWS_ENDPOINT_URL_S3=server.url, **env)


def sizes():
    """A size that no value has, in a file whose reader believes it; ranges of more than there can be."""
    def reply(h):
        first, last = h.wanted() or (0, -1)
        h.answer(206, b'A' * (last + 1 - first), [('ETag', '"x"'), ('Content-Range', f'bytes {first}-{last}/{2**64 - 16}')])
    s = Server(reply)
    answer = ask('store_ask', s.url + '/d/', 'read', 'source', 'k', 1 << 40, 100)
    check('a size that cannot be', answer == "source failed -68 k: the server says that it has 18446744073709551600 bytes, which "
          'cannot be\n', answer)
    answer = ask('net_ask', '-r', 2**64 - 16, 100, 'GET', nasty.Server().url + '/ignore')
    check('a range that cannot be', answer and 'are more than any value has' in answer, answer)


def endless(status, *headers):
    def reply(h):
        h.close_connection = True
        h.send_response(status)
        for name, value in headers:
            h.send_header(name, value)
        h.end_headers()
        while True:
            h.wfile.write(b'z' * 65536)
    return Server(reply).url + '/d'


def bodies():
    answer = ask('net_ask', '-r', 0, 10, 'GET', endless(404))
    check('a failure that is told without an end', answer and answer.startswith('404 1 0 - zzz'), answer)
    answer = ask('net_ask', '-r', 0, 10, 'GET', endless(206, ('Content-Range', 'bytes 0-9/1000')))
    check('a range without an end', answer and 'sends more than the 10 bytes that were asked for' in answer, answer)
    s = Server(lambda h: h.answer(206, b'0123456789'))
    answer = ask('net_ask', '-r', 0, 10, 'GET', s.url + '/d')
    check('a range that does not say which', answer and 'does not say which' in answer and len(s.asked) == 1, answer)


def lists():
    def reply(h):
        h.answer(200, b'<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>'
                      b'<Contents><Key>x/a</Key></Contents></ListBucketResult>')
    s = Server(reply)
    answer = store(s, 'read', 'list', **SIGNED)
    check('a list without an end', answer and 'gives the same page again' in answer and len(s.asked) == 2, answer)
    s = Server(lambda h: h.answer(200, b'<ListBucketResult><Contents><Key>y/strange</Key></Contents><Contents><Key>x/a</Key></Contents>'
                                       b'<IsTruncated>false</IsTruncated></ListBucketResult>'))
    answer = store(s, 'read', 'list', **SIGNED)
    check('names that were not asked for', answer == 'a list \n', answer)


def walks():
    """Sizes that a list told are not asked for, unless the store may be written."""
    s = bucket.Server()
    s.values.update({'x/a': (b'12345', '"a"'), 'x/b c': (b'', '"b"')})
    words = ('list', 'size', 'a', 'size', 'b c')
    answer = store(s, 'read', *words, **SIGNED)
    check('a walk takes no request for each size', answer == 'a b c list \nsize 5\nsize 0\n' and s.gets == 1, (answer, s.gets))
    answer = store(s, 'write', *words, **SIGNED)
    check('what may be written is asked for', answer == 'a b c list \nsize 5\nsize 0\n' and s.gets == 4, (answer, s.gets))


def ahead():
    """Values that are announced as huge while many are fetched ahead; one that is written while it is fetched."""
    def reply(h):
        if h.path.endswith('/small'):
            return h.answer(200, b'v')
        h.answer(200, b'x', length=200 << 20)
        h.connection.setblocking(False)
        time.sleep(1)
        try:
            given_up.append(h.connection.recv(1) == b'')
        except BlockingIOError:
            given_up.append(False)
    s, given_up = Server(reply), []
    many = [word for i in range(40) for word in ('want', f'c{i}')]
    answer = store(s, 'read', 'get', 'small', *many, 'sleep', 3000, **SIGNED)
    check('huge values are not fetched ahead side by side', len(given_up) >= 40 and given_up.count(False) < 5, (answer, given_up))

    s = bucket.Server()
    s.values['x/c'] = s.values['x/z'] = b'old', '"o"'
    put, fetched = bucket.Handler.do_PUT, threading.Event()

    def slow_put(self):
        fetched.wait(20)
        put(self)

    class Slow(bucket.Handler):
        do_PUT = slow_put

        def do_GET(self):
            super().do_GET()
            if self.key() == 'x/c':
                fetched.set()
    s.RequestHandlerClass = Slow
    answer = store(s, 'write', 'get', 'z', 'behind', 'put', 'c', 'new', 'sleep', 300, 'want', 'c', 'join', 'get', 'c', **SIGNED)
    check('what was written is read', fetched.is_set() and answer == 'get old\nput \nget new\n', answer)


def makers():
    """Two programs that make one store at the same moment: the list shows nothing to either, and the other's value is there first."""
    class Handler(bucket.Handler):
        def list(self):
            super().list()
            self.server.values.setdefault('x/zarr.json', (b'theirs', '"t"'))
    s = bucket.Server()
    s.RequestHandlerClass = Handler
    answer = store(s, 'create', 'put', 'zarr.json', 'ours', 'put', 'zarr.json', 'ours', 'put', 'v/zarr.json', 'ours', **SIGNED)
    check('of two who make a store one fails', answer and answer.count('put failed -35') == 3, answer)
    check('and the other keeps what is there', s.values == {'x/zarr.json': (b'theirs', '"t"')}, s.values)
    s = bucket.Server()
    answer = store(s, 'create', 'put', 'zarr.json', 'ours', **SIGNED)
    check('what was made and given up is removed', answer == 'put \n' and not s.values, (answer, s.values))


def first_of_a_host():
    """The first request to a host takes long: others go beside it."""
    together, lock = [], threading.Barrier(4)

    def reply(h):
        try:
            lock.wait(10)
            together.append(h.path)
        except threading.BrokenBarrierError:
            pass
        h.answer(200, b'v')
    answer = ask('net_ask', '-n', 4, 'GET', Server(reply).url + '/d')
    check('others go beside the first request to a host', len(together) == 4, answer)


def services():
    """The services that hand out credentials: where they redirect to is not asked, and one without TLS must be near."""
    other, data = Server(lambda h: h.answer(200, b'role')), Server(lambda h: h.answer(200, b'v'))
    instance = Server(lambda h: h.answer(200, b'TOKEN') if h.command == 'PUT' else h.answer(302, headers=[('Location', other.url + '/')]))
    store(data, 'read', 'get', 'c', AWS_EC2_METADATA_DISABLED='', AWS_EC2_METADATA_SERVICE_ENDPOINT=instance.url)
    check('the token of an instance goes nowhere else', len(instance.asked) == 2 and not other.asked, other.asked)
    container = Server(lambda h: h.answer(302, headers=[('Location', other.url + '/')]))
    answer = store(data, 'read', 'get', 'c', AWS_CONTAINER_CREDENTIALS_FULL_URI=container.url + '/c', AWS_CONTAINER_AUTHORIZATION_TOKEN='T')
    check('a container\'s service that redirects', container.asked and not other.asked and 'does not' in answer, answer)
    for host in ('http://localhost:80@' + other.url[7:], 'http://localhost.example', 'http://127.0.0.100.example'):
        answer = store(data, 'read', 'get', 'c', AWS_CONTAINER_CREDENTIALS_FULL_URI=host + '/c', AWS_CONTAINER_AUTHORIZATION_TOKEN='T')
        check('a host that looks as if it were near', answer.startswith('open failed') and 'container\'s' not in answer and not other.asked,
              (answer, other.asked))


def ended_credentials():
    """Credentials end, and the service has none at that moment: no request goes out without a signature."""
    def reply(h):
        if h.command == 'PUT':
            return h.answer(200, b'TOKEN')
        if len(instance.asked) > 3:
            return h.answer(503)
        if h.path.endswith('credentials/'):
            return h.answer(200, b'role')
        ends = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=2)
        return h.answer(200, json.dumps({'AccessKeyId': 'k', 'SecretAccessKey': 's', 'Token': 't',
                                         'Expiration': ends.strftime('%Y-%m-%dT%H:%M:%SZ')}).encode())
    instance, data = Server(reply), Server(lambda h: h.answer(200, b'v'))
    answer = store(data, 'read', 'get', 'a', 'sleep', 3000, 'get', 'b', AWS_EC2_METADATA_DISABLED='',
                   AWS_EC2_METADATA_SERVICE_ENDPOINT=instance.url)
    check('credentials that have ended', answer.startswith('get v\nget failed -78') and 'the credentials have ended' in answer, answer)
    check('nothing is asked without them', data.asked and all('authorization' in headers for _, _, headers in data.asked))


def process_that_goes_on():
    """It has printed all it prints, and does not end: a minute, and no longer."""
    pathlib.Path('.aws').mkdir(exist_ok=True)
    pathlib.Path('.aws/config').write_text('[default]\ncredential_process = sh -c "echo {}; exec >&-; exec sleep 900"\n')
    answer = store(Server(lambda h: h.answer(200, b'v')), 'read', 'get', 'c')
    check('a process that does not end', answer and 'was ended: it ran for more than 60 seconds' in answer, answer)


if 'long' in sys.argv[2:]:
    process_that_goes_on()
else:
    for part in (sizes, bodies, lists, walks, ahead, makers, first_of_a_host, services, ended_credentials):
        part()
print(len(failed), 'failed', *failed, sep='\n')
sys.exit(1 if failed else 0)
