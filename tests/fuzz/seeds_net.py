#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""seeds_net.py FOLDER: inputs for fuzz_net, of each kind: the first byte is its number."""
import os
import sys

LIST = '''<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>true</IsTruncated>
<EncodingType>url</EncodingType><Contents><Key>a&amp;b&#233;&#xE9;%20</Key><ETag>&quot;1&quot;</ETag></Contents><Contents >
<Key>c/0/0</Key></Contents><CommonPrefixes><Prefix>d/</Prefix></CommonPrefixes><NextContinuationToken>t</NextContinuationToken>
</ListBucketResult>'''
STS = '''<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>A</AccessKeyId><SecretAccessKey>S/+=</SecretAccessKey>
<SessionToken>T</SessionToken><Expiration>2026-01-31T10:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>'''
DOCUMENT = '{"Version": 1, "AccessKeyId": "A", "SecretAccessKey": "S", "Token": "T", "Expiration": "2026-01-31T10:00:00Z"}'
HEADERS = '''HTTP/1.1 206 Partial Content\r\nETag: "v1"\r\nContent-Range: bytes 100-199/1000\r\nContent-Length: 100\r\n
Last-Modified: Sat, 31 Jan 2026 10:00:00 GMT\r\nx-amz-bucket-region: eu-west-1\r\nRetry-After: 3\r\nContent-Type: text/xml\r\n\r\n'''
RC = '''# settings\nHTTP.NETRC = /a/b\n[https://host:443/x]HTTP.CREDENTIALS.USERPASSWORD=a:b%40\n[host:80]HTTP.SSL.VERIFYPEER=0\n
AWS.PROFILE=p\nHTTP.PROXY.SERVER=http://u:p@h:1\n[half\n=x\n'''
NETRC = 'machine other login x password y\n# no\nmacdef m\n x\n\nmachine host\n login a\n password "b \\" c"\ndefault login d password e\n'
AWS = '[profile p]\nregion = eu-west-1\ns3 =\n  region = no\naws_access_key_id=A\n[p]\naws_access_key_id = B # x\n[default]\n'
RANGES = ['multipart/byteranges; boundary=%s\n\r\n--x\r\nContent-Type: a/b\r\nContent-Range: bytes 0-9/1000\r\n\r\n0123456789\r\n'
          '--x \r\ncontent-range:bytes 90-159/1000\n\n%s\r\n--x--\r\n' % (quoted, 'v' * 70) for quoted in ('x', '"x"; a=b')]
URLS = ['https://Host.example:443/a%20b/c?x=1&y=%2F', 's3://bucket/a b/c', 'http://[::1]:80/x', 'https://u:p@h/x', 'gs://b',
        's3://k:se/cret@b/x and http://h/?q: text', '%41%zz']
seeds = [[LIST], [STS], [DOCUMENT], [HEADERS], [RC], [NETRC], [AWS], URLS, RANGES]

folder = os.path.join(sys.argv[1], 'net')
os.makedirs(folder, exist_ok=True)
for kind, texts in enumerate(seeds):
    for i, text in enumerate(texts):
        with open(os.path.join(folder, f'{kind}-{i}'), 'wb') as f:
            f.write(bytes([kind]) + text.encode())
