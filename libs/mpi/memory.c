/* Bytes that grow, a map from ids, and sorting. */
#include "scene.h"

#include <string.h>

/* ------------------------------------------------------------------ growing */

size_t pli_mpi_bytes_of(uint64_t count, size_t size)
{
    return size > 0 && count > SIZE_MAX / size ? SIZE_MAX : (size_t)count * size;
}

bool pli_mpi_reserve(pliant_context *context, pli_mpi_bytes *bytes, size_t size)
{
    return pliant_context_reserve_array(context, size, 1, &bytes->array);
}

void *pli_mpi_resize(pliant_context *context, pli_mpi_bytes *bytes, size_t size)
{
    /* Some room even for nothing, so that NULL means a failure. */
    if (!pli_mpi_reserve(context, bytes, size > 0 ? size : 1)) {
        return NULL;
    }
    bytes->count = size;
    return bytes->data;
}

void *pli_mpi_extend(pliant_context *context, pli_mpi_bytes *bytes, size_t more)
{
    size_t before = bytes->count;
    bool fits = more <= SIZE_MAX - before;
    char *data = pli_mpi_resize(context, bytes, fits ? before + more : SIZE_MAX);
    return data != NULL ? data + before : NULL;
}

void pli_mpi_release(pliant_context *context, pli_mpi_bytes *bytes)
{
    pliant_context_release_array(context, &bytes->array);
}

/* ---------------------------------------------------------------------- map */

/* Open addressing: an entry lies at its place or behind it, with no gap in between. */
typedef struct map_entry {
    uint64_t key;
    uint32_t number; /* PLI_MPI_ABSENT: free */
    uint32_t unused;
} map_entry;

static size_t entry_count(const pli_mpi_map *map)
{
    return map->entries.count / sizeof(map_entry);
}

static map_entry *entries_of(const pli_mpi_map *map)
{
    return (map_entry *)(void *)map->entries.data;
}

/* Where a key is, or the free entry where it would be. */
static size_t place_of(const pli_mpi_map *map, uint64_t key)
{
    const map_entry *entries = entries_of(map);
    size_t mask = entry_count(map) - 1, at = (size_t)pli_mpi_mix(key) & mask;
    while (entries[at].number != PLI_MPI_ABSENT && entries[at].key != key) {
        at = (at + 1) & mask;
    }
    return at;
}

uint32_t pli_mpi_map_find(const pli_mpi_map *map, uint64_t key)
{
    return map->count > 0 ? entries_of(map)[place_of(map, key)].number : PLI_MPI_ABSENT;
}

void pli_mpi_map_put(pli_mpi_map *map, uint64_t key, uint32_t number)
{
    map_entry *entry = &entries_of(map)[place_of(map, key)];
    map->count += entry->number == PLI_MPI_ABSENT;
    *entry = (map_entry){.key = key, .number = number};
}

bool pli_mpi_map_reserve(pliant_context *context, pli_mpi_map *map, size_t more)
{
    size_t wanted = 16, needed = map->count + more;
    while (wanted / 2 < needed && wanted <= SIZE_MAX / 2 / sizeof(map_entry)) {
        wanted *= 2;
    }
    if (wanted <= entry_count(map)) {
        return true;
    }
    pli_mpi_map larger = {.count = 0};
    map_entry *entries = pli_mpi_resize(context, &larger.entries, wanted * sizeof *entries);
    if (entries == NULL) {
        return false;
    }
    for (size_t i = 0; i < wanted; i++) {
        entries[i].number = PLI_MPI_ABSENT;
    }
    for (size_t i = 0; i < entry_count(map); i++) {
        const map_entry *entry = &entries_of(map)[i];
        if (entry->number != PLI_MPI_ABSENT) {
            pli_mpi_map_put(&larger, entry->key, entry->number);
        }
    }
    pli_mpi_release(context, &map->entries);
    *map = larger;
    return true;
}

void pli_mpi_map_remove(pli_mpi_map *map, uint64_t key)
{
    if (map->count == 0) {
        return;
    }
    map_entry *entries = entries_of(map);
    size_t mask = entry_count(map) - 1, gap = place_of(map, key);
    if (entries[gap].number == PLI_MPI_ABSENT) {
        return;
    }
    /* Entries behind it come forward where the gap lies between their place and them. */
    for (size_t at = (gap + 1) & mask; entries[at].number != PLI_MPI_ABSENT; at = (at + 1) & mask) {
        size_t home = (size_t)pli_mpi_mix(entries[at].key) & mask;
        if (((at - home) & mask) >= ((at - gap) & mask)) {
            entries[gap] = entries[at];
            gap = at;
        }
    }
    entries[gap].number = PLI_MPI_ABSENT;
    map->count--;
}

/* ------------------------------------------------------------------ numbers */

uint64_t pli_mpi_mix(uint64_t number)
{
    number = (number ^ (number >> 31)) * 0x9e3779b97f4a7c15u;
    number = (number ^ (number >> 29)) * 0xbf58476d1ce4e5b9u;
    return number ^ (number >> 32);
}

uint64_t pli_mpi_hash(uint64_t hash, const void *bytes, size_t size)
{
    const char *next = bytes;
    for (; size >= sizeof hash; size -= sizeof hash, next += sizeof hash) {
        uint64_t word = 0;
        memcpy(&word, next, sizeof word);
        hash = pli_mpi_mix(hash ^ word);
    }
    uint64_t rest = 0;
    memcpy(&rest, next, size);
    return pli_mpi_mix(hash ^ rest ^ (uint64_t)size << 56);
}

/* ------------------------------------------------------------------ sorting */

static void count_digits(const uint64_t *keys, size_t count, int shift, size_t starts[256])
{
    memset(starts, 0, 256 * sizeof *starts);
    for (size_t i = 0; i < count; i++) {
        starts[keys[i] >> shift & 255]++;
    }
}

void pli_mpi_sort(uint64_t *keys, uint32_t *numbers, size_t count, uint64_t *key_scratch,
                  uint32_t *number_scratch)
{
    uint64_t *from = keys, *to = key_scratch, *swapped = NULL;
    uint32_t *number_from = numbers, *number_to = number_scratch, *number_swapped = NULL;
    for (int shift = 0; shift < 64; shift += 8) {
        size_t starts[256], sum = 0;
        count_digits(from, count, shift, starts);
        if (count == 0 || starts[from[0] >> shift & 255] == count) {
            continue; /* all have the same digit */
        }
        for (int d = 0; d < 256; d++) {
            size_t here = starts[d];
            starts[d] = sum;
            sum += here;
        }
        for (size_t i = 0; i < count; i++) {
            size_t at = starts[from[i] >> shift & 255]++;
            to[at] = from[i];
            if (numbers != NULL) {
                number_to[at] = number_from[i];
            }
        }
        swapped = from, from = to, to = swapped;
        number_swapped = number_from, number_from = number_to, number_to = number_swapped;
    }
    if (from != keys) {
        memcpy(keys, from, count * sizeof *keys);
        if (numbers != NULL) {
            memcpy(numbers, number_from, count * sizeof *numbers);
        }
    }
}
