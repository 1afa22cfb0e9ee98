/*
 * Volumes: how much two closed bodies overlap, between which limits for certain, how deep and in
 * which direction to push, and which points lie inside.
 *
 * Two cubes of side 2; the second one is moved by (1.5, 0.5, 0.25).
 */
#include <pliant/pliant.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the program with the library's sentence if a call failed. */
static void check(pliant_result result)
{
    if (result != PLIANT_OK) {
        fprintf(stderr, "%s: %s\n", pliant_result_get_name(result), pliant_last_error());
        exit(1);
    }
}

int main(void)
{
    static const float corners[8][3] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                        {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
    static const uint32_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                          {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                          {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    static const float move[3] = {1.5f, 0.5f, 0.25f};
    pliant_context *context = NULL;
    pliant_shape *cube = NULL;
    pliant_body *a = NULL, *b = NULL;
    pliant_volume *volume = NULL;
    check(pliant_context_create(NULL, &context));
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = corners[0];
    def.vertex_count = 8;
    def.triangles = faces[0];
    def.triangle_count = 12;
    check(pliant_shape_create(context, &def, &cube));
    check(pliant_body_create(cube, NULL, &a));
    check(pliant_body_create(cube, NULL, &b));
    check(pliant_volume_create(context, NULL, &volume));

    float moved[8][3];
    for (int i = 0; i < 24; i++) {
        moved[i / 3][i % 3] = corners[i / 3][i % 3] + move[i % 3];
    }
    check(pliant_body_set_positions(b, moved[0], 0));

    /* The common volume, with a range that the truth lies in; finer rays until it is narrow. */
    pliant_volume_options options = pliant_volume_options_default();
    options.tolerance = 0.02;
    options.gradients = true;
    pliant_volume_measure measure;
    check(pliant_volume_intersect(volume, a, b, &options, &measure));
    printf("common volume %.3f, true: %.3f\n", measure.volume, 0.5 * 1.5 * 1.75);
    printf("certainly within %.2f of that: %s\n", options.tolerance,
           measure.error <= options.tolerance ? "yes" : "no");
    printf("# from %.4f to %.4f, %u x %u rays\n", measure.least, measure.most, measure.grid.columns,
           measure.grid.rows);
    printf("centre (%.3f %.3f %.3f)\n", measure.centroid[0], measure.centroid[1],
           measure.centroid[2]);

    /* Against the gradient: the way out for the first body. */
    double push[3] = {0, 0, 0};
    for (uint32_t i = 0; i < measure.vertex_count[0]; i++) {
        for (int k = 0; k < 3; k++) {
            push[k] -= (double)measure.vertices[0][i].gradient[k];
        }
    }
    printf("push the first cube along (%.3f %.3f %.3f)\n", push[0], push[1], push[2]);

    /* Points inside the second cube. */
    static const float points[3][3] = {{0, 0, 0}, {1, 0.9f, 0.5f}, {2.6f, 0.5f, 0.25f}};
    pliant_volume_point answers[3];
    check(pliant_volume_locate_points(volume, b, points[0], 3, 0, NULL, answers, NULL));
    for (int i = 0; i < 3; i++) {
        printf("point %d is %s\n", i, answers[i].winding != 0 ? "inside" : "outside");
    }

    pliant_volume_destroy(volume);
    pliant_body_destroy(a);
    pliant_body_destroy(b);
    pliant_shape_destroy(cube);
    pliant_context_destroy(context);
    return 0;
}
