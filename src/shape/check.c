/*
 * Every invariant that queries rely on, checked on a block from outside. A checksum can be forged;
 * a block that passes here can be queried without reading or writing out of bounds, and its tree
 * holds every triangle once.
 */
#include "shape/shape.h"

#include "mesh/mesh.h"

#include <math.h>
#include <string.h>

static pliant_result corrupt(const char *what, uint64_t where)
{
    return pli_fail(PLIANT_ERROR_DATA, "shape block: %s at %llu", what, (unsigned long long)where);
}

pliant_result pli_block_check_counts(const pli_block_header *block)
{
    const uint64_t *count = block->count;
    uint64_t vertices = count[PLI_SECTION_POSITIONS] / 3;
    uint64_t triangles = count[PLI_SECTION_TRIANGLES] / 3;
    bool arity_known = block->arity == 2 || block->arity == 4 || block->arity == 8;
    bool leaf_known = block->leaf_size >= 1 && block->leaf_size <= PLI_WIDTH;
    bool counts_agree =
        count[PLI_SECTION_POSITIONS] == 3 * vertices &&
        count[PLI_SECTION_TRIANGLES] == 3 * triangles && count[PLI_SECTION_WELDED] == vertices &&
        count[PLI_SECTION_VERTEX_ORDER] == vertices &&
        (count[PLI_SECTION_GROUPS] == 0 || count[PLI_SECTION_GROUPS] == triangles) &&
        count[PLI_SECTION_SLOT_CORNERS] == 3 * count[PLI_SECTION_SLOT_TRIANGLES] &&
        count[PLI_SECTION_SLOT_FEATURES] == count[PLI_SECTION_SLOT_TRIANGLES];
    bool in_range = vertices >= 1 && vertices <= 0x7fffffffu && triangles >= 1 &&
                    triangles <= 0x40000000u && count[PLI_SECTION_NODES] >= 1 &&
                    count[PLI_SECTION_NODES] <= triangles && count[PLI_SECTION_CLUSTERS] >= 1 &&
                    count[PLI_SECTION_CLUSTERS] <= triangles &&
                    count[PLI_SECTION_SLOT_TRIANGLES] <= UINT32_MAX &&
                    count[PLI_SECTION_CLUSTER_VERTICES] <= UINT32_MAX &&
                    count[PLI_SECTION_NODE_EXTRAS] <= UINT32_MAX;
    if (!arity_known || !leaf_known || block->partition > PLIANT_PARTITION_COVARIANCE ||
        block->is_closed > 1 || block->islands > PLIANT_ISLANDS_ALWAYS || block->reserved != 0 ||
        !counts_agree || !in_range) {
        return corrupt("inconsistent counts", 0);
    }
    return PLIANT_OK;
}

static bool list_in_range(const uint32_t *list, uint64_t count, uint32_t limit, uint64_t *where)
{
    for (uint64_t i = 0; i < count; i++) {
        if (list[i] >= limit) {
            *where = i;
            return false;
        }
    }
    return true;
}

static pliant_result check_lists(const pliant_shape *shape)
{
    const uint64_t *count = shape->block->count;
    uint32_t vertices = shape->vertex_count;
    uint64_t where = 0;
    for (uint64_t i = 0; i < count[PLI_SECTION_POSITIONS]; i++) {
        if (!isfinite(shape->positions[i])) {
            return corrupt("a position that is not finite", i);
        }
    }
    if (!list_in_range(shape->triangles, count[PLI_SECTION_TRIANGLES], vertices, &where) ||
        !list_in_range(shape->vertex_order, vertices, vertices, &where) ||
        !list_in_range(shape->node_extras, count[PLI_SECTION_NODE_EXTRAS], vertices, &where) ||
        !list_in_range(shape->cluster_vertices, count[PLI_SECTION_CLUSTER_VERTICES], vertices,
                       &where)) {
        return corrupt("a vertex out of range", where);
    }
    for (uint32_t v = 0; v < vertices; v++) {
        if (shape->welded[v] > v || shape->welded[shape->welded[v]] != shape->welded[v]) {
            return corrupt("a wrong weld", v);
        }
    }
    return PLIANT_OK;
}

static bool quality_is(const pliant_shape_quality *a, const pliant_shape_quality *b)
{
    return a->node_count == b->node_count && a->cluster_count == b->cluster_count &&
           a->levels == b->levels && a->component_count == b->component_count &&
           a->welded_vertex_count == b->welded_vertex_count &&
           a->unused_vertex_count == b->unused_vertex_count &&
           a->degenerate_triangle_count == b->degenerate_triangle_count &&
           a->duplicate_triangle_count == b->duplicate_triangle_count &&
           a->open_edge_count == b->open_edge_count && a->cluster_fill == b->cluster_fill &&
           a->boundary_share == b->boundary_share && a->area_ratio == b->area_ratio;
}

/* Which triangle each feature belongs to, found once more: a query would report features twice, or
   not at all. */
static pliant_result check_features(const pliant_shape *shape, pli_mesh *mesh)
{
    pliant_result result = pli_mesh_own_features(mesh);
    for (uint32_t c = 0; c < shape->cluster_count && result == PLIANT_OK; c++) {
        const pli_cluster *cluster = &shape->clusters[c];
        for (uint32_t s = 0; s < cluster->slot_count && result == PLIANT_OK; s++) {
            uint32_t slot = cluster->first_slot + s, t = shape->slot_triangles[slot];
            bool live = cluster->live >> s & 1;
            if (shape->slot_features[slot] != (live ? mesh->owned[t] : 0)) {
                result = corrupt("wrong features in slot", slot);
            }
        }
    }
    return result;
}

/* The figures about mesh and tree, found once more: queries rely on some of them. Without welds
   they do not look for seams, and a body's first levels follow from the number of all. */
static pliant_result check_quality(const pliant_shape *shape)
{
    pli_mesh mesh = {.context = shape->context,
                     .vertex_count = shape->vertex_count,
                     .triangle_count = shape->triangle_count,
                     .positions = pli_block_section(shape->block, PLI_SECTION_POSITIONS),
                     .triangles = pli_block_section(shape->block, PLI_SECTION_TRIANGLES),
                     .welded = pli_block_section(shape->block, PLI_SECTION_WELDED)};
    pliant_result result = pli_mesh_connect(&mesh);
    for (uint32_t v = 0; v < shape->vertex_count; v++) {
        mesh.facts.welded_vertex_count += shape->welded[v] == v;
    }
    if (result == PLIANT_OK) {
        pli_shape_measure_tree(shape, &mesh.facts);
        bool same = quality_is(&mesh.facts, &shape->block->quality) &&
                    mesh.is_closed == (shape->block->is_closed != 0);
        result = same ? check_features(shape, &mesh) : corrupt("wrong quality figures", 0);
    }
    mesh.positions = NULL; /* they stay the shape's */
    mesh.triangles = mesh.welded = NULL;
    pli_mesh_release(&mesh);
    return result;
}

/* The live slots that a cluster of `triangles` must have: leaves filled one after the other. */
static uint64_t expected_live(uint32_t triangles, uint32_t leaf_size)
{
    uint64_t live = 0;
    for (uint32_t leaf = 0; triangles > 0; leaf++) {
        uint32_t here = triangles < leaf_size ? triangles : leaf_size;
        live |= (((uint64_t)1 << here) - 1) << (PLI_WIDTH * leaf);
        triangles -= here;
    }
    return live;
}

/* One cluster; it must start where the one before it ended. Corners must name the real vertices. */
static pliant_result check_cluster(const pliant_shape *shape, uint32_t c, uint64_t next_slot,
                                   uint64_t next_vertex, uint64_t next_owned)
{
    const pli_cluster *cluster = &shape->clusters[c];
    const uint64_t *count = shape->block->count;
    uint32_t leaf_size = shape->block->leaf_size;
    uint32_t capacity = shape->block->arity * leaf_size;
    if (cluster->first_slot != next_slot || cluster->first_vertex != next_vertex ||
        cluster->first_owned != next_owned || cluster->triangle_count < 1 ||
        cluster->triangle_count > capacity || cluster->slot_count % 16 != 0 ||
        cluster->live != expected_live(cluster->triangle_count, leaf_size) ||
        cluster->slot_count > PLI_CLUSTER_SLOTS || cluster->vertex_count < 1 ||
        cluster->vertex_count > 3 * cluster->triangle_count ||
        cluster->owned_count > cluster->vertex_count || cluster->reserved[0] != 0 ||
        cluster->reserved[1] != 0 ||
        (cluster->slot_count < PLI_CLUSTER_SLOTS && cluster->live >> cluster->slot_count != 0) ||
        next_slot + cluster->slot_count > count[PLI_SECTION_SLOT_TRIANGLES] ||
        next_vertex + pli_padded_count(cluster->vertex_count) >
            count[PLI_SECTION_CLUSTER_VERTICES] ||
        next_owned + cluster->owned_count > shape->vertex_count) {
        return corrupt("a wrong cluster", c);
    }
    const uint32_t *vertices = shape->cluster_vertices + cluster->first_vertex;
    if (memcmp(vertices, shape->vertex_order + next_owned, cluster->owned_count * 4u) != 0) {
        return corrupt("a wrong vertex order in cluster", c);
    }
    for (uint32_t i = cluster->vertex_count; i < pli_padded_count(cluster->vertex_count); i++) {
        if (vertices[i] != vertices[cluster->vertex_count - 1]) {
            return corrupt("a wrong vertex list in cluster", c);
        }
    }
    for (uint32_t s = 0; s < cluster->slot_count; s++) {
        uint32_t triangle = shape->slot_triangles[next_slot + s];
        if (triangle >= shape->triangle_count) {
            return corrupt("a triangle out of range in slot", next_slot + s);
        }
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t local = shape->slot_corners[3 * next_slot + k * cluster->slot_count + s];
            if (local >= cluster->vertex_count ||
                vertices[local] != shape->triangles[3 * (size_t)triangle + k]) {
                return corrupt("a wrong corner in slot", next_slot + s);
            }
        }
    }
    return PLIANT_OK;
}

/* Clusters follow each other, and together they hold every triangle exactly once. */
static pliant_result check_clusters(const pliant_shape *shape, uint8_t *seen)
{
    uint64_t slot = 0, vertex = 0, owned = 0, triangles = 0;
    for (uint32_t c = 0; c < shape->cluster_count; c++) {
        pliant_result result = check_cluster(shape, c, slot, vertex, owned);
        if (result != PLIANT_OK) {
            return result;
        }
        const pli_cluster *cluster = &shape->clusters[c];
        for (uint32_t s = 0; s < cluster->slot_count; s++) {
            uint32_t t = shape->slot_triangles[slot + s];
            if (cluster->live >> s & 1) {
                if (seen[t]) {
                    return corrupt("a triangle in two slots", t);
                }
                seen[t] = 1;
                triangles++;
            }
        }
        slot += cluster->slot_count;
        vertex += pli_padded_count(cluster->vertex_count);
        owned += cluster->owned_count;
    }
    if (triangles != shape->triangle_count ||
        slot != shape->block->count[PLI_SECTION_SLOT_TRIANGLES] ||
        vertex != shape->block->count[PLI_SECTION_CLUSTER_VERTICES]) {
        return corrupt("clusters that do not hold all triangles", triangles);
    }
    return PLIANT_OK;
}

/* Scratch of the check: what lies below each node, and marks for its vertices. */
typedef struct tree_check {
    uint32_t *node_end;      /* per node: one past the last node below it */
    uint32_t *first_cluster; /* per node: the first cluster below it */
    uint32_t *cluster_end;   /* per node: one past the last */
    uint32_t *owner;         /* per vertex: the cluster that owns it */
    uint32_t *mark;          /* per vertex: the last node that listed it as extra */
    uint8_t *seen;           /* per triangle */
} tree_check;

/*
 * One node, whose children have been checked already: they must be numbered in depth-first order.
 * Working from the last node to the first needs no recursion, however deep a forged tree may be.
 */
static bool node_is_sound(const pliant_shape *shape, tree_check *check, uint32_t n)
{
    const pli_node *node = &shape->nodes[n];
    uint32_t least = n == 0 ? 1 : 2, next_node = n + 1, triangles = 0;
    if (node->child_count < least || node->child_count > shape->block->arity ||
        node->level >= PLI_MAX_LEVELS || (n == 0) != (node->level == 0) || node->is_top > 1) {
        return false;
    }
    uint32_t first = node->child[0];
    if (!(first & PLI_CLUSTER_BIT) && (first != next_node || first >= shape->node_count)) {
        return false;
    }
    uint32_t next_cluster =
        first & PLI_CLUSTER_BIT ? first & ~PLI_CLUSTER_BIT : check->first_cluster[first];
    check->first_cluster[n] = next_cluster;
    for (uint32_t i = 0; i < PLI_WIDTH; i++) {
        uint32_t child = node->child[i];
        if (i >= node->child_count) {
            if (child != 0) {
                return false;
            }
        } else if (child & PLI_CLUSTER_BIT) {
            if ((child & ~PLI_CLUSTER_BIT) != next_cluster ||
                next_cluster >= shape->cluster_count) {
                return false;
            }
            triangles += shape->clusters[next_cluster++].triangle_count;
        } else {
            if (child != next_node || child >= shape->node_count ||
                shape->nodes[child].level != node->level + 1 ||
                shape->nodes[child].is_top > node->is_top ||
                check->first_cluster[child] != next_cluster) {
                return false;
            }
            triangles += shape->nodes[child].triangle_count;
            next_node = check->node_end[child];
            next_cluster = check->cluster_end[child];
        }
    }
    check->node_end[n] = next_node;
    check->cluster_end[n] = next_cluster;
    return triangles == node->triangle_count;
}

/* A node's span must be the owned range of its clusters and exactly the extras they use. */
static bool span_is_sound(const pliant_shape *shape, tree_check *check, uint32_t n)
{
    const pli_vertex_span *span = &shape->nodes[n].vertices;
    uint32_t first = check->first_cluster[n], end = check->cluster_end[n], extra = 0;
    const pli_cluster *last = &shape->clusters[end - 1];
    uint32_t owned_end = last->first_owned + last->owned_count;
    if (span->first != shape->clusters[first].first_owned ||
        span->count != owned_end - span->first ||
        (uint64_t)span->extra_first + span->extra_count >
            shape->block->count[PLI_SECTION_NODE_EXTRAS]) {
        return false;
    }
    for (uint32_t i = 0; i < span->extra_count; i++) {
        uint32_t v = shape->node_extras[span->extra_first + i];
        if (check->mark[v] == n) {
            return false; /* listed twice */
        }
        check->mark[v] = n;
    }
    /* Now every extra that is used must be marked; used ones are counted by unmarking them. */
    for (uint32_t c = first; c < end; c++) {
        const pli_cluster *cluster = &shape->clusters[c];
        for (uint32_t i = 0; i < cluster->vertex_count; i++) {
            uint32_t v = shape->cluster_vertices[cluster->first_vertex + i];
            if (check->owner[v] >= first && check->owner[v] < end) {
                continue;
            }
            if (check->mark[v] == n) {
                check->mark[v] = PLI_CLUSTER_BIT | n;
                extra++;
            } else if (check->mark[v] != (PLI_CLUSTER_BIT | n)) {
                return false;
            }
        }
    }
    return extra == span->extra_count;
}

/* vertex_order must name every vertex once; the owner of a vertex follows from it. */
static bool owners_are_sound(const pliant_shape *shape, tree_check *check)
{
    uint32_t cluster = 0;
    for (uint32_t i = 0; i < shape->vertex_count; i++) {
        while (cluster < shape->cluster_count &&
               i >= shape->clusters[cluster].first_owned + shape->clusters[cluster].owned_count) {
            cluster++;
        }
        uint32_t v = shape->vertex_order[i];
        if (check->owner[v] != UINT32_MAX) {
            return false;
        }
        check->owner[v] = cluster < shape->cluster_count ? cluster : UINT32_MAX - 1;
    }
    return true;
}

/* Bodies sort islands under as many top nodes as these take. */
static bool islands_are_sound(const pliant_shape *shape)
{
    uint32_t islands = shape->island_count;
    return shape->top_count == 0
               ? islands == 0
               : islands > 1 && shape->block->model.proxy_triangles == 0 &&
                     pli_count_top_nodes(islands, shape->block->arity) == shape->top_count;
}

static pliant_result check_tree(const pliant_shape *shape, tree_check *check)
{
    pliant_result result = check_clusters(shape, check->seen);
    if (result != PLIANT_OK) {
        return result;
    }
    if (!owners_are_sound(shape, check)) {
        return corrupt("a wrong vertex order", 0);
    }
    for (uint32_t n = shape->node_count; n-- > 0;) {
        if (!node_is_sound(shape, check, n)) {
            return corrupt("a wrong node", n);
        }
    }
    if (check->node_end[0] != shape->node_count || check->first_cluster[0] != 0 ||
        check->cluster_end[0] != shape->cluster_count) {
        return corrupt("a tree that does not hold everything", 0);
    }
    if (!islands_are_sound(shape)) {
        return corrupt("wrong islands", 0);
    }
    for (uint32_t n = 0; n < shape->node_count; n++) {
        if (!span_is_sound(shape, check, n)) {
            return corrupt("wrong vertices of node", n);
        }
    }
    return PLIANT_OK;
}

pliant_result pli_shape_check(const pliant_shape *shape)
{
    pliant_result result = pli_block_check_counts(shape->block);
    if (result == PLIANT_OK) {
        result = check_lists(shape);
    }
    if (result != PLIANT_OK) {
        return result;
    }
    size_t nodes = shape->node_count, vertices = shape->vertex_count;
    size_t bytes = (3 * nodes + 2 * vertices) * sizeof(uint32_t) + shape->triangle_count;
    uint32_t *words = pli_allocate(shape->context, bytes);
    if (words == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    tree_check check = {.node_end = words,
                        .first_cluster = words + nodes,
                        .cluster_end = words + 2 * nodes,
                        .owner = words + 3 * nodes,
                        .mark = words + 3 * nodes + vertices,
                        .seen = (uint8_t *)(words + 3 * nodes + 2 * vertices)};
    memset(check.owner, 0xff, 2 * vertices * sizeof(uint32_t));
    memset(check.seen, 0, shape->triangle_count);
    result = check_tree(shape, &check);
    pli_release(shape->context, words, bytes);
    if (result == PLIANT_OK) {
        result = check_quality(shape);
    }
    return result == PLIANT_OK ? pli_model_check(shape) : result;
}
