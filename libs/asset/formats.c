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

/* Formats that are refused by name. */
static const known_format refused[] = {
    {"fbx", "Kaydara FBX Binary", "FBX", ADVICE},
    {"usd", NULL, "USD", ADVICE},
    {"usda", "#usda", "USD", ADVICE},
    {"usdc", "PXR-USDC", "USD", ADVICE},
    {"usdz", "PK\003\004", "USDZ", ADVICE},
    {"abc", "Ogawa", "Alembic",
     ADVICE ", or as a sequence of PLY files, or a mesh with a PC2 cache"},
    {"drc", "DRACO", "Draco", "export it without Draco compression"},
    {"blend", "BLENDER", "Blender's own format", ADVICE},
    {"dae", NULL, "COLLADA", ADVICE},
    {"3ds", NULL, "3DS", ADVICE},
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

static pliant_result refuse(const pli_reader *reader)
{
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        const known_format *format = &refused[i];
        if (is_extension(reader, format->extension) ||
            (format->magic != NULL && starts_with(reader, format->magic))) {
            return pli_read_fail(reader, "%s is not read; %s", format->name, format->advice);
        }
    }
    return PLIANT_OK;
}

pliant_result pli_format_of(const pli_reader *reader, pli_format *format)
{
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
    pliant_result result = refuse(reader);
    return result != PLIANT_OK
               ? result
               : pli_read_fail(reader, "its format is not known; read are glTF, GLB, OBJ, PLY, "
                                       "OFF, PC2 and MDD");
}

pliant_result pli_read_mesh(pli_reader *reader)
{
    if (starts_with(reader, "\xff\xfe") || starts_with(reader, "\xfe\xff")) {
        return pli_read_fail(reader, "it is UTF-16; save it as UTF-8 or ASCII");
    }
    if (starts_with(reader, "ply") || is_extension(reader, "ply")) {
        return pli_read_ply(reader);
    }
    return is_extension(reader, "off") ? pli_read_off(reader) : pli_read_obj(reader);
}
