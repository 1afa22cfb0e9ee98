/*
 * Which bodies of a scene are compared: the broad phase, filters, and members with themselves.
 */
#include "recording.h"

#include "base/error.h"
#include "base/context.h"

enum {
    MANY_PAIRS = 4096, /* that all workers filter */
    BLOCKS = 64        /* of them */
};

/* Returns true if two members are to be compared: not both are static, and category, mask and
   filter let them. */
static bool may_touch(const pliant_scene *scene, const pliant_scene_options *options, uint32_t a,
                      uint32_t b)
{
    const pli_member *x = &scene->members.data[a], *y = &scene->members.data[b];
    if (!(x->def.category & y->def.mask) || !(y->def.category & x->def.mask) ||
        (x->def.is_static && y->def.is_static)) {
        return false;
    }
    if (options == NULL || options->filter == NULL) {
        return true;
    }
    bool passes = options->filter(options->filter_user, (pliant_body_id){a, x->generation},
                                  (pliant_body_id){b, y->generation});
    return pli_recording_note_filter(scene, a, b, passes);
}

static pliant_result add_pair_key(pliant_scene *scene, uint32_t a, uint32_t b)
{
    uint64_t most = pli_broad_most_pairs(scene->broad[false]);
    if (scene->pair_keys.count >= most) {
        return pli_fail(PLIANT_ERROR_TOO_LARGE, "more than %llu pairs of bodies are to be compared",
                        (unsigned long long)most);
    }
    bool done = PLI_PUSH(scene->context, &scene->pair_keys, (uint64_t)a << 32 | b);
    return done ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}

/* Adds every member from *next on up to `last` that is to be compared with itself. */
static pliant_result add_selves(pliant_scene *scene, uint32_t *next, uint32_t last)
{
    pliant_result result = PLIANT_OK;
    for (; *next <= last && *next < scene->slot_count && result == PLIANT_OK; ++*next) {
        const pli_member *member = &scene->members.data[*next];
        if (member->body != NULL && member->def.self) {
            result = add_pair_key(scene, *next, *next);
        }
    }
    return result;
}

/* The pairs that filters let through, and members with themselves, in ascending order. */
static pliant_result filter_pairs(pliant_scene *scene, const pliant_scene_options *options,
                                  const uint64_t *keys, size_t count)
{
    uint32_t next = scene->self_count > 0 ? 0 : scene->slot_count;
    pliant_result result = PLIANT_OK;
    scene->pair_keys.count = 0;
    for (size_t i = 0; i < count && result == PLIANT_OK; i++) {
        uint32_t a = pli_pair_a(keys[i]), b = pli_pair_b(keys[i]);
        result = add_selves(scene, &next, a);
        if (result == PLIANT_OK && may_touch(scene, options, a, b)) {
            result = add_pair_key(scene, a, b);
        }
    }
    return result == PLIANT_OK ? add_selves(scene, &next, UINT32_MAX) : result;
}

/* ---------------------------------------------------------- by all workers */

/*
 * Blocks of pairs are counted, and then each writes to where those before it end. Members with
 * themselves come along, each before the first pair of a member that is not before it. A caller's
 * own filter runs above, since it is called in order by the calling thread.
 */

typedef struct filtering {
    pliant_scene *scene;
    const uint64_t *keys;
    size_t count;
    size_t ends[BLOCKS]; /* of each block: how many it lets through, then where they end */
    bool writes;         /* else it counts */
} filtering;

/* Lists the members from *next on up to `last` that are compared with themselves; returns how many.
   `out` may be NULL. */
static size_t count_selves(const pliant_scene *scene, uint32_t *next, uint32_t last, uint64_t *out)
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
        count += count_selves(scene, &next, a, out != NULL ? out + count : NULL);
        if (may_touch(scene, NULL, a, b)) {
            if (out != NULL) {
                out[count] = all->keys[i];
            }
            count++;
        }
    }
    if (block == BLOCKS - 1) {
        count += count_selves(scene, &next, UINT32_MAX, out != NULL ? out + count : NULL);
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

static pliant_result filter_many(pliant_scene *scene, const uint64_t *keys, size_t count)
{
    filtering all = {.scene = scene, .keys = keys, .count = count};
    uint64_t most = pli_broad_most_pairs(scene->broad[false]);
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

/* --------------------------------------------------------------- all pairs */

/* Every member with itself, and nothing else. */
static pliant_result list_selves(pliant_scene *scene)
{
    pliant_result result = PLIANT_OK;
    scene->pair_keys.count = 0;
    for (uint32_t i = 0; i < scene->slot_count && result == PLIANT_OK; i++) {
        if (scene->members.data[i].body != NULL) {
            result = add_pair_key(scene, i, i);
        }
    }
    scene->pairs = scene->pair_keys.data;
    scene->pair_count = result == PLIANT_OK ? (uint32_t)scene->pair_keys.count : 0;
    return result;
}

/* Filters, and members with themselves, for a broad phase's `count` keys, ascending. */
static pliant_result filter_keys(pliant_scene *scene, const pliant_scene_options *options,
                                 const uint64_t *keys, size_t count)
{
    pliant_result result = PLIANT_OK;
    scene->stats.pairs_broad = (uint32_t)count;
    bool asks = options != NULL && options->filter != NULL;
    if (asks || scene->filtered_count > 0 || scene->static_count > 1 || scene->self_count > 0) {
        bool many = scene->worker_count > 1 && count >= MANY_PAIRS && !asks;
        pli_stage_begin(scene->context, PLIANT_STAGE_SCENE_FILTER);
        result = many ? filter_many(scene, keys, count) : filter_pairs(scene, options, keys, count);
        pli_stage_end(scene->context, PLIANT_STAGE_SCENE_FILTER);
        keys = scene->pair_keys.data;
        count = scene->pair_keys.count;
    }
    if (result == PLIANT_OK) {
        PLI_ASSERT(count <= pli_broad_most_pairs(scene->broad[false]));
        scene->pairs = keys;
        scene->pair_count = (uint32_t)count;
    }
    return result;
}

pliant_result pli_scene_find_pairs(pliant_scene *scene, bool over_step,
                                   const pliant_scene_options *options, const float *distance)
{
    const uint64_t *keys = NULL;
    size_t count = 0;
    pli_broad *broad = scene->broad[over_step];
    scene->pair_count = 0;
    if (options != NULL && options->only_self) {
        return list_selves(scene);
    }
    pli_stage_begin(scene->context, PLIANT_STAGE_SCENE_BROAD);
    pliant_result result = distance == NULL
                               ? pli_broad_pairs(broad, &keys, &count)
                               : pli_broad_pairs_within(broad, (double)*distance, &keys, &count);
    pli_stage_end(scene->context, PLIANT_STAGE_SCENE_BROAD);
    return result == PLIANT_OK ? filter_keys(scene, options, keys, count) : result;
}

pliant_result pli_scene_pair_failure(const pliant_scene *scene)
{
    const pli_team_worker *failure = pli_team_first_failure(&scene->team);
    if (failure == NULL) {
        return PLIANT_OK;
    }
    uint64_t pair = scene->pairs[failure->failed_at];
    return pli_fail(failure->result, "bodies %u and %u: %s", pli_pair_a(pair), pli_pair_b(pair),
                    failure->message);
}
