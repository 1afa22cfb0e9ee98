/* Tells files apart by their first bytes and their names; refuses what is not read, with advice. */
#include "asset.h"

#include <string.h>
#include <strings.h>

typedef struct known_format {
    const char *extension;
    const char *magic; /* the first bytes; NULL: told by the extension only */
    const char *name;
    const char *advice;
} known_format;

#define ADVICE "export it as glTF 2.0 (.glb)"
#define CHANGE "open it in Blender or the program that made it, and export it as glTF 2.0 (.glb)"

/* Formats that are refused by name. */
static const known_format refused[] = {
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

static const char *extension_of(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot != NULL ? dot + 1 : "";
}

static bool starts_with(const pli_reader *reader, const char *magic)
{
    size_t size = strlen(magic);
    return reader->size >= size && memcmp(reader->bytes, magic, size) == 0;
}

static bool is_extension(const pli_reader *reader, const char *extension)
{
    return strcasecmp(extension_of(reader->name), extension) == 0;
}

bool pli_is_lfs_pointer(const uint8_t *bytes, size_t size)
{
    static const char first[] = "version https://git-lfs.github.com/spec/v";
    return size >= sizeof first - 1 && size < 1024 && memcmp(bytes, first, sizeof first - 1) == 0;
}

/* What a file begins with tells more than its name. */
static pliant_result refuse(const pli_reader *reader, bool by_name)
{
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        const known_format *format = &refused[i];
        bool fits = by_name ? is_extension(reader, format->extension)
                            : format->magic != NULL && starts_with(reader, format->magic);
        if (fits) {
            return pli_read_fail(reader, "%s is not read; %s", format->name, format->advice);
        }
    }
    return PLIANT_OK;
}

pliant_result pli_format_of(const pli_reader *reader, pli_format *format)
{
    if (pli_is_lfs_pointer(reader->bytes, reader->size)) {
        return pli_read_fail(reader, PLI_LFS_ADVICE);
    }
    pliant_result result = refuse(reader, false);
    if (result != PLIANT_OK) {
        return result;
    }
    if (starts_with(reader, "glTF") || is_extension(reader, "gltf") ||
        is_extension(reader, "glb")) {
        *format = PLI_FORMAT_GLTF;
        return PLIANT_OK;
    }
    if (starts_with(reader, "POINTCACHE2") || is_extension(reader, "pc2")) {
        *format = PLI_FORMAT_PC2;
        return PLIANT_OK;
    }
    if (is_extension(reader, "mdd")) {
        *format = PLI_FORMAT_MDD;
        return PLIANT_OK;
    }
    *format = PLI_FORMAT_MESH;
    if (starts_with(reader, "ply") || is_extension(reader, "ply") || is_extension(reader, "obj") ||
        is_extension(reader, "off")) {
        return PLIANT_OK;
    }
    result = refuse(reader, true);
    return result != PLIANT_OK
               ? result
               : pli_read_fail(reader, "its format is not known; read are glTF, GLB, OBJ, PLY, "
                                       "OFF, PC2 and MDD");
}

static bool is_ply(const pli_reader *reader)
{
    return starts_with(reader, "ply") || is_extension(reader, "ply");
}

uint64_t pli_mesh_most_bytes(const pli_reader *start)
{
    return is_ply(start) ? pli_ply_most_bytes(start) : UINT64_MAX;
}

pliant_result pli_read_mesh(pli_reader *reader)
{
    if (starts_with(reader, "\xff\xfe") || starts_with(reader, "\xfe\xff")) {
        return pli_read_fail(reader, "it is UTF-16; save it as UTF-8 or ASCII");
    }
    if (is_ply(reader)) {
        return pli_read_ply(reader);
    }
    return is_extension(reader, "off") ? pli_read_off(reader) : pli_read_obj(reader);
}
