/*
 * pliant-bench-cuda, which `pliant-bench cuda-*` becomes: contacts on a GPU, beside the core's on
 * all cores of the same machine in the same run. Every list is compared with the core's, contact by
 * contact, before a time is written. Positions and coordinates lie on the device before the clock
 * starts; it stops when the count of contacts is known to the program. Times are medians.
 *
 *   pliant-bench-cuda [--emulated] [--scale X] [--steps N] [--workers N] [--json FILE] [NAME...]
 *
 * Names: cuda-cloth, cuda-fold, cuda-spheres, cuda-crowd; all of them by default.
 */
#include "scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef PLI_BENCH_HAS_GPU
#include <cuda_runtime_api.h>
#endif

typedef struct bench {
    bool emulated;
    double scale;
    uint32_t steps, workers;
    FILE *json;
    uint32_t written;
    pliant_context *context;
    pliant_cuda *device;
} bench;

static void must(pliant_result result)
{
    if (result != PLIANT_OK) {
        fprintf(stderr, "pliant-bench-cuda: %s\n", pliant_last_error());
        exit(1);
    }
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *times, uint32_t count)
{
    qsort(times, count, sizeof *times, compare_times);
    return times[count / 2];
}

/* ------------------------------------------------------------ memory of the device */

static void *lend(const bench *b, size_t size)
{
    void *memory = b->emulated ? malloc(size) : NULL;
#ifdef PLI_BENCH_HAS_GPU
    if (!b->emulated && cudaMalloc(&memory, size) != cudaSuccess) {
        memory = NULL;
    }
#endif
    if (memory == NULL) {
        fprintf(stderr, "pliant-bench-cuda: the device has no memory\n");
        exit(1);
    }
    return memory;
}

static void take_back(const bench *b, void *memory)
{
    if (b->emulated) {
        free(memory);
    }
#ifdef PLI_BENCH_HAS_GPU
    if (!b->emulated) {
        (void)cudaFree(memory);
    }
#endif
}

/* Brings numbers to the device; they are there when it returns. */
static void bring(const bench *b, void *to, const void *from, size_t size)
{
    if (b->emulated) {
        memcpy(to, from, size);
    }
#ifdef PLI_BENCH_HAS_GPU
    if (!b->emulated && (cudaMemcpy(to, from, size, cudaMemcpyHostToDevice) != cudaSuccess ||
                         cudaDeviceSynchronize() != cudaSuccess)) {
        fprintf(stderr, "pliant-bench-cuda: the GPU failed\n");
        exit(1);
    }
#endif
}

/* ------------------------------------------------------------ one experiment */

typedef struct sides {
    pliant_cuda_scene *scene;
    pliant_scene *core;
    pliant_body **bodies;
    pliant_body_id *ids;
    float *lent;  /* what all bodies are given by, on the device, */
    float *given; /* and as the program has it */
    double *device_times, *core_times;
} sides;

static pliant_state state_of(const bench_scene *s, const float *numbers, uint32_t body)
{
    pliant_state state = {0};
    const float *own = numbers + (size_t)body * s->numbers;
    if (s->modes == 0) {
        state.positions = own;
    } else {
        state.coordinates = own;
        state.coordinate_count = s->modes;
        state.transforms = own + s->modes;
        state.transform_count = 1;
    }
    return state;
}

static sides open_sides(bench *b, const bench_scene *s, pliant_member_def member)
{
    sides x = {0};
    size_t numbers = (size_t)s->bodies * s->numbers;
    x.bodies = malloc(s->bodies * sizeof(pliant_body *));
    x.ids = malloc(s->bodies * sizeof *x.ids);
    x.given = malloc(numbers * sizeof *x.given);
    x.device_times = malloc(b->steps * sizeof *x.device_times);
    x.core_times = malloc(b->steps * sizeof *x.core_times);
    x.lent = lend(b, numbers * sizeof *x.lent);
    must(pliant_cuda_scene_create(b->device, &x.scene));
    must(pliant_scene_create(b->context, NULL, &x.core));
    for (uint32_t i = 0; i < s->bodies; i++) {
        uint32_t number;
        must(pliant_cuda_scene_add(x.scene, s->shape, &member, &number));
        must(pliant_body_create(s->shape, NULL, &x.bodies[i]));
        must(pliant_scene_add(x.core, x.bodies[i], &member, &x.ids[i]));
        pliant_state state = state_of(s, x.lent, i);
        must(pliant_cuda_scene_set_state(x.scene, i, &state, PLIANT_CUDA_DEVICE));
    }
    return x;
}

static void close_sides(const bench *b, const bench_scene *s, sides *x)
{
    pliant_cuda_scene_destroy(x->scene);
    pliant_scene_destroy(x->core);
    for (uint32_t i = 0; i < s->bodies; i++) {
        pliant_body_destroy(x->bodies[i]);
    }
    take_back(b, x->lent);
    free(x->bodies);
    free(x->ids);
    free(x->given);
    free(x->device_times);
    free(x->core_times);
}

/* Whether both lists are the same; the core's bodies have the numbers that they were added by. */
static bool same_lists(sides *x, const pliant_scene_contacts *core,
                       const pliant_cuda_contacts *contacts)
{
    if (core->count != contacts->count) {
        return false;
    }
    pliant_cuda_contact *list = malloc((contacts->count + 1) * sizeof *list);
    must(pliant_cuda_scene_copy_contacts(x->scene, list, contacts->count));
    bool same = true;
    for (uint64_t i = 0, at = 0; i < core->body_pair_count; i++) {
        const pliant_scene_pair *pair = &core->bodies[i];
        for (uint64_t k = 0; k < pair->count; k++, at++) {
            const pliant_pair *want = &core->pairs[pair->first + k];
            same = same && list[at].body_a == pair->a.index && list[at].body_b == pair->b.index &&
                   list[at].a == want->a && list[at].b == want->b;
        }
    }
    free(list);
    return same;
}

static void write_result(bench *b, const char *name, const bench_scene *s, sides *x,
                         const pliant_cuda_stats *stats)
{
    double device = 1e3 * median(x->device_times, b->steps);
    double core = 1e3 * median(x->core_times, b->steps);
    printf("%-32s %9llu contacts  %9.4f ms on %s  %9.3f ms by %u workers  x %.1f\n", name,
           (unsigned long long)stats->contacts, device, pliant_cuda_get_name(b->device), core,
           b->workers, core / device);
    if (b->json != NULL) {
        fprintf(b->json,
                "%s\n  {\"name\": \"%s\", \"bodies\": %u, \"triangles\": %u, \"contacts\": %llu, "
                "\"device_ms\": %.5f, \"core_ms\": %.5f, \"workers\": %u, \"tests\": %llu, "
                "\"undecided\": %llu, \"left_to_host\": %llu, \"device_bytes\": %llu}",
                b->written++ > 0 ? "," : "", name, s->bodies, s->mesh.triangle_count,
                (unsigned long long)stats->contacts, device, core, b->workers,
                (unsigned long long)stats->triangle_tests, (unsigned long long)stats->undecided,
                (unsigned long long)stats->left_to_host, (unsigned long long)stats->device_bytes);
    }
}

/* Plays the scene: each step is asked of both, and times count once lists were found equal. */
static void play(bench *b, const char *name, bench_scene *s, pliant_neighbours rule)
{
    enum { WARM_UP = 3 };
    pliant_member_def member = pliant_member_def_default();
    pliant_collide_options options = pliant_collide_options_default();
    pliant_scene_options core_options = pliant_scene_options_default();
    pliant_cuda_stats stats = {0};
    member.self = s->self;
    options.neighbours = core_options.neighbours = rule;
    sides x = open_sides(b, s, member);
    for (uint32_t step = 0; step < WARM_UP + b->steps; step++) {
        pliant_cuda_contacts contacts;
        pliant_scene_contacts core;
        bench_scene_move(s, step, x.given);
        bring(b, x.lent, x.given, (size_t)s->bodies * s->numbers * sizeof(float));
        for (uint32_t i = 0; i < s->bodies; i++) {
            pliant_state state = state_of(s, x.given, i);
            must(pliant_body_set_state(x.bodies[i], &state));
        }
        double began = now();
        must(pliant_cuda_scene_collide(x.scene, &options, &contacts));
        double between = now();
        must(pliant_scene_collide(x.core, &core_options, &core));
        double ended = now();
        if (step >= WARM_UP) {
            x.device_times[step - WARM_UP] = between - began;
            x.core_times[step - WARM_UP] = ended - between;
        }
        if ((step == 0 || step == WARM_UP + b->steps - 1) && !same_lists(&x, &core, &contacts)) {
            fprintf(stderr, "%s: the device's contacts are not the core's\n", name);
            exit(1);
        }
    }
    must(pliant_cuda_scene_get_stats(x.scene, &stats));
    write_result(b, name, s, &x, &stats);
    close_sides(b, s, &x);
}

/* ------------------------------------------------------------ the experiments */

static void play_cloth(bench *b, uint32_t triangles, bool folded)
{
    bench_scene s;
    char name[96];
    must(bench_cloth_create(b->context, (uint32_t)(b->scale * triangles), folded, &s));
    const char *what = folded ? "cuda-fold" : "cuda-cloth";
    (void)snprintf(name, sizeof name, "%s %u skip", what, s.mesh.triangle_count);
    play(b, name, &s, PLIANT_NEIGHBOURS_SKIP);
    (void)snprintf(name, sizeof name, "%s %u beyond", what, s.mesh.triangle_count);
    play(b, name, &s, PLIANT_NEIGHBOURS_BEYOND_SHARED);
    bench_scene_destroy(&s);
}

static void run_cloth(bench *b)
{
    play_cloth(b, 92020, false);
    play_cloth(b, 999698, false);
}

static void run_fold(bench *b)
{
    play_cloth(b, 92020, true);
}

static void run_spheres(bench *b)
{
    bench_scene s;
    must(bench_spheres_create(b->context, (uint32_t)(b->scale * 327680), &s));
    play(b, "cuda-spheres", &s, PLIANT_NEIGHBOURS_SKIP);
    bench_scene_destroy(&s);
}

static void run_crowd(bench *b)
{
    static const uint32_t counts[2] = {1000, 10000};
    for (int i = 0; i < 2; i++) {
        bench_scene s;
        char name[64];
        uint32_t bodies = (uint32_t)(b->scale * counts[i]);
        must(bench_crowd_create(b->context, bodies > 8 ? bodies : 8, b->scale < 1.0 ? 500 : 18000,
                                &s));
        (void)snprintf(name, sizeof name, "cuda-crowd %u", s.bodies);
        play(b, name, &s, PLIANT_NEIGHBOURS_SKIP);
        bench_scene_destroy(&s);
    }
}

static const struct {
    const char *name;
    void (*run)(bench *b);
} experiments[] = {
    {"cuda-cloth", run_cloth},
    {"cuda-fold", run_fold},
    {"cuda-spheres", run_spheres},
    {"cuda-crowd", run_crowd},
};

enum { EXPERIMENTS = sizeof experiments / sizeof experiments[0] };

static int usage(void)
{
    fprintf(stderr, "usage: pliant-bench-cuda [--emulated] [--scale X] [--steps N] [--workers N]\n"
                    "                         [--json FILE] [cuda-cloth|cuda-fold|cuda-spheres|"
                    "cuda-crowd]...\n");
    return 2;
}

int main(int count, char **arguments)
{
    bench b = {.scale = 1.0, .steps = 30, .workers = 1};
    bool chosen[EXPERIMENTS] = {false}, any = false;
    for (int i = 1; i < count; i++) {
        const char *value = i + 1 < count ? arguments[i + 1] : NULL;
        bool known = false;
        for (int e = 0; e < EXPERIMENTS; e++) {
            bool named = strcmp(arguments[i], experiments[e].name) == 0;
            chosen[e] = chosen[e] || named;
            known = known || named;
            any = any || named;
        }
        if (strcmp(arguments[i], "--emulated") == 0) {
            b.emulated = known = true;
        } else if (!known && value != NULL && strncmp(arguments[i], "--", 2) == 0) {
            double number = strtod(value, NULL);
            known = true;
            if (strcmp(arguments[i], "--scale") == 0 && number > 0.0 && number <= 1.0) {
                b.scale = number;
            } else if (strcmp(arguments[i], "--steps") == 0 && number >= 1.0 && number < 1e6) {
                b.steps = (uint32_t)number;
            } else if (strcmp(arguments[i], "--workers") == 0 && number >= 1.0 && number <= 256.0) {
                b.workers = (uint32_t)number;
            } else if (strcmp(arguments[i], "--json") == 0) {
                b.json = fopen(value, "w");
                known = b.json != NULL;
            } else {
                known = false;
            }
            i++;
        }
        if (!known) {
            if (b.json != NULL) {
                (void)fclose(b.json);
            }
            return usage();
        }
    }
    pliant_context_def context = pliant_context_def_default();
    pliant_cuda_def device = pliant_cuda_def_default();
    context.workers = b.workers;
    device.kind = b.emulated ? PLIANT_CUDA_EMULATED : PLIANT_CUDA_GPU;
    must(pliant_context_create(&context, &b.context));
    must(pliant_cuda_create(b.context, &device, &b.device));
    if (b.json != NULL) {
        fprintf(b.json, "{\"device\": \"%s\", \"library\": \"%s\", \"steps\": %u, \"results\": [",
                pliant_cuda_get_name(b.device), pliant_cuda_version(), b.steps);
    }
    for (int e = 0; e < EXPERIMENTS; e++) {
        if (!any || chosen[e]) {
            experiments[e].run(&b);
        }
    }
    pliant_cuda_destroy(b.device);
    pliant_context_destroy(b.context);
    if (b.json != NULL) {
        fprintf(b.json, "\n]}\n");
        return fclose(b.json) == 0 ? 0 : 1;
    }
    return 0;
}
