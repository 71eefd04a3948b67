# SPDX-License-Identifier: BSD-3-Clause
"""Real servers for the tests: moto and rclone from scripts/net-peers.sh, each in a process of its own on a port of this
machine, ended with the test. A server that cannot be had is an ImportError of the test, which then says NOT RUN."""
import atexit
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

BIN = pathlib.Path(sys.executable).parent
KEY, SECRET = 'AKIAFORTESTS', 'open/sesame+secret'


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


def start(command, port, log):
    if not (BIN / command[0]).exists():
        print(f'NOT RUN: there is no {command[0]}: run scripts/net-peers.sh .venv-net first', file=sys.stderr)
        sys.exit(77)
    return start_program(BIN / command[0], command[1:], port, log)


def start_system(name, arguments, port):
    """Of the system's packages: None, loudly, where it is not."""
    program = shutil.which(name, path=os.environ['PATH'] + ':/usr/sbin')
    if not program:
        print(f'NOT RUN: there is no {name}: apt-get install {name}', file=sys.stderr)
        return None
    return start_program(program, arguments, port, f'{name}-out.log')


def start_program(program, arguments, port, log):
    process = subprocess.Popen([str(program), *arguments], stdout=open(log, 'wb'), stderr=subprocess.STDOUT)

    def stop():
        process.terminate()
        process.wait()

    atexit.register(stop)
    for _ in range(600):
        with socket.socket() as s:
            if s.connect_ex(('127.0.0.1', port)) == 0:
                return process
        if process.poll() is not None:
            break
        time.sleep(.1)
    sys.exit(f'{program} did not start:\n{open(log).read()}')


def moto():
    port = free_port()
    start(['moto_server', '-H', '127.0.0.1', '-p', str(port)], port, 'moto.log')
    url = f'http://127.0.0.1:{port}'
    urllib.request.urlopen(urllib.request.Request(url + '/bucket', method='PUT')).read()
    return url


def rclone_s3(folder, secret=SECRET, options=()):
    port = free_port()
    os.makedirs(f'{folder}/bucket', exist_ok=True)
    start(['rclone', 'serve', 's3', '--addr', f'127.0.0.1:{port}', '--auth-key', f'{KEY},{secret}', '--dir-cache-time', '1ms',
           *options, folder], port, 'rclone-s3.log')
    return f'http://127.0.0.1:{port}'


def versitygw(folder):
    """Made by Go, which is not everywhere: None where it is not."""
    if not (BIN / 'versitygw').exists():
        print('NOT RUN: there is no versitygw: install Go, and make .venv-net anew', file=sys.stderr)
        return None
    port = free_port()
    for name in (f'{folder}/bucket', f'meta-of-{folder}'):
        os.makedirs(name, exist_ok=True)
    start(['versitygw', '--access', KEY, '--secret', SECRET, '--port', f'127.0.0.1:{port}', 'posix', '--sidecar', os.path.abspath(f'meta-of-{folder}'),
           os.path.abspath(folder)], port, 'versitygw.log')
    return f'http://127.0.0.1:{port}'


def rclone_http(folder, certificate=None, login=None, options=()):
    port = free_port()
    tls = ['--cert', certificate[0], '--key', certificate[1]] if certificate else []
    tls += ['--user', login[0], '--pass', login[1]] if login else []
    start(['rclone', 'serve', 'http', '--addr', f'127.0.0.1:{port}', '--dir-cache-time', '1ms', *tls, *options, folder], port,
          f'rclone-http-{port}.log')
    return f'http{"s" if certificate else ""}://127.0.0.1:{port}'


def certificate():
    """Signed by itself, for this machine."""
    subprocess.run(['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=127.0.0.1', '-addext',
                    'subjectAltName=IP:127.0.0.1', '-keyout', 'key.pem', '-out', 'cert.pem'], check=True, capture_output=True)
    return 'cert.pem', 'key.pem'


def environment(endpoint=None, **more):
    """Nothing of the user's, and this key."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(('AWS_', 'CELLAR_')) and not k.lower().endswith('_proxy')}
    env.update(AWS_ACCESS_KEY_ID=KEY, AWS_SECRET_ACCESS_KEY=SECRET, AWS_REGION='us-east-1', HOME=os.getcwd(), NCLOGGING='1',
               AWS_EC2_METADATA_DISABLED='true', no_proxy='*')
    if endpoint:
        env['AWS_ENDPOINT_URL'] = endpoint
    env.update(more)
    return {k: v for k, v in env.items() if v is not None}


def run(env, *command):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, errors='replace', timeout=300, env=env)
