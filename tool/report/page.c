#include "page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parts.h"

static bool grow(void **items, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count < *capacity) {
        return true;
    }
    uint32_t wanted = *capacity < 8 ? 8 : *capacity > UINT32_MAX / 2 ? 0 : 2 * *capacity;
    void *grown = wanted > 0 ? realloc(*items, wanted * size) : NULL;
    if (grown != NULL) {
        *items = grown;
        *capacity = wanted;
    }
    return grown != NULL;
}

/* Adds an item; after a failure nothing is added any more. */
#define ADD(page, list, ...)                                                                       \
    do {                                                                                           \
        void *items_ = (page)->list.items;                                                         \
        (page)->failed =                                                                           \
            (page)->failed || !grow(&items_, (page)->list.count, &(page)->list.capacity,           \
                                    sizeof *(page)->list.items);                                   \
        (page)->list.items = items_;                                                               \
        if (!(page)->failed) {                                                                     \
            (page)->list.items[(page)->list.count++] = (__VA_ARGS__);                              \
        }                                                                                          \
    } while (0)

static char *copy_text(report *page, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (copy == NULL) {
        page->failed = true;
        return NULL;
    }
    return memcpy(copy, text, size);
}

report *report_create(const char *kind, const char *title, const char *description)
{
    report *page = calloc(1, sizeof *page);
    if (page != NULL) {
        page->kind = copy_text(page, kind);
        page->title = copy_text(page, title);
        page->description = copy_text(page, description);
        page->up = strcmp(kind, "demo") == 0 ? 'z' : 'y';
    }
    return page;
}

void report_set_up(report *page, char axis)
{
    page->up = axis;
}

static void free_body(page_body *body)
{
    free(body->name);
    free(body->state);
    free(body->parts);
    free(body->bounds);
    report_track_free(&body->series);
    report_track_free(&body->boxes);
    report_buffer_free(&body->box_states);
}

void report_destroy(report *page)
{
    if (page == NULL) {
        return;
    }
    for (uint32_t i = 0; i < page->bodies.count; i++) {
        free_body(&page->bodies.items[i]);
    }
    for (uint32_t i = 0; i < page->parts.count; i++) {
        free(page->parts.items[i].name);
    }
    for (uint32_t i = 0; i < page->clips.count; i++) {
        free(page->clips.items[i]);
    }
    for (uint32_t i = 0; i < page->notes.count; i++) {
        free(page->notes.items[i]);
    }
    free(page->meshes.items);
    free(page->bodies.items);
    free(page->parts.items);
    free(page->clips.items);
    free(page->notes.items);
    free(page->pairs.items);
    free(page->frames.items);
    report_buffer_free(&page->contacts);
    report_buffer_free(&page->contours);
    report_buffer_free(&page->passes);
    free(page->codes);
    free(page->kind);
    free(page->title);
    free(page->description);
    free(page->extra);
    report_buffer_free(&page->findings);
    free(page);
}

static bool same_array(const void *a, const void *b, size_t size)
{
    return a == b || (a != NULL && b != NULL && memcmp(a, b, size) == 0);
}

static bool same_mesh(const report_mesh *a, const report_mesh *b)
{
    size_t vertices = a->vertex_count;
    if (a->vertex_count != b->vertex_count || a->triangle_count != b->triangle_count ||
        a->mode_count != b->mode_count || a->joint_count != b->joint_count ||
        !same_array(a->positions, b->positions, vertices * 3 * sizeof(float)) ||
        !same_array(a->triangles, b->triangles, (size_t)a->triangle_count * 3 * sizeof(uint32_t)) ||
        !same_array(a->modes, b->modes, vertices * 3 * a->mode_count * sizeof(float)) ||
        !same_array(a->influence_offsets, b->influence_offsets,
                    (vertices + 1) * sizeof(uint32_t))) {
        return false;
    }
    size_t count = a->influence_offsets != NULL ? a->influence_offsets[vertices] : 0;
    return count == 0 ||
           (same_array(a->influence_joints, b->influence_joints, count * sizeof(uint32_t)) &&
            same_array(a->influence_weights, b->influence_weights, count * sizeof(float)));
}

/* The diagonal of the box around positions, and the largest coordinate. */
static double measure(const float *positions, uint32_t count, double *reach)
{
    double square = 0.0;
    *reach = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double lower = HUGE_VAL, upper = -HUGE_VAL;
        for (uint32_t i = 0; i < count; i++) {
            lower = fmin(lower, (double)positions[3 * (size_t)i + (size_t)axis]);
            upper = fmax(upper, (double)positions[3 * (size_t)i + (size_t)axis]);
        }
        *reach = fmax(*reach, fmax(-lower, upper));
        square += count > 0 ? (upper - lower) * (upper - lower) : 0.0;
    }
    return sqrt(square);
}

uint32_t report_add_mesh(report *page, const report_mesh *mesh)
{
    for (uint32_t i = 0; i < page->meshes.count; i++) {
        if (same_mesh(&page->meshes.items[i].mesh, mesh)) {
            return i;
        }
    }
    page_mesh made = {.mesh = *mesh};
    made.size = measure(mesh->positions, mesh->vertex_count, &made.reach);
    ADD(page, meshes, made);
    return page->meshes.count - 1;
}

uint32_t report_add_body(report *page, const char *name, uint32_t mesh, bool closed)
{
    ADD(page, bodies, (page_body){.name = copy_text(page, name), .mesh = mesh, .closed = closed});
    return page->bodies.count - 1;
}

uint32_t report_add_part(report *page, const char *name, uint32_t body)
{
    ADD(page, parts, (page_part){.name = copy_text(page, name), .body = body});
    return page->parts.count - 1;
}

static void *copy_items(report *page, const void *items, size_t count, size_t size)
{
    void *copy = malloc(count > 0 ? count * size : 1);
    if (copy == NULL) {
        page->failed = true;
    } else if (count > 0) {
        memcpy(copy, items, count * size);
    }
    return copy;
}

void report_set_parts(report *page, uint32_t body, const uint32_t *parts)
{
    if (!page->failed) {
        page_body *set = &page->bodies.items[body];
        const report_mesh *mesh = &page->meshes.items[set->mesh].mesh;
        free(set->parts);
        set->parts = copy_items(page, parts, mesh->triangle_count, sizeof *parts);
    }
}

void report_add_tree(report *page, uint32_t body, const pliant_bound *bounds, uint32_t count)
{
    if (!page->failed) {
        page_body *set = &page->bodies.items[body];
        set->bounds = copy_items(page, bounds, count, sizeof *bounds);
        set->bound_count = count;
        page->failed = page->failed || !report_track_create(&set->boxes, 6 * count);
    }
}

uint32_t report_add_clip(report *page, const char *name)
{
    ADD(page, clips, copy_text(page, name));
    return page->clips.count - 1;
}

void report_add_note(report *page, const char *note)
{
    ADD(page, notes, copy_text(page, note));
}

void report_end_frame(report *page)
{
    if (page->frames.count > 0) {
        page->frames.items[page->frames.count - 1].contact_bytes =
            (uint32_t)(page->contacts.size - page->frame_begin);
        page->frames.items[page->frames.count - 1].contour_bytes =
            (uint32_t)(page->contours.size - page->contour_begin);
    }
    page->frame_begin = page->contacts.size;
    page->contour_begin = page->contours.size;
}

void report_begin_frame(report *page, uint32_t clip, uint32_t number, double time)
{
    report_end_frame(page);
    ADD(page, frames, (page_frame){.clip = clip, .number = number, .time = (float)time});
}

uint32_t report_begin_state(report *page)
{
    return page->frames.count + page->state_count++;
}

/*
 * Positions are rounded to 2^-18 of the body's size. Coordinates and transforms are rounded so that
 * no vertex moves by more than about that, whatever the signs: the farthest that one step of a
 * coordinate moves a vertex, times the number of coordinates, stays below 2^-18 of the size, and
 * one step of a matrix entry moves no vertex by more than a third of that.
 */
static double grid_size(double size, double least)
{
    return ldexp(fmax(size, fmax(1e-3 * least, 1e-30)), -18);
}

/* The farthest that coordinate number `mode` of 1 moves a vertex along an axis. */
static double mode_reach(const report_mesh *mesh, uint32_t mode)
{
    size_t count = (size_t)mesh->vertex_count * 3;
    double reach = 0.0;
    for (size_t i = 0; i < count; i++) {
        reach = fmax(reach, fabs((double)mesh->modes[mode * count + i]));
    }
    return fmax(reach, 1e-30);
}

/* How large a body is in the world: the largest of its transforms' scales times its rest size. */
static double world_size(const page_mesh *mesh, const float *transforms)
{
    double scale = mesh->mesh.joint_count > 0 ? 0.0 : 1.0;
    for (uint32_t node = 0; node < mesh->mesh.joint_count; node++) {
        double square = 0.0;
        for (int i = 0; i < 12; i++) {
            double entry = (double)transforms[12 * (size_t)node + (size_t)i];
            square += i % 4 != 3 ? entry * entry : 0.0;
        }
        scale = fmax(scale, sqrt(square / 3.0));
    }
    return mesh->size * scale;
}

/* The steps of transforms that suit one mesh: of matrix entries and of translations. */
static void find_transform_steps(const page_mesh *mesh, const float *transforms, double *entry,
                                 double *translation)
{
    double grid = grid_size(world_size(mesh, transforms), mesh->size);
    *translation = fmin(*translation, grid);
    *entry = fmin(*entry, grid / (3.0 * fmax(mesh->reach, 1e-30)));
}

/*
 * All bodies with the same number of joints use the same steps, those of the most delicate one:
 * skins over one skeleton then have the same numbers, which are written once.
 */
static bool start_states(report *page, page_body *body, const float *transforms)
{
    const page_mesh *mesh = &page->meshes.items[body->mesh];
    const report_mesh *model = &mesh->mesh;
    uint32_t width = model->mode_count + 12 * model->joint_count;
    body->state = malloc((width > 0 ? width : 1) * sizeof *body->state);
    if (body->state == NULL || !report_track_create(&body->series, width)) {
        return false;
    }
    double size = world_size(mesh, transforms);
    double grid = grid_size(size, mesh->size);
    double scale = mesh->size > 0.0 ? fmax(size / mesh->size, 1e-3) : 1.0;
    for (uint32_t m = 0; m < model->mode_count; m++) {
        body->series.steps[m] = (float)(grid / (scale * mode_reach(model, m) * model->mode_count));
    }
    double entry = HUGE_VAL, translation = HUGE_VAL;
    for (uint32_t i = 0; model->joint_count > 0 && i < page->meshes.count; i++) {
        if (page->meshes.items[i].mesh.joint_count == model->joint_count) {
            find_transform_steps(&page->meshes.items[i], transforms, &entry, &translation);
        }
    }
    for (uint32_t i = 0; i < 12 * model->joint_count; i++) {
        body->series.steps[model->mode_count + i] = (float)(i % 4 == 3 ? translation : entry);
    }
    return true;
}

void report_set_state(report *page, uint32_t body, const float *coordinates,
                      const float *transforms)
{
    if (page->failed) {
        return;
    }
    page_body *set = &page->bodies.items[body];
    const page_mesh *mesh = &page->meshes.items[set->mesh];
    if (!set->is_started && !start_states(page, set, transforms)) {
        page->failed = true;
        return;
    }
    if (!set->is_started) {
        page->world = fmax(page->world, world_size(mesh, transforms));
    }
    set->is_started = true;
    uint32_t modes = mesh->mesh.mode_count, joints = mesh->mesh.joint_count;
    if (modes > 0) {
        memcpy(set->state, coordinates, modes * sizeof(float));
    }
    if (joints > 0) {
        memcpy(set->state + modes, transforms, (size_t)12 * joints * sizeof(float));
    }
    report_track_add(&set->series, set->state);
}

void report_set_positions(report *page, uint32_t body, const float *positions)
{
    if (page->failed) {
        return;
    }
    page_body *set = &page->bodies.items[body];
    const report_mesh *mesh = &page->meshes.items[set->mesh].mesh;
    if (!set->is_started) {
        double reach, size = measure(positions, mesh->vertex_count, &reach);
        if (!report_track_create(&set->series, 3 * mesh->vertex_count)) {
            page->failed = true;
            return;
        }
        for (uint32_t i = 0; i < set->series.width; i++) {
            set->series.steps[i] = (float)ldexp(fmax(size, 1e-30), -18);
        }
        page->world = fmax(page->world, size);
        set->is_positions = set->is_started = true;
    }
    report_track_add(&set->series, positions);
}

uint32_t report_find_pair(report *page, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < page->pairs.count; i++) {
        if (page->pairs.items[i].a == a && page->pairs.items[i].b == b) {
            return i;
        }
    }
    ADD(page, pairs, (pliant_pair){a, b});
    return page->pairs.count - 1;
}

void report_set_tree(report *page, uint32_t body, const pliant_box *boxes,
                     const unsigned char *states)
{
    if (page->failed) {
        return;
    }
    page_body *set = &page->bodies.items[body];
    float *numbers = malloc((size_t)6 * set->bound_count * sizeof *numbers + 1);
    if (numbers == NULL) {
        page->failed = true;
        return;
    }
    for (uint32_t i = 0; i < set->bound_count; i++) {
        memcpy(numbers + 6 * (size_t)i, boxes[i].lower, sizeof boxes[i].lower);
        memcpy(numbers + 6 * (size_t)i + 3, boxes[i].upper, sizeof boxes[i].upper);
    }
    for (uint32_t i = 0; set->boxes.frame_count == 0 && i < set->boxes.width; i++) {
        set->boxes.steps[i] = (float)ldexp(fmax(page->world, 1e-30), -11); /* for drawing only */
    }
    report_track_add(&set->boxes, numbers);
    report_put_bytes(&set->box_states, states, set->bound_count);
    free(numbers);
}

void report_set_cost(report *page, const report_cost *cost)
{
    if (!page->failed) {
        page->frames.items[page->frames.count - 1].cost = *cost;
        page->has_cost = true;
    }
}

void report_set_whole_cost(report *page, const report_cost *whole)
{
    page->whole = *whole;
}

void report_set_extra(report *page, const char *members)
{
    free(page->extra);
    page->extra = copy_text(page, members);
}
