/* SPDX-License-Identifier: BSD-3-Clause */
/* net as a program, for the tests: requests made, and requests signed.
 *
 *   net_ask METHOD URL [-H name=value]... [-r OFFSET N] [-d TEXT] [-s KEY SECRET REGION] [-m MAX] [-n TIMES] [-f] [-c MS]
 *     prints "status attempts ignored etag body" for each answer, or "failed CODE text"; -n that many at once; -f asks
 *     once before a fork and then in the child; -c gives up after so many ms
 *   net_ask sign
 *     reads lines "METHOD HOST PATH QUERY HASH SECONDS KEY SECRET TOKEN REGION [NAME VALUE]...", separated by tabs, and
 *     prints the header that signs each */
#include "net.h"
#include "sigv4.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FIELDS 64

static int sign_line(char *line)
{
    struct cel_net_header header[FIELDS];
    char *field[FIELDS];
    size_t n = 0;
    struct cel_buf lines = CEL_BUF_INIT(1 << 20);
    int rc;

    line[strcspn(line, "\n")] = '\0';
    while (line && n < FIELDS) {
        field[n++] = strsep(&line, "\t");
    }
    struct cel_signer signer = {field[6], field[7], *field[8] ? field[8] : NULL, field[9], "s3"};
    struct cel_to_sign r = {field[0], field[1],     field[2], field[3],
                            header,   (n - 10) / 2, field[4], (time_t)atoll(field[5])};
    for (size_t i = 0; i < r.nheaders; i++)
        header[i] = (struct cel_net_header){field[10 + 2 * i], field[11 + 2 * i]};
    rc = cel_sign(&signer, &r, &lines);
    for (size_t at = 0; rc == CEL_OK && at < lines.len; at += strlen(lines.data + at) + 1)
        if (strncmp(lines.data + at, "authorization: ", 15) == 0)
            puts(lines.data + at + 15);
    cel_buf_dispose(&lines);
    return rc;
}

static int sign_lines(void)
{
    char *line = NULL;
    size_t cap = 0;
    int rc = CEL_OK;

    while (rc == CEL_OK && getline(&line, &cap, stdin) > 0)
        rc = sign_line(line);
    free(line);
    return rc == CEL_OK ? 0 : 1;
}

static void print_answer(const struct cel_net_request *r, struct cel_net_call *call)
{
    const struct cel_net_answer *a;
    int rc = cel_net_wait(call, &a);

    if (rc != CEL_OK) {
        printf("failed %d %s\n", rc, rc == CEL_BEYOND ? "" : cel_error_text());
        return;
    }
    printf("%d %d %d %s ", a->status, a->attempts, a->range_ignored, *a->etag ? a->etag : "-");
    if (r->ranged && a->status < 300)
        fwrite(r->dst, 1, r->n, stdout);
    else if (a->body.len)
        fwrite(a->body.data, 1, a->body.len, stdout);
    putchar('\n');
}

static int ask(struct cel_net_request *r, int times, long cancel)
{
    struct cel_net_call *call[1024] = {NULL};
    char *dst = calloc((size_t)times, r->n ? r->n : 1);
    int started = 0;

    for (; started < times; started++) {
        r->dst = dst + (size_t)started * r->n;
        if (cel_net_start(r, &call[started]) != CEL_OK) {
            printf("failed: %s\n", cel_error_text());
            break;
        }
    }
    if (cancel)
        nanosleep(&(struct timespec){cancel / 1000, cancel % 1000 * 1000000}, NULL);
    for (int i = 0; i < started; i++) {
        r->dst = dst + (size_t)i * r->n;
        if (!cancel && started == times)
            print_answer(r, call[i]);
        cel_net_free(call[i]);
    }
    free(dst);
    return started < times;
}

static int ask_in_child(struct cel_net_request *r)
{
    int status;
    pid_t child;

    ask(r, 1, 0);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        ask(r, 2, 0);
        fflush(stdout);
        _exit(0);
    }
    waitpid(child, &status, 0);
    ask(r, 1, 0);
    return status;
}

int main(int argc, char **argv)
{
    struct cel_net_header header[FIELDS];
    struct cel_signer signer;
    struct cel_net_request r = {.header = header, .body_max = 1 << 20};
    int option, times = 1, forks = 0, rc;
    long cancel = 0;

    if (argc == 2 && strcmp(argv[1], "sign") == 0)
        return sign_lines();
    while ((option = getopt(argc, argv, "H:r:d:s:m:n:fc:")) != -1) {
        switch (option) {
        case 'H':
            header[r.nheaders].name = strsep(&optarg, "=");
            header[r.nheaders++].value = optarg;
            break;
        case 'r':
            r.ranged = true;
            r.offset = strtoull(optarg, NULL, 10);
            r.n = strtoull(argv[optind++], NULL, 10);
            break;
        case 'd':
            r.body = optarg;
            r.body_len = strlen(optarg);
            break;
        case 's':
            signer = (struct cel_signer){optarg, argv[optind], NULL, argv[optind + 1], "s3"};
            optind += 2;
            r.signer = &signer;
            break;
        case 'm':
            r.body_max = strtoull(optarg, NULL, 10);
            break;
        case 'n':
            times = atoi(optarg);
            break;
        case 'f':
            forks = 1;
            break;
        case 'c':
            cancel = atol(optarg);
            break;
        default:
            return 2;
        }
    }
    r.method = argv[optind];
    r.url = argv[optind + 1];
    rc = forks ? ask_in_child(&r) : ask(&r, times, cancel);
    return rc;
}
