/* Proxies as parts of a shape: their numbers, their triangles, a vertex for each. */
#include "shape.h"

#include "base/float_env.h"

#include <math.h>

pliant_proxy pli_proxy_of_leaf(const pliant_shape *shape, uint32_t cluster, uint32_t leaf)
{
    return (pliant_proxy){shape->clusters[cluster].first_slot / PLI_WIDTH + leaf, 1};
}

/* The leaf behind the last one of a cluster. */
static uint32_t end_leaf(const pli_cluster *cluster)
{
    if (cluster->live == 0) { /* all of it was removed */
        return cluster->first_slot / PLI_WIDTH;
    }
    uint32_t leaves = (PLI_CLUSTER_SLOTS - (uint32_t)__builtin_clzll(cluster->live) + 7) / 8;
    return cluster->first_slot / PLI_WIDTH + leaves;
}

pliant_proxy pli_proxy_of_child(const pliant_shape *shape, uint32_t child)
{
    uint32_t first = child, last = child;
    while (!(first & PLI_CLUSTER_BIT)) {
        first = shape->nodes[first].child[0];
    }
    while (!(last & PLI_CLUSTER_BIT)) {
        const pli_node *node = &shape->nodes[last];
        last = node->child[node->child_count - 1];
    }
    uint32_t id = shape->clusters[first & ~PLI_CLUSTER_BIT].first_slot / PLI_WIDTH;
    return (pliant_proxy){id, end_leaf(&shape->clusters[last & ~PLI_CLUSTER_BIT]) - id};
}

typedef struct proxy_list {
    pliant_proxy *proxies;
    uint32_t count, capacity;
} proxy_list;

static void add_proxy(proxy_list *list, pliant_proxy proxy)
{
    if (list->proxies != NULL && list->count < list->capacity) {
        list->proxies[list->count] = proxy;
    }
    list->count++;
}

static void list_below(const pliant_shape *shape, uint32_t child, proxy_list *list)
{
    if (child & PLI_CLUSTER_BIT) {
        uint32_t c = child & ~PLI_CLUSTER_BIT;
        for (unsigned used = pli_cluster_leaves(&shape->clusters[c]); used != 0; used &= used - 1) {
            add_proxy(list, pli_proxy_of_leaf(shape, c, (uint32_t)__builtin_ctz(used)));
        }
        return;
    }
    const pli_node *node = &shape->nodes[child];
    for (uint32_t i = 0; i < node->child_count; i++) {
        if (pli_child_triangles(shape, node->child[i]) <= shape->block->model.proxy_triangles) {
            add_proxy(list, pli_proxy_of_child(shape, node->child[i]));
        } else {
            list_below(shape, node->child[i], list);
        }
    }
}

static pliant_result check_capacity(const char *what, uint32_t needed, uint32_t capacity,
                                    uint32_t *count)
{
    if (needed > capacity) {
        return pli_fail(PLIANT_ERROR_RANGE, "there are %u %s; capacity is %u", needed, what,
                        capacity);
    }
    *count = needed;
    return PLIANT_OK;
}

pliant_result pliant_shape_get_proxies(const pliant_shape *shape, pliant_proxy *proxies,
                                       uint32_t capacity, uint32_t *count)
{
    PLI_REQUIRE(shape);
    PLI_REQUIRE(count);
    proxy_list list = {.proxies = proxies, .capacity = capacity};
    if (shape->block->model.proxy_triangles > 0) {
        list_below(shape, 0, &list);
    }
    return check_capacity("proxies", list.count, proxies != NULL ? capacity : UINT32_MAX, count);
}

/* The last cluster that begins at a slot or before it. */
static uint32_t find_cluster(const pliant_shape *shape, uint32_t slot)
{
    uint32_t low = 0, high = shape->cluster_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (shape->clusters[middle].first_slot <= slot) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* A walk over the triangles of a range of leaves. */
typedef struct leaf_walk {
    const pliant_shape *shape;
    uint32_t cluster;
    uint64_t slot, end;
} leaf_walk;

static pliant_result begin_walk(const pliant_shape *shape, pliant_proxy proxy, leaf_walk *walk)
{
    uint64_t end = (uint64_t)proxy.id + proxy.leaves;
    if (proxy.leaves == 0 || end > end_leaf(&shape->clusters[shape->cluster_count - 1])) {
        return pli_fail(PLIANT_ERROR_RANGE, "there is no proxy of %u leaves from leaf %u on",
                        proxy.leaves, proxy.id);
    }
    *walk = (leaf_walk){shape, find_cluster(shape, PLI_WIDTH * proxy.id),
                        (uint64_t)PLI_WIDTH * proxy.id, PLI_WIDTH * end};
    return PLIANT_OK;
}

static bool next_triangle(leaf_walk *walk, uint32_t *triangle)
{
    const pliant_shape *shape = walk->shape;
    for (; walk->slot < walk->end; walk->slot++) {
        while (walk->cluster + 1 < shape->cluster_count &&
               shape->clusters[walk->cluster + 1].first_slot <= walk->slot) {
            walk->cluster++;
        }
        const pli_cluster *cluster = &shape->clusters[walk->cluster];
        uint64_t local = walk->slot - cluster->first_slot;
        if (local < PLI_CLUSTER_SLOTS && (cluster->live >> local & 1)) {
            *triangle = shape->slot_triangles[walk->slot++];
            return true;
        }
    }
    return false;
}

pliant_result pliant_shape_get_proxy_triangles(const pliant_shape *shape, pliant_proxy proxy,
                                               uint32_t *triangles, uint32_t capacity,
                                               uint32_t *count)
{
    PLI_REQUIRE(shape);
    PLI_REQUIRE(count);
    leaf_walk walk = {.shape = shape};
    pliant_result result = begin_walk(shape, proxy, &walk);
    if (result != PLIANT_OK) {
        return result;
    }
    uint32_t found = 0, triangle = 0;
    for (; next_triangle(&walk, &triangle); found++) {
        if (triangles != NULL && found < capacity) {
            triangles[found] = triangle;
        }
    }
    return check_capacity("triangles", found, triangles != NULL ? capacity : UINT32_MAX, count);
}

/* The corner of the triangles of a walk that is nearest to their corners' mean, the first of
   equals; false if there are no triangles. */
static PLI_NOINLINE bool find_middle_corner(leaf_walk walk, uint32_t *vertex)
{
    const pliant_shape *shape = walk.shape;
    double middle[3] = {0.0, 0.0, 0.0}, corners = 0.0, least = (double)INFINITY;
    uint32_t triangle = 0;
    for (leaf_walk first = walk; next_triangle(&first, &triangle); corners += 3.0) {
        for (size_t i = 0; i < 9; i++) {
            uint32_t v = shape->triangles[3 * (size_t)triangle + i / 3];
            middle[i % 3] += (double)shape->positions[3 * (size_t)v + i % 3];
        }
    }
    while (next_triangle(&walk, &triangle)) {
        for (size_t c = 0; c < 3; c++) {
            uint32_t v = shape->triangles[3 * (size_t)triangle + c];
            double square = 0.0;
            for (size_t k = 0; k < 3; k++) {
                double d = (double)shape->positions[3 * (size_t)v + k] - middle[k] / corners;
                square += d * d;
            }
            if (square < least) {
                least = square;
                *vertex = v;
            }
        }
    }
    return corners > 0.0;
}

pliant_result pliant_shape_get_proxy_vertex(const pliant_shape *shape, pliant_proxy proxy,
                                            uint32_t *vertex)
{
    PLI_REQUIRE(shape);
    PLI_REQUIRE(vertex);
    leaf_walk walk = {.shape = shape};
    pliant_result result = begin_walk(shape, proxy, &walk);
    if (result != PLIANT_OK) {
        return result;
    }
    pli_float_env env = pli_float_env_enter();
    bool found = find_middle_corner(walk, vertex);
    pli_float_env_leave(env);
    return found ? PLIANT_OK : pli_fail(PLIANT_ERROR_RANGE, "leaf %u holds no triangle", proxy.id);
}

pliant_result pli_check_proxies(const pliant_shape *shape, const char *who)
{
    if (shape->block->model.proxy_triangles == 0) {
        return pli_fail(PLIANT_ERROR_ARGUMENT,
                        "%s cannot take part as proxies: its shape has none; set proxy_triangles",
                        who);
    }
    return PLIANT_OK;
}
