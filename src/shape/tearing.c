/* Making a shape that can be torn, and its lists of vertices. */
#include "tearing.h"

#include "mesh/mesh.h"

#include <string.h>

/* ------------------------------------------------------------ lists */

enum { SPARE_ENTRIES = 16, MOST_ENTRIES = 3 * PLI_CLUSTER_SLOTS };

/* The room that a cluster's list gets. */
static uint32_t list_room(const pli_cluster *cluster, uint32_t growth)
{
    if (cluster->triangle_count == 0) {
        return 0;
    }
    uint32_t room = pli_padded_count(cluster->vertex_count + growth) + SPARE_ENTRIES;
    return room < MOST_ENTRIES ? room : MOST_ENTRIES;
}

void pli_tearing_fill_rest(pli_tearing *t, uint32_t c)
{
    const pli_cluster *cluster = &t->clusters.data[c];
    uint32_t *list = t->lists.data + cluster->first_vertex;
    uint32_t capacity = pli_tearing_capacity(t, c);
    for (uint32_t i = cluster->vertex_count; i < capacity; i++) {
        list[i] = list[cluster->vertex_count - 1];
    }
    for (uint32_t e = t->kept.data[c]; e != PLI_NO_NUMBER; e = t->next_kept.data[e]) {
        uint32_t *empty = t->lists.data + t->clusters.data[e].first_vertex;
        capacity = pli_tearing_capacity(t, e);
        for (uint32_t i = 0; i < capacity; i++) {
            empty[i] = list[0];
        }
    }
}

/* The first or the last cluster below a node that has children. */
static uint32_t cluster_below(const pli_tearing *t, uint32_t node, bool last)
{
    uint32_t child = node;
    do {
        const pli_node *at = &t->nodes.data[child];
        child = at->child[last ? at->child_count - 1 : 0];
    } while (!(child & PLI_CLUSTER_BIT));
    return child & ~PLI_CLUSTER_BIT;
}

/* The vertices of a node: the lists of its clusters from the first to the last. */
static void span_nodes(pli_tearing *t)
{
    for (uint32_t n = 0; n < t->nodes.count; n++) {
        if (t->nodes.data[n].child_count > 0) {
            uint32_t first = cluster_below(t, n, false), last = cluster_below(t, n, true);
            uint32_t begin = t->clusters.data[first].first_vertex;
            uint32_t end = t->clusters.data[last].first_vertex + pli_tearing_capacity(t, last);
            t->nodes.data[n].vertices = (pli_vertex_span){.first = begin, .count = end - begin};
        }
    }
}

bool pli_tearing_lay_out_lists(pliant_shape *shape, const uint32_t *from)
{
    pli_tearing *t = shape->tearing;
    pli_indices lists = {.count = 0};
    size_t total = 0;
    for (uint32_t c = 0; c < t->clusters.count; c++) {
        total += list_room(&t->clusters.data[c], t->growth.data[c]);
    }
    if (total > UINT32_MAX || !PLI_RESERVE(shape->context, &lists, total + PLI_BLOCK_SLACK)) {
        return false;
    }
    for (uint32_t c = 0; c < t->clusters.count; c++) {
        pli_cluster *cluster = &t->clusters.data[c];
        memcpy(lists.data + lists.count, from + cluster->first_vertex,
               (cluster->triangle_count > 0 ? cluster->vertex_count : 0) * sizeof *from);
        cluster->first_vertex = cluster->first_owned = (uint32_t)lists.count;
        lists.count += list_room(cluster, t->growth.data[c]);
        /* Empty ones have no list any more, and need nobody to keep it. */
        t->keeper.data[c] = t->kept.data[c] = t->next_kept.data[c] = PLI_NO_NUMBER;
    }
    pli_array_release(shape->context, &t->lists.array);
    t->lists = lists;
    for (uint32_t c = 0; c < t->clusters.count; c++) {
        if (t->clusters.data[c].triangle_count > 0) {
            pli_tearing_fill_rest(t, c);
        }
    }
    span_nodes(t);
    pli_tearing_publish(shape);
    return true;
}

/* ------------------------------------------------------------ making it */

/* An array with a copy of `count` elements, capacity for `more`, and readable memory behind them
   for wide loads. */
static bool copy_array(pliant_context *context, pli_array *to, const void *from, size_t count,
                       size_t more, size_t element_size)
{
    more = more > PLI_BLOCK_SLACK ? more : PLI_BLOCK_SLACK;
    if (!pli_array_reserve(context, to, count + more, element_size)) {
        return false;
    }
    memset((char *)to->data + count * element_size, 0, PLI_BLOCK_SLACK * element_size);
    memcpy(to->data, from, count * element_size);
    to->count = count;
    return true;
}
#define COPY(context, typed, from, count, more)                                                    \
    copy_array((context), &(typed)->array, (from), (count), (more), sizeof *(typed)->data)

/* An array of `count` equal words, with capacity for `more`. */
static bool fill_array(pliant_context *context, pli_indices *to, size_t count, size_t more,
                       uint32_t word)
{
    if (!PLI_RESERVE(context, to, count + more)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        to->data[i] = word;
    }
    to->count = count;
    return true;
}

/* What is there per vertex has room for some copies, so that the next tears need not copy all. */
static bool copy_arrays(pli_tearing *t, const pliant_shape *from)
{
    pliant_context *context = from->context;
    const pli_cluster *last = &from->clusters[from->cluster_count - 1];
    size_t slots = (size_t)last->first_slot + last->slot_count;
    size_t corners = 3 * (size_t)from->triangle_count, clusters = from->cluster_count;
    size_t vertices = from->vertex_count, more = vertices / 8;
    return COPY(context, &t->positions, from->positions, 3 * vertices, 3 * more) &&
           COPY(context, &t->triangles, from->triangles, corners, 0) &&
           COPY(context, &t->welded, from->welded, vertices, more) &&
           (from->groups == NULL ||
            COPY(context, &t->groups, from->groups, from->triangle_count, 0)) &&
           COPY(context, &t->nodes, from->nodes, from->node_count, 0) &&
           COPY(context, &t->clusters, from->clusters, clusters, 0) &&
           COPY(context, &t->slot_triangles, from->slot_triangles, slots, 0) &&
           COPY(context, &t->slot_corners, from->slot_corners, 3 * slots, 0) &&
           COPY(context, &t->slot_features, from->slot_features, slots, 0) &&
           fill_array(context, &t->slot_of, from->triangle_count, 0, PLI_NO_NUMBER) &&
           fill_array(context, &t->cluster_of, slots / 16, 0, 0) &&
           fill_array(context, &t->above, from->node_count + clusters, 0, PLI_NO_NUMBER) &&
           fill_array(context, &t->keeper, clusters, 0, PLI_NO_NUMBER) &&
           fill_array(context, &t->kept, clusters, 0, PLI_NO_NUMBER) &&
           fill_array(context, &t->next_kept, clusters, 0, PLI_NO_NUMBER) &&
           fill_array(context, &t->growth, clusters, 0, 0) &&
           fill_array(context, &t->ring, vertices, more, PLI_NO_NUMBER) &&
           fill_array(context, &t->ring_next, corners, 0, PLI_NO_NUMBER) &&
           fill_array(context, &t->vertex_stamp, vertices, more, 0) &&
           fill_array(context, &t->triangle_stamp, from->triangle_count, 0, 0) &&
           fill_array(context, &t->cluster_stamp, clusters, 0, 0);
}

/* Where triangles lie, and what is above nodes and clusters. */
static void find_places(pli_tearing *t)
{
    for (uint32_t c = 0; c < t->clusters.count; c++) {
        const pli_cluster *cluster = &t->clusters.data[c];
        for (uint32_t s = 0; s < cluster->slot_count; s++) {
            uint32_t slot = cluster->first_slot + s;
            t->cluster_of.data[slot / 16] = c;
            if (cluster->live >> s & 1) {
                t->slot_of.data[t->slot_triangles.data[slot]] = slot;
            }
        }
    }
    for (uint32_t n = 0; n < t->nodes.count; n++) {
        for (uint32_t i = 0; i < t->nodes.data[n].child_count; i++) {
            uint32_t child = t->nodes.data[n].child[i];
            size_t place = child & ~PLI_CLUSTER_BIT;
            t->above.data[place + (child & PLI_CLUSTER_BIT ? t->nodes.count : 0)] = n;
        }
    }
}

/* Rings of corners around vertices, and from them the facts that are kept; returns the most corners
   of a ring. */
static uint32_t find_rings(pli_tearing *t)
{
    for (size_t e = t->triangles.count; e-- > 0;) {
        if (t->triangles.data[e] != PLI_NO_NUMBER) {
            uint32_t w = t->welded.data[t->triangles.data[e]];
            t->ring_next.data[e] = t->ring.data[w];
            t->ring.data[w] = (uint32_t)e;
        }
    }
    uint32_t most = 0;
    for (size_t v = 0; v < t->ring.count; v++) {
        uint32_t count = 0;
        for (uint32_t e = t->ring.data[v]; e != PLI_NO_NUMBER; e = t->ring_next.data[e]) {
            count++;
        }
        most = count > most ? count : most;
    }
    for (size_t i = 0; i < t->triangles.count; i += 3) {
        const uint32_t *corner = t->triangles.data + i;
        if (corner[0] != PLI_NO_NUMBER) {
            const uint32_t *welded = t->welded.data;
            uint32_t a = welded[corner[0]], b = welded[corner[1]], c = welded[corner[2]];
            t->twice_count += a == b || b == c || c == a;
            t->live_count++;
        }
    }
    return most;
}

void pli_tearing_publish(pliant_shape *shape)
{
    const pli_tearing *t = shape->tearing;
    shape->positions = t->positions.data;
    shape->triangles = t->triangles.data;
    shape->groups = t->groups.count > 0 ? t->groups.data : NULL;
    shape->welded = t->welded.data;
    shape->nodes = t->nodes.data;
    shape->clusters = t->clusters.data;
    shape->vertex_order = shape->node_extras = shape->cluster_vertices = t->lists.data;
    shape->slot_triangles = t->slot_triangles.data;
    shape->slot_corners = t->slot_corners.data;
    shape->slot_features = t->slot_features.data;
    shape->vertex_count = (uint32_t)t->welded.count;
}

/* A tear may go through islands, so that the nodes above them stay as they are. */
static void join_islands(pli_tearing *t)
{
    for (uint32_t n = 0; n < t->nodes.count; n++) {
        t->nodes.data[n].is_top = 0;
    }
}

static pliant_result fill_tearable(pliant_shape *made, const pliant_shape *from)
{
    pliant_context *context = from->context;
    made->block = pli_allocate(context, sizeof *made->block);
    if (made->block == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    *made->block = *from->block;
    made->block->size = sizeof *made->block; /* read to release it, also if the rest fails */
    made->tearing = pli_allocate(context, sizeof *made->tearing);
    if (made->tearing == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    *made->tearing = (pli_tearing){.now = 0};
    made->cut_sizes = pli_allocate(context, from->node_count * sizeof *made->cut_sizes);
    made->cut_scale = from->cut_scale;
    if (made->cut_sizes == NULL || !copy_arrays(made->tearing, from) ||
        !pli_tearing_lay_out_lists(made, from->cluster_vertices)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    memcpy(made->cut_sizes, from->cut_sizes, from->node_count * sizeof *made->cut_sizes);
    join_islands(made->tearing);
    find_places(made->tearing);
    size_t most = 2 * (size_t)find_rings(made->tearing);
    bool enough = PLI_RESERVE(context, &made->tearing->met, most) &&
                  PLI_RESERVE(context, &made->tearing->met_scratch, most);
    return enough ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}

pliant_result pli_shape_make_tearable(const pliant_shape *shape, pliant_shape **tearable)
{
    pliant_shape *made = pli_allocate(shape->context, sizeof *made);
    if (made == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pli_context_join(shape->context, PLI_OBJECT_SHAPE);
    *made = (pliant_shape){.context = shape->context,
                           .user = shape->user,
                           .users = 1,
                           .vertex_count = shape->vertex_count,
                           .triangle_count = shape->triangle_count,
                           .node_count = shape->node_count,
                           .cluster_count = shape->cluster_count};
    pliant_result result = fill_tearable(made, shape);
    if (result != PLIANT_OK) {
        pli_shape_leave(made);
        return result;
    }
    *tearable = made;
    return PLIANT_OK;
}

void pli_tearing_release(pliant_shape *shape)
{
    if (shape->tearing != NULL) {
        pli_arrays_release(shape->context, shape->tearing->arrays, PLI_TEARING_ARRAYS);
        pli_release(shape->context, shape->tearing, sizeof *shape->tearing);
    }
}

uint64_t pli_tearing_bytes(const pli_tearing *tearing)
{
    return sizeof *tearing + pli_arrays_bytes(tearing->arrays, PLI_TEARING_ARRAYS);
}
