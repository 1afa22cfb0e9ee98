/*
 * The automatic update of free bodies: hybrid, with an eager part that follows the contact. Ours.
 *
 * Below the eager part every level that a query enters reads the vertices of what it enters once
 * more. Where a large part of the body is entered, one eager level more would have read them in
 * passing; where hardly anything is, one level less saves its merges and extras. Motion is
 * coherent, so the last state tells the next. Bottom-up in full was never faster in what we
 * measured.
 */
#include "refresh.h"

void pli_adapt_eager_levels(pliant_body *body)
{
    uint64_t vertices = body->shape->vertex_count, clusters = body->shape->cluster_count;
    const pli_refresh_counts *now = &body->counts, *before = &body->counts_before;
    uint64_t entered = now->clusters_on_demand - before->clusters_on_demand;
    uint64_t read = now->vertices_on_demand - before->vertices_on_demand;
    if (2 * read > vertices && body->eager_levels < PLI_MAX_LEVELS) {
        body->eager_levels++;
    } else if (8 * read < vertices && 16 * entered < clusters && body->eager_levels > 1) {
        body->eager_levels--;
    }
}
