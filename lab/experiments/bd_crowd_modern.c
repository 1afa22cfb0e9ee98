#include "bd_crowd_modern.h"

#include <stdlib.h>

#include "body/refresh.h"
#include "lab/motions/reduced.h"

bool crowd_modern_create(const bench_settings *settings, const gallery_mesh *mesh, uint32_t count,
                         crowd_modern *modern)
{
    *modern = (crowd_modern){.count = count, .bodies = calloc(count, sizeof(pliant_body *))};
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = mesh->positions;
    def.triangles = mesh->triangles;
    def.vertex_count = mesh->vertex_count;
    def.triangle_count = mesh->triangle_count;
    pliant_body_def body = pliant_body_def_default();
    body.update = PLIANT_UPDATE_BOTTOM_UP;
    bool done = modern->bodies != NULL && reduced_create_context(settings, &modern->context) &&
                pliant_shape_create(modern->context, &def, &modern->shape) == PLIANT_OK &&
                pliant_scene_create(modern->context, NULL, &modern->scene) == PLIANT_OK;
    for (uint32_t i = 0; done && i < count; i++) {
        pliant_body_id id;
        done = pliant_body_create(modern->shape, &body, &modern->bodies[i]) == PLIANT_OK &&
               pliant_scene_add(modern->scene, modern->bodies[i], NULL, &id) == PLIANT_OK &&
               id.index == i;
    }
    return done;
}

void crowd_modern_free(crowd_modern *modern)
{
    pliant_scene_destroy(modern->scene);
    for (uint32_t i = 0; modern->bodies != NULL && i < modern->count; i++) {
        pliant_body_destroy(modern->bodies[i]);
    }
    pliant_shape_destroy(modern->shape);
    pliant_context_destroy(modern->context);
    free(modern->bodies);
    free(modern->ranges);
}

/* The pairs found, under the bodies' names. False when there is no memory. */
static bool summarise(crowd_modern *modern, const pliant_scene_contacts *contacts,
                      const uint32_t *names, bench_summary *found)
{
    if (contacts->body_pair_count > modern->range_capacity) {
        modern->range_capacity = 2 * (size_t)contacts->body_pair_count;
        free(modern->ranges);
        modern->ranges = malloc(modern->range_capacity * sizeof *modern->ranges);
        if (modern->ranges == NULL) {
            modern->range_capacity = 0;
            return false;
        }
    }
    for (uint32_t i = 0; i < contacts->body_pair_count; i++) {
        const pliant_scene_pair *pair = &contacts->bodies[i];
        modern->ranges[i] = (bench_range){.a = names[pair->a.index],
                                          .b = names[pair->b.index],
                                          .first = pair->first,
                                          .count = pair->count};
    }
    bench_outcome outcome = {.pairs = contacts->pairs,
                             .ranges = modern->ranges,
                             .range_count = contacts->body_pair_count};
    *found = bench_summarise(&outcome);
    return true;
}

bool crowd_modern_step(crowd_modern *modern, float *const *positions, const uint32_t *names,
                       crowd_modern_step_result *result)
{
    pliant_scene_contacts contacts = {0};
    double start = bench_seconds();
    for (uint32_t i = 0; i < modern->count; i++) {
        if (pliant_body_share_positions(modern->bodies[i], positions[i], 0) != PLIANT_OK ||
            pli_body_prepare(modern->bodies[i]) != PLIANT_OK) {
            return false;
        }
    }
    double refitted = bench_seconds();
    if (pliant_scene_collide(modern->scene, NULL, &contacts) != PLIANT_OK) {
        return false;
    }
    result->refit = 1e3 * (refitted - start);
    result->query = 1e3 * (bench_seconds() - refitted);
    return summarise(modern, &contacts, names, &result->found);
}
