/* SPDX-License-Identifier: BSD-3-Clause */
/* How many cores this process may really use: the scheduler's mask, cut down to
 * the quota of the control groups it runs in (version 2 or 1), rounded up. */
#include "pool.h"
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CORES_MAX 65536

static int by_affinity(void)
{
    size_t nbytes = CPU_ALLOC_SIZE(CORES_MAX);
    cpu_set_t *set = CPU_ALLOC(CORES_MAX);
    int n = 0;

    if (set && sched_getaffinity(0, nbytes, set) == 0)
        n = CPU_COUNT_S(nbytes, set);
    CPU_FREE(set);
    return n > 0 ? n : (int)sysconf(_SC_NPROCESSORS_ONLN);
}

/* The first line of a small file; false when it cannot be read. */
static bool first_line(const char *path, char *line, int size)
{
    FILE *f = fopen(path, "re");
    bool ok = f && fgets(line, size, f);

    if (f)
        fclose(f);
    return ok;
}

/* Lower *cores to what one group allows; dir is where its files lie. */
static void apply_quota(const char *dir, int *cores)
{
    char path[4200], line[64], period_line[64];
    double quota = 0, period = 0;

    snprintf(path, sizeof path, "%s/cpu.max", dir);
    if (first_line(path, line, sizeof line)) {
        if (sscanf(line, "%lf %lf", &quota, &period) != 2) /* "max 100000": no limit */
            return;
    } else {
        snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", dir);
        if (!first_line(path, line, sizeof line))
            return;
        snprintf(path, sizeof path, "%s/cpu.cfs_period_us", dir);
        if (!first_line(path, period_line, sizeof period_line))
            return;
        quota = atof(line);
        period = atof(period_line);
    }
    if (quota > 0 && period > 0 && quota / period < *cores)
        *cores = (int)((quota + period - 1) / period);
}

/* A group and all groups above it limit us. */
static void apply_groups(const char *mount, char *group, int *cores)
{
    char dir[4160];

    for (;;) {
        snprintf(dir, sizeof dir, "%s%s", mount, group);
        apply_quota(dir, cores);
        if (!*group)
            break;
        *strrchr(group, '/') = 0;
    }
}

/* Lines of /proc/self/cgroup: "0::/a/b" (version 2), "4:cpu,cpuacct:/a/b" (1). */
static void apply_cgroups(int *cores)
{
    FILE *f = fopen("/proc/self/cgroup", "re");
    char line[4096];

    while (f && fgets(line, sizeof line, f)) {
        char *controllers = strchr(line, ':');
        char *group = controllers ? strchr(controllers + 1, ':') : NULL;

        if (!group || group[1] != '/')
            continue;
        *group++ = 0;
        group[strcspn(group, "\n")] = 0;
        if (!group[1])
            *group = 0;
        if (!controllers[1])
            apply_groups("/sys/fs/cgroup", group, cores);
        else if (strstr(controllers + 1, "cpu") && !strstr(controllers + 1, "cpuset"))
            apply_groups("/sys/fs/cgroup/cpu", group, cores);
    }
    if (f)
        fclose(f);
}

int cel_cores(void)
{
    int cores = by_affinity();

    apply_cgroups(&cores);
    return cores > 0 ? cores : 1;
}
