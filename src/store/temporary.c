/* SPDX-License-Identifier: BSD-3-Clause */
/* A free lock proves that its holder is gone only where all processes see the same
 * locks, which is certain on one kernel alone: some network file systems keep the locks of
 * each node apart. So the name holds the id that Linux draws at each boot. */
#include "temporary.h"
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define OLD_SECONDS (24 * 60 * 60)

static char host[16]; /* "n" and 8 hexadecimal digits */
static pthread_once_t host_once = PTHREAD_ONCE_INIT;

static void find_host(void)
{
    char text[256] = "";
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
    uint32_t hash = 2166136261u;

    if (!f || !fgets(text, sizeof text, f))
        gethostname(text, sizeof text - 1);
    if (f)
        fclose(f);
    for (const char *p = text; *p; p++)
        hash = (hash ^ (unsigned char)*p) * 16777619u;
    snprintf(host, sizeof host, "n%08x", (unsigned)hash);
}

/* Where the kernel has none to give, names are only unlikely to meet. */
static uint64_t random_bits(void)
{
    uint64_t bits;
    struct timespec now;

    if (getentropy(&bits, sizeof bits) == 0)
        return bits;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return ((uint64_t)now.tv_nsec * 0x9e3779b97f4a7c15u) ^ ((uint64_t)getpid() << 40) ^ (uintptr_t)&now;
}

void cel_tmp_name(char name[CEL_TMP_NAME])
{
    pthread_once(&host_once, find_host);
    snprintf(name, CEL_TMP_NAME, CEL_TMP_PREFIX "%s-%016llx", host, (unsigned long long)random_bits());
}

bool cel_tmp_is_named(const char *name)
{
    return strncmp(name, CEL_TMP_PREFIX, strlen(CEL_TMP_PREFIX)) == 0;
}

static bool is_of_this_host(const char *name)
{
    const char *at = name + strlen(CEL_TMP_PREFIX);

    pthread_once(&host_once, find_host);
    return strncmp(at, host, strlen(host)) == 0 && at[strlen(host)] == '-';
}

int cel_tmp_lock(int fd)
{
    int rc;

    do
        rc = flock(fd, LOCK_EX | LOCK_NB);
    while (rc != 0 && errno == EINTR);
    return rc;
}

/* Not by closing alone: a forked child may have the file open as well. */
void cel_tmp_unlock(int fd)
{
    flock(fd, LOCK_UN);
}

bool cel_tmp_is_old(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && time(NULL) - st.st_mtime > OLD_SECONDS;
}

bool cel_tmp_is_left(int fd, const char *name, bool old)
{
    bool free_now = fd >= 0 && cel_tmp_lock(fd) == 0;

    if (fd >= 0 && !free_now && errno == EWOULDBLOCK)
        return false;
    return old || (free_now && is_of_this_host(name));
}
