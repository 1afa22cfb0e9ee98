/* Sums frames up: a row for each pair of parts in each clip, and notes about what was left out. */
#include "reference.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_rows(const void *first, const void *second)
{
    const check_row *x = first, *y = second;
    uint64_t a = (uint64_t)x->a << 32 | x->b, b = (uint64_t)y->a << 32 | y->b;
    return a < b ? -1 : a > b ? 1 : 0;
}

static void extend(check_span *span, uint32_t frame, uint64_t pairs, uint64_t all, double depth)
{
    if (pairs == 0) {
        return;
    }
    span->first = span->frame_count == 0 ? frame : span->first;
    span->last = frame;
    if (span->frame_count == 0 || depth > span->depth) {
        span->worst = frame;
        span->pairs = pairs;
        span->all_pairs = all;
        span->depth = depth;
    }
    span->frame_count++;
}

/* A row for each pair of parts that touches in some of the frames. */
static check_result find_rows(const check_frame *frames, uint32_t frame_count, check_row **made,
                              uint32_t *made_count)
{
    size_t total = 0;
    for (uint32_t f = 0; f < frame_count; f++) {
        total += frames[f].found_count;
    }
    check_row *rows = malloc((total + 1) * sizeof *rows);
    if (rows == NULL) {
        return CHECK_NO_MEMORY;
    }
    size_t count = 0, kept = 0;
    for (uint32_t f = 0; f < frame_count; f++) {
        for (uint32_t i = 0; i < frames[f].found_count; i++) {
            check_span none = {.first = CHECK_NONE, .worst = CHECK_NONE, .last = CHECK_NONE};
            rows[count++] = (check_row){.a = frames[f].found[i].a,
                                        .b = frames[f].found[i].b,
                                        .all = none,
                                        .fresh = none,
                                        .gap = HUGE_VAL};
        }
    }
    qsort(rows, count, sizeof *rows, compare_rows);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || compare_rows(&rows[i], &rows[i - 1]) != 0) {
            rows[kept++] = rows[i];
        }
    }
    check_row *fitted = realloc(rows, (kept + 1) * sizeof *fitted);
    *made = fitted != NULL ? fitted : rows;
    *made_count = (uint32_t)kept;
    return CHECK_DONE;
}

/* Each number where it is largest. */
static void sum_contours(check_row *row, const check_found *found)
{
    check_contours *sum = &row->contours;
    const check_contours *one = &found->contours;
    if (found->has_contours) {
        row->has_contours = true;
        sum->count = one->count > sum->count ? one->count : sum->count;
        sum->length = fmax(sum->length, one->length);
        sum->area = fmax(sum->area, one->area);
        sum->depth = fmax(sum->depth, one->depth);
        sum->guess = sum->guess || one->guess;
    }
}

static void fill_rows(const check_frame *frames, uint32_t frame_count, check_row *rows,
                      uint32_t row_count)
{
    for (uint32_t f = 0; f < frame_count; f++) {
        const check_frame *frame = &frames[f];
        for (uint32_t i = 0; i < frame->found_count; i++) {
            const check_found *found = &frame->found[i];
            check_row key = {.a = found->a, .b = found->b};
            check_row *row = bsearch(&key, rows, row_count, sizeof key, compare_rows);
            extend(&row->all, frame->number, found->count, found->count, found->depth);
            extend(&row->fresh, frame->number, found->new_count, found->count, found->new_depth);
            row->gap = fmin(row->gap, found->gap);
            if (found->has_volume && (!row->has_volume || found->volume > row->volume)) {
                row->has_volume = true;
                row->volume = found->volume;
                row->volume_error = found->volume_error;
            }
            sum_contours(row, found);
        }
    }
}

/* In how many frames, and of how many clips, a body is hidden. */
static void count_hidden(const check *state, uint32_t body, uint32_t *frames, uint32_t *clips)
{
    *frames = *clips = 0;
    for (uint32_t c = 0; c < state->clip_count; c++) {
        const check_clip *clip = &state->clips[c];
        uint32_t before = *frames;
        for (uint32_t f = 0; f < clip->count; f++) {
            const check_frame *frame = &state->frames[clip->first + f];
            for (uint32_t i = 0; i < frame->hidden_count; i++) {
                *frames += frame->hidden[i] == body ? 1 : 0;
            }
        }
        *clips += *frames > before ? 1 : 0;
    }
}

static check_result note_hidden(check *state)
{
    check_result status = CHECK_DONE;
    for (uint32_t i = 0; status == CHECK_DONE && i < state->body_count; i++) {
        uint32_t frames = 0, clips = 0;
        count_hidden(state, i, &frames, &clips);
        if (frames > 0) {
            status = check_note(state,
                                "'%s' is scaled to nothing, or flat, in %" PRIu32 " %s of %" PRIu32
                                " %s; it is left out there",
                                state->parts[state->bodies[i].first_part].name, frames,
                                check_plural(frames, "frame", "frames"), clips,
                                check_plural(clips, "clip", "clips"));
        }
    }
    for (uint32_t r = 0; r < state->reference_count; r++) {
        const check_frame *reference = &state->references[r];
        for (uint32_t i = 0; status == CHECK_DONE && i < reference->hidden_count; i++) {
            uint32_t part = state->bodies[reference->hidden[i]].first_part;
            status = check_note(
                state,
                "'%s' is scaled to nothing, or flat, in the pose compared with%s%s;"
                " all its contacts are new",
                state->parts[part].name, reference->clip != CHECK_NONE ? " of clip " : "",
                reference->clip != CHECK_NONE ? state->clips[reference->clip].name : "");
        }
    }
    return status;
}

/* Volumes that were asked for and cannot be had. */
static check_result note_open(check *state)
{
    check_result status = CHECK_DONE;
    for (uint32_t i = 0; state->settings.volume && status == CHECK_DONE && i < state->body_count;
         i++) {
        const check_body *body = &state->bodies[i];
        if (body->shape == NULL) {
            continue;
        }
        const char *name = state->parts[body->first_part].name;
        if (body->parts != NULL) {
            status =
                check_note(state, "--volume: '%s' is part of a body, so it has no volume", name);
        } else if (!pliant_shape_is_closed(body->shape)) {
            status = check_note(state, "--volume: '%s' has holes, so it has no volume", name);
        }
    }
    return status;
}

static check_result note_single(check *state)
{
    if (state->part_count > 1) {
        return CHECK_DONE;
    }
    return check_note(state,
                      "there is only one body, '%s': it is compared with itself; --split component "
                      "cuts it into its connected pieces",
                      state->parts[0].name);
}

/* How many pairs of bodies, and bodies with themselves, were compared. */
static uint32_t count_body_pairs(const check *state)
{
    const char *ignored = state->settings.ignored;
    bool some = ignored != NULL && strchr(ignored, '+') != NULL;
    uint64_t count = 0;
    for (uint32_t a = 0; a < state->part_count; a++) {
        if (!some) {
            count += state->part_count - a - 1;
        }
        for (uint32_t b = a + 1; some && b < state->part_count; b++) {
            count +=
                check_list_has_pair(ignored, state->parts[a].name, state->parts[b].name) ? 0 : 1;
        }
        count += state->settings.self == CHECK_SELF_ON &&
                         !check_list_has_pair(ignored, state->parts[a].name, state->parts[a].name)
                     ? 1
                     : 0;
    }
    return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

static void mark_failing_rows(check *state)
{
    for (uint32_t i = 0; i < state->finding_count; i++) {
        const check_finding *finding = &state->findings[i];
        check_clip *clip = &state->clips[finding->clip];
        bool pass = finding->kind == CHECK_PASS;
        check_row key = {.a = finding->a, .b = finding->b};
        check_row *row =
            bsearch(&key, pass ? clip->pass_rows : clip->rows,
                    pass ? clip->pass_count : clip->row_count, sizeof key, compare_rows);
        if (row != NULL && finding->fails) {
            row->fails = true;
        }
    }
}

/* The rows of a clip, from its frames or from what passes through behind them. */
static check_result make_rows(const check_frame *frames, const check_clip *clip, check_row **rows,
                              uint32_t *count)
{
    frames += clip->first;
    check_result status = find_rows(frames, clip->count, rows, count);
    if (status == CHECK_DONE) {
        fill_rows(frames, clip->count, *rows, *count);
    }
    return status;
}

check_result check_sum_up(check *state)
{
    check_result status = CHECK_DONE;
    for (uint32_t i = 0; status == CHECK_DONE && i < state->clip_count; i++) {
        check_clip *clip = &state->clips[i];
        status = make_rows(state->frames, clip, &clip->rows, &clip->row_count);
        if (status == CHECK_DONE && state->passes != NULL) {
            status = make_rows(state->passes, clip, &clip->pass_rows, &clip->pass_count);
        }
        state->row_count += clip->row_count;
        state->pass_count += clip->pass_count;
    }
    state->compared.bodies = state->part_count;
    state->compared.body_pairs = count_body_pairs(state);
    state->compared.clips = state->clip_count;
    state->compared.frames = state->frame_count;
    status = status == CHECK_DONE ? check_find_findings(state) : status;
    if (status == CHECK_DONE) {
        mark_failing_rows(state);
    }
    status = status == CHECK_DONE ? check_note_gone(state) : status;
    status = status == CHECK_DONE ? note_single(state) : status;
    status = status == CHECK_DONE ? note_open(state) : status;
    return status == CHECK_DONE ? note_hidden(state) : status;
}
