/*
 * Memory of a reader, with a limit. A file may not make its reader take more than a fixed multiple
 * of the bytes that were read, whatever counts it promises. All blocks are known to their
 * pli_memory, so that giving up is one call.
 */
#ifndef PLI_ASSET_MEMORY_H
#define PLI_ASSET_MEMORY_H

#include "error.h"

typedef struct pli_memory {
    pliant_context *context;
    struct pli_memory_block *blocks;
    uint64_t used, limit;
    pliant_result failure; /* why the latest call returned NULL */
} pli_memory;

/* The limit before anything was read: 16 MiB. */
#define PLI_MEMORY_BASE ((uint64_t)16 << 20)

/* Raises the limit for `input` bytes that are read: by 64 times as many. */
void pli_memory_allow(pli_memory *memory, uint64_t input);

/* Zeroed room for `count` elements of `size` bytes, never for none; NULL with `failure` set. */
void *pli_memory_get(pli_memory *memory, uint64_t count, size_t size);

/* Gives one block back. NULL is ignored. */
void pli_memory_drop(pli_memory *memory, void *block);

/*
 * Makes room for `count` elements in an array of `*capacity`, keeping its elements. Returns where
 * it is now; NULL with `failure` set and the array as before.
 */
void *pli_memory_grow(pli_memory *memory, void *array, size_t *capacity, uint64_t count,
                      size_t size);

/* Counts bytes that somebody else holds on the reader's behalf (negative: no longer). */
pliant_result pli_memory_charge(pli_memory *memory, int64_t bytes);

/* A copy of `size` bytes of text with a zero byte behind it. */
char *pli_memory_text(pli_memory *memory, const char *text, size_t size);

/* Gives everything back. */
void pli_memory_clear(pli_memory *memory);

#endif
