/* What was found as text for people. */
#include "check.h"

#include "tool/text/characters.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* With more findings than this those of all clips are summed up by bodies, and of more lines than
   this still only the first are shown. */
#define MOST_ROWS 40

/* Characters, not bytes. */
static int width_of(const char *text)
{
    return text_show(NULL, text);
}

static void pad(FILE *stream, int from, int to)
{
    fprintf(stream, "%*s", to > from ? to - from : 0, "");
}

/* "body + suit", "body, itself" or "eye inside head". Returns its width; writes nothing to a stream
   of NULL. */
static int write_bodies(const check *state, FILE *stream, const check_finding *finding)
{
    uint32_t a = finding->a, b = finding->b;
    bool inside = finding->kind == CHECK_CONTAINMENT;
    if (inside && finding->inner == b) {
        b = a;
        a = finding->inner;
    }
    const char *first = state->parts[a].name, *joint = inside ? " inside " : a == b ? "" : " + ";
    const char *second = a == b ? ", itself" : state->parts[b].name;
    int width = text_show(stream, first);
    width += text_show(stream, joint);
    return width + text_show(stream, second);
}

/* A finding, or the deepest of several of the same two bodies. */
typedef struct table_row {
    const check_finding *finding;
    uint32_t count, clip_count; /* how many it stands for, and in how many clips */
} table_row;

/* How a table looks. */
typedef struct table {
    const check *state;
    FILE *stream;
    table_row *rows;
    uint32_t count;
    int width, place_width, clip_width; /* of names; the last is 0 where there is a clip a table */
    bool frames;                        /* something moves */
    bool gaps;                          /* there is a clearance */
} table;

/* What a line is about, in a word. */
static const char *word_of(const check_finding *finding)
{
    bool worse = finding->verdict == CHECK_NEW || finding->verdict == CHECK_WORSE;
    if (worse && !finding->fails) {
        return "allowed";
    }
    if (finding->kind == CHECK_PASS && worse) {
        return "passes";
    }
    return check_verdict_name(finding->verdict);
}

static void write_depth(const table *shown, const check_finding *finding)
{
    double percent = finding->size > 0.0 ? 100.0 * finding->depth / finding->size : 0.0;
    bool loose = finding->kind == CHECK_PASS || finding->kind == CHECK_CLEARANCE;
    if (loose) {
        fprintf(shown->stream, "  %9s %6s  %9s", "-", "-", "-");
    } else {
        fprintf(shown->stream, "  %9.3g %6.2f  %9.3g", finding->depth, percent, finding->area);
    }
    if (shown->gaps) {
        fprintf(shown->stream, "  %9.3g", finding->gap);
    }
    if (shown->state->settings.volume) {
        char text[64] = "-";
        if (finding->has_volume) {
            snprintf(text, sizeof text, "%.3g to %.3g",
                     finding->volume > finding->volume_error
                         ? finding->volume - finding->volume_error
                         : 0.0,
                     finding->volume + finding->volume_error);
        }
        fprintf(shown->stream, "  %22s", text);
    }
}

static void write_row(const table *shown, const table_row *row)
{
    const check_finding *finding = row->finding;
    FILE *stream = shown->stream;
    fputs("  ", stream);
    pad(stream, write_bodies(shown->state, stream, finding), shown->width);
    fputs("  ", stream);
    pad(stream, text_show(stream, finding->place), shown->place_width);
    if (shown->clip_width > 0) {
        const char *clip = shown->state->clips[finding->clip].name;
        fprintf(stream, "  %6" PRIu32 " %6" PRIu32 "  ", row->count, row->clip_count);
        pad(stream, text_show(stream, clip), shown->clip_width);
        fprintf(stream, " %6" PRIu32, finding->deepest);
    } else if (shown->frames) {
        fprintf(stream, "  %6" PRIu32 " %7" PRIu32 " %6" PRIu32 " %6" PRIu32, finding->first,
                finding->deepest, finding->last, finding->frame_count);
    }
    write_depth(shown, finding);
    fprintf(stream, "  %s\n", word_of(finding));
}

static void write_head(const table *shown)
{
    FILE *stream = shown->stream;
    fputs("  bodies", stream);
    pad(stream, 6, shown->width);
    fputs("  place", stream);
    pad(stream, 5, shown->place_width);
    if (shown->clip_width > 0) {
        fprintf(stream, "  %6s %6s  %-*s %6s", "places", "clips", shown->clip_width, "deepest in",
                "frame");
    } else if (shown->frames) {
        fprintf(stream, "  %6s %7s %6s %6s", "first", "deepest", "last", "frames");
    }
    fprintf(stream, "  %9s %6s  %9s", "depth", "%", "area");
    fputs(shown->gaps ? "        gap" : "", stream);
    fputs(shown->state->settings.volume ? "                  volume\n" : "\n", stream);
}

static void write_rows(table *shown)
{
    uint32_t count = shown->count < MOST_ROWS ? shown->count : MOST_ROWS;
    bool by_clip = shown->clip_width > 0;
    shown->width = 16;
    shown->place_width = 5;
    for (uint32_t i = 0; i < count; i++) {
        const check_finding *finding = shown->rows[i].finding;
        int width = write_bodies(shown->state, NULL, finding), place = width_of(finding->place);
        int clip = width_of(shown->state->clips[finding->clip].name);
        shown->width = width > shown->width ? width : shown->width;
        shown->place_width = place > shown->place_width ? place : shown->place_width;
        shown->clip_width = by_clip && clip > shown->clip_width ? clip : shown->clip_width;
    }
    write_head(shown);
    for (uint32_t i = 0; i < count; i++) {
        write_row(shown, &shown->rows[i]);
    }
    if (count < shown->count) {
        fprintf(shown->stream, "  and %" PRIu32 " more; --json lists all of them\n",
                shown->count - count);
    }
}

/* A table for each clip. */
static void write_clips(table *shown)
{
    const check *state = shown->state;
    for (uint32_t c = 0; c < state->clip_count; c++) {
        const check_clip *clip = &state->clips[c];
        shown->count = 0;
        for (uint32_t i = 0; i < state->finding_count; i++) {
            if (state->findings[i].clip == c) {
                shown->rows[shown->count++] = (table_row){&state->findings[i], 1, 1};
            }
        }
        if (shown->frames) {
            fputs("\nclip ", shown->stream);
            text_show(shown->stream, clip->name);
            fprintf(shown->stream, ", %" PRIu32 " %s%s\n", clip->count,
                    check_plural(clip->count, "frame", "frames"),
                    shown->count == 0 ? ": nothing touches" : "");
        } else if (shown->count > 0) {
            fputc('\n', shown->stream);
        }
        if (shown->count > 0) {
            write_rows(shown);
        }
    }
}

static bool is_same(const check_finding *x, const check_finding *y)
{
    return x->a == y->a && x->b == y->b && x->kind == y->kind && x->fails == y->fails &&
           (x->fails || x->verdict == y->verdict);
}

/* Findings by bodies, then as they are shown. */
static int compare_rows(const void *first, const void *second)
{
    const check_finding *x = ((const table_row *)first)->finding;
    const check_finding *y = ((const table_row *)second)->finding;
    uint64_t a = (uint64_t)x->a << 32 | x->b, b = (uint64_t)y->a << 32 | y->b;
    if (a != b) {
        return a < b ? -1 : 1;
    }
    int kinds = (int)x->kind - (int)y->kind, fails = (int)y->fails - (int)x->fails;
    int verdicts = x->fails && y->fails ? 0 : (int)y->verdict - (int)x->verdict;
    return kinds != 0 ? kinds : fails != 0 ? fails : verdicts != 0 ? verdicts : x < y ? -1 : x > y;
}

static int compare_shown(const void *first, const void *second)
{
    const check_finding *x = ((const table_row *)first)->finding;
    const check_finding *y = ((const table_row *)second)->finding;
    return x < y ? -1 : x > y; /* findings are in the order in which they are shown */
}

/* All clips together: a row for each pair of bodies, of what fails and of what does not. */
static bool merge_clips(table *shown)
{
    const check *state = shown->state;
    unsigned char *seen = calloc((size_t)state->clip_count + 1, 1);
    uint32_t kept = 0;
    if (seen == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < state->finding_count; i++) {
        shown->rows[i] = (table_row){&state->findings[i], 1, 1};
    }
    qsort(shown->rows, state->finding_count, sizeof *shown->rows, compare_rows);
    for (uint32_t i = 0; i < state->finding_count; i++) {
        table_row row = shown->rows[i];
        if (i == 0 || !is_same(shown->rows[kept - 1].finding, row.finding)) {
            memset(seen, 0, state->clip_count);
            shown->rows[kept++] = row;
        } else {
            shown->rows[kept - 1].count++;
            shown->rows[kept - 1].clip_count += seen[row.finding->clip] ? 0 : 1;
        }
        seen[row.finding->clip] = 1;
    }
    free(seen);
    qsort(shown->rows, kept, sizeof *shown->rows, compare_shown);
    shown->count = kept;
    return true;
}

/* What is compared with, in words. */
static void write_reference(const check *state, FILE *stream)
{
    const check_settings *settings = &state->settings;
    switch (settings->against) {
    case CHECK_AGAINST_DEFAULT:
    case CHECK_AGAINST_NONE:
        break;
    case CHECK_AGAINST_REST:
        fputs("in the rest pose", stream);
        break;
    case CHECK_AGAINST_FRAME:
        fprintf(stream, "in frame %" PRIu32 " of the clip", settings->against_frame);
        break;
    }
    if (settings->reference != NULL) {
        bool alone = settings->against == CHECK_AGAINST_NONE;
        fputs(alone ? "in " : " and in ", stream);
        text_show(stream, settings->reference);
    }
}

static bool has_reference(const check *state)
{
    return state->settings.against != CHECK_AGAINST_NONE || state->settings.reference != NULL;
}

static void write_limit(check_limit limit, FILE *stream)
{
    fprintf(stream, "%g%s", limit.value, limit.is_percent ? " %" : "");
}

/* Frames a second, where that is the same for all clips. */
static void write_rate(const check *state, FILE *stream)
{
    double rate = check_clip_rate(state, state->clips[0].index);
    for (uint32_t i = 1; i < state->clip_count; i++) {
        rate = check_clip_rate(state, state->clips[i].index) == rate ? rate : 0.0;
    }
    if (rate > 0.0) {
        fprintf(stream, " at %g a second\n", rate);
    } else {
        fputs(", as its keys are\n", stream);
    }
}

static void write_intro(const table *shown)
{
    const check *state = shown->state;
    FILE *stream = shown->stream;
    char text[32];
    uint64_t triangles = 0;
    for (uint32_t i = 0; i < state->part_count; i++) {
        triangles += state->parts[i].triangle_count;
    }
    fprintf(stream, "%" PRIu32 " %s, ", state->part_count,
            check_plural(state->part_count, "body", "bodies"));
    fprintf(stream, "%s %s", text_group(triangles, text),
            check_plural(triangles, "triangle", "triangles"));
    if (shown->frames) {
        fprintf(stream, "; %" PRIu32 " %s, ", state->clip_count,
                check_plural(state->clip_count, "clip", "clips"));
        fprintf(stream, "%s %s", text_group(state->frame_count, text),
                check_plural(state->frame_count, "frame", "frames"));
        write_rate(state, stream);
    } else {
        fputs("; nothing moves\n", stream);
    }
    if (has_reference(state) && state->finding_count > 0) {
        fputs("new: farther than ", stream);
        write_limit(state->settings.near, stream);
        fputs(" from every contact ", stream);
        write_reference(state, stream);
        fputs("; worse: more than twice as deep as there\n", stream);
    }
}

/* The answer in one sentence. */
static void write_answer(const table *shown)
{
    const check *state = shown->state;
    FILE *stream = shown->stream;
    uint32_t counts[CHECK_CLEARANCE + 1] = {0}, allowed = 0;
    static const char *const words[][2] = {
        {"contact", "contacts"},
        {"body inside another", "bodies inside others"},
        {"passage between two frames", "passages between two frames"},
        {"distance below the clearance", "distances below the clearance"}};
    for (uint32_t i = 0; i < state->finding_count; i++) {
        const check_finding *finding = &state->findings[i];
        counts[finding->kind] += finding->fails ? 1 : 0;
        allowed += !finding->fails && finding->verdict >= CHECK_NEW ? 1 : 0;
    }
    fputs(state->failing_count == 0 ? "\nOK: nothing" : "\nFOUND: ", stream);
    const char *comma = "";
    for (int kind = 0; kind <= CHECK_CLEARANCE; kind++) {
        if (counts[kind] > 0) {
            fprintf(stream, "%s%" PRIu32 " %s", comma, counts[kind], words[kind][counts[kind] > 1]);
            comma = ", ";
        }
    }
    if (state->failing_count == 0) {
        fputs(state->finding_count == 0 ? " touches"
              : has_reference(state)    ? " is worse than "
                                        : " matters",
              stream);
        if (state->finding_count > 0) {
            write_reference(state, stream);
        }
    } else if (has_reference(state)) {
        fputs(" worse than ", stream);
        write_reference(state, stream);
    }
    if (allowed > 0) {
        fprintf(stream, "; %" PRIu32 " within the limits", allowed);
    }
    fputs(".\n", stream);
}

/* Always the last line: what the answer is about. */
static void write_compared(const check *state, FILE *stream)
{
    char text[4][32];
    fprintf(stream, "compared: %s %s, %s %s of bodies%s, ",
            text_group(state->compared.bodies, text[0]),
            check_plural(state->compared.bodies, "body", "bodies"),
            text_group(state->compared.body_pairs, text[1]),
            check_plural(state->compared.body_pairs, "pair", "pairs"),
            state->settings.self != CHECK_SELF_ON ? ""
            : state->compared.bodies == 1         ? " (the body and itself)"
                                                  : " (each body and itself among them)");
    fprintf(stream, "%s %s, %s %s\n", text_group(state->compared.clips, text[2]),
            check_plural(state->compared.clips, "clip", "clips"),
            text_group(state->compared.frames, text[3]),
            check_plural(state->compared.frames, "frame", "frames"));
}

check_result check_write_table(const check *state, FILE *stream)
{
    table shown = {.state = state,
                   .stream = stream,
                   .frames = state->clips[0].index != PLIANT_ASSET_REST,
                   .gaps = state->settings.clearance > 0.0};
    shown.rows = calloc((size_t)state->finding_count + 1, sizeof *shown.rows);
    if (shown.rows == NULL) {
        return CHECK_NO_MEMORY;
    }
    write_intro(&shown);
    if (state->finding_count <= MOST_ROWS) {
        write_clips(&shown);
    } else {
        shown.clip_width = 10;
        if (!merge_clips(&shown)) {
            free(shown.rows);
            return CHECK_NO_MEMORY;
        }
        fputc('\n', stream);
        write_rows(&shown);
    }
    write_answer(&shown);
    for (uint32_t i = 0; i < state->note_count; i++) {
        fputs("note: ", stream);
        text_show(stream, state->notes[i]);
        fputc('\n', stream);
    }
    write_compared(state, stream);
    free(shown.rows);
    return CHECK_DONE;
}
