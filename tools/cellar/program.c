/* SPDX-License-Identifier: BSD-3-Clause */
/* A look into an ELF file: its program headers say whether it is loaded with libraries, and its dynamic section which.
 * Every offset is checked against the file's size; a file that makes no sense tells nothing. */

#include "program.h"
#include "text.h"
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct image {
    const char *data;
    size_t size;
    const Elf64_Phdr *segments;
    size_t nsegments;
};

static const void *at(const struct image *m, uint64_t offset, uint64_t n)
{
    return offset <= m->size && n <= m->size - offset ? m->data + offset : NULL;
}

static bool read_headers(struct image *m)
{
    const Elf64_Ehdr *h = at(m, 0, sizeof *h);

    if (!h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_ident[EI_CLASS] != ELFCLASS64 ||
        h->e_phentsize != sizeof *m->segments)
        return false;
    m->nsegments = h->e_phnum;
    m->segments = at(m, h->e_phoff, m->nsegments * sizeof *m->segments);
    return m->segments != NULL;
}

static const Elf64_Phdr *segment(const struct image *m, uint32_t type)
{
    for (size_t i = 0; i < m->nsegments; i++)
        if (m->segments[i].p_type == type)
            return &m->segments[i];
    return NULL;
}

/* Text at an address of the program's memory; NULL: not in the file, or without end. */
static const char *text_at(const struct image *m, uint64_t address)
{
    for (size_t i = 0; i < m->nsegments; i++) {
        const Elf64_Phdr *s = &m->segments[i];

        if (s->p_type == PT_LOAD && address >= s->p_vaddr && address - s->p_vaddr < s->p_filesz) {
            uint64_t left = s->p_filesz - (address - s->p_vaddr);
            const char *text = at(m, s->p_offset + (address - s->p_vaddr), left);

            return text && memchr(text, '\0', left) ? text : NULL;
        }
    }
    return NULL;
}

static void look_at_dynamic(const struct image *m, struct program *out)
{
    const Elf64_Phdr *s = segment(m, PT_DYNAMIC);
    const Elf64_Dyn *d = s ? at(m, s->p_offset, s->p_filesz) : NULL;
    size_t n = d ? s->p_filesz / sizeof *d : 0;
    uint64_t names = 0;

    for (size_t i = 0; i < n; i++) {
        if (d[i].d_tag == DT_STRTAB)
            names = d[i].d_un.d_ptr;
        out->own_folder = out->own_folder || d[i].d_tag == DT_RPATH;
    }
    for (size_t i = 0; names && !out->libnetcdf && i < n; i++) {
        const char *name = d[i].d_tag == DT_NEEDED ? text_at(m, names + d[i].d_un.d_val) : NULL;

        if (name && strncmp(name, "libnetcdf", 9) == 0 && (name[9] == '.' || name[9] == '-' || name[9] == '_'))
            out->libnetcdf = tool_strdup(name);
    }
}

void program_look(const char *path, struct program *out)
{
    struct image m = {0};
    char *data = text_read_file(path, &m.size);

    *out = (struct program){0};
    m.data = data;
    if (data && read_headers(&m)) {
        out->is_static = !segment(&m, PT_INTERP);
        look_at_dynamic(&m, out);
    }
    free(data);
}

void program_dispose(struct program *p)
{
    free(p->libnetcdf);
}

static bool can_run(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

char *program_find(const char *name, const char *folders)
{
    struct text path = {0};

    if (strchr(name, '/'))
        return can_run(name) ? tool_strdup(name) : NULL;
    while (folders) {
        const char *end = strchrnul(folders, ':');

        text_clear(&path);
        text_printf(&path, "%.*s/%s", end == folders ? 1 : (int)(end - folders), end == folders ? "." : folders, name);
        if (can_run(text_get(&path)))
            return text_take(&path);
        folders = *end ? end + 1 : NULL;
    }
    text_free(&path);
    return NULL;
}
