/* What was found as text for people. */
#include "check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* With more rows than this, clips are summed up. */
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

static const char *plural(uint64_t count, const char *one, const char *many)
{
    return count == 1 ? one : many;
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

/* "body + suit", or "body, itself". */
static int write_bodies(const check *state, FILE *stream, uint32_t a, uint32_t b)
{
    const char *first = state->parts[a].name;
    const char *joint = a == b ? "" : " + ", *second = a == b ? ", itself" : state->parts[b].name;
    if (stream != NULL) {
        fprintf(stream, "%s%s%s", first, joint, second);
    }
    return width_of(first) + width_of(joint) + width_of(second);
}

static void write_frame(FILE *stream, uint32_t frame)
{
    if (frame == CHECK_NONE) {
        fprintf(stream, " %7s", "-");
    } else {
        fprintf(stream, " %7" PRIu32, frame);
    }
}

/* One row over several clips. */
typedef struct table_row {
    check_row row; /* of the worst clip */
    uint32_t clip; /* the worst one */
    uint32_t clip_count, new_clip_count;
} table_row;

/* What is worse comes first: more new pairs, then more pairs. */
static int compare_table_rows(const void *first, const void *second)
{
    const table_row *x = first, *y = second;
    if (x->row.fresh.pairs != y->row.fresh.pairs) {
        return x->row.fresh.pairs > y->row.fresh.pairs ? -1 : 1;
    }
    if (x->row.all.pairs != y->row.all.pairs) {
        return x->row.all.pairs > y->row.all.pairs ? -1 : 1;
    }
    uint64_t a = (uint64_t)x->row.a << 32 | x->row.b, b = (uint64_t)y->row.a << 32 | y->row.b;
    return a < b ? -1 : a > b ? 1 : 0;
}

/* The columns after the frames: pairs and depth in the worst frame. Rows without anything new show
   what there is. */
static void write_counts(const check *state, FILE *stream, const check_row *row)
{
    char fresh[32], all[32];
    bool has_new = row->fresh.frame_count > 0;
    const check_span *span = has_new ? &row->fresh : &row->all;
    fprintf(stream, "  %9s %9s", has_new ? grouped(row->fresh.pairs, fresh) : "-",
            grouped(span->all_pairs, all));
    fprintf(stream, "  %9.3g", span->depth);
    if (state->settings.clearance > 0.0) {
        fprintf(stream, "  %9.3g", row->gap);
    }
    fputs(row->fails ? "" : has_new ? "  (within --max-pairs)" : "  known", stream);
    fputc('\n', stream);
}

static void write_head(const check *state, FILE *stream, int width, const char *columns)
{
    fputs("  bodies", stream);
    pad(stream, 6, width);
    fprintf(stream, "%s  %9s %9s  %9s", columns, "new", "all", "depth");
    fputs(state->settings.clearance > 0.0 ? "        gap\n" : "\n", stream);
}

static void write_row(const check *state, FILE *stream, const table_row *entry, int width)
{
    const check_row *row = &entry->row;
    fputs("  ", stream);
    pad(stream, write_bodies(state, stream, row->a, row->b), width);
    const check_span *span = row->fresh.frame_count > 0 ? &row->fresh : &row->all;
    write_frame(stream, span->first);
    write_frame(stream, span->worst);
    write_frame(stream, span->last);
    write_counts(state, stream, row);
}

static int find_width(const check *state, const table_row *rows, uint32_t count)
{
    int width = 20;
    for (uint32_t i = 0; i < count; i++) {
        int needed = write_bodies(state, NULL, rows[i].row.a, rows[i].row.b);
        width = needed > width ? needed : width;
    }
    return width;
}

/* A table for each clip. Returns false without memory. */
static bool write_clips(const check *state, FILE *stream)
{
    for (uint32_t c = 0; c < state->clip_count; c++) {
        const check_clip *clip = &state->clips[c];
        table_row *rows = calloc((size_t)clip->row_count + 1, sizeof *rows);
        if (rows == NULL) {
            return false;
        }
        for (uint32_t i = 0; i < clip->row_count; i++) {
            rows[i] = (table_row){.row = clip->rows[i], .clip = c};
        }
        qsort(rows, clip->row_count, sizeof *rows, compare_table_rows);
        int width = find_width(state, rows, clip->row_count);
        fprintf(stream, "\n%s%s, %" PRIu32 " %s%s\n",
                clip->index == PLIANT_ASSET_REST ? "" : "clip ",
                clip->index == PLIANT_ASSET_REST ? "at rest" : clip->name, clip->count,
                plural(clip->count, "frame", "frames"),
                clip->row_count == 0 ? ": nothing touches" : "");
        if (clip->row_count > 0) {
            write_head(state, stream, width, "   first   worst    last");
        }
        for (uint32_t i = 0; i < clip->row_count; i++) {
            write_row(state, stream, &rows[i], width);
        }
        free(rows);
    }
    return true;
}

/* Merges one clip's row into the rows over all clips. */
static void merge_row(table_row *rows, uint32_t *count, const check_row *row, uint32_t clip)
{
    table_row *entry = NULL;
    for (uint32_t i = 0; entry == NULL && i < *count; i++) {
        entry = rows[i].row.a == row->a && rows[i].row.b == row->b ? &rows[i] : NULL;
    }
    if (entry == NULL) {
        entry = &rows[(*count)++];
        *entry = (table_row){.row = *row, .clip = clip};
    } else {
        bool worse =
            row->fresh.pairs > entry->row.fresh.pairs ||
            (row->fresh.pairs == entry->row.fresh.pairs && row->all.pairs > entry->row.all.pairs);
        check_row merged = worse ? *row : entry->row;
        const check_row *other = worse ? &entry->row : row;
        merged.fails = merged.fails || other->fails;
        merged.gap = merged.gap < other->gap ? merged.gap : other->gap;
        merged.all.depth =
            merged.all.depth > other->all.depth ? merged.all.depth : other->all.depth;
        merged.fresh.depth =
            merged.fresh.depth > other->fresh.depth ? merged.fresh.depth : other->fresh.depth;
        entry->clip = worse ? clip : entry->clip;
        entry->row = merged;
    }
    entry->clip_count++;
    entry->new_clip_count += row->fresh.frame_count > 0 ? 1 : 0;
}

/* One table for all clips: in how many, and in which one it is worst. */
static bool write_overview(const check *state, FILE *stream)
{
    table_row *rows = calloc((size_t)state->row_count + 1, sizeof *rows);
    if (rows == NULL) {
        return false;
    }
    uint32_t count = 0;
    int clip_width = 10;
    for (uint32_t c = 0; c < state->clip_count; c++) {
        const check_clip *clip = &state->clips[c];
        for (uint32_t i = 0; i < clip->row_count; i++) {
            merge_row(rows, &count, &clip->rows[i], c);
        }
    }
    qsort(rows, count, sizeof *rows, compare_table_rows);
    int width = find_width(state, rows, count);
    for (uint32_t i = 0; i < count; i++) {
        int needed = width_of(state->clips[rows[i].clip].name);
        clip_width = needed > clip_width ? needed : clip_width;
    }
    char columns[400];
    snprintf(columns, sizeof columns, "   clips  %-*.300s   frame", clip_width, "worst clip");
    fputc('\n', stream);
    write_head(state, stream, width, columns);
    for (uint32_t i = 0; i < count; i++) {
        const check_row *row = &rows[i].row;
        bool has_new = row->fresh.frame_count > 0;
        fputs("  ", stream);
        pad(stream, write_bodies(state, stream, row->a, row->b), width);
        fprintf(stream, " %7" PRIu32 "  %s", has_new ? rows[i].new_clip_count : rows[i].clip_count,
                state->clips[rows[i].clip].name);
        pad(stream, width_of(state->clips[rows[i].clip].name), clip_width);
        write_frame(stream, has_new ? row->fresh.worst : row->all.worst);
        write_counts(state, stream, row);
    }
    free(rows);
    return true;
}

static void write_intro(const check *state, FILE *stream)
{
    const check_settings *settings = &state->settings;
    char first[32], second[32], third[32];
    uint64_t triangles = 0;
    for (uint32_t i = 0; i < state->part_count; i++) {
        triangles += state->parts[i].triangle_count;
    }
    fprintf(stream, "%" PRIu32 " %s, %s %s", state->part_count,
            plural(state->part_count, "body", "bodies"), grouped(triangles, first),
            plural(triangles, "triangle", "triangles"));
    if (state->clips[0].index == PLIANT_ASSET_REST) {
        fputs("; nothing moves\n", stream);
    } else {
        fprintf(stream, "; %s %s, %s frames at %g a second\n", grouped(state->clip_count, second),
                plural(state->clip_count, "clip", "clips"), grouped(state->frame_count, third),
                settings->rate);
    }
    switch (settings->against) {
    case CHECK_AGAINST_DEFAULT:
    case CHECK_AGAINST_NONE:
        break;
    case CHECK_AGAINST_REST:
        fputs("new: triangle pairs that do not touch in the rest pose\n", stream);
        break;
    case CHECK_AGAINST_FRAME:
        fprintf(stream, "new: triangle pairs that do not touch in frame %" PRIu32 " of the clip\n",
                settings->against_frame);
        break;
    case CHECK_AGAINST_REPORT:
        fprintf(stream, "new: triangle pairs that %s does not know\n", settings->against_report);
        break;
    }
    if (settings->clearance > 0.0) {
        fprintf(stream, "counted: triangle pairs of different bodies within %g of each other\n",
                settings->clearance);
    }
}

/* The answer in one sentence, and what to do next. */
static void write_end(const check *state, FILE *stream)
{
    const check_settings *settings = &state->settings;
    bool compared = settings->against != CHECK_AGAINST_NONE;
    const char *verb = settings->clearance > 0.0 ? "too close" : "in contact";
    fputc('\n', stream);
    if (state->failing_rows > 0) {
        fprintf(stream, "FOUND: %s%s%s.\n", compared ? "new " : "",
                settings->clearance > 0.0 ? "places that are too close" : "contacts",
                settings->max_pairs > 0 ? " beyond --max-pairs" : "");
    } else if (state->row_count == 0) {
        fprintf(stream, "OK: nothing is %s.\n", verb);
    } else {
        fprintf(stream, "OK: nothing %sis %s%s.\n", compared ? "new " : "", verb,
                settings->max_pairs > 0 ? " beyond --max-pairs" : "");
    }
}

void check_write_table(const check *state, FILE *stream)
{
    write_intro(state, stream);
    bool written =
        state->row_count <= MOST_ROWS ? write_clips(state, stream) : write_overview(state, stream);
    if (!written) {
        fputs("(not enough memory for the table)\n", stream);
    }
    write_end(state, stream);
    for (uint32_t i = 0; i < state->note_count; i++) {
        fprintf(stream, "note: %s\n", state->notes[i]);
    }
}
