/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes of a damaged file, and changes of one byte. */

#include "mend.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SPARE = 4 << 20 }; /* for what mending adds: a root group, a directory of an archive */

/* --- bytes --------------------------------------------------------------------------------- */

/* Changed pages are this process's own: MAP_PRIVATE. Behind the file lie pages of zeros. */
static bool map_file(int fd, size_t size, struct mend *out)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), spare = SPARE + size / 4;

    out->size = out->had = size;
    out->capacity = (size / page + 1) * page + (spare / page + 1) * page;
    out->bytes = mmap(NULL, out->capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (out->bytes == MAP_FAILED)
        return false;
    return mmap(out->bytes, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, fd, 0) != MAP_FAILED;
}

bool mend_open(const char *path, struct mend *out)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe would wait for its writer */
    bool ok = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;

    *out = (struct mend){.path = path, .bytes = MAP_FAILED};
    ok = ok && map_file(fd, (size_t)st.st_size, out);
    if (fd >= 0)
        close(fd);
    if (!ok)
        mend_close(out);
    return ok;
}

void mend_close(struct mend *m)
{
    if (m->bytes != MAP_FAILED && m->bytes)
        munmap(m->bytes, m->capacity);
    for (size_t i = 0; i < m->nnotes; i++)
        free(m->note[i]);
    for (size_t i = 0; i < m->nlosses; i++) {
        free(m->loss[i].name);
        free(m->loss[i].why);
    }
    free(m->loss);
    free(m->note);
    *m = (struct mend){0};
}

void mend_note(struct mend *m, const char *fmt, ...)
{
    struct text t = {0};
    va_list ap;

    va_start(ap, fmt);
    text_vprintf(&t, fmt, ap);
    va_end(ap);
    m->note = tool_push(m->note, m->nnotes, sizeof *m->note);
    m->note[m->nnotes++] = text_take(&t);
}

void mend_lose(struct mend *m, const char *name, size_t n, const char *why)
{
    m->loss = tool_push(m->loss, m->nlosses, sizeof *m->loss);
    m->loss[m->nlosses++] = (struct mend_loss){tool_strndup(name, n), tool_strdup(why)};
}

bool mend_inside(const struct mend *m, uint64_t at, uint64_t n)
{
    return at <= m->size && n <= m->size - at;
}

uint64_t mend_le(const unsigned char *p, size_t n)
{
    uint64_t value = 0;

    while (n-- > 0)
        value = value << 8 | p[n];
    return value;
}

uint64_t mend_be(const unsigned char *p, size_t n)
{
    uint64_t value = 0;

    for (size_t i = 0; i < n; i++)
        value = value << 8 | p[i];
    return value;
}

void mend_put_le(unsigned char *p, size_t n, uint64_t value)
{
    for (size_t i = 0; i < n; i++, value >>= 8)
        p[i] = (unsigned char)value;
}

/* --- changes of one byte ------------------------------------------------------------------------ */

struct change {
    size_t at;
    unsigned char value;
    bool bits; /* changes of one bit only */
};

/* The next change after `c` that fits; false: there is none, and the bytes are as they were. */
static bool next_fit(unsigned char *p, size_t n, struct change *c, bool (*fits)(void *arg), void *arg)
{
    for (; c->at < n; c->at++, c->value = 0) {
        unsigned char old = p[c->at];

        for (unsigned v = c->value; v < 256; v++) {
            unsigned char bits = (unsigned char)(v ^ old);

            if (bits == 0 || ((c->bits || n > MEND_WIDE) && (bits & (bits - 1)) != 0))
                continue;
            p[c->at] = (unsigned char)v;
            if (fits(arg)) {
                p[c->at] = old;
                c->value = (unsigned char)v;
                return true;
            }
        }
        p[c->at] = old;
    }
    return false;
}

static bool apply(struct mend *m, uint64_t at, const struct change *c, const char *what)
{
    unsigned char *p = m->bytes + at + c->at;

    mend_note(m, "%s: byte %llu was 0x%02x and is 0x%02x again", what, (unsigned long long)at + c->at, *p, c->value);
    *p = c->value;
    return true;
}

bool mend_byte(struct mend *m, uint64_t at, size_t n, bool (*fits)(void *arg), void *arg, const char *what)
{
    struct change c = {0};

    return n <= MEND_MAX && next_fit(m->bytes + at, n, &c, fits, arg) && apply(m, at, &c, what);
}

/* The one change that fits; false: there is none, or another one. */
static bool find_only(struct mend *m, uint64_t at, size_t n, bool (*fits)(void *arg), void *arg, struct change *out)
{
    struct change second;

    if (n > MEND_MAX || !next_fit(m->bytes + at, n, out, fits, arg))
        return false;
    second = *out;
    if (++second.value == 0)
        second.at++;
    return !next_fit(m->bytes + at, n, &second, fits, arg);
}

bool mend_byte_once(struct mend *m, uint64_t at, size_t n, bool (*fits)(void *arg), void *arg, const char *what)
{
    struct change any = {0}, bit = {.bits = true};

    if (find_only(m, at, n, fits, arg, &any))
        return apply(m, at, &any, what);
    return find_only(m, at, n, fits, arg, &bit) && apply(m, at, &bit, what);
}

/* --- what it is ------------------------------------------------------------------------------------ */

size_t mend_likeness(const unsigned char *p, const char *signature, size_t n)
{
    size_t same = 0;

    for (size_t i = 0; i < n; i++)
        same += p[i] == (unsigned char)signature[i];
    return same;
}

static bool has_headers(const struct mend *m)
{
    return memmem(m->bytes, m->size, "OHDR", 4) != NULL;
}

enum mend_kind mend_file(struct mend *m)
{
    const unsigned char *p = m->bytes;

    if (m->size < 8)
        return MEND_NONE;
    if (mend_likeness(p, "PK\3\4", 4) >= 3) {
        mend_zip(m);
        return MEND_ZIP;
    }
    if (mend_likeness(p, "CDF", 3) >= 2 && (mend_likeness(p, "CDF", 3) == 3 || p[3] == 1 || p[3] == 2 || p[3] == 5)) {
        mend_classic(m);
        return MEND_CLASSIC;
    }
    if (mend_likeness(p, "\x89HDF\r\n\x1a\n", 8) >= 6 || has_headers(m)) {
        mend_hdf5(m);
        return MEND_HDF5;
    }
    return MEND_NONE;
}
