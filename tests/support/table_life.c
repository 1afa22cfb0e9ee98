/* Lives of table_world.h: what the events of a world are for the library. */
#include "table_world.h"

#include "body/body.h"
#include "dealer.h"

#include <fenv.h>
#include <stdlib.h>
#include <string.h>

const table_settings table_plain = {.isa = PLIANT_ISA_PLAIN,
                                    .workers = 1,
                                    .broad = PLIANT_BROAD_ALL_PAIRS,
                                    .tree = {PLIANT_PARTITION_BALANCED, 8, 8}};

table_settings table_settings_random(rng *r)
{
    table_settings s = {.isa = (pliant_isa)rng_below(r, PLIANT_ISA_AVX512 + 1)};
    s.workers = 1 + (uint32_t)rng_below(r, 8);
    s.dealt = rng_below(r, 4) == 0;
    s.broad = (pliant_broad)rng_below(r, PLIANT_BROAD_TREE + 1);
    s.update = (pliant_update)rng_below(r, PLIANT_UPDATE_FRONT + 1);
    s.rebuild = rng_below(r, 2) == 0 ? PLIANT_REBUILD_AUTO : PLIANT_REBUILD_NEVER;
    s.coherent = rng_below(r, 2) == 0;
    s.shares = rng_below(r, 2) == 0;
    s.noise = rng_below(r, 4);
    s.rounding = (uint32_t)rng_below(r, 4);
    s.tree.partition = (pliant_partition)rng_below(r, 5);
    s.tree.arity = 1u << (1 + rng_below(r, 3));
    s.tree.leaf_size = 1 + (uint32_t)rng_below(r, 8);
    s.islands = (pliant_islands)rng_below(r, 3);
    s.bound = (pliant_bound_kind)rng_below(r, PLIANT_BOUND_AFFINE + 1);
    return s;
}

void table_settings_print(FILE *to, const table_settings *s)
{
    fprintf(to,
            "isa %d, %u workers%s, broad %d, update %d, rebuild %d%s%s, rounding %u, noise %d, "
            "partition %d, "
            "arity %u, leaf size %u, islands %d, bound %d\n",
            s->isa, s->workers, s->dealt ? " of ours" : "", s->broad, s->update, s->rebuild,
            s->coherent ? ", coherent" : "", s->shares ? ", shared" : "", s->rounding,
            (int)s->noise, s->tree.partition, s->tree.arity, s->tree.leaf_size, s->islands,
            s->bound);
}

bool table_settings_same_tree(const table_settings *a, const table_settings *b)
{
    return a->tree.partition == b->tree.partition && a->tree.arity == b->tree.arity &&
           a->tree.leaf_size == b->tree.leaf_size && a->islands == b->islands &&
           a->bound == b->bound && a->rebuild == b->rebuild && a->update == b->update &&
           a->coherent == b->coherent;
}

/* ------------------------------------------------------------------ bodies */

/* The arrays of a body without what was left out. */
typedef struct kept_arrays {
    float *modes, *weights;
    uint32_t *offsets, *joints;
} kept_arrays;

static void keep_vertices(const table_body *b, table_actor *a)
{
    uint32_t count = b->mesh.vertex_count, kept = 0;
    bool *used = calloc(count, sizeof *used);
    for (uint32_t i = 0; i < 3 * b->mesh.triangle_count; i++) {
        used[b->mesh.triangles[i]] |= !b->without[i / 3];
    }
    a->kept = malloc(count * sizeof *a->kept);
    for (uint32_t v = 0; v < count; v++) {
        if (used[v] || !b->compact) {
            a->kept[kept++] = v;
        }
    }
    a->vertex_count = kept;
    free(used);
}

static void keep_mesh(const table_body *b, table_actor *a)
{
    uint32_t *number = calloc(b->mesh.vertex_count, sizeof *number), all = b->mesh.triangle_count;
    keep_vertices(b, a);
    a->rest = malloc(3 * (size_t)a->vertex_count * sizeof *a->rest);
    a->triangles = malloc(3 * (size_t)all * sizeof *a->triangles);
    a->group = calloc(all, sizeof *a->group);
    a->removed = calloc(all, sizeof *a->removed);
    for (uint32_t v = 0; v < a->vertex_count; v++) {
        number[a->kept[v]] = v;
        memcpy(a->rest + 3 * (size_t)v, b->mesh.positions + 3 * (size_t)a->kept[v],
               3 * sizeof *a->rest);
    }
    for (uint32_t t = 0; t < all; t++) {
        for (uint32_t k = 0; k < 3 && !b->without[t]; k++) {
            a->triangles[3 * a->triangle_count + k] = number[b->mesh.triangles[3 * t + k]];
        }
        a->group[a->triangle_count] = b->groups != NULL ? b->groups[t] : 0;
        a->triangle_count += !b->without[t];
    }
    a->welded = table_welded(a->rest, a->vertex_count);
    free(number);
}

static void keep_model(const table_body *b, const table_actor *a, pliant_shape_def *def,
                       kept_arrays *k)
{
    uint32_t modes = b->mode_count, count = 0;
    def->mode_count = modes;
    def->joint_count = b->joint_count;
    if (modes > 0) {
        k->modes = malloc(3 * (size_t)a->vertex_count * modes * sizeof *k->modes);
        for (uint32_t m = 0; m < modes; m++) {
            for (uint32_t v = 0; v < a->vertex_count; v++) {
                memcpy(k->modes + 3 * ((size_t)m * a->vertex_count + v),
                       b->modes + 3 * ((size_t)m * b->mesh.vertex_count + a->kept[v]),
                       3 * sizeof *k->modes);
            }
        }
        def->modes = k->modes;
    }
    if (b->offsets != NULL) {
        k->offsets = malloc((a->vertex_count + 1) * sizeof *k->offsets);
        k->joints = malloc(3 * (size_t)a->vertex_count * sizeof *k->joints);
        k->weights = malloc(3 * (size_t)a->vertex_count * sizeof *k->weights);
        for (uint32_t v = 0; v < a->vertex_count; v++) {
            k->offsets[v] = count;
            for (uint32_t i = b->offsets[a->kept[v]]; i < b->offsets[a->kept[v] + 1]; i++) {
                k->joints[count] = b->joints[i];
                k->weights[count++] = b->weights[i];
            }
        }
        k->offsets[a->vertex_count] = count;
        def->influence_offsets = k->offsets;
        def->influence_joints = k->joints;
        def->influence_weights = k->weights;
    }
}

/* Creates a body of the shape of an actor. */
static pliant_body *make_body(const table_life *l, uint32_t i)
{
    const table_settings *s = l->settings;
    pliant_body_def def = pliant_body_def_default();
    pliant_body *body = NULL;
    def.update = s->update;
    def.coherent = s->coherent;
    def.rebuild = l->world->bodies[i].proxy_triangles > 0 ? PLIANT_REBUILD_NEVER : s->rebuild;
    assert_ok(pliant_body_create(l->actors[i].shape, &def, &body));
    return body;
}

static void create_body(table_life *l, uint32_t i)
{
    const table_settings *s = l->settings;
    const table_body *b = &l->world->bodies[i];
    table_actor *a = &l->actors[i];
    kept_arrays k = {.modes = NULL};
    pliant_shape_def def = pliant_shape_def_default();
    keep_mesh(b, a);
    def.positions = a->rest;
    def.vertex_count = a->vertex_count;
    def.triangles = a->triangles;
    def.triangle_count = a->triangle_count;
    def.groups = b->groups != NULL ? a->group : NULL;
    def.partition = s->tree.partition;
    def.arity = s->tree.arity;
    def.leaf_size = s->tree.leaf_size;
    def.islands = s->islands;
    def.bound = b->spheres ? PLIANT_BOUND_SPHERE : s->bound;
    def.proxy_triangles = b->proxy_triangles;
    def.error = b->error;
    keep_model(b, a, &def, &k);
    if (pliant_shape_create(l->context, &def, &a->shape) == PLIANT_OK) {
        a->body = make_body(l, i);
        l->bodies[l->place.body_count++] = a->body;
    }
    free(k.modes);
    free(k.weights);
    free(k.offsets);
    free(k.joints);
}

static void destroy_body(table_actor *a)
{
    pliant_body_destroy(a->body);
    pliant_shape_destroy(a->shape);
    free(a->rest);
    free(a->triangles);
    free(a->group);
    free(a->removed);
    free(a->welded);
    free(a->kept);
    free(a->start);
}

float *table_positions(const table_actor *a)
{
    float *positions = malloc(3 * (size_t)a->vertex_count * sizeof *positions);
    assert_ok(pliant_body_evaluate(a->body, NULL, a->vertex_count, positions));
    return positions;
}

/* Runs the workers one after the other, so that every life allocates in the same order. */
static void take_turns(void *user, pliant_task task, void *argument, uint32_t count)
{
    (void)user;
    for (uint32_t i = 0; i < count; i++) {
        task(argument, i, i % 3);
    }
}

static pliant_context *make_context(const table_settings *settings)
{
    static uint32_t dealt[] = {1, 2, 3, 4, 5, 6, 7, 8};
    if (settings->allocator != NULL) {
        pliant_scheduler turns = {.run = take_turns, .worker_count = 3};
        pliant_context *context = fixture_context_of(settings->allocator, turns);
        assert_non_null(context);
        return context;
    }
    return settings->dealt ? dealer_context(&dealt[settings->workers - 1])
                           : fixture_context_with(settings->isa, settings->workers);
}

void table_life_begin(table_life *l, const table_world *w, const table_settings *settings)
{
    memset(l, 0, sizeof *l);
    l->world = w;
    l->settings = settings;
    rng_seed(&l->noise, settings->noise);
    l->context = make_context(settings);
    pliant_scene_def def = pliant_scene_def_default();
    def.broad = settings->broad;
    assert_ok(pliant_scene_create(l->context, &def, &l->place.scene));
    assert_ok(pliant_query_create(l->context, &l->place.query));
    assert_ok(pliant_contours_create(l->context, &l->place.contours));
    assert_ok(pliant_volume_create(l->context, NULL, &l->place.volume));
    l->place.bodies = l->bodies;
    for (uint32_t i = 0; i < w->body_count; i++) {
        if (!w->bodies[i].left_out) {
            create_body(l, i);
        }
    }
}

void table_life_end(table_life *l)
{
    pliant_volume_destroy(l->place.volume);
    pliant_contours_destroy(l->place.contours);
    pliant_query_destroy(l->place.query);
    pliant_scene_destroy(l->place.scene);
    for (uint32_t i = 0; i < l->world->body_count; i++) {
        destroy_body(&l->actors[i]);
    }
    pliant_context_destroy(l->context);
    for (uint32_t i = 0; i < l->lent_count; i++) {
        free(l->lent[i]);
    }
    query_copy_free(&l->copy);
}

/* ------------------------------------------------------------------ states */

static void end_step(table_actor *a)
{
    free(a->start);
    a->start = NULL;
}

static pliant_result set_positions(table_life *l, const table_event *e, table_actor *a)
{
    float *to = malloc(3 * (size_t)a->vertex_count * sizeof *to);
    const uint32_t first = l->world->bodies[e->body].mesh.vertex_count;
    for (uint32_t v = 0; v < a->vertex_count; v++) {
        bool whole = v >= first || !l->world->bodies[e->body].compact;
        uint32_t from = whole ? v : a->kept[v];
        memcpy(to + 3 * (size_t)v, e->numbers + 3 * (size_t)from, 3 * sizeof *to);
    }
    assert_true(l->lent_count < TABLE_LENT);
    l->lent[l->lent_count++] = to;
    if (l->settings->rebuild == PLIANT_REBUILD_AUTO && l->lent_count % 3 == 0 &&
        l->world->bodies[e->body].proxy_triangles == 0) {
        pli_body_ask_rebuild(a->body); /* small bodies do not decay by themselves */
    }
    pliant_result result = l->settings->shares ? pliant_body_share_positions(a->body, to, 0)
                                               : pliant_body_set_positions(a->body, to, 0);
    if (result != PLIANT_OK) {
        free(l->lent[--l->lent_count]);
    }
    return result;
}

static pliant_result tear(const table_event *e, table_actor *a)
{
    const table_tear *t = &e->tear;
    const pliant_tear tear = {.removed = t->removed,
                              .removed_count = t->removed_count,
                              .split = t->split,
                              .split_count = t->split_count,
                              .corners = t->corners,
                              .corner_count = t->split_count,
                              .welded = t->welds ? t->welded : NULL};
    pliant_result result = pliant_body_tear(a->body, &tear);
    if (result == PLIANT_OK) {
        size_t vertices = a->vertex_count + t->split_count;
        a->welded = realloc(a->welded, (vertices + 1) * sizeof *a->welded);
        a->rest = realloc(a->rest, 3 * (vertices + 1) * sizeof *a->rest);
        table_apply_tear(t, a->vertex_count, a->triangles, a->removed, a->welded);
        for (uint32_t k = 0; k < t->split_count; k++) {
            memcpy(a->rest + 3 * (size_t)(a->vertex_count + k), a->rest + 3 * (size_t)t->split[k],
                   3 * sizeof *a->rest);
        }
        a->vertex_count = (uint32_t)vertices;
        end_step(a); /* of itself */
    }
    return result;
}

static pliant_result set_member(table_life *l, const table_event *e, table_actor *a)
{
    a->member = e->member;
    a->groups = e->groups[0];
    a->member.groups = e->grouped ? (pliant_groups){&a->groups, 3} : (pliant_groups){NULL, 0};
    if (a->present) {
        return pliant_scene_set_member(l->place.scene, a->id, &a->member);
    }
    pliant_result result = pliant_scene_add(l->place.scene, a->body, &a->member, &a->id);
    a->present = result == PLIANT_OK;
    return result;
}

static pliant_result replace(table_life *l, uint32_t i, table_actor *a)
{
    uint32_t k = 0;
    while (l->bodies[k] != a->body) {
        k++;
    }
    end_step(a);
    pliant_result result = a->present ? pliant_scene_remove(l->place.scene, a->id) : PLIANT_OK;
    if (result != PLIANT_OK) {
        return result;
    }
    pliant_body_destroy(a->body);
    a->present = a->placed = false;
    a->body = l->bodies[k] = make_body(l, i);
    return PLIANT_OK;
}

static pliant_result change(table_life *l, const table_event *e, table_actor *a)
{
    switch (e->deed) {
    case TABLE_SET_POSITIONS:
        return set_positions(l, e, a);
    case TABLE_SET_COORDINATES:
        return pliant_body_set_coordinates(a->body, e->numbers, e->number_count);
    case TABLE_SET_TRANSFORMS:
        return pliant_body_set_transforms(a->body, e->numbers, e->number_count / 12, 0);
    case TABLE_SET_WORLD:
        a->placed = a->placed || e->numbers != NULL;
        return pliant_body_set_world(a->body, e->numbers);
    case TABLE_TEAR:
        return tear(e, a);
    case TABLE_BEGIN_STEP:
        end_step(a);
        a->start = table_positions(a);
        return pliant_body_begin_step(a->body);
    case TABLE_END_STEP:
        end_step(a);
        return pliant_body_end_step(a->body);
    case TABLE_ADD:
        return set_member(l, e, a);
    case TABLE_SET_MEMBER:
        return a->present ? set_member(l, e, a) : PLIANT_OK;
    case TABLE_REMOVE:
        if (a->present) {
            a->present = false;
            return pliant_scene_remove(l->place.scene, a->id);
        }
        return PLIANT_OK;
    case TABLE_REPLACE:
        return replace(l, e->body, a);
    case TABLE_QUERY:
        break;
    }
    return PLIANT_OK;
}

/* ----------------------------------------------------------------- queries */

static bool filter_pair(void *user, pliant_body_id a, pliant_body_id b)
{
    return (a.index * 7 + b.index * 13 + *(const uint32_t *)user) % 5 != 0;
}

static bool filter_body(void *user, pliant_body_id id)
{
    return (id.index * 7 + *(const uint32_t *)user) % 5 != 0;
}

/* Sets options of a scene to their defaults that a query would reject. */
static void drop_unused(pliant_scene_options *o, const char *uses)
{
    o->mode = strstr(uses, "mode") != NULL ? o->mode : PLIANT_COLLIDE_ALL;
    o->only_self = o->only_self && strstr(uses, "only_self") != NULL;
    o->first_in_all = o->first_in_all && strstr(uses, "first_in_all") != NULL;
    o->across_groups = o->across_groups && strstr(uses, "across_groups") != NULL;
    o->events = o->events && strstr(uses, "events") != NULL;
    o->budget_nodes = strstr(uses, "budget_nodes") != NULL ? o->budget_nodes : 0;
    o->distance = strstr(uses, "distance") != NULL ? o->distance : 0.0f;
}

query_arguments table_arguments(const table_event *e)
{
    query_arguments a = e->arguments;
    pliant_groups first = {&e->groups[0], 3}, second = {&e->groups[1], 3};
    void *salt = (void *)(uintptr_t)&e->salt; /* filters only read it */
    drop_unused(&a.scene_options, e->row->uses);
    a.rays = e->rays;
    a.points = e->points;
    a.scene_options.filter = e->filtered ? filter_pair : NULL;
    a.scene_select.filter = e->filtered ? filter_body : NULL;
    a.scene_options.filter_user = a.scene_select.filter_user = salt;
    if (e->grouped) {
        a.collide_options.groups_a = a.within_options.groups_a = a.feature_options.groups_a = first;
        a.meeting_options.groups_a = a.contour_options.groups_a = first;
        a.collide_options.groups_b = a.within_options.groups_b = a.feature_options.groups_b =
            second;
        a.meeting_options.groups_b = a.contour_options.groups_b = second;
    }
    return a;
}

bool table_compared(const table_life *l, const table_event *e, uint32_t a, uint32_t b)
{
    const table_actor *x = &l->actors[a], *y = &l->actors[b];
    const pliant_scene_options *options = &l->arguments.scene_options;
    if (!x->present || !y->present || a == b) {
        return x->present && a == b && (x->member.self || options->only_self);
    }
    return !options->only_self && (x->member.category & y->member.mask) != 0 &&
           (y->member.category & x->member.mask) != 0 &&
           !(x->member.is_static && y->member.is_static) &&
           (!e->filtered || filter_pair(options->filter_user, x->id, y->id));
}

bool table_selected(const table_life *l, const table_event *e, uint32_t body)
{
    const table_actor *x = &l->actors[body];
    const pliant_scene_select *select = &l->arguments.scene_select;
    return x->present && (x->member.category & select->mask) != 0 &&
           (select->category & x->member.mask) != 0 &&
           (!e->filtered || filter_body(select->filter_user, x->id));
}

/* Runs queries whose results are not compared. The caches that they leave must not change later
 * results. */
static void make_noise(table_life *l)
{
    pliant_body *a = l->bodies[rng_below(&l->noise, l->place.body_count)];
    pliant_body *b = l->bodies[rng_below(&l->noise, l->place.body_count)];
    pliant_collide_options options = pliant_collide_options_default();
    options.budget_nodes = rng_below(&l->noise, 2) == 0 ? 1 + rng_below(&l->noise, 5) : 0;
    options.mode = rng_below(&l->noise, 3) == 0 ? PLIANT_COLLIDE_FIRST : PLIANT_COLLIDE_ALL;
    pliant_scene_options scene_options = pliant_scene_options_default();
    const float point[3] = {1.0f, 1.0f, 1.0f};
    pliant_scene_contacts all;
    pliant_scene_meetings meetings;
    pliant_contacts contacts;
    pliant_closest closest;
    pliant_box box;
    switch (rng_below(&l->noise, 6)) {
    case 0:
        scene_options.budget_nodes = rng_below(&l->noise, 2);
        (void)pliant_scene_collide(l->place.scene, &scene_options, &all);
        break;
    case 1:
        scene_options.mode = PLIANT_COLLIDE_FIRST;
        (void)pliant_scene_find_meetings(l->place.scene, &scene_options, &meetings);
        break;
    case 2:
        (void)pliant_find_closest_point(l->place.query, a, point, 2.0f, &closest);
        break;
    case 3:
        (void)pliant_body_get_bounds(a, &box);
        (void)pliant_body_prepare(b);
        break;
    default:
        (void)(a == b ? pliant_collide_self(l->place.query, a, &options, &contacts)
                      : pliant_collide(l->place.query, a, b, &options, &contacts));
    }
}

bool table_life_do(table_life *l, uint32_t event)
{
    const table_event *e = &l->world->events[event];
    table_actor *a = &l->actors[e->body], *b = &l->actors[e->other];
    bool query = e->deed == TABLE_QUERY;
    uint32_t needed = query ? e->row->forms[e->form].body_count : 1;
    if (e->left_out || l->place.body_count == 0 || (needed != 0 && a->body == NULL) ||
        (needed == 2 && b->body == NULL)) {
        return false;
    }
    static const int modes[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    (void)fesetround(modes[l->settings->rounding]);
    if (l->settings->noise != 0 && rng_below(&l->noise, 4) == 0) {
        make_noise(l);
    }
    if (query) {
        l->arguments = table_arguments(e);
        l->place.body[0] = a->body;
        l->place.body[1] = needed == 2 ? b->body : a->body;
        query_run(e->row, e->form, &l->place, &l->arguments, &l->copy);
    } else {
        l->state = change(l, e, a);
    }
    (void)fesetround(FE_TONEAREST);
    return query;
}
