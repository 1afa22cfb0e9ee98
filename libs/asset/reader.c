#include "reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MOST_NOTES 100

pliant_result pli_read_fail(const pli_reader *reader, const char *format, ...)
{
    char sentence[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return pli_asset_fail(PLIANT_ERROR_DATA, "%s: %s", PLI_SHOW_FILE(reader->name), sentence);
}

pliant_result pli_read_fail_with(const pli_reader *reader, pliant_result result, const char *format,
                                 ...)
{
    char sentence[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return pli_asset_fail(result, "%s: %s", PLI_SHOW_FILE(reader->name), sentence);
}

void pli_name_memory_failure(const pli_reader *reader)
{
    char sentence[256];
    snprintf(sentence, sizeof sentence, "%s", pliant_last_error());
    pli_asset_fail(reader->memory->failure, "%s: %s", PLI_SHOW_FILE(reader->name), sentence);
}

void pli_note(const pli_reader *reader, const char *format, ...)
{
    pli_notes *notes = reader->notes;
    if (notes == NULL || notes->count == MOST_NOTES) {
        return;
    }
    char text[512], shown[400];
    int start = snprintf(text, sizeof text, "%s: ", PLI_SHOW_FILE(reader->name));
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + start, sizeof text - (size_t)start, format, arguments);
    va_end(arguments);
    char **items = pli_memory_grow(notes->memory, notes->items, &notes->capacity, notes->count + 1,
                                   sizeof *items);
    pli_show_string(shown, sizeof shown, text);
    char *copy = items != NULL ? pli_memory_text(notes->memory, shown, strlen(shown)) : NULL;
    notes->items = items != NULL ? items : notes->items;
    if (copy == NULL) {
        notes->failure = notes->memory->failure;
        return;
    }
    items[notes->count++] = copy;
}

pliant_asset_mesh *pli_reader_add_mesh(pli_reader *reader, const char *name, size_t name_size)
{
    pliant_asset_mesh *meshes =
        pli_memory_grow(reader->memory, reader->meshes, &reader->mesh_capacity,
                        reader->mesh_count + 1, sizeof *meshes);
    if (meshes == NULL) {
        return NULL;
    }
    reader->meshes = meshes;
    char *copy = pli_memory_text(reader->memory, name, name_size);
    if (copy == NULL) {
        return NULL;
    }
    pliant_asset_mesh *mesh = &meshes[reader->mesh_count++];
    *mesh = (pliant_asset_mesh){.name = copy, .joint_count = 1};
    return mesh;
}

/* What ends the name of a folder in a path. */
#if defined(_WIN32)
#define PLI_IS_SLASH(c) ((c) == '/' || (c) == '\\')
#else
#define PLI_IS_SLASH(c) ((c) == '/')
#endif

const char *pli_base_name(const char *path)
{
    const char *base = path;
    for (const char *at = path; *at != '\0'; at++) {
        base = PLI_IS_SLASH(*at) ? at + 1 : base;
    }
    return base;
}

size_t pli_stem_size(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot != NULL && dot != name ? (size_t)(dot - name) : strlen(name);
}
