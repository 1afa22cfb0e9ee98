#include "query.h"

#include "base/error.h"

pliant_result pliant_query_create(pliant_context *context, pliant_query **query)
{
    PLI_REQUIRE(context);
    PLI_REQUIRE(query);
    pliant_query *created = pli_allocate(context, sizeof *created);
    if (created == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pli_context_join(context, PLI_OBJECT_QUERY);
    *created = (pliant_query){.context = context, .worker = {.context = context}};
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
    for (size_t i = 0; i < query->point_workers.count; i++) {
        pli_worker_release(&query->point_workers.data[i].worker);
    }
    pli_worker_release(&query->worker);
    pli_arrays_release(context, query->found.arrays, PLI_COLLECTION_ARRAYS);
    pli_arrays_release(context, query->features.arrays, PLI_COLLECTION_ARRAYS);
    pli_arrays_release(context, query->arrays, PLI_QUERY_ARRAYS);
    pli_release(context, query, sizeof *query);
    pli_context_leave(context, PLI_OBJECT_QUERY);
}

const pliant_stats *pliant_query_get_stats(const pliant_query *query)
{
    return query != NULL ? &query->worker.stats : NULL;
}

uint64_t pli_query_memory(const pliant_query *query)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < query->point_workers.count; i++) {
        const pli_worker *worker = &query->point_workers.data[i].worker;
        bytes += pli_worker_memory(worker) - sizeof *worker;
    }
    return bytes + sizeof *query - sizeof query->worker + pli_worker_memory(&query->worker) +
           pli_arrays_bytes(query->found.arrays, PLI_COLLECTION_ARRAYS) +
           pli_arrays_bytes(query->features.arrays, PLI_COLLECTION_ARRAYS) +
           pli_arrays_bytes(query->arrays, PLI_QUERY_ARRAYS);
}
