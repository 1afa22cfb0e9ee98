/* What was found as text for people. */
#include "check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* With more rows than this clips are summed up, and with more rows still only the worst shown. */
#define MOST_ROWS 40

/* 12345 as "12,345". */
static const char *grouped(uint64_t number, char text[32])
{
    char digits[32];
    int count = snprintf(digits, sizeof digits, "%" PRIu64, number), out = 0;
    for (int i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0) {
            text[out++] = ',';
        }
        text[out++] = digits[i];
    }
    text[out] = '\0';
    return text;
}

/* Characters, not bytes. */
static int width_of(const char *text)
{
    int width = 0;
    for (; *text != '\0'; text++) {
        width += ((unsigned char)*text & 0xc0) != 0x80 ? 1 : 0;
    }
    return width;
}

static void pad(FILE *stream, int from, int to)
{
    fprintf(stream, "%*s", to > from ? to - from : 0, "");
}

/* "body + suit", or "body, itself". Returns its width; writes nothing to a stream of NULL. */
static int write_bodies(const check *state, FILE *stream, uint32_t a, uint32_t b)
{
    const char *first = state->parts[a].name;
    const char *joint = a == b ? "" : " + ", *second = a == b ? ", itself" : state->parts[b].name;
    if (stream != NULL) {
        fprintf(stream, "%s%s%s", first, joint, second);
    }
    return width_of(first) + width_of(joint) + width_of(second);
}

/* Two parts in one clip, or in all clips together. */
typedef struct table_row {
    check_row row; /* of the clip in which it is worst */
    uint32_t clip; /* that clip */
    uint32_t clip_count, new_clip_count;
} table_row;

/* How a table looks. */
typedef struct table {
    const check *state;
    FILE *stream;
    table_row *rows;
    uint32_t count;
    int width, clip_width; /* of the names; 0: no column for the clip */
    bool frames;           /* something moves */
    bool new_pairs;        /* there is a reference */
    bool passes;           /* what passes through between frames; else what touches in frames */
} table;

static const check_row *rows_of(const table *shown, const check_clip *clip, uint32_t *count)
{
    *count = shown->passes ? clip->pass_count : clip->row_count;
    return shown->passes ? clip->pass_rows : clip->rows;
}

static bool is_worse(const check_row *row, const check_row *other)
{
    return row->fresh.pairs > other->fresh.pairs ||
           (row->fresh.pairs == other->fresh.pairs && row->all.pairs > other->all.pairs);
}

static int compare_parts(const check_row *x, const check_row *y)
{
    uint64_t a = (uint64_t)x->a << 32 | x->b, b = (uint64_t)y->a << 32 | y->b;
    return a < b ? -1 : a > b ? 1 : 0;
}

/* What is worse comes first. */
static int compare_worst(const void *first, const void *second)
{
    const table_row *x = first, *y = second;
    return is_worse(&x->row, &y->row)   ? -1
           : is_worse(&y->row, &x->row) ? 1
                                        : compare_parts(&x->row, &y->row);
}

static int compare_by_parts(const void *first, const void *second)
{
    const table_row *x = first, *y = second;
    int parts = compare_parts(&x->row, &y->row);
    return parts != 0 ? parts : x->clip < y->clip ? -1 : x->clip > y->clip ? 1 : 0;
}

/* The numbers of a row: those of its new contacts, or of all if none is new. */
static const check_span *shown_span(const check_row *row)
{
    return row->fresh.frame_count > 0 ? &row->fresh : &row->all;
}

/* What is measured of bodies that touch. */
static void write_measures(const table *shown, const check_row *row)
{
    FILE *stream = shown->stream;
    const check_settings *settings = &shown->state->settings;
    fprintf(stream, "  %9.3g", shown_span(row)->depth);
    if (settings->clearance > 0.0) {
        fprintf(stream, "  %9.3g", row->gap);
    }
    if (row->has_volume) {
        fprintf(stream, "  %9.3g", row->volume);
    } else if (settings->volume) {
        fprintf(stream, "  %9s", "-");
    }
}

static void write_numbers(const table *shown, const check_row *row)
{
    char text[32];
    FILE *stream = shown->stream;
    bool has_new = row->fresh.frame_count > 0;
    if (shown->new_pairs) {
        fprintf(stream, "  %8s", has_new ? grouped(row->fresh.pairs, text) : "-");
    }
    fprintf(stream, "  %8s", grouped(shown_span(row)->all_pairs, text));
    if (!shown->passes) {
        write_measures(shown, row);
    }
    fputs(row->fails ? "\n" : has_new ? "  allowed\n" : "  known\n", stream);
}

static void write_row(const table *shown, const table_row *entry)
{
    const check_row *row = &entry->row;
    const check_span *span = shown_span(row);
    FILE *stream = shown->stream;
    fputs("  ", stream);
    pad(stream, write_bodies(shown->state, stream, row->a, row->b), shown->width);
    if (shown->clip_width > 0) {
        const char *clip = shown->state->clips[entry->clip].name;
        bool has_new = row->fresh.frame_count > 0;
        fprintf(stream, "  %6" PRIu32 "  %s", has_new ? entry->new_clip_count : entry->clip_count,
                clip);
        pad(stream, width_of(clip), shown->clip_width);
        fprintf(stream, " %6" PRIu32, span->worst);
    } else if (shown->frames) {
        fprintf(stream, "  %6" PRIu32 " %6" PRIu32 " %6" PRIu32, span->first, span->worst,
                span->last);
    }
    write_numbers(shown, row);
}

/* Two lines: what groups of columns are, and the columns. */
static void write_head(const table *shown)
{
    FILE *stream = shown->stream;
    const check_settings *settings = &shown->state->settings;
    pad(stream, 0, shown->width + 2);
    if (shown->clip_width > 0) {
        pad(stream, 0, 2 + 6 + 2 + shown->clip_width + 7);
    } else if (shown->frames) {
        fprintf(stream, "  %20s", "------ frames ------");
    }
    fprintf(stream, "  %s\n", shown->new_pairs ? "- triangle pairs -" : "triangle");
    fputs("  bodies", stream);
    pad(stream, 6, shown->width);
    if (shown->clip_width > 0) {
        fprintf(stream, "  %6s  %-*s %6s", "clips", shown->clip_width, "worst clip", "frame");
    } else if (shown->frames) {
        fprintf(stream, "  %6s %6s %6s", "first", "worst", "last");
    }
    fprintf(stream, shown->new_pairs ? "  %8s  %8s" : "  %8s%.0s",
            shown->new_pairs ? "new" : "pairs", "all");
    if (!shown->passes) {
        fprintf(stream, "  %9s", "depth");
        fputs(settings->clearance > 0.0 ? "        gap" : "", stream);
        fputs(settings->volume ? "     volume" : "", stream);
    }
    fputc('\n', stream);
}

static void write_rows(table *shown)
{
    const check *state = shown->state;
    qsort(shown->rows, shown->count, sizeof *shown->rows, compare_worst);
    uint32_t count = shown->count < MOST_ROWS ? shown->count : MOST_ROWS;
    bool by_clip = shown->clip_width > 0;
    shown->width = 20;
    for (uint32_t i = 0; i < count; i++) {
        const check_row *row = &shown->rows[i].row;
        int width = write_bodies(state, NULL, row->a, row->b);
        int clip_width = width_of(state->clips[shown->rows[i].clip].name);
        shown->width = width > shown->width ? width : shown->width;
        shown->clip_width =
            by_clip && clip_width > shown->clip_width ? clip_width : shown->clip_width;
    }
    write_head(shown);
    for (uint32_t i = 0; i < count; i++) {
        write_row(shown, &shown->rows[i]);
    }
    if (count < shown->count) {
        fprintf(shown->stream, "  and %" PRIu32 " more; --csv and --json list all of them\n",
                shown->count - count);
    }
}

/* A table for each clip. */
static void write_clips(table *shown)
{
    const check *state = shown->state;
    for (uint32_t c = 0; c < state->clip_count; c++) {
        const check_clip *clip = &state->clips[c];
        const check_row *rows = rows_of(shown, clip, &shown->count);
        for (uint32_t i = 0; i < shown->count; i++) {
            shown->rows[i] = (table_row){.row = rows[i], .clip = c};
        }
        if (shown->passes && shown->count > 0) {
            fprintf(shown->stream,
                    "\nclip %s, between frames: each number is of the frame before\n", clip->name);
        } else if (shown->frames && !shown->passes) {
            fprintf(shown->stream, "\nclip %s, %" PRIu32 " %s%s\n", clip->name, clip->count,
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

static void merge_row(table_row *entry, const table_row *added)
{
    check_row *into = &entry->row;
    bool worse = is_worse(&added->row, into);
    check_row merged = worse ? added->row : *into;
    const check_row *other = worse ? into : &added->row;
    entry->clip = worse ? added->clip : entry->clip;
    merged.fails = merged.fails || other->fails;
    merged.gap = merged.gap < other->gap ? merged.gap : other->gap;
    if (other->has_volume && (!merged.has_volume || other->volume > merged.volume)) {
        merged.has_volume = true;
        merged.volume = other->volume;
        merged.volume_error = other->volume_error;
    }
    double all = other->all.depth, fresh = other->fresh.depth;
    merged.all.depth = merged.all.depth > all ? merged.all.depth : all;
    merged.fresh.depth = merged.fresh.depth > fresh ? merged.fresh.depth : fresh;
    *into = merged;
    entry->clip_count += added->clip_count;
    entry->new_clip_count += added->new_clip_count;
}

/* All clips together: a row for each pair of parts. */
static void merge_clips(table *shown)
{
    const check *state = shown->state;
    uint32_t total = 0;
    for (uint32_t c = 0; c < state->clip_count; c++) {
        uint32_t count;
        const check_row *rows = rows_of(shown, &state->clips[c], &count);
        for (uint32_t i = 0; i < count; i++) {
            const check_row *row = &rows[i];
            shown->rows[total++] = (table_row){.row = *row,
                                               .clip = c,
                                               .clip_count = 1,
                                               .new_clip_count = row->fresh.frame_count > 0};
        }
    }
    qsort(shown->rows, total, sizeof *shown->rows, compare_by_parts);
    shown->count = 0;
    for (uint32_t i = 0; i < total; i++) {
        table_row *last = shown->count > 0 ? &shown->rows[shown->count - 1] : NULL;
        if (last != NULL && compare_parts(&last->row, &shown->rows[i].row) == 0) {
            merge_row(last, &shown->rows[i]);
        } else {
            shown->rows[shown->count++] = shown->rows[i];
        }
    }
}

/* Where new contacts do not count as such, in words. */
static void write_reference(const check *state, FILE *stream)
{
    switch (state->settings.against) {
    case CHECK_AGAINST_DEFAULT:
    case CHECK_AGAINST_NONE:
        break;
    case CHECK_AGAINST_REST:
        fputs("in the rest pose", stream);
        break;
    case CHECK_AGAINST_FRAME:
        fprintf(stream, "in frame %" PRIu32 " of the clip", state->settings.against_frame);
        break;
    case CHECK_AGAINST_REPORT:
        fprintf(stream, "in %s", state->settings.against_report);
        break;
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
    fprintf(stream, "%s %s", grouped(triangles, text),
            check_plural(triangles, "triangle", "triangles"));
    if (shown->frames) {
        fprintf(stream, "; %" PRIu32 " %s, ", state->clip_count,
                check_plural(state->clip_count, "clip", "clips"));
        fprintf(stream, "%s %s at %g a second\n", grouped(state->frame_count, text),
                check_plural(state->frame_count, "frame", "frames"), state->settings.rate);
    } else {
        fputs("; nothing moves\n", stream);
    }
    if (shown->new_pairs && state->row_count > 0) {
        fputs("new: triangles that do not touch ", stream);
        write_reference(state, stream);
        fputs("; depth: in units of the file\n", stream);
    }
}

/* "touch", or what a clearance makes of it. */
static void write_verb(const check *state, FILE *stream, bool several)
{
    if (state->settings.clearance > 0.0) {
        fprintf(stream, "%s closer than %g", several ? "come" : "comes", state->settings.clearance);
    } else {
        fputs(several ? "touch" : "touches", stream);
    }
}

static uint32_t count_failing(const table *shown)
{
    uint32_t failing = 0;
    for (uint32_t i = 0; i < shown->count; i++) {
        failing += shown->rows[i].row.fails ? 1 : 0;
    }
    return failing;
}

/* The answer about what happens between frames. */
static void write_pass_answer(const table *shown)
{
    uint32_t failing = count_failing(shown);
    if (failing == 0) {
        fprintf(shown->stream, "\nOK: nothing%s passes through between two frames.\n",
                shown->count > 0 ? " new" : "");
    } else {
        fprintf(shown->stream,
                "\nFOUND: %" PRIu32 " %s through between two frames, unseen in both.\n", failing,
                check_plural(failing, "pair of bodies passes", "pairs of bodies pass"));
    }
}

/* The answer in one sentence. */
static void write_answer(const table *shown)
{
    const check *state = shown->state;
    FILE *stream = shown->stream;
    uint32_t failing = count_failing(shown);
    fputs(failing == 0 ? "\nOK: " : "\nFOUND: ", stream);
    if (failing > 0) {
        fprintf(stream, "%" PRIu32 " %s of bodies ", failing,
                check_plural(failing, "pair", "pairs"));
        write_verb(state, stream, failing > 1);
        fputs(shown->new_pairs ? failing > 1 ? " where they do not " : " where it does not " : "",
              stream);
        write_reference(state, stream);
        if (state->settings.max_pairs > 0) {
            fprintf(stream, ", in more than %" PRIu32 " pairs of triangles",
                    state->settings.max_pairs);
        }
    } else if (state->new_rows > 0) {
        fprintf(stream, "no pair of bodies has more than %" PRIu32 " new pairs of triangles",
                state->settings.max_pairs);
    } else {
        fputs("nothing ", stream);
        write_verb(state, stream, false);
        fputs(state->row_count > 0 ? " that does not " : "", stream);
        if (state->row_count > 0) {
            write_reference(state, stream);
        }
    }
    fputs(".\n", stream);
}

/* `row_count` rows, clip by clip or, if these are many, of all clips together. Leaves the latter
   behind. */
static void write_tables(table *shown, uint32_t row_count)
{
    bool by_clip = row_count <= MOST_ROWS;
    shown->clip_width = 0;
    if (by_clip) {
        write_clips(shown);
    }
    merge_clips(shown);
    if (!by_clip) {
        shown->clip_width = 10;
        fputs(shown->passes ? "\nbetween frames\n" : "\n", shown->stream);
        write_rows(shown);
    }
}

check_result check_write_table(const check *state, FILE *stream)
{
    table shown = {.state = state,
                   .stream = stream,
                   .frames = state->clips[0].index != PLIANT_ASSET_REST,
                   .new_pairs = state->settings.against != CHECK_AGAINST_NONE};
    uint32_t most = state->row_count > state->pass_count ? state->row_count : state->pass_count;
    shown.rows = calloc((size_t)most + 1, sizeof *shown.rows);
    if (shown.rows == NULL) {
        return CHECK_NO_MEMORY;
    }
    write_intro(&shown);
    if (state->part_count == 1 && !state->settings.self) {
        fputs("nothing to compare\n", stream); /* a note says why */
    } else {
        write_tables(&shown, state->row_count);
        write_answer(&shown);
    }
    if (state->passes != NULL && state->clips[0].index != PLIANT_ASSET_REST) {
        shown.passes = true;
        write_tables(&shown, state->pass_count);
        write_pass_answer(&shown);
    }
    for (uint32_t i = 0; i < state->note_count; i++) {
        fprintf(stream, "note: %s\n", state->notes[i]);
    }
    free(shown.rows);
    return CHECK_DONE;
}
