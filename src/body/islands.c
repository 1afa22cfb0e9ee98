/*
 * Islands: pieces of a mesh with subtrees of their own, under a small tree that follows the state.
 * Ours.
 *
 * Before the first query of a state every island is bounded, as the strategy has it: by itself
 * together with its siblings at rest, whose coefficients or vertices do not care where they lie
 * now, or by what is refreshed below it. Top nodes only merge these boxes, so which islands lie
 * under which is free: once the boxes of top nodes have grown by a part more than the body as a
 * whole, islands are sorted anew, by where they are now. Where the pieces move like one thing, they
 * keep their places and nothing is sorted.
 */
#include "refresh.h"

#include "base/error.h"
#include "tree/builder.h"

#include <math.h>
#include <string.h>

/* What lies in a lane of a top node: an island, or another top node, by its place among these. */
enum { ISLAND = 0x40000000 };

typedef struct top_node {
    uint32_t node;            /* its number */
    uint32_t lane[PLI_WIDTH]; /* see above */
    pli_node_record *record;  /* in the state that is being prepared */
} top_node;

typedef struct island {
    float box[6];
    float sphere[4]; /* centre and radius, where records have spheres */
    uint32_t child;
    void *record; /* if it has been refreshed, in the state that is being prepared */
} island;

struct pli_islands {
    pli_node *nodes; /* all of the shape's, with the top nodes as they are now */
    top_node *top;   /* in depth-first order: nodes before what lies below them */
    island *islands; /* by the numbers that the shape's own tree meets them in */
    pli_item *order; /* of the islands in the tree, with their middles */
    size_t bytes;
    double sorted_size; /* of the top nodes, when islands were last sorted */
    uint64_t sorts;     /* how often they were */
};

/* ------------------------------------------------------------------ memory */

static struct pli_islands *create(const pliant_shape *shape)
{
    size_t nodes = shape->node_count * sizeof(pli_node);
    size_t top = shape->top_count * sizeof(top_node);
    size_t islands = shape->island_count * sizeof(island);
    size_t order = shape->island_count * sizeof(pli_item);
    size_t bytes = sizeof(struct pli_islands) + nodes + top + islands + order;
    char *memory = pli_allocate(shape->context, bytes);
    if (memory == NULL) {
        return NULL;
    }
    struct pli_islands *made = (struct pli_islands *)(void *)memory;
    char *at = memory + sizeof *made;
    *made = (struct pli_islands){
        .top = (top_node *)(void *)at,
        .islands = (island *)(void *)(at + top),
        .nodes = (pli_node *)(void *)(at + top + islands),
        .order = (pli_item *)(void *)(at + top + islands + nodes),
        .bytes = bytes,
    };
    memcpy(made->nodes, shape->nodes, nodes);
    uint32_t t = 0, count = 0;
    for (uint32_t n = 0; n < shape->node_count; n++) {
        const pli_node *node = &shape->nodes[n];
        if (!node->is_top) {
            continue;
        }
        made->top[t++] = (top_node){.node = n};
        for (uint32_t i = 0; i < node->child_count; i++) {
            uint32_t child = node->child[i];
            if (child & PLI_CLUSTER_BIT || !shape->nodes[child].is_top) {
                made->order[count] = (pli_item){.triangle = count};
                made->islands[count++] = (island){.child = child};
            }
        }
    }
    return made;
}

void pli_islands_release(pliant_body *body)
{
    if (body->islands != NULL) {
        pli_release(body->context, body->islands, body->islands->bytes);
        body->islands = NULL;
        body->nodes = body->shape->nodes;
    }
}

uint64_t pli_islands_memory(const pliant_body *body)
{
    return body->islands != NULL ? body->islands->bytes : 0;
}

uint64_t pli_islands_sorts(const pliant_body *body)
{
    return body->islands != NULL ? body->islands->sorts : 0;
}

/* ------------------------------------------------------- boxes of islands */

/* Where a top node's record would be, with room for spheres. */
typedef struct siblings {
    pli_node_record record;
    pli_spheres spheres;
} siblings;

/* Whether the strategy refreshes more of an island than its box before the first query. */
static bool is_eager(const pliant_body *body, uint32_t child)
{
    switch (body->update) {
    case PLIANT_UPDATE_BOTTOM_UP:
        return true;
    case PLIANT_UPDATE_FRONT:
        return pli_is_in_front(body, child);
    case PLIANT_UPDATE_HYBRID:
        return !(child & PLI_CLUSTER_BIT) && body->shape->nodes[child].level < body->eager_levels;
    case PLIANT_UPDATE_TOP_DOWN:
    case PLIANT_UPDATE_AUTO:
        break;
    }
    return false;
}

/* Refreshes an eager island, and puts its box into its lane. */
static pliant_result refresh_island(pliant_body *body, pli_arena *arena, uint32_t child,
                                    uint32_t lane, pli_node_record *parent)
{
    if (body->update == PLIANT_UPDATE_BOTTOM_UP) {
        return pli_bottom_up_lane(body, arena, child, lane, parent);
    }
    if (body->update == PLIANT_UPDATE_FRONT) {
        return pli_front_lane(body, arena, child, lane, parent);
    }
    pli_node_record *below = NULL;
    pliant_result result = pli_refresh_levels(
        body, arena, child, body->eager_levels - body->shape->nodes[child].level, &below);
    if (result == PLIANT_OK) {
        parent->child[lane] = below;
        pli_boxes_merge(&below->box, &parent->box, lane);
    }
    return result;
}

static void keep_island(island *i, siblings *s, uint32_t lane, bool has_spheres)
{
    for (int k = 0; k < 6; k++) {
        i->box[k] = s->record.box.side[k][lane];
    }
    for (int k = 0; k < 3 && has_spheres; k++) {
        i->sphere[k] = s->spheres.centre[k][lane];
        i->sphere[3] = s->spheres.radius[lane];
    }
    i->record = s->record.child[lane];
}

/* Bounds the islands that are siblings at rest, which `next` counts. */
static pliant_result bound_siblings(pliant_body *body, pli_arena *arena, uint32_t node,
                                    uint32_t *next)
{
    siblings s;
    const pli_node *constant = &body->shape->nodes[node];
    unsigned islands = 0, eager = 0, all = (1u << constant->child_count) - 1;
    pli_boxes_clear(&s.record.box);
    for (uint32_t lane = 0; lane < PLI_WIDTH; lane++) {
        atomic_init(&s.record.child[lane], NULL);
    }
    for (uint32_t lane = 0; lane < constant->child_count; lane++) {
        uint32_t child = constant->child[lane];
        bool is_island = child & PLI_CLUSTER_BIT || !body->shape->nodes[child].is_top;
        islands |= (unsigned)is_island << lane;
        eager |= (unsigned)(is_island && is_eager(body, child)) << lane;
    }
    if (islands == 0) {
        return PLIANT_OK;
    }
    pliant_result result =
        pli_bound_children(body, arena, node, (all & ~islands) | eager, &s.record);
    for (; eager != 0 && result == PLIANT_OK; eager &= eager - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(eager);
        result = refresh_island(body, arena, constant->child[lane], lane, &s.record);
    }
    for (; islands != 0 && result == PLIANT_OK; islands &= islands - 1) {
        keep_island(&body->islands->islands[(*next)++], &s, (uint32_t)__builtin_ctz(islands),
                    pli_body_has_spheres(body));
    }
    return result;
}

/* Bounds the islands of a body whose children are bounded by their vertices, one by one. */
static pliant_result bound_one_by_one(pliant_body *body, pli_arena *arena)
{
    siblings s;
    pliant_result result = PLIANT_OK;
    for (uint32_t i = 0; i < body->shape->island_count && result == PLIANT_OK; i++) {
        island *one = &body->islands->islands[i];
        atomic_init(&s.record.child[0], NULL);
        result = is_eager(body, one->child) ? refresh_island(body, arena, one->child, 0, &s.record)
                                            : pli_bound_lane(body, arena, &s.record, 0, one->child);
        if (result == PLIANT_OK) {
            keep_island(one, &s, 0, false);
        }
    }
    return result;
}

static pliant_result bound_islands(pliant_body *body, pli_arena *arena)
{
    uint32_t next = 0;
    pliant_result result = PLIANT_OK;
    if (!pli_body_has_coefficients(body) && !pli_body_is_sweep(body)) {
        return bound_one_by_one(body, arena);
    }
    for (uint32_t t = 0; t < body->shape->top_count && result == PLIANT_OK; t++) {
        result = bound_siblings(body, arena, body->islands->top[t].node, &next);
    }
    return result;
}

/* ------------------------------------------------------ the tree over them */

/* Says what lies below the top node with the next place, over islands that follow each other in the
   order. Returns its place. */
static uint32_t connect_islands(pliant_body *body, uint32_t *next, uint32_t first, uint32_t count,
                                uint32_t level)
{
    struct pli_islands *islands = body->islands;
    uint32_t sizes[PLI_WIDTH], place = (*next)++;
    uint32_t parts = pli_island_sizes(count, body->shape->block->arity, sizes);
    top_node *top = &islands->top[place];
    pli_node *node = &islands->nodes[top->node];
    *node = (pli_node){.child_count = parts, .level = level, .is_top = 1};
    for (uint32_t i = 0; i < parts; i++) {
        if (sizes[i] == 1) {
            uint32_t number = islands->order[first].triangle;
            top->lane[i] = ISLAND | number;
            node->child[i] = islands->islands[number].child;
        } else {
            top->lane[i] = connect_islands(body, next, first, sizes[i], level + 1);
            node->child[i] = islands->top[top->lane[i]].node;
        }
        uint32_t child = node->child[i];
        node->triangle_count += child & PLI_CLUSTER_BIT
                                    ? body->shape->clusters[child & ~PLI_CLUSTER_BIT].triangle_count
                                    : islands->nodes[child].triangle_count;
        first += sizes[i];
    }
    return place;
}

static void sort_islands(pliant_body *body)
{
    struct pli_islands *islands = body->islands;
    uint32_t count = body->shape->island_count, next = 0;
    for (uint32_t i = 0; i < count; i++) {
        const float *box = islands->islands[i].box;
        pli_item *item = &islands->order[i];
        item->triangle = i;
        for (int k = 0; k < 3; k++) {
            item->midpoint[k] = 0.5f * box[k] + 0.5f * box[3 + k];
        }
    }
    pli_sort_islands(islands->order, count, body->shape->block->arity);
    connect_islands(body, &next, 0, count, 0);
}

/* A sphere around the box of a lane, for lanes that are top nodes. */
static void enclose_box(const pli_boxes *box, uint32_t lane, pli_spheres *spheres)
{
    double square = 0.0;
    for (int k = 0; k < 3; k++) {
        double lower = (double)box->side[k][lane], upper = (double)box->side[3 + k][lane];
        float centre = (float)(0.5 * lower + 0.5 * upper);
        double half = fmax(upper - (double)centre, (double)centre - lower);
        spheres->centre[k][lane] = centre;
        square += half * half;
    }
    double radius = sqrt(square) * (1.0 + 0x1p-40);
    spheres->radius[lane] = radius < 0x1p127 ? nextafterf((float)radius, INFINITY) : INFINITY;
}

/* Fills the boxes of all top nodes, from the last to the first. */
static void merge_boxes(pliant_body *body)
{
    struct pli_islands *islands = body->islands;
    for (uint32_t t = body->shape->top_count; t-- > 0;) {
        const top_node *top = &islands->top[t];
        pli_node_record *record = top->record;
        PLI_ASSERT(record != NULL);
        uint32_t lanes = islands->nodes[top->node].child_count;
        pli_spheres *spheres = pli_body_has_spheres(body) ? pli_record_spheres(record) : NULL;
        for (uint32_t lane = 0; lane < lanes; lane++) {
            uint32_t below = top->lane[lane];
            if (!(below & ISLAND)) {
                pli_node_record *merged = islands->top[below].record;
                atomic_store_explicit(&record->child[lane], merged, memory_order_release);
                pli_boxes_merge(&merged->box, &record->box, lane);
                if (spheres != NULL) {
                    enclose_box(&record->box, lane, spheres);
                }
                continue;
            }
            const island *i = &islands->islands[below & ~(uint32_t)ISLAND];
            atomic_store_explicit(&record->child[lane], i->record, memory_order_release);
            for (int k = 0; k < 6; k++) {
                record->box.side[k][lane] = i->box[k];
            }
            for (int k = 0; k < 3 && spheres != NULL; k++) {
                spheres->centre[k][lane] = i->sphere[k];
                spheres->radius[lane] = i->sphere[3];
            }
        }
    }
}

static double sides_of(const pli_boxes *box, uint32_t lane)
{
    double sides = 0.0;
    for (int k = 0; k < 3; k++) {
        sides += (double)box->side[3 + k][lane] - (double)box->side[k][lane];
    }
    return sides;
}

/* The sides of the boxes of all top nodes but the root, over the root's. */
static double measure(const pliant_body *body)
{
    const struct pli_islands *islands = body->islands;
    pli_boxes whole;
    double sum = 0.0;
    pli_boxes_clear(&whole);
    pli_boxes_merge(&islands->top[0].record->box, &whole, 0);
    for (uint32_t t = 0; t < body->shape->top_count; t++) {
        const top_node *top = &islands->top[t];
        for (uint32_t lane = 0; lane < islands->nodes[top->node].child_count; lane++) {
            if (!(top->lane[lane] & ISLAND)) {
                sum += sides_of(&top->record->box, lane);
            }
        }
    }
    double size = sides_of(&whole, 0);
    return size > 0.0 ? sum / size : 0.0;
}

/* How much larger top nodes may become, against the whole, before islands are sorted anew. */
#define MOST_GROWTH 1.1

pliant_result pli_prepare_islands(pliant_body *body, pli_arena *arena, pli_node_record **root)
{
    if (body->islands == NULL) {
        body->islands = create(body->shape);
        if (body->islands == NULL) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
        body->nodes = body->islands->nodes;
    }
    struct pli_islands *islands = body->islands;
    if (body->update == PLIANT_UPDATE_FRONT) {
        pli_front_begin(body);
    }
    pliant_result result = bound_islands(body, arena);
    for (uint32_t t = 0; t < body->shape->top_count && result == PLIANT_OK; t++) {
        islands->top[t].record = pli_node_record_create(body, arena);
        result = islands->top[t].record != NULL ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
    }
    if (result != PLIANT_OK) {
        return result;
    }
    if (islands->sorts > 0) {
        merge_boxes(body);
    }
    if (islands->sorts == 0 || measure(body) > MOST_GROWTH * islands->sorted_size) {
        sort_islands(body);
        for (uint32_t t = 0; t < body->shape->top_count; t++) {
            pli_node_record *record = islands->top[t].record;
            pli_boxes_clear(&record->box);
            for (int lane = 0; lane < PLI_WIDTH; lane++) {
                atomic_init(&record->child[lane], NULL);
            }
        }
        merge_boxes(body);
        islands->sorted_size = measure(body);
        islands->sorts++;
    }
    *root = islands->top[0].record;
    return PLIANT_OK;
}
