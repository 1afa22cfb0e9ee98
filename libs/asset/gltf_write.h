/*
 * Writes GLB files. Whoever writes one describes its accessors one by one and adds the members that
 * use them; header, buffer, views and bounds are written here. Nothing is allocated: everything is
 * asked for twice, once to learn the size.
 */
#ifndef PLI_ASSET_GLTF_WRITE_H
#define PLI_ASSET_GLTF_WRITE_H

#include "error.h"

/* Bytes are written as long as there is room, and counted all the same. */
typedef struct pli_sink {
    uint8_t *buffer;
    uint64_t capacity, size;
} pli_sink;

void pli_sink_bytes(pli_sink *sink, const void *bytes, uint64_t count);

/* At most 400 bytes of text; numbers need pli_number_locale_enter() around it. */
void pli_sink_text(pli_sink *sink, const char *format, ...) PLI_ASSET_PRINTF(2, 3);

/* A JSON string, quotes included; what is not UTF-8 becomes '?'. */
void pli_sink_string(pli_sink *sink, const char *text);

typedef enum pli_glb_use {
    PLI_GLB_VERTICES,
    PLI_GLB_INDICES,
    PLI_GLB_KEYS,
    PLI_GLB_JOINTS
} pli_glb_use;

/* An accessor with a view of its own. Vertices and keys are float32, indices uint32, joints uint16.
 */
typedef struct pli_glb_accessor {
    pli_glb_use use;
    const void *data; /* NULL: the times of keys, i / rate */
    double rate;
    uint64_t count;      /* elements */
    uint32_t components; /* per element: 1, 3, 4 or 16 */
    bool bounds;         /* write the least and the largest values */
} pli_glb_accessor;

typedef struct pli_glb {
    uint32_t accessor_count;
    /* Describes accessor number `index`. */
    void (*describe)(void *user, uint32_t index, pli_glb_accessor *accessor);
    /* Writes further members of the JSON, each with a comma before it. */
    void (*members)(void *user, pli_sink *sink);
    void *user;
} pli_glb;

/* Writes into a buffer, or only learns the size if it is NULL. */
pliant_result pli_glb_write(const pli_glb *glb, void *buffer, uint64_t capacity, uint64_t *size);

#endif
