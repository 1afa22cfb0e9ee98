/* Bodies, scenes and answers given to a caller's functions, for debugging. */
#include "pliant/draw.h"

#include "base/float_env.h"
#include "body/refresh.h"
#include "query/run.h"
#include "query/query.h"
#include "scene/scene.h"

PLIANT_DEFINE_DEFAULT(pliant_draw_options)
{
    return (pliant_draw_options){.tag = PLI_TAG(pliant_draw_options),
                                 .surface = true,
                                 .last_level = UINT32_MAX,
                                 .body_boxes = true,
                                 .touching = true};
}

typedef struct draw_job {
    const pliant_drawer *drawer;
    pliant_draw_options options;
    pliant_draw_item item; /* of the body that is being drawn */
} draw_job;

static pliant_result begin_drawing(const pliant_draw_options *options, const pliant_drawer *drawer,
                                   draw_job *d)
{
    *d = (draw_job){.drawer = drawer,
                    .options = pliant_draw_options_default(),
                    .item = {.body = UINT32_MAX, .triangle = PLIANT_NO_TRIANGLE}};
    if (options != NULL) {
        PLI_REQUIRE_TAG(options, pliant_draw_options);
        d->options = *options;
    }
    return PLIANT_OK;
}

static void set_kind(draw_job *d, pliant_draw_kind kind)
{
    static const uint32_t colours[] = {
        [PLIANT_DRAW_SURFACE] = 0x9aa5b1,           [PLIANT_DRAW_NODE] = 0x4c8dff,
        [PLIANT_DRAW_CLUSTER] = 0x35c48d,           [PLIANT_DRAW_BODY_BOX] = 0xd0d4da,
        [PLIANT_DRAW_LOOSE_BOX] = 0x8b6fd6,         [PLIANT_DRAW_PAIR] = 0xffd23f,
        [PLIANT_DRAW_TOUCHING_TRIANGLE] = 0xff7a45, [PLIANT_DRAW_SEGMENT] = 0xff2e63,
        [PLIANT_DRAW_CONTACT] = 0xffffff,
    };
    d->item.kind = kind;
    d->item.colour = colours[kind];
}

static void draw_box(draw_job *d, pliant_draw_kind kind, const pliant_box *box)
{
    set_kind(d, kind);
    if (d->drawer->draw_box != NULL) {
        d->drawer->draw_box(d->drawer->user, &d->item, box);
    }
}

static void draw_point(const draw_job *d, const float at[3])
{
    if (d->drawer->draw_point != NULL) {
        d->drawer->draw_point(d->drawer->user, &d->item, at);
    }
}

static void draw_line(const draw_job *d, const float from[3], const float to[3])
{
    if (d->drawer->draw_line != NULL) {
        d->drawer->draw_line(d->drawer->user, &d->item, from, to);
    }
}

static void draw_triangle(draw_job *d, const pliant_body *body, uint32_t triangle)
{
    pliant_triangle corners;
    for (size_t c = 0; c < 3; c++) {
        uint32_t vertex = body->shape->triangles[3 * (size_t)triangle + c];
        pli_body_vertex(body, vertex, corners.corner[c]);
    }
    d->item.triangle = triangle;
    d->drawer->draw_triangle(d->drawer->user, &d->item, &corners);
    d->item.triangle = PLIANT_NO_TRIANGLE;
}

/* ------------------------------------------------------------------- bodies */

static PLI_NOINLINE void draw_surface(draw_job *d, const pliant_body *body)
{
    set_kind(d, PLIANT_DRAW_SURFACE);
    for (uint32_t t = 0; t < body->shape->triangle_count; t++) {
        if (pli_shape_has_triangle(body->shape, t)) {
            draw_triangle(d, body, t);
        }
    }
}

/* Darker from level to level, so that boxes within boxes can be told apart. */
static uint32_t fade(uint32_t colour, uint32_t level)
{
    uint32_t keep = level < 16 ? 16 - level : 1, faded = 0;
    for (uint32_t shift = 0; shift < 24; shift += 8) {
        faded |= (colour >> shift & 0xff) * keep / 16 << shift;
    }
    return faded;
}

static bool draw_bound(void *user, const pliant_bound *bound)
{
    draw_job *d = user;
    if (bound->level >= d->options.first_level && bound->level <= d->options.last_level) {
        set_kind(d, bound->is_cluster ? PLIANT_DRAW_CLUSTER : PLIANT_DRAW_NODE);
        d->item.colour = fade(d->item.colour, bound->level);
        d->item.level = bound->level;
        d->item.refreshed_below = bound->refreshed_below;
        d->drawer->draw_box(d->drawer->user, &d->item, &bound->box);
        d->item.level = 0;
        d->item.refreshed_below = false;
    }
    return bound->level < d->options.last_level;
}

static pliant_result draw_body(draw_job *d, pliant_query *query, pliant_body *body)
{
    pliant_result result = pli_body_check_valid(body);
    if (result == PLIANT_OK && d->options.surface && d->drawer->draw_triangle != NULL) {
        pli_float_env env = pli_float_env_enter();
        draw_surface(d, body);
        pli_float_env_leave(env);
    }
    if (result == PLIANT_OK && d->options.bounds && d->drawer->draw_box != NULL) {
        result = query != NULL ? pliant_visit_bounds(query, body, d->options.refresh, draw_bound, d)
                               : pli_visit_bounds(body, d->options.refresh, draw_bound, d);
    }
    return result;
}

pliant_result pliant_draw_body(pliant_query *query, pliant_body *body,
                               const pliant_draw_options *options, const pliant_drawer *drawer)
{
    PLI_REQUIRE(query);
    PLI_REQUIRE(body);
    PLI_REQUIRE(drawer);
    draw_job d;
    pliant_result result = begin_drawing(options, drawer, &d);
    if (result != PLIANT_OK) {
        return result;
    }
    pli_body_begin_call(body); /* it keeps its state while its surface is drawn */
    result = draw_body(&d, query, body);
    pli_body_end_call(body);
    return result;
}

/* ------------------------------------------------------------------- scenes */

/* The boxes of a member, as far as they are known. */
static pliant_result draw_boxes(draw_job *d, const pli_member *member)
{
    pliant_result result = d->options.refresh ? pli_body_prepare(member->body) : PLIANT_OK;
    if (result == PLIANT_OK && member->def.has_loose_box) {
        draw_box(d, PLIANT_DRAW_LOOSE_BOX, &member->def.loose_box);
    }
    if (result == PLIANT_OK && member->body->ready) {
        pliant_box box = pli_scene_body_box(member->body);
        draw_box(d, PLIANT_DRAW_BODY_BOX, &box);
    }
    return result;
}

static pliant_result draw_scene(draw_job *d, pliant_scene *scene)
{
    pliant_result result = PLIANT_OK;
    for (uint32_t slot = 0; slot < scene->slot_count && result == PLIANT_OK; slot++) {
        const pli_member *member = &scene->members.data[slot];
        d->item.body = slot;
        if (member->body != NULL && d->options.body_boxes) {
            pli_float_env env = pli_float_env_enter();
            result = draw_boxes(d, member);
            pli_float_env_leave(env);
        }
        if (member->body != NULL && result == PLIANT_OK) {
            result = draw_body(d, NULL, member->body);
        }
    }
    return result;
}

pliant_result pliant_draw_scene(pliant_scene *scene, const pliant_draw_options *options,
                                const pliant_drawer *drawer)
{
    PLI_REQUIRE(scene);
    PLI_REQUIRE(drawer);
    draw_job d;
    pliant_result result = begin_drawing(options, drawer, &d);
    if (result == PLIANT_OK) {
        result = pli_scene_begin_call(scene, __func__);
    }
    return result == PLIANT_OK ? pli_scene_end_call(scene, draw_scene(&d, scene)) : result;
}

/* ------------------------------------------------------------------ answers */

static pliant_result check_pair(const pliant_body *a, const pliant_body *b, const pliant_pair *pair)
{
    if (pair->a < a->shape->triangle_count && pair->b < b->shape->triangle_count) {
        bool both =
            pli_shape_has_triangle(a->shape, pair->a) && pli_shape_has_triangle(b->shape, pair->b);
        return both ? PLIANT_OK
                    : pli_fail(PLIANT_ERROR_RANGE, "of triangles %u and %u one was removed",
                               pair->a, pair->b);
    }
    return pli_fail(PLIANT_ERROR_RANGE,
                    "the pair of triangles %u and %u is of other bodies: these have %u and %u",
                    pair->a, pair->b, a->shape->triangle_count, b->shape->triangle_count);
}

static pliant_result draw_pairs(draw_job *d, const pliant_body *a, const pliant_body *b,
                                const pliant_pair *pairs, uint64_t count)
{
    set_kind(d, PLIANT_DRAW_TOUCHING_TRIANGLE);
    uint32_t first = d->item.body, second = b->host != NULL ? b->slot : UINT32_MAX;
    for (uint64_t i = 0; i < count; i++) {
        pliant_result result = check_pair(a, b, &pairs[i]);
        if (result != PLIANT_OK) {
            return result;
        }
        d->item.body = first;
        draw_triangle(d, a, pairs[i].a);
        d->item.body = second;
        draw_triangle(d, b, pairs[i].b);
    }
    d->item.body = first;
    return PLIANT_OK;
}

static void find_middle(const float p[3], const float q[3], float middle[3])
{
    for (int k = 0; k < 3; k++) {
        middle[k] = 0.5f * p[k] + 0.5f * q[k];
    }
}

static void draw_segment(draw_job *d, const pliant_segment *segment,
                         const pliant_separation *separation)
{
    set_kind(d, PLIANT_DRAW_SEGMENT);
    if (segment->common == PLIANT_COMMON_POINT) {
        draw_point(d, segment->p);
    } else {
        draw_line(d, segment->p, segment->q);
    }
    if (separation != NULL && d->drawer->draw_contact != NULL) {
        float middle[3];
        find_middle(segment->p, segment->q, middle);
        set_kind(d, PLIANT_DRAW_CONTACT);
        d->drawer->draw_contact(d->drawer->user, &d->item, middle, separation);
    }
}

static PLI_NOINLINE pliant_result draw_contacts(draw_job *d, const pliant_body *a,
                                                const pliant_body *b,
                                                const pliant_contacts *contacts)
{
    pliant_result result = PLIANT_OK;
    d->item.body = a->host != NULL ? a->slot : UINT32_MAX;
    if (d->options.touching && d->drawer->draw_triangle != NULL) {
        result =
            draw_pairs(d, a, b, contacts->pairs, contacts->pairs != NULL ? contacts->count : 0);
    }
    for (uint64_t i = 0; i < contacts->count && result == PLIANT_OK && contacts->segments != NULL;
         i++) {
        draw_segment(d, &contacts->segments[i],
                     contacts->separations != NULL ? &contacts->separations[i] : NULL);
    }
    return result;
}

pliant_result pliant_draw_contacts(const pliant_body *a, const pliant_body *b,
                                   const pliant_contacts *contacts,
                                   const pliant_draw_options *options, const pliant_drawer *drawer)
{
    PLI_REQUIRE(a);
    PLI_REQUIRE(b);
    PLI_REQUIRE(contacts);
    PLI_REQUIRE(drawer);
    draw_job d;
    pliant_result result = begin_drawing(options, drawer, &d);
    if (result == PLIANT_OK) {
        pli_float_env env = pli_float_env_enter();
        result = draw_contacts(&d, a, b, contacts);
        pli_float_env_leave(env);
    }
    return result;
}

/* A line between two bodies, or a point in one, where their boxes are known. */
static void draw_meeting(draw_job *d, const pliant_body *a, const pliant_body *b)
{
    if (!a->ready || !b->ready) {
        return;
    }
    pliant_box box_a = pli_scene_body_box(a), box_b = pli_scene_body_box(b);
    float from[3], to[3];
    find_middle(box_a.lower, box_a.upper, from);
    find_middle(box_b.lower, box_b.upper, to);
    set_kind(d, PLIANT_DRAW_PAIR);
    if (a == b) {
        draw_point(d, from);
    } else {
        draw_line(d, from, to);
    }
}

static PLI_NOINLINE pliant_result draw_scene_contacts(draw_job *d, const pliant_scene *scene,
                                                      const pliant_scene_contacts *contacts)
{
    pliant_result result = PLIANT_OK;
    for (uint32_t i = 0; i < contacts->body_pair_count && result == PLIANT_OK; i++) {
        const pliant_scene_pair *pair = &contacts->bodies[i];
        const pli_member *a = pli_scene_member(scene, pair->a);
        const pli_member *b = a != NULL ? pli_scene_member(scene, pair->b) : NULL;
        if (b == NULL) {
            return PLIANT_ERROR_RANGE;
        }
        d->item.body = pair->a.index;
        draw_meeting(d, a->body, b->body);
        for (uint64_t k = pair->first; contacts->segments != NULL && k < pair->first + pair->count;
             k++) {
            draw_segment(d, &contacts->segments[k],
                         contacts->separations != NULL ? &contacts->separations[k] : NULL);
        }
        if (d->options.touching && d->drawer->draw_triangle != NULL) {
            result = draw_pairs(d, a->body, b->body, contacts->pairs + pair->first, pair->count);
        }
    }
    return result;
}

pliant_result pliant_draw_scene_contacts(pliant_scene *scene, const pliant_scene_contacts *contacts,
                                         const pliant_draw_options *options,
                                         const pliant_drawer *drawer)
{
    PLI_REQUIRE(scene);
    PLI_REQUIRE(contacts);
    PLI_REQUIRE(drawer);
    draw_job d;
    pliant_result result = begin_drawing(options, drawer, &d);
    if (result == PLIANT_OK) {
        result = pli_scene_begin_call(scene, __func__);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    pli_float_env env = pli_float_env_enter();
    result = pli_scene_end_call(scene, draw_scene_contacts(&d, scene, contacts));
    pli_float_env_leave(env);
    return result;
}
