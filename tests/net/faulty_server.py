#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Requests against a server that answers wrongly: what is tried again, what is not, and what the caller is told.

usage: faulty_server.py NET_ASK"""
import os
import subprocess
import sys
import time

import nasty

NET_ASK = sys.argv[1]
SECRET = 'sesame/open+me'
failed = []


def ask(*args, env=()):
    done = subprocess.run([NET_ASK, *args], capture_output=True, timeout=120,
                          env={**os.environ, 'no_proxy': '*', **dict(env)})
    if SECRET.encode() in done.stdout + done.stderr:
        failed.append(f'{args}: the secret was printed')
    return done.stdout


def check(what, good):
    print('ok  ' if good else 'BAD ', what)
    if not good:
        failed.append(what)


def whole(answer, attempts, ignored=0, part=nasty.DATA, status=200):
    return answer == b'%d %d %d "v1" ' % (status, attempts, ignored) + part + b'\n'


def retries(s):
    check('a good answer is taken at once', whole(ask('GET', s.url + '/data'), 1))
    for status in (429, 500, 502, 503, 504):
        check(f'{status} is tried again', whole(ask('GET', f'{s.url}/status/{status}/2'), 3))
    for status in (400, 403, 404, 501):
        path = f'/status/{status}/9'
        check(f'{status} is not', ask('GET', s.url + path) == b'%d 1 0 - no\n' % status and s.count(path) == 1)
    check('a reset is tried again', whole(ask('GET', s.url + '/reset/2'), 3))
    check('a short body is tried again', whole(ask('GET', s.url + '/short/2'), 3))
    check('in the end the answer is given', ask('GET', s.url + '/status/503/99', env={'CELLAR_HTTP_RETRIES': '2'}.items())
          == b'503 3 0 - no\n' and s.count('/status/503/99') == 3)
    answer = ask('GET', s.url + '/reset/99?key=' + SECRET, env={'CELLAR_HTTP_RETRIES': '1'}.items())
    check('or the failure, with the URL and without its query',
          answer.startswith(b'failed -67 ' + s.url.encode() + b'/reset/99: '))
    begin = time.time()
    answer = ask('GET', s.url + '/slow/90000', env={'CELLAR_HTTP_TIMEOUT': '1'}.items())
    check('silence ends it, once', answer.startswith(b'failed') and time.time() - begin < 60 and s.count('/slow/90000') == 1)
    check('nobody listens', ask('GET', 'http://127.0.0.1:1/x').startswith(b'failed -67 http://127.0.0.1:1/x: '))


def ranges(s):
    def part(path, offset, n):
        return ask('-r', str(offset), str(n), 'GET', s.url + path)

    check('a range', whole(part('/data', 100, 50), 1, part=nasty.DATA[100:150], status=206))
    check('the end', whole(part('/data', 990, 10), 1, part=nasty.DATA[990:], status=206))
    check('beyond the end', part('/data', 990, 11) == b'failed 4 \n')
    check('far beyond it', part('/data', 5000, 11) == b'failed 4 \n')
    check('a server that ignores ranges', whole(part('/ignore', 100, 50), 1, 1, nasty.DATA[100:150]))
    check('one that calls a range 200', whole(part('/odd', 100, 50), 1, 0, nasty.DATA[100:150]))
    check('beyond its end', part('/ignore', 990, 11) == b'failed 4 \n')
    check('another range than asked for', b'the bytes from 110 on' in part('/wrong', 100, 50))
    check('a range cut short', whole(part('/cut/1', 100, 50), 2, part=nasty.DATA[100:150], status=206))
    answer = ask('-H', 'if-match="v0"', '-r', '1', '1', 'GET', s.url + '/data')
    check('a condition', answer.startswith(b'412 1 '))
    check('more than is right', b'it has 1000 bytes, where at most 999' in ask('-m', '999', 'GET', s.url + '/data'))


def hosts(s, other):
    check('a redirect', whole(ask('GET', f'{s.url}/redirect/{other.url}/data'), 1))
    answer = ask('-s', 'AKIA', SECRET, 'us-east-1', 'GET', f'{s.url}/redirect/{other.url}/echo')
    check('a signed request follows none', answer.startswith(b'302 1') and other.count('/echo') == 0)
    check('nor one with a body', ask('-d', 'x', 'PUT', f'{s.url}/redirect/{other.url}/echo').startswith(b'302 1'))
    check('not to a file', ask('GET', f'{s.url}/redirect/file:///etc/passwd').startswith(b'failed -67'))
    answer = ask('-s', 'AKIA', SECRET, 'us-east-1', '-d', 'body', 'PUT', s.url + '/echo')
    check('a signed body', answer.startswith(b"200 1 0 - PUT 4 [") and b'authorization' in answer and
          b'x-amz-content-sha256' in answer and b'expect' not in answer)
    check('no empty names', ask('HEAD', s.url + '/data') == b'200 1 0 "v1" \n')


def many(s):
    before = s.connections
    answer = ask('-n', '500', '-r', '0', '100', 'GET', s.url + '/slow/5').splitlines()
    check('500 at once, by 64 connections at most', s.count('/slow/5') == 500 and s.connections - before <= 64 and
          ask('-n', '500', '-r', '0', '100', 'GET', s.url + '/data').count(b'206 1 0 "v1"') == 500 and len(answer) >= 500)
    before = s.connections
    ask('-n', '40', 'GET', s.url + '/data', env={'CELLAR_HTTP_REQUESTS': '2'}.items())
    check('connections are used again', s.connections - before <= 2)
    check('a child of fork asks by itself', ask('-f', 'GET', s.url + '/data').count(nasty.DATA) == 4)
    begin = time.time()
    ask('-c', '100', '-n', '100', 'GET', s.url + '/slow/90000?c')
    check('giving up takes no time', time.time() - begin < 60)


def main():
    s, other = nasty.Server(), nasty.Server()
    for part in (lambda: retries(s), lambda: ranges(s), lambda: hosts(s, other), lambda: many(s)):
        part()
    print(len(failed), 'failed')
    return 1 if failed else 0


sys.exit(main())
