/*
 * Tearing, ours. An edit is local: it looks at the rings of corners around the vertices that it
 * touches, and at the clusters whose triangles it changes. All that can fail is done before
 * anything is changed but corners, and these are put back.
 *
 * Every feature belongs to the lowest triangle that has it, and an edge is open unless it is used
 * as often in one direction as in the other: both follow from the edges around the vertices
 * touched, which are looked at before the edit and after it.
 */
#include "tearing.h"

#include "base/sort.h"
#include "mesh/mesh.h"

#include <string.h>

/* ------------------------------------------------------------ what is asked for */

static pliant_result check_removed(pli_tearing *t, const pliant_tear *tear)
{
    uint32_t triangles = (uint32_t)(t->triangles.count / 3);
    for (uint32_t i = 0; i < tear->removed_count; i++) {
        uint32_t triangle = tear->removed[i];
        if (triangle >= triangles) {
            return pli_fail(PLIANT_ERROR_RANGE, "removed: entry %u is triangle %u of %u", i,
                            triangle, triangles);
        }
        if (t->triangles.data[3 * (size_t)triangle] == PLI_NO_NUMBER) {
            return pli_fail(PLIANT_ERROR_ARGUMENT,
                            "removed: entry %u is triangle %u, which was removed before", i,
                            triangle);
        }
        if (t->triangle_stamp.data[triangle] == t->now) {
            return pli_fail(PLIANT_ERROR_ARGUMENT, "removed: entry %u is triangle %u once more", i,
                            triangle);
        }
        t->triangle_stamp.data[triangle] = t->now;
    }
    if (tear->removed_count >= t->live_count) {
        return pli_fail(PLIANT_ERROR_RANGE,
                        "removed: all %u triangles of the body; at least one must stay",
                        t->live_count);
    }
    return PLIANT_OK;
}

static pliant_result check_weld(const pli_tearing *t, const pliant_tear *tear, uint32_t i)
{
    uint32_t vertices = (uint32_t)t->welded.count, other = tear->welded[i] - vertices;
    if (tear->welded[i] < vertices || other > i || tear->welded[other] != tear->welded[i]) {
        return pli_fail(PLIANT_ERROR_ARGUMENT,
                        "welded: entry %u is vertex %u, which is not the lowest of the copies from "
                        "%u on that vertex %u is welded with",
                        i, tear->welded[i], vertices, vertices + i);
    }
    if (t->welded.data[tear->split[other]] != t->welded.data[tear->split[i]]) {
        return pli_fail(PLIANT_ERROR_ARGUMENT,
                        "welded: entry %u welds copies of vertices %u and %u, which are not welded",
                        i, tear->split[other], tear->split[i]);
    }
    return PLIANT_OK;
}

static pliant_result check_split(const pli_tearing *t, const pliant_tear *tear)
{
    uint32_t vertices = (uint32_t)t->welded.count;
    for (uint32_t i = 0; i < tear->split_count; i++) {
        if (tear->split[i] >= vertices) {
            return pli_fail(PLIANT_ERROR_RANGE, "split: entry %u is vertex %u of %u", i,
                            tear->split[i], vertices);
        }
        pliant_result result = tear->welded != NULL ? check_weld(t, tear, i) : PLIANT_OK;
        if (result != PLIANT_OK) {
            return result;
        }
    }
    if (tear->split_count > 0x7fffffffu - vertices) {
        return pli_fail(PLIANT_ERROR_TOO_LARGE,
                        "%u vertices and %u more; at most 2147483647 are "
                        "possible",
                        vertices, tear->split_count);
    }
    return PLIANT_OK;
}

/* Memory for all that the edit adds. */
static bool reserve(pliant_shape *shape, const pliant_tear *tear)
{
    pliant_context *context = shape->context;
    pli_tearing *t = shape->tearing;
    size_t more = tear->split_count, touched = 3 * (size_t)tear->removed_count + 2 * more;
    return PLI_RESERVE_MORE(context, &t->positions, 3 * more) &&
           PLI_RESERVE_MORE(context, &t->welded, more) &&
           PLI_RESERVE_MORE(context, &t->ring, more) &&
           PLI_RESERVE_MORE(context, &t->vertex_stamp, more) &&
           PLI_RESERVE(context, &t->tail, more) && PLI_RESERVE(context, &t->touched, touched) &&
           PLI_RESERVE(context, &t->touched_clusters,
                       (size_t)tear->removed_count + tear->corner_count);
}

/* ------------------------------------------------------------ edges around a vertex */

static uint32_t next_corner(uint32_t corner)
{
    return corner % 3 == 2 ? corner - 2 : corner + 1;
}

static uint32_t previous_corner(uint32_t corner)
{
    return corner % 3 == 0 ? corner + 2 : corner - 1;
}

static uint32_t welded_corner(const pli_tearing *t, uint32_t corner)
{
    return t->welded.data[t->triangles.data[corner]];
}

/* Lists the edges between a welded vertex and others, sorted by the other end, then by number. */
static void meet_edges(pli_tearing *t, uint32_t vertex)
{
    t->met.count = 0;
    for (uint32_t c = t->ring.data[vertex]; c != PLI_NO_NUMBER; c = t->ring_next.data[c]) {
        uint32_t before = previous_corner(c);
        uint32_t to = welded_corner(t, next_corner(c)), from = welded_corner(t, before);
        if (to != vertex) {
            t->met.data[t->met.count++] = (uint64_t)to << 32 | c;
        }
        if (from != vertex) {
            t->met.data[t->met.count++] = (uint64_t)from << 32 | before;
        }
    }
    pli_sort_keys(t->met.data, t->met_scratch.data, NULL, NULL, t->met.count);
}

/* Counts the open edges of a vertex; those between two that are touched belong to the lower one. */
static uint32_t count_open_edges(const pli_tearing *t, uint32_t vertex)
{
    uint32_t open = 0;
    for (size_t i = 0; i < t->met.count;) {
        uint32_t other = (uint32_t)(t->met.data[i] >> 32);
        int64_t balance = 0;
        for (; i < t->met.count && t->met.data[i] >> 32 == other; i++) {
            balance += welded_corner(t, (uint32_t)t->met.data[i]) == vertex ? 1 : -1;
        }
        bool counts = t->vertex_stamp.data[other] != t->now || vertex < other;
        open += balance != 0 && counts;
    }
    return open;
}

/* How many triangles have a vertex twice: corners of one follow each other. */
static uint32_t count_twice(const pli_tearing *t, uint32_t vertex)
{
    uint32_t twice = 0, before = PLI_NO_NUMBER, counted = PLI_NO_NUMBER;
    for (uint32_t c = t->ring.data[vertex]; c != PLI_NO_NUMBER; c = t->ring_next.data[c]) {
        if (c / 3 == before && counted != before) {
            twice++;
            counted = before;
        }
        before = c / 3;
    }
    return twice;
}

/* Gives every feature at a vertex to the lowest triangle that has it. */
static void own_features(pli_tearing *t, uint32_t vertex)
{
    for (uint32_t c = t->ring.data[vertex]; c != PLI_NO_NUMBER; c = t->ring_next.data[c]) {
        uint8_t *features = &t->slot_features.data[t->slot_of.data[c / 3]];
        unsigned bit = 1u << c % 3;
        *features = (uint8_t)(c == t->ring.data[vertex] ? *features | bit : *features & ~bit);
    }
    for (size_t i = 0; i < t->met.count; i++) {
        uint32_t edge = (uint32_t)t->met.data[i];
        uint8_t *features = &t->slot_features.data[t->slot_of.data[edge / 3]];
        unsigned bit = 8u << edge % 3;
        bool first = i == 0 || t->met.data[i - 1] >> 32 != t->met.data[i] >> 32;
        *features = (uint8_t)(first ? *features | bit : *features & ~bit);
    }
}

/* Looks at all vertices touched; features are given after the edit. */
static pli_tear_begun look_around(pli_tearing *t, bool after)
{
    pli_tear_begun sum = {0, 0};
    for (size_t i = 0; i < t->touched.count; i++) {
        uint32_t vertex = t->touched.data[i];
        meet_edges(t, vertex);
        sum.open_edges += count_open_edges(t, vertex);
        sum.twice += count_twice(t, vertex);
        if (after) {
            own_features(t, vertex);
        }
    }
    return sum;
}

static void touch_vertex(pli_tearing *t, uint32_t welded)
{
    if (t->vertex_stamp.data[welded] != t->now) {
        t->vertex_stamp.data[welded] = t->now;
        t->touched.data[t->touched.count++] = welded;
    }
}

static void touch_vertices(pli_tearing *t, const pliant_tear *tear)
{
    t->touched.count = 0;
    for (uint32_t i = 0; i < tear->removed_count; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            touch_vertex(t, welded_corner(t, 3 * tear->removed[i] + k));
        }
    }
    for (uint32_t i = 0; i < tear->split_count; i++) {
        touch_vertex(t, t->welded.data[tear->split[i]]);
    }
}

/* ------------------------------------------------------------ corners */

/* Puts the corners of the first `count` entries back to where they were. */
static void put_back(pli_tearing *t, const pliant_tear *tear, uint32_t count)
{
    uint32_t vertices = (uint32_t)t->welded.count;
    for (uint32_t i = count; i-- > 0;) {
        uint32_t *corner = t->triangles.data + 3 * (size_t)tear->corners[i].triangle;
        for (int k = 0; k < 3; k++) {
            if (corner[k] == tear->corners[i].vertex) {
                corner[k] = tear->split[tear->corners[i].vertex - vertices];
            }
        }
    }
}

static pliant_result move_corner(pli_tearing *t, const pliant_tear *tear, uint32_t i)
{
    uint32_t vertices = (uint32_t)t->welded.count, triangles = (uint32_t)(t->triangles.count / 3);
    pliant_torn_corner asked = tear->corners[i];
    if (asked.triangle >= triangles) {
        return pli_fail(PLIANT_ERROR_RANGE, "corners: entry %u is of triangle %u of %u", i,
                        asked.triangle, triangles);
    }
    uint32_t *corner = t->triangles.data + 3 * (size_t)asked.triangle;
    if (corner[0] == PLI_NO_NUMBER || t->triangle_stamp.data[asked.triangle] == t->now) {
        return pli_fail(PLIANT_ERROR_ARGUMENT,
                        "corners: entry %u is of triangle %u, which is removed", i, asked.triangle);
    }
    if (asked.vertex < vertices || asked.vertex - vertices >= tear->split_count) {
        return pli_fail(PLIANT_ERROR_RANGE,
                        "corners: entry %u goes to vertex %u; the copies are %u and the %u that "
                        "follow",
                        i, asked.vertex, vertices, tear->split_count);
    }
    uint32_t from = tear->split[asked.vertex - vertices], moved = 0;
    for (int k = 0; k < 3; k++) {
        moved += corner[k] == from;
        corner[k] = corner[k] == from ? asked.vertex : corner[k];
    }
    if (moved == 0) {
        return pli_fail(
            PLIANT_ERROR_ARGUMENT,
            "corners: entry %u: triangle %u has no corner at vertex %u, or had it moved "
            "already",
            i, asked.triangle, from);
    }
    return PLIANT_OK;
}

static pliant_result move_corners(pli_tearing *t, const pliant_tear *tear)
{
    for (uint32_t i = 0; i < tear->corner_count; i++) {
        pliant_result result = move_corner(t, tear, i);
        if (result != PLIANT_OK) {
            put_back(t, tear, i);
            return result;
        }
    }
    return PLIANT_OK;
}

/* ------------------------------------------------------------ rings */

/* The copies, with nothing around them yet. */
static void add_vertices(pliant_shape *shape, const pliant_tear *tear)
{
    pli_tearing *t = shape->tearing;
    uint32_t vertices = (uint32_t)t->welded.count;
    for (uint32_t i = 0; i < tear->split_count; i++) {
        uint32_t welded = tear->welded != NULL ? tear->welded[i] : vertices + i;
        memcpy(t->positions.data + 3 * (size_t)(vertices + i),
               t->positions.data + 3 * (size_t)tear->split[i], 3 * sizeof(float));
        t->welded.data[vertices + i] = welded;
        t->ring.data[vertices + i] = t->tail.data[i] = PLI_NO_NUMBER;
        t->vertex_stamp.data[vertices + i] = 0;
        shape->block->quality.welded_vertex_count += welded == vertices + i;
    }
    t->positions.count += 3 * (size_t)tear->split_count;
    t->welded.count += tear->split_count;
    t->ring.count += tear->split_count;
    t->vertex_stamp.count += tear->split_count;
}

/* Corners around a vertex go to the rings of the vertices where they are now, in the same order;
   those of removed triangles go. `first` is the first copy. */
static void part_ring(pli_tearing *t, uint32_t vertex, uint32_t first)
{
    uint32_t corner = t->ring.data[vertex], tail = PLI_NO_NUMBER, next = 0;
    t->ring.data[vertex] = PLI_NO_NUMBER;
    for (; corner != PLI_NO_NUMBER; corner = next) {
        next = t->ring_next.data[corner];
        t->ring_next.data[corner] = PLI_NO_NUMBER;
        if (t->triangle_stamp.data[corner / 3] == t->now) {
            continue;
        }
        uint32_t to = welded_corner(t, corner);
        uint32_t *last = to == vertex ? &tail : &t->tail.data[to - first];
        *(*last == PLI_NO_NUMBER ? &t->ring.data[to] : &t->ring_next.data[*last]) = corner;
        *last = corner;
    }
}

/* ------------------------------------------------------------ clusters */

static uint32_t cluster_of_triangle(const pli_tearing *t, uint32_t triangle)
{
    return t->cluster_of.data[t->slot_of.data[triangle] / 16];
}

static void touch_cluster(pli_tearing *t, uint32_t triangle, uint32_t growth)
{
    uint32_t c = cluster_of_triangle(t, triangle);
    if (t->cluster_stamp.data[c] != t->now) {
        t->cluster_stamp.data[c] = t->now;
        t->touched_clusters.data[t->touched_clusters.count++] = c;
        t->growth.data[c] = 0;
    }
    t->growth.data[c] += growth;
}

/* Finds the clusters that change; where the list of one could get too long, all are laid out anew
   with more room. */
static bool touch_clusters(pliant_shape *shape, const pliant_tear *tear)
{
    pli_tearing *t = shape->tearing;
    t->touched_clusters.count = 0;
    for (uint32_t i = 0; i < tear->removed_count; i++) {
        touch_cluster(t, tear->removed[i], 0);
    }
    for (uint32_t i = 0; i < tear->corner_count; i++) {
        touch_cluster(t, tear->corners[i].triangle, 1);
    }
    bool fits = true;
    for (size_t i = 0; i < t->touched_clusters.count; i++) {
        uint32_t c = t->touched_clusters.data[i];
        const pli_cluster *cluster = &t->clusters.data[c];
        uint32_t most = 3u * cluster->triangle_count;
        uint32_t needed = cluster->vertex_count + t->growth.data[c];
        t->growth.data[c] = (needed < most ? needed : most) - cluster->vertex_count;
        fits = fits && cluster->vertex_count + t->growth.data[c] <= pli_tearing_capacity(t, c);
    }
    bool done = fits || pli_tearing_lay_out_lists(shape, t->lists.data);
    for (size_t i = 0; i < t->touched_clusters.count; i++) {
        t->growth.data[t->touched_clusters.data[i]] = 0;
    }
    return done;
}

enum { TABLE_BITS = 9, TABLE_SIZE = 1 << TABLE_BITS };

/* The vertices of a cluster by number; 192 at most. */
typedef struct listed_vertices {
    uint32_t vertex[TABLE_SIZE];
    uint8_t number[TABLE_SIZE];
} listed_vertices;

/* The number of a vertex in a cluster's list, which grows by it if it is new there. */
static uint8_t number_vertex(listed_vertices *table, uint32_t *list, uint32_t *count,
                             uint32_t vertex)
{
    uint32_t at = vertex * 0x9e3779b1u >> (32 - TABLE_BITS);
    while (table->vertex[at] != vertex) {
        if (table->vertex[at] == PLI_NO_NUMBER) {
            table->vertex[at] = vertex;
            table->number[at] = (uint8_t)*count;
            list[(*count)++] = vertex;
            break;
        }
        at = (at + 1) % TABLE_SIZE;
    }
    return table->number[at];
}

/* Lists the vertices of a cluster's triangles anew, and numbers their corners; holes repeat the
   triangle before them, or the first. */
static void list_cluster(pli_tearing *t, uint32_t c)
{
    listed_vertices table;
    pli_cluster *cluster = &t->clusters.data[c];
    uint32_t *ids = t->slot_triangles.data + cluster->first_slot;
    uint8_t *corners = t->slot_corners.data + 3 * (size_t)cluster->first_slot;
    uint32_t *list = t->lists.data + cluster->first_vertex, count = 0;
    uint32_t from = (uint32_t)__builtin_ctzll(cluster->live);
    memset(table.vertex, 0xff, sizeof table.vertex);
    for (uint32_t s = 0; s < cluster->slot_count; s++) {
        from = cluster->live >> s & 1 ? s : from;
        ids[s] = ids[from];
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t vertex = t->triangles.data[3 * (size_t)ids[s] + k];
            corners[k * cluster->slot_count + s] = number_vertex(&table, list, &count, vertex);
        }
    }
    cluster->vertex_count = cluster->owned_count = (uint8_t)count;
    pli_tearing_fill_rest(t, c);
}

/* Takes an empty child from the node above it, and that from its own if it is empty then. */
static void drop_child(pli_tearing *t, uint32_t child)
{
    size_t place = child & PLI_CLUSTER_BIT ? t->nodes.count + (child & ~PLI_CLUSTER_BIT) : child;
    uint32_t above = t->above.data[place], kept = 0;
    pli_node *node = &t->nodes.data[above];
    for (uint32_t i = 0; i < node->child_count; i++) {
        node->child[kept] = node->child[i];
        kept += node->child[i] != child;
    }
    node->child_count = kept;
    node->child[kept] = 0;
    if (kept == 0) { /* not the root, below which a triangle stays */
        drop_child(t, above);
    }
}

/* Some cluster that is not empty, below the lowest node above an empty one that is not empty
   either. */
static uint32_t find_keeper(const pli_tearing *t, uint32_t cluster)
{
    uint32_t node = t->above.data[t->nodes.count + cluster];
    while (t->nodes.data[node].child_count == 0) {
        node = t->above.data[node];
    }
    while (!(node & PLI_CLUSTER_BIT)) {
        node = t->nodes.data[node].child[0];
    }
    return node & ~PLI_CLUSTER_BIT;
}

/* An empty cluster and those that it kept go to another keeper. */
static void hand_over(pli_tearing *t, uint32_t cluster)
{
    uint32_t keeper = find_keeper(t, cluster), next = t->kept.data[cluster];
    t->kept.data[cluster] = PLI_NO_NUMBER;
    for (uint32_t e = cluster; e != PLI_NO_NUMBER; e = next) {
        next = e == cluster ? next : t->next_kept.data[e];
        t->next_kept.data[e] = t->kept.data[keeper];
        t->kept.data[keeper] = e;
        t->keeper.data[e] = keeper;
    }
    pli_tearing_fill_rest(t, keeper);
}

static void remove_triangle(pli_tearing *t, uint32_t triangle)
{
    uint32_t slot = t->slot_of.data[triangle], c = t->cluster_of.data[slot / 16];
    pli_cluster *cluster = &t->clusters.data[c];
    cluster->live &= ~((uint64_t)1 << (slot - cluster->first_slot));
    cluster->triangle_count--;
    t->slot_features.data[slot] = 0;
    t->slot_of.data[triangle] = PLI_NO_NUMBER;
    memset(t->triangles.data + 3 * (size_t)triangle, 0xff, 3 * sizeof(uint32_t));
    for (uint32_t n = t->above.data[t->nodes.count + c]; n != PLI_NO_NUMBER; n = t->above.data[n]) {
        t->nodes.data[n].triangle_count--;
    }
}

static void renew_clusters(pli_tearing *t)
{
    for (size_t i = 0; i < t->touched_clusters.count; i++) {
        uint32_t c = t->touched_clusters.data[i];
        if (t->clusters.data[c].triangle_count > 0) {
            list_cluster(t, c);
        } else {
            drop_child(t, PLI_CLUSTER_BIT | c);
        }
    }
    for (size_t i = 0; i < t->touched_clusters.count; i++) {
        uint32_t c = t->touched_clusters.data[i];
        if (t->clusters.data[c].triangle_count == 0) {
            hand_over(t, c);
        }
    }
}

/* ------------------------------------------------------------ all of it */

/* Another name for another shape: what is known of shapes by their checksums goes by it. */
static void rename_shape(pli_block_header *block, const pliant_tear *tear)
{
    uint64_t sum = block->checksum + 1;
    for (uint32_t i = 0; i < tear->removed_count; i++) {
        sum = (sum ^ tear->removed[i]) * 0x9e3779b97f4a7c15u;
    }
    for (uint32_t i = 0; i < tear->split_count; i++) {
        sum = (sum ^ sum >> 32 ^ tear->split[i]) * 0x9e3779b97f4a7c15u;
        sum += tear->welded != NULL ? tear->welded[i] : 0;
    }
    for (uint32_t i = 0; i < tear->corner_count; i++) {
        sum = (sum ^ sum >> 29 ^ tear->corners[i].triangle) * 0xbf58476d1ce4e5b9u;
        sum = (sum ^ sum >> 32 ^ tear->corners[i].vertex) * 0x9e3779b97f4a7c15u;
    }
    block->checksum = sum;
}

pliant_result pli_shape_begin_tear(pliant_shape *shape, const pliant_tear *tear,
                                   pli_tear_begun *begun)
{
    pli_tearing *t = shape->tearing;
    if (++t->now == 0) { /* stamps of the last four billion tears are forgotten */
        memset(t->vertex_stamp.data, 0, t->vertex_stamp.count * sizeof(uint32_t));
        memset(t->triangle_stamp.data, 0, t->triangle_stamp.count * sizeof(uint32_t));
        memset(t->cluster_stamp.data, 0, t->cluster_stamp.count * sizeof(uint32_t));
        t->now = 1;
    }
    pliant_result result = check_removed(t, tear);
    if (result == PLIANT_OK) {
        result = check_split(t, tear);
    }
    if (result == PLIANT_OK && !reserve(shape, tear)) {
        result = PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pli_tearing_publish(shape);
    if (result != PLIANT_OK) {
        return result;
    }
    touch_vertices(t, tear);
    *begun = look_around(t, false);
    result = move_corners(t, tear);
    if (result == PLIANT_OK && !touch_clusters(shape, tear)) {
        put_back(t, tear, tear->corner_count);
        result = PLIANT_ERROR_OUT_OF_MEMORY;
    }
    return result;
}

void pli_shape_end_tear(pliant_shape *shape, const pliant_tear *tear, const pli_tear_begun *before)
{
    pli_tearing *t = shape->tearing;
    uint32_t first = (uint32_t)t->welded.count;
    size_t parted = t->touched.count;
    add_vertices(shape, tear);
    for (size_t i = 0; i < parted; i++) {
        part_ring(t, t->touched.data[i], first);
    }
    for (uint32_t i = 0; i < tear->removed_count; i++) {
        remove_triangle(t, tear->removed[i]);
    }
    for (uint32_t i = 0; i < tear->split_count; i++) {
        touch_vertex(t, t->welded.data[first + i]);
    }
    pli_tear_begun after = look_around(t, true);
    renew_clusters(t);
    pliant_shape_quality *quality = &shape->block->quality;
    t->live_count -= tear->removed_count;
    t->twice_count += after.twice - before->twice;
    quality->open_edge_count += after.open_edges - before->open_edges;
    shape->block->is_closed = quality->open_edge_count == 0 && t->twice_count == 0;
    rename_shape(shape->block, tear);
    pli_tearing_publish(shape);
}
