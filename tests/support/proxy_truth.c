#include "proxy_truth.h"

#include <math.h>
#include <stdlib.h>

#include "body/refresh.h"
#include "bounds/bounds.h"
#include "shape/shape.h"

uint32_t round_kind(uint64_t n)
{
    static const uint32_t kinds[3] = {MODEL_RIGID, MODEL_MODES, MODEL_REDUCED};
    return kinds[n % 3];
}

void add_sphere(spheres *all, pliant_proxy proxy, const pli_spheres *from, uint32_t lane)
{
    sphere s = {.proxy = proxy, .radius = from->radius[lane]};
    for (int k = 0; k < 3; k++) {
        s.centre[k] = from->centre[k][lane];
    }
    all->list = realloc(all->list, (all->count + 1) * sizeof *all->list);
    all->list[all->count++] = s;
}

static void spheres_below(pliant_body *body, pli_node_record *parent, uint32_t lane, uint32_t child,
                          spheres *all)
{
    const pliant_shape *shape = body->shape;
    if (child & PLI_CLUSTER_BIT) {
        uint32_t c = child & ~PLI_CLUSTER_BIT;
        pli_coefficient_view view =
            pli_view_coefficients(shape, (size_t)shape->node_count + c, PLI_WIDTH);
        pli_boxes boxes;
        pli_spheres leaves;
        pli_bound_children_from_coefficients(body->model_kernels, &view, &body->pose, &boxes,
                                             &leaves);
        for (uint32_t i = 0; i < PLI_WIDTH; i++) {
            if (pli_cluster_leaves(&shape->clusters[c]) >> i & 1) {
                add_sphere(all, pli_proxy_of_leaf(shape, c, i), &leaves, i);
            }
        }
        return;
    }
    void *record = NULL;
    assert_ok(pli_body_child(body, parent, lane, child, &record));
    const pli_node *node = &shape->nodes[child];
    for (uint32_t i = 0; i < node->child_count; i++) {
        if (pli_child_triangles(shape, node->child[i]) <= shape->block->model.proxy_triangles) {
            add_sphere(all, pli_proxy_of_child(shape, node->child[i]), pli_record_spheres(record),
                       i);
        } else {
            spheres_below(body, record, i, node->child[i], all);
        }
    }
}

spheres all_spheres(pliant_body *body)
{
    spheres all = {0};
    assert_ok(pli_body_prepare(body));
    spheres_below(body, &body->root, 0, 0, &all);
    return all;
}

double sphere_distance(const sphere *a, const sphere *b)
{
    double square = 0.0;
    for (int k = 0; k < 3; k++) {
        double d = (double)a->centre[k] - (double)b->centre[k];
        square += d * d;
    }
    return sqrt(square);
}
