/* The questions of a recording: what of them is written, and how their answers are summed up. */
#include "recording.h"

/* ---------------------------------------------------------------- arguments */

static uint32_t options_bits(const pliant_scene_options *options)
{
    return (options->first_in_all ? PLIANT_ASKS_FIRST_IN_ALL : 0u) |
           (options->only_self ? PLIANT_ASKS_ONLY_SELF : 0u) |
           (options->segments ? PLIANT_ASKS_SEGMENTS : 0u) |
           (options->separations ? PLIANT_ASKS_SEPARATIONS : 0u) |
           (options->events ? PLIANT_ASKS_EVENTS : 0u) |
           (options->across_groups ? PLIANT_ASKS_ACROSS_GROUPS : 0u) |
           (options->callback != NULL || options->meetings_callback != NULL ? PLIANT_ASKS_CALLBACK
                                                                            : 0u);
}

static void add_options(pli_fields *fields, const pliant_scene_options *options)
{
    pliant_scene_options defaults = pliant_scene_options_default();
    options = options != NULL ? options : &defaults;
    pli_fields_add_32(fields, (uint32_t)options->mode);
    pli_fields_add_32(fields, (uint32_t)options->neighbours);
    pli_fields_add_32(fields, options->filter != NULL);
    pli_fields_add_32(fields, options_bits(options));
    pli_fields_add_32(fields, (uint32_t)options->separation_side);
    pli_fields_add(fields, &options->distance, sizeof options->distance);
    pli_fields_add_64(fields, options->budget_nodes);
    pli_fields_add_64(fields, options->budget_microseconds);
}

static void add_only_options(pli_fields *fields, const pli_recorded_question *asked)
{
    add_options(fields, asked->options);
}

static void add_select(pli_fields *fields, const pliant_scene_select *select)
{
    pliant_scene_select defaults = pliant_scene_select_default();
    pli_fields_add_32(fields, select != NULL);
    select = select != NULL ? select : &defaults;
    pli_fields_add_32(fields, select->filter != NULL);
    pli_fields_add_64(fields, select->category);
    pli_fields_add_64(fields, select->mask);
}

/* Rays and points themselves come behind the fields. */
static void add_rays(pli_fields *fields, const pli_recorded_question *asked)
{
    add_select(fields, asked->select);
    pli_fields_add_64(fields, asked->item_count);
}

static void add_points(pli_fields *fields, const pli_recorded_question *asked)
{
    add_select(fields, asked->select);
    pli_fields_add_64(fields, asked->item_count);
    pli_fields_add(fields, &asked->distance, sizeof asked->distance);
    pli_fields_add_32(fields, (uint32_t)asked->side);
}

static void add_box(pli_fields *fields, const pli_recorded_question *asked)
{
    add_select(fields, asked->select);
    pli_fields_add(fields, asked->box->lower, sizeof asked->box->lower);
    pli_fields_add(fields, asked->box->upper, sizeof asked->box->upper);
}

static void add_within(pli_fields *fields, const pli_recorded_question *asked)
{
    add_options(fields, asked->options);
    pli_fields_add(fields, &asked->distance, sizeof asked->distance);
}

static void add_volumes(pli_fields *fields, const pli_recorded_question *asked)
{
    const pliant_volume_options *options = asked->volume_options;
    add_options(fields, asked->options);
    pli_fields_add_32(fields, options->resolution);
    pli_fields_add_32(fields, options->max_resolution);
    pli_fields_add_32(fields, (options->error_bound ? 1u : 0u) | (options->allow_open ? 2u : 0u) |
                                  (options->cull ? 4u : 0u));
    pli_fields_add_32(fields, 0);
    pli_fields_add(fields, &options->tolerance, sizeof options->tolerance);
}

/* ------------------------------------------------------------------ answers */

/* An answer is summed up field by field: what lies between fields is not part of it. Bodies count
   by their slots. */
#define ADD(sum, value) pli_sum_add((sum), &(value), sizeof(value))

static void add_pair_list(pli_sum *sum, const pliant_scene_pair *pairs, uint32_t count, bool ranges)
{
    for (uint32_t i = 0; i < count; i++) {
        ADD(sum, pairs[i].a.index);
        ADD(sum, pairs[i].b.index);
        if (ranges) {
            ADD(sum, pairs[i].first);
            ADD(sum, pairs[i].count);
        }
    }
}

static void set_counts(pliant_recorded_answer *summary, uint64_t bodies, uint64_t found)
{
    summary->counts[0] = bodies;
    summary->counts[1] = found;
}

static void sum_collide(const pli_recorded_question *asked, const void *answer, pli_sum *sum,
                        pliant_recorded_answer *summary)
{
    const pliant_scene_contacts *contacts = answer;
    const pliant_scene_options *options = asked->options;
    bool all = options->mode == PLIANT_COLLIDE_ALL && !options->first_in_all;
    size_t count = (size_t)contacts->count;
    set_counts(summary, contacts->body_pair_count, contacts->count);
    summary->comparable = options->budget_nodes == 0 && options->budget_microseconds == 0 &&
                          options->callback == NULL;
    if (options->callback != NULL) {
        return;
    }
    add_pair_list(sum, contacts->bodies, contacts->body_pair_count, all);
    if (all) { /* else which pair of triangles it is may depend on what was asked before */
        pli_sum_add(sum, contacts->pairs, count * sizeof *contacts->pairs);
    }
    if (all && contacts->segments != NULL) {
        pli_sum_add(sum, contacts->segments, count * sizeof *contacts->segments);
    }
    if (all && contacts->separations != NULL) {
        pli_sum_add(sum, contacts->separations, count * sizeof *contacts->separations);
    }
}

static void sum_proxies(const pli_recorded_question *asked, const void *answer, pli_sum *sum,
                        pliant_recorded_answer *summary)
{
    (void)asked;
    const pliant_scene_proxy_contacts *contacts = answer;
    set_counts(summary, contacts->body_pair_count, contacts->count);
    ADD(sum, contacts->complete);
    add_pair_list(sum, contacts->bodies, contacts->body_pair_count, true);
    _Static_assert(sizeof *contacts->contacts == 12 * sizeof(uint32_t), "there are no gaps");
    pli_sum_add(sum, contacts->contacts, (size_t)contacts->count * sizeof *contacts->contacts);
}

static void add_hit(pli_sum *sum, const pliant_scene_ray_hit *found)
{
    const pliant_ray_hit *hit = &found->hit;
    ADD(sum, found->body.index);
    ADD(sum, hit->t);
    ADD(sum, hit->point);
    ADD(sum, hit->triangle);
    ADD(sum, hit->weights);
    ADD(sum, hit->normal);
    ADD(sum, hit->group);
}

static void sum_rays(const pli_recorded_question *asked, const void *answer, pli_sum *sum,
                     pliant_recorded_answer *summary)
{
    const pliant_scene_ray_hit *hits = answer;
    uint64_t found = 0;
    for (uint64_t i = 0; i < asked->item_count; i++) {
        found += hits[i].body.generation != 0;
        add_hit(sum, &hits[i]);
    }
    set_counts(summary, asked->item_count, found);
}

static void sum_rays_any(const pli_recorded_question *asked, const void *answer, pli_sum *sum,
                         pliant_recorded_answer *summary)
{
    const bool *blocked = answer;
    uint64_t found = 0;
    for (uint64_t i = 0; i < asked->item_count; i++) {
        found += blocked[i];
        ADD(sum, blocked[i]);
    }
    set_counts(summary, asked->item_count, found);
}

static void sum_rays_all(const pli_recorded_question *asked, const void *answer, pli_sum *sum,
                         pliant_recorded_answer *summary)
{
    const pliant_scene_ray_hits *all = answer;
    pli_sum_add(sum, all->starts, ((size_t)asked->item_count + 1) * sizeof *all->starts);
    for (uint64_t i = 0; i < all->count; i++) {
        add_hit(sum, &all->hits[i]);
    }
    set_counts(summary, asked->item_count, all->count);
}

static void add_surface_point(pli_sum *sum, const pliant_surface_point *at)
{
    ADD(sum, at->point);
    ADD(sum, at->feature);
    ADD(sum, at->index);
}

static void add_closest(pli_sum *sum, const pliant_closest *closest)
{
    ADD(sum, closest->triangle);
    ADD(sum, closest->distance);
    add_surface_point(sum, &closest->at);
    ADD(sum, closest->weights);
    ADD(sum, closest->normal);
    ADD(sum, closest->group);
}

static void sum_points(const pli_recorded_question *asked, const void *answer, pli_sum *sum,
                       pliant_recorded_answer *summary)
{
    const pliant_scene_signed_distance *distances = answer;
    uint64_t count = 0;
    for (uint64_t i = 0; i < asked->item_count; i++) {
        const pliant_scene_signed_distance *found = &distances[i];
        const pliant_signed_distance *distance = &found->distance;
        ADD(sum, found->body.index);
        ADD(sum, distance->closest.found);
        if (distance->closest.found) {
            count++;
            add_closest(sum, &distance->closest);
        }
        if (asked->question == PLIANT_RECORDED_MEASURE_DISTANCES) {
            ADD(sum, distance->distance);
            ADD(sum, distance->side);
            ADD(sum, distance->winding);
            ADD(sum, distance->flags);
            ADD(sum, distance->direction);
        }
    }
    set_counts(summary, asked->item_count, count);
}

static void sum_box(const pli_recorded_question *asked, const void *answer, pli_sum *sum,
                    pliant_recorded_answer *summary)
{
    (void)asked;
    const pliant_scene_triangles *found = answer;
    set_counts(summary, found->body_count, found->count);
    for (uint32_t i = 0; i < found->body_count; i++) {
        ADD(sum, found->bodies[i].body.index);
        ADD(sum, found->bodies[i].count);
    }
    pli_sum_add(sum, found->triangles, (size_t)found->count * sizeof *found->triangles);
}

static void sum_within(const pli_recorded_question *asked, const void *answer, pli_sum *sum,
                       pliant_recorded_answer *summary)
{
    (void)asked;
    const pliant_scene_proximities *found = answer;
    set_counts(summary, found->body_pair_count, found->count);
    add_pair_list(sum, found->bodies, found->body_pair_count, true);
    for (uint64_t i = 0; i < found->count; i++) {
        ADD(sum, found->pairs[i].a);
        ADD(sum, found->pairs[i].b);
        ADD(sum, found->pairs[i].gap.distance);
        add_surface_point(sum, &found->pairs[i].gap.a);
        add_surface_point(sum, &found->pairs[i].gap.b);
    }
}

static void sum_features(const pli_recorded_question *asked, const void *answer, pli_sum *sum,
                         pliant_recorded_answer *summary)
{
    (void)asked;
    const pliant_scene_features *found = answer;
    const pliant_scene_contacts *crossings = &found->crossings;
    set_counts(summary, found->body_pair_count, found->count);
    add_pair_list(sum, found->bodies, found->body_pair_count, true);
    for (uint64_t i = 0; i < found->count; i++) {
        const pliant_feature_pair *pair = &found->pairs[i];
        ADD(sum, pair->kind);
        ADD(sum, pair->a);
        ADD(sum, pair->b);
        ADD(sum, pair->vertices);
        ADD(sum, pair->weights);
        ADD(sum, pair->direction);
        ADD(sum, pair->distance);
    }
    add_pair_list(sum, crossings->bodies, crossings->body_pair_count, true);
    pli_sum_add(sum, crossings->pairs, (size_t)crossings->count * sizeof *crossings->pairs);
}

static void add_meeting(pli_sum *sum, const pliant_meeting *meeting)
{
    ADD(sum, meeting->kind);
    ADD(sum, meeting->a);
    ADD(sum, meeting->b);
    ADD(sum, meeting->time.low);
    ADD(sum, meeting->time.high);
}

static bool is_timeless(const pliant_scene_options *options)
{
    return options->budget_nodes == 0 && options->budget_microseconds == 0;
}

static void sum_meetings(const pli_recorded_question *asked, const void *answer, pli_sum *sum,
                         pliant_recorded_answer *summary)
{
    const pliant_scene_meetings *found = answer;
    set_counts(summary, found->body_pair_count, found->count);
    summary->comparable = is_timeless(asked->options) && asked->options->meetings_callback == NULL;
    if (asked->options->meetings_callback == NULL) {
        add_pair_list(sum, found->bodies, found->body_pair_count, true);
        pli_sum_add(sum, found->pairs, (size_t)found->count * sizeof *found->pairs);
        for (uint64_t i = 0; i < found->count; i++) {
            add_meeting(sum, &found->meetings[i]);
        }
    }
}

static void sum_free_time(const pli_recorded_question *asked, const void *answer, pli_sum *sum,
                          pliant_recorded_answer *summary)
{
    const pliant_scene_free_time *found = answer;
    uint64_t met = found->path.meeting.kind != PLIANT_MEETING_NONE;
    set_counts(summary, met, met);
    summary->comparable = is_timeless(asked->options);
    ADD(sum, found->a.index);
    ADD(sum, found->b.index);
    ADD(sum, found->path.time);
    ADD(sum, found->path.pair);
    add_meeting(sum, &found->path.meeting);
}

static void sum_volumes(const pli_recorded_question *asked, const void *answer, pli_sum *sum,
                        pliant_recorded_answer *summary)
{
    const pliant_scene_volumes *found = answer;
    set_counts(summary, found->count, found->count);
    summary->comparable = !asked->by_backend;
    for (uint32_t i = 0; i < found->count; i++) {
        const pliant_volume_measure *measure = &found->pairs[i].measure;
        ADD(sum, found->pairs[i].a.index);
        ADD(sum, found->pairs[i].b.index);
        ADD(sum, measure->overlap);
        ADD(sum, measure->volume);
        ADD(sum, measure->error);
        ADD(sum, measure->least);
        ADD(sum, measure->most);
        ADD(sum, measure->centroid);
        ADD(sum, measure->box);
        ADD(sum, measure->open_rays);
    }
}

/* ---------------------------------------------------------------- the table */

static const struct {
    void (*add)(pli_fields *fields, const pli_recorded_question *asked);
    void (*sum)(const pli_recorded_question *asked, const void *answer, pli_sum *sum,
                pliant_recorded_answer *summary);
} questions[] = {
    [PLIANT_RECORDED_COLLIDE] = {add_only_options, sum_collide},
    [PLIANT_RECORDED_COLLIDE_PROXIES] = {add_only_options, sum_proxies},
    [PLIANT_RECORDED_FIND_WITHIN] = {add_within, sum_within},
    [PLIANT_RECORDED_FIND_FEATURES] = {add_within, sum_features},
    [PLIANT_RECORDED_INTERSECT_VOLUMES] = {add_volumes, sum_volumes},
    [PLIANT_RECORDED_RAYCAST] = {add_rays, sum_rays},
    [PLIANT_RECORDED_RAYCAST_ANY] = {add_rays, sum_rays_any},
    [PLIANT_RECORDED_RAYCAST_ALL] = {add_rays, sum_rays_all},
    [PLIANT_RECORDED_FIND_CLOSEST_POINTS] = {add_points, sum_points},
    [PLIANT_RECORDED_MEASURE_DISTANCES] = {add_points, sum_points},
    [PLIANT_RECORDED_OVERLAP_BOX] = {add_box, sum_box},
    [PLIANT_RECORDED_FIND_MEETINGS] = {add_only_options, sum_meetings},
    [PLIANT_RECORDED_FIND_FREE_TIME] = {add_only_options, sum_free_time},
};

void pli_recording_write_question(pli_recording_stream *stream, const pli_recorded_question *asked)
{
    _Static_assert(sizeof(pliant_ray) == 7 * sizeof(float), "rays are written as they are");
    pli_fields fields = {.size = 0};
    pli_fields_add_32(&fields, (uint32_t)asked->question);
    pli_fields_add_32(&fields, 0);
    questions[asked->question].add(&fields, asked);
    pli_stream_put_fields(stream, PLIANT_CHUNK_QUESTION, &fields,
                          asked->item_count * asked->item_size);
    for (uint64_t i = 0; i < asked->item_count; i++) {
        pli_stream_put(stream, (const char *)asked->items + i * asked->item_stride,
                       asked->item_size);
    }
}

/* Whether the box that the broad phase has of a body follows from its state alone. */
static bool box_is_comparable(const pliant_body *body)
{
    if (pli_body_is_blended(body) || body->update == PLIANT_UPDATE_BOTTOM_UP) {
        return true;
    }
    return pli_body_has_coefficients(body) ? !body->coherent && body->update != PLIANT_UPDATE_FRONT
                                           : !body->pose.moved;
}

/*
 * Whether proxies give the same contacts whatever was asked before: spheres do unless they
 * remember, and so do bodies given by positions; how tight boxes are that follow from transforms
 * depends on which of them were refreshed before. And since spheres reach out of boxes, those of
 * all members have a say in who meets.
 */
static bool proxies_are_comparable(const pliant_scene *scene)
{
    for (uint32_t slot = 0; slot < scene->slot_count; slot++) {
        const pli_member *member = &scene->members.data[slot];
        if (member->body == NULL) {
            continue;
        }
        bool same = !member->def.proxies ||
                    (pli_body_has_spheres(member->body) && !member->body->coherent) ||
                    (member->body->by_positions && !member->body->pose.moved);
        if (!same || !box_is_comparable(member->body)) {
            return false;
        }
    }
    return true;
}

void pli_recording_sum_up(const pliant_scene *scene, const pli_recorded_question *asked,
                          const void *answer, pliant_recorded_answer *summary)
{
    pli_sum sum = {.sum = (uint64_t)asked->question};
    questions[asked->question].sum(asked, answer, &sum, summary);
    summary->checksum = pli_sum_end(&sum);
    if (asked->question == PLIANT_RECORDED_COLLIDE_PROXIES) {
        summary->comparable = asked->options->budget_microseconds == 0 &&
                              asked->options->budget_nodes == 0 && proxies_are_comparable(scene);
    }
}
