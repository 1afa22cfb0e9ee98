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
    pli_query_release_points(query);
    pli_arrays_release(context, query->arrays, PLI_QUERY_ARRAYS);
    pli_release(context, query, sizeof *query);
    pli_context_leave(context, PLI_OBJECT_QUERY);
}

const pliant_stats *pliant_query_get_stats(const pliant_query *query)
{
    return query != NULL ? &query->stats : NULL;
}

uint64_t pli_query_memory(const pliant_query *query)
{
    return sizeof *query + pli_query_point_memory(query) +
           pli_arrays_bytes(query->arrays, PLI_QUERY_ARRAYS);
}

bool pli_in_groups(const pliant_shape *shape, pliant_groups groups, uint32_t triangle)
{
    if (groups.bits == NULL) {
        return true;
    }
    uint32_t group = shape->groups != NULL ? shape->groups[triangle] : 0;
    return group < groups.count && (groups.bits[group / 64] >> group % 64 & 1);
}
