/* pliant demo: runs a built-in scene under every update strategy and writes a page about it. */
#include "cli.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "page.h"
#include "pliant/pliant.h"
#include "scenes/body.h"
#include "scenes/modal/left_out.h"

#define MAX_STEPS 100000
#define MOMENTS   20 /* pictures on the page, besides the first and the deepest contact */

typedef struct update_name {
    const char *name;
    pliant_update update;
} update_name;

static const update_name updates[] = {
    {"bottom-up", PLIANT_UPDATE_BOTTOM_UP}, {"top-down", PLIANT_UPDATE_TOP_DOWN},
    {"hybrid", PLIANT_UPDATE_HYBRID},       {"front", PLIANT_UPDATE_FRONT},
    {"auto", PLIANT_UPDATE_AUTO},
};
#define UPDATES ((uint32_t)(sizeof updates / sizeof updates[0]))

/* Everything the demo holds; demo_free() gives it back. */
typedef struct demo_state {
    scene_instance *scene;
    pliant_context *context;
    pliant_shape *shapes[SCENE_MAX_BODIES];
    pliant_query *query;
    float *states[SCENE_MAX_BODIES];    /* what bodies are set by */
    float *positions[SCENE_MAX_BODIES]; /* for pictures */
    uint64_t *pairs;                    /* of each step */
    uint64_t *hashes;                   /* of each step's pairs */
    page_strategy strategies[UPDATES];
    uint32_t strategy_count;
    pliant_stats full; /* what refreshing everything once costs */
    page_moment moments[MOMENTS + 3];
    uint32_t moment_count;
    uint32_t first_step, deepest_step, deepest_moment;
    bool show_progress;
} demo_state;

static void demo_free(demo_state *demo)
{
    for (uint32_t i = 0; i < demo->moment_count; i++) {
        for (uint32_t body = 0; body < SCENE_MAX_BODIES; body++) {
            free(demo->moments[i].positions[body]);
        }
        free(demo->moments[i].pairs);
        free(demo->moments[i].segments);
    }
    pliant_query_destroy(demo->query);
    for (uint32_t body = 0; body < SCENE_MAX_BODIES; body++) {
        pliant_shape_destroy(demo->shapes[body]);
        free(demo->positions[body]);
        free(demo->states[body]);
    }
    pliant_context_destroy(demo->context);
    free(demo->pairs);
    free(demo->hashes);
    scene_destroy(demo->scene);
}

static cli_status fail_memory(void)
{
    return cli_fail(CLI_FAILED, "not enough memory");
}

static cli_status fail_library(void)
{
    return cli_fail(CLI_FAILED, "%s", pliant_last_error());
}

static cli_status demo_create(demo_state *demo, const scene_kind *kind, uint32_t steps,
                              pliant_isa isa)
{
    /* The spheres are coarser than in the benchmarks, so that a browser can turn them. */
    scene_settings settings = {.steps = steps, .seed = 1};
    settings.triangles = kind == &scene_spheres ? 5120 : 0;
    demo->scene = scene_create(kind, &settings);
    if (demo->scene == NULL) {
        return fail_memory();
    }
    demo->pairs = calloc(demo->scene->steps, sizeof *demo->pairs);
    demo->hashes = calloc(demo->scene->steps, sizeof *demo->hashes);
    if (demo->pairs == NULL || demo->hashes == NULL) {
        return fail_memory();
    }
    pliant_context_def context = pliant_context_default();
    context.isa = isa;
    if (pliant_context_create(&context, &demo->context) != PLIANT_OK ||
        pliant_query_create(demo->context, &demo->query) != PLIANT_OK) {
        return fail_library();
    }
    for (uint32_t body = 0; body < kind->body_count; body++) {
        const scene_mesh *mesh = &demo->scene->bodies[body];
        pliant_shape_def def = scene_shape_def(demo->scene, body);
        if (pliant_shape_create(demo->context, &def, &demo->shapes[body]) != PLIANT_OK) {
            return fail_library();
        }
        demo->positions[body] = malloc((size_t)mesh->vertex_count * 3 * sizeof(float));
        demo->states[body] = malloc(scene_state_size(demo->scene, body) * sizeof(float));
        if (demo->positions[body] == NULL || demo->states[body] == NULL) {
            return fail_memory();
        }
    }
    return CLI_DONE;
}

static pliant_result create_bodies(const demo_state *demo, pliant_update update,
                                   pliant_body *bodies[SCENE_MAX_BODIES])
{
    pliant_body_def def = pliant_body_default();
    def.update = update;
    pliant_result result = PLIANT_OK;
    for (uint32_t body = 0; body < demo->scene->kind->body_count && result == PLIANT_OK; body++) {
        result = pliant_body_create(demo->shapes[body], &def, &bodies[body]);
    }
    return result;
}

static void destroy_bodies(pliant_body *bodies[SCENE_MAX_BODIES])
{
    for (uint32_t body = 0; body < SCENE_MAX_BODIES; body++) {
        pliant_body_destroy(bodies[body]);
    }
}

/* Moves the bodies to one step and asks what touches. */
static pliant_result ask(demo_state *demo, pliant_body *bodies[SCENE_MAX_BODIES], uint32_t step,
                         bool segments, pliant_contacts *contacts)
{
    const scene_kind *kind = demo->scene->kind;
    for (uint32_t body = 0; body < kind->body_count; body++) {
        pliant_result result =
            scene_set_body(demo->scene, body, step, demo->states[body], bodies[body]);
        if (result != PLIANT_OK) {
            return result;
        }
    }
    pliant_collide_options options = pliant_collide_default();
    options.segments = segments;
    return kind->self ? pliant_collide_self(demo->query, bodies[0], &options, contacts)
                      : pliant_collide(demo->query, bodies[0], bodies[1], &options, contacts);
}

static void show_progress(const demo_state *demo, const char *what, uint32_t step)
{
    if (demo->show_progress) {
        fprintf(stderr, "\r%s: step %u of %u\033[K", what, step, demo->scene->steps);
        if (step == demo->scene->steps) {
            fputs("\r\033[K", stderr);
        }
    }
}

/* What an update of everything touches: one step, refreshed from the leaves up. */
static cli_status measure_full_update(demo_state *demo)
{
    pliant_body *bodies[SCENE_MAX_BODIES] = {NULL};
    pliant_contacts contacts;
    pliant_result result = create_bodies(demo, PLIANT_UPDATE_BOTTOM_UP, bodies);
    if (result == PLIANT_OK) {
        result = ask(demo, bodies, 0, false, &contacts);
    }
    if (result == PLIANT_OK) {
        demo->full = *pliant_query_stats(demo->query);
    }
    destroy_bodies(bodies);
    return result == PLIANT_OK ? CLI_DONE : fail_library();
}

static double share(uint64_t count, uint64_t full, uint32_t steps)
{
    return full > 0 ? (double)count / ((double)full * steps) : 0.0;
}

/* Compares one step's pairs with those of the strategies before. */
static bool same_pairs(demo_state *demo, uint32_t step, const pliant_contacts *contacts)
{
    uint64_t hash = scene_hash(contacts->pairs, contacts->count * sizeof *contacts->pairs);
    if (demo->strategy_count == 0) {
        demo->pairs[step - 1] = contacts->count;
        demo->hashes[step - 1] = hash;
    }
    return demo->pairs[step - 1] == contacts->count && demo->hashes[step - 1] == hash;
}

static cli_status run_steps(demo_state *demo, const update_name *update,
                            pliant_body *bodies[SCENE_MAX_BODIES], page_strategy *strategy)
{
    for (uint32_t step = 1; step <= demo->scene->steps; step++) {
        pliant_contacts contacts;
        if (ask(demo, bodies, step, false, &contacts) != PLIANT_OK) {
            return fail_library();
        }
        const pliant_stats *stats = pliant_query_stats(demo->query);
        strategy->milliseconds +=
            1e3 * (stats->seconds_update + stats->seconds_traverse + stats->seconds_sort);
        strategy->nodes += stats->nodes_refreshed;
        strategy->clusters += stats->clusters_refreshed;
        strategy->vertices += stats->vertices_read;
        if (!same_pairs(demo, step, &contacts)) {
            return cli_fail(CLI_FAILED, "%s and %s do not agree on the pairs at step %u",
                            demo->strategies[0].name, update->name, step);
        }
        show_progress(demo, update->name, step);
    }
    return CLI_DONE;
}

static cli_status run_strategy(demo_state *demo, const update_name *update)
{
    page_strategy strategy = {.name = update->name};
    pliant_body *bodies[SCENE_MAX_BODIES] = {NULL};
    cli_status status = create_bodies(demo, update->update, bodies) == PLIANT_OK
                            ? run_steps(demo, update, bodies, &strategy)
                            : fail_library();
    destroy_bodies(bodies);
    uint32_t steps = demo->scene->steps;
    strategy.node_share = share(strategy.nodes, demo->full.nodes_refreshed, steps);
    strategy.cluster_share = share(strategy.clusters, demo->full.clusters_refreshed, steps);
    strategy.vertex_share = share(strategy.vertices, demo->full.vertices_read, steps);
    demo->strategies[demo->strategy_count++] = strategy;
    return status;
}

static void find_marked_steps(demo_state *demo)
{
    demo->deepest_step = demo->scene->steps;
    for (uint32_t step = demo->scene->steps; step > 0; step--) {
        if (demo->pairs[step - 1] > 0) {
            demo->first_step = step;
        }
        if (demo->pairs[step - 1] >= demo->pairs[demo->deepest_step - 1]) {
            demo->deepest_step = step;
        }
    }
    if (demo->first_step == 0) {
        demo->deepest_step = demo->scene->steps;
    }
}

/* A copy that the caller frees; NULL when there is no memory. */
static void *copy_array(const void *array, uint64_t count, size_t size)
{
    void *copy = malloc(count > 0 ? count * size : 1);
    if (copy != NULL && count > 0) {
        memcpy(copy, array, count * size);
    }
    return copy;
}

static cli_status keep_moment(demo_state *demo, pliant_body *bodies[SCENE_MAX_BODIES],
                              uint32_t step)
{
    pliant_contacts contacts;
    if (ask(demo, bodies, step, true, &contacts) != PLIANT_OK) {
        return fail_library();
    }
    page_moment *moment = &demo->moments[demo->moment_count++];
    *moment = (page_moment){.step = step, .pair_count = contacts.count};
    moment->pairs = copy_array(contacts.pairs, contacts.count, sizeof *moment->pairs);
    moment->segments = copy_array(contacts.segments, contacts.count, sizeof *moment->segments);
    bool kept = moment->pairs != NULL && moment->segments != NULL;
    for (uint32_t body = 0; body < demo->scene->kind->body_count; body++) {
        uint32_t count = demo->scene->bodies[body].vertex_count;
        if (pliant_body_evaluate(bodies[body], NULL, count, demo->positions[body]) != PLIANT_OK) {
            return fail_library();
        }
        moment->positions[body] = copy_array(
            demo->positions[body], demo->scene->bodies[body].vertex_count, 3 * sizeof(float));
        kept = kept && moment->positions[body] != NULL;
    }
    return kept ? CLI_DONE : fail_memory();
}

/* Keeps some steps for the page: evenly spread ones, the first contact and the deepest. */
static cli_status keep_moments(demo_state *demo)
{
    pliant_body *bodies[SCENE_MAX_BODIES] = {NULL};
    cli_status status =
        create_bodies(demo, PLIANT_UPDATE_AUTO, bodies) == PLIANT_OK ? CLI_DONE : fail_library();
    uint32_t steps = demo->scene->steps;
    uint32_t parts = steps < MOMENTS ? steps : MOMENTS;
    uint32_t next_part = 0;
    for (uint32_t step = 0; step <= steps && status == CLI_DONE; step++) {
        bool due = step == (uint32_t)((uint64_t)steps * next_part / parts);
        next_part += due ? 1 : 0;
        bool marked = step > 0 && (step == demo->first_step || step == demo->deepest_step);
        if (due || marked) {
            if (step == demo->deepest_step) {
                demo->deepest_moment = demo->moment_count;
            }
            status = keep_moment(demo, bodies, step);
        }
    }
    destroy_bodies(bodies);
    return status;
}

static uint64_t sum_pairs(const demo_state *demo)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < demo->scene->steps; i++) {
        sum += demo->pairs[i];
    }
    return sum;
}

static void print_table(const demo_state *demo)
{
    const scene_instance *scene = demo->scene;
    printf("%s: %s\n", scene->kind->name, scene->kind->description);
    for (uint32_t body = 0; body < scene->kind->body_count; body++) {
        printf("body %u: %u triangles, %u vertices\n", body + 1, scene->bodies[body].triangle_count,
               scene->bodies[body].vertex_count);
    }
    if (demo->first_step > 0) {
        printf("first contact at step %u, deepest at step %u with %" PRIu64 " pairs\n\n",
               demo->first_step, demo->deepest_step, demo->pairs[demo->deepest_step - 1]);
    } else {
        printf("nothing touches\n\n");
    }
    printf("%-10s%7s%10s%11s%9s%18s%20s%18s\n", "update", "steps", "pairs", "last step", "ms",
           "nodes refreshed", "clusters refreshed", "vertices read");
    for (uint32_t i = 0; i < demo->strategy_count; i++) {
        const page_strategy *strategy = &demo->strategies[i];
        printf("%-10s%7u%10" PRIu64 "%11" PRIu64 "%9.1f%10" PRIu64 " %5.1f %%%12" PRIu64
               " %5.1f %%%10" PRIu64 " %5.1f %%\n",
               strategy->name, scene->steps, sum_pairs(demo), demo->pairs[scene->steps - 1],
               strategy->milliseconds, strategy->nodes, 100.0 * strategy->node_share,
               strategy->clusters, 100.0 * strategy->cluster_share, strategy->vertices,
               100.0 * strategy->vertex_share);
    }
    printf("\nper cent: of what refreshing everything in every step would touch\n");
}

static cli_status write_page(const demo_state *demo, const char *folder)
{
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        return cli_fail(CLI_FAILED, "cannot make the folder %s: %s", folder, strerror(errno));
    }
    size_t size = strlen(folder) + sizeof "/report.html";
    char *path = malloc(size);
    if (path == NULL) {
        return fail_memory();
    }
    snprintf(path, size, "%s/report.html", folder);
    FILE *file = fopen(path, "w");
    cli_status status = CLI_DONE;
    if (file == NULL) {
        status = cli_fail(CLI_FAILED, "cannot write %s: %s", path, strerror(errno));
    } else {
        page_content content = {
            .scene = demo->scene,
            .strategies = demo->strategies,
            .strategy_count = demo->strategy_count,
            .pairs = demo->pairs,
            .first_step = demo->first_step,
            .deepest_step = demo->deepest_step,
            .moments = demo->moments,
            .moment_count = demo->moment_count,
            .deepest_moment = demo->deepest_moment,
        };
        for (uint32_t body = 0; body < demo->scene->kind->body_count; body++) {
            content.closed[body] = pliant_shape_is_closed(demo->shapes[body]);
        }
        page_write(file, &content);
        bool failed = ferror(file) != 0;
        if (fclose(file) != 0 || failed) {
            status = cli_fail(CLI_FAILED, "cannot write %s: %s", path, strerror(errno));
        } else {
            printf("\npage: %s\n", path);
        }
    }
    free(path);
    return status;
}

static cli_status run_demo(demo_state *demo, const update_name *only, const char *folder)
{
    cli_status status = measure_full_update(demo);
    for (uint32_t i = 0; i < UPDATES && status == CLI_DONE; i++) {
        if (only == NULL || only == &updates[i]) {
            status = run_strategy(demo, &updates[i]);
        }
    }
    if (status == CLI_DONE) {
        find_marked_steps(demo);
        print_table(demo);
        status = keep_moments(demo);
    }
    return status == CLI_DONE ? write_page(demo, folder) : status;
}

static const update_name *find_update(const char *name)
{
    for (uint32_t i = 0; i < UPDATES; i++) {
        if (strcmp(updates[i].name, name) == 0) {
            return &updates[i];
        }
    }
    return NULL;
}

static cli_status run(int argument_count, char **arguments)
{
    const char *scene_name = "spheres";
    const char *update_wanted = NULL;
    const char *folder = "demo";
    const char *isa_name = NULL;
    pliant_isa isa = PLIANT_ISA_BEST;
    uint32_t steps = 0;
    const cli_option options[] = {
        {.name = "--steps", .number = &steps, .least = 1, .most = MAX_STEPS},
        {.name = "--update", .text = &update_wanted},
        {.name = "--output", .letter = 'o', .text = &folder},
        {.name = "--isa", .text = &isa_name},
    };
    uint32_t word_count = 0;
    if (!cli_parse(argument_count, arguments, options, 4, &scene_name, 1, &word_count) ||
        !cli_read_isa(isa_name, &isa)) {
        return CLI_USAGE;
    }
    const scene_kind *kind = scene_find(scene_name);
    if (kind == NULL && scene_left_out(scene_name)) {
        return cli_fail(CLI_FAILED,
                        "the scene '%s' needs LAPACKE, which this build was made without; install "
                        "liblapacke-dev and build again",
                        scene_name);
    }
    if (kind == NULL) {
        return cli_fail(CLI_USAGE, "there is no scene '%s'; pliant scenes lists them", scene_name);
    }
    if (kind->body_count > 2) {
        return cli_fail(CLI_USAGE, "the demo shows one or two bodies; '%s' has %u and is for bench",
                        scene_name, kind->body_count);
    }
    const update_name *only = NULL;
    if (update_wanted != NULL && (only = find_update(update_wanted)) == NULL) {
        return cli_fail(CLI_USAGE,
                        "--update is bottom-up, top-down, hybrid, front or auto, not '%s'",
                        update_wanted);
    }
    demo_state *demo = calloc(1, sizeof *demo);
    if (demo == NULL) {
        return fail_memory();
    }
    demo->show_progress = isatty(STDERR_FILENO);
    cli_status status = demo_create(demo, kind, steps, isa);
    if (status == CLI_DONE) {
        status = run_demo(demo, only, folder);
    }
    demo_free(demo);
    free(demo);
    return status;
}

const cli_command cli_command_demo = {
    .name = "demo",
    .summary = "run a built-in scene, print what happened, write a page about it",
    .usage = "usage: pliant demo [SCENE] [--steps N] [--update U] [-o DIR] [--isa SET]\n\n"
             "Runs a built-in scene under every update strategy, checks that all of them find the\n"
             "same pairs, prints what each did and writes DIR/report.html, to be looked at in a\n"
             "browser. The default scene is spheres; pliant scenes lists them.\n\n"
             "  --steps N    cut the motion into N steps\n"
             "  --update U   only one strategy: bottom-up, top-down, hybrid, front, auto\n"
             "  -o DIR       where the page goes (default: demo)\n"
             "  --isa SET    use at most this instruction set: plain, baseline, avx2 or avx512\n"
             "               (default: the best that the machine has). The pairs are the same\n",
    .run = run,
};
