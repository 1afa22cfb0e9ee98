/*
 * Measures trees and update strategies on a motion of one's own: two wavy sheets of 64 x 64
 * squares, one sinking through the other. All choices find the same pairs; what they cost differs.
 */
#include <math.h>
#include <pliant/pliant.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 64, VERTICES = (SIDE + 1) * (SIDE + 1), TRIANGLES = 2 * SIDE * SIDE, STEPS = 40 };

static float sheet[VERTICES][3], moved[VERTICES][3];
static uint32_t triangles[TRIANGLES][3];

typedef struct cost {
    uint64_t pairs, nodes, clusters, vertices;
    double seconds;
} cost;

/* Ends the program with the library's sentence if a call failed. */
static void check(pliant_result result)
{
    if (result != PLIANT_OK) {
        fprintf(stderr, "%s\n", pliant_last_error());
        exit(EXIT_FAILURE);
    }
}

static void make_sheet(void)
{
    for (uint32_t v = 0; v < VERTICES; v++) {
        const uint32_t row = v / (SIDE + 1), column = v % (SIDE + 1);
        sheet[v][0] = (float)column;
        sheet[v][1] = (float)row;
    }
    for (uint32_t s = 0; s < SIDE * SIDE; s++) {
        const uint32_t v = s / SIDE * (SIDE + 1) + s % SIDE;
        const uint32_t corners[2][3] = {{v, v + 1, v + SIDE + 1},
                                        {v + 1, v + SIDE + 2, v + SIDE + 1}};
        for (int i = 0; i < 6; i++) {
            triangles[2 * s + (uint32_t)i / 3][i % 3] = corners[i / 3][i % 3];
        }
    }
}

/* The upper sheet of a step: it sinks, and a wave runs along it. */
static void move_sheet(int step)
{
    for (uint32_t v = 0; v < VERTICES; v++) {
        moved[v][0] = sheet[v][0];
        moved[v][1] = sheet[v][1];
        moved[v][2] = 4 - 0.15f * (float)step + sinf(0.2f * (sheet[v][0] + (float)step));
    }
}

/* Plays the whole motion with one choice and adds up what its queries cost. */
static cost play(pliant_context *context, pliant_partition partition, pliant_update update)
{
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = sheet[0];
    def.vertex_count = VERTICES;
    def.triangles = triangles[0];
    def.triangle_count = TRIANGLES;
    def.partition = partition;
    pliant_body_def body = pliant_body_def_default();
    body.update = update;

    pliant_shape *shape = NULL;
    pliant_body *still = NULL, *sinking = NULL;
    pliant_query *query = NULL;
    check(pliant_shape_create(context, &def, &shape));
    check(pliant_body_create(shape, &body, &still));
    check(pliant_body_create(shape, &body, &sinking));
    check(pliant_query_create(context, &query));
    cost sum = {0};
    for (int step = 0; step < STEPS; step++) {
        pliant_contacts found;
        move_sheet(step);
        check(pliant_body_share_positions(sinking, moved[0], 0));
        check(pliant_collide(query, still, sinking, NULL, &found));
        const pliant_stats *stats = pliant_query_get_stats(query);
        sum.pairs += stats->pairs;
        sum.nodes += stats->nodes_refreshed;
        sum.clusters += stats->clusters_refreshed;
        sum.vertices += stats->vertices_read;
        sum.seconds += stats->seconds_update + stats->seconds_traverse + stats->seconds_sort;
    }
    pliant_query_destroy(query);
    pliant_body_destroy(sinking);
    pliant_body_destroy(still);
    pliant_shape_destroy(shape);
    return sum;
}

int main(void)
{
    static const char *const trees[] = {"balanced", "centre", "mean", "connectivity", "covariance"};
    static const char *const updates[] = {"auto", "bottom-up", "top-down", "hybrid", "front"};
    pliant_context *context = NULL;
    check(pliant_context_create(NULL, &context));
    make_sheet();
    const cost first = play(context, PLIANT_PARTITION_BALANCED, PLIANT_UPDATE_AUTO);
    for (int tree = 0; tree < 5; tree++) {
        for (int update = 0; update < 5; update++) {
            cost sum = play(context, (pliant_partition)tree, (pliant_update)update);
            printf("%s, %s: %s\n", trees[tree], updates[update],
                   sum.pairs == first.pairs ? "the same pairs" : "other pairs");
            printf("# %.0f us a step; refreshed: %llu nodes, %llu clusters, from %llu vertices\n",
                   1e6 * sum.seconds / STEPS, (unsigned long long)sum.nodes,
                   (unsigned long long)sum.clusters, (unsigned long long)sum.vertices);
        }
    }
    pliant_context_destroy(context);
    return 0;
}
