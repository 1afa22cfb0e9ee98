/* A table of distinct names, each with a number from 0 on. */
#ifndef PLI_ASSET_NAMES_H
#define PLI_ASSET_NAMES_H

#include "memory.h"

typedef struct pli_names {
    pli_memory *memory;
    const char **items; /* by number */
    size_t count, capacity;
    uint32_t *slots; /* open addressing: number + 1, or 0 */
    size_t slot_count;
} pli_names;

/* The number of a name, new or known; UINT32_MAX when there is no memory. */
uint32_t pli_names_number(pli_names *names, const char *text, size_t size);

#endif
