/* SPDX-License-Identifier: BSD-3-Clause */
/* What a path given to nc_create() or nc_open() means: a local file or
 * directory, a URL with its fragment ("file:///data/x.zarr#mode=zarr"), or
 * memory. Looks at the first bytes, for the containers to bid by. */
#include "container.h"
#include "file.h"
#include "store.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* Length of "scheme://" at the start; 0: a plain path. */
static size_t scheme_len(const char *text)
{
    size_t n = 0;

    while (isalnum((unsigned char)text[n]) || (n && text[n] && strchr("+-.", text[n])))
        n++;
    return n > 1 && isalpha((unsigned char)text[0]) && strncmp(text + n, "://", 3) == 0 ? n + 3 : 0;
}

static bool is_remote(const char *url)
{
    static const char *const schemes[] = {"http://", "https://", "s3://", "gs://"};

    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (strncasecmp(url, schemes[i], strlen(schemes[i])) == 0)
            return true;
    return false;
}

static void split(struct cel_where *where)
{
    size_t n = scheme_len(where->text);
    char *hash;

    where->at.path = where->text;
    where->at.fragment = "";
    if (!n)
        return;
    where->at.is_url = true;
    where->at.is_remote = is_remote(where->text);
    hash = strchr(where->text, '#');
    if (hash) {
        *hash = '\0';
        where->at.fragment = hash + 1;
    }
    if (strncasecmp(where->text, "file:", 5) == 0)
        where->at.path = where->text + n;
}

static bool is_local(const struct cel_location *at)
{
    return scheme_len(at->path) == 0;
}

static int read_head(const char *path, struct cel_location *at)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC); /* a pipe has no end to wait for */
    int e;

    if (fd < 0)
        return errno;
    e = cel_file_read(fd, 0, at->head, sizeof at->head, &at->head_len);
    close(fd);
    return e;
}

static int look(struct cel_location *at)
{
    struct stat st;

    if (stat(at->path, &st) != 0)
        return errno == ENOENT ? 0 : errno;
    at->exists = true;
    at->is_directory = S_ISDIR(st.st_mode);
    at->size = (size_t)st.st_size;
    return at->is_directory ? 0 : read_head(at->path, at);
}

static int copy_path(const char *path, struct cel_where *out)
{
    memset(out, 0, sizeof *out);
    if (!path)
        return cel_fail(NC_EINVAL, "no path was given");
    while (isspace((unsigned char)*path))
        path++;
    if (!*path)
        return cel_fail(NC_EDAPURL, "the path is empty"); /* netCDF-C's code for what is no path */
    out->text = cel_strdup(path);
    if (!out->text)
        return NC_ENOMEM;
    split(out);
    return CEL_OK;
}

int cel_where_init(const char *path, struct cel_where *out)
{
    int rc = copy_path(path, out);

    if (rc == CEL_OK && is_local(&out->at))
        out->error = look(&out->at);
    return rc;
}

int cel_where_in_memory(const char *path, void *memory, size_t nbytes, struct cel_where *out)
{
    int rc = copy_path(path, out);

    if (rc != CEL_OK)
        return rc;
    out->at.in_memory = true;
    out->at.memory = memory;
    out->at.memory_size = nbytes;
    if (memory) {
        out->at.exists = true;
        out->at.size = nbytes;
        out->at.head_len = nbytes < sizeof out->at.head ? nbytes : sizeof out->at.head;
        memcpy(out->at.head, memory, out->at.head_len);
    }
    return CEL_OK;
}

/* A word of "mode=a,b&key=value", or of the words alone. */
static bool has_word(const char *fragment, const char *word)
{
    size_t n = strlen(word);

    for (const char *at = fragment; (at = strcasestr(at, word)); at++)
        if ((at == fragment || strchr("=,&", at[-1])) && (!at[n] || strchr(",&", at[n])))
            return true;
    return false;
}

static int read_remote_head(struct cel_where *where)
{
    struct cel_location *at = &where->at;
    uint64_t size;
    int rc = cel_source_size(where->source, &size);

    at->exists = true;
    at->size = (size_t)size;
    at->head_len = size < sizeof at->head ? (size_t)size : sizeof at->head;
    at->source = &where->source;
    return rc == CEL_OK ? cel_source_read_at(where->source, 0, at->head, at->head_len) : rc;
}

int cel_where_look_remote(struct cel_where *where)
{
    static const struct cel_options none = {0};
    const struct cel_container_ops *ops;
    int rc;

    if (!where->at.is_remote || has_word(where->at.fragment, "dap2") || has_word(where->at.fragment, "dap4"))
        return CEL_OK;
    if (cel_container_for(&where->at, &none, false, &ops) == CEL_OK)
        return CEL_OK;
    cel_error_clear();
    where->at.looked_at = true;
    rc = cel_source_of_url(where->at.path, has_word(where->at.fragment, "s3"), &where->source);
    return rc == CEL_OK ? read_remote_head(where) : rc == CEL_ABSENT ? CEL_OK : rc;
}

void cel_where_dispose(struct cel_where *where)
{
    cel_source_close(where->source);
    free(where->text);
    *where = (struct cel_where){0};
}
