/* What a path given to nc_create() or nc_open() means: a local file or
 * directory, a URL with its fragment ("file:///data/x.zarr#mode=zarr"), or
 * memory. Looks at the first bytes, for the containers to bid by. */
#include "container.h"
#include "file.h"
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

void cel_where_dispose(struct cel_where *where)
{
    free(where->text);
    *where = (struct cel_where){0};
}
