#include "contours.h"

#include "base/clock.h"
#include "base/float_env.h"
#include "base/sort.h"
#include "contour/faces.h"
#include "contour/regions.h"
#include "query/query.h"

#include <math.h>

static const size_t list_sizes[PLI_LISTS] = {
    [PLI_LIST_NODES] = sizeof(pli_contour_node),
    [PLI_LIST_NODE_TABLE] = sizeof(uint32_t),
    [PLI_LIST_LINKS] = sizeof(pli_contour_link),
    [PLI_LIST_INCIDENT_START] = sizeof(uint32_t),
    [PLI_LIST_INCIDENT] = sizeof(uint32_t),
    [PLI_LIST_USED] = sizeof(uint8_t),
    [PLI_LIST_KEYS] = sizeof(uint64_t),
    [PLI_LIST_KEY_SCRATCH] = sizeof(uint64_t),
    [PLI_LIST_VALUES] = sizeof(uint64_t),
    [PLI_LIST_VALUE_SCRATCH] = sizeof(uint64_t),
    [PLI_LIST_TOUCHES_BY_B] = sizeof(uint64_t),
    [PLI_LIST_ENTRIES] = sizeof(pli_edge_entry),
    [PLI_LIST_LOCAL] = sizeof(uint32_t),
    [PLI_LIST_STOPS] = sizeof(pli_stop),
    [PLI_LIST_PLACES] = sizeof(pli_place),
    [PLI_LIST_LOCAL_NODES] = sizeof(pli_local_node),
    [PLI_LIST_LOCAL_LINKS] = sizeof(pli_local_link),
    [PLI_LIST_PATH] = sizeof(uint32_t),
    [PLI_LIST_MARKS] = sizeof(pli_region_mark),
    [PLI_LIST_CONTOURS] = sizeof(pliant_contour),
    [PLI_LIST_POINTS] = sizeof(pliant_contour_point),
    [PLI_LIST_SEGMENTS] = sizeof(pliant_contour_segment),
    [PLI_LIST_TOUCHES] = sizeof(pliant_contour_touch),
    [PLI_LIST_REGIONS] = sizeof(pliant_region),
    [PLI_LIST_PIECES] = sizeof(pliant_region_piece),
    [PLI_LIST_CORNERS] = sizeof(float[3]),
};

static const size_t side_sizes[PLI_SIDE_LISTS] = {
    [PLI_SIDE_POSITIONS] = sizeof(float[3]),
    [PLI_SIDE_LOWEST] = sizeof(uint32_t),
    [PLI_SIDE_STATE] = sizeof(uint8_t),
    [PLI_SIDE_CUTS] = sizeof(pli_cut),
    [PLI_SIDE_CUT_POINTS] = sizeof(pli_cut_point),
    [PLI_SIDE_EDGES] = sizeof(pli_cut_edge),
    [PLI_SIDE_PARENTS] = sizeof(uint32_t),
    [PLI_SIDE_BLOCKED] = sizeof(uint8_t),
    [PLI_SIDE_COMPONENTS] = sizeof(uint32_t),
    [PLI_SIDE_TRIANGLE_LINKS] = sizeof(uint64_t),
    [PLI_SIDE_HOLES] = sizeof(pli_hole),
    [PLI_SIDE_REGION_OF] = sizeof(uint32_t),
    [PLI_SIDE_VERTEX_REGIONS] = sizeof(uint32_t),
    [PLI_SIDE_TRIANGLE_REGIONS] = sizeof(uint32_t),
    [PLI_SIDE_GRADIENTS] = sizeof(float[3]),
};

/* ------------------------------------------------------------------ the object */

static void init_lists(pli_array *lists, const size_t *sizes, int count)
{
    for (int i = 0; i < count; i++) {
        lists[i] = (pli_array){.element_size = sizes[i]};
    }
}

pliant_result pliant_contours_create(pliant_context *context, pliant_contours **contours)
{
    PLI_REQUIRE(context);
    PLI_REQUIRE(contours);
    pliant_contours *created = pli_allocate(context, sizeof *created);
    if (created == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    *created = (pliant_contours){.context = context};
    pliant_result result = pliant_query_create(context, &created->query);
    if (result != PLIANT_OK) {
        pli_release(context, created, sizeof *created);
        return result;
    }
    init_lists(created->list, list_sizes, PLI_LISTS);
    for (uint32_t s = 0; s < 2; s++) {
        init_lists(created->side[s].list, side_sizes, PLI_SIDE_LISTS);
        created->side[s].number = s;
    }
    *contours = created;
    return PLIANT_OK;
}

/* The query keeps the context alive, and so is destroyed last. */
void pliant_contours_destroy(pliant_contours *contours)
{
    if (contours == NULL) {
        return;
    }
    pliant_context *context = contours->context;
    pliant_query *query = contours->query;
    pli_arrays_release(context, contours->list, PLI_LISTS);
    for (int s = 0; s < 2; s++) {
        pli_arrays_release(context, contours->side[s].list, PLI_SIDE_LISTS);
    }
    pli_release(context, contours, sizeof *contours);
    pliant_query_destroy(query);
}

const pliant_contour_stats *pliant_contours_get_stats(const pliant_contours *contours)
{
    return contours != NULL ? &contours->stats : NULL;
}

static const pliant_contour_options default_options = {
    .regions = true,
    .tag = PLI_TAG(pliant_contour_options),
};

PLIANT_DEFINE_DEFAULT(pliant_contour_options)
{
    return default_options;
}

/* ------------------------------------------------------------------ lists and forests */

pliant_result pli_list_resize(pliant_context *context, pli_array *list, size_t count)
{
    if (!pli_array_reserve(context, list, count, list->element_size)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    list->count = count;
    return PLIANT_OK;
}

void *pli_list_add(pliant_context *context, pli_array *list)
{
    if (pli_list_resize(context, list, list->count + 1) != PLIANT_OK) {
        return NULL;
    }
    return (char *)list->data + (list->count - 1) * list->element_size;
}

pliant_result pli_contours_sort(pliant_contours *c, size_t count, bool values)
{
    pliant_result result = pli_list_resize(c->context, &c->list[PLI_LIST_KEY_SCRATCH], count);
    if (result == PLIANT_OK && values) {
        result = pli_list_resize(c->context, &c->list[PLI_LIST_VALUE_SCRATCH], count);
    }
    if (result == PLIANT_OK && count > 0) {
        pli_sort_keys(PLI_ITEMS(uint64_t, c, PLI_LIST_KEYS),
                      PLI_ITEMS(uint64_t, c, PLI_LIST_KEY_SCRATCH),
                      values ? PLI_ITEMS(uint64_t, c, PLI_LIST_VALUES) : NULL,
                      values ? PLI_ITEMS(uint64_t, c, PLI_LIST_VALUE_SCRATCH) : NULL, count);
    }
    return result;
}

uint32_t pli_forest_find(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

void pli_forest_join(uint32_t *parent, uint32_t i, uint32_t j)
{
    i = pli_forest_find(parent, i);
    j = pli_forest_find(parent, j);
    if (i < j) {
        parent[j] = i;
    } else {
        parent[i] = j;
    }
}

/* ------------------------------------------------------------------ sides */

uint32_t pli_side_lowest(const pli_contour_side *side, uint32_t vertex)
{
    const pli_array *list = &side->list[PLI_SIDE_LOWEST];
    if (list->count > 0) {
        return ((const uint32_t *)list->data)[vertex];
    }
    uint32_t lowest = side->shape->welded[vertex];
    if (lowest == vertex) {
        return vertex;
    }
    float p[3], q[3];
    pli_side_vertex(side, vertex, p);
    pli_side_vertex(side, lowest, q);
    return p[0] == q[0] && p[1] == q[1] && p[2] == q[2] ? lowest : vertex;
}

bool pli_side_has(const pli_contour_side *side, uint32_t triangle)
{
    return pli_shape_has_triangle(side->shape, triangle) &&
           (pli_in_groups(side->shape, side->groups[0], triangle) ||
            pli_in_groups(side->shape, side->groups[1], triangle));
}

static void set_side(pliant_contours *c, uint32_t s, pliant_body *body,
                     const pliant_contour_options *options)
{
    pli_contour_side *side = &c->side[s];
    side->body = body;
    side->shape = body->given; /* whose mesh it is, and which lives as long as the body */
    pliant_groups own = s == 0 ? options->groups_a : options->groups_b;
    side->groups[0] = own;
    side->groups[1] = c->self ? options->groups_b : own;
    side->torn = false;
    side->first_role = c->self ? 0 : s;
    side->last_role = c->self ? 1 : s;
    for (int i = 0; i < PLI_SIDE_LISTS; i++) {
        side->list[i].count = 0;
    }
}

/* All vertices at once: what lies inside, and how large it is, takes them all. */
static pliant_result evaluate_side(pliant_contours *c, pli_contour_side *side)
{
    uint32_t count = side->shape->vertex_count;
    pliant_result result = pli_list_resize(c->context, &side->list[PLI_SIDE_POSITIONS], count);
    if (result != PLIANT_OK) {
        return result;
    }
    float *p = PLI_ITEMS(float, side, PLI_SIDE_POSITIONS);
    result = pliant_body_evaluate(side->body, NULL, count, p);
    for (size_t i = 0; i < 3 * (size_t)count && result == PLIANT_OK; i++) {
        if (!isfinite(p[i])) {
            result = pli_fail(PLIANT_ERROR_NOT_FINITE, "vertex %zu: coordinate %c is %f", i / 3,
                              "xyz"[i % 3], (double)p[i]);
        }
    }
    result = result == PLIANT_OK ? pli_list_resize(c->context, &side->list[PLI_SIDE_LOWEST], count)
                                 : result;
    if (result == PLIANT_OK) {
        uint32_t *lowest = PLI_ITEMS(uint32_t, side, PLI_SIDE_LOWEST);
        side->list[PLI_SIDE_LOWEST].count = 0; /* none are known while they are found */
        for (uint32_t v = 0; v < count; v++) {
            lowest[v] = pli_side_lowest(side, v);
            side->torn = side->torn || lowest[v] != side->shape->welded[v];
        }
        side->list[PLI_SIDE_LOWEST].count = count;
    }
    return result;
}

/* ------------------------------------------------------------------ the question */

static pliant_result find_pairs(pliant_contours *c, const pliant_contour_options *options,
                                const pliant_pair **pairs, uint64_t *count)
{
    if (options->pairs != NULL) {
        *pairs = options->pairs;
        *count = options->pair_count;
        return PLIANT_OK;
    }
    pliant_collide_options collide = pliant_collide_options_default();
    pliant_contacts contacts;
    collide.groups_a = options->groups_a;
    collide.groups_b = options->groups_b;
    pliant_result result =
        c->self ? pliant_collide_self(c->query, c->side[0].body, &collide, &contacts)
                : pliant_collide(c->query, c->side[0].body, c->side[1].body, &collide, &contacts);
    *pairs = result == PLIANT_OK ? contacts.pairs : NULL;
    *count = result == PLIANT_OK ? contacts.count : 0;
    return result;
}

static pliant_result find_regions(pliant_contours *c)
{
    pliant_result result = PLIANT_OK;
    double started = pli_seconds();
    int sides = c->self ? 1 : 2;
    for (int s = 0; s < sides && result == PLIANT_OK; s++) {
        result = pli_side_cut(c, &c->side[s]);
        result = result == PLIANT_OK ? pli_side_cut_faces(c, &c->side[s]) : result;
        result = result == PLIANT_OK ? pli_side_regions(c, &c->side[s]) : result;
    }
    double located = pli_seconds();
    for (int s = 0; s < sides && result == PLIANT_OK && !c->self; s++) {
        result = pli_side_depths(c, &c->side[s]);
    }
    c->stats.seconds_regions = located - started;
    c->stats.seconds_depths = pli_seconds() - located;
    return result;
}

static void *filled(const pli_array *list)
{
    return list->count > 0 ? list->data : NULL;
}

static void fill_set(const pliant_contours *c, double length, pliant_contour_set *set)
{
    const pli_array *list = c->list;
    *set = (pliant_contour_set){
        .contours = filled(&list[PLI_LIST_CONTOURS]),
        .contour_count = list[PLI_LIST_CONTOURS].count,
        .points = filled(&list[PLI_LIST_POINTS]),
        .point_count = list[PLI_LIST_POINTS].count,
        .segments = filled(&list[PLI_LIST_SEGMENTS]),
        .segment_count = list[PLI_LIST_SEGMENTS].count,
        .touches = filled(&list[PLI_LIST_TOUCHES]),
        .touch_count = list[PLI_LIST_TOUCHES].count,
        .pair_count = list[PLI_LIST_SEGMENTS].count + list[PLI_LIST_TOUCHES].count,
        .length = length,
        .regions = filled(&list[PLI_LIST_REGIONS]),
        .region_count = list[PLI_LIST_REGIONS].count,
        .pieces = filled(&list[PLI_LIST_PIECES]),
        .piece_count = list[PLI_LIST_PIECES].count,
        .corners = filled(&list[PLI_LIST_CORNERS]),
        .corner_count = list[PLI_LIST_CORNERS].count,
    };
    for (int s = 0; s < (c->self ? 1 : 2); s++) {
        set->vertex_regions[s] = filled(&c->side[s].list[PLI_SIDE_VERTEX_REGIONS]);
        set->triangle_regions[s] = filled(&c->side[s].list[PLI_SIDE_TRIANGLE_REGIONS]);
        set->gradients[s] = filled(&c->side[s].list[PLI_SIDE_GRADIENTS]);
    }
}

static void count_costs(pliant_contours *c, uint64_t pairs)
{
    c->stats.pairs = pairs;
    c->stats.nodes = c->list[PLI_LIST_NODES].count;
    c->stats.bytes = sizeof *c + pli_arrays_bytes(c->list, PLI_LISTS) +
                     pli_arrays_bytes(c->side[0].list, PLI_SIDE_LISTS) +
                     pli_arrays_bytes(c->side[1].list, PLI_SIDE_LISTS) + pli_query_memory(c->query);
}

static PLI_NOINLINE pliant_result find(pliant_contours *c, pliant_body *a, pliant_body *b,
                                       const pliant_contour_options *options,
                                       pliant_contour_set *set)
{
    const pliant_pair *pairs = NULL;
    uint64_t count = 0;
    double length = 0.0, started = pli_seconds();
    c->self = a == b;
    c->stats = (pliant_contour_stats){0};
    set_side(c, 0, a, options);
    set_side(c, 1, b, options);
    c->list[PLI_LIST_REGIONS].count = c->list[PLI_LIST_PIECES].count = 0;
    c->list[PLI_LIST_CORNERS].count = 0;
    pliant_result result = find_pairs(c, options, &pairs, &count);
    double found = pli_seconds();
    c->stats.seconds_collide = found - started;
    if (result == PLIANT_OK && count > UINT32_MAX / 16) {
        result = pli_fail(PLIANT_ERROR_TOO_LARGE, "%llu pairs touch; contours join up to %u",
                          (unsigned long long)count, UINT32_MAX / 16);
    }
    for (int s = 0; s < (c->self ? 1 : 2) && result == PLIANT_OK && options->regions; s++) {
        result = evaluate_side(c, &c->side[s]);
    }
    result =
        result == PLIANT_OK ? pli_contours_join(c, pairs, count, options->pairs != NULL) : result;
    result = result == PLIANT_OK ? pli_contours_chain(c, &length) : result;
    if (result == PLIANT_OK && options->gradients) {
        result = pli_contours_pull(c);
    }
    c->stats.seconds_join = pli_seconds() - found;
    if (result == PLIANT_OK && options->regions) {
        result = find_regions(c);
    }
    if (result == PLIANT_OK) {
        count_costs(c, count);
        fill_set(c, length, set);
    }
    return result;
}

static pliant_result answer(pliant_contours *c, pliant_body *a, pliant_body *b,
                            const pliant_contour_options *options, pliant_contour_set *set)
{
    if (options != NULL) {
        PLI_REQUIRE_TAG(options, pliant_contour_options);
        if (options->pairs == NULL && options->pair_count > 0) {
            return pli_fail(PLIANT_ERROR_ARGUMENT, "pairs is NULL, and pair_count is %llu",
                            (unsigned long long)options->pair_count);
        }
    }
    if (a->context != c->context || b->context != c->context) {
        return pli_fail(PLIANT_ERROR_ARGUMENT, "the contours and the %s have different contexts",
                        a == b ? "body" : "bodies");
    }
    pliant_result result = pli_body_check_valid(a);
    result = result == PLIANT_OK ? pli_body_check_valid(b) : result;
    if (result != PLIANT_OK) {
        return result;
    }
    pli_float_env env = pli_float_env_enter();
    result = find(c, a, b, options != NULL ? options : &default_options, set);
    pli_float_env_leave(env);
    return result;
}

pliant_result pliant_contours_find(pliant_contours *contours, pliant_body *a, pliant_body *b,
                                   const pliant_contour_options *options, pliant_contour_set *set)
{
    PLI_REQUIRE(contours);
    PLI_REQUIRE(a);
    PLI_REQUIRE(b);
    PLI_REQUIRE(set);
    if (a == b) {
        return pli_fail(PLIANT_ERROR_ARGUMENT, "pliant_contours_find: both bodies are the same; "
                                               "use pliant_contours_find_self");
    }
    return answer(contours, a, b, options, set);
}

pliant_result pliant_contours_find_self(pliant_contours *contours, pliant_body *body,
                                        const pliant_contour_options *options,
                                        pliant_contour_set *set)
{
    PLI_REQUIRE(contours);
    PLI_REQUIRE(body);
    PLI_REQUIRE(set);
    return answer(contours, body, body, options, set);
}
