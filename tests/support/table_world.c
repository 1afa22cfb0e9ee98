/* The world of a seed. What a tear leaves is known here too, so that later events fit. */
#include "table_world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MODES = 3, MOST_JOINTS = 4, STEPS = 3 };

/* Bodies of a world that is being created. */
typedef struct maker {
    table_world *w;
    rng r;
    int family; /* of coordinates */
    uint32_t *triangles[TABLE_BODIES], *welded[TABLE_BODIES];
    bool *removed[TABLE_BODIES];
    uint32_t vertex_count[TABLE_BODIES];
    bool present[TABLE_BODIES], still[TABLE_BODIES]; /* still: it keeps its state of rest */
} maker;

static void *copy_of(const void *from, size_t size)
{
    void *to = malloc(size);
    assert_non_null(to);
    memcpy(to, from, size);
    return to;
}

uint32_t *table_welded(const float *at, uint32_t count)
{
    uint32_t *welded = malloc(count * sizeof *welded);
    for (uint32_t v = 0; v < count; v++) {
        uint32_t u = 0;
        while (at[3 * u] != at[3 * v] || at[3 * u + 1] != at[3 * v + 1] ||
               at[3 * u + 2] != at[3 * v + 2]) {
            u++;
        }
        welded[v] = u;
    }
    return welded;
}

void table_apply_tear(const table_tear *tear, uint32_t vertices, uint32_t *triangles, bool *removed,
                      uint32_t *welded)
{
    for (uint32_t k = 0; k < tear->removed_count; k++) {
        removed[tear->removed[k]] = true;
    }
    for (uint32_t k = 0; k < tear->split_count; k++) {
        uint32_t *corner = triangles + 3 * (size_t)tear->corners[k].triangle;
        welded[vertices + k] = tear->welds ? tear->welded[k] : vertices + k;
        for (int c = 0; c < 3; c++) {
            corner[c] = corner[c] == tear->split[k] ? tear->corners[k].vertex : corner[c];
        }
    }
}

/* ------------------------------------------------------------------ bodies */

static void add_modes(table_body *b, rng *r)
{
    b->mode_count = 1 + (uint32_t)rng_below(r, MOST_MODES);
    uint32_t count = 3 * b->mesh.vertex_count * b->mode_count;
    b->modes = malloc(count * sizeof *b->modes);
    for (uint32_t i = 0; i < count; i++) {
        b->modes[i] = rng_below(r, 3) == 0 ? 0.0f : 0.25f * ((float)rng_below(r, 3) - 1.0f);
    }
}

static void add_joints(table_body *b, rng *r)
{
    uint32_t vertices = b->mesh.vertex_count, count = 0;
    b->joint_count = 1 + (uint32_t)rng_below(r, MOST_JOINTS);
    b->offsets = malloc((vertices + 1) * sizeof *b->offsets);
    b->joints = malloc(3 * (size_t)vertices * sizeof *b->joints);
    b->weights = malloc(3 * (size_t)vertices * sizeof *b->weights);
    for (uint32_t v = 0; v < vertices; v++) {
        b->offsets[v] = count;
        for (uint64_t k = 1 + rng_below(r, 3); k > 0; k--) {
            b->joints[count] = (uint32_t)rng_below(r, b->joint_count);
            b->weights[count++] = 1.0f + (float)rng_below(r, 4);
        }
    }
    b->offsets[vertices] = count;
}

static void copy_mesh(gallery_mesh *to, const gallery_mesh *from)
{
    assert_true(mesh_allocate(from->vertex_count, from->triangle_count, to));
    memcpy(to->positions, from->positions, 3 * (size_t)from->vertex_count * sizeof(float));
    memcpy(to->triangles, from->triangles, 3 * (size_t)from->triangle_count * sizeof(uint32_t));
}

/* Huge coordinates make no models: their sums overflow. A twin of a body that stays lies where that
   lies: ties everywhere. */
static void make_body(maker *m, uint32_t i, bool large)
{
    rng *r = &m->r;
    table_body *b = &m->w->bodies[i];
    int family = rng_below(r, 4) == 0 ? (int)rng_below(r, 3) : m->family;
    b->kind = (table_kind)rng_below(r, family == 4 ? TABLE_MODAL : TABLE_KINDS);
    bool twin = i > 0 && m->still[i - 1] && rng_below(r, 2) == 0;
    if (twin) {
        b->kind = TABLE_WELDED;
        copy_mesh(&b->mesh, &m->w->bodies[i - 1].mesh);
    } else {
        random_mesh_create(&b->mesh, r, family, large);
    }
    if (!twin && family < 3 && rng_below(r, 2) == 0) { /* beside others, a little apart */
        uint32_t axis = (uint32_t)rng_below(r, 3);
        float by = 4.0f + 0.125f * (float)rng_below(r, 5);
        for (uint32_t v = 0; v < b->mesh.vertex_count; v++) {
            b->mesh.positions[3 * v + axis] += by;
        }
    }
    uint32_t triangles = b->mesh.triangle_count;
    b->without = calloc(triangles, sizeof *b->without);
    if (rng_below(r, 2) == 0) {
        b->groups = malloc(triangles * sizeof *b->groups);
        for (uint32_t t = 0; t < triangles; t++) {
            b->groups[t] = (uint16_t)rng_below(r, 3);
        }
    }
    if (b->kind == TABLE_RIGID) {
        b->joint_count = 1;
    }
    if (b->kind == TABLE_MODAL || b->kind == TABLE_COMPOSED) {
        add_modes(b, r);
    }
    if (b->kind == TABLE_BLENDED || b->kind == TABLE_COMPOSED) {
        add_joints(b, r);
    }
    b->proxy_triangles = rng_below(r, 2) == 0 ? 1 + (uint32_t)rng_below(r, 8) : 0;
    b->spheres = rng_below(r, 6) == 0 && (b->kind == TABLE_RIGID || b->kind == TABLE_MODAL);
    b->error = rng_below(r, 5) == 0 && b->kind != TABLE_FREE ? 0.125f : 0.0f;
    m->triangles[i] = copy_of(b->mesh.triangles, 3 * (size_t)triangles * sizeof(uint32_t));
    m->removed[i] = calloc(triangles, sizeof(bool));
    m->vertex_count[i] = b->mesh.vertex_count;
    m->still[i] = twin || (b->kind <= TABLE_WELDED && rng_below(r, 3) == 0);
    m->welded[i] = table_welded(b->mesh.positions, b->mesh.vertex_count);
}

/* ------------------------------------------------------------------ events */

static table_event *add_event(maker *m, table_deed deed, uint32_t body)
{
    assert_true(m->w->event_count < TABLE_EVENTS);
    table_event *e = &m->w->events[m->w->event_count++];
    *e = (table_event){.deed = deed, .body = body};
    return e;
}

static float *add_numbers(table_event *e, uint32_t count)
{
    e->numbers = malloc(count * sizeof *e->numbers);
    e->number_count = count;
    return e->numbers;
}

/* The box of a body that stays at rest, wider than it. */
static void declare_box(const table_body *b, pliant_box *box)
{
    for (int k = 0; k < 3; k++) {
        box->lower[k] = INFINITY;
        box->upper[k] = -INFINITY;
        for (uint32_t v = 0; v < b->mesh.vertex_count; v++) {
            float x = b->mesh.positions[3 * v + (uint32_t)k], margin = 0.25f + fabsf(x) * 0x1p-10f;
            box->lower[k] = fminf(box->lower[k], x - margin);
            box->upper[k] = fmaxf(box->upper[k], x + margin);
        }
    }
}

static void choose_member(maker *m, table_event *e)
{
    rng *r = &m->r;
    pliant_member_def *def = &e->member;
    *def = pliant_member_def_default();
    def->self = rng_below(r, 2) == 0;
    def->is_static = rng_below(r, 6) == 0;
    if (rng_below(r, 3) == 0) {
        def->category = (uint64_t)1 << rng_below(r, 3);
        def->mask = 1 + rng_below(r, 7);
    }
    e->grouped = rng_below(r, 5) == 0;
    e->groups[0] = rng_below(r, 8);
    def->proxies = m->w->bodies[e->body].proxy_triangles > 0 && rng_below(r, 2) == 0;
    def->user = (void *)(uintptr_t)(e->body + 1);
    def->has_loose_box = m->still[e->body] || rng_below(r, 5) == 0;
    if (m->still[e->body]) {
        declare_box(&m->w->bodies[e->body], &def->loose_box);
    } else if (def->has_loose_box) {
        float most = m->family == 4 || rng_below(r, 2) == 0 ? INFINITY : 0x1p100f;
        def->loose_box = (pliant_box){{-most, -most, -INFINITY}, {most, INFINITY, most}};
    }
}

static void set_positions(maker *m, uint32_t i)
{
    const gallery_mesh *mesh = &m->w->bodies[i].mesh;
    table_event *e = add_event(m, TABLE_SET_POSITIONS, i);
    float *to = add_numbers(e, 3 * m->vertex_count[i]);
    bool anywhere = rng_below(&m->r, 3) == 0;
    for (uint32_t k = 0; k < e->number_count; k++) {
        float unit = rng_below(&m->r, 2) == 0 ? 0.5f : 0.125f;
        float by = unit * ((float)rng_below(&m->r, 5) - 2.0f);
        float from = k < 3 * mesh->vertex_count ? mesh->positions[k] : to[k - 3];
        float at = anywhere ? random_coordinate(&m->r, m->family) : from + by;
        to[k] = isfinite(at) ? at : 0.0f;
    }
}

/* The unit, of which some entries are off. */
static void random_rows(rng *r, float rows[12])
{
    int power = rng_below(r, 5) == 0 ? (int)rng_below(r, 40) - 20 : 0;
    for (int k = 0; k < 12; k++) {
        float by = rng_below(r, 3) == 0 ? 0.0f : 0.5f * ((float)rng_below(r, 3) - 1.0f);
        rows[k] = ldexpf((k % 5 == 0 ? 1.0f : 0.0f) + by, power);
    }
}

static void set_model(maker *m, uint32_t i)
{
    const table_body *b = &m->w->bodies[i];
    if (b->mode_count > 0) {
        float *c = add_numbers(add_event(m, TABLE_SET_COORDINATES, i), b->mode_count);
        for (uint32_t k = 0; k < b->mode_count; k++) {
            c[k] = 0.5f * ((float)rng_below(&m->r, 9) - 4.0f);
        }
    }
    if (b->joint_count > 0) {
        float *rows = add_numbers(add_event(m, TABLE_SET_TRANSFORMS, i), 12 * b->joint_count);
        for (uint32_t j = 0; j < b->joint_count; j++) {
            random_rows(&m->r, rows + 12 * (size_t)j);
        }
    }
}

static bool goes(const maker *m, const table_tear *tear, uint32_t i, uint32_t triangle)
{
    bool found = m->removed[i][triangle];
    for (uint32_t k = 0; k < tear->removed_count; k++) {
        found = found || tear->removed[k] == triangle;
    }
    return found;
}

static void apply_tear(maker *m, uint32_t i, const table_tear *tear)
{
    uint32_t vertices = m->vertex_count[i];
    m->welded[i] = realloc(m->welded[i], (vertices + 2) * sizeof *m->welded[i]);
    table_apply_tear(tear, vertices, m->triangles[i], m->removed[i], m->welded[i]);
    m->vertex_count[i] += tear->split_count;
}

static void tear_body(maker *m, uint32_t i)
{
    table_tear tear = {.welds = rng_below(&m->r, 2) == 0};
    uint32_t triangles = m->w->bodies[i].mesh.triangle_count, left = 0;
    for (uint32_t t = 0; t < triangles; t++) {
        left += !m->removed[i][t];
    }
    for (uint64_t n = rng_below(&m->r, 3); n > 0; n--) {
        uint32_t t = (uint32_t)rng_below(&m->r, triangles);
        if (!goes(m, &tear, i, t) && tear.removed_count + 1 < left) {
            tear.removed[tear.removed_count++] = t;
        }
    }
    for (int n = 0; n < 2; n++) {
        uint32_t t = (uint32_t)rng_below(&m->r, triangles), k = tear.split_count;
        uint32_t v = m->triangles[i][3 * t + rng_below(&m->r, 3)];
        if (goes(m, &tear, i, t) ||
            (k == 1 && (tear.split[0] == v || tear.corners[0].triangle == t))) {
            continue;
        }
        tear.split[k] = v;
        tear.corners[k] = (pliant_torn_corner){t, m->vertex_count[i] + k};
        bool together = k == 1 && m->welded[i][tear.split[0]] == m->welded[i][v];
        tear.welded[k] = m->vertex_count[i] + (together && rng_below(&m->r, 2) == 0 ? 0 : k);
        tear.split_count++;
    }
    apply_tear(m, i, &tear);
    add_event(m, TABLE_TEAR, i)->tear = tear;
}

static void set_state(maker *m, uint32_t i)
{
    rng *r = &m->r;
    const table_body *b = &m->w->bodies[i];
    if (rng_below(r, 3) == 0) {
        add_event(m, TABLE_BEGIN_STEP, i);
    } else if (rng_below(r, 6) == 0) {
        add_event(m, TABLE_END_STEP, i);
    }
    if (b->mode_count + b->joint_count > 0 && rng_below(r, 5) > 0) {
        set_model(m, i);
    } else if (b->mode_count + b->joint_count == 0 && rng_below(r, 5) < 3) {
        set_positions(m, i);
    }
    if (rng_below(r, 5) == 0) {
        table_event *e = add_event(m, TABLE_SET_WORLD, i);
        if (rng_below(r, 4) > 0) {
            random_rows(r, add_numbers(e, 12));
        }
    }
}

static void change_body(maker *m, uint32_t i)
{
    rng *r = &m->r;
    const table_body *b = &m->w->bodies[i];
    if (!m->still[i]) {
        set_state(m, i);
    }
    if (b->kind == TABLE_FREE && b->mesh.triangle_count > 2 && rng_below(r, 3) == 0) {
        tear_body(m, i);
    }
    if (b->kind != TABLE_FREE && !m->still[i] && rng_below(r, 12) == 0) {
        add_event(m, TABLE_REPLACE, i);
        m->present[i] = false;
    }
    uint64_t deed = rng_below(r, 12);
    if (!m->present[i] || deed < 2) {
        table_deed change = !m->present[i] ? TABLE_ADD
                            : deed == 0    ? TABLE_REMOVE
                                           : TABLE_SET_MEMBER;
        table_event *e = add_event(m, change, i);
        m->present[i] = change != TABLE_REMOVE;
        choose_member(m, e);
    }
}

/* ----------------------------------------------------------------- queries */

static void choose_scene_options(rng *r, pliant_scene_options *o)
{
    o->mode = rng_below(r, 6) == 0 ? PLIANT_COLLIDE_FIRST : PLIANT_COLLIDE_ALL;
    o->neighbours = (pliant_neighbours)rng_below(r, 3);
    o->events = rng_below(r, 2) == 0;
    o->segments = rng_below(r, 2) == 0;
    o->separations = rng_below(r, 2) == 0;
    o->separation_side = (pliant_separation_side)rng_below(r, 3);
    o->only_self = rng_below(r, 8) == 0;
    o->across_groups = rng_below(r, 4) == 0;
    o->first_in_all = rng_below(r, 8) == 0;
    o->distance = rng_below(r, 2) > 0 ? 0.0f : 0.1f * (float)rng_below(r, 5);
    o->budget_nodes = rng_below(r, 8) == 0 ? 1 + rng_below(r, 12) : 0;
}

static void choose_options(rng *r, query_arguments *a)
{
    *a = query_arguments_default();
    choose_scene_options(r, &a->scene_options);
    const pliant_scene_options *o = &a->scene_options;
    a->collide_options.neighbours = o->neighbours;
    a->collide_options.segments = o->segments;
    a->collide_options.separations = o->separations;
    a->collide_options.separation_side = o->separation_side;
    a->collide_options.budget_nodes = a->meeting_options.budget_nodes = o->budget_nodes;
    a->proxy_options.budget_nodes = o->budget_nodes;
    a->within_options.across_groups = o->across_groups;
    a->meeting_options.distance = o->distance;
    a->meeting_options.mode = o->mode;
    a->advance_options.distance = o->distance;
    a->advance_options.self = rng_below(r, 2) == 0;
    a->proxy_options.proxies_a = rng_below(r, 2) == 0;
    a->proxy_options.proxies_b = rng_below(r, 2) == 0;
    a->volume_options.resolution = 8;
    a->volume_options.allow_open = true;
    a->volume_options.gradients = rng_below(r, 2) == 0;
    a->volume_options.spans = rng_below(r, 4) == 0;
    a->contour_options.gradients = rng_below(r, 2) == 0;
    a->contour_options.regions = rng_below(r, 2) == 0;
    a->distance_options.side = rng_below(r, 2) == 0 ? PLIANT_SIDE_AUTO : PLIANT_SIDE_SURFACE;
    a->distance_options.max_distance = rng_below(r, 2) == 0 ? INFINITY : 1.0f;
    a->max_distance = rng_below(r, 2) == 0 ? INFINITY : 1.0f;
    a->distance = rng_below(r, 2) == 0 ? 0.0f : 0.125f * (float)rng_below(r, 8);
    if (rng_below(r, 2) == 0) {
        a->scene_select.category = 1 + rng_below(r, 7);
        a->scene_select.mask = rng_below(r, 2) == 0 ? UINT64_MAX : 1 + rng_below(r, 7);
    }
}

/* Some on the grid that many vertices are on. */
static float choose_number(rng *r, double low, double high)
{
    return (float)(rng_below(r, 2) == 0 ? floor(rng_range(r, low, high)) : rng_range(r, low, high));
}

static void choose_places(rng *r, table_event *e)
{
    for (int i = 0; i < TABLE_RAYS; i++) {
        for (int k = 0; k < 3; k++) {
            e->rays[i].origin[k] = choose_number(r, 0.0, 5.0);
            e->rays[i].direction[k] = choose_number(r, -1.0, 2.0);
        }
        e->rays[i].t_max = rng_below(r, 2) == 0 ? INFINITY : (float)rng_below(r, 4);
    }
    for (int i = 0; i < 3 * TABLE_POINTS; i++) {
        e->points[i] = choose_number(r, 0.0, 5.0);
    }
    pliant_box *box = &e->arguments.box;
    for (int k = 0; k < 3; k++) {
        box->lower[k] = (float)rng_below(r, 4);
        box->upper[k] = box->lower[k] + (float)rng_below(r, 4);
        box->lower[k] -= rng_below(r, 2) == 0 ? 8.0f : 0.0f; /* beyond whole bodies */
        box->upper[k] += rng_below(r, 2) == 0 ? 8.0f : 0.0f;
    }
    box->upper[0] = rng_below(r, 7) == 0 ? INFINITY : box->upper[0];
    e->arguments.ray_count = 1 + rng_below(r, TABLE_RAYS);
    e->arguments.point_count = 1 + rng_below(r, TABLE_POINTS);
}

/* Queries that change states are rare: they fail unless all that moves is given by positions. */
static void add_query(maker *m)
{
    rng *r = &m->r;
    table_event *e = add_event(m, TABLE_QUERY, (uint32_t)rng_below(r, m->w->body_count));
    e->other = (uint32_t)rng_below(r, m->w->body_count);
    do {
        e->row = &query_rows[rng_below(r, query_row_count)];
        e->form = (query_form)rng_below(r, QUERY_FORMS);
    } while (e->row->forms[e->form].name == NULL || (e->row->changes && rng_below(r, 4) > 0));
    if (e->row->forms[e->form].body_count == 2 && e->body == e->other) {
        e->other = (e->body + 1) % m->w->body_count;
    }
    choose_options(r, &e->arguments);
    choose_places(r, e);
    e->grouped = rng_below(r, 4) == 0;
    e->groups[0] = rng_below(r, 8);
    e->groups[1] = rng_below(r, 8);
    e->filtered = rng_below(r, 3) == 0;
    e->salt = (uint32_t)rng_below(r, 1u << 16);
}

/* Contacts of the scene with events in each step: what touches depends on the steps before. */
static void add_events_query(maker *m)
{
    table_event *e = add_event(m, TABLE_QUERY, 0);
    e->row = query_find("collide");
    e->form = FORM_SCENE;
    e->arguments = query_arguments_default();
    e->arguments.scene_options.events = true;
}

/* --------------------------------------------------------------------- all */

void table_world_create(table_world *w, uint64_t seed)
{
    maker m = {.w = w};
    memset(w, 0, sizeof *w);
    w->seed = seed;
    rng_seed(&m.r, seed);
    m.family = (int)rng_below(&m.r, RANDOM_FAMILIES);
    w->body_count = 2 + (uint32_t)rng_below(&m.r, TABLE_BODIES - 1);
    bool large = rng_below(&m.r, 6) == 0;
    for (uint32_t i = 0; i < w->body_count; i++) {
        make_body(&m, i, large);
    }
    for (int step = 0; step < STEPS; step++) {
        for (uint32_t i = 0; i < w->body_count; i++) {
            change_body(&m, i);
        }
        add_events_query(&m);
        for (uint64_t n = 4 + rng_below(&m.r, 4); n > 0; n--) {
            add_query(&m);
        }
    }
    for (uint32_t i = 0; i < w->body_count; i++) {
        free(m.triangles[i]);
        free(m.welded[i]);
        free(m.removed[i]);
    }
}

void table_world_destroy(table_world *w)
{
    for (uint32_t i = 0; i < w->body_count; i++) {
        table_body *b = &w->bodies[i];
        mesh_free(&b->mesh);
        free(b->groups);
        free(b->modes);
        free(b->weights);
        free(b->offsets);
        free(b->joints);
        free(b->without);
    }
    for (uint32_t i = 0; i < w->event_count; i++) {
        free(w->events[i].numbers);
    }
}
