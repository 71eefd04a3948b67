/* SPDX-License-Identifier: BSD-3-Clause */
/* What net does without a network: hashes, signatures, URLs, settings, and when a request is made again. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include "credentials.h"
#include "login.h"
#include "net.h"
#include "rc.h"
#include "sha256_blocks.h"
#include "sigv4.h"
#include "url.h"
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- hashes: FIPS 180-4 and RFC 4231 -------------------------------------------------- */

static void assert_hash(const struct cel_sha256_kernel *k, const void *data, size_t n, const char *want)
{
    unsigned char out[CEL_SHA256_SIZE];
    char hex[CEL_SHA256_HEX];

    cel_sha256_by(k, data, n, out);
    cel_hex(out, sizeof out, hex);
    if (strcmp(hex, want) != 0)
        fail_msg("%s: %zu bytes have the hash %s, not %s", k->name, n, hex, want);
}

static void check_vectors(const struct cel_sha256_kernel *k)
{
    static const char two[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    char *million = malloc(1000000);

    assert_hash(k, "", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_hash(k, "abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_hash(k, two, strlen(two), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    memset(million, 'a', 1000000);
    assert_hash(k, million, 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(million);
}

#define LENGTHS 301

static void make_data(unsigned char data[LENGTHS - 1])
{
    for (int i = 0; i < LENGTHS - 1; i++)
        data[i] = (unsigned char)((i * i * 7 + i * 31) >> 3);
}

/* The hash of the hashes of 0 to 300 bytes. In Python: data = bytes((i * i * 7 + i * 31) >> 3 & 255 for i in range(300));
 * hashlib.sha256(b"".join(hashlib.sha256(data[:n]).digest() for n in range(301))).hexdigest() */
static void check_lengths(const struct cel_sha256_kernel *k)
{
    unsigned char data[LENGTHS - 1], hashes[LENGTHS * CEL_SHA256_SIZE];

    make_data(data);
    for (size_t n = 0; n < LENGTHS; n++)
        cel_sha256_by(k, data, n, hashes + n * CEL_SHA256_SIZE);
    assert_hash(k, hashes, sizeof hashes, "21dce37116a8871618056e6a2d20362ec177a0361a4de9501720daea926cc6f0");
}

/* Blocks at any alignment, one after the other or all at once, as the portable form takes them. */
static void check_blocks(const struct cel_sha256_kernel *k)
{
    enum { BLOCKS = 33 };
    static unsigned char data[(BLOCKS + 1) * CEL_SHA256_BLOCK];
    const struct cel_sha256_kernel *portable = k;

    while (portable[1].name)
        portable++;
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(rand() >> 7);
    for (size_t n = 0; n <= BLOCKS; n++) {
        const unsigned char *at = data + n % CEL_SHA256_BLOCK;
        uint32_t want[8] = {1, 2, 3, 4, 5, 6, 7, UINT32_MAX}, whole[8], single[8];

        memcpy(whole, want, sizeof want);
        memcpy(single, want, sizeof want);
        portable->take(want, at, n);
        k->take(whole, at, n);
        for (size_t i = 0; i < n; i++)
            k->take(single, at + i * CEL_SHA256_BLOCK, 1);
        assert_memory_equal(whole, want, sizeof want);
        assert_memory_equal(single, want, sizeof want);
    }
}

static void sha256_of_every_kernel(void **state)
{
    (void)state;
    for (const struct cel_sha256_kernel *k = cel_sha256_kernels; k->name; k++) {
        if (!k->usable())
            continue;
        check_vectors(k);
        check_lengths(k);
        check_blocks(k);
    }
}

/* As check_lengths, with hmac.new(data[n:], data[:n], "sha256"): keys of 300 to 0 bytes, and every split of the blocks. */
static void hmac_of_all_lengths(void **state)
{
    unsigned char data[LENGTHS - 1], hashes[LENGTHS * CEL_SHA256_SIZE];
    char hex[CEL_SHA256_HEX];

    (void)state;
    make_data(data);
    for (size_t n = 0; n < LENGTHS; n++)
        cel_hmac_sha256(data + n, LENGTHS - 1 - n, data, n, hashes + n * CEL_SHA256_SIZE);
    cel_sha256_hex(hashes, sizeof hashes, hex);
    assert_string_equal(hex, "a25b35d8fde630b1ded503681deab4cc5ef52cfc0baa9a82b7f6f18ead19d345");
}

static void hmac_vectors(void **state)
{
    unsigned char out[CEL_SHA256_SIZE], key[131];
    char hex[CEL_SHA256_HEX];

    (void)state;
    cel_hmac_sha256("Jefe", 4, "what do ya want for nothing?", 28, out);
    cel_hex(out, sizeof out, hex);
    assert_string_equal(hex, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    memset(key, 0xaa, sizeof key);
    cel_hmac_sha256(key, sizeof key, "Test Using Larger Than Block-Size Key - Hash Key First", 54, out);
    cel_hex(out, sizeof out, hex);
    assert_string_equal(hex, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

/* --- signatures: the examples of AWS's page on Signature Version 4 for S3 ---------------- */

static const char empty_hash[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

static void assert_signature(const struct cel_to_sign *r, const char *want)
{
    static const struct cel_signer signer = {.key = "AKIAIOSFODNN7EXAMPLE",
                                             .secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                                             .region = "us-east-1",
                                             .service = "s3"};
    struct cel_buf lines = CEL_BUF_INIT(1 << 20);
    size_t at = 0;

    assert_int_equal(cel_sign(&signer, r, &lines), CEL_OK);
    while (at < lines.len && strncmp(lines.data + at, "authorization", 13) != 0)
        at += strlen(lines.data + at) + 1;
    assert_true(at < lines.len);
    assert_non_null(strstr(lines.data + at, want));
    cel_buf_dispose(&lines);
}

static void published_signatures(void **state)
{
    struct cel_net_header range = {"range", "bytes=0-9"};
    struct cel_to_sign r = {.method = "GET",
                            .host = "examplebucket.s3.amazonaws.com",
                            .path = "/test.txt",
                            .query = "",
                            .header = &range,
                            .nheaders = 1,
                            .payload_hash = empty_hash,
                            .when = 1369353600};

    (void)state;
    assert_signature(&r, "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
                         "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
    r.path = "/";
    r.nheaders = 0;
    r.query = "lifecycle";
    assert_signature(&r, "Signature=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
    r.query = "prefix=J&max-keys=2";
    assert_signature(&r, "Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

/* --- URLs ----------------------------------------------------------------------------------- */

static void urls_are_split(void **state)
{
    struct cel_url u;

    (void)state;
    assert_int_equal(cel_url_parse("HTTPS://Host.Example:8443/A/b%20c?x=1&y", &u), CEL_OK);
    assert_string_equal(u.scheme, "https");
    assert_string_equal(u.host, "host.example:8443");
    assert_string_equal(u.path, "A/b%20c");
    assert_string_equal(u.query, "x=1&y");
    cel_url_dispose(&u);
    assert_int_equal(cel_url_parse("s3://Bucket/a b/c", &u), CEL_OK);
    assert_string_equal(u.host, "Bucket");
    assert_string_equal(u.path, "a b/c");
    cel_url_dispose(&u);
    assert_int_equal(cel_url_parse("http://[::1]:80", &u), CEL_OK);
    assert_string_equal(u.host, "[::1]:80");
    assert_string_equal(u.path, "");
    cel_url_dispose(&u);
}

static void user_info_is_refused_and_not_shown(void **state)
{
    static const char *const bad[] = {"http://joe:hunter2@host/x", "s3://AKIAX:hunter2@bucket/x",
                                      "s3://AKIAX:hun/ter2@bucket/x", "http://joe:/hunter2@x", "https://hunter2@host"};
    struct cel_url u;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(cel_url_parse(bad[i], &u), NC_EINVAL);
        assert_null(strstr(cel_error_text(), "hunter2"));
        assert_null(u.text);
    }
    assert_int_equal(cel_url_parse("https://host/a@b", &u), CEL_OK);
    cel_url_dispose(&u);
    assert_int_equal(cel_url_parse("https://ho st/a", &u), NC_EINVAL);
    assert_int_equal(cel_url_parse("https:///a", &u), NC_EINVAL);
    assert_int_equal(cel_url_parse("https://host/a\r\nx: y", &u), NC_EINVAL);
}

static void keys_are_encoded(void **state)
{
    struct cel_buf b = CEL_BUF_INIT(1000), back = CEL_BUF_INIT(1000);

    (void)state;
    assert_int_equal(cel_url_encode("a/b=c+d%e f(g)h*i\303\251~._-", true, &b), CEL_OK);
    cel_buf_add(&b, "", 1);
    assert_string_equal(b.data, "a/b%3Dc%2Bd%25e%20f%28g%29h%2Ai%C3%A9~._-");
    assert_int_equal(cel_url_decode(b.data, b.len - 1, &back), CEL_OK);
    cel_buf_add(&back, "", 1);
    assert_string_equal(back.data, "a/b=c+d%e f(g)h*i\303\251~._-");
    assert_int_equal(cel_url_decode("a%2", 3, &back), NC_EINVAL);
    assert_int_equal(cel_url_decode("a%zz", 4, &back), NC_EINVAL);
    assert_int_equal(cel_url_decode("a%00", 4, &back), NC_EINVAL);
    b.len = 0;
    assert_int_equal(cel_url_encode("a/b", false, &b), CEL_OK);
    assert_memory_equal(b.data, "a%2Fb", 5);
    cel_buf_dispose(&b);
    cel_buf_dispose(&back);
}

static void texts_hold_no_secrets(void **state)
{
    static const char *const texts[][2] = {
        {"https://h/x?X-Amz-Signature=hunter2: no", "https://h/x: no"},
        {"cannot open 'https://joe:hunter2@h:80/x?y=hunter2#f': no", "cannot open 'https://h:80/x': no"},
        {"S3://AKIA:hun/ter2@bucket/x and http://[::1]:80/a@b", "S3://bucket/x and http://[::1]:80/a@b"},
        {"https://h:443/a@b", "https://h:443/a@b"},
        {"a file?: x://y@z", "a file?: x://y@z"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cel_fail(NC_EIO, "%s", texts[i][0]);
        assert_string_equal(cel_error_text(), texts[i][1]);
        cel_warn("%s", texts[i][0]);
        assert_string_equal(cel_warning_text(), texts[i][1]);
    }
    cel_fail(NC_EIO, "no");
    cel_fail_at(NC_EIO, CEL_IN_FILE, "%s", "s3://k:hunter2@b/c");
    assert_string_equal(cel_error_text(), "s3://b/c: no");
    assert_string_equal(cel_error_part(CEL_IN_FILE), "s3://b/c");
}

/* --- trying again ------------------------------------------------------------------------------ */

static void only_what_passes_is_tried_again(void **state)
{
    static const int passing[] = {429, 500, 502, 503, 504},
                     not_passing[] = {200, 206, 301, 400, 403, 404, 412, 501, 505};

    (void)state;
    for (size_t i = 0; i < sizeof passing / sizeof *passing; i++)
        assert_true(cel_net_is_passing(passing[i]));
    for (size_t i = 0; i < sizeof not_passing / sizeof *not_passing; i++)
        assert_false(cel_net_is_passing(not_passing[i]));
}

static void delays_grow_and_end(void **state)
{
    (void)state;
    for (int attempt = 1; attempt < 40; attempt++)
        for (uint32_t random = 0; random < 2000; random += 7) {
            long most = attempt > 8 ? 20000 : 100L << (attempt - 1), delay = cel_net_delay(attempt, -1, random);

            if (most > 20000)
                most = 20000;
            assert_true(delay >= most / 2 && delay <= most);
        }
    assert_int_equal(cel_net_delay(1, 3, 0), 3000);
    assert_int_equal(cel_net_delay(1, 100000, 0), 60000);
    assert_int_not_equal(cel_net_delay(5, -1, 1), cel_net_delay(5, -1, 2));
}

/* --- settings ------------------------------------------------------------------------------------ */

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void forget_settings(void)
{
    static const char *const names[] = {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
                                        "AWS_PROFILE",       "AWS_NO_SIGN_REQUEST",   "AWS_DEFAULT_PROFILE"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    setenv("AWS_EC2_METADATA_DISABLED", "true", 1);
    setenv("AWS_SHARED_CREDENTIALS_FILE", "credentials", 1);
    setenv("AWS_CONFIG_FILE", "config", 1);
}

static long length_of(const char *path)
{
    FILE *f = fopen(path, "r");
    long n;

    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    n = ftell(f);
    fclose(f);
    return n;
}

static void assert_key(const char *key, const char *secret, const char *token)
{
    struct cel_credentials c;

    assert_int_equal(cel_credentials_find(&c), CEL_OK);
    if (key) {
        assert_string_equal(c.key, key);
        assert_string_equal(c.secret, secret);
    } else {
        assert_null(c.key);
    }
    if (token)
        assert_string_equal(c.token, token);
    else
        assert_null(c.token);
    cel_credentials_dispose(&c);
}

static void credentials_are_found_in_order(void **state)
{
    struct cel_credentials c;
    char *text;

    (void)state;
    forget_settings();
    assert_key(NULL, NULL, NULL);
    write_text("credentials", "# of a test\n[default]\naws_access_key_id = A1\naws_secret_access_key=S=1 \r\n"
                              "[other]\naws_access_key_id=A2\naws_secret_access_key=S2\naws_session_token = T2\n"
                              "[half]\naws_access_key_id=hunter2\n");
    write_text("config", "[default]\nregion = eu-west-1\ns3 =\n  region = wrong\n[profile other]\nregion=us-west-2\n"
                         "[profile roles]\nrole_arn = arn:x\n[default2]\n");
    assert_key("A1", "S=1", NULL);
    assert_int_equal(cel_aws_setting("region", &text), CEL_OK);
    assert_string_equal(text, "eu-west-1");
    free(text);
    setenv("AWS_PROFILE", "other", 1);
    assert_key("A2", "S2", "T2");
    assert_int_equal(cel_aws_setting("region", &text), CEL_OK);
    assert_string_equal(text, "us-west-2");
    free(text);
    assert_int_equal(cel_aws_setting("endpoint_url", &text), CEL_ABSENT);
    setenv("AWS_PROFILE", "nobody", 1);
    assert_int_equal(cel_credentials_find(&c), NC_EAUTH);
    setenv("AWS_PROFILE", "half", 1);
    assert_int_equal(cel_credentials_find(&c), NC_EAUTH);
    assert_null(strstr(cel_error_text(), "hunter2"));
    setenv("AWS_PROFILE", "roles", 1);
    assert_int_equal(cel_credentials_find(&c), NC_EAUTH);
    assert_non_null(strstr(cel_error_text(), "source_profile"));
    setenv("AWS_ACCESS_KEY_ID", "A3", 1);
    assert_int_equal(cel_credentials_find(&c), NC_EAUTH);
    setenv("AWS_SECRET_ACCESS_KEY", "S3", 1);
    assert_key("A3", "S3", NULL);
    setenv("AWS_NO_SIGN_REQUEST", "true", 1);
    assert_key(NULL, NULL, NULL);
    remove("credentials");
    remove("config");
}

static void assert_refused(const char *profile, const char *says)
{
    struct cel_credentials c;

    setenv("AWS_PROFILE", profile, 1);
    assert_int_equal(cel_credentials_find(&c), NC_EAUTH);
    assert_non_null(strstr(cel_error_text(), says));
    assert_null(strstr(cel_error_text(), "hunter2"));
    assert_null(c.secret);
}

/* The process is a script that counts its runs. */
static void processes_print_credentials(void **state)
{
    struct cel_credentials c;

    (void)state;
    forget_settings();
    write_text("credentials", "");
    write_text("print", "echo x >> runs; echo \"{\\\"Version\\\": 1, \\\"AccessKeyId\\\": \\\"$1\\\", "
                        "\\\"SecretAccessKey\\\": \\\"hunter2\\\"$2}\"\n");
    write_text("config", "[profile p]\ncredential_process = sh print 'A 1'\n"
                         "[profile ends]\ncredential_process = sh \"print\" A\\ 2 "
                         "', \"SessionToken\": \"T\", \"Expiration\": \"2999-01-01T00:00:00Z\"'\n"
                         "[profile none]\ncredential_process = /nonexistent/hunt x\n"
                         "[profile fails]\ncredential_process = sh -c 'echo hunter2; exit 3'\n"
                         "[profile text]\ncredential_process = echo hunter2\n"
                         "[profile date]\ncredential_process = sh print A ', \"Expiration\": \"hunter2\"'\n"
                         "[profile quote]\ncredential_process = echo 'hunter2\n"
                         "[profile much]\ncredential_process = cat /dev/zero\n"
                         "[profile sso]\nsso_session = x\n");
    setenv("AWS_PROFILE", "p", 1);
    assert_key("A 1", "hunter2", NULL);
    setenv("AWS_PROFILE", "ends", 1);
    remove("runs");
    for (int i = 0; i < 3; i++)
        assert_key("A 2", "hunter2", "T");
    assert_int_equal(length_of("runs"), 2); /* it ran once: what ends is kept */
    setenv("AWS_PROFILE", "p", 1);
    assert_key("A 1", "hunter2", NULL); /* and is not for others */
    setenv("AWS_PROFILE", "ends", 1);
    cel_credentials_forget();
    assert_key("A 2", "hunter2", "T");
    cel_credentials_forget();
    assert_refused("none", "/nonexistent/hunt, the credential_process of the profile 'none', cannot be run: No such");
    assert_refused("fails", "code 3");
    assert_refused("text", "no JSON with credentials");
    assert_refused("date", "no JSON with credentials");
    assert_refused("quote", "no command line");
    assert_refused("much", "was ended");
    assert_refused("sso", "single sign-on");
    unsetenv("AWS_PROFILE");
    assert_int_equal(cel_credentials_find(&c), CEL_OK);
    cel_credentials_dispose(&c);
}

static void roles_name_who_takes_them(void **state)
{
    (void)state;
    forget_settings();
    write_text("credentials", "[self]\naws_access_key_id = A\n");
    write_text("config", "[profile nobody]\nrole_arn = arn:x\nsource_profile = absent\n"
                         "[profile empty]\nrole_arn = arn:x\nsource_profile = bare\n[profile bare]\nregion = r\n"
                         "[profile a]\nrole_arn = arn:x\nsource_profile = b\n"
                         "[profile b]\nrole_arn = arn:x\nsource_profile = a\n"
                         "[profile self]\nrole_arn = arn:x\nsource_profile = self\n"
                         "[profile mfa]\nrole_arn = arn:x\nmfa_serial = m\nsource_profile = self\n"
                         "[profile named]\nrole_arn = arn:x\ncredential_source = Environment\n"
                         "[profile odd]\nrole_arn = arn:x\ncredential_source = Moon\n"
                         "[profile token]\nweb_identity_token_file = t\n"
                         "[profile file]\nrole_arn = arn:x\nweb_identity_token_file = absent\n");
    assert_refused("nobody", "no profile 'absent', which the profile 'nobody' names");
    assert_refused("empty", "the profile 'bare', the source of 'empty', has no credentials");
    assert_refused("a", "more than 5 profiles");
    assert_refused("self", "a key and no secret");
    assert_refused("mfa", "mfa_serial");
    assert_refused("named", "Environment, which has none");
    assert_refused("odd", "not known");
    assert_refused("token", "no role_arn");
    assert_refused("file", "cannot be read from absent");
    setenv("AWS_WEB_IDENTITY_TOKEN_FILE", "t", 1);
    assert_refused("file", "AWS_ROLE_ARN is not");
    unsetenv("AWS_WEB_IDENTITY_TOKEN_FILE");
    remove("credentials");
    remove("config");
}

static void assert_rc(const char *key, const char *host, const char *want)
{
    char *value;

    assert_int_equal(cel_rc_find(key, host, &value), CEL_OK);
    if (want)
        assert_string_equal(value, want);
    else
        assert_null(value);
    free(value);
}

static void rc_lines_are_for_hosts(void **state)
{
    char text[] = "# HTTP.NETRC=no\n\r\n  HTTP.NETRC = a b \r\n[https://Some.Host:443/x]HTTP.NETRC=c\n"
                  "[other:8080] HTTP.NETRC=d=e\n[half HTTP.NETRC=x\n[::1]=y\nHTTP.USERAGENT\nX=1\nX=2\n=3\n"
                  "HTTP.CREDENTIALS.PASSWORD=hunter2\nHTTP.PROXY.SERVER=http://u:hunter2@h";

    (void)state;
    setenv("NCRCENV_IGNORE", "1", 1);
    cel_rc_tidy();
    assert_int_equal(cel_rc_parse(text, "rc", false), CEL_OK);
    assert_rc("HTTP.NETRC", NULL, "a b");
    assert_rc("HTTP.NETRC", "some.host", "c");
    assert_rc("HTTP.NETRC", "SOME.host:443", "c");
    assert_rc("HTTP.NETRC", "other", "a b");
    assert_rc("HTTP.NETRC", "other:8080", "d=e");
    assert_rc("HTTP.USERAGENT", "other", "");
    assert_rc("X", NULL, "2");
    assert_rc("HTTP.CREDENTIALS.PASSWORD", NULL, NULL);
    assert_rc("HTTP.PROXY.SERVER", NULL, NULL);
    assert_int_equal(cel_rc_set("X", "3"), CEL_OK);
    assert_rc("X", "some.host", "3");
    cel_rc_tidy();
    assert_rc("X", NULL, NULL);
}

static void assert_login(const char *netrc, const char *user, const char *password)
{
    struct cel_credentials c = {0};
    char *text = strdup(netrc);

    assert_int_equal(cel_login_parse(text, "host", &c), user ? CEL_OK : CEL_ABSENT);
    if (user) {
        assert_string_equal(c.key ? c.key : "-", user);
        assert_string_equal(c.secret ? c.secret : "-", password);
    }
    cel_credentials_dispose(&c);
    free(text);
}

static void netrc_is_read_as_others_do(void **state)
{
    (void)state;
    assert_login("machine host login a password b", "a", "b");
    assert_login("machine x login no password no\nmachine HOST\n\tpassword \"b \\\" c\"\n login a\n", "a", "b \" c");
    assert_login("macdef init\nmachine host login no\n\n# machine host login no\ndefault login a password b", "a", "b");
    assert_login("machine host login a machine host password b", "a", "-");
    assert_login("machine host account x password b login", "-", "b");
    assert_login("machine hos login a password b\nmachine host2 login a", NULL, NULL);
    assert_login("machine", NULL, NULL);
    assert_login("", NULL, NULL);
}

static void credentials_end(void **state)
{
    struct cel_credentials c = {0};
    time_t t;

    (void)state;
    assert_false(cel_credentials_end(&c, 1000000));
    assert_true(cel_parse_time("2026-01-31T10:00:00Z", &t));
    assert_int_equal(t, 1769853600);
    c.expires = t;
    c.early = 300;
    assert_false(cel_credentials_end(&c, t - 1000));
    assert_true(cel_credentials_end(&c, t - 100));
    assert_false(cel_parse_time("tomorrow", &t));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha256_of_every_kernel),
        cmocka_unit_test(hmac_vectors),
        cmocka_unit_test(hmac_of_all_lengths),
        cmocka_unit_test(published_signatures),
        cmocka_unit_test(urls_are_split),
        cmocka_unit_test(user_info_is_refused_and_not_shown),
        cmocka_unit_test(keys_are_encoded),
        cmocka_unit_test(texts_hold_no_secrets),
        cmocka_unit_test(only_what_passes_is_tried_again),
        cmocka_unit_test(delays_grow_and_end),
        cmocka_unit_test(credentials_are_found_in_order),
        cmocka_unit_test(processes_print_credentials),
        cmocka_unit_test(roles_name_who_takes_them),
        cmocka_unit_test(rc_lines_are_for_hosts),
        cmocka_unit_test(netrc_is_read_as_others_do),
        cmocka_unit_test(credentials_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
