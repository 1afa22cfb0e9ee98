/* What is compared with what: bodies of the file, or pieces of them, less what is ignored. */
#include "check.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A mesh of loose triangles would make as many bodies as it has triangles. */
#define MOST_PIECES 10000

static char *format_name(const char *body, const char *detail, uint32_t number)
{
    size_t capacity = strlen(body) + (detail != NULL ? strlen(detail) : 0) + 32;
    char *name = malloc(capacity);
    if (name != NULL && detail != NULL && number > 1) {
        snprintf(name, capacity, "%s:%s#%" PRIu32, body, detail, number);
    } else if (name != NULL && detail != NULL) {
        snprintf(name, capacity, "%s:%s", body, detail);
    } else if (name != NULL && number > 1) {
        snprintf(name, capacity, "%s#%" PRIu32, body, number);
    } else if (name != NULL) {
        snprintf(name, capacity, "%s", body);
    }
    return name;
}

/* How a body is cut, while its parts are made. */
typedef struct body_cut {
    const pliant_asset_body *body;
    const pliant_asset_mesh *mesh;
    uint32_t index;
    const char *name;        /* of the body, as it is shown */
    uint32_t *group_numbers; /* per group of the mesh: which of its namesakes it is */
    uint32_t *keys;          /* per triangle: its material or piece; NULL: all are 0 */
    uint32_t key_count;
    uint32_t *key_parts; /* per key: its part, CHECK_NONE: ignored */
    bool *seen;          /* per key */
    bool *materials;     /* per group of the mesh: ignored */
} body_cut;

static void free_cut(body_cut *cut)
{
    free(cut->group_numbers);
    free(cut->keys);
    free(cut->key_parts);
    free(cut->seen);
    free(cut->materials);
}

/* A name, and which of a list it is. */
typedef struct numbered_name {
    const char *name;
    uint32_t index;
} numbered_name;

static int compare_names(const void *first, const void *second)
{
    const numbered_name *x = first, *y = second;
    int names = strcmp(x->name, y->name);
    return names != 0 ? names : x->index < y->index ? -1 : x->index > y->index;
}

/* Numbers each name among those that are the same, from 1. NULL without memory. */
static uint32_t *number_names(numbered_name *names, uint32_t count)
{
    uint32_t *numbers = malloc(((size_t)count + 1) * sizeof *numbers);
    if (numbers != NULL && count > 0) {
        qsort(names, count, sizeof *names, compare_names);
    }
    for (uint32_t i = 0; numbers != NULL && i < count; i++) {
        bool again = i > 0 && strcmp(names[i - 1].name, names[i].name) == 0;
        numbers[names[i].index] = again ? numbers[names[i - 1].index] + 1 : 1;
    }
    return numbers;
}

void check_free_names(char **names, uint32_t count)
{
    for (uint32_t i = 0; names != NULL && i < count; i++) {
        free(names[i]);
    }
    free((void *)names);
}

/* Several bodies may have one name: the second is shown with "#2". */
char **check_body_names(const pliant_asset *asset)
{
    uint32_t count = pliant_asset_get_counts(asset).bodies;
    char **made = (char **)calloc((size_t)count + 1, sizeof *made);
    numbered_name *names = malloc(((size_t)count + 1) * sizeof *names);
    for (uint32_t i = 0; names != NULL && i < count; i++) {
        names[i] = (numbered_name){pliant_asset_get_body(asset, i)->name, i};
    }
    uint32_t *numbers = names != NULL ? number_names(names, count) : NULL;
    bool good = made != NULL && numbers != NULL;
    for (uint32_t i = 0; good && i < count; i++) {
        char *clean = check_clean_text(pliant_asset_get_body(asset, i)->name);
        made[i] = clean != NULL ? format_name(clean, NULL, numbers[i]) : NULL;
        good = made[i] != NULL;
        free(clean);
    }
    free(names);
    free(numbers);
    if (!good) {
        check_free_names(made, count);
    }
    return good ? made : NULL;
}

static uint32_t *number_groups(const pliant_asset_mesh *mesh)
{
    numbered_name *names = malloc(((size_t)mesh->group_count + 1) * sizeof *names);
    for (uint32_t i = 0; names != NULL && i < mesh->group_count; i++) {
        names[i] = (numbered_name){mesh->group_names[i], i};
    }
    uint32_t *numbers = names != NULL ? number_names(names, mesh->group_count) : NULL;
    free(names);
    return numbers;
}

static check_result find_keys(const check *state, body_cut *cut)
{
    uint32_t triangles = cut->mesh->triangle_count;
    cut->key_count = 1;
    if (state->settings.split == CHECK_SPLIT_NODE ||
        (state->settings.split == CHECK_SPLIT_PRIMITIVE && cut->mesh->groups == NULL)) {
        return CHECK_DONE;
    }
    cut->keys = malloc(triangles * sizeof *cut->keys);
    if (cut->keys == NULL) {
        return CHECK_NO_MEMORY;
    }
    if (state->settings.split == CHECK_SPLIT_COMPONENT) {
        return check_find_pieces(cut->mesh, cut->keys, &cut->key_count);
    }
    cut->group_numbers = number_groups(cut->mesh);
    if (cut->group_numbers == NULL) {
        return CHECK_NO_MEMORY;
    }
    cut->key_count = cut->mesh->group_count;
    for (uint32_t t = 0; t < triangles; t++) {
        cut->keys[t] = cut->mesh->groups[t];
        cut->key_count = cut->keys[t] >= cut->key_count ? cut->keys[t] + 1 : cut->key_count;
    }
    return CHECK_DONE;
}

static char *name_part(const check *state, const body_cut *cut, uint32_t key)
{
    if (cut->key_count == 1) {
        return format_name(cut->name, NULL, 1);
    }
    if (state->settings.split == CHECK_SPLIT_COMPONENT) {
        char number[16];
        snprintf(number, sizeof number, "%" PRIu32, key + 1);
        return format_name(cut->name, number, 1);
    }
    if (key >= cut->mesh->group_count) {
        return format_name(cut->name, "?", key);
    }
    return format_name(cut->name, cut->mesh->group_names[key], cut->group_numbers[key]);
}

/* Keeps the name of a part that is left out. */
static bool keep_ignored(check *state, char *name)
{
    char **grown = (char **)realloc((void *)state->ignored,
                                    ((size_t)state->ignored_count + 1) * sizeof *grown);
    if (grown == NULL) {
        free(name);
        return false;
    }
    state->ignored = grown;
    grown[state->ignored_count++] = name;
    return true;
}

/* The part of a triangle that is not ignored by its material, made when first met. */
static check_result find_part(check *state, body_cut *cut, uint32_t key, uint32_t *part)
{
    if (!cut->seen[key]) {
        char *raw = name_part(state, cut, key);
        char *name = raw != NULL ? check_clean_text(raw) : NULL;
        free(raw);
        check_part *grown =
            name != NULL ? realloc(state->parts, ((size_t)state->part_count + 1) * sizeof *grown)
                         : NULL;
        if (grown == NULL) {
            free(name);
            return CHECK_NO_MEMORY;
        }
        state->parts = grown;
        cut->seen[key] = true;
        if (check_list_has(state->settings.ignored, name)) {
            cut->key_parts[key] = CHECK_NONE;
            if (!keep_ignored(state, name)) {
                return CHECK_NO_MEMORY;
            }
        } else {
            grown[state->part_count] = (check_part){.name = name, .body = cut->index};
            cut->key_parts[key] = state->part_count++;
        }
    }
    *part = cut->key_parts[key];
    return CHECK_DONE;
}

/* Gives every triangle its part. */
static check_result sort_triangles(check *state, body_cut *cut)
{
    check_body *made = &state->bodies[cut->index];
    const pliant_asset_mesh *mesh = cut->mesh;
    made->first_part = state->part_count;
    made->parts = malloc(mesh->triangle_count * sizeof *made->parts);
    if (made->parts == NULL) {
        return CHECK_NO_MEMORY;
    }
    bool all_in_first = true;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        uint32_t group = mesh->groups != NULL ? mesh->groups[t] : 0;
        uint32_t part = CHECK_NONE;
        if (group >= mesh->group_count || !cut->materials[group]) {
            check_result status =
                find_part(state, cut, cut->keys != NULL ? cut->keys[t] : 0, &part);
            if (status != CHECK_DONE) {
                return status;
            }
        }
        if (part != CHECK_NONE) {
            state->parts[part].triangle_count++;
        }
        made->parts[t] = part;
        all_in_first = all_in_first && part == made->first_part;
    }
    made->part_count = state->part_count - made->first_part;
    if (all_in_first) {
        free(made->parts);
        made->parts = NULL;
    }
    return CHECK_DONE;
}

/* Distances between pieces of one body are asked for piece by piece, as groups of its shape. */
static bool needs_pieces(const check *state, const body_cut *cut)
{
    return state->settings.split == CHECK_SPLIT_COMPONENT && state->settings.clearance > 0.0 &&
           cut->key_count > 1;
}

static check_result create_shape(check *state, body_cut *cut)
{
    uint32_t index = cut->body->shape;
    if (state->shapes[index] == NULL) {
        pliant_shape_def def;
        pliant_result result = pliant_asset_get_shape_def(state->asset, index, &def);
        uint16_t *groups = NULL;
        if (result == PLIANT_OK && needs_pieces(state, cut)) {
            groups = malloc(cut->mesh->triangle_count * sizeof *groups);
            result = groups != NULL ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
            for (uint32_t t = 0; groups != NULL && t < cut->mesh->triangle_count; t++) {
                groups[t] = (uint16_t)cut->keys[t];
            }
        }
        def.groups = groups; /* nobody asks for materials */
        if (result == PLIANT_OK) {
            result = pliant_shape_create(state->context, &def, &state->shapes[index]);
        }
        free(groups);
        if (result != PLIANT_OK) {
            return result == PLIANT_ERROR_OUT_OF_MEMORY ? CHECK_NO_MEMORY
                                                        : check_fail_library(state, result);
        }
    }
    state->bodies[cut->index].shape = state->shapes[index];
    state->bodies[cut->index].piece_count = needs_pieces(state, cut) ? cut->key_count : 0;
    return CHECK_DONE;
}

static check_result cut_body(check *state, body_cut *cut)
{
    const pliant_asset_mesh *mesh = cut->mesh;
    char *body_name = check_clean_text(cut->body->name);
    if (body_name == NULL) {
        return CHECK_NO_MEMORY;
    }
    bool ignored = check_list_has(state->settings.ignored, body_name);
    free(body_name);
    if (mesh->triangle_count == 0) {
        return check_note(state, "'%s' has no triangles: a cache needs its mesh file before it",
                          cut->name);
    }
    if (ignored) {
        return CHECK_DONE;
    }
    check_result status = find_keys(state, cut);
    if (status != CHECK_DONE) {
        return status;
    }
    if (state->settings.split == CHECK_SPLIT_COMPONENT &&
        cut->key_count > MOST_PIECES - state->part_count) {
        return check_fail(state, CHECK_BAD_INPUT,
                          "'%s' falls into %" PRIu32 " pieces; --split component takes %d in all",
                          cut->name, cut->key_count, MOST_PIECES);
    }
    cut->key_parts = malloc(cut->key_count * sizeof *cut->key_parts);
    cut->seen = calloc(cut->key_count, sizeof *cut->seen);
    cut->materials = calloc((size_t)mesh->group_count + 1, sizeof *cut->materials);
    if (cut->key_parts == NULL || cut->seen == NULL || cut->materials == NULL) {
        return CHECK_NO_MEMORY;
    }
    for (uint32_t i = 0; i < mesh->group_count; i++) {
        cut->materials[i] = check_list_has(state->settings.ignored, mesh->group_names[i]);
    }
    status = sort_triangles(state, cut);
    bool wanted = status == CHECK_DONE && state->bodies[cut->index].part_count > 0;
    return wanted ? create_shape(state, cut) : status;
}

/* The box around each part of a body at rest. */
static bool measure_parts(check *state, uint32_t index, const float *rest)
{
    const check_body *body = &state->bodies[index];
    const pliant_asset_mesh *mesh = body->surface.mesh;
    float(*boxes)[6] = calloc((size_t)body->part_count + 1, sizeof *boxes);
    if (boxes == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < body->part_count; i++) {
        for (int k = 0; k < 3; k++) {
            boxes[i][k] = INFINITY;
            boxes[i][3 + k] = -INFINITY;
        }
    }
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++) {
        uint32_t part = body->parts != NULL ? body->parts[i / 3] : body->first_part;
        const float *at = rest + 3 * (size_t)mesh->triangles[i];
        for (int k = 0; part != CHECK_NONE && k < 3; k++) {
            float *box = boxes[part - body->first_part];
            box[k] = at[k] < box[k] ? at[k] : box[k];
            box[3 + k] = at[k] > box[3 + k] ? at[k] : box[3 + k];
        }
    }
    for (uint32_t i = 0; i < body->part_count; i++) {
        double sum = 0.0;
        for (int k = 0; k < 3; k++) {
            double side = (double)boxes[i][3 + k] - (double)boxes[i][k];
            sum += side * side;
        }
        state->parts[body->first_part + i].diagonal = sqrt(sum);
    }
    free(boxes);
    return true;
}

/* The surface of a body at rest. One that is hidden there is measured as its mesh is. */
static check_result make_surface(check *state, const pliant_asset_pose *pose, uint32_t index)
{
    const pliant_asset_body *body = pliant_asset_get_body(state->asset, index);
    const pliant_asset_mesh *mesh = pliant_asset_get_mesh(state->asset, body->shape);
    float *rest = malloc(3 * (size_t)mesh->vertex_count * sizeof *rest + 1);
    if (rest == NULL) {
        return CHECK_NO_MEMORY;
    }
    pliant_result result = PLIANT_OK;
    if (pliant_asset_pose_get_state(pose, index).hidden) {
        memcpy(rest, mesh->positions, 3 * (size_t)mesh->vertex_count * sizeof *rest);
    } else {
        result = pliant_asset_pose_evaluate(pose, index, rest);
    }
    check_result status = CHECK_DONE;
    if (result != PLIANT_OK) {
        status = check_fail_library(state, result);
    } else if (!check_surface_create(mesh, rest, &state->bodies[index].surface) ||
               !measure_parts(state, index, rest)) {
        status = CHECK_NO_MEMORY;
    }
    free(rest);
    return status;
}

static check_result make_surfaces(check *state)
{
    pliant_asset_pose *pose = NULL;
    pliant_result result = pliant_asset_pose_create(state->asset, &pose);
    check_result status = result == PLIANT_OK ? CHECK_DONE : check_fail_library(state, result);
    for (uint32_t i = 0; status == CHECK_DONE && i < state->body_count; i++) {
        if (state->bodies[i].shape != NULL) {
            status = make_surface(state, pose, i);
        }
    }
    pliant_asset_pose_destroy(pose);
    return status;
}

check_result check_make_parts(check *state)
{
    pliant_asset_counts counts = pliant_asset_get_counts(state->asset);
    state->body_count = counts.bodies;
    state->bodies = calloc((size_t)counts.bodies + 1, sizeof *state->bodies);
    state->shape_count = counts.shapes;
    state->shapes = (pliant_shape **)calloc((size_t)counts.shapes + 1, sizeof(pliant_shape *));
    if (state->bodies == NULL || state->shapes == NULL) {
        return CHECK_NO_MEMORY;
    }
    char **names = check_body_names(state->asset);
    check_result status = names != NULL ? CHECK_DONE : CHECK_NO_MEMORY;
    for (uint32_t i = 0; status == CHECK_DONE && i < counts.bodies; i++) {
        body_cut cut = {
            .index = i, .name = names[i], .body = pliant_asset_get_body(state->asset, i)};
        cut.mesh = pliant_asset_get_mesh(state->asset, cut.body->shape);
        status = cut_body(state, &cut);
        free_cut(&cut);
    }
    check_free_names(names, counts.bodies);
    if (status == CHECK_DONE && state->part_count == 0) {
        return check_fail(state, CHECK_BAD_INPUT, "there is nothing to check: %s",
                          counts.bodies == 0 ? "no mesh with triangles in it"
                          : state->settings.ignored != NULL
                              ? "everything is ignored"
                              : "no body has triangles; a cache needs its mesh file before it");
    }
    if (state->part_count == 1 && state->settings.self == CHECK_SELF_DEFAULT) {
        state->settings.self = CHECK_SELF_ON;
    }
    return status == CHECK_DONE ? make_surfaces(state) : status;
}
