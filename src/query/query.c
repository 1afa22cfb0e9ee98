#include "query.h"

#include "base/assert.h"

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
    pli_release(context, query->tasks, query->task_capacity * sizeof *query->tasks);
    pli_release(context, query->deferred, query->deferred_capacity * sizeof *query->deferred);
    pli_release(context, query->keys, query->key_capacity * sizeof *query->keys);
    pli_release(context, query->key_scratch, query->key_scratch_capacity * sizeof *query->keys);
    pli_release(context, query->order, query->order_capacity * sizeof *query->order);
    pli_release(context, query->order_scratch,
                query->order_scratch_capacity * sizeof *query->order);
    for (int i = 0; i < PLI_COLUMNS; i++) {
        pli_column_arrays *column = &query->columns[i];
        pli_release(context, column->found, column->found_capacity * pli_column_sizes[i]);
        pli_release(context, column->sorted, column->sorted_capacity * pli_column_sizes[i]);
    }
    pli_release(context, query->visits, query->visit_capacity * sizeof *query->visits);
    pli_release(context, query->hits, query->hit_capacity * sizeof *query->hits);
    pli_release(context, query->grown, pli_query_grown_size());
    pli_feature_lists_release(context, &query->features);
    pli_release(context, query->leaf_bounds, PLI_LEAF_BOUNDS * sizeof *query->leaf_bounds);
    pli_release(context, query->spheres, sizeof *query->spheres);
    pli_release(context, query->aside, query->aside_capacity * sizeof *query->aside);
    for (int i = 0; i < 2; i++) {
        pli_release(context, query->moved[i], query->moved_capacity[i] * sizeof *query->moved[i]);
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
    uint64_t columns = 0;
    for (int i = 0; i < PLI_COLUMNS; i++) {
        const pli_column_arrays *column = &query->columns[i];
        columns += (column->found_capacity + column->sorted_capacity) * pli_column_sizes[i];
    }
    return sizeof *query + columns +
           (query->task_capacity + query->deferred_capacity) * sizeof *query->tasks +
           (query->key_capacity + query->key_scratch_capacity) * sizeof *query->keys +
           (query->order_capacity + query->order_scratch_capacity) * sizeof *query->order +
           query->visit_capacity * sizeof *query->visits +
           query->hit_capacity * sizeof *query->hits +
           (query->moved_capacity[0] + query->moved_capacity[1]) * sizeof(float) +
           (query->leaf_bounds != NULL ? PLI_LEAF_BOUNDS * sizeof *query->leaf_bounds : 0) +
           (query->spheres != NULL ? sizeof *query->spheres : 0) +
           query->aside_capacity * sizeof *query->aside +
           pli_feature_lists_bytes(&query->features) +
           (query->grown != NULL ? pli_query_grown_size() : 0);
}

size_t pli_query_grown_size(void)
{
    return sizeof(pli_cluster_record) + 6 * (size_t)PLI_CLUSTER_SLOTS * sizeof(float) +
           PLI_RECORD_SLACK;
}

bool pli_in_groups(const pliant_shape *shape, pliant_groups groups, uint32_t triangle)
{
    if (groups.bits == NULL) {
        return true;
    }
    uint32_t group = shape->groups != NULL ? shape->groups[triangle] : 0;
    return group < groups.count && (groups.bits[group / 64] >> group % 64 & 1);
}
