/* SPDX-License-Identifier: BSD-3-Clause */
/* nc_sync hands all bytes to the kernel; with CELLAR_FSYNC=1 it flushes them, never the whole file system.
 * And close() failing, as it does on network file systems and with quotas, is an error of the call that wrote. */
#include "common/scratch.h"
#include <cellar.h>
#include <errno.h>
#include <fcntl.h>
#include <netcdf.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static int nfsync, nsyncfs;
static bool close_fails;

/* These are what the library calls. */
__attribute__((visibility("default"))) int fsync(int fd)
{
    nfsync++;
    return (int)syscall(SYS_fsync, fd);
}

__attribute__((visibility("default"))) int syncfs(int fd)
{
    nsyncfs++;
    return (int)syscall(SYS_syncfs, fd);
}

/* A regular file that was open for writing. */
__attribute__((visibility("default"))) int close(int fd)
{
    struct stat st;
    bool written = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY;
    int rc = (int)syscall(SYS_close, fd);

    if (rc != 0 || !close_fails || !written)
        return rc;
    errno = EDQUOT;
    return -1;
}

static const struct {
    const char *file, *mode;
    bool shards;
} stores[] = {
    {"t.zarr", "zarr,file", false},
    {"s.zarr", "zarr,v3", true},
    {"t.zip", "zarr,zip", false},
};
enum { NSTORES = sizeof stores / sizeof *stores, N = 40 };

static void create(int i, int *nc, int *v)
{
    int dim;

    remove_tree(scratch(stores[i].file));
    MUST(nc_create(scratch_url(stores[i].file, stores[i].mode), NC_NETCDF4, nc) == NC_NOERR);
    MUST(nc_def_dim(*nc, "x", N, &dim) == NC_NOERR && nc_def_var(*nc, "v", NC_INT, 1, &dim, v) == NC_NOERR);
    MUST(nc_def_var_chunking(*nc, *v, NC_CHUNKED, (size_t[]){1}) == NC_NOERR);
    if (stores[i].shards)
        MUST(cellar_def_var_shards(*nc, *v, (size_t[]){4}) == NC_NOERR);
    MUST(nc_enddef(*nc) == NC_NOERR);
}

static int put(int nc, int v)
{
    int data[N];

    for (int i = 0; i < N; i++)
        data[i] = i;
    return nc_put_var_int(nc, v, data);
}

/* Another handle of this process sees what was synchronised. */
static void check_there(int i)
{
    int nc, v, data[N];

    MUST(nc_open(scratch(stores[i].file), NC_NOWRITE, &nc) == NC_NOERR && nc_inq_varid(nc, "v", &v) == NC_NOERR);
    MUST(nc_get_var_int(nc, v, data) == NC_NOERR && data[N - 1] == N - 1);
    nc_close(nc);
}

static void count_flushes(int i, const char *wish)
{
    int nc, v;

    setenv("CELLAR_FSYNC", wish, 1);
    create(i, &nc, &v);
    nfsync = nsyncfs = 0;
    MUST(put(nc, v) == NC_NOERR && nc_sync(nc) == NC_NOERR);
    check_there(i);
    printf("%s, CELLAR_FSYNC=%s: %d flushes, %d of the file system\n", stores[i].file, wish, nfsync, nsyncfs);
    MUST(nsyncfs == 0);
    MUST(*wish == '1' ? nfsync > 0 : nfsync == 0);
    MUST(nc_close(nc) == NC_NOERR);
    setenv("CELLAR_FSYNC", "0", 1);
}

static void fail_at_sync(int i)
{
    int nc, v, rc;

    create(i, &nc, &v);
    close_fails = true;
    rc = put(nc, v);
    if (rc == NC_NOERR)
        rc = nc_sync(nc);
    close_fails = false;
    MUST(rc != NC_NOERR && strstr(cellar_error(), "quota"));
    nc_close(nc);
}

static void fail_at_close(int i)
{
    int nc, v, rc;

    create(i, &nc, &v);
    close_fails = true;
    rc = put(nc, v);
    rc = nc_close(nc) != NC_NOERR ? NC_EIO : rc;
    close_fails = false;
    MUST(rc != NC_NOERR);
}

int main(void)
{
    scratch_make();
    for (int i = 0; i < NSTORES; i++) {
        count_flushes(i, "0");
        count_flushes(i, "1");
        fail_at_sync(i);
        fail_at_close(i);
    }
    return 0;
}
