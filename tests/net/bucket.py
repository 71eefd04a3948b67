# SPDX-License-Identifier: BSD-3-Clause
"""A bucket of S3 in memory, as far as stores need one: keys are put, in parts too, read in ranges, listed and removed; conditions are
honoured. The server makes writers meet: as often as it is told, a put of a key waits until there is another of it, so that both
are based on the same value (who then wins has one chunk less to write: writers must have more of them for each key). Signatures are not looked at."""
import hashlib
import http.server
import re
import threading
import time
import urllib.parse
import xml.sax.saxutils


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    disable_nagle_algorithm = True  # else an answer's body waits for the acknowledgement of its head

    def log_message(self, *_):
        pass

    def answer(self, status, body=b'', headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        if self.command != 'HEAD':
            self.wfile.write(body)

    def key(self):
        return urllib.parse.unquote(self.path.split('?')[0])[len('/bucket/'):]

    def parse_request(self):
        good = super().parse_request()
        if good:
            with self.server.lock:
                self.server.asked.append((self.command, self.path, {k.lower(): v for k, v in self.headers.items()}))
        return good

    def allowed(self, etag):
        """Whether the conditions hold of what is there now."""
        match = self.headers.get('If-Match')
        return (match is None or match == etag) and not (self.headers.get('If-None-Match') == '*' and etag)

    def list(self):
        query = dict(urllib.parse.parse_qsl(self.path.split('?')[1]))
        prefix, delimiter = query.get('prefix', ''), query.get('delimiter')
        with self.server.lock:
            keys = sorted(k for k in self.server.values if k.startswith(prefix))
        names, folders = [], []
        for key in keys:
            rest = key[len(prefix):]
            if delimiter and delimiter in rest:
                folders.append(prefix + rest.split(delimiter)[0] + delimiter)
            else:
                names.append(key)
        text = ''.join(f'<Contents><Key>{xml.sax.saxutils.escape(k)}</Key><Size>{len(self.server.values[k][0])}</Size></Contents>'
                       for k in names)
        text += ''.join(f'<CommonPrefixes><Prefix>{xml.sax.saxutils.escape(k)}</Prefix></CommonPrefixes>'
                        for k in sorted(set(folders)))
        self.answer(200, f'<ListBucketResult><IsTruncated>false</IsTruncated>{text}</ListBucketResult>'.encode())

    def do_GET(self):
        self.server.gets += 1
        if not self.key():
            return self.list()
        with self.server.lock:
            value, etag = self.server.values.get(self.key(), (None, None))
        if value is None:
            return self.answer(404, b'<Error><Code>NoSuchKey</Code></Error>')
        if not self.allowed(etag):
            return self.answer(412)
        wanted = re.fullmatch(r'bytes=(\d+)-(\d+)', self.headers.get('Range', ''))
        if not wanted:
            return self.answer(200, value, [('ETag', etag)])
        first, last = int(wanted[1]), min(int(wanted[2]), len(value) - 1)
        if first > last:
            return self.answer(416, headers=[('Content-Range', f'bytes */{len(value)}')])
        return self.answer(206, value[first:last + 1],
                           [('ETag', etag), ('Content-Range', f'bytes {first}-{last}/{len(value)}')])

    do_HEAD = do_GET

    def conditional(self):
        return 'If-Match' in self.headers or 'If-None-Match' in self.headers

    def put_value(self, body, answer=b''):
        """With the lock."""
        server = self.server
        if server.odd and self.conditional():
            status, code = server.odd.pop()
            return self.answer(status, b'<Error><Code>%s</Code></Error>' % code.encode())
        if not server.blind and not self.allowed(server.values.get(self.key(), (None, None))[1]):
            server.refused += 'If-Match' in self.headers
            return self.answer(412, b'<Error><Code>PreconditionFailed</Code></Error>')
        etag = server.etag(body)
        server.values[self.key()] = body, etag
        return self.answer(200, answer, [('ETag', etag)])

    def meet(self):
        """Not a put that asks whether conditions are looked at: nothing comes of it."""
        server, key = self.server, self.key()
        if '/c/' not in key or server.met.get(key, 0) == server.meetings or (key in server.values and 'If-None-Match' in self.headers):
            return
        other = server.waiting.pop(key, None)
        if other is not None:
            server.met[key] = server.met.get(key, 0) + 1
            other.append(self)
            server.turn.notify_all()
        else:
            pair = server.waiting[key] = []
            if not server.turn.wait_for(lambda: pair, timeout=10):
                server.waiting.pop(key)

    def wait(self):
        with self.server.lock:
            self.server.under_way += 1
            self.server.most = max(self.server.most, self.server.under_way)
        time.sleep(self.server.latency)
        with self.server.lock:
            self.server.under_way -= 1

    def do_PUT(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        with self.server.lock:
            self.server.arrived.append((self.key(), set(self.server.values)))
        self.wait()
        with self.server.lock:
            self.server.puts += 1
            if self.server.refuses.get(self.key(), 0) > 0:
                self.server.refuses[self.key()] -= 1
                return self.answer(403, b'<Error><Code>AccessDenied</Code></Error>')
            if 'partNumber=' in self.path:
                number = int(re.search(r'partNumber=(\d+)', self.path)[1])
                self.server.parts[number] = body
                return self.answer(200, headers=[('ETag', self.server.etag(body))])
            self.meet()
            return self.put_value(body)

    def do_POST(self):
        self.rfile.read(int(self.headers['Content-Length']))
        with self.server.lock:
            if 'uploads' in self.path:
                self.server.parts = {}
                return self.answer(200, b'<I><UploadId>u</UploadId></I>')
            return self.put_value(b''.join(self.server.parts[n] for n in sorted(self.server.parts)), b'<R></R>')

    def do_DELETE(self):
        with self.server.lock:
            if 'uploadId=' not in self.path:  # else only the parts are forgotten
                self.server.values.pop(self.key(), None)
        self.answer(204)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, meetings=0, blind=False, etag='"%s"', odd=(), tls=None):
        """blind: to conditions. odd: the answers to the first puts with one, each a status and S3's word for it."""
        super().__init__(('127.0.0.1', 0), Handler)
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_side=True)
        self.asked = []  # each request's method, path and headers
        self.lock, self.values, self.parts, self.waiting, self.met = threading.RLock(), {}, {}, {}, {}
        self.turn = threading.Condition(self.lock)
        self.gets = self.puts = self.refused = 0
        self.latency, self.under_way, self.most = 0, 0, 0  # of puts
        self.arrived = []  # each put's key, with the keys that were there
        self.refuses = {}  # how often nobody may put these keys
        self.meetings, self.blind, self.form, self.odd = meetings, blind, etag, list(odd)
        self.url = f'http://127.0.0.1:{self.server_address[1]}'
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def etag(self, body):
        return self.form % hashlib.md5(body).hexdigest()

    def handle_error(self, request, client_address):
        pass  # a client that was killed
