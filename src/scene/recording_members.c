/*
 * What of a scene has changed since its last recorded question: who is in it, how, and in which
 * state. It is found by looking at every slot, so that nothing has to be kept from call to call but
 * what is known of the slots.
 */
#include "recording.h"

#include <string.h>

/* The numbers of one part of a state, `width` of them together, `stride` bytes apart. */
typedef struct state_part {
    uint32_t bit; /* a pliant_recorded_state; 0: the body has no such part */
    const float *first;
    size_t count, width, stride;
} state_part;

static state_part positions_of(const pliant_body *body)
{
    bool given = body->by_positions && body->positions.first != body->given->positions;
    return (state_part){given ? PLIANT_STATE_POSITIONS : 0, body->positions.first,
                        body->shape->vertex_count, 3, body->positions.stride};
}

static state_part coordinates_of(const pliant_body *body)
{
    uint32_t count = body->shape->block->model.mode_count;
    return (state_part){count > 0 ? PLIANT_STATE_COORDINATES : 0, body->pose.coordinates, count, 1,
                        sizeof(float)};
}

static state_part transforms_of(const pliant_body *body)
{
    uint32_t count = body->shape->block->model.joint_count;
    return (state_part){count > 0 ? PLIANT_STATE_TRANSFORMS : 0, body->pose.transforms, count, 12,
                        12 * sizeof(float)};
}

static state_part world_of(const pliant_body *body)
{
    bool there = body->pose.world != NULL;
    return (state_part){there ? PLIANT_STATE_WORLD : PLIANT_STATE_NO_WORLD, body->pose.world,
                        there ? 1 : 0, 12, 12 * sizeof(float)};
}

/* All parts that a state may have, in the order in which they are written. */
static state_part (*const parts[PLI_STATE_PARTS])(const pliant_body *) = {
    positions_of, coordinates_of, transforms_of, world_of};

/* Gives the rows of a part one after the other, those that lie side by side together. */
static void for_rows(const state_part *part, void (*take)(void *, const void *, size_t), void *to)
{
    size_t row = part->width * sizeof(float);
    if (part->stride == row && part->count > 0) {
        take(to, part->first, part->count * row);
        return;
    }
    for (size_t i = 0; i < part->count; i++) {
        take(to, (const char *)part->first + i * part->stride, row);
    }
}

static void add_row(void *sum, const void *bytes, size_t size)
{
    pli_sum_add(sum, bytes, size);
}

static void put_row(void *stream, const void *bytes, size_t size)
{
    pli_stream_put(stream, bytes, size);
}

/* Which parts have changed, and how many bytes they are. */
static uint32_t find_changed(const pliant_body *body, pli_recorded_member *known, uint64_t *size)
{
    uint32_t changed = 0;
    *size = 0;
    for (int i = 0; i < PLI_STATE_PARTS; i++) {
        state_part part = parts[i](body);
        if (part.bit != 0) {
            pli_sum sum = {.sum = 1}; /* that of no numbers at all is never known */
            for_rows(&part, add_row, &sum);
            if (known->part[i] != pli_sum_end(&sum)) {
                known->part[i] = pli_sum_end(&sum);
                changed |= part.bit;
                *size += part.count * part.width * sizeof(float);
            }
        }
    }
    return changed;
}

static void write_state(pli_recording_stream *stream, uint32_t slot, const pliant_body *body,
                        bool valid, pli_recorded_member *known)
{
    uint64_t size = 0;
    uint32_t changed = find_changed(body, known, &size);
    bool borrowed = body->positions.first != body->copy;
    uint32_t what = changed;
    what |= changed & PLIANT_STATE_POSITIONS && borrowed ? PLIANT_STATE_BORROWED : 0u;
    what |= valid ? 0u : PLIANT_STATE_INVALID;
    if (what == 0) {
        return;
    }
    pli_fields fields = {.size = 0};
    pli_fields_add_32(&fields, slot);
    pli_fields_add_32(&fields, what);
    pli_stream_put_fields(stream, PLIANT_CHUNK_STATE, &fields, size);
    for (int i = 0; i < PLI_STATE_PARTS; i++) {
        state_part part = parts[i](body);
        if (part.bit & changed) {
            for_rows(&part, put_row, stream);
        }
    }
}

static void write_step(pli_recording_stream *stream, uint32_t slot, uint32_t what)
{
    pli_fields fields = {.size = 0};
    pli_fields_add_32(&fields, slot);
    pli_fields_add_32(&fields, what);
    pli_stream_put_fields(stream, PLIANT_CHUNK_STEP, &fields, 0);
}

/* The state of a body; before it that of its start, if the step is a new one. */
static void write_states(pli_recording_stream *stream, uint32_t slot, const pliant_body *body,
                         pli_recorded_member *known)
{
    const pliant_body *start = body->start;
    uint32_t id = start != NULL ? start->id : 0;
    bool begins = start != NULL && (known->start != id || known->start_state != start->state);
    if (begins) {
        write_state(stream, slot, start, true, known);
        write_step(stream, slot, PLIANT_STEP_BEGINS | (start->valid ? 0u : PLIANT_STEP_INVALID));
        known->start_state = start->state;
    } else if (start == NULL && known->start != 0) {
        write_step(stream, slot, 0);
    }
    known->start = id;
    if (begins || known->state != body->state) {
        write_state(stream, slot, body, body->valid, known);
        known->state = body->state;
    }
}

/* The number of a shape in the recording, which is written if it has none. */
static uint32_t shape_number(pli_recording *recording, const pliant_shape *shape)
{
    const pli_block_header *block = shape->block;
    if (shape->tearing != NULL) {
        pli_stream_fail(&recording->stream, PLIANT_ERROR_STATE,
                        "a body was torn, and recordings have no tears");
        return 0;
    }
    for (size_t i = 0; i < recording->shapes.count; i++) {
        const pli_recorded_shape *known = &recording->shapes.data[i];
        if (known->checksum == block->checksum && known->size == block->size) {
            return (uint32_t)i;
        }
    }
    if (!PLI_PUSH(recording->stream.context, &recording->shapes,
                  (pli_recorded_shape){block->checksum, block->size})) {
        pli_stream_fail(&recording->stream, PLIANT_ERROR_OUT_OF_MEMORY, "no memory for a shape");
        return 0;
    }
    pli_stream_begin(&recording->stream, PLIANT_CHUNK_SHAPE, block->size);
    pli_stream_put(&recording->stream, block, (size_t)block->size);
    return (uint32_t)recording->shapes.count - 1;
}

/* Words of the set of groups that takes part; a set of no groups has one too, of zeros. */
static uint64_t group_words(const pliant_member_def *def)
{
    uint32_t most = UINT16_MAX + 1u, count = def->groups.count;
    return (count < most ? count : most) / 64 + 1;
}

/* Those words: bits at or beyond the count of groups mean nothing, and are 0. */
static uint64_t group_word(const pliant_member_def *def, uint64_t word)
{
    uint64_t left = def->groups.count - 64 * word;
    return 64 * word >= def->groups.count
               ? 0
               : def->groups.bits[word] & (left < 64 ? ((uint64_t)1 << left) - 1 : UINT64_MAX);
}

/* How a member takes part; everything that pliant_scene_set_member() and pliant_body_set_update()
   change. */
static pli_fields describe_member(const pli_member *member)
{
    const pliant_body *body = member->body;
    const pliant_member_def *def = &member->def;
    pli_fields fields = {.size = 0};
    pli_fields_add_32(&fields, (uint32_t)body->asked);
    pli_fields_add_32(&fields, body->eager_asked);
    pli_fields_add_32(&fields, body->lazy_levels);
    pli_fields_add_32(&fields, (def->self ? PLIANT_MEMBER_SELF : 0u) |
                                   (def->proxies ? PLIANT_MEMBER_PROXIES : 0u) |
                                   (def->has_loose_box ? PLIANT_MEMBER_LOOSE_BOX : 0u) |
                                   (def->is_static ? PLIANT_MEMBER_STATIC : 0u) |
                                   (body->rebuild != NULL ? PLIANT_MEMBER_REBUILD : 0u) |
                                   (body->coherent ? PLIANT_MEMBER_COHERENT : 0u));
    pli_fields_add_64(&fields, def->category);
    pli_fields_add_64(&fields, def->mask);
    pliant_box box = def->has_loose_box ? def->loose_box : (pliant_box){{0}, {0}};
    pli_fields_add(&fields, box.lower, sizeof box.lower);
    pli_fields_add(&fields, box.upper, sizeof box.upper);
    pli_fields_add_64(&fields, def->groups.bits != NULL ? group_words(def) : 0);
    return fields;
}

static void write_member(pli_recording *recording, uint32_t slot, const pli_member *member)
{
    pli_recorded_member *known = &recording->members.data[slot];
    pli_fields how = describe_member(member);
    pli_sum sum = {.sum = 0};
    pli_sum_add(&sum, how.bytes, how.size);
    uint64_t words = member->def.groups.bits != NULL ? group_words(&member->def) : 0;
    for (uint64_t i = 0; i < words; i++) {
        uint64_t word = group_word(&member->def, i);
        pli_sum_add(&sum, &word, sizeof word);
    }
    bool fresh = known->generation == 0;
    if (!fresh && known->how == pli_sum_end(&sum)) {
        return;
    }
    pli_fields fields = {.size = 0};
    pli_fields_add_32(&fields, slot);
    pli_fields_add_32(&fields, shape_number(recording, member->body->given));
    pli_fields_add_32(&fields, fresh ? PLIANT_MEMBER_NEW : 0);
    pli_fields_add_32(&fields, 0);
    pli_fields_add(&fields, how.bytes, how.size);
    pli_stream_put_fields(&recording->stream, PLIANT_CHUNK_MEMBER, &fields,
                          words * sizeof(uint64_t));
    for (uint64_t i = 0; i < words; i++) {
        uint64_t word = group_word(&member->def, i);
        pli_stream_put(&recording->stream, &word, sizeof word);
    }
    if (fresh) { /* of which nothing is known, but that new bodies have no world transform */
        *known = (pli_recorded_member){.state = UINT64_MAX, .part = {0, 0, 0, 1}};
    }
    known->generation = member->generation;
    known->how = pli_sum_end(&sum);
}

static bool is_there(const pliant_scene *scene, uint32_t slot)
{
    return slot < scene->slot_count && scene->members.data[slot].body != NULL;
}

static void write_removal(const pliant_scene *scene, uint32_t slot)
{
    pli_recorded_member *known = &scene->recording->members.data[slot];
    bool stays = is_there(scene, slot) && scene->members.data[slot].generation == known->generation;
    if (known->generation != 0 && !stays) {
        pli_fields fields = {.size = 0};
        pli_fields_add_32(&fields, slot);
        pli_fields_add_32(&fields, 0);
        pli_stream_put_fields(&scene->recording->stream, PLIANT_CHUNK_REMOVAL, &fields, 0);
        known->generation = 0;
    }
}

void pli_recording_write_changes(pliant_scene *scene)
{
    pli_recording *recording = scene->recording;
    size_t more = scene->slot_count - recording->members.count;
    if (more > 0 && PLI_EXTEND(scene->context, &recording->members, more) == NULL) {
        pli_stream_fail(&recording->stream, PLIANT_ERROR_OUT_OF_MEMORY, "no memory for a body");
        return;
    }
    for (uint32_t slot = 0; slot < scene->slot_count; slot++) {
        write_removal(scene, slot);
    }
    for (uint32_t slot = 0; slot < scene->slot_count; slot++) {
        if (is_there(scene, slot)) {
            write_member(recording, slot, &scene->members.data[slot]);
        }
    }
    for (uint32_t slot = 0; slot < scene->slot_count; slot++) {
        if (is_there(scene, slot)) {
            write_states(&recording->stream, slot, scene->members.data[slot].body,
                         &recording->members.data[slot]);
        }
    }
}
