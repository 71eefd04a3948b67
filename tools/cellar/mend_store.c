/* Documents of Zarr have no checksum, and no copy unless the store is consolidated. What is wrong in one of them mostly shows: a
 * change of one bit that makes the library read the array is looked for, and taken if there is no other as good. Each change is tried in a
 * store that has nothing but the array's documents. */

#include "mend_store.h"
#include "cellar.h"
#include "tmpfolder.h"
#include "unreadable.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DOCUMENT_MAX = 4096 };

static const char *const documents[] = {".zarray", ".zattrs", "zarr.json"};
enum { ATTRIBUTES = 1, DOCUMENTS = sizeof documents / sizeof *documents };

struct array {
    const char *store, *name; /* of the store's folder, and of the array in it */
    const char *probe;        /* a store to try in */
    char *bytes[DOCUMENTS];   /* NULL: there is none */
    size_t n[DOCUMENTS];
};

static char *join(const char *a, const char *b, const char *c)
{
    struct text t = {0};

    text_printf(&t, "%s/%s%s%s", a, b, *c ? "/" : "", c);
    return text_take(&t);
}

static bool write_file(const char *folder, const char *name, const char *bytes, size_t n)
{
    char *path = join(folder, name, "");
    FILE *f = fopen(path, "wb");
    bool ok = f && fwrite(bytes, 1, n, f) == n;

    if (f && fclose(f) != 0)
        ok = false;
    free(path);
    return ok;
}

static bool copy_bytes(const char *from, const char *folder, const char *name)
{
    size_t n;
    char *bytes = text_read_file(from, &n);
    bool ok = bytes && write_file(folder, name, bytes, n);

    free(bytes);
    return ok;
}

/* --- trying ---------------------------------------------------------------------------------- */

/* The array is there under its name, and not among what cannot be read. */
static bool has_array(int ncid, const char *name)
{
    struct unreadable u = {0};
    int id;
    bool ok = nc_inq_varid(ncid, name, &id) == NC_NOERR && unreadable_load(ncid, &u) == NC_NOERR &&
              !unreadable_reason(&u, name);

    unreadable_free(&u);
    return ok;
}

static bool is_readable(const struct array *a)
{
    struct text url = {0};
    int ncid;
    bool ok = false;

    text_printf(&url, "file://%s#mode=zarr", a->probe);
    if (nc_open(text_get(&url), NC_NOWRITE, &ncid) == NC_NOERR) {
        ok = has_array(ncid, tmpfolder_name_of(a->name));
        nc_close(ncid);
    }
    text_free(&url);
    return ok;
}

static bool is_text(char c)
{
    return c == '\n' || c == '\t' || ((unsigned char)c >= ' ' && c != 127);
}

/* A change that fits; best: how many do so well. */
struct change {
    size_t at, best;
    char value;
    bool named; /* the names of its dimensions are right as well */
};

static void note_change(const struct array *a, int k, size_t at, struct change *c)
{
    bool named = memmem(a->bytes[k], a->n[k], "\"_ARRAY_DIMENSIONS\"", 19) != NULL;

    if (named == c->named || named) {
        c->best = named == c->named ? c->best + 1 : 1;
        c->at = at;
        c->value = a->bytes[k][at];
        c->named = named;
    }
}

/* Every change of a bit of document k that makes the array readable. */
static void find_changes(const struct array *a, int k, struct change *out)
{
    char *folder = join(a->probe, tmpfolder_name_of(a->name), "");

    *out = (struct change){0};
    for (size_t i = 0; i < a->n[k]; i++)
        for (int bit = 0; bit < 8; bit++) {
            char old = a->bytes[k][i];

            a->bytes[k][i] ^= (char)(1 << bit);
            if (is_text(a->bytes[k][i]) && write_file(folder, documents[k], a->bytes[k], a->n[k]) && is_readable(a))
                note_change(a, k, i, out);
            a->bytes[k][i] = old;
        }
    write_file(folder, documents[k], a->bytes[k], a->n[k]);
    free(folder);
}

/* --- one array --------------------------------------------------------------------------------- */

/* The group it lies in has the documents of the store's root, which name its dimensions. */
static void load_root(const struct array *a)
{
    static const char *const names[] = {".zgroup", ".zattrs", "zarr.json"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *from = join(a->store, names[i], "");

        copy_bytes(from, a->probe, names[i]);
        free(from);
    }
}

static void load_array(struct array *a)
{
    char *folder = join(a->probe, tmpfolder_name_of(a->name), "");

    tmpfolder_remove(a->probe);
    mkdir(a->probe, 0700);
    mkdir(folder, 0700);
    load_root(a);
    for (int k = 0; k < DOCUMENTS; k++) {
        char *path = join(a->store, a->name, documents[k]);

        a->bytes[k] = text_read_file(path, &a->n[k]);
        if (a->bytes[k])
            write_file(folder, documents[k], a->bytes[k], a->n[k]);
        free(path);
    }
    free(folder);
}

/* In the copy there is a link to the damaged one. */
static bool replace(const struct array *a, int k, const char *copy)
{
    char *folder = join(copy, a->name, ""), *old = join(folder, documents[k], "");
    bool ok = unlink(old) == 0 && write_file(folder, documents[k], a->bytes[k], a->n[k]);

    free(folder);
    free(old);
    return ok;
}

/* Without its attributes the array can be read at least. */
static bool drop_attributes(struct mend *m, struct array *a, const char *copy)
{
    char *folder = join(a->probe, tmpfolder_name_of(a->name), ""), *name = join(a->name, documents[ATTRIBUTES], "");
    bool ok = a->bytes[ATTRIBUTES] && write_file(folder, documents[ATTRIBUTES], "{}", 2) && is_readable(a);

    if (ok) {
        memcpy(a->bytes[ATTRIBUTES], "{}", 2);
        a->n[ATTRIBUTES] = 2;
        ok = replace(a, ATTRIBUTES, copy);
        mend_lose(m, name, strlen(name), "the document is damaged: attributes and names of dimensions are lost");
    }
    free(folder);
    free(name);
    return ok;
}

static bool mend_array(struct mend *m, struct array *a, const char *copy)
{
    struct change c;
    bool mended = false;

    load_array(a);
    for (int k = 0; k < DOCUMENTS && !mended; k++) {
        if (!a->bytes[k] || a->n[k] > DOCUMENT_MAX || (find_changes(a, k, &c), c.best != 1))
            continue;
        mend_note(m, "%s/%s: byte %zu was 0x%02x and is 0x%02x again", a->name, documents[k], c.at,
                  (unsigned char)a->bytes[k][c.at], (unsigned char)c.value);
        a->bytes[k][c.at] = c.value;
        mended = replace(a, k, copy);
    }
    mended = mended || drop_attributes(m, a, copy);
    for (int k = 0; k < DOCUMENTS; k++)
        free(a->bytes[k]);
    return mended;
}

/* --- the store ------------------------------------------------------------------------------------ */

/* All files below, as links; copies where the folders lie on different disks. */
static bool link_folder(const char *from, const char *to)
{
    DIR *dir = mkdir(to, 0700) == 0 ? opendir(from) : NULL;
    struct dirent *e;
    bool ok = dir != NULL;

    while (ok && (e = readdir(dir))) {
        char *source = join(from, e->d_name, ""), *target = join(to, e->d_name, "");
        struct stat st;

        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && lstat(source, &st) == 0) {
            if (S_ISDIR(st.st_mode))
                ok = link_folder(source, target);
            else if (S_ISREG(st.st_mode))
                ok = link(source, target) == 0 || copy_bytes(source, to, e->d_name);
        }
        free(source);
        free(target);
    }
    if (dir)
        closedir(dir);
    return ok;
}

char *mend_store(struct mend *m, const char *store, const char *folder, char *const *lost, size_t nlost)
{
    char *probe = join(folder, "probe", ""), *copy = join(folder, "mended.zarr", "");
    bool linked = nlost && link_folder(store, copy), any = false;

    for (size_t i = 0; i < nlost && linked; i++) {
        struct array a = {.store = store, .name = lost[i] + (*lost[i] == '/'), .probe = probe};

        any = mend_array(m, &a, copy) || any;
    }
    free(probe);
    if (any)
        return copy;
    free(copy);
    return NULL;
}
