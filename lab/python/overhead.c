/* What lab/python/overhead.py does from Python, without Python: two bodies get their positions, and
   are compared. Prints the processor time of one round in microseconds, the least of several runs.
 */
#include <stdio.h>
#include <time.h>

#include "pliant/pliant.h"

enum { RUNS = 15, ROUNDS = 20000 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e6 * (double)time.tv_sec + 1e-3 * (double)time.tv_nsec;
}

int main(void)
{
    static const float corners[12] = {0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 4};
    static const uint32_t faces[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    float moved[12];
    for (int i = 0; i < 12; i++) {
        moved[i] = corners[i] + 1.0f;
    }
    pliant_context *context = NULL;
    pliant_shape *shape = NULL;
    pliant_body *a = NULL, *b = NULL;
    pliant_query *query = NULL;
    pliant_contacts contacts = {0};
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = corners;
    def.vertex_count = 4;
    def.triangles = faces;
    def.triangle_count = 4;
    if (pliant_context_create(NULL, &context) != PLIANT_OK ||
        pliant_shape_create(context, &def, &shape) != PLIANT_OK ||
        pliant_body_create(shape, NULL, &a) != PLIANT_OK ||
        pliant_body_create(shape, NULL, &b) != PLIANT_OK ||
        pliant_query_create(context, &query) != PLIANT_OK) {
        fprintf(stderr, "%s\n", pliant_last_error());
        return 1;
    }
    double least = 1e30;
    uint64_t pairs = 0;
    for (int run = 0; run < RUNS; run++) {
        double start = now();
        for (int i = 0; i < ROUNDS; i++) {
            if (pliant_body_share_positions(a, corners, 0) != PLIANT_OK ||
                pliant_body_share_positions(b, moved, 0) != PLIANT_OK ||
                pliant_collide(query, a, b, NULL, &contacts) != PLIANT_OK) {
                return 1;
            }
            pairs += contacts.count;
        }
        double round = (now() - start) / ROUNDS;
        least = round < least ? round : least;
    }
    printf("%.4f %llu\n", least, (unsigned long long)(pairs / RUNS / ROUNDS));
    pliant_query_destroy(query);
    pliant_body_destroy(b);
    pliant_body_destroy(a);
    pliant_shape_destroy(shape);
    pliant_context_destroy(context);
    return 0;
}
