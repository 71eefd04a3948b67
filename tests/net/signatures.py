#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""1000 random requests, signed by us and by botocore: the same authorization each time.

usage: signatures.py NET_ASK"""
import calendar
import datetime
import random
import subprocess
import sys
import urllib.parse

from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

NET_ASK = sys.argv[1]
ODD = 'aZ09-._~/=+% ()*é&!$\',;:@#?[]"<>日'


def text(rng, letters, most):
    return ''.join(rng.choice(letters) for _ in range(rng.randint(1, most)))


def encoded(value, safe):
    return urllib.parse.quote(value, safe=safe)


def main():
    rng = random.Random(24)
    lines, want = [], []
    for i in range(1000):
        method = rng.choice(['GET', 'PUT', 'HEAD', 'DELETE', 'POST'])
        host = rng.choice(['examplebucket.s3.amazonaws.com', 's3.eu-central-1.amazonaws.com', '127.0.0.1:9000'])
        path = '/' + encoded(text(rng, ODD, 40).strip('/') or 'x', '/-_.~')
        query = [(text(rng, ODD.replace('/', '') + '-', 8), text(rng, ODD, 12) if rng.random() < .8 else '')
                 for _ in range(rng.randint(0, 5))]
        names = rng.sample(['range', 'if-match', 'if-none-match', 'x-amz-acl', 'x-amz-request-payer', 'x-amz-meta-a',
                            'x-amz-meta-a-b', 'content-md5'], rng.randint(0, 5))
        headers = [(n, text(rng, 'aZ09-=+/"* ', 20).strip() or 'v') for n in names]
        payload = rng.choice(['UNSIGNED-PAYLOAD', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'])
        key, secret = 'AKIA' + text(rng, 'ABCDEFGH234567', 16), text(rng, 'aZ09/+', 40)
        token = text(rng, 'aZ09/+=', 200) if rng.random() < .3 else ''
        region = rng.choice(['us-east-1', 'eu-central-1', 'auto'])
        when = datetime.datetime(2026, rng.randint(1, 12), rng.randint(1, 28), rng.randint(0, 23), rng.randint(0, 59))

        request = AWSRequest(method, f'https://{host}{path}')
        request.params = None
        if query:
            request.url += '?' + '&'.join(f'{encoded(k, "-_.~")}={encoded(v, "-_.~")}' for k, v in query)
        for name, value in headers:
            request.headers[name] = value
        request.headers['X-Amz-Content-SHA256'] = payload
        if token:
            request.headers['X-Amz-Security-Token'] = token
        stamp = when.strftime('%Y%m%dT%H%M%SZ')
        request.headers['X-Amz-Date'] = stamp
        request.context['timestamp'] = stamp
        request.context['payload_signing_enabled'] = False
        auth = S3SigV4Auth(Credentials(key, secret, token or None), 's3', region)
        auth.payload = lambda _r, p=payload: p
        canonical = auth.canonical_request(request)
        signature = auth.signature(auth.string_to_sign(request, canonical), request)
        signed = auth.signed_headers(auth.headers_to_sign(request))
        scope = f'{stamp[:8]}/{region}/s3/aws4_request'
        want.append(f'AWS4-HMAC-SHA256 Credential={key}/{scope}, SignedHeaders={signed}, Signature={signature}')

        given = '&'.join(f'{encoded(k, "-_.~")}={encoded(v, "-_.~")}' if v or rng.random() < .5 else encoded(k, "-_.~")
                         for k, v in rng.sample(query, len(query)))
        rng.shuffle(headers)
        fields = [method, host, path, given, payload, str(calendar.timegm(when.timetuple())), key, secret, token, region]
        for pair in headers:
            fields += pair
        lines.append('\t'.join(fields))
    got = subprocess.run([NET_ASK, 'sign'], input='\n'.join(lines) + '\n', capture_output=True, text=True,
                         check=True).stdout.splitlines()
    wrong = [i for i in range(1000) if i >= len(got) or got[i] != want[i]]
    for i in wrong[:3]:
        print(lines[i], '\n  ours  ', got[i] if i < len(got) else None, '\n  theirs', want[i])
    print(f'{len(want)} requests signed, {len(wrong)} not as botocore signs them')
    return 1 if wrong or len(got) != 1000 else 0


sys.exit(main())
