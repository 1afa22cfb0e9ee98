/* Fuzzing of the public interface: shapes, bodies and states, good, extreme, bad and forged. */
#include "api.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shape/shape.h" /* to seal forged blocks */

uint32_t next(input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

uint32_t below(input *in, uint32_t limit)
{
    return next(in) % limit;
}

/* Mostly small multiples of 1/8, so that much touches exactly; sometimes any float there is. */
float next_plain_float(input *in)
{
    uint32_t byte = next(in);
    if (byte < 250) {
        return ((float)byte - 125.0f) / 8.0f / (byte % 2 == 0 ? 1.0f : 8.0f);
    }
    uint32_t bits = 0;
    for (int i = 0; i < 4; i++) {
        bits = bits << 8 | next(in);
    }
    float number = 0.0f;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* At the upper end of the scales nothing becomes infinite, at the lower not all becomes 0. */
float next_float(input *in)
{
    float number = next_plain_float(in);
    return in->scale > 1e30f ? number * (in->scale / 16.0f) : number * in->scale;
}

static void next_floats(input *in, float *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = next_float(in);
    }
}

/* ------------------------------------------------------------------ shapes */

/* Whether states of the shape fit the arrays here. */
static bool is_small(const pliant_shape *shape)
{
    return pliant_shape_get_vertex_count(shape) <= MOST_VERTICES &&
           pliant_shape_get_triangle_count(shape) <= MOST_TRIANGLES &&
           pliant_shape_get_mode_count(shape) <= MOST_MODES &&
           pliant_shape_get_joint_count(shape) <= MOST_NODES;
}

/* Reads the shape back from a block in which a few words were changed and the checksum made right.
   What is refused leaves the shape as it was. */
static void forge(world *w, input *in, uint32_t which)
{
    uint64_t size = 0;
    if (pliant_shape_write(w->shapes[which], NULL, 0, &size) != PLIANT_OK) {
        abort();
    }
    unsigned char *block = aligned_alloc(64, size);
    if (block == NULL || pliant_shape_write(w->shapes[which], block, size, &size) != PLIANT_OK) {
        abort();
    }
    for (uint32_t changes = 1 + below(in, 3); changes > 0; changes--) {
        uint64_t at = (uint64_t)next(in) << 16 | next(in) << 8 | next(in);
        uint32_t word = 0;
        at = 4 * (at % ((below(in, 2) == 0 ? sizeof(pli_block_header) : size) / 4));
        memcpy(&word, block + at, sizeof word);
        switch (below(in, 6)) {
        case 0:
            word = 0;
            break;
        case 1:
            word = UINT32_MAX;
            break;
        case 2:
            word = 0x7f61b1e6; /* 3e38 as a float */
            break;
        case 3:
            word ^= UINT32_C(1) << below(in, 32);
            break;
        case 4:
            word++;
            break;
        default:
            word--;
            break;
        }
        memcpy(block + at, &word, sizeof word);
    }
    pli_block_header *header = (pli_block_header *)(void *)block;
    if (header->size == size) {
        pli_block_seal(header);
    }
    pliant_shape *forged = NULL;
    if (pliant_shape_read(w->context, block, size, &forged) == PLIANT_OK && is_small(forged)) {
        pliant_shape_destroy(w->shapes[which]);
        w->shapes[which] = forged;
        w->forged[which] = true;
    } else {
        pliant_shape_destroy(forged);
    }
    free(block);
}

static void make_shape(world *w, input *in, uint32_t which)
{
    float positions[3 * MOST_VERTICES], modes[3 * MOST_VERTICES * MOST_MODES];
    float weights[2 * MOST_VERTICES];
    uint32_t triangles[3 * MOST_TRIANGLES], offsets[MOST_VERTICES + 1], joints[2 * MOST_VERTICES];
    pliant_shape_def def = pliant_shape_def_default();
    def.vertex_count = 1 + below(in, MOST_VERTICES);
    def.triangle_count = 1 + below(in, MOST_TRIANGLES);
    next_floats(in, positions, 3 * def.vertex_count);
    uint32_t beyond = next(in) == 255 ? 1 : 0; /* now and then an index is wrong */
    for (uint32_t i = 0; i < 3 * def.triangle_count; i++) {
        triangles[i] = below(in, def.vertex_count + beyond);
    }
    def.positions = positions;
    def.triangles = triangles;
    def.weld = below(in, 4) != 0;
    def.partition = (pliant_partition)(next(in) == 255 ? 4 : below(in, 4)); /* there is no 4 */
    def.arity = next(in) == 255 ? 3 : 2u << below(in, 3);
    def.leaf_size = next(in) == 255 ? 9 : 1 + below(in, 8);
    def.bound = (pliant_bound_kind)below(in, 4);
    def.sphere_centre = (pliant_sphere_centre)below(in, 3);
    def.proxy_triangles = below(in, 3) * 4;
    def.mode_count = below(in, MOST_MODES + 1);
    if (def.mode_count > 0) {
        next_floats(in, modes, 3 * def.vertex_count * def.mode_count);
        def.modes = modes;
    }
    def.joint_count = below(in, MOST_NODES + 1);
    if (def.joint_count > 1) {
        for (uint32_t v = 0; v <= def.vertex_count; v++) {
            offsets[v] = 2 * v;
        }
        for (uint32_t i = 0; i < 2 * def.vertex_count; i++) {
            joints[i] = below(in, def.joint_count + beyond);
            weights[i] = fabsf(next_plain_float(in));
        }
        def.influence_offsets = offsets;
        def.influence_joints = joints;
        def.influence_weights = weights;
        def.normalise_weights = below(in, 2) != 0;
    }
    if (pliant_shape_create(w->context, &def, &w->shapes[which]) != PLIANT_OK) {
        return;
    }
    if (pliant_shape_validate(w->shapes[which]) != PLIANT_OK) {
        abort(); /* a shape that was just made */
    }
    if (below(in, 8) == 0) {
        forge(w, in, which);
    }
}

/* ------------------------------------------------------------------ bodies */

void drop_body(world *w, uint32_t which)
{
    if (w->bodies[which] != NULL) {
        pliant_scene_remove(w->scene, w->ids[which]);
    }
    pliant_body_destroy(w->bodies[which]);
    pliant_shape_destroy(w->shapes[which]);
    w->bodies[which] = NULL;
    w->shapes[which] = NULL;
    w->forged[which] = false;
    memset(w->coordinates[which], 0, sizeof w->coordinates[which]);
}

static void choose_scale(input *in)
{
    static const float scales[] = {1.0f,   1.0f,  1.0f, 1.0f,  3e-45f, 1e-41f, 1e-38f,  1e-30f,
                                   1e-20f, 1e-3f, 1e6f, 1e20f, 1e30f,  3e37f,  1.6e38f, 3e38f};
    in->scale = scales[below(in, sizeof scales / sizeof scales[0])];
}

void make_body(world *w, input *in, uint32_t which)
{
    drop_body(w, which);
    if (below(in, 4) == 0) {
        choose_scale(in);
    }
    make_shape(w, in, which);
    if (w->shapes[which] == NULL) {
        return;
    }
    pliant_body_def def = pliant_body_def_default();
    def.update = (pliant_update)(next(in) == 255 ? 5 : below(in, 5)); /* there is no 5 */
    def.eager_levels = below(in, 3);
    def.lazy_levels = 1 + below(in, 3);
    def.coherent = below(in, 2) != 0;
    w->members[which] = pliant_member_def_default();
    w->members[which].self = below(in, 2) != 0;
    if (pliant_body_create(w->shapes[which], &def, &w->bodies[which]) == PLIANT_OK &&
        pliant_scene_add(w->scene, w->bodies[which], &w->members[which], &w->ids[which]) !=
            PLIANT_OK) {
        abort();
    }
}

void set_member(world *w, input *in, uint32_t which)
{
    pliant_member_def member = w->members[which];
    pliant_box box;
    member.has_loose_box =
        below(in, 4) != 0 && pliant_body_get_bounds(w->bodies[which], &box) == PLIANT_OK;
    if (member.has_loose_box) {
        float room = fabsf(next_float(in));
        for (int k = 0; k < 3; k++) {
            box.lower[k] -= room;
            box.upper[k] += room;
        }
        member.loose_box = box;
    }
    if (pliant_scene_set_member(w->scene, w->ids[which], &member) == PLIANT_OK) {
        w->members[which] = member;
    }
}

/* ------------------------------------------------------------------ states */

static void set_coordinates(world *w, uint32_t which, const float *numbers, uint32_t count)
{
    if (pliant_body_set_coordinates(w->bodies[which], numbers, count) == PLIANT_OK) {
        memcpy(w->coordinates[which], numbers, count * sizeof *numbers);
    }
}

/* Twelve numbers per transform, of which only those that move are scaled. */
static void next_transforms(input *in, float *numbers, int count)
{
    for (int i = 0; i < 12 * count; i++) {
        numbers[i] = i % 4 == 3 ? next_float(in) : next_plain_float(in);
    }
}

static void set_transforms(world *w, input *in, uint32_t which)
{
    float numbers[12 * MOST_NODES];
    next_transforms(in, numbers, MOST_NODES);
    pliant_body_set_transforms(w->bodies[which], numbers, below(in, MOST_NODES + 1), 0);
}

void set_state(world *w, input *in, uint32_t which)
{
    pliant_body *body = w->bodies[which];
    float numbers[3 * MOST_VERTICES];
    switch (below(in, 6)) {
    case 0:
        next_floats(in, numbers, 3 * MOST_VERTICES);
        pliant_body_set_positions(body, numbers, 0);
        break;
    case 1:
        next_floats(in, numbers, 3 * MOST_VERTICES);
        memcpy(w->shared[which], numbers, sizeof numbers);
        pliant_body_share_positions(body, w->shared[which], 0);
        break;
    case 2:
        next_floats(in, numbers, MOST_MODES); /* which are scaled twice with the modes */
        set_coordinates(w, which, numbers, below(in, MOST_MODES + 1));
        break;
    case 3:
        for (int m = 0; m < MOST_MODES; m++) {
            numbers[m] = next_plain_float(in);
        }
        set_coordinates(w, which, numbers, below(in, MOST_MODES + 1));
        break;
    case 4:
        next_transforms(in, numbers, 1);
        pliant_body_set_world(body, below(in, 4) > 0 ? numbers : NULL);
        break;
    default:
        set_transforms(w, in, which);
        break;
    }
}

/* Many steps, tiny beside the way that lies behind: what coherent bodies live on. */
void nudge_state(world *w, input *in, uint32_t which)
{
    uint32_t count = pliant_shape_get_mode_count(w->shapes[which]);
    float steps[MOST_MODES], numbers[MOST_MODES];
    float size = ldexpf(1.0f, -(int)below(in, 64));
    for (uint32_t m = 0; m < count; m++) {
        steps[m] = size * next_plain_float(in);
    }
    for (uint32_t repeat = 1 + below(in, 32); count > 0 && repeat > 0; repeat--) {
        for (uint32_t m = 0; m < count; m++) {
            numbers[m] = w->coordinates[which][m] + steps[m];
        }
        set_coordinates(w, which, numbers, count);
    }
}
