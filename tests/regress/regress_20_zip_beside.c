/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing a zip archive anew touches nothing that was planted beside it, widens no permission, and keeps
 * the link through which it was named. */
#include "common/scratch.h"
#include <cellar.h>
#include <dirent.h>
#include <netcdf.h>
#include <sys/stat.h>

static void write_archive(const char *url, int mode, void (*meanwhile)(void))
{
    int nc, dim, v, data[10] = {1, 2, 3};

    MUST(nc_create(url, NC_NETCDF4 | mode, &nc) == NC_NOERR);
    MUST(nc_def_dim(nc, "x", 10, &dim) == NC_NOERR && nc_def_var(nc, "v", NC_INT, 1, &dim, &v) == NC_NOERR);
    MUST(nc_put_var_int(nc, v, data) == NC_NOERR);
    if (meanwhile)
        meanwhile();
    MUST(nc_close(nc) == NC_NOERR);
}

static void add_to_archive(const char *path)
{
    int nc;

    MUST(nc_open(path, NC_WRITE, &nc) == NC_NOERR);
    MUST(nc_put_att_text(nc, NC_GLOBAL, "title", 3, "two") == NC_NOERR && nc_sync(nc) == NC_NOERR);
    MUST(nc_put_att_text(nc, NC_GLOBAL, "more", 3, "two") == NC_NOERR && nc_close(nc) == NC_NOERR);
}

/* What can be foreseen from the names that are there. */
static void plant_links(void)
{
    static const char *const endings[] = {".new", ".tmp", "~", "1"};
    DIR *dir = opendir(scratch("share"));
    struct dirent *e;
    char name[400];

    MUST(dir);
    while ((e = readdir(dir)))
        for (size_t i = 0; e->d_name[0] != '.' || strlen(e->d_name) > 2; i++) {
            if (i == sizeof endings / sizeof *endings)
                break;
            snprintf(name, sizeof name, "share/%.200s%s", e->d_name, endings[i]);
            if (strlen(e->d_name) < 190)
                (void)!symlink(scratch("precious"), scratch("%s", name));
        }
    closedir(dir);
}

static void check_precious(void)
{
    char text[32] = "";
    FILE *f = fopen(scratch("precious"), "r");

    MUST(f && fgets(text, sizeof text, f) && strcmp(text, "precious") == 0);
    fclose(f);
}

static mode_t mode_of(const char *path)
{
    struct stat st;

    MUST(lstat(path, &st) == 0);
    return st.st_mode & 07777;
}

static void check_modes(void)
{
    static const mode_t modes[] = {0600, 0640, 0660, 0644, 0400};

    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        MUST(chmod(scratch("share/out.zip"), modes[i]) == 0);
        add_to_archive(scratch("share/out.zip"));
        MUST(mode_of(scratch("share/out.zip")) == modes[i]);
        write_archive(scratch_url("share/out.zip", "zarr,zip"), NC_CLOBBER, NULL);
        MUST(mode_of(scratch("share/out.zip")) == modes[i]);
    }
}

static void check_link(void)
{
    struct stat st;
    int nc;
    size_t n;

    MUST(mkdir(scratch("elsewhere"), 0777) == 0);
    MUST(rename(scratch("share/out.zip"), scratch("elsewhere/real.zip")) == 0);
    MUST(symlink("../elsewhere/real.zip", scratch("share/out.zip")) == 0);
    write_archive(scratch_url("share/out.zip", "zarr,zip"), NC_CLOBBER, NULL);
    add_to_archive(scratch("share/out.zip"));
    MUST(lstat(scratch("share/out.zip"), &st) == 0 && S_ISLNK(st.st_mode));
    MUST(nc_open(scratch("elsewhere/real.zip"), NC_NOWRITE, &nc) == NC_NOERR);
    MUST(nc_inq_attlen(nc, NC_GLOBAL, "more", &n) == NC_NOERR && n == 3);
    nc_close(nc);
}

int main(void)
{
    FILE *f;

    scratch_make();
    umask(022);
    MUST(mkdir(scratch("share"), 0777) == 0 && (f = fopen(scratch("precious"), "w")) && fputs("precious", f) >= 0 &&
         fclose(f) == 0);
    write_archive(scratch_url("share/out.zip", "zarr,zip"), NC_CLOBBER, plant_links);
    check_precious();
    MUST(mode_of(scratch("share/out.zip")) == 0644);
    check_modes();
    check_link();
    check_precious();
    return 0;
}
