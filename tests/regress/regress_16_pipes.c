/* SPDX-License-Identifier: BSD-3-Clause */
/* A pipe, a socket, a device in the place of a document or a chunk of a Zarr directory: no call waits for it,
 * and one sentence says what it is. */
#include "common/scratch.h"
#include <cellar.h>
#include <netcdf.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

static void make_store(void)
{
    int nc, dim, v, data[4] = {1, 2, 3, 4};

    remove_tree(scratch("t.zarr"));
    MUST(nc_create(scratch_url("t.zarr", "zarr,file"), NC_NETCDF4, &nc) == NC_NOERR);
    MUST(nc_def_dim(nc, "x", 4, &dim) == NC_NOERR && nc_def_var(nc, "v", NC_INT, 1, &dim, &v) == NC_NOERR);
    MUST(nc_put_att_text(nc, v, "units", 1, "m") == NC_NOERR);
    MUST(nc_put_var_int(nc, v, data) == NC_NOERR && nc_close(nc) == NC_NOERR);
}

static bool put_socket(const char *path)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    bool ok;

    snprintf(at.sun_path, sizeof at.sun_path, "%.100s", path);
    ok = strlen(path) < sizeof at.sun_path && bind(fd, (struct sockaddr *)&at, sizeof at) == 0;
    close(fd);
    return ok;
}

static bool put_pipe(const char *path)
{
    return mkfifo(path, 0666) == 0;
}

static bool put_device(const char *path)
{
    return mknod(path, S_IFCHR | 0666, makedev(1, 5)) == 0; /* zeros without end */
}

static bool put_link_to_pipe(const char *path)
{
    unlink(scratch("t.zarr/.pipe"));
    return mkfifo(scratch("t.zarr/.pipe"), 0666) == 0 && symlink(strstr(path, "/v/") ? "../.pipe" : ".pipe", path) == 0;
}

static const struct {
    const char *name, *text;
    bool (*put)(const char *path);
} kinds[] = {
    {"pipe", "a pipe", put_pipe},
    {"socket", "a socket", put_socket},
    {"device", "a device", put_device},
    {"link to a pipe", "a pipe", put_link_to_pipe},
};

/* What was said on the way, by an error or a warning. */
static bool read_all(const char *words, char *said, size_t n)
{
    int nc, v, data[4], rc = nc_open(scratch_url("t.zarr", words), NC_NOWRITE, &nc);
    char units[8];

    snprintf(said, n, "%s %s", rc != NC_NOERR ? cellar_error() : "", cellar_warning());
    if (rc != NC_NOERR)
        return false;
    rc = nc_inq_varid(nc, "v", &v);
    if (rc == NC_NOERR && nc_get_att_text(nc, v, "units", units) != NC_NOERR)
        rc = NC_EIO, snprintf(said, n, "%s", cellar_error());
    if (rc == NC_NOERR && (rc = nc_get_var_int(nc, v, data)) != NC_NOERR)
        snprintf(said, n, "%s", cellar_error());
    nc_close(nc);
    return rc == NC_NOERR;
}

int main(void)
{
    static const char *const keys[] = {"v/0", "v/.zarray", "v/.zattrs", ".zgroup", ".zattrs", ".zmetadata"};
    enum { CONSOLIDATED = 5 };
    char said[2000];

    scratch_make();
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            const char *path;

            make_store();
            path = scratch("t.zarr/%s", keys[i]);
            unlink(path);
            if (!kinds[k].put(path)) {
                printf("NOT RUN: no %s can be made here\n", kinds[k].name);
                continue;
            }
            alarm(60);
            if (i == CONSOLIDATED) /* who does not ask for it does not meet it */
                MUST(read_all("zarr,file", said, sizeof said));
            MUST(!read_all(i == CONSOLIDATED ? "zarr,file,consolidated" : "zarr,file", said, sizeof said) ||
                 i > 0); /* a chunk is missing */
            alarm(0);
            if (!strstr(said, kinds[k].text)) {
                fprintf(stderr, "%s as %s: '%s'\n", kinds[k].name, keys[i], said);
                return 1;
            }
        }
    make_store(); /* beside what is asked for it harms nobody */
    MUST(put_pipe(scratch("t.zarr/readme")) && put_pipe(scratch("t.zarr/v/notes")));
    alarm(60);
    MUST(read_all("zarr,file", said, sizeof said));
    unlink(scratch("t.zip")); /* nor does one that is taken for an archive make anybody wait */
    MUST(put_pipe(scratch("t.zip")));
    int nc;
    MUST(nc_open(scratch_url("t.zip", "zarr,zip"), NC_NOWRITE, &nc) != NC_NOERR);
    return 0;
}
