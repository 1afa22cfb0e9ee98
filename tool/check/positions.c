/* Positions of vertices in the pose in hand, each computed when it is first needed. */
#include "worker.h"

#include <stdlib.h>
#include <string.h>

static const pliant_asset_mesh *mesh_of(const check_worker *worker, uint32_t body)
{
    return worker->state->bodies[body].surface.mesh;
}

pliant_result check_open_positions(check_worker *worker, uint32_t body)
{
    check_positions *known = &worker->members[body].known;
    if (known->at != NULL) {
        return PLIANT_OK;
    }
    size_t count = (size_t)mesh_of(worker, body)->vertex_count + 1;
    check_positions made = {
        .at = malloc(count * sizeof *made.at),
        .epochs = calloc(count, sizeof *made.epochs),
        .wanted = malloc(count * sizeof *made.wanted),
        .scratch = malloc(count * sizeof *made.scratch),
        .visits = calloc(count, sizeof *made.visits),
        .marks = calloc((size_t)mesh_of(worker, body)->triangle_count + 1, sizeof *made.marks)};
    if (made.at == NULL || made.epochs == NULL || made.wanted == NULL || made.scratch == NULL ||
        made.visits == NULL || made.marks == NULL) {
        check_close_positions(&made);
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    *known = made;
    return PLIANT_OK;
}

void check_close_positions(check_positions *known)
{
    free(known->at);
    free(known->epochs);
    free(known->wanted);
    free(known->scratch);
    free(known->visits);
    free(known->marks);
    *known = (check_positions){0};
}

void check_want_triangle(check_worker *worker, uint32_t body, uint32_t triangle)
{
    const uint32_t *corners = mesh_of(worker, body)->triangles + 3 * (size_t)triangle;
    for (int i = 0; i < 3; i++) {
        check_want_vertex(worker, body, corners[i]);
    }
}

void check_want_vertex(check_worker *worker, uint32_t body, uint32_t vertex)
{
    check_positions *known = &worker->members[body].known;
    if (known->epochs[vertex] != worker->pose_epoch) {
        known->epochs[vertex] = worker->pose_epoch;
        known->wanted[known->wanted_count++] = vertex;
    }
}

pliant_result check_read_wanted(check_worker *worker, uint32_t body)
{
    check_positions *known = &worker->members[body].known;
    if (known->wanted_count == 0) {
        return PLIANT_OK;
    }
    pliant_result result = pliant_body_evaluate(worker->members[body].body, known->wanted,
                                                known->wanted_count, known->scratch[0]);
    for (uint32_t i = 0; i < known->wanted_count; i++) {
        if (result == PLIANT_OK) {
            memcpy(known->at[known->wanted[i]], known->scratch[i], sizeof known->at[0]);
        } else {
            known->epochs[known->wanted[i]] = worker->pose_epoch - 1;
        }
    }
    known->wanted_count = 0;
    return result;
}

pliant_result check_read_triangle(check_worker *worker, uint32_t body, uint32_t triangle,
                                  pliant_triangle *read)
{
    check_want_triangle(worker, body, triangle);
    pliant_result result = check_read_wanted(worker, body);
    const check_positions *known = &worker->members[body].known;
    const uint32_t *corners = mesh_of(worker, body)->triangles + 3 * (size_t)triangle;
    for (int i = 0; i < 3; i++) {
        memcpy(read->corner[i], known->at[corners[i]], sizeof read->corner[i]);
    }
    return result;
}
