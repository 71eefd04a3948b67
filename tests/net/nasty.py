# SPDX-License-Identifier: BSD-3-Clause
"""A server on this machine that answers wrongly when its path says so, and keeps a list of what it was asked.

/data           1000 bytes with an ETag: ranges and conditions are honoured
/ignore/...     the same, but ranges are ignored
/status/S/N     status S the first N times, then as /data
/reset/N        the connection ends without an answer the first N times
/short/N        half of the body is sent the first N times, then the connection ends
/cut/N          fewer bytes of the range than asked for, the first N times
/odd            as /data, but a range is answered with 200
/wrong          a range, but not the one that was asked for
/slow/MS        the answer takes that long
/redirect/URL   302
/files/...      what the server's `folder` has, with the server's next fault each `every` requests (0: never)
/echo           the method, the body's length and the headers"""
import http.server
import itertools
import os
import re
import threading
import time
import urllib.parse

DATA = bytes(i * 7 % 251 for i in range(1000))
ETAG = '"v1"'
SLOW = 2  # seconds: more than the tests let a client wait


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def log_message(self, *_):
        pass

    def answer(self, status, body=b'', headers=(), send=None):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        if self.command != 'HEAD':
            self.wfile.write(body if send is None else body[:send])
        if send is not None:
            self.close_connection = True

    def data(self, ranges=True, shift=0, cut=0, status=206):
        match = self.headers.get('If-Match')
        if match and match != ETAG:
            return self.answer(412)
        wanted = re.fullmatch(r'bytes=(\d+)-(\d+)', self.headers.get('Range', ''))
        if not ranges or not wanted:
            return self.answer(200, DATA, [('ETag', ETAG)])
        first, last = int(wanted[1]) + shift, min(int(wanted[2]) + shift, len(DATA) - 1) - cut
        if first >= len(DATA):
            return self.answer(416)
        return self.answer(status, DATA[first:last + 1],
                           [('ETag', ETAG), ('Content-Range', f'bytes {first}-{last}/{len(DATA)}')])

    def file(self, name):
        s = self.server
        try:
            f = open(os.path.join(s.folder, urllib.parse.unquote(name)), 'rb')
        except OSError:
            return self.answer(404)
        with f:
            return self.parts(f)

    def parts(self, f):
        s, stat = self.server, os.fstat(f.fileno())
        with s.lock:
            s.turn += 1
            fault = next(s.faults) if s.every and s.turn % s.every == 0 else None
            s.delivered[fault] = s.delivered.get(fault, 0) + 1
        etag = '"other"' if fault == 'stale' else f'"{stat.st_size}-{stat.st_mtime_ns}"'
        if fault == 'slow':
            time.sleep(SLOW)
        if fault == '503':
            return self.answer(503)
        if fault == 'reset':
            self.close_connection = True
            return None
        if self.headers.get('If-Match', etag) != etag:
            return self.answer(412)
        if self.headers.get('If-None-Match') == etag:
            return self.answer(304, headers=[('ETag', etag)])
        wanted = re.fullmatch(r'bytes=(\d+)-(\d+)', self.headers.get('Range', ''))
        several = re.findall(r'(\d+)-(\d+)', self.headers.get('Range', '')) if not wanted else []
        if several and s.several in self.ANSWERS:
            body, kind = self.ANSWERS[s.several](f, [(int(a), min(int(b), stat.st_size - 1)) for a, b in several], stat.st_size,
                                                 8 if fault == 'wrong' else 0)
            with s.lock:
                s.sent += len(body)
            return self.answer(206, body, [('ETag', etag), ('Content-Type', kind)], len(body) // 2 if fault == 'short' else None)
        if not wanted:
            with s.lock:
                s.sent += stat.st_size
            return self.answer(200, f.read(), [('ETag', etag)], stat.st_size // 2 if fault == 'short' else None)
        first, last = int(wanted[1]) + (8 if fault == 'wrong' else 0), min(int(wanted[2]), stat.st_size - 1)
        if first > last:
            return self.answer(416, headers=[('Content-Range', f'bytes */{stat.st_size}')])
        with s.lock:
            s.sent += last + 1 - first
        f.seek(first)
        return self.answer(206, f.read(last + 1 - first),
                           [('ETag', etag), ('Content-Range', f'bytes {first}-{last}/{stat.st_size}')],
                           (last + 1 - first) // 2 if fault == 'short' else None)

    def join_parts(f, ranges, size, shift, boundary='3d6b6a416f9b5', odd=lambda part: part):
        body = b''
        for first, last in ranges:
            f.seek(first + shift)
            head = f'--{boundary}\r\nContent-Type: text/plain\r\nContent-Range: bytes {first + shift}-{last + shift}/{size}\r\n\r\n'
            body += odd(head.encode() + f.read(last + 1 - first) + b'\r\n')
        return body + f'--{boundary}--\r\n'.encode(), f'multipart/byteranges; boundary={boundary}'

    # How several ranges are answered; anything else: whole, as if none were asked for. The last are hostile.
    ANSWERS = {
        'parts': join_parts,
        'quoted': lambda *a: (Handler.join_parts(*a)[0], 'multipart/byteranges; charset=x; boundary="3d6b6a416f9b5"'),
        'backwards': lambda f, ranges, *a: Handler.join_parts(f, ranges[::-1], *a),
        'first alone': lambda f, ranges, *a: Handler.join_parts(f, ranges[:1], *a),
        'no parts': lambda f, ranges, *a: (Handler.join_parts(f, ranges, *a)[0], 'text/plain'),
        'cut': lambda *a: (Handler.join_parts(*a)[0][:-5000], Handler.join_parts(*a)[1]),
        'shifted': lambda f, ranges, size, shift: Handler.join_parts(f, ranges, size, 8),
        'another size': lambda f, ranges, size, shift: Handler.join_parts(f, ranges, size + 1, shift),
        'endless numbers': lambda *a: Handler.join_parts(*a, odd=lambda part: part.replace(b'bytes ', b'bytes 99999999999999999999')),
        'less than it says': lambda *a: Handler.join_parts(*a, odd=lambda part: part[:len(part) // 2]),
    }

    def handle_any(self):
        body = self.rfile.read(int(self.headers.get('Content-Length', 0)))
        with self.server.lock:
            self.server.asked.append((self.command, self.path, dict(self.headers), len(body)))
            seen = self.server.seen[self.path] = self.server.seen.get(self.path, 0) + 1
            self.server.waves += self.server.under_way == 0
            self.server.under_way += 1
            self.server.most = max(self.server.most, self.server.under_way)
        time.sleep(self.server.latency)
        with self.server.lock:
            self.server.under_way -= 1
        kind, *more = self.path.split('?')[0].strip('/').split('/')
        if kind == 'files':
            return self.file('/'.join(more))
        if kind == 'data':
            return self.data()
        if kind == 'ignore':
            return self.data(ranges=False)
        if kind == 'status':
            return self.answer(int(more[0]), b'no') if seen <= int(more[1]) else self.data()
        if kind == 'reset' and seen <= int(more[0]):
            self.close_connection = True
            return None
        if kind == 'short' and seen <= int(more[0]):
            return self.answer(200, DATA, send=500)
        if kind == 'cut':
            return self.data(cut=5 if seen <= int(more[0]) else 0)
        if kind == 'odd':
            return self.data(status=200)
        if kind == 'wrong':
            return self.data(shift=10)
        if kind == 'slow':
            time.sleep(int(more[0]) / 1000)
            return self.data()
        if kind == 'redirect':
            return self.answer(302, headers=[('Location', self.path[len('/redirect/'):])])
        if kind == 'echo':
            return self.answer(200, f'{self.command} {len(body)} {sorted(k.lower() for k in self.headers)}'.encode())
        if kind == 'absent':
            return self.answer(404)
        return self.data()

    do_GET = do_PUT = do_HEAD = do_DELETE = do_POST = handle_any


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self):
        super().__init__(('127.0.0.1', 0), Handler)
        self.lock, self.asked, self.seen, self.connections = threading.Lock(), [], {}, 0
        self.folder, self.every, self.turn, self.sent, self.delivered = '.', 0, 0, 0, {}
        self.faults = itertools.cycle(['503', 'reset', 'short', 'wrong', 'stale', 'slow'])
        self.several = 'parts'  # how several ranges are answered: ANSWERS
        self.latency, self.under_way, self.most, self.waves = 0, 0, 0, 0
        self.port = self.server_address[1]
        self.url = f'http://127.0.0.1:{self.port}'
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        pass  # a client that gave up

    def process_request(self, request, client_address):
        with self.lock:
            self.connections += 1
        super().process_request(request, client_address)

    def count(self, path):
        with self.lock:
            return self.seen.get(path, 0)
