/* The demo's plain page: some moments of the run, drawn without a graphics card. */
#include "demo.h"

#include <stdlib.h>
#include <string.h>

void demo_free_moments(demo_state *demo)
{
    for (uint32_t i = 0; i < demo->moment_count; i++) {
        for (uint32_t body = 0; body < SCENE_MAX_BODIES; body++) {
            free(demo->moments[i].positions[body]);
            free(demo->moments[i].touching[body]);
        }
        free(demo->moments[i].segments);
    }
    demo->moment_count = 0;
}

/* Adds the triangles of one side of some pairs to those of a body that touch. */
static bool add_touching(page_moment *moment, uint32_t body, const pliant_pair *pairs,
                         uint64_t count, bool second)
{
    uint64_t before = moment->touching_count[body];
    uint32_t *grown = realloc(moment->touching[body], (before + count) * sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    for (uint64_t i = 0; i < count; i++) {
        grown[before + i] = second ? pairs[i].b : pairs[i].a;
    }
    moment->touching[body] = grown;
    moment->touching_count[body] = before + count;
    return true;
}

/* Asks two bodies once more, for where their triangles meet. */
static cli_status keep_segments(demo_state *demo, demo_world *world, const pliant_scene_pair *two,
                                pliant_segment *segments)
{
    pliant_collide_options options = pliant_collide_default();
    options.segments = true;
    pliant_contacts contacts;
    pliant_body *a = world->bodies[two->a.index], *b = world->bodies[two->b.index];
    pliant_result result = a == b ? pliant_collide_self(demo->query, a, &options, &contacts)
                                  : pliant_collide(demo->query, a, b, &options, &contacts);
    if (result != PLIANT_OK) {
        return demo_fail_library();
    }
    memcpy(segments, contacts.segments, contacts.count * sizeof *segments);
    return CLI_DONE;
}

static cli_status keep_contacts(demo_state *demo, demo_world *world, page_moment *moment,
                                const pliant_scene_contacts *contacts)
{
    moment->segments = malloc((contacts->count + 1) * sizeof *moment->segments);
    if (moment->segments == NULL) {
        return demo_fail_memory();
    }
    for (uint32_t i = 0; i < contacts->body_pair_count; i++) {
        const pliant_scene_pair *two = &contacts->bodies[i];
        const pliant_pair *pairs = contacts->pairs + two->first;
        if (!add_touching(moment, two->a.index, pairs, two->count, false) ||
            !add_touching(moment, two->b.index, pairs, two->count, true)) {
            return demo_fail_memory();
        }
        cli_status status = keep_segments(demo, world, two, moment->segments + two->first);
        if (status != CLI_DONE) {
            return status;
        }
    }
    return CLI_DONE;
}

static cli_status keep_moment(demo_state *demo, demo_world *world, uint32_t step)
{
    pliant_scene_contacts contacts;
    if (demo_ask(demo, world, step, &contacts) != PLIANT_OK) {
        return demo_fail_library();
    }
    page_moment *moment = &demo->moments[demo->moment_count++];
    *moment = (page_moment){.step = step, .pair_count = contacts.count};
    cli_status status = keep_contacts(demo, world, moment, &contacts);
    for (uint32_t body = 0; body < demo->scene->body_count && status == CLI_DONE; body++) {
        uint32_t count = demo->scene->bodies[body].vertex_count;
        moment->positions[body] = malloc((size_t)count * 3 * sizeof(float));
        if (moment->positions[body] == NULL) {
            status = demo_fail_memory();
        } else if (pliant_body_evaluate(world->bodies[body], NULL, count,
                                        moment->positions[body]) != PLIANT_OK) {
            status = demo_fail_library();
        }
    }
    return status;
}

/* Keeps some steps for the page: evenly spread ones, the first contact and the deepest. */
static cli_status keep_moments(demo_state *demo)
{
    demo_world world = {0};
    cli_status status = demo_world_create(demo, PLIANT_UPDATE_AUTO, &world) == PLIANT_OK
                            ? CLI_DONE
                            : demo_fail_library();
    uint32_t steps = demo->scene->steps;
    uint32_t parts = steps < DEMO_MOMENTS ? steps : DEMO_MOMENTS;
    uint32_t next_part = 0;
    for (uint32_t step = 0; step <= steps && status == CLI_DONE; step++) {
        bool due = step == (uint32_t)((uint64_t)steps * next_part / parts);
        next_part += due ? 1 : 0;
        bool marked = step > 0 && (step == demo->first_step || step == demo->deepest_step);
        if (due || marked) {
            if (step == demo->deepest_step) {
                demo->deepest_moment = demo->moment_count;
            }
            status = keep_moment(demo, &world, step);
        }
    }
    demo_world_destroy(&world);
    return status;
}

cli_status demo_write_plain(demo_state *demo, FILE *stream)
{
    cli_status status = keep_moments(demo);
    if (status != CLI_DONE) {
        return status;
    }
    page_content content = {
        .scene = demo->scene,
        .strategies = demo->strategies,
        .strategy_count = demo->strategy_count,
        .pairs = demo->pairs,
        .first_step = demo->first_step,
        .deepest_step = demo->deepest_step,
        .moments = demo->moments,
        .moment_count = demo->moment_count,
        .deepest_moment = demo->deepest_moment,
    };
    for (uint32_t body = 0; body < demo->scene->body_count; body++) {
        content.closed[body] = pliant_shape_is_closed(demo->shapes[body]);
    }
    page_write(stream, &content);
    return CLI_DONE;
}
