#include "containment.h"

#include "body/refresh.h"

#include <stdlib.h>
#include <string.h>

/* Whether a box, given by the addresses of its six sides, leaves a point out. */
static bool leaves_out(const float *side, size_t stride, const float point[3])
{
    for (size_t k = 0; k < 3; k++) {
        if (!(side[k * stride] <= point[k] && point[k] <= side[(3 + k) * stride])) {
            return true;
        }
    }
    return false;
}

typedef struct survey {
    pliant_body *body;
    uint64_t violations, node_violations;
    /* From the root to the cluster at hand: records, and the lane taken in each. */
    const pli_node_record *above[PLI_MAX_LEVELS];
    uint32_t lanes[PLI_MAX_LEVELS];
} survey;

/* Whether a record has spheres and the one of a lane leaves a point out. */
static bool sphere_leaves_out(const pliant_body *body, const pli_node_record *record, uint32_t lane,
                              const float point[3])
{
    if (record == &body->root || pli_body_node_size(body) == sizeof *record) {
        return false;
    }
    const pli_spheres *spheres = (const pli_spheres *)(const void *)(record + 1);
    double square = 0.0, radius = (double)spheres->radius[lane];
    for (int k = 0; k < 3; k++) {
        double d = (double)point[k] - (double)spheres->centre[k][lane];
        square += d * d;
    }
    return square > radius * radius;
}

/* Triangles of a cluster against their own boxes, their leaf's and everything above. */
static void survey_cluster(survey *s, uint32_t index, pli_cluster_record *record, uint32_t depth)
{
    const pliant_shape *shape = s->body->shape;
    const pli_cluster *cluster = &shape->clusters[index];
    for (uint32_t slot = 0; slot < cluster->slot_count; slot++) {
        if (!(cluster->live >> slot & 1)) {
            continue;
        }
        uint32_t triangle = shape->slot_triangles[cluster->first_slot + slot];
        for (uint32_t c = 0; c < 3; c++) {
            float p[3];
            uint32_t local =
                shape->slot_corners[3 * cluster->first_slot + c * cluster->slot_count + slot];
            pli_body_vertex(s->body, shape->triangles[3 * triangle + c], p);
            for (size_t k = 0; k < 3; k++) {
                float there = pli_cluster_coordinate(record, local, k);
                uint32_t bits[2];
                memcpy(&bits[0], &there, sizeof there);
                memcpy(&bits[1], &p[k], sizeof p[k]);
                s->violations += bits[0] != bits[1];
            }
            s->violations += leaves_out(pli_triangle_side(record, 0) + slot, record->slots, p);
            s->violations += leaves_out(&record->leaf_box.side[0][slot / PLI_WIDTH], PLI_WIDTH, p);
            for (uint32_t d = 0; d < depth; d++) {
                s->node_violations +=
                    leaves_out(&s->above[d]->box.side[0][s->lanes[d]], PLI_WIDTH, p);
                s->node_violations += sphere_leaves_out(s->body, s->above[d], s->lanes[d], p);
            }
        }
    }
}

static bool survey_child(survey *s, pli_node_record *parent, uint32_t lane, uint32_t child,
                         uint32_t depth)
{
    void *record = NULL;
    s->above[depth] = parent;
    s->lanes[depth] = lane;
    if (depth + 1 >= PLI_MAX_LEVELS ||
        pli_body_child(s->body, parent, lane, child, &record) != PLIANT_OK) {
        return false;
    }
    if (child & PLI_CLUSTER_BIT) {
        survey_cluster(s, child & ~PLI_CLUSTER_BIT, record, depth + 1);
        return true;
    }
    const pli_node *node = &s->body->shape->nodes[child];
    for (uint32_t i = 0; i < node->child_count; i++) {
        if (!survey_child(s, record, i, node->child[i], depth + 1)) {
            return false;
        }
    }
    return true;
}

static survey survey_body(pliant_body *body)
{
    survey s = {.body = body};
    if (pli_body_prepare(body) != PLIANT_OK || !survey_child(&s, &body->root, 0, 0, 0)) {
        abort();
    }
    return s;
}

uint64_t containment_of_body(pliant_body *body)
{
    survey s = survey_body(body);
    return s.violations + s.node_violations;
}

uint64_t containment_of_nodes(pliant_body *body)
{
    return survey_body(body).node_violations;
}

uint64_t containment_violations(const pliant_shape *shape, pliant_update update,
                                const float *positions)
{
    pliant_body *body = NULL;
    if (pliant_body_create(shape, NULL, &body) != PLIANT_OK ||
        pliant_body_set_update(body, update, 0, 1) != PLIANT_OK ||
        pliant_body_set_positions(body, positions, 0) != PLIANT_OK) {
        abort();
    }
    uint64_t violations = containment_of_body(body);
    pliant_body_destroy(body);
    return violations;
}
