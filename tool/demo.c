/* pliant demo: a figure in a coat, checked; or a scene that is run under every update strategy.
 * Both write pages. */
#include "cli.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demo.h"
#include "output.h"
#include "system.h"
#include "gallery/modal/left_out.h"
#include "tool/text/characters.h"

#define MAX_STEPS 100000

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
_Static_assert(UPDATES == DEMO_UPDATES, "room for what each strategy did");

static void demo_free(demo_state *demo)
{
    pliant_query_destroy(demo->query);
    for (uint32_t body = 0; body < GALLERY_MAX_BODIES; body++) {
        pliant_shape_destroy(demo->shapes[body]);
        free(demo->states[body]);
    }
    pliant_context_destroy(demo->context);
    free(demo->pairs);
    free(demo->hashes);
    gallery_destroy(demo->scene);
}

cli_status demo_fail_memory(void)
{
    return cli_fail(CLI_FAILED, "not enough memory");
}

cli_status demo_fail_library(void)
{
    return cli_fail(CLI_FAILED, "%s", pliant_last_error());
}

/* Some scenes are coarser than in the benchmarks, so that a browser can turn them; 0: as they are.
 */
static uint32_t demo_triangles(const gallery_kind *kind)
{
    if (kind == &gallery_spheres) {
        return 5120;
    }
    if (kind == &gallery_crowd_spheres || kind == &gallery_crowd_arms) {
        return 1280;
    }
    return kind == &gallery_school ? 4000 : 0;
}

static cli_status demo_create(demo_state *demo, const gallery_kind *kind, uint32_t steps,
                              const cli_limits *limits)
{
    gallery_settings settings = {
        .steps = steps, .seed = 1, .triangles = demo_triangles(kind), .isa = limits->isa};
    demo->scene = gallery_create(kind, &settings);
    if (demo->scene == NULL) {
        return demo_fail_memory();
    }
    demo->pairs = calloc(demo->scene->steps, sizeof *demo->pairs);
    demo->hashes = calloc(demo->scene->steps, sizeof *demo->hashes);
    if (demo->pairs == NULL || demo->hashes == NULL) {
        return demo_fail_memory();
    }
    if (cli_create_context(limits, limits->threads, &demo->context) != PLIANT_OK ||
        pliant_query_create(demo->context, &demo->query) != PLIANT_OK) {
        return demo_fail_library();
    }
    for (uint32_t body = 0; body < demo->scene->body_count; body++) {
        pliant_shape_def def = gallery_shape_def(demo->scene, body);
        if (pliant_shape_create(demo->context, &def, &demo->shapes[body]) != PLIANT_OK) {
            return demo_fail_library();
        }
        demo->states[body] = malloc(gallery_state_size(demo->scene, body) * sizeof(float));
        if (demo->states[body] == NULL) {
            return demo_fail_memory();
        }
    }
    return CLI_DONE;
}

pliant_result demo_world_create(const demo_state *demo, pliant_update update, demo_world *world)
{
    pliant_body_def def = pliant_body_def_default();
    def.update = update;
    pliant_member_def member = pliant_member_def_default();
    member.self = demo->scene->kind->self;
    pliant_result result = pliant_scene_create(demo->context, NULL, &world->scene);
    for (uint32_t body = 0; body < demo->scene->body_count && result == PLIANT_OK; body++) {
        pliant_body_id id; /* of the same index as the body */
        result = pliant_body_create(demo->shapes[body], &def, &world->bodies[body]);
        if (result == PLIANT_OK) {
            result = pliant_scene_add(world->scene, world->bodies[body], &member, &id);
        }
    }
    return result;
}

void demo_world_destroy(demo_world *world)
{
    pliant_scene_destroy(world->scene);
    for (uint32_t body = 0; body < GALLERY_MAX_BODIES; body++) {
        pliant_body_destroy(world->bodies[body]);
    }
}

pliant_result demo_ask(demo_state *demo, demo_world *world, uint32_t step,
                       pliant_scene_contacts *contacts)
{
    for (uint32_t body = 0; body < demo->scene->body_count; body++) {
        pliant_result result =
            gallery_set_body(demo->scene, body, step, demo->states[body], world->bodies[body]);
        if (result != PLIANT_OK) {
            return result;
        }
    }
    return pliant_scene_collide(world->scene, NULL, contacts);
}

void demo_show_progress(const demo_state *demo, const char *what, uint32_t step)
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
    demo_world world = {0};
    pliant_scene_contacts contacts;
    pliant_result result = demo_world_create(demo, PLIANT_UPDATE_BOTTOM_UP, &world);
    if (result == PLIANT_OK) {
        result = demo_ask(demo, &world, 0, &contacts);
    }
    if (result == PLIANT_OK) {
        demo->full = pliant_scene_get_stats(world.scene)->narrow;
    }
    demo_world_destroy(&world);
    return result == PLIANT_OK ? CLI_DONE : demo_fail_library();
}

static double share(uint64_t count, uint64_t full, uint32_t steps)
{
    return full > 0 ? (double)count / ((double)full * steps) : 0.0;
}

/* Compares one step's pairs with those of the strategies before. */
static bool same_pairs(demo_state *demo, uint32_t step, const pliant_scene_contacts *contacts)
{
    uint64_t hash = gallery_hash(contacts->pairs, contacts->count * sizeof *contacts->pairs);
    for (uint32_t i = 0; i < contacts->body_pair_count; i++) { /* by field: structs have gaps */
        const pliant_scene_pair *two = &contacts->bodies[i];
        const uint64_t named[4] = {two->a.index, two->b.index, two->first, two->count};
        hash = 31 * hash + gallery_hash(named, sizeof named);
    }
    if (demo->strategy_count == 0) {
        demo->pairs[step - 1] = contacts->count;
        demo->hashes[step - 1] = hash;
    }
    return demo->pairs[step - 1] == contacts->count && demo->hashes[step - 1] == hash;
}

static cli_status run_steps(demo_state *demo, const update_name *update, demo_world *world,
                            demo_strategy *strategy)
{
    for (uint32_t step = 1; step <= demo->scene->steps; step++) {
        pliant_scene_contacts contacts;
        if (demo_ask(demo, world, step, &contacts) != PLIANT_OK) {
            return demo_fail_library();
        }
        const pliant_scene_stats *stats = pliant_scene_get_stats(world->scene);
        strategy->milliseconds += 1e3 * (stats->narrow.seconds_update + stats->seconds_broad +
                                         stats->seconds_narrow + stats->seconds_collect);
        strategy->nodes += stats->narrow.nodes_refreshed;
        strategy->clusters += stats->narrow.clusters_refreshed;
        strategy->vertices += stats->narrow.vertices_read;
        if (!same_pairs(demo, step, &contacts)) {
            return cli_fail(CLI_FAILED, "%s and %s do not agree on the pairs at step %u",
                            demo->strategies[0].name, update->name, step);
        }
        demo_show_progress(demo, update->name, step);
    }
    return CLI_DONE;
}

static cli_status run_strategy(demo_state *demo, const update_name *update)
{
    demo_strategy strategy = {.name = update->name};
    demo_world world = {0};
    cli_status status = demo_world_create(demo, update->update, &world) == PLIANT_OK
                            ? run_steps(demo, update, &world, &strategy)
                            : demo_fail_library();
    demo_world_destroy(&world);
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
    const gallery_scene *scene = demo->scene;
    printf("%s: %s\n", scene->kind->name, scene->kind->description);
    for (uint32_t body = 0; body < scene->body_count; body++) {
        char name[GALLERY_NAME];
        gallery_name_body(scene, body, name);
        printf("%s: %u triangles, %u vertices\n", name, scene->bodies[body].triangle_count,
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
        const demo_strategy *strategy = &demo->strategies[i];
        printf("%-10s%7u%10" PRIu64 "%11" PRIu64 "%9.1f%10" PRIu64 " %5.1f %%%12" PRIu64
               " %5.1f %%%10" PRIu64 " %5.1f %%\n",
               strategy->name, scene->steps, sum_pairs(demo), demo->pairs[scene->steps - 1],
               strategy->milliseconds, strategy->nodes, 100.0 * strategy->node_share,
               strategy->clusters, 100.0 * strategy->cluster_share, strategy->vertices,
               100.0 * strategy->vertex_share);
    }
    printf("\nper cent: of what refreshing everything in every step would touch\n");
}

static void print_brief(const demo_state *demo)
{
    const gallery_kind *kind = demo->scene->kind;
    printf("\n%s: %s\n", kind->name, kind->description);
    if (demo->first_step > 0) {
        printf("%" PRIu64 " pairs of triangles touch in %u steps\n", sum_pairs(demo),
               demo->scene->steps);
    } else {
        printf("nothing touches in any of %u steps\n", demo->scene->steps);
    }
}

/* Makes a name in a folder; NULL without memory. */
static char *path_in(const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path != NULL) {
        snprintf(path, size, "%s/%s", folder, name);
    }
    return path;
}

cli_status demo_write_page(const char *folder, const char *name, demo_writer *write, void *user)
{
    if (system_make_folder(folder) != 0 && errno != EEXIST) {
        return cli_fail(CLI_FAILED, "cannot make the folder %s: %s", folder, strerror(errno));
    }
    char *path = path_in(folder, name);
    if (path == NULL) {
        return demo_fail_memory();
    }
    output_file file;
    cli_status status = output_open(&file, path);
    if (status == CLI_DONE) {
        status = output_close(&file, write(user, file.stream), false);
    }
    if (status == CLI_DONE) {
        fputs("\npage: ", stdout);
        text_show(stdout, path);
        putchar('\n');
    }
    free(path);
    return status;
}

static cli_status write_report(void *user, FILE *stream)
{
    return demo_write_report(user, stream);
}

static cli_status run_strategies(demo_state *demo, const update_name *only)
{
    cli_status status = measure_full_update(demo);
    for (uint32_t i = 0; i < UPDATES && status == CLI_DONE; i++) {
        if (only == NULL || only == &updates[i]) {
            status = run_strategy(demo, &updates[i]);
        }
    }
    if (status == CLI_DONE) {
        find_marked_steps(demo);
    }
    return status;
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

/* Plays a scene under one strategy, or all of them if `only` is NULL. */
static cli_status play_scene(const gallery_kind *kind, const update_name *only, bool is_brief,
                             const demo_request *request)
{
    demo_state *demo = calloc(1, sizeof *demo);
    if (demo == NULL) {
        return demo_fail_memory();
    }
    demo->show_progress = isatty(STDERR_FILENO);
    if (demo->show_progress && is_brief) {
        fputs("simulating the cape", stderr);
    }
    cli_status status = demo_create(demo, kind, request->steps, &request->limits);
    if (demo->show_progress && is_brief) {
        fputs("\r\033[K", stderr);
    }
    if (status == CLI_DONE) {
        status = run_strategies(demo, only);
    }
    if (status == CLI_DONE && is_brief) {
        print_brief(demo);
    } else if (status == CLI_DONE) {
        print_table(demo);
    }
    if (status == CLI_DONE) {
        status = demo_write_page(request->folder, is_brief ? "cape.html" : "report.html",
                                 write_report, demo);
    }
    demo_free(demo);
    free(demo);
    return status;
}

/* The figure that walks in its coat, then the cape. */
static cli_status show_figure(const demo_request *request)
{
    cli_status status = demo_check_figure(request);
    return status == CLI_DONE ? play_scene(&gallery_cape, find_update("auto"), true, request)
                              : status;
}

static cli_status run_scene(const char *name, const update_name *only, const demo_request *request)
{
    const gallery_kind *kind = gallery_find(name);
    if (kind == NULL && gallery_left_out(name)) {
        return cli_fail(CLI_FAILED,
                        "the scene '%s' needs LAPACKE, which this build was made without; install "
                        "liblapacke-dev and build again",
                        name);
    }
    if (kind == NULL) {
        return cli_fail(CLI_USAGE, "there is no scene '%s'; pliant scenes lists them", name);
    }
    return play_scene(kind, only, false, request);
}

static cli_status run(int argument_count, char **arguments)
{
    const char *scene = NULL, *update = NULL;
    const update_name *only = NULL;
    demo_request request = {.folder = "demo", .limits = {.threads = 1}};
    const cli_option options[] = {
        {.name = "--steps", .number = &request.steps, .least = 1, .most = MAX_STEPS},
        {.name = "--update", .text = &update},
        {.name = "--output", .letter = 'o', .text = &request.folder},
    };
    uint32_t word_count = 0;
    if (!cli_parse(argument_count, arguments, options, 3, &request.limits, &scene, 1,
                   &word_count)) {
        return CLI_USAGE;
    }
    if (update != NULL && (only = find_update(update)) == NULL) {
        return cli_fail(CLI_USAGE,
                        "--update is bottom-up, top-down, hybrid, front or auto, not '%s'", update);
    }
    if (word_count > 0) {
        return run_scene(scene, only, &request);
    }
    return only == NULL ? show_figure(&request)
                        : cli_fail(CLI_USAGE, "--update needs a scene: pliant demo spheres");
}

const cli_command cli_command_demo = {
    .name = "demo",
    .summary = "check a figure that walks in a coat, or run a built-in scene; write a page",
    .usage = "usage: pliant demo [SCENE] [--steps N] [--update U] [-o DIR]\n\n"
             "Without a scene: checks a figure that walks in a coat, which is built in, as pliant\n"
             "check does a file. Writes DIR/report.html, which opens at the deepest finding, and\n"
             "DIR/cape.html, a cape that falls onto the figure. Both are pages for a browser.\n\n"
             "With a scene: runs it under every update strategy, checks that all of them find the\n"
             "same pairs, prints what each did and writes DIR/report.html. Try spheres; pliant\n"
             "scenes lists them all.\n\n"
             "  --steps N    cut the motion into N steps\n"
             "  --update U   only one strategy: bottom-up, top-down, hybrid, front, auto\n"
             "  -o DIR       where the pages go (default: demo)\n",
    .threads = "default 1. They share the frames or the search",
    .option_width = 13,
    .run = run,
};
