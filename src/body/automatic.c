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
    bool hardly_entered = 16 * body->clusters_on_demand < clusters;
    if (2 * body->read_on_demand > vertices && body->eager_levels < PLI_MAX_LEVELS) {
        body->eager_levels++;
    } else if (8 * body->read_on_demand < vertices && hardly_entered && body->eager_levels > 1) {
        body->eager_levels--;
    }
}
