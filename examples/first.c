/* Two tetrahedra of one shape. The tip of the second comes down into the first, step by step. */
#include <pliant/pliant.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the program with the library's sentence if a call failed. */
static void check(pliant_result result)
{
    if (result != PLIANT_OK) {
        fprintf(stderr, "%s\n", pliant_last_error());
        exit(EXIT_FAILURE);
    }
}

int main(void)
{
    const float still[4][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, 4}};
    float moving[4][3] = {{0, 0, 6}, {4, 0, 6}, {0, 4, 6}, {1, 1, 5}};
    const uint32_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = still[0];
    def.vertex_count = 4;
    def.triangles = faces[0];
    def.triangle_count = 4;

    pliant_context *context = NULL;
    pliant_shape *shape = NULL;
    pliant_body *a = NULL, *b = NULL;
    pliant_query *query = NULL;
    check(pliant_context_create(NULL, &context));
    check(pliant_shape_create(context, &def, &shape));
    check(pliant_body_create(shape, NULL, &a));
    check(pliant_body_create(shape, NULL, &b));
    check(pliant_query_create(context, &query));

    for (int step = 0; step < 6; step++) {
        pliant_contacts found;
        check(pliant_body_set_positions(b, moving[0], 0));
        check(pliant_collide(query, a, b, NULL, &found));
        for (uint64_t i = 0; i < found.count; i++) {
            printf("step %d: %u touches %u\n", step, found.pairs[i].a, found.pairs[i].b);
        }
        moving[3][2] -= 1;
    }
    pliant_query_destroy(query);
    pliant_body_destroy(b);
    pliant_body_destroy(a);
    pliant_shape_destroy(shape);
    pliant_context_destroy(context);
    return 0;
}
