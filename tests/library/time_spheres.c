/*
 * Two spheres that deform and collide, twenty steps: how long a round of all steps takes. For
 * comparing machines and instruction sets (scripts/time-wasm); plain C11 besides the library.
 *
 *   time_spheres [ISA [ROUNDS [TRIANGLES]]]
 */
#include "gallery/gallery.h"
#include "pliant/pliant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS = 20 };

typedef struct sphere {
    float *positions[STEPS + 1];
    pliant_shape *shape;
    pliant_body *body;
} sphere;

static void require(pliant_result result)
{
    if (result != PLIANT_OK) {
        fprintf(stderr, "time_spheres: %s\n", pliant_last_error());
        exit(1);
    }
}

static double milliseconds(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static sphere create_sphere(pliant_context *context, gallery_scene *scene, uint32_t index)
{
    sphere s;
    const gallery_mesh *mesh = &scene->bodies[index];
    for (uint32_t step = 0; step <= STEPS; step++) {
        s.positions[step] = malloc(3 * sizeof(float) * (size_t)mesh->vertex_count);
        if (s.positions[step] == NULL) {
            exit(1);
        }
        gallery_evaluate(scene, index, step, s.positions[step]);
    }
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = mesh->positions;
    def.vertex_count = mesh->vertex_count;
    def.triangles = mesh->triangles;
    def.triangle_count = mesh->triangle_count;
    require(pliant_shape_create(context, &def, &s.shape));
    require(pliant_body_create(s.shape, NULL, &s.body));
    return s;
}

static void destroy_sphere(sphere *s)
{
    pliant_body_destroy(s->body);
    pliant_shape_destroy(s->shape);
    for (int step = 0; step <= STEPS; step++) {
        free(s->positions[step]);
    }
}

/* Returns how many pairs touch in all steps. */
static uint64_t play(pliant_query *query, const sphere s[2])
{
    uint64_t pairs = 0;
    for (int step = 0; step <= STEPS; step++) {
        pliant_contacts contacts;
        for (int i = 0; i < 2; i++) {
            require(pliant_body_share_positions(s[i].body, s[i].positions[step], 0));
        }
        require(pliant_collide(query, s[0].body, s[1].body, NULL, &contacts));
        pairs += contacts.count;
    }
    return pairs;
}

static int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static pliant_isa isa_of(const char *name)
{
    for (int isa = PLIANT_ISA_PLAIN; isa <= PLIANT_ISA_AVX512; isa++) {
        if (strcmp(name, pliant_isa_get_name((pliant_isa)isa)) == 0) {
            return (pliant_isa)isa;
        }
    }
    return PLIANT_ISA_BEST;
}

static void time_rounds(pliant_query *query, const sphere s[2], size_t rounds, const char *isa)
{
    double *times = malloc(rounds * sizeof *times);
    uint64_t pairs = 0;
    for (size_t i = 0; i < rounds && times != NULL; i++) {
        double start = milliseconds();
        pairs = play(query, s);
        times[i] = milliseconds() - start;
    }
    if (times != NULL) {
        qsort(times, rounds, sizeof *times, compare_times);
        printf("%s: %zu rounds, %llu pairs, least %.4f ms, median %.4f ms\n", isa, rounds,
               (unsigned long long)pairs, times[0], times[rounds / 2]);
    }
    free(times);
}

int main(int count, char **arguments)
{
    unsigned long rounds = count > 2 ? strtoul(arguments[2], NULL, 10) : 100;
    unsigned long triangles = count > 3 ? strtoul(arguments[3], NULL, 10) : 5120;
    gallery_settings settings = {.triangles = (uint32_t)triangles, .steps = STEPS, .seed = 1};
    gallery_scene *scene = gallery_create(&gallery_spheres, &settings);
    pliant_context_def def = pliant_context_def_default();
    def.isa = count > 1 ? isa_of(arguments[1]) : PLIANT_ISA_BEST;
    pliant_context *context = NULL;
    pliant_query *query = NULL;
    if (scene == NULL || rounds == 0) {
        return 1;
    }
    require(pliant_context_create(&def, &context));
    require(pliant_query_create(context, &query));
    sphere s[2] = {create_sphere(context, scene, 0), create_sphere(context, scene, 1)};
    time_rounds(query, s, rounds, pliant_isa_get_name(pliant_context_get_isa(context)));
    for (int i = 0; i < 2; i++) {
        destroy_sphere(&s[i]);
    }
    pliant_query_destroy(query);
    pliant_context_destroy(context);
    gallery_destroy(scene);
    return 0;
}
