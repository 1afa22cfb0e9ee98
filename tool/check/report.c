/* An earlier report as reference: its contacts, and what it took as known, clip by clip. */
#include "check.h"

#ifdef CHECK_HAVE_JANSSON

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

typedef struct report {
    check *state;
    const char *path;
    bool *is_same; /* per part: the report has it, with as many triangles */
} report;

static check_result fail_report(const report *read, const char *what)
{
    return check_fail(read->state, CHECK_BAD_INPUT, "%s: %s", read->path, what);
}

static uint32_t find_part(const check *state, const char *name)
{
    for (uint32_t i = 0; name != NULL && i < state->part_count; i++) {
        if (strcmp(state->parts[i].name, name) == 0) {
            return i;
        }
    }
    return CHECK_NONE;
}

/* A body with another number of triangles is another mesh: numbers of triangles mean nothing. */
static check_result compare_parts(report *read, const json_t *root)
{
    check *state = read->state;
    const json_t *bodies = json_object_get(root, "bodies");
    size_t count = json_array_size(bodies);
    for (size_t i = 0; i < count; i++) {
        const json_t *body = json_array_get(bodies, i);
        uint32_t part = find_part(state, json_string_value(json_object_get(body, "name")));
        json_int_t triangles = json_integer_value(json_object_get(body, "triangles"));
        if (part != CHECK_NONE) {
            read->is_same[part] = triangles == (json_int_t)state->parts[part].triangle_count;
        }
    }
    check_result status = CHECK_DONE;
    for (uint32_t i = 0; status == CHECK_DONE && i < state->part_count; i++) {
        if (!read->is_same[i]) {
            status = check_note(state,
                                "'%s' is not in %s, or has another number of triangles there: all "
                                "its contacts are new",
                                state->parts[i].name, read->path);
        }
    }
    return status;
}

static check_found *add_found(check_frame *reference, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < reference->found_count; i++) {
        if (reference->found[i].a == a && reference->found[i].b == b) {
            return &reference->found[i];
        }
    }
    size_t count = (size_t)reference->found_count + 1;
    check_found *grown = realloc(reference->found, count * sizeof *grown);
    if (grown == NULL) {
        return NULL;
    }
    reference->found = grown;
    grown[reference->found_count] = (check_found){.a = a, .b = b};
    return &grown[reference->found_count++];
}

static check_result add_triangles(const report *read, check_found *found, const json_t *triangles)
{
    check *state = read->state;
    size_t added = json_array_size(triangles) / 2;
    pliant_pair *grown = realloc(found->pairs, ((size_t)found->count + added + 1) * sizeof *grown);
    if (grown == NULL) {
        return CHECK_NO_MEMORY;
    }
    found->pairs = grown;
    for (size_t i = 0; i < added; i++) {
        json_int_t a = json_integer_value(json_array_get(triangles, 2 * i));
        json_int_t b = json_integer_value(json_array_get(triangles, 2 * i + 1));
        if (a < 0 || b < 0 || a > UINT32_MAX || b > UINT32_MAX) {
            return check_fail(state, CHECK_BAD_INPUT,
                              "%s: a triangle of '%s' and '%s' is out of range", read->path,
                              state->parts[found->a].name, state->parts[found->b].name);
        }
        grown[found->count++] = (pliant_pair){(uint32_t)a, (uint32_t)b};
    }
    return CHECK_DONE;
}

/* Adds a list of {a, b, triangles}. */
static check_result add_list(const report *read, check_frame *reference, const json_t *list)
{
    check_result status = CHECK_DONE;
    for (size_t i = 0; status == CHECK_DONE && i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        uint32_t a = find_part(read->state, json_string_value(json_object_get(entry, "a")));
        uint32_t b = find_part(read->state, json_string_value(json_object_get(entry, "b")));
        const json_t *triangles = json_object_get(entry, "triangles");
        if (a == CHECK_NONE || b == CHECK_NONE || !read->is_same[a] || !read->is_same[b]) {
            continue;
        }
        if (a > b || !json_is_array(triangles)) {
            return fail_report(read, "a contact in it is not as pliant check writes them");
        }
        check_found *found = add_found(reference, a, b);
        status = found != NULL ? add_triangles(read, found, triangles) : CHECK_NO_MEMORY;
    }
    return status;
}

static int compare_pairs(const void *first, const void *second)
{
    const pliant_pair *x = first, *y = second;
    uint64_t a = (uint64_t)x->a << 32 | x->b, b = (uint64_t)y->a << 32 | y->b;
    return a < b ? -1 : a > b ? 1 : 0;
}

static int compare_found(const void *first, const void *second)
{
    const check_found *x = first, *y = second;
    uint64_t a = (uint64_t)x->a << 32 | x->b, b = (uint64_t)y->a << 32 | y->b;
    return a < b ? -1 : a > b ? 1 : 0;
}

static void sort_reference(check_frame *reference)
{
    if (reference->found_count == 0) {
        return;
    }
    qsort(reference->found, reference->found_count, sizeof *reference->found, compare_found);
    for (uint32_t i = 0; i < reference->found_count; i++) {
        check_found *found = &reference->found[i];
        qsort(found->pairs, (size_t)found->count, sizeof *found->pairs, compare_pairs);
        uint64_t kept = 0;
        for (uint64_t k = 0; k < found->count; k++) {
            if (k == 0 || compare_pairs(&found->pairs[k], &found->pairs[k - 1]) != 0) {
                found->pairs[kept++] = found->pairs[k];
            }
        }
        found->count = kept;
    }
}

static const json_t *find_clip(const json_t *clips, const char *name)
{
    for (size_t i = 0; i < json_array_size(clips); i++) {
        const json_t *clip = json_array_get(clips, i);
        const char *other = json_string_value(json_object_get(clip, "name"));
        if (other != NULL && strcmp(other, name) == 0) {
            return clip;
        }
    }
    return NULL;
}

static check_result read_clips(report *read, const json_t *root)
{
    check *state = read->state;
    const json_t *clips = json_object_get(root, "clips");
    uint32_t missing = 0;
    check_result status = CHECK_DONE;
    for (uint32_t i = 0; status == CHECK_DONE && i < state->clip_count; i++) {
        check_frame *reference = &state->references[i];
        *reference = (check_frame){.clip = i};
        state->clips[i].reference = i;
        const json_t *clip = find_clip(clips, state->clips[i].name);
        missing += clip == NULL ? 1 : 0;
        status = add_list(read, reference, json_object_get(root, "reference"));
        if (status == CHECK_DONE) {
            status = add_list(read, reference, json_object_get(clip, "reference"));
        }
        if (status == CHECK_DONE) {
            status = add_list(read, reference, json_object_get(clip, "pairs"));
        }
        if (status == CHECK_DONE) {
            status = add_list(read, reference, json_object_get(clip, "passes"));
        }
        sort_reference(reference);
    }
    if (status == CHECK_DONE && missing > 0) {
        status = check_note(state, "%s lacks %" PRIu32 " of the clips", read->path, missing);
    }
    return status;
}

static check_result read_root(report *read, const json_t *root)
{
    if (!json_is_object(root) || !json_is_array(json_object_get(root, "clips")) ||
        !json_is_array(json_object_get(root, "bodies"))) {
        return fail_report(read, "this is not a report of pliant check");
    }
    if (json_integer_value(json_object_get(root, "schema")) != CHECK_SCHEMA) {
        return fail_report(read, "this report is of another version of pliant check");
    }
    check *state = read->state;
    const char *split =
        json_string_value(json_object_get(json_object_get(root, "settings"), "split"));
    if (split == NULL || strcmp(split, check_split_name(state->settings.split)) != 0) {
        return fail_report(read, "this report was made with another --split");
    }
    read->is_same = calloc((size_t)state->part_count + 1, sizeof *read->is_same);
    state->references = calloc((size_t)state->clip_count + 1, sizeof *state->references);
    if (read->is_same == NULL || state->references == NULL) {
        return CHECK_NO_MEMORY;
    }
    state->reference_count = state->clip_count;
    check_result status = compare_parts(read, root);
    return status == CHECK_DONE ? read_clips(read, root) : status;
}

check_result check_read_report(check *state)
{
    report read = {.state = state, .path = state->settings.against_report};
    json_error_t error = {0};
    json_t *root = json_load_file(read.path, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL) {
        return error.line > 0 ? check_fail(state, CHECK_BAD_INPUT, "%s, line %d: %s", read.path,
                                           error.line, error.text)
                              : check_fail(state, CHECK_BAD_INPUT, "%s", error.text);
    }
    check_result status = read_root(&read, root);
    json_decref(root);
    free(read.is_same);
    return status;
}

#else

check_result check_read_report(check *state)
{
    return check_fail(state, CHECK_BAD_INPUT,
                      "this build cannot read reports: it was made without jansson");
}

#endif
