/*
 * Which of many pairs of bodies category and mask let through, on all workers: blocks of pairs are
 * counted, and then each writes to where those before it end. Members with themselves come along,
 * each before the first pair of a member that is not before it. A caller's own filter is asked in
 * scene_pairs.c, since it is to be called in order by the calling thread.
 */
#include "scene.h"

enum { BLOCKS = 64 };

typedef struct filtering {
    pliant_scene *scene;
    const uint64_t *keys;
    size_t count;
    size_t ends[BLOCKS]; /* of each block: how many it lets through, then where they end */
    bool writes;         /* else it counts */
} filtering;

/* Lists the members from *next on up to `last` that are compared with themselves; returns how many.
   `out` may be NULL. */
static size_t list_selves(const pliant_scene *scene, uint32_t *next, uint32_t last, uint64_t *out)
{
    size_t count = 0;
    for (; *next <= last && *next < scene->slot_count; ++*next) {
        const pli_member *member = &scene->members.data[*next];
        if (member->body != NULL && member->def.self) {
            if (out != NULL) {
                out[count] = (uint64_t)*next << 32 | *next;
            }
            count++;
        }
    }
    return count;
}

static size_t list_block(const filtering *all, uint32_t block, uint64_t *out)
{
    const pliant_scene *scene = all->scene;
    size_t first = all->count * block / BLOCKS, end = all->count * (block + 1) / BLOCKS, count = 0;
    uint32_t next = scene->self_count == 0 ? scene->slot_count
                    : first == 0           ? 0
                                           : pli_pair_a(all->keys[first - 1]) + 1;
    for (size_t i = first; i < end; i++) {
        uint32_t a = pli_pair_a(all->keys[i]), b = pli_pair_b(all->keys[i]);
        count += list_selves(scene, &next, a, out != NULL ? out + count : NULL);
        if (pli_scene_may_touch(scene, NULL, a, b)) {
            if (out != NULL) {
                out[count] = all->keys[i];
            }
            count++;
        }
    }
    if (block == BLOCKS - 1) {
        count += list_selves(scene, &next, UINT32_MAX, out != NULL ? out + count : NULL);
    }
    return count;
}

static void filter_block(void *argument, uint32_t block, uint32_t worker)
{
    (void)worker;
    filtering *all = argument;
    if (all->writes) {
        size_t begin = block > 0 ? all->ends[block - 1] : 0;
        list_block(all, block, all->scene->pair_keys.data + begin);
    } else {
        all->ends[block] = list_block(all, block, NULL);
    }
}

pliant_result pli_scene_filter_many(pliant_scene *scene, const uint64_t *keys, size_t count)
{
    filtering all = {.scene = scene, .keys = keys, .count = count};
    uint64_t most = pli_broad_most_pairs(scene->broad);
    pliant_result result = pli_context_run(scene->context, filter_block, &all, BLOCKS);
    if (result != PLIANT_OK) {
        return result;
    }
    for (uint32_t b = 1; b < BLOCKS; b++) {
        all.ends[b] += all.ends[b - 1];
    }
    if (all.ends[BLOCKS - 1] > most) {
        return pli_fail(PLIANT_ERROR_TOO_LARGE, "more than %llu pairs of bodies are to be compared",
                        (unsigned long long)most);
    }
    if (!PLI_RESERVE(scene->context, &scene->pair_keys, all.ends[BLOCKS - 1])) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    all.writes = true;
    scene->pair_keys.count = all.ends[BLOCKS - 1];
    return pli_context_run(scene->context, filter_block, &all, BLOCKS);
}
