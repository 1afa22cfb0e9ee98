#include "memory.h"

#include <string.h>

/* Stands before each block; as large as the alignment of the context's memory, so that blocks stay
 * aligned. */
typedef struct pli_memory_block {
    _Alignas(64) struct pli_memory_block *previous;
    struct pli_memory_block *next;
    size_t size; /* this header included */
} pli_memory_block;

void pli_memory_allow(pli_memory *memory, uint64_t input)
{
    uint64_t left = UINT64_MAX - memory->limit;
    memory->limit = input > left / 64 ? UINT64_MAX : memory->limit + 64 * input;
}

static void *fail(pli_memory *memory, pliant_result failure)
{
    memory->failure = failure;
    return NULL;
}

pliant_result pli_memory_charge(pli_memory *memory, int64_t bytes)
{
    if (bytes <= 0) {
        memory->used -= (uint64_t)-bytes;
        return PLIANT_OK;
    }
    if ((uint64_t)bytes > memory->limit - memory->used) {
        return pli_asset_fail(PLIANT_ERROR_TOO_LARGE,
                              "the file asks for %llu bytes more than its size allows",
                              (unsigned long long)bytes);
    }
    memory->used += (uint64_t)bytes;
    return PLIANT_OK;
}

void *pli_memory_get(pli_memory *memory, uint64_t count, size_t size)
{
    if (count > (PTRDIFF_MAX - sizeof(pli_memory_block)) / size) {
        pli_asset_fail(PLIANT_ERROR_TOO_LARGE,
                       "%llu elements of %zu bytes are more than memory can hold",
                       (unsigned long long)count, size);
        return fail(memory, PLIANT_ERROR_TOO_LARGE);
    }
    size_t bytes = sizeof(pli_memory_block) + (count > 0 ? (size_t)count : 1) * size;
    if (pli_memory_charge(memory, (int64_t)bytes) != PLIANT_OK) {
        return fail(memory, PLIANT_ERROR_TOO_LARGE);
    }
    pli_memory_block *block = pliant_context_allocate(memory->context, bytes);
    if (block == NULL) {
        memory->used -= bytes;
        return fail(memory, PLIANT_ERROR_OUT_OF_MEMORY);
    }
    memset(block, 0, bytes);
    block->size = bytes;
    block->next = memory->blocks;
    if (block->next != NULL) {
        block->next->previous = block;
    }
    memory->blocks = block;
    return block + 1;
}

void pli_memory_drop(pli_memory *memory, void *array)
{
    if (array == NULL) {
        return;
    }
    pli_memory_block *block = (pli_memory_block *)array - 1;
    if (block->previous != NULL) {
        block->previous->next = block->next;
    } else {
        memory->blocks = block->next;
    }
    if (block->next != NULL) {
        block->next->previous = block->previous;
    }
    memory->used -= block->size;
    pliant_context_release(memory->context, block, block->size);
}

void *pli_memory_grow(pli_memory *memory, void *array, size_t *capacity, uint64_t count,
                      size_t size)
{
    if (array != NULL && count <= *capacity) {
        return array;
    }
    uint64_t wanted = *capacity + *capacity / 2;
    wanted = wanted > count ? wanted : count;
    wanted = wanted > 16 ? wanted : 16;
    void *grown = pli_memory_get(memory, wanted, size);
    if (grown == NULL) {
        return NULL;
    }
    if (array != NULL) {
        memcpy(grown, array, *capacity * size);
        pli_memory_drop(memory, array);
    }
    *capacity = (size_t)wanted;
    return grown;
}

char *pli_memory_text(pli_memory *memory, const char *text, size_t size)
{
    char *copy = pli_memory_get(memory, (uint64_t)size + 1, 1);
    if (copy != NULL) {
        memcpy(copy, text, size);
    }
    return copy;
}

void pli_memory_clear(pli_memory *memory)
{
    while (memory->blocks != NULL) {
        pli_memory_drop(memory, memory->blocks + 1);
    }
}
