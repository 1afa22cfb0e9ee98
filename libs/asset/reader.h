/* What all readers of files share: the bytes, where meshes go, errors and notes. */
#ifndef PLI_ASSET_READER_H
#define PLI_ASSET_READER_H

#include "memory.h"
#include "pliant/asset.h"

/* Sentences about odd things, for `pliant info`. */
typedef struct pli_notes {
    pli_memory *memory;
    char **items;
    size_t count, capacity;
    pliant_result failure; /* a note found no memory: loading fails with this in the end */
} pli_notes;

typedef struct pli_reader {
    pli_memory *memory;
    const char *name;     /* of the file, without folders: every error begins with it */
    const uint8_t *bytes; /* the whole file, with a zero byte behind it */
    size_t size;
    bool merge;          /* make one mesh of all objects, vertices in the file's order */
    bool positions_only; /* a later frame of a sequence: how faces are cut does not matter */
    uint64_t topology;   /* set by readers: equal for files with equal faces of equal objects */
    pli_notes *notes;    /* NULL: nobody wants them */
    pliant_asset_mesh *meshes;
    size_t mesh_count, mesh_capacity;
} pli_reader;

/* Fails with "NAME: ..."; the result is PLIANT_ERROR_DATA, or `result` where that is given. */
pliant_result pli_read_fail(const pli_reader *reader, const char *format, ...)
    PLI_ASSET_PRINTF(2, 3);
pliant_result pli_read_fail_with(const pli_reader *reader, pliant_result result, const char *format,
                                 ...) PLI_ASSET_PRINTF(3, 4);

/* Puts the file's name before the sentence that memory.c has left. */
void pli_name_memory_failure(const pli_reader *reader);

/* Does so, and returns memory.c's result; never PLIANT_OK. */
static inline pliant_result pli_read_fail_memory(const pli_reader *reader)
{
    pli_name_memory_failure(reader);
    pliant_result failure = reader->memory->failure;
    return failure != PLIANT_OK ? failure : PLIANT_ERROR_OUT_OF_MEMORY;
}

/* Adds "NAME: ..." to the notes, of which there are at most a hundred. */
void pli_note(const pli_reader *reader, const char *format, ...) PLI_ASSET_PRINTF(2, 3);

/* Adds an empty mesh with a name, joint_count 1; NULL with an error. */
pliant_asset_mesh *pli_reader_add_mesh(pli_reader *reader, const char *name, size_t name_size);

/* The part of a path behind its last slash. */
const char *pli_base_name(const char *path);

/* The length of a name without what is behind its last dot. */
size_t pli_stem_size(const char *name);

typedef struct pli_frames pli_frames;

/* Declares one reader per mesh format, which leaves at least one mesh with a triangle, or fails. */
#define PLI_DECLARE_MESH(ending) pliant_result pli_read_##ending(pli_reader *reader);

/* Declares one function per cache format. It sets the members of `frames` except its paths, which
   it needs, and its bodies. The reader has the first PLI_HEAD bytes of `size`. */
#define PLI_DECLARE_CACHE(ending)                                                                  \
    pliant_result pli_open_##ending(pliant_asset *asset, const pli_reader *reader, uint64_t size,  \
                                    pli_frames *frames);
#define PLI_DECLARE_SCENE(ending)
#define FORMAT(kind, ending, name, magic) PLI_DECLARE_##kind(ending)
#include "formats.inl"

/* Returns the most bytes of a binary PLY file that its header can mean; UINT64_MAX for text, for
   long lists and if the header is bad or not all in the reader, which has the start of the file. */
uint64_t pli_ply_most_bytes(const pli_reader *start);

#endif
