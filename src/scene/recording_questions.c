/* The questions of a recording: what of them is written, and how their answers are summed up. */
#include "recording.h"

/* ---------------------------------------------------------------- arguments */

static void add_options(pli_fields *fields, const pliant_scene_options *options)
{
    pliant_scene_options defaults = pliant_scene_options_default();
    options = options != NULL ? options : &defaults;
    pli_fields_add_32(fields, (uint32_t)options->mode);
    pli_fields_add_32(fields, (uint32_t)options->neighbours);
    pli_fields_add_32(fields, options->filter != NULL);
    pli_fields_add_32(fields, 0);
    pli_fields_add_64(fields, options->budget_nodes);
    pli_fields_add_64(fields, options->budget_microseconds);
}

static void add_only_options(pli_fields *fields, const pli_asked *asked)
{
    add_options(fields, asked->options);
}

static void add_rays(pli_fields *fields, const pli_asked *asked)
{
    pli_fields_add_64(fields, asked->ray_count); /* the rays come behind the fields */
}

static void add_closest_point(pli_fields *fields, const pli_asked *asked)
{
    pli_fields_add(fields, asked->point, 3 * sizeof *asked->point);
    pli_fields_add(fields, &asked->distance, sizeof asked->distance);
}

static void add_box(pli_fields *fields, const pli_asked *asked)
{
    pli_fields_add(fields, asked->box->lower, sizeof asked->box->lower);
    pli_fields_add(fields, asked->box->upper, sizeof asked->box->upper);
}

static void add_within(pli_fields *fields, const pli_asked *asked)
{
    add_options(fields, asked->options);
    pli_fields_add(fields, &asked->distance, sizeof asked->distance);
}

static void add_volumes(pli_fields *fields, const pli_asked *asked)
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

static void sum_collide(const pli_asked *asked, const void *answer, pli_sum *sum,
                        pliant_recorded_answer *summary)
{
    const pliant_scene_contacts *contacts = answer;
    bool all = asked->options == NULL || asked->options->mode == PLIANT_COLLIDE_ALL;
    set_counts(summary, contacts->body_pair_count, contacts->count);
    add_pair_list(sum, contacts->bodies, contacts->body_pair_count, all);
    if (all) { /* else which pair of triangles it is may depend on what was asked before */
        pli_sum_add(sum, contacts->pairs, (size_t)contacts->count * sizeof *contacts->pairs);
    }
}

static void sum_proxies(const pli_asked *asked, const void *answer, pli_sum *sum,
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

static void sum_rays(const pli_asked *asked, const void *answer, pli_sum *sum,
                     pliant_recorded_answer *summary)
{
    const pliant_scene_ray_hit *hits = answer;
    uint64_t found = 0;
    for (uint64_t i = 0; i < asked->ray_count; i++) {
        const pliant_ray_hit *hit = &hits[i].hit;
        found += hits[i].body.generation != 0;
        ADD(sum, hits[i].body.index);
        ADD(sum, hit->t);
        ADD(sum, hit->point);
        ADD(sum, hit->triangle);
        ADD(sum, hit->weights);
        ADD(sum, hit->normal);
        ADD(sum, hit->group);
    }
    set_counts(summary, asked->ray_count, found);
}

static void add_surface_point(pli_sum *sum, const pliant_surface_point *at)
{
    ADD(sum, at->point);
    ADD(sum, at->feature);
    ADD(sum, at->index);
}

static void sum_closest_point(const pli_asked *asked, const void *answer, pli_sum *sum,
                              pliant_recorded_answer *summary)
{
    (void)asked;
    const pliant_scene_closest *found = answer;
    const pliant_closest *closest = &found->closest;
    set_counts(summary, 1, found->body.generation != 0);
    if (found->body.generation != 0) {
        ADD(sum, found->body.index);
        ADD(sum, closest->triangle);
        ADD(sum, closest->distance);
        add_surface_point(sum, &closest->at);
        ADD(sum, closest->weights);
        ADD(sum, closest->normal);
        ADD(sum, closest->group);
    }
}

static void sum_box(const pli_asked *asked, const void *answer, pli_sum *sum,
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

static void sum_within(const pli_asked *asked, const void *answer, pli_sum *sum,
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

static void sum_volumes(const pli_asked *asked, const void *answer, pli_sum *sum,
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
    void (*add)(pli_fields *fields, const pli_asked *asked);
    void (*sum)(const pli_asked *asked, const void *answer, pli_sum *sum,
                pliant_recorded_answer *summary);
} questions[] = {
    [PLIANT_RECORDED_COLLIDE] = {add_only_options, sum_collide},
    [PLIANT_RECORDED_COLLIDE_PROXIES] = {add_only_options, sum_proxies},
    [PLIANT_RECORDED_RAYCAST] = {add_rays, sum_rays},
    [PLIANT_RECORDED_FIND_CLOSEST_POINT] = {add_closest_point, sum_closest_point},
    [PLIANT_RECORDED_OVERLAP_BOX] = {add_box, sum_box},
    [PLIANT_RECORDED_FIND_WITHIN] = {add_within, sum_within},
    [PLIANT_RECORDED_INTERSECT_VOLUMES] = {add_volumes, sum_volumes},
};

void pli_recording_write_question(pli_recording_stream *stream, const pli_asked *asked)
{
    _Static_assert(sizeof(pliant_ray) == 7 * sizeof(float), "rays are written as they are");
    uint64_t rays = asked->ray_count * sizeof *asked->rays;
    pli_fields fields = {.size = 0};
    pli_fields_add_32(&fields, (uint32_t)asked->question);
    pli_fields_add_32(&fields, 0);
    questions[asked->question].add(&fields, asked);
    pli_stream_put_fields(stream, PLIANT_CHUNK_QUESTION, &fields, rays);
    pli_stream_put(stream, asked->rays, (size_t)rays);
}

/*
 * Whether proxies give the same contacts whatever was asked before: spheres do unless they
 * remember, and so do bodies given by positions; how tight boxes are that follow from transforms
 * depends on which of them were refreshed before.
 */
static bool proxies_are_comparable(const pliant_scene *scene)
{
    for (uint32_t slot = 0; slot < scene->slot_count; slot++) {
        const pli_member *member = &scene->members.data[slot];
        if (member->body != NULL && member->def.proxies &&
            !(pli_body_has_spheres(member->body) && !member->body->coherent) &&
            !(member->body->by_positions && !member->body->pose.moved)) {
            return false;
        }
    }
    return true;
}

void pli_recording_sum_up(const pliant_scene *scene, const pli_asked *asked, const void *answer,
                          pliant_recorded_answer *summary)
{
    pli_sum sum = {.sum = (uint64_t)asked->question};
    questions[asked->question].sum(asked, answer, &sum, summary);
    summary->checksum = pli_sum_end(&sum);
    bool timed = asked->options != NULL && asked->options->budget_microseconds != 0;
    if (asked->question == PLIANT_RECORDED_COLLIDE_PROXIES) {
        summary->comparable =
            !timed && asked->options->budget_nodes == 0 && proxies_are_comparable(scene);
    }
}
