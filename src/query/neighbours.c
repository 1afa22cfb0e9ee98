/*
 * The neighbour rule (docs/definition.md, D4). S is the set of vertices that two triangles share:
 * the same welded vertex, at equal positions now, so that a seam that has been torn open is no
 * seam. The triangles are reported iff they meet in more than hull(S).
 */
#include "neighbours.h"

#include "geometry/moving_triangles.h"
#include "geometry/triangle_overlap.h"
#include "geometry/vec3.h"

/* The shared vertices, as corners of a and b. */
typedef struct shared_set {
    int vertex_count;    /* distinct ones */
    int point_count;     /* distinct positions among them, */
    uint8_t point[3][2]; /* each as a corner of a and one of b */
} shared_set;

static void welded_corners(const pliant_shape *shape, uint32_t triangle, uint32_t welded[3])
{
    for (size_t k = 0; k < 3; k++) {
        welded[k] = shape->welded[shape->triangles[3 * (size_t)triangle + k]];
    }
}

/* The corner of b that is the same vertex as corner i of a, or -1. */
static int partner(int i, const uint32_t welded_a[3], const float corner_a[3][3],
                   const uint32_t welded_b[3], const float corner_b[3][3])
{
    for (int j = 0; j < 3; j++) {
        if (welded_a[i] == welded_b[j] && pli_vec3_equal(corner_a[i], corner_b[j])) {
            return j;
        }
    }
    return -1;
}

/* Degenerate triangles may use a vertex twice, and different vertices may stand in one place. */
static shared_set find_shared(const uint32_t welded_a[3], const float corner_a[3][3],
                              const uint32_t welded_b[3], const float corner_b[3][3])
{
    shared_set set = {0};
    uint8_t vertex[3];
    for (int i = 0; i < 3; i++) {
        int j = partner(i, welded_a, corner_a, welded_b, corner_b);
        if (j < 0) {
            continue;
        }
        bool new_vertex = true, new_point = true;
        for (int s = 0; s < set.vertex_count; s++) {
            bool same_place = pli_vec3_equal(corner_a[vertex[s]], corner_a[i]);
            new_vertex = new_vertex && !(same_place && welded_a[vertex[s]] == welded_a[i]);
            new_point = new_point && !same_place;
        }
        if (new_point) {
            set.point[set.point_count][0] = (uint8_t)i;
            set.point[set.point_count++][1] = (uint8_t)j;
        }
        if (new_vertex) {
            vertex[set.vertex_count++] = (uint8_t)i;
        }
    }
    return set;
}

bool pli_touch_self(const pliant_shape *shape, uint32_t triangle_a, uint32_t triangle_b,
                    const float corner_a[3][3], const float corner_b[3][3], pliant_neighbours rule,
                    uint64_t *fallbacks)
{
    uint32_t welded_a[3], welded_b[3];
    welded_corners(shape, triangle_a, welded_a);
    welded_corners(shape, triangle_b, welded_b);
    shared_set set = find_shared(welded_a, corner_a, welded_b, corner_b);
    if (set.vertex_count == 0) {
        return pli_triangle_overlap(corner_a, corner_b, fallbacks);
    }
    if (set.vertex_count == 3) {
        return false;
    }
    switch (rule) {
    case PLIANT_NEIGHBOURS_SKIP:
        return false;
    case PLIANT_NEIGHBOURS_ALL:
        return true;
    case PLIANT_NEIGHBOURS_BEYOND_SHARED:
        break;
    }
    return pli_triangle_overlap_beyond(corner_a, corner_b, set.point_count,
                                       (const uint8_t(*)[2])set.point, fallbacks);
}

uint32_t pli_unshared_features(const pliant_shape *shape, uint32_t triangle_a, uint32_t triangle_b)
{
    uint32_t welded_a[3], welded_b[3], open = PLI_ALL_FEATURE_PAIRS;
    welded_corners(shape, triangle_a, welded_a);
    welded_corners(shape, triangle_b, welded_b);
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t j = 0; j < 3; j++) {
            if (welded_a[i] != welded_b[j]) {
                continue;
            }
            open &= ~(1u << i | 1u << (3 + j));
            for (uint32_t edge = 0; edge < 9; edge++) { /* edges i and i - 1 have corner i */
                bool has_a = edge / 3 == i || edge / 3 == (i + 2) % 3;
                bool has_b = edge % 3 == j || edge % 3 == (j + 2) % 3;
                open &= has_a && has_b ? ~(1u << (6 + edge)) : UINT32_MAX;
            }
        }
    }
    return open;
}

const uint32_t *pli_name_vertices(pli_cluster_view view, bool seams,
                                  uint32_t welded[3 * PLI_CLUSTER_SLOTS])
{
    const uint32_t *vertices = view.shape->cluster_vertices + view.cluster->first_vertex;
    if (!seams) {
        return vertices;
    }
    for (uint32_t i = 0; i < view.record->stride; i++) {
        welded[i] = view.shape->welded[vertices[i]];
    }
    return welded;
}

pliant_result pli_settle_neighbours(pli_collision *collision, pli_cluster_view a, uint8_t *slot_a,
                                    pli_cluster_view b, uint8_t *slot_b, uint32_t *count)
{
    const pliant_shape *shape = a.shape;
    pli_neighbour_rule rule = {
        .rule = collision->options->neighbours,
        .seams = pli_shape_has_seams(shape),
        .moderate = collision->kernels_apply,
    };
    uint32_t welded_a[3 * PLI_CLUSTER_SLOTS], welded_b[3 * PLI_CLUSTER_SLOTS];
    pli_named_triangles named_a = {pli_view_triangles(a),
                                   pli_name_vertices(a, rule.seams, welded_a)};
    pli_named_triangles named_b = {pli_view_triangles(b),
                                   pli_name_vertices(b, rule.seams, welded_b)};
    pli_neighbour_pairs kept;
    uint32_t strangers = collision->walk.kernels->separate_neighbours(&named_a, slot_a, &named_b,
                                                                      slot_b, *count, &rule, &kept);
    if (rule.rule != PLIANT_NEIGHBOURS_SKIP) {
        collision->walk.run.worker->stats.triangle_tests += *count - strangers;
    }
    *count = strangers;
    pliant_result result = PLIANT_OK;
    for (uint32_t i = 0; i < kept.count && result == PLIANT_OK && !collision->walk.run.stopped;
         i++) {
        result = pli_settle_pair(collision, a, kept.slot_a[i], b, kept.slot_b[i], kept.touch[i]);
    }
    return result;
}

uint32_t pli_part_neighbours(const pli_pair_kernels *kernels, pli_cluster_view a, uint8_t *slot_a,
                             pli_cluster_view b, uint8_t *slot_b, uint32_t count,
                             pli_neighbour_pairs *neighbours)
{
    pli_neighbour_rule rule = {.rule = neighbours != NULL ? PLIANT_NEIGHBOURS_ALL
                                                          : PLIANT_NEIGHBOURS_SKIP,
                               .seams = pli_shape_has_seams(a.shape)};
    uint32_t welded_a[3 * PLI_CLUSTER_SLOTS], welded_b[3 * PLI_CLUSTER_SLOTS];
    pli_named_triangles named_a = {pli_view_triangles(a),
                                   pli_name_vertices(a, rule.seams, welded_a)};
    pli_named_triangles named_b = {pli_view_triangles(b),
                                   pli_name_vertices(b, rule.seams, welded_b)};
    pli_neighbour_pairs none;
    return kernels->separate_neighbours(&named_a, slot_a, &named_b, slot_b, count, &rule,
                                        neighbours != NULL ? neighbours : &none);
}
