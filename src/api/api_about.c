/* SPDX-License-Identifier: BSD-3-Clause */
/* cellar.h: what the library at work can do. */
#include "api.h"
#include "codec.h"
#include "mem.h"
#include "plugin.h"
#include <cellar.h>
#include <stdlib.h>

static int give_texts(const char *a, char **a_out, const char *b, char **b_out)
{
    char *one = a_out ? cel_strdup(a) : NULL, *two = b_out ? cel_strdup(b) : NULL;

    if ((a_out && !one) || (b_out && !two)) {
        free(one);
        free(two);
        return NC_ENOMEM;
    }
    cel_output(a_out, one);
    cel_output(b_out, two);
    return NC_NOERR;
}

static size_t count_built_in(void)
{
    size_t n = 0;

    while (cel_codec_at(n))
        n++;
    return n;
}

int cellar_inq_codec(int index, char **name, unsigned *id, char **origin)
{
    size_t built_in = count_built_in(), at = (size_t)index;
    const char *path = "";
    const struct cel_codec *codec;

    cel_error_clear();
    cel_output(name, NULL);
    cel_output(origin, NULL);
    codec = index < 0 ? NULL : at < built_in ? cel_codec_at(at) : cel_plugin_at(at - built_in, &path);
    if (!codec)
        return cel_fail(NC_ENOFILTER, "there is no filter number %d", index);
    cel_output(id, codec->hdf5_id);
    return give_texts(codec->name, name, path, origin);
}

int cellar_inq_plugin_note(int index, char **path, char **why)
{
    const struct cel_plugin_note *note;
    const char *unused;

    cel_error_clear();
    cel_output(path, NULL);
    cel_output(why, NULL);
    cel_plugin_at(0, &unused); /* they are searched for */
    note = index < 0 ? NULL : cel_plugin_note_at((size_t)index);
    if (!note)
        return cel_fail(NC_EINVAL, "there is no note number %d", index);
    return give_texts(note->path, path, note->why, why);
}

int cellar_inq_hdf5(char **version)
{
    char *found = NULL;
    int rc;

    cel_error_clear();
    rc = cel_container_hdf5(&found);
    cel_output(version, found);
    if (!version)
        free(found);
    return rc;
}
