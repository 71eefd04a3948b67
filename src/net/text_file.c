/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads settings files. */
#include "text_file.h"
#include "file.h"
#include <fcntl.h>
#include <netcdf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLANKS " \t\r"

static struct cel_text_access access_of(const struct stat *st)
{
    bool foreign = st->st_uid != geteuid() && st->st_uid != 0;

    return (struct cel_text_access){.others_read = foreign || (st->st_mode & (S_IRGRP | S_IROTH)),
                                    .others_write = foreign || (st->st_mode & (S_IWGRP | S_IWOTH))};
}

int cel_text_load(const char *path, struct cel_buf *out, struct cel_text_access *access)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc = CEL_OK, e;
    struct stat st;
    size_t done = 0;

    if (fd < 0)
        return CEL_ABSENT;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        rc = CEL_ABSENT;
    else if ((uint64_t)st.st_size > CEL_TEXT_FILE_MAX)
        rc = cel_fail(NC_EIO, "%s has more than %zu bytes, which is no file of settings", path, CEL_TEXT_FILE_MAX);
    if (rc == CEL_OK)
        rc = cel_buf_resize(out, (size_t)st.st_size + 1);
    e = rc == CEL_OK ? cel_file_read(fd, 0, out->data, (size_t)st.st_size, &done) : 0;
    if (e)
        rc = cel_fail(NC_EIO, "%s cannot be read: %s", path, strerror(e));
    if (rc == CEL_OK) {
        out->data[done] = '\0';
        if (access)
            *access = access_of(&st);
    }
    close(fd);
    return rc;
}

void cel_text_wipe(struct cel_buf *text)
{
    if (text->data)
        explicit_bzero(text->data, text->cap);
    cel_buf_dispose(text);
}

char *cel_text_line(char **at)
{
    char *line = *at;

    if (!line)
        return NULL;
    *at = strchr(line, '\n');
    if (*at)
        *(*at)++ = '\0';
    return line;
}

char *cel_text_trim(char *text)
{
    size_t n;

    text += strspn(text, BLANKS);
    for (n = strlen(text); n && strchr(BLANKS, text[n - 1]); n--)
        text[n - 1] = '\0';
    return text;
}
