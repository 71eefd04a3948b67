/* SPDX-License-Identifier: BSD-3-Clause */
/* A store over the network as a program, for the tests: its verbs, one after another.
 *
 *   store_ask URL read|write|create COMMAND...
 *     get KEY, size KEY, put KEY TEXT, erase KEY, list, want KEY: the verbs; "behind put KEY TEXT" is a put that a second thread makes
 *     meanwhile, and "join" waits for it
 *     later KEY TEXT: a put that may still be under way when it ends; telling KEY TEXT: the same, of a document; sync
 *     document KEY, settle: while a store is opened
 *     source KEY OFFSET N: the bytes of a value as a source
 *     sleep MS; forget-credentials
 *     fork KEY: a child of fork() gets it
 *     exit: in the middle of everything, without a word to the store
 *   prints for each: "COMMAND RESULT", where it gives one, or "COMMAND failed CODE text" */
#include "credentials.h"
#include "mem.h"
#include "store.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct cel_store *store;

static void print(const char *what, int rc, const char *data, size_t n)
{
    printf("%s ", what);
    if (rc != CEL_OK)
        printf("failed %d %s", rc, rc == CEL_ABSENT ? "" : cel_error_text());
    else
        fwrite(data, 1, n, stdout);
    putchar('\n');
    fflush(stdout);
}

static int get(char **arg)
{
    struct cel_buf out = CEL_BUF_INIT(1 << 20);
    int rc = cel_store_get(store, arg[0], &out);

    print("get", rc, out.data, out.len);
    cel_buf_dispose(&out);
    return 1;
}

static int size(char **arg)
{
    char text[32];
    uint64_t n = 0;
    int rc = cel_store_size(store, arg[0], &n);

    snprintf(text, sizeof text, "%llu", (unsigned long long)n);
    print("size", rc, text, strlen(text));
    return 1;
}

static int put(char **arg)
{
    print("put", cel_store_put(store, arg[0], arg[1], strlen(arg[1])), "", 0);
    return 2;
}

static int put_later(char **arg)
{
    print("later", cel_store_put_behind(store, arg[0], arg[1], strlen(arg[1])), "", 0);
    return 2;
}

static int put_telling(char **arg)
{
    print("telling", cel_store_put_document(store, arg[0], arg[1], strlen(arg[1])), "", 0);
    return 2;
}

static int sync_all(char **arg)
{
    (void)arg;
    print("sync", cel_store_sync(store), "", 0);
    return 0;
}

static int erase(char **arg)
{
    print("erase", cel_store_erase(store, arg[0]), "", 0);
    return 1;
}

static int visit(void *context, const char *name, bool is_prefix)
{
    (void)context;
    printf("%s%s ", name, is_prefix ? "/" : "");
    return CEL_OK;
}

static int list(char **arg)
{
    (void)arg;
    print("list", cel_store_list(store, "", visit, NULL), "", 0);
    return 0;
}

static int want(char **arg)
{
    cel_store_want(store, arg[0]);
    return 1;
}

static int document(char **arg)
{
    cel_store_want_document(store, arg[0]);
    return 1;
}

static int settle(char **arg)
{
    (void)arg;
    cel_store_settle(store);
    return 0;
}

static int source(char **arg)
{
    struct cel_source *s = NULL;
    size_t n = strtoul(arg[2], NULL, 10);
    char *bytes = calloc(1, n);
    int rc = cel_source_of_key(store, arg[0], &s);

    store = NULL; /* the source's */
    if (rc == CEL_OK)
        rc = s->ops->read_at(s, strtoull(arg[1], NULL, 10), bytes, n);
    print("source", rc, bytes, n);
    if (s)
        s->ops->close(s);
    free(bytes);
    return 3;
}

static pthread_t second;

static void *put_behind(void *arg)
{
    put((char **)arg + 1);
    return NULL;
}

static int behind(char **arg)
{
    pthread_create(&second, NULL, put_behind, arg);
    return 3;
}

static int join(char **arg)
{
    (void)arg;
    pthread_join(second, NULL);
    return 0;
}

static int wait_ms(char **arg)
{
    long ms = strtol(arg[0], NULL, 10);

    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
    return 1;
}

static int forget_credentials(char **arg)
{
    (void)arg;
    cel_credentials_forget();
    return 0;
}

static int get_in_child(char **arg)
{
    pid_t child = fork();
    int status = 0;

    if (child == 0) {
        get(arg);
        cel_store_abandon(store); /* with what its parent has under way */
        _exit(0);
    }
    waitpid(child, &status, 0);
    if (status)
        printf("fork failed %d\n", status);
    return 1;
}

static int end(char **arg)
{
    (void)arg;
    exit(0);
}

static const struct {
    const char *name;
    int (*run)(char **arg); /* how many words it takes */
} commands[] = {{"get", get},
                {"size", size},
                {"put", put},
                {"erase", erase},
                {"list", list},
                {"want", want},
                {"source", source},
                {"behind", behind},
                {"join", join},
                {"sleep", wait_ms},
                {"exit", end},
                {"document", document},
                {"settle", settle},
                {"forget-credentials", forget_credentials},
                {"fork", get_in_child},
                {"later", put_later},
                {"telling", put_telling},
                {"sync", sync_all},
                {"telling", put_telling}};

static char **run(char **arg)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(*arg, commands[i].name) == 0)
            return arg + 1 + commands[i].run(arg + 1);
    fprintf(stderr, "store_ask: there is no command '%s'\n", *arg);
    exit(2);
}

int main(int argc, char **argv)
{
    enum cel_store_mode mode;
    int rc;

    if (argc < 3)
        return 2;
    mode = argv[2][0] == 'r' ? CEL_STORE_READ : argv[2][0] == 'w' ? CEL_STORE_WRITE : CEL_STORE_CREATE;
    rc = cel_store_open_url(argv[1], false, mode, &store);
    if (rc != CEL_OK)
        print("open", rc, "", 0);
    for (char **at = argv + 3; rc == CEL_OK && *at;)
        at = run(at);
    cel_store_abandon(store);
    return 0;
}
