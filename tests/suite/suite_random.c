/* SPDX-License-Identifier: BSD-3-Clause */
/* Random calls, sensible and not: whatever they answer, the file says after
 * reopening what it said before. What the file says is written down as text, its
 * lines sorted: an attribute that changed its type may come back in another place. */
#include "container_suite.h"

enum { STORIES = 25, CALLS = 70 };

static const char *const names[] = {"a", "b",         "c",  "dd",    "eee",      "x",   "y",
                                    "t", "u\xcc\x88", "9n", "lon g", "bad/name", "end "};

static const char *some_name(void)
{
    return names[random_below(random_below(4) ? 8 : sizeof names / sizeof *names)];
}

static nc_type some_type(void)
{
    return 1 + (nc_type)random_below(keeps(STRINGS) ? NC_STRING : keeps(WIDE_INTEGERS) ? NC_UINT64 : NC_DOUBLE);
}

static int some_group(int nc)
{
    int n = 0, ids[16];

    if (!keeps(GROUPS) || random_below(2))
        return nc;
    OK(nc_inq_grps(nc, &n, NULL));
    if (!n || n > 16)
        return nc;
    OK(nc_inq_grps(nc, &n, ids));
    return ids[random_below((unsigned)n)];
}

static int some_var(int g)
{
    int n = 0;

    OK(nc_inq_nvars(g, &n));
    return n ? (int)random_below((unsigned)n) : 0;
}

static int some_dim(int g)
{
    int n = 0, ids[128];

    OK(nc_inq_dimids(g, &n, NULL, 1));
    if (!n || n > 128)
        return 0;
    OK(nc_inq_dimids(g, &n, ids, 1));
    return ids[random_below((unsigned)n)];
}

/* --- the calls: their answers do not matter here ---------------------------------------- */

static void define_dim(int g)
{
    int id;

    nc_def_dim(g, some_name(), random_below(4) ? 1 + random_below(9) : NC_UNLIMITED, &id);
}

static void define_var(int g)
{
    int dims[3], n = (int)random_below(4), id;

    for (int d = 0; d < n; d++)
        dims[d] = some_dim(g);
    nc_def_var(g, some_name(), some_type(), n, dims, &id);
}

static void define_group(int g)
{
    int id;

    if (keeps(GROUPS))
        nc_def_grp(g, random_below(2) ? "g1" : "g2", &id);
}

static void choose(int g)
{
    int v = some_var(g);
    size_t chunks[3] = {random_below(9), random_below(9), random_below(9)};

    switch (random_below(5)) {
    case 0:
        nc_def_var_chunking(g, v, (int)random_below(3), chunks);
        break;
    case 1:
        nc_def_var_endian(g, v, (int)random_below(3));
        break;
    case 2:
        nc_def_var_deflate(g, v, (int)random_below(2), (int)random_below(2), 1 + (int)random_below(9));
        break;
    case 3:
        nc_def_var_fletcher32(g, v, NC_FLETCHER32);
        break;
    default:
        nc_def_var_fill(g, v, NC_FILL, NULL);
        break;
    }
}

static void set_att(int g)
{
    const double values[] = {1, 20, 100};
    const char *words[] = {"one", "two"};
    int v = random_below(2) ? some_var(g) : NC_GLOBAL;

    switch (random_below(4)) {
    case 0:
        nc_put_att_text(g, v, some_name(), random_below(6), "hello");
        break;
    case 1:
        nc_put_att_string(g, v, some_name(), random_below(3), words);
        break;
    case 2:
        nc_put_att_double(g, v, "_FillValue", some_type(), 1, values);
        break;
    default:
        nc_put_att_double(g, v, some_name(), some_type(), random_below(4), values);
        break;
    }
}

static void rename_some(int g)
{
    int v = random_below(2) ? some_var(g) : NC_GLOBAL;

    switch (random_below(4)) {
    case 0:
        nc_rename_dim(g, some_dim(g), some_name());
        break;
    case 1:
        nc_rename_var(g, some_var(g), some_name());
        break;
    case 2:
        nc_rename_att(g, v, some_name(), some_name());
        break;
    default:
        nc_del_att(g, v, some_name());
        break;
    }
}

static void put_some(int g)
{
    const size_t start[3] = {random_below(4), random_below(4), random_below(4)};
    const size_t count[3] = {random_below(4), random_below(4), random_below(4)};
    double values[27];
    int ndims = 9;

    for (int i = 0; i < 27; i++)
        values[i] = random_below(100);
    if (nc_inq_varndims(g, some_var(g), &ndims) == NC_NOERR && ndims <= 3)
        nc_put_vara_double(g, some_var(g), start, count, values);
}

static void change_mode(int nc)
{
    switch (random_below(3)) {
    case 0:
        nc_enddef(nc);
        break;
    case 1:
        nc_redef(nc);
        break;
    default:
        nc_sync(nc);
        break;
    }
}

static void (*const calls[])(int) = {define_dim, define_dim, define_var,  define_var, define_group, choose,  choose,
                                     set_att,    set_att,    rename_some, put_some,   put_some,     put_some};

/* --- what a file says ---------------------------------------------------------------------- */

struct account {
    char *line[4000];
    size_t n;
};

static void note(struct account *a, const char *format, ...)
{
    char text[2048];
    va_list ap;

    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    assert_true(a->n < sizeof a->line / sizeof *a->line);
    a->line[a->n++] = strdup(text);
}

static void note_atts(struct account *a, int g, int v, const char *owner)
{
    char name[NC_MAX_NAME + 1];
    nc_type type;
    size_t len;
    int n;

    if (v == NC_GLOBAL)
        OK(nc_inq_natts(g, &n));
    else
        OK(nc_inq_varnatts(g, v, &n));
    for (int i = 0; i < n; i++) {
        char *words[2] = {NULL, NULL}, text[16] = "";
        double values[4] = {0};
        OK(nc_inq_attname(g, v, i, name));
        OK(nc_inq_att(g, v, name, &type, &len));
        if (type == NC_CHAR)
            OK(nc_get_att_text(g, v, name, text));
        else if (type == NC_STRING)
            OK(nc_get_att_string(g, v, name, words));
        else
            OK(nc_get_att_double(g, v, name, values));
        note(a, "%s:%s type %d length %zu: %s %s %g", owner, name, type, len, text, words[0] ? words[0] : "",
             values[0]);
        nc_free_string(2, words);
    }
}

static double sum_of(int g, int v, size_t n)
{
    double *values = calloc(n + 1, sizeof *values), sum = 0;

    OK(nc_get_var_double(g, v, values));
    for (size_t i = 0; i < n; i++)
        sum += values[i] * (double)(i % 7 + 1);
    free(values);
    return sum;
}

static void note_var(struct account *a, int g, int v, const char *group)
{
    char name[NC_MAX_NAME + 1], owner[1024], dims[1024] = "", dim[NC_MAX_NAME + 1];
    int ndims, ids[3], shuffle = 0, deflate = 0, level = 0, storage = 0;
    size_t n = 1, len, chunks[3] = {0};
    nc_type type;

    OK(nc_inq_var(g, v, name, &type, &ndims, ids, NULL));
    OK(nc_inq_var_chunking(g, v, &storage, chunks));
    if (type != NC_STRING) /* filters of strings are not kept by every format */
        OK(nc_inq_var_deflate(g, v, &shuffle, &deflate, &level));
    for (int d = 0; d < ndims; d++) {
        OK(nc_inq_dim(g, ids[d], dim, &len));
        snprintf(dims + strlen(dims), sizeof dims - strlen(dims), " %s=%zu/%zu", dim, len, chunks[d]);
        n *= len;
    }
    snprintf(owner, sizeof owner, "%s%s", group, name);
    note(a, "%s type %d storage %d (%s ) filters %d %d %d values %.9g", owner, type, storage, dims, shuffle, deflate,
         deflate ? level : 0, type != NC_CHAR && type != NC_STRING ? sum_of(g, v, n) : 0);
    note_atts(a, g, v, owner);
}

static void note_group(struct account *a, int g, const char *path)
{
    char name[NC_MAX_NAME + 1], inner[1024];
    int n, ids[128];
    size_t len;

    OK(nc_inq_dimids(g, &n, ids, 0));
    for (int i = 0; i < n; i++) {
        OK(nc_inq_dim(g, ids[i], name, &len));
        note(a, "%s dimension %s = %zu", path, name, len);
    }
    note_atts(a, g, NC_GLOBAL, path);
    OK(nc_inq_nvars(g, &n));
    for (int v = 0; v < n; v++)
        note_var(a, g, v, path);
    if (!keeps(GROUPS))
        return;
    OK(nc_inq_grps(g, &n, ids));
    for (int i = 0; i < n; i++) {
        OK(nc_inq_grpname(ids[i], name));
        snprintf(inner, sizeof inner, "%s%s/", path, name);
        note_group(a, ids[i], inner);
    }
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static struct account *account_of(int nc)
{
    struct account *a = calloc(1, sizeof *a);

    note_group(a, nc, "/");
    qsort(a->line, a->n, sizeof *a->line, by_text);
    return a;
}

static void free_account(struct account *a)
{
    for (size_t i = 0; i < a->n; i++)
        free(a->line[i]);
    free(a);
}

static void compare(const struct account *before, const struct account *after, int story)
{
    for (size_t i = 0; i < before->n && i < after->n; i++)
        if (strcmp(before->line[i], after->line[i]) != 0)
            fail_msg("story %d, before: %s; after reopening: %s", story, before->line[i], after->line[i]);
    assert_int_equal(before->n, after->n);
}

static void a_story(int story)
{
    struct account *before, *after;
    int nc = fresh(), rc;

    for (int i = 0; i < CALLS; i++) {
        calls[random_below(sizeof calls / sizeof *calls)](some_group(nc));
        if (random_below(8) == 0)
            change_mode(nc);
        if (random_below(30) == 0)
            nc = reopened(nc, NC_WRITE);
    }
    rc = nc_enddef(nc);
    if (rc != NC_ENOTINDEFINE)
        OK(rc);
    before = account_of(nc);
    nc = reopened(nc, NC_NOWRITE);
    after = account_of(nc);
    compare(before, after, story);
    free_account(before);
    free_account(after);
    done(nc);
}

static void random_calls_survive_reopening(void **state)
{
    for (int story = 0; story < STORIES; story++)
        a_story(story);
}

const struct CMUnitTest random_tests[] = {
    cmocka_unit_test(random_calls_survive_reopening),
};
END_PART(random);
