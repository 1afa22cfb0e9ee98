/* Bodies of a rank and ghosts: who is in which slot of the rank's own scene. */
#include "scene.h"

#include <stdio.h>
#include <string.h>

/* --------------------------------------------------------------- definitions */

pliant_member_def pli_mpi_member_def(const pli_mpi_kind *kind, const pliant_box *loose_box)
{
    pliant_member_def def = pliant_member_def_default();
    def.category = kind->category;
    def.mask = kind->mask;
    def.self = (kind->flags & PLI_MPI_SELF) != 0;
    def.is_static = (kind->flags & PLI_MPI_STATIC) != 0;
    if (kind->flags & PLI_MPI_GROUPS) {
        def.groups = (pliant_groups){kind->groups, kind->group_count};
    }
    if (loose_box != NULL) {
        def.has_loose_box = true;
        def.loose_box = *loose_box;
    }
    return def;
}

pliant_result pli_mpi_make_body(pliant_mpi_scene *scene, const pli_mpi_kind *kind,
                                pliant_body **body)
{
    pliant_body_def def = pliant_body_def_default();
    def.update = (pliant_update)kind->update;
    def.eager_levels = kind->eager_levels;
    def.lazy_levels = kind->lazy_levels;
    def.coherent = (kind->flags & PLI_MPI_COHERENT) != 0;
    def.rebuild = kind->flags & PLI_MPI_REBUILD ? PLIANT_REBUILD_AUTO : PLIANT_REBUILD_NEVER;
    uint32_t number = pli_mpi_map_find(&scene->shape_of, kind->shape_key);
    return pliant_body_create(pli_mpi_shape_at(scene, number)->shape, &def, body);
}

const pliant_box *pli_mpi_loose_box(const pliant_mpi_scene *scene, const pli_mpi_slot *slot,
                                    pliant_member_def *def)
{
    bool there = pliant_scene_get_member(scene->local, slot->local, def) == PLIANT_OK;
    return there && def->has_loose_box ? &def->loose_box : NULL;
}

static pli_mpi_kind kind_of(const pliant_shape *shape, uint64_t shape_key,
                            const pliant_body_def *body, const pliant_member_def *member)
{
    pli_mpi_kind kind = {.shape_key = shape_key,
                         .category = member->category,
                         .mask = member->mask,
                         .flags = (member->self ? PLI_MPI_SELF : 0u) |
                                  (member->is_static ? PLI_MPI_STATIC : 0u) |
                                  (member->has_loose_box ? PLI_MPI_LOOSE : 0u) |
                                  (body->coherent ? PLI_MPI_COHERENT : 0u) |
                                  (body->rebuild == PLIANT_REBUILD_AUTO ? PLI_MPI_REBUILD : 0u),
                         .update = (uint32_t)body->update,
                         .eager_levels = body->eager_levels,
                         .lazy_levels = body->lazy_levels,
                         .vertex_count = pliant_shape_get_vertex_count(shape),
                         .mode_count = pliant_shape_get_mode_count(shape),
                         .joint_count = pliant_shape_get_joint_count(shape)};
    if (member->groups.bits != NULL) {
        uint32_t most = UINT16_MAX + 1u;
        kind.flags |= PLI_MPI_GROUPS;
        kind.group_count = member->groups.count < most ? member->groups.count : most;
        kind.groups = (uint64_t *)(uintptr_t)member->groups.bits; /* only read */
    }
    return kind;
}

/* ------------------------------------------------------------ coming and going */

pliant_result pli_mpi_enter(pliant_mpi_scene *scene, uint64_t id, pliant_body *body,
                            const pliant_member_def *def, int from, uint32_t kind, uint32_t *slot)
{
    pliant_body_id local;
    pliant_result result = pliant_scene_add(scene->local, body, def, &local);
    if (result != PLIANT_OK) {
        pliant_body_destroy(body);
        return result;
    }
    size_t size = ((size_t)local.index + 1) * sizeof(pli_mpi_slot), before = scene->slots.count;
    if (!pli_mpi_map_reserve(scene->context, &scene->slot_of, 1) ||
        (from >= 0 && !pli_mpi_reserve(scene->context, &scene->ghosts,
                                       scene->ghosts.count + sizeof(uint32_t))) ||
        (size > before && pli_mpi_resize(scene->context, &scene->slots, size) == NULL)) {
        pliant_body_destroy(body); /* the scene lets it go */
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    if (size > before) {
        memset(scene->slots.data + before, 0, size - before);
    }
    *pli_mpi_slot_at(scene, local.index) = (pli_mpi_slot){.id = id,
                                                          .body = body,
                                                          .shape = pliant_body_get_shape(body),
                                                          .local = local,
                                                          .kind = kind,
                                                          .from = from,
                                                          .weight = 1};
    pli_mpi_map_put(&scene->slot_of, id, local.index);
    if (from >= 0) {
        uint32_t *ghosts = (uint32_t *)(void *)scene->ghosts.data;
        pli_mpi_slot_at(scene, local.index)->given = scene->ghost_count;
        ghosts[scene->ghost_count++] = local.index;
        scene->ghosts.count = scene->ghost_count * sizeof *ghosts;
    } else {
        bool follows =
            scene->own_count == 0 || (id > scene->last_id && local.index > scene->last_slot);
        scene->slots_sorted = scene->own_count == 0 || (scene->slots_sorted && follows);
        scene->last_id = follows ? id : scene->last_id;
        scene->last_slot = follows ? local.index : scene->last_slot;
        scene->ids_sorted = false;
        scene->own_count++;
    }
    *slot = local.index;
    return PLIANT_OK;
}

static void take_out(pliant_mpi_scene *scene, uint32_t slot)
{
    pli_mpi_slot *one = pli_mpi_slot_at(scene, slot);
    pliant_scene_remove(scene->local, one->local);
    pliant_body_destroy(one->body);
    pli_mpi_map_remove(&scene->slot_of, one->id);
    one->body = NULL;
}

void pli_mpi_leave(pliant_mpi_scene *scene, uint32_t slot)
{
    const pli_mpi_slot *one = pli_mpi_slot_at(scene, slot);
    if (one->from >= 0) { /* the last ghost takes its place in the list */
        uint32_t *ghosts = (uint32_t *)(void *)scene->ghosts.data, last = --scene->ghost_count;
        ghosts[one->given] = ghosts[last];
        pli_mpi_slot_at(scene, ghosts[last])->given = one->given;
        scene->ghosts.count = last * sizeof *ghosts;
    } else {
        scene->own_count--;
        scene->ids_sorted = false;
    }
    take_out(scene, slot);
}

void pli_mpi_drop_ghosts(pliant_mpi_scene *scene, uint32_t question)
{
    const uint32_t *ghosts = (const uint32_t *)(void *)scene->ghosts.data;
    for (uint32_t i = scene->ghost_count; i-- > 0;) {
        if (pli_mpi_slot_at(scene, ghosts[i])->seen != question) {
            pli_mpi_leave(scene, ghosts[i]);
        }
    }
}

pliant_result pli_mpi_check_whole(const pli_mpi_slot *slot)
{
    return pliant_body_get_shape(slot->body) == slot->shape
               ? PLIANT_OK
               : pliant_fail(PLIANT_ERROR_STATE,
                             "it was torn, which other ranks cannot know: take it out, and put in "
                             "a body of a shape that is made of what is left");
}

bool pli_mpi_sort_ids(pliant_mpi_scene *scene)
{
    if (scene->ids_sorted) {
        return true;
    }
    size_t size = pli_mpi_bytes_of(scene->own_count, sizeof(uint64_t)), count = 0;
    uint64_t *ids = pli_mpi_resize(scene->context, &scene->ids, size);
    uint64_t *scratch = pli_mpi_resize(scene->context, &scene->sort_scratch, size);
    if (ids == NULL || scratch == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < scene->slots.count / sizeof(pli_mpi_slot); i++) {
        const pli_mpi_slot *one = pli_mpi_slot_at(scene, i);
        if (one->body != NULL && one->from < 0) {
            ids[count++] = one->id;
        }
    }
    pli_mpi_sort(ids, NULL, count, scratch, NULL);
    scene->ids_sorted = true;
    return true;
}

/* ----------------------------------------------------------------- the caller's */

static pliant_result fail_id(pliant_result result, uint64_t id, const char *why)
{
    char sentence[128];
    snprintf(sentence, sizeof sentence, "body %llu: %s", (unsigned long long)id, why);
    return pliant_fail(result, sentence);
}

static pliant_result fail_nobody(void)
{
    return pliant_fail(PLIANT_ERROR_RANGE, "id: UINT64_MAX names nobody");
}

/* The slot of a body of this rank; PLI_MPI_ABSENT if it is not here. */
static uint32_t find_own(const pliant_mpi_scene *scene, uint64_t id)
{
    uint32_t slot = pli_mpi_map_find(&scene->slot_of, id);
    return slot != PLI_MPI_ABSENT && pli_mpi_slot_at(scene, slot)->from < 0 ? slot : PLI_MPI_ABSENT;
}

/* Makes room for a body with an id that no body of this rank may have. */
static pliant_result check_id(pliant_mpi_scene *scene, uint64_t id)
{
    if (id == PLI_MPI_NOBODY) {
        return fail_nobody();
    }
    uint32_t slot = pli_mpi_map_find(&scene->slot_of, id);
    if (slot != PLI_MPI_ABSENT && pli_mpi_slot_at(scene, slot)->from < 0) {
        return fail_id(PLIANT_ERROR_ARGUMENT, id, "it is on this rank already");
    }
    if (slot != PLI_MPI_ABSENT) {
        pli_mpi_leave(scene, slot); /* what another rank had by that name */
    }
    return PLIANT_OK;
}

static pliant_result check_defs(const pliant_body_def *body, const pliant_member_def *member)
{
    /* The core checks them when it gets them; what is read before needs the right size. */
    const pliant_body_def ours = pliant_body_def_default();
    const pliant_member_def our_member = pliant_member_def_default();
    pliant_result result = pliant_check_tag(body->tag, ours.tag, "pliant_body_def");
    return result == PLIANT_OK ? pliant_check_tag(member->tag, our_member.tag, "pliant_member_def")
                               : result;
}

pliant_result pliant_mpi_scene_add(pliant_mpi_scene *scene, uint64_t id, uint64_t shape_key,
                                   const pliant_body_def *body, const pliant_member_def *member)
{
    const pliant_body_def body_default = pliant_body_def_default();
    const pliant_member_def member_default = pliant_member_def_default();
    body = body != NULL ? body : &body_default;
    member = member != NULL ? member : &member_default;
    if (scene == NULL) {
        return pliant_fail(PLIANT_ERROR_ARGUMENT, "pliant_mpi_scene_add: scene is NULL");
    }
    pliant_result result = check_defs(body, member);
    uint32_t number = pli_mpi_map_find(&scene->shape_of, shape_key), slot = 0;
    if (result == PLIANT_OK && number == PLI_MPI_ABSENT) {
        result = fail_id(PLIANT_ERROR_ARGUMENT, id, "its shape is not on this rank");
    }
    result = result == PLIANT_OK ? check_id(scene, id) : result;
    if (result != PLIANT_OK) {
        return result;
    }
    const pliant_shape *shape = pli_mpi_shape_at(scene, number)->shape;
    const pli_mpi_kind kind = kind_of(shape, shape_key, body, member);
    uint32_t kind_number = pli_mpi_find_kind(scene, &kind);
    if (kind_number == PLI_MPI_ABSENT) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pliant_member_def own = *member;
    own.user = NULL;
    own.proxies = false;
    pliant_body_def def = *body;
    def.user = NULL;
    pliant_body *made = NULL;
    result = pliant_body_create(shape, &def, &made);
    result =
        result == PLIANT_OK ? pli_mpi_enter(scene, id, made, &own, -1, kind_number, &slot) : result;
    if (result == PLIANT_OK) {
        pli_mpi_slot_at(scene, slot)->fresh = true;
        scene->flags |= PLI_MPI_NEW_IDS;
    }
    return result;
}

pliant_result pliant_mpi_scene_remove(pliant_mpi_scene *scene, uint64_t id)
{
    if (scene == NULL) {
        return pliant_fail(PLIANT_ERROR_ARGUMENT, "pliant_mpi_scene_remove: scene is NULL");
    }
    if (id == PLI_MPI_NOBODY) {
        return fail_nobody();
    }
    uint32_t slot = find_own(scene, id);
    if (slot != PLI_MPI_ABSENT) {
        pli_mpi_leave(scene, slot);
        return PLIANT_OK;
    }
    uint64_t *removal = pli_mpi_extend(scene->context, &scene->removals, sizeof *removal);
    if (removal == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    *removal = id;
    scene->flags |= PLI_MPI_REMOVALS;
    return PLIANT_OK;
}

pliant_result pliant_mpi_scene_set_member(pliant_mpi_scene *scene, uint64_t id,
                                          const pliant_member_def *member)
{
    const pliant_member_def member_default = pliant_member_def_default();
    const pliant_body_def body_default = pliant_body_def_default();
    member = member != NULL ? member : &member_default;
    if (scene == NULL) {
        return pliant_fail(PLIANT_ERROR_ARGUMENT, "pliant_mpi_scene_set_member: scene is NULL");
    }
    pliant_result result = check_defs(&body_default, member);
    uint32_t slot = find_own(scene, id);
    if (result != PLIANT_OK || slot == PLI_MPI_ABSENT) {
        return result != PLIANT_OK ? result
                                   : fail_id(PLIANT_ERROR_RANGE, id, "it is not on this rank");
    }
    pli_mpi_slot *one = pli_mpi_slot_at(scene, slot);
    const pli_mpi_kind *now = pli_mpi_kind_of(scene, one);
    const pliant_body_def body = {.update = (pliant_update)now->update,
                                  .eager_levels = now->eager_levels,
                                  .lazy_levels = now->lazy_levels,
                                  .coherent = (now->flags & PLI_MPI_COHERENT) != 0,
                                  .rebuild = now->flags & PLI_MPI_REBUILD ? PLIANT_REBUILD_AUTO
                                                                          : PLIANT_REBUILD_NEVER};
    const pli_mpi_kind kind =
        kind_of(pliant_body_get_shape(one->body), now->shape_key, &body, member);
    uint32_t number = pli_mpi_find_kind(scene, &kind);
    if (number == PLI_MPI_ABSENT) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pliant_member_def own = *member;
    own.user = NULL;
    own.proxies = false;
    result = pliant_scene_set_member(scene->local, one->local, &own);
    one->kind = result == PLIANT_OK ? number : one->kind;
    return result;
}

const uint64_t *pliant_mpi_scene_get_ids(pliant_mpi_scene *scene, uint32_t *count)
{
    bool there = scene != NULL && scene->own_count > 0 && pli_mpi_sort_ids(scene);
    if (count != NULL) {
        *count = there ? scene->own_count : 0;
    }
    return there ? (const uint64_t *)(const void *)scene->ids.data : NULL;
}

pliant_body *pliant_mpi_scene_get_body(const pliant_mpi_scene *scene, uint64_t id)
{
    uint32_t slot = scene != NULL ? find_own(scene, id) : PLI_MPI_ABSENT;
    return slot != PLI_MPI_ABSENT ? pli_mpi_slot_at(scene, slot)->body : NULL;
}
