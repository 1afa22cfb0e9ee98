/* Tells files apart by their first bytes and their names; refuses what is not read, with advice. */
#include "asset.h"

#include <string.h>
#include <strings.h>

/* Every format that is read. */
static const pli_format formats[] = {
#define READ_SCENE(ending) NULL, NULL
#define READ_MESH(ending)  pli_read_##ending, NULL
#define READ_CACHE(ending) NULL, pli_open_##ending
#define FORMAT(kind, ending, name, magic)                                                          \
    {PLI_FORMAT_##kind, #ending, name, magic, READ_##kind(ending)},
#include "formats.inl"
};

typedef struct refused_format {
    const char *ending;
    const char *magic; /* first bytes; NULL: only the ending identifies it */
    const char *name;
    const char *advice;
} refused_format;

#define CHANGE "open it in Blender or the program that made it, and export it as glTF 2.0 (.glb)"

/* Formats that are refused by name. */
static const refused_format refused[] = {
    {"fbx", "Kaydara FBX Binary", "FBX", CHANGE},
    {"fbx", "; FBX", "FBX", CHANGE},
    {"usd", NULL, "USD", CHANGE},
    {"usda", "#usda", "USD", CHANGE},
    {"usdc", "PXR-USDC", "USD", CHANGE},
    {"usdz", "PK\003\004", "USDZ", CHANGE},
    {"abc", "Ogawa", "Alembic",
     CHANGE ", or as a sequence of PLY files, or a mesh with a PC2 cache"},
    {"abc", "\x89HDF", "Alembic",
     CHANGE ", or as a sequence of PLY files, or a mesh with a PC2 cache"},
    {"drc", "DRACO", "Draco", "export it without Draco compression"},
    {"blend", "BLENDER", "Blender's own format", CHANGE},
    {"dae", NULL, "COLLADA", CHANGE},
    {"3ds", NULL, "3DS", CHANGE},
    {"stl", NULL, "STL", "convert it to PLY or OBJ"},
    {"vrm", NULL, "VRM", "rename it to .glb if it is version 1.0"},
};

/* NULL is the start of no file. */
static bool starts_with(const pli_reader *reader, const char *magic)
{
    size_t size = magic != NULL ? strlen(magic) : 0;
    return size > 0 && reader->size >= size && memcmp(reader->bytes, magic, size) == 0;
}

static bool has_ending(const char *name, const char *ending)
{
    const char *dot = strrchr(name, '.');
    return dot != NULL && strcasecmp(dot + 1, ending) == 0;
}

bool pli_is_lfs_pointer(const uint8_t *bytes, size_t size)
{
    static const char first[] = "version https://git-lfs.github.com/spec/v";
    return size >= sizeof first - 1 && size < 1024 && memcmp(bytes, first, sizeof first - 1) == 0;
}

static pliant_result refuse(const pli_reader *reader, bool by_name)
{
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        const refused_format *format = &refused[i];
        bool fits =
            by_name ? has_ending(reader->name, format->ending) : starts_with(reader, format->magic);
        if (fits) {
            return pli_read_fail(reader, "%s is not read; %s", format->name, format->advice);
        }
    }
    return PLIANT_OK;
}

/* Returns NULL if no format fits. The first bytes count more than the name. */
static const pli_format *find_format(const pli_reader *reader)
{
    const size_t count = sizeof formats / sizeof formats[0];
    for (size_t i = 0; i < count; i++) {
        if (starts_with(reader, formats[i].magic)) {
            return &formats[i];
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (has_ending(reader->name, formats[i].ending)) {
            return &formats[i];
        }
    }
    return NULL;
}

pliant_result pli_format_of(const pli_reader *reader, const pli_format **format)
{
    if (pli_is_lfs_pointer(reader->bytes, reader->size)) {
        return pli_read_fail(reader, PLI_LFS_ADVICE);
    }
    pliant_result result = refuse(reader, false);
    if (result != PLIANT_OK) {
        return result;
    }
    *format = find_format(reader);
    if (*format != NULL) {
        return PLIANT_OK;
    }
    result = refuse(reader, true);
    return result != PLIANT_OK ? result
                               : pli_read_fail(reader, "its format is not known; read are "
#define FORMAT(kind, ending, name, magic) name ", "
#include "formats.inl"
                                                       "and sequences of meshes");
}

bool pli_is_cache_name(const char *path)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (formats[i].kind == PLI_FORMAT_CACHE && has_ending(path, formats[i].ending)) {
            return true;
        }
    }
    return false;
}

uint64_t pli_mesh_most_bytes(const pli_reader *start)
{
    const pli_format *format = find_format(start);
    bool is_ply = format != NULL && format->read_mesh == pli_read_ply;
    return is_ply ? pli_ply_most_bytes(start) : UINT64_MAX;
}

pliant_result pli_read_mesh(pli_reader *reader)
{
    if (starts_with(reader, "\xff\xfe") || starts_with(reader, "\xfe\xff")) {
        return pli_read_fail(reader, "it is UTF-16; save it as UTF-8 or ASCII");
    }
    const pli_format *format = NULL;
    pliant_result result = pli_format_of(reader, &format);
    if (result == PLIANT_OK && format->kind != PLI_FORMAT_MESH) {
        return pli_read_fail(reader, "%s files cannot form a sequence; meshes can", format->name);
    }
    return result == PLIANT_OK ? format->read_mesh(reader) : result;
}
