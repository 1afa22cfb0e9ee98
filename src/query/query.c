#include "query.h"

pliant_result pliant_query_create(pliant_context *context, pliant_query **query)
{
    PLI_REQUIRE(context);
    PLI_REQUIRE(query);
    pliant_query *created = pli_allocate(context, sizeof *created);
    if (created == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    *created = (pliant_query){.context = context};
    *query = created;
    return PLIANT_OK;
}

void pliant_query_destroy(pliant_query *query)
{
    if (query == NULL) {
        return;
    }
    pliant_context *context = query->context;
    pli_release(context, query->tasks, query->task_room * sizeof *query->tasks);
    pli_release(context, query->keys, query->key_room * sizeof *query->keys);
    pli_release(context, query->segments, query->segment_room * sizeof *query->segments);
    pli_release(context, query->key_scratch, query->key_scratch_room * sizeof *query->keys);
    pli_release(context, query->order, query->order_room * sizeof *query->order);
    pli_release(context, query->order_scratch, query->order_scratch_room * sizeof *query->order);
    pli_release(context, query->sorted_segments,
                query->sorted_segment_room * sizeof *query->sorted_segments);
    pli_release(context, query, sizeof *query);
}

const pliant_stats *pliant_query_stats(const pliant_query *query)
{
    return query != NULL ? &query->stats : NULL;
}

uint64_t pli_query_memory(const pliant_query *query)
{
    return sizeof *query + query->task_room * sizeof *query->tasks +
           (query->key_room + query->key_scratch_room) * sizeof *query->keys +
           (query->order_room + query->order_scratch_room) * sizeof *query->order +
           (query->segment_room + query->sorted_segment_room) * sizeof *query->segments;
}
