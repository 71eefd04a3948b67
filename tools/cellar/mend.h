/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CELLAR_MEND_H
#define CELLAR_MEND_H

/* The bytes of a damaged file in memory, changed where that makes it readable again; the file itself stays as it is. A block
 * with a checksum that one changed byte makes right was damaged in that byte: of n bytes 255 n changes are tried against
 * 2^32 checksums. What has no checksum is changed only where exactly one change makes sense of it. */

#include "text.h"
#include <stdint.h>

/* What is lost as a whole, and why. */
struct mend_loss {
    char *name, *why;
};

struct mend {
    const char *path;
    unsigned char *bytes;
    size_t size;     /* bytes that are there; mending may add to them up to `capacity` */
    size_t had;      /* bytes of the file */
    size_t capacity; /* mapped */
    bool cut;        /* an archive that ends early: what it lacks may have been in it */
    struct mend_loss *loss;
    size_t nlosses;
    char **note; /* what was done */
    size_t nnotes;
};

enum mend_kind { MEND_NONE, MEND_HDF5, MEND_CLASSIC, MEND_ZIP };

/* Maps the file; false: it cannot be (a directory, no such file). */
bool mend_open(const char *path, struct mend *out);
void mend_close(struct mend *m);
/* What it was, told by its first bytes even if one of them is damaged, mended as far as can be. */
enum mend_kind mend_file(struct mend *m);
void mend_note(struct mend *m, const char *fmt, ...) TOOL_PRINTF(2, 3);
void mend_lose(struct mend *m, const char *name, size_t n, const char *why); /* n: bytes of the name */
bool mend_inside(const struct mend *m, uint64_t at, uint64_t n);

/* fits(arg) for every change of one byte among n at p, with that change made; true after the first that fits, which then
 * stays. Blocks of more than MEND_WIDE bytes get the changes of one bit only. */
enum { MEND_WIDE = 3072, MEND_MAX = 1 << 16 };
bool mend_byte(struct mend *m, uint64_t at, size_t n, bool (*fits)(void *arg), void *arg, const char *what);
/* The same where no checksum tells: only if just one change fits, or just one of a bit. */
bool mend_byte_once(struct mend *m, uint64_t at, size_t n, bool (*fits)(void *arg), void *arg, const char *what);

/* How many of n bytes are those of the signature. */
size_t mend_likeness(const unsigned char *p, const char *signature, size_t n);
uint64_t mend_le(const unsigned char *p, size_t n);
uint64_t mend_be(const unsigned char *p, size_t n);
void mend_put_le(unsigned char *p, size_t n, uint64_t value);
uint32_t mend_lookup3(const unsigned char *p, size_t n); /* HDF5's checksum of metadata */

/* One file each. */
void mend_hdf5(struct mend *m);
void mend_classic(struct mend *m);
void mend_zip(struct mend *m);

#endif
