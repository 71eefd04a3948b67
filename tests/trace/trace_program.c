/* SPDX-License-Identifier: BSD-3-Clause */
/* A program whose timeline check_trace.py looks at: trace_program WHAT, or trace_program read PATH.
 *
 *   formats   a dataset in each format is written, and read again
 *   threads   four threads write and read files of their own
 *   fork      the parent writes; a child reads and ends by _exit(), then the parent reads
 *   kill      writes until it is killed; says so once the first dataset is closed
 *   close     closes every descriptor it finds, and has data of its own where the timeline's was
 *   names     datasets and variables whose names would end a string of JSON */
#include <cellar.h>
#include <fcntl.h>
#include <netcdf.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NX = 64, NY = 2048, CHUNK_X = 8, CHUNK_Y = 1024, N = NX * NY };

#define OK(call) \
    do { \
        int rc_ = (call); \
        if (rc_ != NC_NOERR) { \
            fprintf(stderr, "%s:%d: %s: %d %s\n", __FILE__, __LINE__, #call, rc_, cellar_error()); \
            exit(1); \
        } \
    } while (0)

static const struct {
    const char *path;
    int mode;
    int filters; /* its chunks are compressed */
} formats[] = {
    {"a.nc", NC_NETCDF4, 1},
    {"b.nc", 0, 0},
    {"file://c.zarr#mode=zarr,file,consolidated", NC_NETCDF4, 1},
    {"file://d.zip#mode=zarr,zip", NC_NETCDF4, 1},
    {"e.b2nd", NC_NETCDF4, 0},
};

static float values[N];

static void write_file(const char *path, int mode, int filters, const char *name)
{
    const size_t chunks[] = {CHUNK_X, CHUNK_Y};
    int nc, dims[2], var;

    OK(nc_create(path, mode | NC_CLOBBER, &nc));
    OK(nc_def_dim(nc, "x", NX, &dims[0]));
    OK(nc_def_dim(nc, "y", NY, &dims[1]));
    OK(nc_def_var(nc, name, NC_FLOAT, 2, dims, &var));
    if (mode)
        OK(nc_def_var_chunking(nc, var, NC_CHUNKED, chunks));
    if (filters)
        OK(nc_def_var_deflate(nc, var, 1, 1, 1));
    OK(nc_enddef(nc));
    OK(nc_put_var_float(nc, var, values));
    OK(nc_close(nc));
}

static void read_file(const char *path)
{
    float *back = malloc(N * sizeof *back);
    int nc;

    OK(nc_open(path, NC_NOWRITE, &nc));
    OK(nc_get_var_float(nc, 0, back));
    OK(nc_close(nc));
    for (int i = 0; i < N; i++)
        if (back[i] != (float)i)
            exit(1);
    free(back);
}

static void run_formats(void)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        write_file(formats[i].path, formats[i].mode, formats[i].filters, "v");
        read_file(formats[i].path);
    }
}

static void *write_and_read(void *path)
{
    for (int i = 0; i < 8; i++) {
        write_file(path, NC_NETCDF4, 1, "v");
        read_file(path);
    }
    return NULL;
}

static void run_threads(void)
{
    static char path[4][16];
    pthread_t thread[4];

    for (int i = 0; i < 4; i++) {
        snprintf(path[i], sizeof path[i], "t%d.nc", i);
        pthread_create(&thread[i], NULL, write_and_read, path[i]);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
}

static void run_fork(void)
{
    int status;
    pid_t child;

    write_file("a.nc", NC_NETCDF4, 1, "v");
    child = fork();
    if (child == 0) {
        cellar_set_threads(1); /* ThreadSanitizer lets a forked child make none */
        read_file("a.nc");
        _exit(0);
    }
    waitpid(child, &status, 0);
    read_file("a.nc");
    if (status != 0)
        exit(1);
}

static void run_kill(void)
{
    for (int i = 0;; i++) {
        write_file("a.nc", NC_NETCDF4, 1, "v");
        if (i == 0)
            puts("ready");
        fflush(stdout);
    }
}

static void run_close(void)
{
    char back[9] = "";
    int fd;

    write_file("a.nc", NC_NETCDF4, 1, "v");
    for (fd = 3; fd < 256; fd++)
        close(fd);
    fd = open("mine", O_RDWR | O_CREAT | O_TRUNC, 0600);
    while (fd < 20)
        fd = dup(fd);
    if (write(fd, "my bytes", 8) != 8)
        exit(1);
    write_file("a.nc", NC_NETCDF4, 1, "v");
    if (pread(fd, back, 8, 0) != 8 || strcmp(back, "my bytes") != 0 || lseek(fd, 0, SEEK_END) != 8)
        exit(1);
}

static void run_names(void)
{
    char path[3][64] = {"quote\".nc", "line\n\t\x01\x7f.nc", "no\xff\xc3utf8.nc"};

    for (int i = 0; i < 3; i++) {
        write_file(path[i], NC_NETCDF4, 1, "say \"hi\" \\ \xc3\xa9");
        read_file(path[i]);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } all[] = {{"formats", run_formats}, {"threads", run_threads}, {"fork", run_fork},
               {"kill", run_kill},       {"close", run_close},     {"names", run_names}};

    for (int i = 0; i < N; i++)
        values[i] = (float)i;
    if (argc == 3) {
        read_file(argv[2]);
        return 0;
    }
    for (size_t i = 0; argc == 2 && i < sizeof all / sizeof *all; i++)
        if (strcmp(argv[1], all[i].name) == 0) {
            all[i].run();
            return 0;
        }
    return 2;
}
