/* The chunks of a recording between its queries: shapes, members of the scene, and states. */
#include "player.h"

#include <stdlib.h>
#include <string.h>

bool replay_add_shape(replay_player *player, const replay_fields *fields)
{
    uint64_t capacity = player->shape_capacity;
    if (!replay_reserve(player, &player->shapes, &capacity, player->shape_count + 1,
                        sizeof(pliant_shape *))) {
        return false;
    }
    player->shape_capacity = (uint32_t)capacity;
    pliant_result result = pliant_shape_read(player->context, fields->next, fields->left,
                                             &player->shapes[player->shape_count]);
    if (result != PLIANT_OK) {
        return replay_fail_call(player, result, "a shape");
    }
    player->shape_count++;
    return true;
}

/* ------------------------------------------------------------------ members */

static replay_member *find_member(const replay_player *player, uint32_t slot)
{
    replay_member *member = slot < player->member_count ? &player->members[slot] : NULL;
    return member != NULL && member->body != NULL && !member->stands_in ? member : NULL;
}

/* The start of a member's step is another one now, which shares these positions. */
static void drop_start(replay_member *member, float *borrowed)
{
    if (member->start_borrowed != member->borrowed) {
        free(member->start_borrowed);
    }
    member->start_borrowed = borrowed;
}

static void drop_member(replay_member *member, pliant_scene *scene)
{
    if (pliant_scene_get_body(scene, member->id) == member->body) {
        pliant_scene_remove(scene, member->id);
    }
    pliant_body_destroy(member->body);
    drop_start(member, NULL);
    free(member->borrowed);
    *member = (replay_member){.body = NULL};
}

void replay_drop_members(replay_player *player)
{
    for (uint32_t i = 0; i < player->member_count; i++) {
        drop_member(&player->members[i], player->scene);
    }
}

bool replay_remove(replay_player *player, replay_fields *fields)
{
    uint32_t slot = replay_take_32(fields);
    replay_member *member = find_member(player, slot);
    if (fields->failed || member == NULL) {
        return replay_fail(player, "nobody is in slot %u, to be removed", slot);
    }
    drop_member(member, player->scene);
    player->body_count--;
    return true;
}

/* Reserves memory for a slot. Empty slots need memory too, so their number is limited. */
static bool reserve_slot(replay_player *player, uint32_t slot)
{
    uint64_t capacity = player->member_capacity;
    if (slot > 65536 + 16 * (uint64_t)player->added_count) {
        return replay_fail(player, "slot %u is too far away from those of other bodies", slot);
    }
    if (slot < player->member_count) {
        return true;
    }
    if (!replay_reserve(player, &player->members, &capacity, (uint64_t)slot + 1,
                        sizeof *player->members)) {
        return false;
    }
    player->member_capacity = (uint32_t)capacity;
    memset(player->members + player->member_count, 0,
           (slot + 1 - player->member_count) * sizeof *player->members);
    player->member_count = slot + 1;
    return true;
}

/* Puts a new body of a shape into the lowest free slot, which is to be this one. */
static bool add_body(replay_player *player, uint32_t slot, const pliant_shape *shape,
                     const pliant_body_def *body_def, const pliant_member_def *def)
{
    replay_member *member = &player->members[slot];
    pliant_result result = pliant_body_create(shape, body_def, &member->body);
    if (result == PLIANT_OK) {
        result = pliant_scene_add(player->scene, member->body, def, &member->id);
    }
    if (result != PLIANT_OK) {
        return replay_fail_call(player, result, "a body");
    }
    return member->id.index == slot ||
           replay_fail(player, "a body came into slot %u, not %u", member->id.index, slot);
}

/* A scene gives new bodies its lowest free slot, so free ones below are taken meanwhile. */
static bool take_slots_below(replay_player *player, uint32_t slot)
{
    for (uint32_t i = 0; i < slot; i++) {
        if (player->members[i].body == NULL) {
            if (!add_body(player, i, player->stand_in, NULL, NULL)) {
                return false;
            }
            player->members[i].stands_in = true;
            player->stand_in_count++;
        }
    }
    return true;
}

bool replay_settle(replay_player *player)
{
    for (uint32_t i = 0; i < player->member_count && player->stand_in_count > 0; i++) {
        if (player->members[i].stands_in) {
            drop_member(&player->members[i], player->scene);
            player->stand_in_count--;
        }
    }
    return true;
}

/* `groups` has room for all there can be. */
static pliant_member_def take_member_def(replay_fields *fields, pliant_body_def *body_def,
                                         uint64_t groups[65536 / 64 + 1])
{
    pliant_member_def def = pliant_member_def_default();
    *body_def = pliant_body_def_default();
    body_def->update = (pliant_update)replay_take_32(fields);
    body_def->eager_levels = replay_take_32(fields);
    body_def->lazy_levels = replay_take_32(fields);
    uint32_t flags = replay_take_32(fields);
    body_def->coherent = flags & PLIANT_MEMBER_COHERENT;
    body_def->rebuild = flags & PLIANT_MEMBER_REBUILD ? PLIANT_REBUILD_AUTO : PLIANT_REBUILD_NEVER;
    def.self = flags & PLIANT_MEMBER_SELF;
    def.proxies = flags & PLIANT_MEMBER_PROXIES;
    def.has_loose_box = flags & PLIANT_MEMBER_LOOSE_BOX;
    def.is_static = flags & PLIANT_MEMBER_STATIC;
    def.category = replay_take_64(fields);
    def.mask = replay_take_64(fields);
    replay_take(fields, def.loose_box.lower, sizeof def.loose_box.lower);
    replay_take(fields, def.loose_box.upper, sizeof def.loose_box.upper);
    uint64_t words = replay_take_64(fields);
    if (words > 0 && words <= fields->left / sizeof(uint64_t) && words <= 65536 / 64 + 1) {
        def.groups = (pliant_groups){groups, (uint32_t)(64 * words)};
        replay_take(fields, groups, words * sizeof(uint64_t));
    }
    return def;
}

static bool add_member(replay_player *player, uint32_t slot, uint32_t shape,
                       const pliant_body_def *body_def, const pliant_member_def *def)
{
    if (shape >= player->shape_count) {
        return replay_fail(player, "body %u is of shape %u of %u", slot, shape,
                           player->shape_count);
    }
    if (slot < player->member_count && player->members[slot].stands_in) {
        drop_member(&player->members[slot], player->scene);
        player->stand_in_count--;
    }
    if (find_member(player, slot) != NULL) {
        return replay_fail(player, "slot %u has a body already", slot);
    }
    player->added_count++;
    player->body_count++;
    return reserve_slot(player, slot) && take_slots_below(player, slot) &&
           add_body(player, slot, player->shapes[shape], body_def, def);
}

bool replay_change_member(replay_player *player, replay_fields *fields)
{
    pliant_body_def body_def;
    uint32_t slot = replay_take_32(fields), shape = replay_take_32(fields);
    bool is_new = replay_take_32(fields) & PLIANT_MEMBER_NEW;
    replay_take_32(fields);
    uint64_t groups[65536 / 64 + 1];
    pliant_member_def def = take_member_def(fields, &body_def, groups);
    if (fields->failed || fields->left > 0) {
        return replay_fail(player, "what is said of body %u is too short", slot);
    }
    if (is_new) {
        return add_member(player, slot, shape, &body_def, &def);
    }
    replay_member *member = find_member(player, slot);
    if (member == NULL) {
        return replay_fail(player, "nobody is in slot %u, to be changed", slot);
    }
    pliant_result result = pliant_scene_set_member(player->scene, member->id, &def);
    if (result == PLIANT_OK) {
        result = pliant_body_set_update(member->body, body_def.update, body_def.eager_levels,
                                        body_def.lazy_levels);
    }
    return result == PLIANT_OK || replay_fail_call(player, result, "a member");
}

/* ------------------------------------------------------------------- states */

/* The parts of a state, NULL where they do not change. */
typedef struct state_numbers {
    float *positions, *coordinates, *transforms, *world;
    uint32_t vertex_count, mode_count, joint_count;
    bool borrowed;
} state_numbers;

static float *take_part(float **next, uint32_t what, uint32_t bit, uint64_t count)
{
    float *part = what & bit ? *next : NULL;
    *next += part != NULL ? count : 0;
    return part;
}

/* Copies the numbers of a state, which must be as many as its shape has. */
static bool take_numbers(replay_player *player, replay_fields *fields, uint32_t what,
                         const pliant_shape *shape, state_numbers *numbers)
{
    *numbers = (state_numbers){.vertex_count = pliant_shape_get_vertex_count(shape),
                               .mode_count = pliant_shape_get_mode_count(shape),
                               .joint_count = pliant_shape_get_joint_count(shape),
                               .borrowed = what & PLIANT_STATE_BORROWED};
    uint64_t count = 0;
    count += what & PLIANT_STATE_POSITIONS ? 3 * (uint64_t)numbers->vertex_count : 0;
    count += what & PLIANT_STATE_COORDINATES ? numbers->mode_count : 0;
    count += what & PLIANT_STATE_TRANSFORMS ? 12 * (uint64_t)numbers->joint_count : 0;
    count += what & PLIANT_STATE_WORLD ? 12 : 0;
    uint64_t bytes = count * sizeof(float);
    if (fields->left != bytes) {
        return replay_fail(player, "a state has %llu bytes; its shape needs %llu",
                           (unsigned long long)fields->left, (unsigned long long)bytes);
    }
    if (!replay_reserve(player, &player->numbers, &player->number_capacity, count,
                        sizeof *player->numbers)) {
        return false;
    }
    replay_take(fields, player->numbers, count * sizeof(float));
    float *next = player->numbers;
    numbers->positions =
        take_part(&next, what, PLIANT_STATE_POSITIONS, 3 * (uint64_t)numbers->vertex_count);
    numbers->coordinates = take_part(&next, what, PLIANT_STATE_COORDINATES, numbers->mode_count);
    numbers->transforms =
        take_part(&next, what, PLIANT_STATE_TRANSFORMS, 12 * (uint64_t)numbers->joint_count);
    numbers->world = take_part(&next, what, PLIANT_STATE_WORLD, 12);
    return true;
}

/* Shares a copy of the positions, which lives as long as the body has them. */
static pliant_result share_positions(replay_member *member, const state_numbers *numbers)
{
    size_t size = 3 * (size_t)numbers->vertex_count * sizeof(float);
    float *copy = malloc(size);
    if (copy == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    memcpy(copy, numbers->positions, size);
    pliant_result result = pliant_body_share_positions(member->body, copy, 0);
    float *old = result == PLIANT_OK ? member->borrowed : copy;
    if (old != member->start_borrowed) {
        free(old);
    }
    member->borrowed = result == PLIANT_OK ? copy : member->borrowed;
    return result;
}

static pliant_result apply(replay_member *member, const state_numbers *numbers)
{
    pliant_result result = PLIANT_OK;
    if (numbers->positions != NULL) {
        result = numbers->borrowed ? share_positions(member, numbers)
                                   : pliant_body_set_positions(member->body, numbers->positions, 0);
    }
    if (result == PLIANT_OK && numbers->coordinates != NULL) {
        result =
            pliant_body_set_coordinates(member->body, numbers->coordinates, numbers->mode_count);
    }
    if (result == PLIANT_OK && numbers->transforms != NULL) {
        result =
            pliant_body_set_transforms(member->body, numbers->transforms, numbers->joint_count, 0);
    }
    return result;
}

static pliant_result apply_world(const replay_member *member)
{
    return pliant_body_set_world(member->body, member->has_world ? member->world : NULL);
}

/* Sets a state with identities as transforms first, and the world transform last: positions or
   coordinates may be too large for the transforms of the last state. */
static pliant_result apply_by_identity(replay_member *member, const state_numbers *numbers)
{
    float *identity = calloc((size_t)numbers->joint_count + 1, 12 * sizeof *identity);
    if (identity == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < 3 * (size_t)numbers->joint_count; i++) {
        identity[12 * (i / 3) + 5 * (i % 3)] = 1.0f;
    }
    pliant_result result = pliant_body_set_world(member->body, NULL);
    if (result == PLIANT_OK && numbers->transforms != NULL) {
        result = pliant_body_set_transforms(member->body, identity, numbers->joint_count, 0);
    }
    free(identity);
    result = result == PLIANT_OK ? apply(member, numbers) : result;
    return result == PLIANT_OK ? apply_world(member) : result;
}

bool replay_set_state(replay_player *player, replay_fields *fields)
{
    uint32_t slot = replay_take_32(fields), what = replay_take_32(fields);
    replay_member *member = find_member(player, slot);
    if (fields->failed || member == NULL) {
        return replay_fail(player, "nobody is in slot %u, to be set", slot);
    }
    state_numbers numbers;
    if (!take_numbers(player, fields, what, pliant_body_get_shape(member->body), &numbers)) {
        return false;
    }
    if (numbers.world != NULL) {
        memcpy(member->world, numbers.world, sizeof member->world);
    }
    const uint32_t both = PLIANT_STATE_WORLD | PLIANT_STATE_NO_WORLD;
    member->has_world = what & both ? numbers.world != NULL : member->has_world;
    pliant_result result = apply(member, &numbers);
    if (result == PLIANT_OK && what & both) {
        result = apply_world(member);
    }
    if (result != PLIANT_OK && result != PLIANT_ERROR_OUT_OF_MEMORY) {
        result = apply_by_identity(member, &numbers);
    }
    if (result == PLIANT_OK && what & PLIANT_STATE_INVALID) {
        (void)pliant_body_prepare(member->body); /* meets what is not finite */
    }
    return result == PLIANT_OK || replay_fail_call(player, result, "a state");
}

/* -------------------------------------------------------------------- steps */

/* Meets what is not finite at the start of a body's step. */
static pliant_result spoil_start(const replay_player *player, pliant_body *body)
{
    pliant_query *query = NULL;
    pliant_meetings meetings;
    pliant_meeting_options options = pliant_meeting_options_default();
    options.budget_nodes = 1; /* bounds alone read all vertices */
    pliant_result result = pliant_query_create(player->context, &query);
    if (result == PLIANT_OK) {
        (void)pliant_find_meetings_self(query, body, &options, &meetings);
        pliant_query_destroy(query);
    }
    return result;
}

bool replay_change_step(replay_player *player, replay_fields *fields)
{
    uint32_t slot = replay_take_32(fields), what = replay_take_32(fields);
    replay_member *member = find_member(player, slot);
    if (fields->failed || member == NULL) {
        return replay_fail(player, "nobody is in slot %u, to begin or end a step", slot);
    }
    bool begins = what & PLIANT_STEP_BEGINS;
    pliant_result result =
        begins ? pliant_body_begin_step(member->body) : pliant_body_end_step(member->body);
    if (result == PLIANT_OK) {
        drop_start(member, begins ? member->borrowed : NULL);
    }
    if (result == PLIANT_OK && what & PLIANT_STEP_INVALID) {
        result = spoil_start(player, member->body);
    }
    return result == PLIANT_OK || replay_fail_call(player, result, "a step");
}
