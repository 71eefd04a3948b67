/* SPDX-License-Identifier: BSD-3-Clause */
/* An unmodified libblosc2 with our filters, which it loads by name:
 *
 *   blosc2_frame write ID EDGE DTYPE SHAPE CHUNKS BLOCKS RAW FRAME   SHAPE as 30,40,50
 *   blosc2_frame read RAW FRAME */
#include <b2nd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int register_ours(void)
{
    blosc2_filter cell = {.id = 160, .name = "cellar_ndcell", .version = 1};
    blosc2_filter mean = {.id = 161, .name = "cellar_ndmean", .version = 1};

    return blosc2_register_filter(&cell) < 0 || blosc2_register_filter(&mean) < 0;
}

static int8_t read_list(char *text, int64_t *wide, int32_t *narrow)
{
    int8_t n = 0;

    for (char *word = strtok(text, ","); word && n < 8; word = strtok(NULL, ","), n++)
        if (wide)
            wide[n] = atoll(word);
        else
            narrow[n] = atoi(word);
    return n;
}

static void *load(const char *path, int64_t *n)
{
    FILE *f = fopen(path, "rb");
    void *p;

    if (!f || fseek(f, 0, SEEK_END) != 0)
        exit(1);
    *n = ftell(f);
    rewind(f);
    p = malloc((size_t)*n);
    if (!p || fread(p, 1, (size_t)*n, f) != (size_t)*n)
        exit(1);
    fclose(f);
    return p;
}

static int write_frame(char **arg)
{
    blosc2_cparams c = BLOSC2_CPARAMS_DEFAULTS;
    blosc2_storage storage = BLOSC2_STORAGE_DEFAULTS;
    int64_t shape[8], n;
    int32_t chunks[8], blocks[8];
    int8_t rank = read_list(arg[3], shape, NULL);
    b2nd_array_t *array = NULL;
    b2nd_context_t *context;
    void *raw = load(arg[6], &n);
    int rc;

    read_list(arg[4], NULL, chunks);
    read_list(arg[5], NULL, blocks);
    c.typesize = arg[2][2] - '0';
    c.filters[BLOSC2_MAX_FILTERS - 2] = (uint8_t)atoi(arg[0]);
    c.filters_meta[BLOSC2_MAX_FILTERS - 2] = (uint8_t)atoi(arg[1]);
    storage.cparams = &c;
    storage.contiguous = true;
    storage.urlpath = arg[7];
    context = b2nd_create_ctx(&storage, rank, shape, chunks, blocks, arg[2], 0, NULL, 0);
    rc = b2nd_from_cbuffer(context, &array, raw, n);
    if (rc < 0)
        fprintf(stderr, "write: %d\n", rc);
    if (array)
        b2nd_free(array);
    b2nd_free_ctx(context);
    free(raw);
    return rc < 0;
}

static int read_frame(char **arg)
{
    b2nd_array_t *array;
    int64_t n;
    void *raw;
    FILE *f;
    int rc = b2nd_open(arg[1], &array);

    if (rc < 0)
        return 1;
    n = array->sc->typesize;
    for (int d = 0; d < array->ndim; d++)
        n *= array->shape[d];
    raw = malloc((size_t)n);
    rc = b2nd_to_cbuffer(array, raw, n);
    f = fopen(arg[0], "wb");
    if (rc < 0 || !f || fwrite(raw, 1, (size_t)n, f) != (size_t)n || fclose(f) != 0) {
        fprintf(stderr, "read: %d\n", rc);
        return 1;
    }
    free(raw);
    return b2nd_free(array) < 0;
}

int main(int argc, char **argv)
{
    int rc = 2;

    blosc2_init();
    if (register_ours())
        return 1;
    if (argc == 10 && strcmp(argv[1], "write") == 0)
        rc = write_frame(argv + 2);
    else if (argc == 4 && strcmp(argv[1], "read") == 0)
        rc = read_frame(argv + 2);
    blosc2_destroy();
    return rc;
}
