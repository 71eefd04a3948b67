/* SPDX-License-Identifier: BSD-3-Clause */
/* fsync, if the user asked for it. */
#include "disk.h"
#include "env.h"
#include "mem.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cel_disk_sync(int fd)
{
    return cel_env_fsync() && fsync(fd) != 0 ? errno : 0;
}

int cel_disk_sync_folder(const char *path)
{
    char *folder, *slash;
    int fd, e;

    if (!cel_env_fsync())
        return 0;
    folder = cel_strdup(path);
    if (!folder)
        return ENOMEM;
    slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = '\0';
    fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    e = fd < 0 || fsync(fd) != 0 ? errno : 0;
    if (fd >= 0)
        close(fd);
    free(folder);
    return e == EINVAL ? 0 : e; /* a file system that has no such thing */
}
