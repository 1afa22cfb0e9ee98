#include "names.h"

#include <string.h>

static uint64_t hash(const char *text, size_t size)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t i = 0; i < size; i++) {
        sum = (sum ^ (uint8_t)text[i]) * UINT64_C(0x100000001b3);
    }
    return sum ^ sum >> 32;
}

/* The slot that holds a name, or the free one where it belongs. */
static uint32_t *find_slot(const pli_names *names, const char *text, size_t size)
{
    size_t slot = (size_t)hash(text, size) & (names->slot_count - 1);
    while (names->slots[slot] != 0) {
        const char *item = names->items[names->slots[slot] - 1];
        if (strlen(item) == size && memcmp(item, text, size) == 0) {
            break;
        }
        slot = (slot + 1) & (names->slot_count - 1);
    }
    return &names->slots[slot];
}

static bool grow_slots(pli_names *names)
{
    size_t count = names->slot_count > 0 ? 2 * names->slot_count : 32;
    uint32_t *slots = pli_memory_get(names->memory, count, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    pli_memory_drop(names->memory, names->slots);
    names->slots = slots;
    names->slot_count = count;
    for (size_t i = 0; i < names->count; i++) {
        *find_slot(names, names->items[i], strlen(names->items[i])) = (uint32_t)i + 1;
    }
    return true;
}

uint32_t pli_names_number(pli_names *names, const char *text, size_t size)
{
    if (2 * names->count >= names->slot_count && !grow_slots(names)) {
        return UINT32_MAX;
    }
    uint32_t *slot = find_slot(names, text, size);
    if (*slot != 0) {
        return *slot - 1;
    }
    const char **items = pli_memory_grow(names->memory, names->items, &names->capacity,
                                         names->count + 1, sizeof *items);
    if (items == NULL) {
        return UINT32_MAX;
    }
    names->items = items;
    items[names->count] = pli_memory_text(names->memory, text, size);
    if (items[names->count] == NULL) {
        return UINT32_MAX;
    }
    *slot = (uint32_t)++names->count;
    return *slot - 1;
}
