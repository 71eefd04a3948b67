"""A bucket of S3 in memory, as far as stores need one: keys are put, read in ranges, listed and removed; conditions are honoured, and
each put takes a moment, so that two writers meet. Signatures are not looked at."""
import hashlib
import http.server
import re
import threading
import time
import urllib.parse
import xml.sax.saxutils


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

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
        text = ''.join(f'<Contents><Key>{xml.sax.saxutils.escape(k)}</Key></Contents>' for k in names)
        text += ''.join(f'<CommonPrefixes><Prefix>{xml.sax.saxutils.escape(k)}</Prefix></CommonPrefixes>'
                        for k in sorted(set(folders)))
        self.answer(200, f'<ListBucketResult><IsTruncated>false</IsTruncated>{text}</ListBucketResult>'.encode())

    def do_GET(self):
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

    def do_PUT(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        time.sleep(self.server.delay)
        with self.server.lock:
            self.server.puts += 1
            if not self.server.blind and not self.allowed(self.server.values.get(self.key(), (None, None))[1]):
                self.server.refused += 1
                return self.answer(412, b'<Error><Code>PreconditionFailed</Code></Error>')
            etag = f'"{hashlib.md5(body).hexdigest()}"'
            self.server.values[self.key()] = body, etag
        return self.answer(200, headers=[('ETag', etag)])

    def do_DELETE(self):
        with self.server.lock:
            self.server.values.pop(self.key(), None)
        self.answer(204)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, delay=0., blind=False):
        super().__init__(('127.0.0.1', 0), Handler)
        self.lock, self.values, self.puts, self.refused, self.delay, self.blind = threading.Lock(), {}, 0, 0, delay, blind
        self.url = f'http://127.0.0.1:{self.server_address[1]}'
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        pass  # a client that was killed
