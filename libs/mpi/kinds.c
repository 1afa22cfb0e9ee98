/* Kinds of bodies: what many have in common is sent to a rank once, and then named by a number. */
#include "scene.h"

#include <string.h>

/* A kind as it is sent, before the words of its groups. */
typedef struct kind_header {
    uint64_t shape_key, category, mask;
    uint32_t flags, update, eager_levels, lazy_levels;
    uint32_t vertex_count, mode_count, joint_count, group_count;
} kind_header;

/* Words of a set of groups; one even for no groups, so that the set is there. */
static size_t group_words(uint32_t count)
{
    return count / 64 + 1;
}

static size_t groups_size(const pli_mpi_kind *kind)
{
    return kind->flags & PLI_MPI_GROUPS ? group_words(kind->group_count) * sizeof(uint64_t) : 0;
}

static kind_header header_of(const pli_mpi_kind *kind)
{
    return (kind_header){.shape_key = kind->shape_key,
                         .category = kind->category,
                         .mask = kind->mask,
                         .flags = kind->flags,
                         .update = kind->update,
                         .eager_levels = kind->eager_levels,
                         .lazy_levels = kind->lazy_levels,
                         .vertex_count = kind->vertex_count,
                         .mode_count = kind->mode_count,
                         .joint_count = kind->joint_count,
                         .group_count = kind->group_count};
}

/* One word of a set of groups; what is beyond the last group is 0. */
static uint64_t group_word(const pli_mpi_kind *kind, size_t word)
{
    uint64_t left = kind->group_count - (uint64_t)word * 64;
    bool beyond = (uint64_t)word * 64 >= kind->group_count;
    return beyond ? 0 : kind->groups[word] & (left < 64 ? ((uint64_t)1 << left) - 1 : UINT64_MAX);
}

static uint64_t hash_kind(const pli_mpi_kind *kind)
{
    const kind_header header = header_of(kind);
    uint64_t hash = pli_mpi_hash(0, &header, sizeof header);
    for (size_t i = 0; i < groups_size(kind) / sizeof(uint64_t); i++) {
        uint64_t word = group_word(kind, i);
        hash = pli_mpi_hash(hash, &word, sizeof word);
    }
    return hash;
}

static bool is_same(const pli_mpi_kind *a, const pli_mpi_kind *b)
{
    const kind_header x = header_of(a), y = header_of(b);
    bool same = memcmp(&x, &y, sizeof x) == 0;
    for (size_t i = 0; same && i < groups_size(a) / sizeof(uint64_t); i++) {
        same = group_word(a, i) == group_word(b, i);
    }
    return same;
}

/* Adds a copy of a kind at a number, in place of what may be there of a question that failed. */
static bool put_kind(pliant_context *context, pli_mpi_kinds *kinds, uint32_t number,
                     const pli_mpi_kind *kind)
{
    size_t size = groups_size(kind);
    uint64_t *groups = size > 0 ? pliant_context_allocate(context, size) : NULL;
    if (size > 0 && groups == NULL) {
        return false;
    }
    for (size_t i = 0; i < size / sizeof *groups; i++) {
        groups[i] = group_word(kind, i);
    }
    if (number < kinds->count) {
        pli_mpi_kind *old = pli_mpi_kind_at(kinds, number);
        pliant_context_release(context, old->groups, groups_size(old));
    } else if (pli_mpi_extend(context, &kinds->list, sizeof *kind) == NULL) {
        pliant_context_release(context, groups, size);
        return false;
    } else {
        kinds->count = number + 1;
    }
    pli_mpi_kind *to = pli_mpi_kind_at(kinds, number);
    *to = *kind;
    to->groups = groups;
    return true;
}

uint32_t pli_mpi_find_kind(pliant_mpi_scene *scene, const pli_mpi_kind *kind)
{
    uint64_t key = hash_kind(kind);
    uint32_t number = pli_mpi_map_find(&scene->kind_of, key);
    while (number != PLI_MPI_ABSENT && !is_same(kind, pli_mpi_kind_at(&scene->kinds, number))) {
        key++; /* of another kind with the same hash */
        number = pli_mpi_map_find(&scene->kind_of, key);
    }
    if (number != PLI_MPI_ABSENT) {
        return number;
    }
    number = scene->kinds.count;
    if (!pli_mpi_map_reserve(scene->context, &scene->kind_of, 1) ||
        !put_kind(scene->context, &scene->kinds, number, kind)) {
        return PLI_MPI_ABSENT;
    }
    pli_mpi_map_put(&scene->kind_of, key, number);
    return number;
}

bool pli_mpi_write_kinds(pliant_mpi_scene *scene, uint32_t first, pli_mpi_bytes *out)
{
    for (uint32_t i = first; i < scene->kinds.count; i++) {
        const pli_mpi_kind *kind = pli_mpi_kind_at(&scene->kinds, i);
        const kind_header header = header_of(kind);
        char *to = pli_mpi_extend(scene->context, out, sizeof header + groups_size(kind));
        if (to == NULL) {
            return false;
        }
        memcpy(to, &header, sizeof header);
        if (groups_size(kind) > 0) {
            memcpy(to + sizeof header, kind->groups, groups_size(kind));
        }
    }
    return true;
}

bool pli_mpi_read_kinds(pliant_mpi_scene *scene, const char *bytes, uint64_t size,
                        pli_mpi_kinds *kinds, uint32_t known)
{
    for (uint64_t at = 0; at < size; known++) {
        kind_header header;
        memcpy(&header, bytes + at, sizeof header);
        pli_mpi_kind kind = {.shape_key = header.shape_key,
                             .category = header.category,
                             .mask = header.mask,
                             .flags = header.flags,
                             .update = header.update,
                             .eager_levels = header.eager_levels,
                             .lazy_levels = header.lazy_levels,
                             .vertex_count = header.vertex_count,
                             .mode_count = header.mode_count,
                             .joint_count = header.joint_count,
                             .group_count = header.group_count};
        at += sizeof header;
        /* Headers and words are whole numbers of eight bytes, so that words are aligned. */
        kind.groups = (uint64_t *)(void *)(bytes + at);
        if (!put_kind(scene->context, kinds, known, &kind)) {
            return false;
        }
        at += groups_size(&kind);
    }
    return true;
}

void pli_mpi_free_kinds(pliant_context *context, pli_mpi_kinds *kinds)
{
    for (uint32_t i = 0; i < kinds->count; i++) {
        pli_mpi_kind *kind = pli_mpi_kind_at(kinds, i);
        pliant_context_release(context, kind->groups, groups_size(kind));
    }
    pli_mpi_release(context, &kinds->list);
    kinds->count = 0;
}
