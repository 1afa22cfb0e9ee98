#include "query.h"

#include "base/assert.h"
#include "base/sort.h"

pliant_result pliant_query_create(pliant_context *context, pliant_query **query)
{
    PLI_REQUIRE(context);
    PLI_REQUIRE(query);
    pliant_query *created = pli_allocate(context, sizeof *created);
    if (created == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pli_context_join(context, PLI_OBJECT_QUERY);
    *created = (pliant_query){.context = context};
    *query = created;
    return PLIANT_OK;
}

void pliant_query_destroy(pliant_query *query)
{
    if (query == NULL) {
        return;
    }
    PLI_ASSERT_UNUSED(!pli_use_is_busy(&query->use),
                      "pliant_query_destroy: the query is used by a call under way");
    if (pli_use_postpones(&query->use)) {
        return;
    }
    pliant_context *context = query->context;
    pli_release(context, query->tasks, query->task_room * sizeof *query->tasks);
    pli_release(context, query->deferred, query->deferred_room * sizeof *query->deferred);
    pli_release(context, query->keys, query->key_room * sizeof *query->keys);
    pli_release(context, query->segments, query->segment_room * sizeof *query->segments);
    pli_release(context, query->key_scratch, query->key_scratch_room * sizeof *query->keys);
    pli_release(context, query->order, query->order_room * sizeof *query->order);
    pli_release(context, query->order_scratch, query->order_scratch_room * sizeof *query->order);
    pli_release(context, query->sorted_segments,
                query->sorted_segment_room * sizeof *query->sorted_segments);
    pli_release(context, query->separations, query->separation_room * sizeof *query->separations);
    pli_release(context, query->sorted_separations,
                query->sorted_separation_room * sizeof *query->sorted_separations);
    pli_release(context, query->visits, query->visit_room * sizeof *query->visits);
    pli_release(context, query->hits, query->hit_room * sizeof *query->hits);
    pli_release(context, query->proximities, query->proximity_room * sizeof *query->proximities);
    pli_release(context, query->sorted_proximities,
                query->sorted_proximity_room * sizeof *query->sorted_proximities);
    pli_release(context, query->grown, pli_query_grown_size());
    pli_release(context, query->proxies, query->proxy_room * sizeof *query->proxies);
    pli_release(context, query->sorted_proxies,
                query->sorted_proxy_room * sizeof *query->sorted_proxies);
    pli_release(context, query->leaf_bounds, PLI_LEAF_BOUNDS * sizeof *query->leaf_bounds);
    pli_release(context, query->spheres, sizeof *query->spheres);
    pli_release(context, query->aside, query->aside_room * sizeof *query->aside);
    for (int i = 0; i < 2; i++) {
        pli_release(context, query->moved[i], query->moved_room[i] * sizeof *query->moved[i]);
    }
    pli_release(context, query, sizeof *query);
    pli_context_leave(context, PLI_OBJECT_QUERY);
}

const pliant_stats *pliant_query_get_stats(const pliant_query *query)
{
    return query != NULL ? &query->stats : NULL;
}

uint64_t pli_query_memory(const pliant_query *query)
{
    return sizeof *query + (query->task_room + query->deferred_room) * sizeof *query->tasks +
           (query->key_room + query->key_scratch_room) * sizeof *query->keys +
           (query->order_room + query->order_scratch_room) * sizeof *query->order +
           (query->segment_room + query->sorted_segment_room) * sizeof *query->segments +
           (query->separation_room + query->sorted_separation_room) * sizeof *query->separations +
           query->visit_room * sizeof *query->visits + query->hit_room * sizeof *query->hits +
           (query->proximity_room + query->sorted_proximity_room) * sizeof *query->proximities +
           (query->moved_room[0] + query->moved_room[1]) * sizeof(float) +
           (query->proxy_room + query->sorted_proxy_room) * sizeof *query->proxies +
           (query->leaf_bounds != NULL ? PLI_LEAF_BOUNDS * sizeof *query->leaf_bounds : 0) +
           (query->spheres != NULL ? sizeof *query->spheres : 0) +
           query->aside_room * sizeof *query->aside +
           (query->grown != NULL ? pli_query_grown_size() : 0);
}

size_t pli_query_grown_size(void)
{
    return sizeof(pli_cluster_record) + 6 * (size_t)PLI_CLUSTER_SLOTS * sizeof(float) +
           PLI_RECORD_SLACK;
}

pliant_result pli_query_sort(pliant_query *query, bool order)
{
    size_t count = query->key_count;
    if (count == 0) {
        return PLIANT_OK;
    }
    uint64_t *scratch = pli_grow(query->context, query->key_scratch, &query->key_scratch_room,
                                 count, sizeof *scratch);
    if (scratch == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    query->key_scratch = scratch;
    if (!order) {
        pli_sort_keys(query->keys, scratch, NULL, NULL, count);
        return PLIANT_OK;
    }
    uint64_t *places =
        pli_grow(query->context, query->order, &query->order_room, count, sizeof *places);
    query->order = places != NULL ? places : query->order;
    uint64_t *place_scratch = pli_grow(query->context, query->order_scratch,
                                       &query->order_scratch_room, count, sizeof *places);
    query->order_scratch = place_scratch != NULL ? place_scratch : query->order_scratch;
    if (places == NULL || place_scratch == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        places[i] = i;
    }
    pli_sort_keys(query->keys, scratch, places, place_scratch, count);
    return PLIANT_OK;
}

bool pli_in_groups(const pliant_shape *shape, pliant_groups groups, uint32_t triangle)
{
    if (groups.bits == NULL) {
        return true;
    }
    uint32_t group = shape->groups != NULL ? shape->groups[triangle] : 0;
    return group < groups.count && (groups.bits[group / 64] >> group % 64 & 1);
}
