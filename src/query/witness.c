#include "witness.h"

#include <math.h>

pli_witness *pli_witness_entry(pliant_query *query, const pliant_body *a, const pliant_body *b)
{
    uint32_t hash = (a->id * 2654435761u) ^ (b->id * 2246822519u);
    return &query->witness[(hash >> 16) % PLI_WITNESSES];
}

static bool read_corners(const pliant_body *body, uint32_t triangle, float corner[3][3])
{
    if (!pli_shape_has_triangle(body->shape, triangle)) {
        return false;
    }
    bool finite = true;
    for (size_t c = 0; c < 3; c++) {
        uint32_t v = body->shape->triangles[3 * (size_t)triangle + c];
        pli_body_vertex(body, v, corner[c]);
        for (int k = 0; k < 3; k++) {
            finite = finite && isfinite(corner[c][k]);
        }
    }
    return finite; /* if not, the query proper will find and name the offender */
}

bool pli_witness_recall(const pli_witness *witness, const pliant_body *a, const pliant_body *b,
                        float corner_a[3][3], float corner_b[3][3])
{
    return witness->body_a == a->id && witness->body_b == b->id && a->valid && b->valid &&
           read_corners(a, witness->triangle_a, corner_a) &&
           read_corners(b, witness->triangle_b, corner_b);
}
