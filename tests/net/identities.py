#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Who asks: each place that credentials come from, at servers that verify signatures. rclone knows one key; moto has roles, and
STS, which gives credentials for them.

usage: identities.py BUILD"""
import json
import os
import pathlib
import re
import sys
import urllib.request

import botocore.session

import servers

BUILD = pathlib.Path(sys.argv[1])
TOOLS = BUILD / 'tools'
URL = 's3://bucket/who.zarr'
TOKEN = 'token-of-a-web-identity'
CDL = 'netcdf t { dimensions: x = 4; variables: float v(x); data: v = 1, 2, 3, 4; }'
secrets = [servers.SECRET, TOKEN]
failed = []


def check(what, good, more=''):
    print('ok  ' if good else 'BAD ', what, '' if good else more)
    if not good:
        failed.append(what)


def run(env, *command):
    done = servers.run(env, *command)
    if any(s in done.stdout + done.stderr for s in secrets):
        failed.append(f'{command}: a secret was printed')
    return done


def reads(what, env):
    done = run(env, TOOLS / 'ncdump', URL)
    check(what, 'v = 1, 2, 3, 4' in done.stdout, done.stderr)


def refuses(what, env, says):
    done = run(env, TOOLS / 'ncdump', URL)
    check(what, done.returncode == 1 and says in done.stderr and 'v = ' not in done.stdout, done.stdout + done.stderr)


def files(config, credentials=''):
    os.makedirs('.aws', exist_ok=True)
    pathlib.Path('.aws/config').write_text(config)
    pathlib.Path('.aws/credentials').write_text(credentials)


def no_key(endpoint, **more):
    return servers.environment(endpoint, AWS_ACCESS_KEY_ID=None, AWS_SECRET_ACCESS_KEY=None, **more)


def processes(rclone):
    document = {'Version': 1, 'AccessKeyId': servers.KEY, 'SecretAccessKey': servers.SECRET}
    pathlib.Path('document').write_text(json.dumps(document))
    pathlib.Path('wrong').write_text(json.dumps({**document, 'SecretAccessKey': 'wrong'}))
    files('[default]\ncredential_process = cat "document"\n[profile wrong]\ncredential_process = cat wrong\n')
    reads('what a process prints', no_key(rclone))
    refuses('a process that prints something else', no_key(rclone, AWS_PROFILE='wrong'), 'does not allow')


def people(moto):
    """A role, and Joe, who may take it; from now on moto verifies who asks."""
    def client(name):
        return botocore.session.Session().create_client(name, region_name='us-east-1', endpoint_url=moto,
                                                        aws_access_key_id=servers.KEY, aws_secret_access_key=servers.SECRET)
    iam = client('iam')
    policy = json.dumps({'Version': '2012-10-17', 'Statement': [{'Effect': 'Allow', 'Action': '*', 'Resource': '*'}]})
    role = iam.create_role(RoleName='reader', AssumeRolePolicyDocument=policy)['Role']['Arn']
    iam.put_role_policy(RoleName='reader', PolicyName='all', PolicyDocument=policy)
    iam.create_user(UserName='joe')
    iam.put_user_policy(UserName='joe', PolicyName='all', PolicyDocument=policy)
    joe = iam.create_access_key(UserName='joe')['AccessKey']
    secrets.append(joe['SecretAccessKey'])
    return role, joe


def verify_from_now(moto, after):
    """So many requests more are served without a look at who asks."""
    urllib.request.urlopen(urllib.request.Request(moto + '/moto-api/reset-auth', data=b'%d' % after, method='POST',
                                                  headers={'Content-Type': 'text/plain'})).read()


def roles(moto, role, joe):
    keys = f"aws_access_key_id = {joe['AccessKeyId']}\naws_secret_access_key = {joe['SecretAccessKey']}\n"
    files(f'[profile p]\nrole_arn = {role}\nsource_profile = joe\nrole_session_name = of-a-test\nduration_seconds = 1800\n'
          f'[profile pp]\nrole_arn = {role}\nsource_profile = p\n[profile env]\nrole_arn = {role}\n'
          'credential_source = Environment\n'
          f'[profile wrong]\nrole_arn = {role}\nsource_profile = liar\n', f'[joe]\n{keys}[liar]\n{keys[:-3]}\n')
    verify_from_now(moto, 0)
    refuses('nobody knows the key of the tests', servers.environment(moto), '403')
    reads("a key that is known", no_key(moto, AWS_PROFILE='joe'))
    before = asked(moto)
    reads('a role that the source of a profile takes', no_key(moto, AWS_PROFILE='p'))
    check('STS was asked once', asked(moto) == before + 1)
    reads('a role by way of a role', no_key(moto, AWS_PROFILE='pp'))
    refuses('a wrong secret takes no role', no_key(moto, AWS_PROFILE='wrong'), 'STS gives no credentials for the role arn:')


def identities(moto, role):
    pathlib.Path('token').write_text(TOKEN + '\n')
    who = {'AWS_WEB_IDENTITY_TOKEN_FILE': 'token', 'AWS_ROLE_ARN': role, 'AWS_ROLE_SESSION_NAME': 'of-a-test'}
    files('')
    verify_from_now(moto, 1)
    reads('a token of a web identity', no_key(moto, **who))
    files(f'[default]\nrole_arn = {role}\nweb_identity_token_file = token\n')
    verify_from_now(moto, 1)
    reads('the same in a profile', no_key(None, AWS_ENDPOINT_URL_S3=moto, AWS_ENDPOINT_URL_STS=moto + '/'))
    refuses('no such token', no_key(moto, **{**who, 'AWS_WEB_IDENTITY_TOKEN_FILE': 'absent'}), 'cannot be read from absent')
    refuses('STS is not there', no_key(moto, AWS_ENDPOINT_URL_STS='http://127.0.0.1:1', **who), 'http://127.0.0.1:1: ')


def private(name, text, mode=0o600):
    pathlib.Path(name).write_text(text)
    os.chmod(name, mode)


def web(rclone):
    """Passwords of .netrc and .ncrc, to a server that wants one, over TLS."""
    user, password = 'joe', 'open:sesame@hill'
    secrets.append(password)
    os.makedirs('web')
    env = no_key(None)
    run(env, TOOLS / 'ncgen', '-4', '-o', 'web/t.nc', 't.cdl')
    pair = servers.certificate()
    tls, plain = (servers.rclone_http('web', c, (user, password)) for c in (pair, None))
    host = tls.split('//')[1]
    trusting = no_key(None, CELLAR_CA_BUNDLE=pair[0])

    def opens(what, env, good, says='', url=tls):
        done = run(env, TOOLS / 'ncdump', url + '/t.nc')
        check(what, ('v = 1, 2, 3, 4' in done.stdout) == good and says in done.stderr, done.stderr)

    opens('no password', trusting, False, 'does not allow to read it (401')
    private('.netrc', f'machine other login x password y\nmachine 127.0.0.1 login {user} password "{password}"\n')
    opens('.netrc', trusting, True)
    opens('.netrc: a password for http is not sent', trusting, False, 'use https://', plain)
    private('.netrc', f'default login {user} password {password}\n', 0o644)
    opens('.netrc that others may read', trusting, False, 'chmod 600')
    os.rename('.netrc', 'elsewhere')
    os.chmod('elsewhere', 0o600)
    opens('NETRC', {**trusting, 'NETRC': 'elsewhere'}, True)
    lines = f'[https://{host}/]HTTP.CREDENTIALS.USERPASSWORD=joe:open%3Asesame%40hill\nHTTP.SSL.CAINFO={pair[0]}\n'
    private('.ncrc', lines)
    opens('.ncrc: a password and an authority', env, True)
    private('.ncrc', lines.replace(host, 'localhost:443'))
    opens('.ncrc: for another host', env, False, '(401')
    private('.ncrc', lines, 0o640)
    opens('.ncrc that others may read has no password', env, False, 'HTTP.CREDENTIALS.USERPASSWORD is not taken')
    private('.ncrc', lines, 0o622)
    opens('.ncrc that others may write is nothing', env, False, 'certificate does not verify')
    private('.ncrc', f'HTTP.NETRC=elsewhere\n{lines[lines.index("HTTP.SSL"):]}HTTP.SSL.VERIFYPEER=0\nHTTP.VERBOSE=1')
    opens('.ncrc: another .netrc', env, True, 'HTTP.SSL.VERIFYPEER has no effect here')
    opens('NCRCENV_IGNORE', {**env, 'NCRCENV_IGNORE': '1'}, False, 'certificate does not verify')
    private('rc', lines)
    opens('NCRCENV_RC', {**env, 'NCRCENV_RC': 'rc'}, True)
    opens('none but that', {**env, 'NCRCENV_RC': 'absent'}, False, 'certificate does not verify')
    os.makedirs('home')
    opens('not of any folder', {**env, 'HOME': 'home'}, False, '.ncrc of this folder is not read')
    files(f'[profile r]\naws_access_key_id = {servers.KEY}\naws_secret_access_key = {servers.SECRET}\n')
    private('.ncrc', 'AWS.PROFILE = r\n')
    reads('.ncrc: a profile of AWS', no_key(rclone))
    os.remove('.ncrc')


def asked(moto):
    log = pathlib.Path('moto.log').read_text(errors='replace')
    return len(re.findall(r'POST / HTTP', log))


def main():
    pathlib.Path('t.cdl').write_text(CDL)
    moto, rclone = servers.moto(), servers.rclone_s3('buckets')
    for endpoint in (moto, rclone):
        done = run(servers.environment(endpoint), TOOLS / 'ncgen', '-o', URL + '#mode=zarr,v3', 't.cdl')
        check(f'a store at {endpoint}', done.returncode == 0, done.stderr)
    processes(rclone)
    role, joe = people(moto)
    roles(moto, role, joe)
    identities(moto, role)
    web(rclone)
    print(len(failed), 'failed', *failed, sep='\n')
    return 1 if failed else 0


sys.exit(main())
