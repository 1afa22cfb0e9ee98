#include <pliant/pliant.h>
#include <stdio.h>
int main(void)
{
    float still[] = {0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 4}; /* the corners of a tetrahedron */
    float spike[] = {0, 0, 6, 4, 0, 6, 0, 4, 6, 1, 1, 5}; /* another, whose tip will sink */
    const uint32_t faces[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = still, def.vertex_count = 4, def.triangles = faces, def.triangle_count = 4;
    pliant_context *ctx = NULL;
    pliant_shape *shape = NULL;
    pliant_body *a = NULL, *b = NULL;
    pliant_query *query = NULL;
    pliant_contacts hits;
    bool fail = pliant_context_create(NULL, &ctx) || pliant_shape_create(ctx, &def, &shape) ||
                pliant_body_create(shape, NULL, &a) || pliant_body_create(shape, NULL, &b) ||
                pliant_query_create(ctx, &query);
    for (int step = 0; step < 6 && !fail; step++, spike[11] -= 1) {
        fail = pliant_body_share_positions(b, spike, 0) || pliant_collide(query, a, b, NULL, &hits);
        for (uint64_t i = 0; !fail && i < hits.count; i++) {
            printf("step %d: %u touches %u\n", step, hits.pairs[i].a, hits.pairs[i].b);
        }
    }
    pliant_query_destroy(query);
    pliant_body_destroy(b);
    pliant_body_destroy(a);
    pliant_shape_destroy(shape);
    pliant_context_destroy(ctx);
    return fail ? puts(pliant_last_error()) : 0;
}
