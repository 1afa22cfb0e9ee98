/* Scenes: who is in them. */
#include "recording.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

PLIANT_DEFINE_DEFAULT(pliant_scene_def)
{
    pliant_scene_def def = {.broad = PLIANT_BROAD_AUTO, .tag = PLI_TAG(pliant_scene_def)};
    return def;
}

PLIANT_DEFINE_DEFAULT(pliant_member_def)
{
    pliant_member_def def = {.category = 1, .mask = UINT64_MAX, .tag = PLI_TAG(pliant_member_def)};
    return def;
}

pli_broad_kind pli_scene_broad_kind(const pliant_scene *scene)
{
    switch (scene->broad_asked) {
    case PLIANT_BROAD_AUTO:
        break;
    case PLIANT_BROAD_ALL_PAIRS:
        return PLI_BROAD_ALL_PAIRS;
    case PLIANT_BROAD_SWEEP:
        return PLI_BROAD_SWEEP;
    case PLIANT_BROAD_GRID:
        return PLI_BROAD_GRID;
    case PLIANT_BROAD_SORT:
        return PLI_BROAD_SORT;
    case PLIANT_BROAD_TREE:
        return PLI_BROAD_TREE;
    }
    return PLI_BROAD_AUTO;
}

static void release_member(pliant_scene *scene, uint32_t slot);

static void leave_broad(pliant_scene *scene, uint32_t slot)
{
    pli_member *member = &scene->members.data[slot];
    for (int i = 0; i < 2; i++) {
        if (member->over[i].in_broad) {
            pli_broad_remove(scene->broad[i], slot);
            member->over[i].in_broad = false;
        }
    }
}

/* One of the scene's bodies is being destroyed. */
static void let_go(pli_host *host, pliant_body *body)
{
    pliant_scene *scene = (pliant_scene *)(void *)host;
    PLI_ASSERT(body->slot < scene->slot_count && scene->members.data[body->slot].body == body);
    leave_broad(scene, body->slot);
    release_member(scene, body->slot);
}

static void count_again(pli_host *host, const pliant_body *body, int change);

/* Fills a scene that is all zero; what was made is released by the caller on failure. */
static pliant_result fill_scene(pliant_scene *scene, pliant_context *context)
{
    scene->context = context;
    scene->worker_count = pliant_context_get_worker_count(context);
    if (!pli_team_create(context, &scene->team) ||
        !PLI_CREATE(context, &scene->costs, scene->worker_count)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    return pli_broad_create(context, pli_scene_broad_kind(scene), &scene->broad[false]);
}

pliant_result pliant_scene_create(pliant_context *context, const pliant_scene_def *def,
                                  pliant_scene **scene)
{
    pliant_scene_def defaults = pliant_scene_def_default();
    if (def == NULL) {
        def = &defaults;
    }
    PLI_REQUIRE(context);
    PLI_REQUIRE(scene);
    PLI_REQUIRE_TAG(def, pliant_scene_def);
    if ((unsigned)def->broad > PLIANT_BROAD_TREE) {
        return pli_fail(PLIANT_ERROR_RANGE, "broad is %d; there is no such one", (int)def->broad);
    }
    pliant_scene *created = pli_allocate(context, sizeof *created);
    if (created == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pli_context_join(context, PLI_OBJECT_SCENE);
    *created = (pliant_scene){.context = context,
                              .host = {.let_go = let_go, .count = count_again},
                              .broad_asked = def->broad};
    pliant_result result = fill_scene(created, context);
    if (result != PLIANT_OK) {
        pliant_scene_destroy(created);
        return result;
    }
    *scene = created;
    return PLIANT_OK;
}

size_t pli_scene_arenas_size(const pliant_scene *scene)
{
    return scene->worker_count * sizeof(pli_arena);
}

/* What stages may leave out depends on how bodies take part: `how` begins (+1) or ends (-1). */
static void count_member(pliant_scene *scene, const pliant_body *body, const pliant_member_def *how,
                         int change)
{
    scene->large_count += (uint32_t)(pli_scene_is_large(body) ? change : 0);
    scene->open_count += (uint32_t)(body->shape->block->is_closed ? 0 : change);
    scene->endless_count += (uint32_t)(pli_scene_is_endless(how) ? change : 0);
    scene->loose_count += (uint32_t)(how->has_loose_box ? change : 0);
    scene->self_count += (uint32_t)(how->self ? change : 0);
    bool filtered = how->category == 0 || how->mask != UINT64_MAX;
    scene->filtered_count += (uint32_t)(filtered ? change : 0);
    scene->static_count += (uint32_t)(how->is_static ? change : 0);
    scene->grouped_count += (uint32_t)(how->groups.bits != NULL ? change : 0);
}

/* A body of the scene has another shape. */
static void count_again(pli_host *host, const pliant_body *body, int change)
{
    pliant_scene *scene = (pliant_scene *)(void *)host;
    count_member(scene, body, &scene->members.data[body->slot].def, change);
}

/* Ends a body's membership. */
static void release_member(pliant_scene *scene, uint32_t slot)
{
    pli_member *member = &scene->members.data[slot];
    count_member(scene, member->body, &member->def, -1);
    for (int i = 0; i < 2; i++) {
        pli_release(scene->context, member->over[i].arenas, pli_scene_arenas_size(scene));
        member->over[i].arenas = NULL;
    }
    pli_scene_release_groups(scene, member);
    PLI_ASSERT(member->body->host == &scene->host && scene->member_count > 0);
    member->body->host = NULL;
    member->body = NULL;
    scene->member_count--;
    scene->lowest_free = slot < scene->lowest_free ? slot : scene->lowest_free;
}

#ifdef PLI_DEBUG
/* What the scene counts is what its slots hold, and its bodies know where they are. */
static bool is_scene_valid(const pliant_scene *scene)
{
    uint32_t members = 0, loose = 0, selves = 0, filtered = 0, statics = 0, grouped = 0;
    uint32_t large = 0, open = 0, endless = 0;
    bool valid = scene->slot_count <= scene->members.capacity;
    for (uint32_t i = 0; i < scene->slot_count; i++) {
        const pli_member *member = &scene->members.data[i];
        const pliant_body *body = member->body;
        if (body == NULL) {
            valid = valid && member->over[false].arenas == NULL && i >= scene->lowest_free;
            continue;
        }
        valid = valid && body->host == &scene->host && body->slot == i && member->generation > 0;
        valid = valid && (scene->changed.data[i] || member->def.has_loose_box ||
                          (member->over[false].box_state == body->state && body->ready));
        members++;
        loose += member->def.has_loose_box;
        selves += member->def.self;
        filtered += member->def.category == 0 || member->def.mask != UINT64_MAX;
        statics += member->def.is_static;
        grouped += member->def.groups.bits != NULL;
        large += pli_scene_is_large(body);
        open += !body->shape->block->is_closed;
        endless += pli_scene_is_endless(&member->def);
    }
    return valid && members == scene->member_count && loose == scene->loose_count &&
           selves == scene->self_count && filtered == scene->filtered_count &&
           statics == scene->static_count && grouped == scene->grouped_count &&
           large == scene->large_count && open == scene->open_count &&
           endless == scene->endless_count;
}
#endif

/* Destroys the bodies that a filter or another function of the caller wanted to; the lowest is
 * named.
 */
static pliant_result destroy_doomed_bodies(pliant_scene *scene)
{
    uint32_t lowest = UINT32_MAX;
    for (uint32_t i = 0; i < scene->slot_count; i++) {
        pliant_body *body = scene->members.data[i].body;
        if (body != NULL && body->doomed) {
            lowest = i < lowest ? i : lowest;
            pliant_body_destroy(body);
        }
    }
    return pli_fail(PLIANT_ERROR_STATE, "body %u was destroyed while the scene was in a call",
                    lowest);
}

void pliant_scene_destroy(pliant_scene *scene)
{
    if (scene == NULL) {
        return;
    }
    PLI_ASSERT_UNUSED(!pli_use_is_busy(&scene->host.use),
                      "pliant_scene_destroy: the scene is used by a call under way");
    if (pli_use_postpones(&scene->host.use)) {
        return;
    }
    PLI_ASSERT_VALID(is_scene_valid(scene));
    pliant_context *context = scene->context;
    pli_recording_end(scene);
    if (scene->host.bodies_doomed) { /* by the function that the recording's end was written to */
        destroy_doomed_bodies(scene);
    }
    for (uint32_t i = 0; i < scene->slot_count; i++) {
        if (scene->members.data[i].body != NULL) {
            release_member(scene, i);
        }
    }
    if (scene->queries != NULL) {
        scene->release_queries(scene);
    }
    pli_broad_destroy(scene->broad[false]);
    pli_broad_destroy(scene->broad[true]);
    pli_array_release(context, &scene->team.array);
    pli_arrays_release(context, scene->arrays, PLI_SCENE_ARRAYS);
    pli_release(context, scene, sizeof *scene);
    pli_context_leave(context, PLI_OBJECT_SCENE);
}

pliant_result pli_scene_begin_call(pliant_scene *scene, const char *call)
{
    PLI_ASSERT_VALID(is_scene_valid(scene));
    return pli_use_begin(&scene->host.use, call, "the scene");
}

pliant_result pli_scene_end_call(pliant_scene *scene, pliant_result result)
{
    bool doomed = pli_use_end(&scene->host.use);
    if (scene->host.bodies_doomed) {
        scene->host.bodies_doomed = false;
        result = destroy_doomed_bodies(scene);
    }
    if (doomed) {
        pliant_scene_destroy(scene);
        result = pli_fail(PLIANT_ERROR_STATE, "the scene was destroyed while it was in a call");
    }
    return result;
}

static pliant_result check_member(const pliant_member_def *def, const pliant_body *body)
{
    PLI_REQUIRE_TAG(def, pliant_member_def);
    pliant_result result =
        def->has_loose_box ? pli_box_check(&def->loose_box, "loose_box") : PLIANT_OK;
    if (result != PLIANT_OK) {
        return result;
    }
    return def->proxies ? pli_check_proxies(body->shape, "the body") : PLIANT_OK;
}

pliant_result pli_box_check(const pliant_box *box, const char *name)
{
    for (int k = 0; k < 3; k++) {
        float lower = box->lower[k], upper = box->upper[k];
        if (isnan(lower) || isnan(upper)) {
            return pli_fail(PLIANT_ERROR_NOT_FINITE, "%s: %c goes from %f to %f", name, "xyz"[k],
                            (double)lower, (double)upper);
        }
        if (lower > upper || lower == INFINITY || upper == -INFINITY) {
            return pli_fail(PLIANT_ERROR_RANGE,
                            "%s: no number lies between lower %c, %g, and upper %c, %g", name,
                            "xyz"[k], (double)lower, "xyz"[k], (double)upper);
        }
    }
    return PLIANT_OK;
}

bool pli_scene_is_endless(const pliant_member_def *def)
{
    bool endless = false;
    for (int k = 0; k < 3 && def->has_loose_box; k++) {
        endless = endless || isinf(def->loose_box.lower[k]) || isinf(def->loose_box.upper[k]);
    }
    return endless;
}

pliant_box pli_scene_first_box(const pliant_member_def *def)
{
    pliant_box anywhere = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    return def->has_loose_box ? def->loose_box : anywhere;
}

/* Finds the lowest free slot, making one if there is none. */
static pliant_result find_slot(pliant_scene *scene, uint32_t *slot)
{
    while (scene->lowest_free < scene->slot_count &&
           scene->members.data[scene->lowest_free].body != NULL) {
        scene->lowest_free++;
    }
    *slot = scene->lowest_free;
    if (*slot < scene->slot_count) {
        return PLIANT_OK;
    }
    if (*slot >= PLI_BROAD_MAX_SLOTS - 1) {
        return pli_fail(PLIANT_ERROR_TOO_LARGE, "the scene is full");
    }
    if (!PLI_RESERVE(scene->context, &scene->members, (size_t)*slot + 1) ||
        !PLI_RESERVE(scene->context, &scene->changed, (size_t)*slot + 1)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    scene->host.changed = scene->changed.data;
    scene->members.data[*slot] = (pli_member){.body = NULL};
    scene->slot_count++;
    return PLIANT_OK;
}

static pliant_result add_member(pliant_scene *scene, uint32_t slot, pliant_body *body,
                                const pliant_member_def *def)
{
    pli_arena *arenas = NULL;
    if (scene->worker_count > 1) {
        arenas = pli_allocate(scene->context, pli_scene_arenas_size(scene));
        if (arenas == NULL) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
        memset(arenas, 0, pli_scene_arenas_size(scene));
    }
    pliant_box box = pli_scene_first_box(def);
    uint32_t generation = scene->members.data[slot].generation + 1;
    pli_member member = {
        .body = body,
        .generation = generation == 0 ? 1 : generation,
        .over = {{UINT64_MAX, UINT64_MAX, arenas, true}, {UINT64_MAX, UINT64_MAX, NULL, false}}};
    pliant_result result = pli_scene_define_member(scene, &member, def);
    if (result == PLIANT_OK) {
        result = pli_broad_add(scene->broad[false], slot, &box);
    }
    if (result != PLIANT_OK) {
        pli_scene_release_groups(scene, &member);
        pli_release(scene->context, arenas, pli_scene_arenas_size(scene));
        return result;
    }
    scene->members.data[slot] = member;
    body->host = &scene->host;
    body->slot = slot;
    scene->changed.data[slot] = 1;
    scene->member_count++;
    count_member(scene, body, def, 1);
    return PLIANT_OK;
}

pliant_result pliant_scene_add(pliant_scene *scene, pliant_body *body, const pliant_member_def *def,
                               pliant_body_id *id)
{
    pliant_member_def defaults = pliant_member_def_default();
    if (def == NULL) {
        def = &defaults;
    }
    PLI_REQUIRE(scene);
    PLI_REQUIRE(body);
    PLI_REQUIRE(id);
    PLI_REQUIRE_IDLE(&scene->host, "the scene");
    pliant_result result = check_member(def, body);
    if (result != PLIANT_OK) {
        return result;
    }
    if (body->host != NULL) {
        return pli_fail(PLIANT_ERROR_ARGUMENT, "pliant_scene_add: the body is in a scene already");
    }
    if (body->context != scene->context) {
        return pli_fail(PLIANT_ERROR_ARGUMENT,
                        "pliant_scene_add: body and scene have different contexts");
    }
    uint32_t slot = 0;
    result = find_slot(scene, &slot);
    if (result == PLIANT_OK) {
        result = add_member(scene, slot, body, def);
    }
    if (result == PLIANT_OK) {
        *id = (pliant_body_id){slot, scene->members.data[slot].generation};
    }
    return result;
}

pliant_result pliant_scene_remove(pliant_scene *scene, pliant_body_id id)
{
    PLI_REQUIRE(scene);
    PLI_REQUIRE_IDLE(&scene->host, "the scene");
    if (pli_scene_member(scene, id) == NULL) {
        return PLIANT_ERROR_RANGE;
    }
    leave_broad(scene, id.index);
    release_member(scene, id.index);
    return PLIANT_OK;
}

pliant_result pliant_scene_set_member(pliant_scene *scene, pliant_body_id id,
                                      const pliant_member_def *def)
{
    pliant_member_def defaults = pliant_member_def_default();
    def = def != NULL ? def : &defaults;
    PLI_REQUIRE(scene);
    PLI_REQUIRE_IDLE(&scene->host, "the scene");
    pli_member *member = pli_scene_member(scene, id);
    if (member == NULL) {
        return PLIANT_ERROR_RANGE;
    }
    pliant_result result = check_member(def, member->body);
    if (result != PLIANT_OK) {
        return result;
    }
    pliant_member_def before = member->def;
    result = pli_scene_define_member(scene, member, def);
    if (result != PLIANT_OK) {
        return result;
    }
    count_member(scene, member->body, &before, -1);
    count_member(scene, member->body, &member->def, 1);
    scene->changed.data[id.index] = 1;
    pliant_box box = pli_scene_first_box(&member->def);
    for (int i = 0; i < 2; i++) {
        member->over[i].box_state = UINT64_MAX; /* the box is found again */
        if (member->over[i].in_broad) {
            pli_broad_move(scene->broad[i], id.index, &box);
        }
    }
    return PLIANT_OK;
}

const pliant_scene_stats *pliant_scene_get_stats(const pliant_scene *scene)
{
    return scene != NULL ? &scene->stats : NULL;
}
