/*
 * From a mesh, its tree and how it deforms to the block of a shape: vertex ownership, local
 * numbers, spans; then skin blocks and coefficients. Clusters are gone through three times, each
 * time by workers side by side: to find who owns each vertex, to list and number the vertices of
 * each, and, once it is known where each list lies, to write them.
 */
#include "shape.h"

#include "model/builder.h"
#include "tree/builder.h"

#include <math.h>
#include <string.h>

enum { CLUSTERS_AT_ONCE = 64 }; /* that a worker goes through */

typedef struct layout {
    const pli_mesh *mesh;
    const pli_tree_builder *tree;
    uint32_t vertex_count, cluster_count;
    /* Scratch: */
    PLI_ATOMIC(uint32_t) * owner; /* per vertex: the first cluster that uses it, or UINT32_MAX */
    uint32_t *mark;               /* per vertex: the node it was last listed for */
    uint32_t *lists; /* in the tree's scratch: 3 per item, its vertices; then, where the items of a
                        cluster begin, the cluster's vertices, owned ones first */
    uint8_t *locals; /* 3 per item: the numbers of its vertices within the cluster */
    const uint8_t *owned;  /* per triangle: the features that are its own */
    pli_cluster *found;    /* the clusters, in full but for `live` */
    pli_indices extras;    /* of all nodes */
    pli_vertex_span *span; /* per node */
    uint64_t slot_total, list_total;
    /* Of the block: */
    pli_cluster *clusters;
    uint32_t *vertex_order, *cluster_vertices, *slot_triangles;
    uint8_t *slot_corners, *slot_features;
} layout;

static uint32_t leaf_count(const pli_tree_builder *tree, uint32_t triangles)
{
    return (triangles + tree->leaf_size - 1) / tree->leaf_size;
}

/* Slots a cluster takes: eight per leaf, rounded up to 16. */
static uint32_t slot_count(const pli_tree_builder *tree, uint32_t triangles)
{
    return (leaf_count(tree, triangles) * PLI_WIDTH + 15) / 16 * 16;
}

/* The clusters of a piece of work: `count` from `first` on. */
static pli_item_run piece_clusters(const layout *l, uint32_t piece)
{
    uint32_t first = piece * CLUSTERS_AT_ONCE, rest = l->cluster_count - first;
    return (pli_item_run){first, rest < CLUSTERS_AT_ONCE ? rest : CLUSTERS_AT_ONCE};
}

static pliant_result run_over_clusters(layout *l, pliant_task task)
{
    return pli_mesh_run(l->mesh, task, l, (l->cluster_count - 1) / CLUSTERS_AT_ONCE + 1);
}

/* ------------------------------------------------------------ who owns each vertex */

/* The lowest cluster that asks for a vertex gets it, whoever asks first. */
static void claim_vertex(PLI_ATOMIC(uint32_t) * owner, uint32_t cluster)
{
    uint32_t known = atomic_load_explicit(owner, memory_order_relaxed);
    while (cluster < known &&
           !atomic_compare_exchange_weak_explicit(owner, &known, cluster, memory_order_relaxed,
                                                  memory_order_relaxed)) {
    }
}

static uint32_t owner_of(const layout *l, uint32_t vertex)
{
    return atomic_load_explicit(&l->owner[vertex], memory_order_relaxed);
}

/* The first time: corners are gathered, and vertices claimed. */
static void claim_vertices(void *argument, uint32_t piece, uint32_t worker)
{
    layout *l = argument;
    (void)worker;
    pli_item_run some = piece_clusters(l, piece);
    for (uint32_t c = some.first; c < some.first + some.count; c++) {
        pli_item_run run = l->tree->clusters.data[c];
        for (uint32_t i = run.first; i < run.first + run.count; i++) {
            const uint32_t *corner =
                l->mesh->triangles + 3 * (size_t)l->tree->items.data[i].triangle;
            for (size_t k = 0; k < 3; k++) {
                l->lists[3 * (size_t)i + k] = corner[k];
                claim_vertex(&l->owner[corner[k]], c);
            }
        }
    }
}

/* ------------------------------------------------------------ the vertices of a cluster */

enum { TABLE_BITS = 9, TABLE_SIZE = 1 << TABLE_BITS, IS_EXTRA = 256 };

/* The vertices of a cluster by number; 192 at most. */
typedef struct vertex_table {
    uint32_t vertex[TABLE_SIZE]; /* UINT32_MAX where there is none */
    uint16_t code[TABLE_SIZE]; /* its number among those owned, or IS_EXTRA and among the others */
    uint16_t owned, extra;     /* how many there are */
    uint32_t owned_list[PLI_CLUSTER_SLOTS * 3], extra_list[PLI_CLUSTER_SLOTS * 3];
} vertex_table;

static uint16_t look_up(const layout *l, vertex_table *table, uint32_t cluster, uint32_t vertex)
{
    uint32_t at = vertex * 0x9e3779b1u >> (32 - TABLE_BITS);
    while (table->vertex[at] != vertex) {
        if (table->vertex[at] == UINT32_MAX) {
            bool extra = owner_of(l, vertex) != cluster;
            table->vertex[at] = vertex;
            if (extra) {
                table->extra_list[table->extra] = vertex;
                table->code[at] = (uint16_t)(IS_EXTRA + table->extra++);
            } else {
                table->owned_list[table->owned] = vertex;
                table->code[at] = table->owned++;
            }
            break;
        }
        at = (at + 1) % TABLE_SIZE;
    }
    return table->code[at];
}

static void list_vertices(layout *l, uint32_t c, vertex_table *table)
{
    pli_item_run run = l->tree->clusters.data[c];
    size_t first = 3 * (size_t)run.first, count = 3 * (size_t)run.count;
    uint16_t code[PLI_CLUSTER_SLOTS * 3];
    memset(table->vertex, 0xff, sizeof table->vertex);
    table->owned = table->extra = 0;
    for (size_t i = 0; i < count; i++) {
        code[i] = look_up(l, table, c, l->lists[first + i]);
    }
    for (size_t i = 0; i < count; i++) {
        l->locals[first + i] = (uint8_t)(code[i] + (code[i] >= IS_EXTRA ? table->owned : 0));
    }
    memcpy(l->lists + first, table->owned_list, table->owned * sizeof *l->lists);
    memcpy(l->lists + first + table->owned, table->extra_list, table->extra * sizeof *l->lists);
    l->found[c] = (pli_cluster){.vertex_count = (uint8_t)(table->owned + table->extra),
                                .owned_count = (uint8_t)table->owned,
                                .slot_count = (uint8_t)slot_count(l->tree, run.count),
                                .triangle_count = (uint8_t)run.count};
}

/* The second time: vertices are listed and numbered. */
static void list_clusters(void *argument, uint32_t piece, uint32_t worker)
{
    layout *l = argument;
    (void)worker;
    vertex_table table;
    pli_item_run some = piece_clusters(l, piece);
    for (uint32_t c = some.first; c < some.first + some.count; c++) {
        list_vertices(l, c, &table);
    }
}

/* Where each cluster's lists begin: those of the clusters lie one behind the other. */
static void place_clusters(layout *l)
{
    uint64_t owned = 0;
    for (uint32_t c = 0; c < l->cluster_count; c++) {
        pli_cluster *cluster = &l->found[c];
        cluster->first_slot = (uint32_t)l->slot_total;
        cluster->first_vertex = (uint32_t)l->list_total;
        cluster->first_owned = (uint32_t)owned;
        l->slot_total += cluster->slot_count;
        l->list_total += pli_padded_count(cluster->vertex_count);
        owned += cluster->owned_count;
    }
}

/* ------------------------------------------------------------ the vertices of a node */

/* The clusters below a node. */
static pli_item_run cluster_range(const pli_node *nodes, uint32_t node)
{
    uint32_t first = node, last = node;
    do {
        first = nodes[first].child[0];
    } while (!(first & PLI_CLUSTER_BIT));
    do {
        last = nodes[last].child[nodes[last].child_count - 1];
    } while (!(last & PLI_CLUSTER_BIT));
    first &= ~PLI_CLUSTER_BIT;
    return (pli_item_run){first, (last & ~PLI_CLUSTER_BIT) - first + 1};
}

/* Lists the vertices used below a node that clusters before it own: its clusters' extras have them.
 */
static bool list_extras(layout *l, uint32_t node, pli_item_run range)
{
    uint32_t end =
        range.first + (range.first > 0 ? range.count : 0); /* none come before the first */
    for (uint32_t c = range.first; c < end; c++) {
        const pli_cluster *cluster = &l->found[c];
        const uint32_t *list = l->lists + 3 * (size_t)l->tree->clusters.data[c].first;
        if (!PLI_RESERVE_MORE(l->mesh->context, &l->extras, cluster->vertex_count)) {
            return false;
        }
        for (uint32_t i = cluster->owned_count; i < cluster->vertex_count; i++) {
            if (owner_of(l, list[i]) < range.first && l->mark[list[i]] != node) {
                l->mark[list[i]] = node;
                l->extras.data[l->extras.count++] = list[i];
            }
        }
    }
    return true;
}

static pliant_result span_nodes(layout *l)
{
    for (uint32_t n = 0; n < l->tree->nodes.count; n++) {
        pli_item_run range = cluster_range(l->tree->nodes.data, n);
        const pli_cluster *first = &l->found[range.first], *last = first + range.count - 1;
        size_t before = l->extras.count;
        if (!list_extras(l, n, range)) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
        l->span[n] = (pli_vertex_span){
            .first = first->first_owned,
            .count = last->first_owned + last->owned_count - first->first_owned,
            .extra_first = (uint32_t)before,
            .extra_count = (uint32_t)(l->extras.count - before),
        };
    }
    return PLIANT_OK;
}

/* ------------------------------------------------------------ writing */

static void write_vertices(const layout *l, const pli_cluster *cluster, const uint32_t *from)
{
    uint32_t *list = l->cluster_vertices + cluster->first_vertex, count = cluster->vertex_count;
    memcpy(list, from, count * sizeof *list);
    for (uint32_t i = count; i < pli_padded_count(count); i++) {
        list[i] = from[count - 1];
    }
    memcpy(l->vertex_order + cluster->first_owned, from, cluster->owned_count * sizeof *list);
}

/* Puts a cluster's triangles into slots; holes repeat the last triangle before them. */
static void write_slots(const layout *l, pli_cluster *cluster, pli_item_run run)
{
    uint32_t slots = cluster->slot_count, leaf_size = l->tree->leaf_size;
    uint32_t *ids = l->slot_triangles + cluster->first_slot;
    uint8_t *features = l->slot_features + cluster->first_slot;
    uint8_t *corners = l->slot_corners + 3 * (size_t)cluster->first_slot;
    for (uint32_t s = 0; s < slots; s++) {
        uint32_t in_leaf = s % PLI_WIDTH, first = s / PLI_WIDTH * leaf_size;
        uint32_t item = first + (in_leaf < leaf_size ? in_leaf : leaf_size - 1);
        bool live = in_leaf < leaf_size && item < run.count;
        item = run.first + (item < run.count ? item : run.count - 1);
        cluster->live |= (uint64_t)live << s;
        ids[s] = l->tree->items.data[item].triangle;
        features[s] = live ? l->owned[ids[s]] : 0;
        for (uint32_t k = 0; k < 3; k++) {
            corners[k * slots + s] = l->locals[3 * (size_t)item + k];
        }
    }
}

/* The third time: all is written to where it belongs. */
static void write_clusters(void *argument, uint32_t piece, uint32_t worker)
{
    layout *l = argument;
    (void)worker;
    pli_item_run some = piece_clusters(l, piece);
    for (uint32_t c = some.first; c < some.first + some.count; c++) {
        pli_item_run run = l->tree->clusters.data[c];
        l->clusters[c] = l->found[c];
        write_vertices(l, &l->clusters[c], l->lists + 3 * (size_t)run.first);
        write_slots(l, &l->clusters[c], run);
    }
}

/* Vertices that no triangle uses come behind all others. */
static void write_unused_vertices(const layout *l)
{
    const pli_cluster *last = &l->found[l->cluster_count - 1];
    uint32_t place = last->first_owned + last->owned_count;
    for (uint32_t v = 0; place < l->vertex_count; v++) {
        if (owner_of(l, v) == UINT32_MAX) {
            l->vertex_order[place++] = v;
        }
    }
}

static void write_nodes(const layout *l, pli_node *nodes)
{
    for (uint32_t n = 0; n < l->tree->nodes.count; n++) {
        nodes[n] = l->tree->nodes.data[n];
        nodes[n].vertices = l->span[n];
    }
}

static void write_header(const layout *l, pli_block_header *block)
{
    const pli_mesh *mesh = l->mesh;
    block->partition = (uint32_t)l->tree->partition;
    block->arity = l->tree->arity;
    block->leaf_size = l->tree->leaf_size;
    block->is_closed = mesh->is_closed;
    block->islands = (uint32_t)l->tree->asked_islands;
    block->quality = mesh->facts;
    block->model = mesh->model;
}

static void copy_section(pli_block_header *block, pli_section section, const void *from)
{
    if (block->count[section] > 0) {
        memcpy(pli_block_section(block, section), from,
               (size_t)block->count[section] * pli_section_element_size(section));
    }
}

static pliant_result write_block(layout *l, pli_block_header *block)
{
    l->clusters = pli_block_section(block, PLI_SECTION_CLUSTERS);
    l->vertex_order = pli_block_section(block, PLI_SECTION_VERTEX_ORDER);
    l->cluster_vertices = pli_block_section(block, PLI_SECTION_CLUSTER_VERTICES);
    l->slot_triangles = pli_block_section(block, PLI_SECTION_SLOT_TRIANGLES);
    l->slot_corners = pli_block_section(block, PLI_SECTION_SLOT_CORNERS);
    l->slot_features = pli_block_section(block, PLI_SECTION_SLOT_FEATURES);
    pliant_result result = run_over_clusters(l, write_clusters);
    write_unused_vertices(l);
    write_nodes(l, pli_block_section(block, PLI_SECTION_NODES));
    copy_section(block, PLI_SECTION_NODE_EXTRAS, l->extras.data);
    copy_section(block, PLI_SECTION_POSITIONS, l->mesh->positions);
    copy_section(block, PLI_SECTION_TRIANGLES, l->mesh->triangles);
    copy_section(block, PLI_SECTION_WELDED, l->mesh->welded);
    copy_section(block, PLI_SECTION_GROUPS, l->mesh->groups);
    write_header(l, block);
    return result;
}

static pliant_result make_block(layout *l, pli_block_header **out)
{
    const pli_mesh *mesh = l->mesh;
    const uint64_t count[PLI_SECTION_COUNT] = {
        [PLI_SECTION_POSITIONS] = 3 * (uint64_t)mesh->vertex_count,
        [PLI_SECTION_TRIANGLES] = 3 * (uint64_t)mesh->triangle_count,
        [PLI_SECTION_GROUPS] = mesh->groups != NULL ? mesh->triangle_count : 0,
        [PLI_SECTION_WELDED] = mesh->vertex_count,
        [PLI_SECTION_NODES] = l->tree->nodes.count,
        [PLI_SECTION_CLUSTERS] = l->tree->clusters.count,
        [PLI_SECTION_VERTEX_ORDER] = mesh->vertex_count,
        [PLI_SECTION_NODE_EXTRAS] = l->extras.count,
        [PLI_SECTION_CLUSTER_VERTICES] = l->list_total,
        [PLI_SECTION_SLOT_TRIANGLES] = l->slot_total,
        [PLI_SECTION_SLOT_CORNERS] = 3 * l->slot_total,
        [PLI_SECTION_SLOT_FEATURES] = l->slot_total,
    };
    if (l->slot_total > UINT32_MAX || l->list_total > UINT32_MAX || l->extras.count > UINT32_MAX) {
        return pli_fail(PLIANT_ERROR_TOO_LARGE, "a tree with %llu triangle slots",
                        (unsigned long long)l->slot_total);
    }
    pli_block_header *block = NULL;
    pliant_result result = pli_block_allocate(mesh->context, count, &block);
    if (result != PLIANT_OK) {
        return result;
    }
    result = write_block(l, block);
    if (result != PLIANT_OK) {
        pli_release(mesh->context, block, (size_t)block->size);
        return result;
    }
    *out = block;
    return PLIANT_OK;
}

static pliant_result lay_out(layout *l, pli_block_header **block)
{
    for (uint32_t v = 0; v < l->vertex_count; v++) {
        atomic_init(&l->owner[v], UINT32_MAX);
        l->mark[v] = UINT32_MAX;
    }
    pliant_result result = run_over_clusters(l, claim_vertices);
    if (result == PLIANT_OK) {
        result = run_over_clusters(l, list_clusters);
    }
    if (result == PLIANT_OK) {
        place_clusters(l);
        result = span_nodes(l);
    }
    return result == PLIANT_OK ? make_block(l, block) : result;
}

pliant_result pli_lay_out(const pli_mesh *mesh, const pli_tree_builder *tree,
                          pli_block_header **block)
{
    _Static_assert(sizeof(pli_item) >= 3 * sizeof(uint32_t), "lists fit the tree's scratch");
    layout l = {.mesh = mesh,
                .tree = tree,
                .vertex_count = mesh->vertex_count,
                .cluster_count = (uint32_t)tree->clusters.count,
                .lists = tree->scratch.array.data,
                .owned = mesh->owned};
    const size_t bytes[] = {
        l.vertex_count * sizeof *l.owner,   l.vertex_count * sizeof *l.mark,
        3 * (size_t)mesh->triangle_count,   l.cluster_count * sizeof *l.found,
        tree->nodes.count * sizeof *l.span,
    };
    enum { PARTS = sizeof bytes / sizeof bytes[0] };
    void *part[PARTS];
    bool enough = true;
    for (int i = 0; i < PARTS; i++) {
        part[i] = enough ? pli_allocate(mesh->context, bytes[i]) : NULL;
        enough = enough && part[i] != NULL;
    }
    l.owner = part[0], l.mark = part[1], l.locals = part[2], l.found = part[3], l.span = part[4];
    pliant_result result = enough ? lay_out(&l, block) : PLIANT_ERROR_OUT_OF_MEMORY;
    for (int i = 0; i < PARTS; i++) {
        pli_release(mesh->context, part[i], bytes[i]);
    }
    pli_array_release(mesh->context, &l.extras.array);
    return result;
}

/* ------------------------------------------------------------ how it deforms */

/* Modes beyond this number make affine coefficients large and their refresh slow; boxes serve then.
 */
enum { MOST_AFFINE_MODES = 48 };

pli_coefficient_kind pli_choose_coefficients(const pli_model *model)
{
    if (model->has_influences) {
        return PLI_COEFFICIENTS_BLEND;
    }
    if (model->mode_count == 0 && model->joint_count == 0) {
        return PLI_COEFFICIENTS_NONE;
    }
    switch ((pliant_bound_kind)model->bound) {
    case PLIANT_BOUND_BOX:
        return PLI_COEFFICIENTS_BOX;
    case PLIANT_BOUND_SPHERE:
        return PLI_COEFFICIENTS_SPHERE;
    case PLIANT_BOUND_AFFINE:
        return PLI_COEFFICIENTS_AFFINE;
    case PLIANT_BOUND_AUTO:
        break;
    }
    return model->mode_count <= MOST_AFFINE_MODES ? PLI_COEFFICIENTS_AFFINE : PLI_COEFFICIENTS_BOX;
}

static float larger(float a, float b)
{
    return a > b ? a : b;
}

/* The largest absolute coordinate of the rest positions and of each field, over all vertices; and
   the size of the whole. */
static void measure_mesh(pli_model_builder *builder)
{
    const pli_mesh *mesh = builder->mesh;
    const pli_entries *fields = &mesh->fields;
    float *reach = builder->reach.data;
    for (size_t k = 0; k < 3; k++) {
        double low = (double)mesh->positions[k], high = low;
        for (size_t i = k; i < 3 * (size_t)mesh->vertex_count; i += 3) {
            double x = (double)mesh->positions[i];
            reach[0] = larger(reach[0], fabsf(mesh->positions[i]));
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        builder->size = fmax(builder->size, 0.5 * (high - low));
    }
    for (uint32_t e = 0; fields->start != NULL && e < fields->start[mesh->vertex_count]; e++) {
        float *of_mode = reach + 1 + fields->number[e];
        for (size_t k = 0; k < 3; k++) {
            *of_mode = larger(*of_mode, fabsf(fields->value[3 * (size_t)e + k]));
        }
    }
}

static pliant_result allocate_scratch(pli_model_builder *builder)
{
    size_t modes = builder->model.mode_count, joints = builder->model.joint_count;
    size_t numbers = (modes > joints ? modes : joints) + 1;
    if (!PLI_CREATE(builder->context, &builder->mark, numbers) ||
        !PLI_CREATE(builder->context, &builder->mode_slot, numbers) ||
        !PLI_CREATE(builder->context, &builder->joint_slot, numbers) ||
        !PLI_CREATE(builder->context, &builder->reach, 1 + modes)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    measure_mesh(builder);
    return PLIANT_OK;
}

static pliant_result make_model_block(pli_model_builder *builder, pli_block_header *old,
                                      pli_block_header **out)
{
    pli_block_header *block = NULL;
    bool has_skin_blocks = builder->skin_blocks.count > 0;
    uint64_t count[PLI_SECTION_COUNT];
    memcpy(count, old->count, sizeof count);
    count[PLI_SECTION_SKIN_BLOCKS] = builder->skin_blocks.count;
    count[PLI_SECTION_SKIN_BLOCK_MODES] = builder->skin_block_modes.count;
    count[PLI_SECTION_SKIN_BLOCK_JOINTS] = builder->skin_block_joints.count;
    count[PLI_SECTION_SKIN_BLOCK_VALUES] = builder->skin_block_values.count;
    count[PLI_SECTION_VERTEX_PLACE] = has_skin_blocks ? builder->mesh->vertex_count : 0;
    count[PLI_SECTION_COEFFICIENTS] = builder->coefficients.count;
    count[PLI_SECTION_COEFFICIENT_MODES] = builder->coefficient_modes.count;
    count[PLI_SECTION_COEFFICIENT_JOINTS] = builder->coefficient_joints.count;
    count[PLI_SECTION_COEFFICIENT_VALUES] = builder->coefficient_values.count;
    count[PLI_SECTION_REACH] = builder->reach.count;
    pliant_result result = pli_block_allocate(builder->context, count, &block);
    if (result != PLIANT_OK) {
        return result;
    }
    block->partition = old->partition;
    block->arity = old->arity;
    block->leaf_size = old->leaf_size;
    block->is_closed = old->is_closed;
    block->islands = old->islands;
    block->quality = old->quality;
    block->model = builder->model;
    for (int s = 0; s < PLI_SECTION_SKIN_BLOCKS; s++) {
        copy_section(block, (pli_section)s, pli_block_section(old, (pli_section)s));
    }
    copy_section(block, PLI_SECTION_SKIN_BLOCKS, builder->skin_blocks.data);
    copy_section(block, PLI_SECTION_SKIN_BLOCK_MODES, builder->skin_block_modes.data);
    copy_section(block, PLI_SECTION_SKIN_BLOCK_JOINTS, builder->skin_block_joints.data);
    copy_section(block, PLI_SECTION_SKIN_BLOCK_VALUES, builder->skin_block_values.data);
    copy_section(block, PLI_SECTION_COEFFICIENTS, builder->coefficients.data);
    copy_section(block, PLI_SECTION_COEFFICIENT_MODES, builder->coefficient_modes.data);
    copy_section(block, PLI_SECTION_COEFFICIENT_JOINTS, builder->coefficient_joints.data);
    copy_section(block, PLI_SECTION_COEFFICIENT_VALUES, builder->coefficient_values.data);
    uint32_t *place = pli_block_section(block, PLI_SECTION_VERTEX_PLACE);
    for (uint32_t i = 0; i < builder->mesh->vertex_count && has_skin_blocks; i++) {
        place[builder->tree.vertex_order[i]] = i;
    }
    copy_section(block, PLI_SECTION_REACH, builder->reach.data);
    *out = block;
    return PLIANT_OK;
}

pliant_result pli_lay_out_model(const pli_mesh *mesh, const pliant_shape *shape,
                                pli_block_header **block)
{
    pli_model_builder builder = {
        .context = mesh->context,
        .mesh = mesh,
        .tree = pli_shape_tree(shape),
        .centre = (pliant_sphere_centre)mesh->model.sphere_centre,
        .model = mesh->model,
    };
    builder.model.coefficient_kind = (uint32_t)pli_choose_coefficients(&builder.model);
    builder.may_mix = builder.model.bound == PLIANT_BOUND_AUTO &&
                      builder.model.coefficient_kind == PLI_COEFFICIENTS_AFFINE;
    pliant_result result = allocate_scratch(&builder);
    if (result == PLIANT_OK && (mesh->fields.start != NULL || mesh->influences.start != NULL)) {
        result = pli_build_skin_blocks(&builder);
    }
    if (result == PLIANT_OK) {
        result = pli_build_coefficients(&builder);
    }
    if (result == PLIANT_OK) {
        result = make_model_block(&builder, shape->block, block);
    }
    pli_arrays_release(mesh->context, builder.arrays, PLI_MODEL_ARRAYS);
    return result;
}
