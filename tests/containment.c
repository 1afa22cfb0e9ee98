#include "containment.h"

#include "body/refresh.h"

#include <stdlib.h>

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
    uint64_t violations;
} survey;

/* Triangles of a cluster against their own boxes, their leaf's and everything above. */
static void survey_cluster(survey *s, uint32_t index, pli_cluster_record *record,
                           const pli_boxes *const *above, const uint32_t *lanes, uint32_t depth)
{
    const pliant_shape *shape = s->body->shape;
    const pli_cluster *cluster = &shape->clusters[index];
    for (uint32_t slot = 0; slot < cluster->slot_count; slot++) {
        if (!(cluster->live >> slot & 1)) {
            continue;
        }
        uint32_t triangle = shape->slot_triangles[cluster->first_slot + slot];
        for (uint32_t c = 0; c < 3; c++) {
            const float *p = pli_position(s->body->positions, shape->triangles[3 * triangle + c]);
            s->violations += leaves_out(pli_triangle_side(record, 0) + slot, record->slots, p);
            s->violations += leaves_out(&record->leaf_box.side[0][slot / PLI_WIDTH], PLI_WIDTH, p);
            for (uint32_t d = 0; d < depth; d++) {
                s->violations += leaves_out(&above[d]->side[0][lanes[d]], PLI_WIDTH, p);
            }
        }
    }
}

static bool survey_child(survey *s, pli_node_record *parent, uint32_t lane, uint32_t child,
                         const pli_boxes **above, uint32_t *lanes, uint32_t depth)
{
    void *record = NULL;
    above[depth] = &parent->box;
    lanes[depth] = lane;
    if (depth + 1 >= PLI_MAX_LEVELS ||
        pli_body_child(s->body, parent, lane, child, &record) != PLIANT_OK) {
        return false;
    }
    if (child & PLI_CLUSTER_BIT) {
        survey_cluster(s, child & ~PLI_CLUSTER_BIT, record, above, lanes, depth + 1);
        return true;
    }
    const pli_node *node = &s->body->shape->nodes[child];
    for (uint32_t i = 0; i < node->child_count; i++) {
        if (!survey_child(s, record, i, node->child[i], above, lanes, depth + 1)) {
            return false;
        }
    }
    return true;
}

uint64_t containment_violations(const pliant_shape *shape, pliant_update update,
                                const float *positions)
{
    static const pli_boxes *above[PLI_MAX_LEVELS];
    static uint32_t lanes[PLI_MAX_LEVELS];
    survey s = {0};
    bool done = pliant_body_create(shape, NULL, &s.body) == PLIANT_OK &&
                pliant_body_set_update(s.body, update, 0, 1) == PLIANT_OK &&
                pliant_body_set_positions(s.body, positions, 0) == PLIANT_OK &&
                pli_body_prepare(s.body) == PLIANT_OK &&
                survey_child(&s, &s.body->top, 0, 0, above, lanes, 0);
    pliant_body_destroy(s.body);
    if (!done) {
        abort();
    }
    return s.violations;
}
