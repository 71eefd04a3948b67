/* SPDX-License-Identifier: BSD-3-Clause */
/* The walk for systems without openat2() answers as the kernel does. */
#include "resolve.h"
#include "common/scratch.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

static void make_tree(void)
{
    char command[3000];

    snprintf(
        command, sizeof command,
        "cd '%s' && mkdir -p root/a/b/c out && touch root/f root/a/f root/a/b/f out/f && cd root && ln -s a/b in && "
        "ln -s ../a/b/../f a/back && ln -s .. a/up && ln -s ../.. a/out && ln -s ../out out && ln -s /etc etc && "
        "ln -s loop loop && ln -s a/b/c/../../up/in/f far && ln -s nothing dangling && ln -s '%s/root/f' absolute && "
        "ln -s . dot",
        scratch_folder, scratch_folder);
    MUST(system(command) == 0);
}

static void compare(int root, const char *path, int flags)
{
    struct stat a, b;
    int one, other, error;

    errno = 0;
    one = cel_resolve_open(root, path, flags, false);
    error = one < 0 ? errno : 0;
    errno = 0;
    other = cel_resolve_walk(root, path, flags | O_CLOEXEC);
    if ((one < 0) != (other < 0) || (one < 0 && error != errno))
        fprintf(stderr, "%s: %d (%s), by steps %d (%s)\n", path, one, strerror(error), other, strerror(errno));
    MUST((one < 0) == (other < 0) && (one >= 0 || error == errno));
    if (one < 0)
        return;
    MUST(fstat(one, &a) == 0 && fstat(other, &b) == 0 && a.st_ino == b.st_ino);
    close(one);
    close(other);
}

int main(void)
{
    static const char *const paths[] = {
        "f",           "a/f",  "a/b/f", "in/f",       "a/back",  "a/up/f", "a/up/a/up/f", "a/out",
        "a/out/out/f", "out",  "out/f", "etc/passwd", "loop",    "far",    "dangling",    "absolute",
        "dot/dot/f",   "none", "f/x",   "a/none/x",   ".",       "a",      "a/b/c",       "in/c",
        "dot",         "a/up", "..",    "a/..",       "a/../..",
    };
    int root, fd;

    scratch_make();
    make_tree();
    root = open(scratch("root"), O_RDONLY | O_DIRECTORY);
    MUST(root >= 0);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        compare(root, paths[i], O_RDONLY);
        compare(root, paths[i], CEL_OPEN_TO_STAT);
        compare(root, paths[i], CEL_OPEN_TO_STAT | O_DIRECTORY);
    }
    MUST(cel_resolve_open(root, "out/f", O_RDONLY, false) < 0 && errno == EXDEV);
    MUST((fd = cel_resolve_open(root, "out/f", O_RDONLY, true)) >= 0);
    close(fd);
    return 0;
}
