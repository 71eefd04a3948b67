/* SPDX-License-Identifier: BSD-3-Clause */
/* A link to a server of this machine that is as long as one wants: what a client sends arrives there some time after it came, in
 * the order it came; what comes back is passed on at once. It takes next to no time of the processor, so that what is measured
 * through it is the client and the server.
 *
 *   delay_proxy PORT
 *
 * to 127.0.0.1:PORT. Prints the port it listens on, then answers lines: "delay MS" (from then on), and "counts": the requests of
 * HTTP/1 that went and the bytes that came back since the last time it was asked. Ends with its input. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CLIENT, SERVER, ENDS };
enum { BLOCK = 256 << 10, QUEUED_MAX = 16 << 20, EVENTS = 256 };

struct piece { /* of what a client sent */
    struct piece *next;
    int64_t due;
    size_t at, n; /* n 0: it sent no more */
    char data[];
};

struct end {
    struct link *link;
    int fd;
    uint32_t wanted; /* of epoll */
};

struct link {
    struct end end[ENDS];
    struct piece *first, **last; /* on the way to the server */
    size_t queued;
    char *back; /* of what came from the server, [at, n) is not passed on yet */
    size_t at, n;
    int answered; /* something came back since the client sent something */
    struct link *next, **before;
};

static int poller, listener;
static struct sockaddr_in target = {.sin_family = AF_INET};
static int64_t delay_ms;
static unsigned long long requests, received;
static struct link *links;
static struct link *ended; /* freed once no event of this round can name them */

static int64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static void *get_memory(size_t n)
{
    void *p = malloc(n);

    if (!p)
        fail("memory");
    return p;
}

/* --- links ------------------------------------------------------------------------------- */

static void want(struct end *e, uint32_t what)
{
    struct epoll_event event = {.events = what, .data.ptr = e};

    if (what != e->wanted && epoll_ctl(poller, EPOLL_CTL_MOD, e->fd, &event) != 0)
        fail("epoll_ctl");
    e->wanted = what;
}

static int64_t due_of(const struct link *l)
{
    return l->first ? l->first->due : INT64_MAX;
}

static void want_what_is_open(struct link *l)
{
    int full = l->queued >= QUEUED_MAX, waits = l->at < l->n, due = due_of(l) <= now_ms();

    want(&l->end[CLIENT], (full ? 0 : EPOLLIN) | (waits ? EPOLLOUT : 0));
    want(&l->end[SERVER], (waits ? 0 : EPOLLIN) | (due ? EPOLLOUT : 0));
}

static void end_link(struct link *l)
{
    struct piece *next;

    for (int i = 0; i < ENDS; i++)
        close(l->end[i].fd);
    for (struct piece *p = l->first; p; p = next) {
        next = p->next;
        free(p);
    }
    free(l->back);
    l->back = NULL;
    *l->before = l->next;
    if (l->next)
        l->next->before = l->before;
    l->next = ended;
    ended = l;
}

static void free_ended(void)
{
    while (ended) {
        struct link *next = ended->next;

        free(ended);
        ended = next;
    }
}

static void add_end(struct link *l, int which, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &l->end[which]};

    l->end[which] = (struct end){l, fd, EPOLLIN};
    if (fcntl(fd, F_SETFL, O_NONBLOCK) != 0 || setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int)) != 0 ||
        epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event) != 0)
        fail("link");
}

static void begin_link(void)
{
    int client = accept(listener, NULL, NULL), server = socket(AF_INET, SOCK_STREAM, 0);
    struct link *l = get_memory(sizeof *l);

    if (client < 0 || server < 0 || connect(server, (struct sockaddr *)&target, sizeof target) != 0)
        fail("connect");
    memset(l, 0, sizeof *l);
    l->last = &l->first;
    l->back = get_memory(BLOCK);
    l->answered = 1;
    l->next = links;
    l->before = &links;
    if (links)
        links->before = &l->next;
    links = l;
    add_end(l, CLIENT, client);
    add_end(l, SERVER, server);
}

/* --- to the server ----------------------------------------------------------------------- */

/* Nobody sends a second request before the answer to the first. */
static void count_request(struct link *l, const struct piece *p)
{
    if (l->answered && p->n && p->data[0] >= 'A' && p->data[0] <= 'Z') {
        requests++;
        l->answered = 0;
    }
}

static int take_from_client(struct link *l)
{
    struct piece *p = get_memory(sizeof *p + BLOCK);
    ssize_t n = recv(l->end[CLIENT].fd, p->data, BLOCK, 0);

    if (n < 0) {
        free(p);
        return errno == EAGAIN || errno == EINTR;
    }
    if ((size_t)n < BLOCK / 2)
        p = realloc(p, sizeof *p + (size_t)n);
    if (!p)
        fail("memory");
    *p = (struct piece){.due = now_ms() + delay_ms, .n = (size_t)n};
    count_request(l, p);
    l->queued += n ? (size_t)n : QUEUED_MAX; /* nothing comes behind the end */
    *l->last = p;
    l->last = &p->next;
    return 1;
}

static int send_piece(struct link *l, struct piece *p)
{
    ssize_t n = p->n ? send(l->end[SERVER].fd, p->data + p->at, p->n - p->at, MSG_NOSIGNAL) : 0;

    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -1;
    if (!p->n && shutdown(l->end[SERVER].fd, SHUT_WR) != 0)
        return -1;
    p->at += (size_t)n;
    return p->at == p->n;
}

/* What is due. */
static int give_to_server(struct link *l)
{
    int64_t now = now_ms();
    int sent = 1;

    while (sent > 0 && due_of(l) <= now) {
        struct piece *p = l->first;

        sent = send_piece(l, p);
        if (sent <= 0)
            break;
        l->first = p->next;
        if (!l->first)
            l->last = &l->first;
        l->queued -= p->n;
        free(p);
    }
    return sent >= 0;
}

/* --- from the server ------------------------------------------------------------------------ */

static int give_to_client(struct link *l)
{
    ssize_t n = l->at < l->n ? send(l->end[CLIENT].fd, l->back + l->at, l->n - l->at, MSG_NOSIGNAL) : 0;

    if (n < 0)
        return errno == EAGAIN || errno == EINTR;
    l->at += (size_t)n;
    return 1;
}

static int take_from_server(struct link *l)
{
    ssize_t n = recv(l->end[SERVER].fd, l->back, BLOCK, 0);

    if (n <= 0)
        return n < 0 && (errno == EAGAIN || errno == EINTR);
    received += (unsigned long long)n;
    l->answered = 1;
    l->at = 0;
    l->n = (size_t)n;
    return give_to_client(l);
}

/* --- everything ------------------------------------------------------------------------------- */

static void serve(struct end *e, uint32_t events)
{
    struct link *l = e->link;
    int good = 1;

    if (!l->back) /* it ended in this round */
        return;
    if (e == &l->end[CLIENT]) {
        if (events & (EPOLLIN | EPOLLHUP | EPOLLERR))
            good = take_from_client(l);
        if (good && events & EPOLLOUT)
            good = give_to_client(l);
    } else {
        if (events & EPOLLOUT)
            good = give_to_server(l);
        if (good && events & (EPOLLIN | EPOLLHUP | EPOLLERR))
            good = l->at < l->n || take_from_server(l);
    }
    if (good)
        want_what_is_open(l);
    else
        end_link(l);
}

static void command(void)
{
    char line[128];
    ssize_t n = read(STDIN_FILENO, line, sizeof line - 1);

    if (n <= 0)
        exit(0);
    line[n] = '\0';
    if (strncmp(line, "delay ", 6) == 0)
        delay_ms = atoi(line + 6);
    printf("%llu %llu\n", requests, received);
    fflush(stdout);
    requests = received = 0;
}

/* Sends what is due by now; gives the ms until more is, -1: nothing is on the way. */
static int send_due(void)
{
    int64_t soonest = INT64_MAX, now = now_ms(), wait;
    struct link *next;

    for (struct link *l = links; l; l = next) {
        next = l->next;
        if (due_of(l) <= now && !(l->end[SERVER].wanted & EPOLLOUT)) {
            if (!give_to_server(l)) {
                end_link(l);
                continue;
            }
            want_what_is_open(l);
        }
        if (due_of(l) > now && due_of(l) < soonest)
            soonest = due_of(l);
    }
    wait = soonest - now;
    return soonest == INT64_MAX ? -1 : (int)wait;
}

static void start(const char *port)
{
    struct sockaddr_in self = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct epoll_event in = {.events = EPOLLIN, .data.ptr = &listener},
                       words = {.events = EPOLLIN, .data.ptr = &poller};
    socklen_t len = sizeof self;

    target.sin_addr = self.sin_addr;
    target.sin_port = htons((uint16_t)atoi(port));
    listener = socket(AF_INET, SOCK_STREAM, 0);
    poller = epoll_create1(0);
    if (listener < 0 || poller < 0 || bind(listener, (struct sockaddr *)&self, len) != 0 ||
        listen(listener, 512) != 0 || getsockname(listener, (struct sockaddr *)&self, &len) != 0 ||
        epoll_ctl(poller, EPOLL_CTL_ADD, listener, &in) != 0 ||
        epoll_ctl(poller, EPOLL_CTL_ADD, STDIN_FILENO, &words) != 0)
        fail("start");
    printf("%d\n", ntohs(self.sin_port));
    fflush(stdout);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s PORT\n", argv[0]);
        return 2;
    }
    start(argv[1]);
    for (;;) {
        struct epoll_event event[EVENTS];
        int n = epoll_wait(poller, event, EVENTS, send_due());

        if (n < 0 && errno != EINTR)
            fail("epoll_wait");
        for (int i = 0; i < n; i++)
            if (event[i].data.ptr == &listener)
                begin_link();
            else if (event[i].data.ptr == &poller)
                command();
            else
                serve(event[i].data.ptr, event[i].events);
        free_ended();
    }
}
