/* The demo's page in 3D: every step's state, what touches, and what the method looked at. */
#include "demo.h"

#include <stdlib.h>
#include <string.h>

#include "tool/report/buffer.h"
#include "tool/report/page.h"

/* Numbers of state that the page may keep; longer runs keep every second step, every third, ... */
#define MOST_NUMBERS 9000000u
/* Bounds of trees that the page may keep per step; larger trees are shown down to some level. */
#define MOST_BOUNDS 4000u

/* The tree over a body as the page shows it. */
typedef struct shown_tree {
    pliant_body *whole;   /* a body in the same state, all of whose bounds are refreshed */
    pliant_bound *bounds; /* from the root down */
    uint32_t *ends;       /* per bound, the number of the first one that is not below it */
    pliant_box *boxes;
    unsigned char *states;
    uint32_t count, capacity;
    uint32_t deepest; /* level that is shown */
    uint32_t next;    /* while visiting: the number of the bound that comes */
} shown_tree;

/* Pairs of the step before, to tell which ones are new. */
typedef struct last_pairs {
    pliant_scene_pair *bodies;
    pliant_pair *pairs;
    uint32_t body_count;
    uint64_t pair_capacity;
    bool *is_new;
} last_pairs;

typedef struct report_run {
    demo_state *demo;
    demo_world world;
    report *page;
    shown_tree trees[GALLERY_MAX_BODIES];
    last_pairs last;
} report_run;

static void free_run(report_run *run)
{
    for (uint32_t i = 0; i < GALLERY_MAX_BODIES; i++) {
        shown_tree *tree = &run->trees[i];
        pliant_body_destroy(tree->whole);
        free(tree->bounds);
        free(tree->ends);
        free(tree->boxes);
        free(tree->states);
    }
    free(run->last.bodies);
    free(run->last.pairs);
    free(run->last.is_new);
    report_destroy(run->page);
    demo_world_destroy(&run->world);
}

/* Learns the shape of a tree. */
static bool collect_bound(void *user, const pliant_bound *bound)
{
    shown_tree *tree = user;
    if (tree->count < tree->capacity) {
        tree->bounds[tree->count++] = *bound;
    }
    return bound->level < tree->deepest;
}

static bool take_box(void *user, const pliant_bound *bound)
{
    shown_tree *tree = user;
    tree->boxes[tree->next++] = bound->box;
    return bound->level < tree->deepest;
}

/* Marks what a query left behind. What lies below a bound that nobody opened is passed over. */
static bool mark_state(void *user, const pliant_bound *bound)
{
    shown_tree *tree = user;
    uint32_t at = tree->next;
    tree->boxes[at] = bound->box;
    tree->states[at] = bound->refreshed_below ? 2 : 1;
    bool descends = bound->refreshed_below && bound->level < tree->deepest;
    tree->next = descends ? at + 1 : tree->ends[at];
    return descends;
}

static void find_ends(shown_tree *tree)
{
    for (uint32_t i = 0; i < tree->count; i++) {
        uint32_t end = i + 1;
        while (end < tree->count && tree->bounds[end].level > tree->bounds[i].level) {
            end++;
        }
        tree->ends[i] = end;
    }
}

static cli_status make_tree(report_run *run, uint32_t body)
{
    demo_state *demo = run->demo;
    shown_tree *tree = &run->trees[body];
    pliant_shape_quality quality;
    if (pliant_shape_get_quality(demo->shapes[body], &quality) != PLIANT_OK ||
        pliant_body_create(demo->shapes[body], NULL, &tree->whole) != PLIANT_OK) {
        return demo_fail_library();
    }
    tree->capacity = quality.node_count + quality.cluster_count;
    tree->bounds = calloc(tree->capacity, sizeof *tree->bounds);
    tree->ends = calloc(tree->capacity, sizeof *tree->ends);
    tree->boxes = calloc(tree->capacity, sizeof *tree->boxes);
    tree->states = calloc(tree->capacity, 1);
    if (tree->bounds == NULL || tree->ends == NULL || tree->boxes == NULL || tree->states == NULL) {
        return demo_fail_memory();
    }
    tree->deepest = UINT32_MAX;
    if (gallery_set_body(demo->scene, body, 0, demo->states[body], tree->whole) != PLIANT_OK ||
        pliant_visit_bounds(demo->query, tree->whole, true, collect_bound, tree) != PLIANT_OK) {
        return demo_fail_library();
    }
    return CLI_DONE;
}

/* How many bounds all trees have down to a level. */
static uint64_t count_bounds(const report_run *run, uint32_t deepest)
{
    uint64_t count = 0;
    for (uint32_t body = 0; body < run->demo->scene->body_count; body++) {
        for (uint32_t i = 0; i < run->trees[body].count; i++) {
            count += run->trees[body].bounds[i].level <= deepest ? 1 : 0;
        }
    }
    return count;
}

static cli_status make_trees(report_run *run)
{
    uint32_t body_count = run->demo->scene->body_count;
    for (uint32_t body = 0; body < body_count; body++) {
        cli_status status = make_tree(run, body);
        if (status != CLI_DONE) {
            return status;
        }
    }
    uint32_t deepest = 1;
    while (deepest < 32 && count_bounds(run, deepest + 1) <= MOST_BOUNDS) {
        deepest++;
    }
    for (uint32_t body = 0; body < body_count; body++) {
        shown_tree *tree = &run->trees[body];
        uint32_t kept = 0;
        for (uint32_t i = 0; i < tree->count; i++) {
            if (tree->bounds[i].level <= deepest) {
                tree->bounds[kept++] = tree->bounds[i];
            }
        }
        tree->count = kept;
        tree->deepest = deepest;
        find_ends(tree);
        report_add_tree(run->page, body, tree->bounds, tree->count);
    }
    return CLI_DONE;
}

static void add_bodies(report_run *run)
{
    const gallery_scene *scene = run->demo->scene;
    for (uint32_t body = 0; body < scene->body_count; body++) {
        pliant_shape_def def = gallery_shape_def(scene, body);
        report_mesh mesh = {.positions = def.positions,
                            .triangles = scene->bodies[body].triangles, /* torn ones as they end */
                            .modes = def.modes,
                            .influence_offsets = def.influence_offsets,
                            .influence_joints = def.influence_joints,
                            .influence_weights = def.influence_weights,
                            .vertex_count = scene->bodies[body].vertex_count,
                            .triangle_count = def.triangle_count,
                            .mode_count = def.mode_count,
                            .joint_count = def.joint_count};
        char name[GALLERY_NAME];
        gallery_name_body(scene, body, name);
        uint32_t number = report_add_mesh(run->page, &mesh);
        report_add_body(run->page, name, number, pliant_shape_is_closed(run->demo->shapes[body]));
        report_add_part(run->page, name, body);
    }
}

/* The pairs of the same two bodies in the step before; NULL if they did not touch. */
static const pliant_scene_pair *find_last(const last_pairs *last, const pliant_scene_pair *two)
{
    for (uint32_t i = 0; i < last->body_count; i++) {
        if (last->bodies[i].a.index == two->a.index && last->bodies[i].b.index == two->b.index) {
            return &last->bodies[i];
        }
    }
    return NULL;
}

/* Marks the pairs that did not touch in the step before; both lists ascend. */
static uint64_t mark_new(const last_pairs *last, const pliant_scene_pair *two,
                         const pliant_pair *pairs)
{
    const pliant_scene_pair *before = find_last(last, two);
    uint64_t at = before != NULL ? before->first : 0;
    uint64_t end = before != NULL ? before->first + before->count : 0;
    uint64_t count = 0;
    for (uint64_t i = 0; i < two->count; i++) {
        while (at < end && (last->pairs[at].a < pairs[i].a ||
                            (last->pairs[at].a == pairs[i].a && last->pairs[at].b < pairs[i].b))) {
            at++;
        }
        bool known = at < end && last->pairs[at].a == pairs[i].a && last->pairs[at].b == pairs[i].b;
        last->is_new[i] = !known;
        count += known ? 0 : 1;
    }
    return count;
}

static bool reserve_pairs(last_pairs *last, const pliant_scene_contacts *contacts)
{
    if (contacts->count < last->pair_capacity) {
        return true;
    }
    uint64_t capacity = 2 * contacts->count + 64;
    pliant_pair *pairs = realloc(last->pairs, capacity * sizeof *pairs);
    if (pairs == NULL) {
        return false;
    }
    last->pairs = pairs;
    bool *is_new = realloc(last->is_new, capacity * sizeof *is_new);
    if (is_new == NULL) {
        return false;
    }
    last->is_new = is_new;
    last->pair_capacity = capacity;
    return true;
}

static bool keep_pairs(last_pairs *last, const pliant_scene_contacts *contacts)
{
    pliant_scene_pair *bodies =
        realloc(last->bodies, (contacts->body_pair_count + 1) * sizeof *bodies);
    if (bodies == NULL) {
        return false;
    }
    last->bodies = bodies;
    last->body_count = contacts->body_pair_count;
    if (contacts->count > 0) {
        memcpy(last->bodies, contacts->bodies, contacts->body_pair_count * sizeof *bodies);
        memcpy(last->pairs, contacts->pairs, contacts->count * sizeof *last->pairs);
    }
    return true;
}

static void add_contacts(report_run *run, const pliant_scene_contacts *contacts)
{
    for (uint32_t i = 0; i < contacts->body_pair_count; i++) {
        const pliant_scene_pair *two = &contacts->bodies[i];
        report_contacts found = {.a = two->a.index, .b = two->b.index, .count = two->count};
        found.pairs = contacts->pairs + two->first;
        found.new_count = mark_new(&run->last, two, found.pairs);
        found.is_new = run->last.is_new;
        report_add_contacts(run->page, &found);
    }
}

/* What the latest query left of a body's tree, and the boxes that it did not need. */
static cli_status add_tree(report_run *run, uint32_t body, uint32_t step)
{
    demo_state *demo = run->demo;
    shown_tree *tree = &run->trees[body];
    tree->next = 0;
    if (gallery_set_body(demo->scene, body, step, demo->states[body], tree->whole) != PLIANT_OK ||
        pliant_visit_bounds(demo->query, tree->whole, true, take_box, tree) != PLIANT_OK) {
        return demo_fail_library();
    }
    memset(tree->states, 0, tree->count);
    tree->next = 0;
    if (pliant_visit_bounds(demo->query, run->world.bodies[body], false, mark_state, tree) !=
        PLIANT_OK) {
        return demo_fail_library();
    }
    report_set_tree(run->page, body, tree->boxes, tree->states);
    return CLI_DONE;
}

static cli_status add_frame(report_run *run, uint32_t step, const pliant_scene_contacts *contacts)
{
    demo_state *demo = run->demo;
    const pliant_stats *stats = &pliant_scene_get_stats(run->world.scene)->narrow;
    report_begin_frame(run->page, 0, step, step);
    report_cost cost = {stats->nodes_refreshed, stats->clusters_refreshed, stats->vertices_read};
    report_set_cost(run->page, &cost);
    add_contacts(run, contacts);
    for (uint32_t body = 0; body < demo->scene->body_count; body++) {
        const float *state = demo->states[body];
        if (gallery_has_model(demo->scene, body)) {
            report_set_state(run->page, body, state, state + demo->scene->models[body].mode_count);
        } else {
            report_set_positions(run->page, body, state);
        }
    }
    for (uint32_t body = 0; body < demo->scene->body_count; body++) {
        cli_status status = add_tree(run, body, step);
        if (status != CLI_DONE) {
            return status;
        }
    }
    return CLI_DONE;
}

static uint32_t find_stride(const demo_state *demo)
{
    uint64_t numbers = 0;
    for (uint32_t body = 0; body < demo->scene->body_count; body++) {
        numbers += gallery_state_size(demo->scene, body);
    }
    return (uint32_t)(numbers * demo->scene->steps / MOST_NUMBERS) + 1;
}

static cli_status add_frames(report_run *run)
{
    demo_state *demo = run->demo;
    uint32_t steps = demo->scene->steps, stride = find_stride(demo);
    if (stride > 1) {
        char note[100];
        snprintf(note, sizeof note, "the page keeps one step in %u, and those with most pairs",
                 stride);
        report_add_note(run->page, note);
    }
    for (uint32_t step = 1; step <= steps; step++) {
        pliant_scene_contacts contacts;
        if (demo_ask(demo, &run->world, step, &contacts) != PLIANT_OK) {
            return demo_fail_library();
        }
        if (!reserve_pairs(&run->last, &contacts)) {
            return demo_fail_memory();
        }
        bool is_kept = (step - 1) % stride == 0 || step == demo->first_step ||
                       step == demo->deepest_step || step == steps;
        cli_status status = is_kept ? add_frame(run, step, &contacts) : CLI_DONE;
        if (status != CLI_DONE) {
            return status;
        }
        if (!keep_pairs(&run->last, &contacts)) {
            return demo_fail_memory();
        }
        demo_show_progress(demo, "page", step);
    }
    return CLI_DONE;
}

/* The strategies, with their times, which differ from run to run. */
static cli_status add_strategies(report_run *run)
{
    report_buffer text = {0};
    report_put_text(&text, "\"strategies\":[");
    for (uint32_t i = 0; i < run->demo->strategy_count; i++) {
        const demo_strategy *strategy = &run->demo->strategies[i];
        report_put_text(&text,
                        "%s{\"name\":\"%s\",\"ms\":%.1f,\"nodes\":%llu,\"clusters\":%llu,"
                        "\"vertices\":%llu,\"nodeShare\":%.6f,\"clusterShare\":%.6f,"
                        "\"vertexShare\":%.6f}",
                        i > 0 ? "," : "", strategy->name, strategy->milliseconds,
                        (unsigned long long)strategy->nodes, (unsigned long long)strategy->clusters,
                        (unsigned long long)strategy->vertices, strategy->node_share,
                        strategy->cluster_share, strategy->vertex_share);
    }
    report_put_bytes(&text, "]", 2); /* with the end of the text */
    if (!text.failed) {
        report_set_extra(run->page, (const char *)text.bytes);
    }
    cli_status status = text.failed ? demo_fail_memory() : CLI_DONE;
    report_buffer_free(&text);
    return status;
}

static cli_status fill(report_run *run)
{
    demo_state *demo = run->demo;
    const gallery_kind *kind = demo->scene->kind;
    run->page = report_create("demo", kind->title, kind->description);
    if (run->page == NULL) {
        return demo_fail_memory();
    }
    if (demo_world_create(demo, PLIANT_UPDATE_AUTO, &run->world) != PLIANT_OK) {
        return demo_fail_library();
    }
    add_bodies(run);
    report_add_clip(run->page, kind->name);
    cli_status status = make_trees(run);
    if (status == CLI_DONE) {
        report_cost whole = {demo->full.nodes_refreshed, demo->full.clusters_refreshed,
                             demo->full.vertices_read};
        report_set_whole_cost(run->page, &whole);
        status = add_frames(run);
    }
    return status == CLI_DONE ? add_strategies(run) : status;
}

cli_status demo_write_report(demo_state *demo, FILE *stream)
{
    report_run *run = calloc(1, sizeof *run);
    if (run == NULL) {
        return demo_fail_memory();
    }
    run->demo = demo;
    cli_status status = fill(run);
    if (status == CLI_DONE && !report_write(run->page, stream)) {
        status = demo_fail_memory();
    }
    free_run(run);
    free(run);
    return status;
}
