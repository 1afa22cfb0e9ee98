/* What was found as JSON; docs/check-json.md describes it. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool/text/json.h"

static int compare_pairs(const void *first, const void *second)
{
    const pliant_pair *x = first, *y = second;
    uint64_t a = (uint64_t)x->a << 32 | x->b, b = (uint64_t)y->a << 32 | y->b;
    return a < b ? -1 : a > b ? 1 : 0;
}

/* Pairs of triangles as a flat list: a, b, a, b, ... */
static check_result write_pairs(json_writer *json, const pliant_pair *pairs, uint64_t count)
{
    double *numbers = malloc((2 * (size_t)count + 1) * sizeof *numbers);
    if (numbers == NULL) {
        return CHECK_NO_MEMORY;
    }
    for (uint64_t i = 0; i < count; i++) {
        numbers[2 * i] = pairs[i].a;
        numbers[2 * i + 1] = pairs[i].b;
    }
    json_numbers(json, "triangles", numbers, 2 * count);
    free(numbers);
    return CHECK_DONE;
}

/* Every pair of triangles that two parts have in some of a clip's frames, each once. */
static check_result write_union(json_writer *json, const check_frame *frames, uint32_t frame_count,
                                const check_row *row)
{
    uint64_t total = 0, count = 0;
    for (uint32_t f = 0; f < frame_count; f++) {
        const check_found *found = check_find(&frames[f], row->a, row->b);
        total += found != NULL ? found->count : 0;
    }
    pliant_pair *pairs = malloc((size_t)(total + 1) * sizeof *pairs);
    if (pairs == NULL) {
        return CHECK_NO_MEMORY;
    }
    for (uint32_t f = 0; f < frame_count; f++) {
        const check_found *found = check_find(&frames[f], row->a, row->b);
        if (found != NULL) {
            memcpy(pairs + count, found->pairs, (size_t)found->count * sizeof *pairs);
            count += found->count;
        }
    }
    qsort(pairs, (size_t)count, sizeof *pairs, compare_pairs);
    uint64_t kept = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (i == 0 || compare_pairs(&pairs[i], &pairs[i - 1]) != 0) {
            pairs[kept++] = pairs[i];
        }
    }
    check_result status = write_pairs(json, pairs, kept);
    free(pairs);
    return status;
}

static void write_span(json_writer *json, const char *key, const check_span *span, bool has_depth)
{
    json_open_object(json, key);
    json_put_integer(json, "frames", span->frame_count);
    if (span->frame_count > 0) {
        json_put_integer(json, "first", span->first);
        json_put_integer(json, "worst", span->worst);
        json_put_integer(json, "last", span->last);
        json_put_integer(json, "worst_pairs", span->pairs);
        if (has_depth) {
            json_number(json, "depth", span->depth);
        }
    }
    json_close_object(json);
}

/* One number of what was found, for each frame in which the two parts touch. */
typedef enum series_field {
    SERIES_FRAME,
    SERIES_PAIRS,
    SERIES_NEW,
    SERIES_DEPTH,
    SERIES_NEW_DEPTH,
    SERIES_GAP,
    SERIES_VOLUME,
    SERIES_CONTOURS, /* and what follows: with --contours */
    SERIES_CONTOUR_LENGTH,
    SERIES_INSIDE_AREA,
    SERIES_INSIDE_DEPTH,
    SERIES_COUNT
} series_field;

static double series_value(const check_frame *frame, const check_found *found, series_field field)
{
    switch (field) {
    case SERIES_FRAME:
        return frame->number;
    case SERIES_PAIRS:
        return (double)found->count;
    case SERIES_NEW:
        return (double)found->new_count;
    case SERIES_DEPTH:
        return found->depth;
    case SERIES_NEW_DEPTH:
        return found->new_depth;
    case SERIES_GAP:
        return found->gap;
    case SERIES_VOLUME:
        return found->has_volume ? found->volume : HUGE_VAL;
    case SERIES_CONTOURS:
        return found->has_contours ? (double)found->contours.count : HUGE_VAL;
    case SERIES_CONTOUR_LENGTH:
        return found->has_contours ? found->contours.length : HUGE_VAL;
    case SERIES_INSIDE_AREA:
        return found->has_contours ? found->contours.area : HUGE_VAL;
    case SERIES_INSIDE_DEPTH:
        return found->has_contours ? found->contours.depth : HUGE_VAL;
    case SERIES_COUNT:
        break;
    }
    return 0.0;
}

static check_result write_series(const check *state, json_writer *json, const check_clip *clip,
                                 const check_row *row)
{
    static const char *const names[SERIES_COUNT] = {
        "frame",    "pairs",          "new",         "depth",       "new_depth", "gap", "volume",
        "contours", "contour_length", "inside_area", "inside_depth"};
    double *values = malloc(((size_t)clip->count + 1) * sizeof *values);
    if (values == NULL) {
        return CHECK_NO_MEMORY;
    }
    json_open_object(json, "series");
    for (int field = 0; field < SERIES_COUNT; field++) {
        if ((field == SERIES_GAP && !(state->settings.clearance > 0.0)) ||
            (field == SERIES_VOLUME && !row->has_volume) ||
            (field >= SERIES_CONTOURS && !row->has_contours)) {
            continue;
        }
        uint64_t count = 0;
        for (uint32_t f = 0; f < clip->count; f++) {
            const check_frame *frame = &state->frames[clip->first + f];
            const check_found *found = check_find(frame, row->a, row->b);
            if (found != NULL) {
                values[count++] = series_value(frame, found, (series_field)field);
            }
        }
        json_numbers(json, names[field], values, count);
    }
    json_close_object(json);
    free(values);
    return CHECK_DONE;
}

static void open_row(const check *state, json_writer *json, const check_row *row)
{
    json_open_object(json, NULL);
    json_put_string(json, "a", state->parts[row->a].name);
    json_put_string(json, "b", state->parts[row->b].name);
    json_put_string(json, "verdict",
                    row->fails                   ? "fails"
                    : row->fresh.frame_count > 0 ? "allowed"
                                                 : "known");
}

/* What two parts do between frames: each series as long as there are frames before it. */
static check_result write_pass_series(const check *state, json_writer *json, const check_clip *clip,
                                      const check_row *row)
{
    static const char *const names[4] = {"frame", "seconds", "pairs", "new"};
    double *values = malloc((4 * (size_t)clip->count + 1) * sizeof *values);
    if (values == NULL) {
        return CHECK_NO_MEMORY;
    }
    uint32_t count = 0;
    for (uint32_t f = 0; f < clip->count; f++) {
        const check_frame *pass = &state->passes[clip->first + f];
        const check_found *found = check_find(pass, row->a, row->b);
        if (found != NULL) {
            double *at = values + count++;
            at[0] = pass->number;
            at[(size_t)clip->count] = check_pass_time(state, pass, found);
            at[2 * (size_t)clip->count] = (double)found->count;
            at[3 * (size_t)clip->count] = (double)found->new_count;
        }
    }
    json_open_object(json, "series");
    for (size_t i = 0; i < 4; i++) {
        json_numbers(json, names[i], values + i * clip->count, count);
    }
    json_close_object(json);
    free(values);
    return CHECK_DONE;
}

static check_result write_pass(const check *state, json_writer *json, const check_clip *clip,
                               const check_row *row)
{
    open_row(state, json, row);
    write_span(json, "all", &row->all, false);
    write_span(json, "new", &row->fresh, false);
    check_result status = write_pass_series(state, json, clip, row);
    if (status == CHECK_DONE) {
        status = write_union(json, &state->passes[clip->first], clip->count, row);
    }
    json_close_object(json);
    return status;
}

static check_result write_row(const check *state, json_writer *json, const check_clip *clip,
                              const check_row *row)
{
    open_row(state, json, row);
    write_span(json, "all", &row->all, true);
    write_span(json, "new", &row->fresh, true);
    if (state->settings.clearance > 0.0) {
        json_number(json, "gap", row->gap);
    }
    if (row->has_volume) {
        json_number(json, "volume", row->volume);
        json_number(json, "volume_error", row->volume_error);
    }
    if (row->has_contours) {
        json_open_object(json, "contours");
        json_put_integer(json, "count", row->contours.count);
        json_number(json, "length", row->contours.length);
        json_number(json, "inside_area", row->contours.area);
        json_number(json, "inside_depth", row->contours.depth);
        json_put_integer(json, "guess", row->contours.guess ? 1 : 0);
        json_close_object(json);
    }
    check_result status = write_series(state, json, clip, row);
    if (status == CHECK_DONE) {
        status = write_union(json, &state->frames[clip->first], clip->count, row);
    }
    json_close_object(json);
    return status;
}

static check_result write_clip(const check *state, json_writer *json, const check_clip *clip)
{
    check_result status = CHECK_DONE;
    json_open_object(json, NULL);
    json_put_string(json, "name", clip->name);
    json_put_integer(json, "frames", clip->count);
    if (clip->index != PLIANT_ASSET_REST) {
        json_number(json, "fps", check_clip_rate(state, clip->index));
    }
    if (clip->count > 0) {
        json_put_integer(json, "first_frame", state->frames[clip->first].number);
    }
    json_open_array(json, "pairs");
    for (uint32_t i = 0; status == CHECK_DONE && i < clip->row_count; i++) {
        status = write_row(state, json, clip, &clip->rows[i]);
    }
    json_close_array(json);
    if (state->passes != NULL) {
        json_open_array(json, "passes");
        for (uint32_t i = 0; status == CHECK_DONE && i < clip->pass_count; i++) {
            status = write_pass(state, json, clip, &clip->pass_rows[i]);
        }
        json_close_array(json);
    }
    json_close_object(json);
    return status;
}

/* A limit in percent is a text, one in units a number. */
static void write_limit(json_writer *json, const char *key, check_limit limit)
{
    char text[48];
    if (limit.is_percent) {
        snprintf(text, sizeof text, "%g%%", limit.value);
        json_put_string(json, key, text);
    } else {
        json_number(json, key, limit.value);
    }
}

static void write_settings(const check *state, json_writer *json)
{
    const check_settings *settings = &state->settings;
    char against[64];
    check_against_text(state, against, sizeof against);
    json_open_object(json, "settings");
    if (settings->rate > 0.0) {
        json_number(json, "fps", settings->rate);
    }
    json_put_integer(json, "self", settings->self ? 1 : 0);
    json_number(json, "clearance", settings->clearance);
    json_put_string(json, "split", check_split_name(settings->split));
    json_put_string(json, "against", against);
    if (settings->reference != NULL) {
        json_put_string(json, "reference", settings->reference);
    }
    write_limit(json, "near", settings->near);
    write_limit(json, "min_depth", settings->min_depth);
    if (settings->has_max_depth) {
        write_limit(json, "max_depth", settings->max_depth);
    }
    if (settings->has_max_area) {
        json_number(json, "max_area", settings->max_area);
    }
    if (settings->steps > 0) {
        json_put_integer(json, "steps", settings->steps);
    }
    json_close_object(json);
}

static void write_compared(const check *state, json_writer *json)
{
    json_open_object(json, "compared");
    json_put_integer(json, "bodies", state->compared.bodies);
    json_put_integer(json, "body_pairs", state->compared.body_pairs);
    json_put_integer(json, "clips", state->compared.clips);
    json_put_integer(json, "frames", state->compared.frames);
    json_close_object(json);
}

static void write_finding(const check *state, json_writer *json, const check_finding *finding)
{
    double position[3];
    bool loose = finding->kind == CHECK_PASS || finding->kind == CHECK_CLEARANCE;
    json_open_object(json, NULL);
    json_put_string(json, "clip", state->clips[finding->clip].name);
    json_put_string(json, "a", state->parts[finding->a].name);
    json_put_string(json, "b", state->parts[finding->b].name);
    json_put_string(json, "kind", check_kind_name(finding->kind));
    json_put_string(json, "verdict", check_verdict_name(finding->verdict));
    json_put_integer(json, "fails", finding->fails ? 1 : 0);
    if (finding->kind == CHECK_CONTAINMENT) {
        json_put_string(json, "inside", state->parts[finding->inner].name);
    }
    if (!loose) {
        json_number(json, "depth", finding->depth);
        json_number(json, "depth_percent",
                    finding->size > 0.0 ? 100.0 * finding->depth / finding->size : 0.0);
        json_number(json, "accepted_depth", finding->accepted);
        json_number(json, "area", finding->area);
        json_number(json, "length", finding->length);
    }
    if (finding->kind == CHECK_CLEARANCE) {
        json_number(json, "gap", finding->gap);
    }
    if (finding->has_volume) {
        json_number(json, "volume", finding->volume);
        json_number(json, "volume_error", finding->volume_error);
    }
    json_put_integer(json, "frames", finding->frame_count);
    json_put_integer(json, "first", finding->first);
    json_put_integer(json, "deepest", finding->deepest);
    json_put_integer(json, "last", finding->last);
    json_put_integer(json, "pairs", finding->pairs);
    json_put_integer(json, "new_pairs", finding->new_pairs);
    json_put_string(json, "place", finding->place);
    for (int k = 0; k < 3; k++) {
        position[k] = (double)finding->position[k];
    }
    json_numbers(json, "position", position, 3);
    json_close_object(json);
}

static void write_findings(const check *state, json_writer *json)
{
    json_open_array(json, "findings");
    for (uint32_t i = 0; i < state->finding_count; i++) {
        write_finding(state, json, &state->findings[i]);
    }
    json_close_array(json);
}

/* Everything before the clips. */
static check_result write_head(const check *state, json_writer *json)
{
    check_result status = CHECK_DONE;
    json_put_integer(json, "schema", CHECK_SCHEMA);
    json_put_string(json, "tool", "pliant check");
    json_put_string(json, "version", PLIANT_VERSION_TEXT);
    json_open_array(json, "files");
    for (uint32_t i = 0; status == CHECK_DONE && i < state->settings.file_count; i++) {
        char *file = check_clean_text(state->settings.files[i]);
        status = file != NULL ? CHECK_DONE : CHECK_NO_MEMORY;
        if (file != NULL) {
            json_put_string(json, NULL, file);
        }
        free(file);
    }
    json_close_array(json);
    write_settings(state, json);
    json_put_integer(json, "status", check_has_failed(state) ? 1 : 0);
    json_open_array(json, "bodies");
    for (uint32_t i = 0; i < state->part_count; i++) {
        json_open_object(json, NULL);
        json_put_string(json, "name", state->parts[i].name);
        json_put_integer(json, "triangles", state->parts[i].triangle_count);
        json_close_object(json);
    }
    json_close_array(json);
    json_open_array(json, "notes");
    for (uint32_t i = 0; i < state->note_count; i++) {
        json_put_string(json, NULL, state->notes[i]);
    }
    json_close_array(json);
    write_compared(state, json);
    write_findings(state, json);
    return status;
}

check_result check_write_json(const check *state, FILE *stream)
{
    json_writer json = json_begin(stream);
    json_open_object(&json, NULL);
    check_result status = write_head(state, &json);
    json_open_array(&json, "clips");
    for (uint32_t i = 0; status == CHECK_DONE && i < state->clip_count; i++) {
        status = write_clip(state, &json, &state->clips[i]);
    }
    json_close_array(&json);
    json_close_object(&json);
    json_end(&json);
    return status;
}
