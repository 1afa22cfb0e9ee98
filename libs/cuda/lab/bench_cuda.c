/*
 * pliant-bench-cuda: contacts on a GPU, beside the core's on all cores of the same machine in the
 * same run. Every list of every step is compared with the core's, contact by contact. Positions and
 * coordinates lie on the device before clocks start. Each step is asked twice: once by the
 * program's clock, from an idle device until the count is known; once by the device's own, from the
 * end of other work on its stream until contacts are in order. Times are medians.
 *
 *   pliant-bench-cuda [--emulated] [--scale X] [--steps N] [--workers N] [--json FILE] [NAME...]
 *
 * Names: cuda-cloth, cuda-fold, cuda-spheres, cuda-crowd, cuda-ring; all of them by default.
 */
#include "scenes.h"

#include <math.h>
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
#ifdef PLI_BENCH_HAS_GPU
    cudaStream_t stream;
    cudaEvent_t began, ended;
    char *ballast; /* copied to keep the device busy */
    size_t ballast_size;
#endif
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

/* The device's clock, on the stream that the library works on. It begins behind other work, as a
   simulation's would be, which lasts until the question has been handed over. */
static void begin_clock(const bench *b)
{
    (void)b;
#ifdef PLI_BENCH_HAS_GPU
    if (!b->emulated) {
        (void)cudaMemcpyAsync(b->ballast + b->ballast_size / 2, b->ballast, b->ballast_size / 2,
                              cudaMemcpyDeviceToDevice, b->stream);
        (void)cudaEventRecord(b->began, b->stream);
    }
#endif
}

/* Seconds since; where there is no device, those that passed for the program. */
static double end_clock(const bench *b, double passed)
{
    (void)b;
#ifdef PLI_BENCH_HAS_GPU
    float ms = 0.0f;
    if (!b->emulated) {
        if (cudaEventRecord(b->ended, b->stream) != cudaSuccess ||
            cudaEventSynchronize(b->ended) != cudaSuccess ||
            cudaEventElapsedTime(&ms, b->began, b->ended) != cudaSuccess) {
            fprintf(stderr, "pliant-bench-cuda: the GPU failed\n");
            exit(1);
        }
        return 1e-3 * (double)ms;
    }
#endif
    return passed;
}

static void open_clock(bench *b, pliant_cuda_def *def)
{
    (void)b;
    (void)def;
#ifdef PLI_BENCH_HAS_GPU
    if (!b->emulated &&
        cudaStreamCreateWithFlags(&b->stream, cudaStreamNonBlocking) == cudaSuccess &&
        cudaEventCreate(&b->began) == cudaSuccess && cudaEventCreate(&b->ended) == cudaSuccess &&
        cudaMalloc((void **)&b->ballast, b->ballast_size) == cudaSuccess &&
        cudaMemset(b->ballast, 0, b->ballast_size) == cudaSuccess) {
        def->stream = b->stream;
    }
#endif
}

/* ------------------------------------------------------------ one experiment */

typedef struct sides {
    pliant_cuda_scene *scene;
    pliant_scene *core;
    pliant_body **bodies;
    float *lent;  /* what all bodies are given by, on the device, */
    float *given; /* and as the program has it */
    double *device_times, *wall_times, *core_times;
} sides;

static pliant_state state_of(const bench_scene *s, const float *numbers, uint32_t body)
{
    pliant_state state = {0};
    const bench_shape *shape = bench_scene_shape(s, body);
    const float *own = numbers + bench_scene_offset(s, body);
    if (shape->joints == 0) {
        state.positions = own;
        return state;
    }
    if (shape->modes > 0) {
        state.coordinates = own;
        state.coordinate_count = shape->modes;
    }
    state.transforms = own + shape->modes;
    state.transform_count = shape->joints;
    if (shape->has_world) {
        state.world = state.transforms + 12 * (size_t)shape->joints;
    }
    return state;
}

static sides open_sides(bench *b, const bench_scene *s, pliant_member_def member)
{
    sides x = {0};
    x.bodies = malloc(s->bodies * sizeof(pliant_body *));
    x.given = malloc(s->numbers * sizeof *x.given);
    x.device_times = malloc(b->steps * sizeof *x.device_times);
    x.wall_times = malloc(b->steps * sizeof *x.wall_times);
    x.core_times = malloc(b->steps * sizeof *x.core_times);
    x.lent = lend(b, s->numbers * sizeof *x.lent);
    must(pliant_cuda_scene_create(b->device, &x.scene));
    must(pliant_scene_create(b->context, NULL, &x.core));
    for (uint32_t i = 0; i < s->bodies; i++) {
        pliant_shape *shape = bench_scene_shape(s, i)->shape;
        uint32_t number;
        pliant_body_id id;
        must(pliant_cuda_scene_add(x.scene, shape, &member, &number));
        must(pliant_body_create(shape, NULL, &x.bodies[i]));
        must(pliant_scene_add(x.core, x.bodies[i], &member, &id));
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
    free(x->given);
    free(x->device_times);
    free(x->wall_times);
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

static uint64_t triangles_of(const bench_scene *s)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < s->bodies; i++) {
        count += bench_scene_shape(s, i)->triangles;
    }
    return count;
}

static void write_result(bench *b, const char *name, const bench_scene *s, sides *x,
                         const pliant_cuda_stats *stats)
{
    double device = 1e3 * median(x->device_times, b->steps);
    double wall = 1e3 * median(x->wall_times, b->steps);
    double core = 1e3 * median(x->core_times, b->steps);
    printf(
        "%-28s %9llu contacts %9.4f ms on %s, %9.4f until counted; %9.3f by %u workers, x %.1f\n",
        name, (unsigned long long)stats->contacts, device, pliant_cuda_get_name(b->device), wall,
        core, b->workers, core / device);
    (void)fflush(stdout);
    if (b->json != NULL) {
        fprintf(b->json,
                "%s\n  {\"name\": \"%s\", \"bodies\": %u, \"triangles\": %llu, \"contacts\": %llu, "
                "\"device_ms\": %.5f, \"counted_ms\": %.5f, \"core_ms\": %.5f, \"workers\": %u, "
                "\"body_pairs\": %llu, \"cluster_pairs\": %llu, \"clusters_evaluated\": %llu, "
                "\"tests\": %llu, \"undecided\": %llu, \"left_to_host\": %llu, "
                "\"device_bytes\": %llu}",
                b->written++ > 0 ? "," : "", name, s->bodies, (unsigned long long)triangles_of(s),
                (unsigned long long)stats->contacts, device, wall, core, b->workers,
                (unsigned long long)stats->body_pairs, (unsigned long long)stats->cluster_pairs,
                (unsigned long long)stats->clusters_evaluated,
                (unsigned long long)stats->triangle_tests, (unsigned long long)stats->undecided,
                (unsigned long long)stats->left_to_host, (unsigned long long)stats->device_bytes);
    }
}

/* Plays the scene: each step is asked of both, and their lists are compared. */
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
        s->move(s, step, x.given);
        bring(b, x.lent, x.given, s->numbers * sizeof(float));
        for (uint32_t i = 0; i < s->bodies; i++) {
            pliant_state state = state_of(s, x.given, i);
            must(pliant_body_set_state(x.bodies[i], &state));
        }
        double began = now();
        must(pliant_cuda_scene_collide(x.scene, &options, &contacts));
        double counted = now();
        begin_clock(b); /* once more, by the other clock */
        must(pliant_cuda_scene_collide(x.scene, &options, &contacts));
        double device = end_clock(b, counted - began);
        double between = now();
        must(pliant_scene_collide(x.core, &core_options, &core));
        double ended = now();
        if (step >= WARM_UP) {
            x.device_times[step - WARM_UP] = device;
            x.wall_times[step - WARM_UP] = counted - began;
            x.core_times[step - WARM_UP] = ended - between;
        }
        if (!same_lists(&x, &core, &contacts)) {
            fprintf(stderr, "%s: the device's contacts are not the core's in step %u\n", name,
                    step);
            exit(1);
        }
    }
    must(pliant_cuda_scene_get_stats(x.scene, &stats));
    write_result(b, name, s, &x, &stats);
    close_sides(b, s, &x);
}

/* ------------------------------------------------------------ the experiments */

/* A number at the scale that was asked for: of what a count has so many dimensions of. */
static uint32_t scaled(const bench *b, uint32_t count, double dimensions)
{
    double at_scale = floor((double)count * pow(b->scale, 1.0 / dimensions) + 0.5);
    return at_scale > 4.0 ? (uint32_t)at_scale : 4;
}

static void play_cloth(bench *b, uint32_t columns, uint32_t rows, uint32_t layers, bool flat)
{
    bench_scene s;
    char name[96];
    must(bench_cloth_create(b->context, scaled(b, columns, 2), scaled(b, rows, 2), layers, flat,
                            &s));
    const char *what = flat ? "cuda-fold" : "cuda-cloth";
    uint32_t count = s.shapes[0].triangles;
    (void)snprintf(name, sizeof name, "%s %u %u skip", what, count, layers);
    play(b, name, &s, PLIANT_NEIGHBOURS_SKIP);
    (void)snprintf(name, sizeof name, "%s %u %u beyond", what, count, layers);
    play(b, name, &s, PLIANT_NEIGHBOURS_BEYOND_SHARED);
    bench_scene_destroy(&s);
}

static void run_cloth(bench *b)
{
    play_cloth(b, 214, 215, 8, false);
    play_cloth(b, 707, 707, 8, false);
    play_cloth(b, 707, 707, 24, false);
}

static void run_fold(bench *b)
{
    play_cloth(b, 214, 215, 2, true);
}

static void run_spheres(bench *b)
{
    bench_scene s;
    must(bench_spheres_create(b->context, b->scale < 1.0 ? 3 : 7, &s));
    play(b, "cuda-spheres", &s, PLIANT_NEIGHBOURS_SKIP);
    bench_scene_destroy(&s);
}

static void play_crowd(bench *b, uint32_t bodies, bool close)
{
    bench_scene s;
    char name[64];
    must(bench_crowd_create(b->context, scaled(b, bodies, 1), b->scale < 1.0 ? 5 : 30, close, &s));
    (void)snprintf(name, sizeof name, "cuda-crowd %u%s", s.bodies, close ? " close" : "");
    play(b, name, &s, PLIANT_NEIGHBOURS_SKIP);
    bench_scene_destroy(&s);
}

static void run_crowd(bench *b)
{
    play_crowd(b, 1000, false);
    play_crowd(b, 10000, false);
    play_crowd(b, 1000, true);
}

static void run_ring(bench *b)
{
    bench_scene s;
    must(bench_ring_create(b->context, b->scale < 1.0 ? 500 : 45682, &s));
    play(b, "cuda-ring figures", &s, PLIANT_NEIGHBOURS_SKIP);
    bench_scene_destroy(&s);
    if (bench_people_create(b->context, scaled(b, 200, 1), &s) != PLIANT_OK) {
        printf("cuda-ring people: left out: PLIANT_ASSETS has no characters/dressed-person.glb\n");
        return;
    }
    play(b, "cuda-ring people", &s, PLIANT_NEIGHBOURS_SKIP);
    bench_scene_destroy(&s);
}

static const struct {
    const char *name;
    void (*run)(bench *b);
} experiments[] = {
    {"cuda-cloth", run_cloth}, {"cuda-fold", run_fold}, {"cuda-spheres", run_spheres},
    {"cuda-crowd", run_crowd}, {"cuda-ring", run_ring},
};

enum { EXPERIMENTS = sizeof experiments / sizeof experiments[0] };

static int usage(void)
{
    fprintf(stderr, "usage: pliant-bench-cuda [--emulated] [--scale X] [--steps N] [--workers N]\n"
                    "                         [--json FILE] [cuda-cloth|cuda-fold|cuda-spheres|"
                    "cuda-crowd|cuda-ring]...\n");
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
    open_clock(&b, &device);
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
