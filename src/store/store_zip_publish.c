/* SPDX-License-Identifier: BSD-3-Clause */
/* The whole archive, written to a temporary file and renamed over the old one: at
 * close in the order of keys, so that equal content gives equal bytes; at a sync what is new
 * behind what is there, so that the kernel can copy the rest in one piece. A sync puts things in order, too,
 * when the archive is not ours or more than half of it is dead.
 *
 * An archive that cannot be written leaves the old one as it is. What it lacks is then kept
 * beside it: the scratch file, with a directory, is an archive as well. */
#include "mem.h"
#include "store_zip_int.h"
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- its entries ------------------------------------------------------------------------ */

static int emit_entry(struct zip *z, struct zip_output *o, const struct cel_key *key, struct zip_entry *now)
{
    const struct zip_entry *e = key->object;
    uint64_t data_at;
    int rc = cel_zip_data_offset(z, key->name, e, &data_at);

    *now = *e;
    now->in_scratch = false;
    now->offset = o->at;
    if (rc == CEL_OK)
        rc = cel_zip_emit_local(o, key->name, e);
    now->header = (uint32_t)(o->at - now->offset);
    if (rc == CEL_OK)
        rc = cel_zip_copy(o, e->in_scratch ? z->scratch : z->archive, data_at, e->packed);
    return rc;
}

/* now[] gets where each entry lies in the new file. */
static int emit_entries(struct zip *z, struct zip_output *o, bool anew, struct zip_entry *now)
{
    int rc = anew ? CEL_OK : cel_zip_copy(o, z->archive, 0, z->entries_end);

    for (size_t i = 0; rc == CEL_OK && i < z->keys.sorted.n; i++) {
        const struct cel_key *key = z->keys.sorted.at[i];
        const struct zip_entry *e = key->object;

        now[i] = *e;
        if (anew || e->in_scratch)
            rc = emit_entry(z, o, key, &now[i]);
        if (rc == CEL_OK)
            rc = cel_zip_note(o, key->name, &now[i], now[i].offset);
    }
    return rc;
}

/* The new archive is in place: from now on it is what is read. */
static void take_over(struct zip *z, const struct zip_output *o, uint64_t entries_end, bool anew,
                      const struct zip_entry *now)
{
    for (size_t i = 0; i < z->keys.sorted.n; i++)
        *(struct zip_entry *)((struct cel_key *)z->keys.sorted.at[i])->object = now[i];
    if (z->archive >= 0)
        close(z->archive);
    z->archive = o->fd;
    cel_tmp_unlock(z->archive);
    z->archive_size = o->at;
    z->entries_end = entries_end;
    z->in_order = anew;
    z->dead = anew ? 0 : z->dead;
    z->changed = false;
    z->scratch_end = 0;
    if (ftruncate(z->scratch, 0) != 0) {
        /* it only takes more space than needed */
    }
}

/* --- all of it ------------------------------------------------------------------------------ */

static int write_archive(struct zip *z, struct zip_output *o, bool anew, struct zip_entry *now)
{
    uint64_t entries_end;
    int rc = emit_entries(z, o, anew, now);

    entries_end = o->at;
    if (rc == CEL_OK)
        rc = cel_zip_emit_directory(o);
    if (rc == CEL_OK)
        rc = z->remote ? cel_zip_upload(z, o->fd, o->at) : cel_beside_replace(&z->beside, o->path, o->fd, z->flush);
    if (rc == CEL_OK)
        take_over(z, o, entries_end, anew, now);
    return rc;
}

/* Called while no other thread uses the archive. */
static int publish(struct zip *z, bool anew)
{
    struct zip_output o = {.fd = -1, .directory = CEL_BUF_INIT(DIRECTORY_MAX)};
    struct zip_entry *now = NULL;
    char *path = NULL;
    int rc = z->source ? cel_zip_fetch(z) : CEL_OK;

    if (rc == CEL_OK)
        rc = z->remote ? cel_beside_create(&z->beside, 0600, &path, &o.fd)
                       : cel_beside_create_new(&z->beside, &path, &o.fd);
    o.path = path;
    cel_keys_sort(&z->keys);
    if (rc == CEL_OK && !(now = cel_calloc(z->keys.sorted.n + 1, sizeof *now)))
        rc = NC_ENOMEM;
    if (rc == CEL_OK)
        rc = write_archive(z, &o, anew, now);
    if (rc == CEL_OK && z->flush && !z->remote)
        rc = cel_beside_flush(&z->beside);
    if (o.fd >= 0 && (z->remote || o.fd != z->archive)) /* it is on the server, or did not take the archive's place */
        unlink(path);
    if (o.fd >= 0 && o.fd != z->archive)
        close(o.fd);
    free(path);
    free(now);
    cel_buf_dispose(&o.directory);
    return rc;
}

static int publish_alone(struct zip *z, bool anew)
{
    int rc;

    cel_lock(&z->lock);
    while (z->publishing || z->users > 0)
        cel_cond_wait(&z->idle, &z->lock);
    z->publishing = true;
    cel_unlock(&z->lock);
    rc = publish(z, anew);
    cel_lock(&z->lock);
    z->publishing = false;
    cel_cond_wake_all(&z->idle);
    cel_unlock(&z->lock);
    return rc;
}

int cel_zip_sync(struct cel_store *s)
{
    struct zip *z = zip_of(s);

    if (z->scratch < 0 || (!z->changed && cel_zip_has_archive(z)))
        return CEL_OK;
    return publish_alone(z, !z->entries_end || z->dead > z->entries_end / 2);
}

/* --- what cannot be written ---------------------------------------------------------------------- */

/* The values that only the scratch file has, as an archive; without a directory where
 * there is no space for one. */
static void add_directory(struct zip *z)
{
    struct zip_output o = {
        .fd = z->scratch, .path = z->scratch_path, .at = z->scratch_end, .directory = CEL_BUF_INIT(DIRECTORY_MAX)};
    int rc = CEL_OK;

    for (size_t i = 0; rc == CEL_OK && i < z->keys.sorted.n; i++) {
        const struct cel_key *key = z->keys.sorted.at[i];
        const struct zip_entry *e = key->object;
        if (e->in_scratch)
            rc = cel_zip_note(&o, key->name, e, e->offset);
    }
    if (rc == CEL_OK)
        cel_zip_emit_directory(&o);
    cel_buf_dispose(&o.directory);
}

/* A name of its own, so that the next writer does not take it for a dead one's. */
static int keep_rest(struct zip *z, int rc)
{
    struct cel_buf rest = CEL_BUF_INIT(1 << 20);
    char *why = cel_strdup(cel_error_text()), name[CEL_TMP_NAME];
    bool there = cel_zip_has_archive(z), kept;

    cel_tmp_name(name);
    kept =
        z->scratch_end > 0 && cel_buf_printf(&rest, "%s.rest-%s", z->beside.target, strrchr(name, '-') + 1) == CEL_OK;
    if (kept) {
        cel_keys_sort(&z->keys);
        add_directory(z);
        kept = rename(z->scratch_path, rest.data) == 0;
    }
    if (kept) {
        cel_fail(rc, "%s; %s, and what was written since lies in %s, another zip archive", why ? why : "out of memory",
                 there ? "the archive is as it was when it was last synchronised or closed"
                       : "no new archive is in place",
                 rest.data);
        free(z->scratch_path);
        z->scratch_path = NULL;
    }
    free(why);
    cel_buf_dispose(&rest);
    return rc;
}

int cel_zip_finish(struct cel_store *s)
{
    struct zip *z = zip_of(s);
    int rc;

    if (z->scratch < 0 || (!z->changed && cel_zip_has_archive(z) && (z->in_order || !z->entries_end)))
        return CEL_OK;
    rc = publish_alone(z, true);
    if (rc != CEL_OK && !z->changed && cel_zip_has_archive(z)) {
        cel_warn("%s: its entries could not be put in order; nothing is lost", s->path);
        return CEL_OK;
    }
    if (rc != CEL_OK)
        rc = keep_rest(z, rc);
    if (rc != CEL_OK && z->remote)
        cel_zip_withdraw(z);
    return rc;
}
