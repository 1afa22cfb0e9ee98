/* What was found as CSV (RFC 4180): a line for each clip, frame and pair of bodies that touch. */
#include "check.h"

#include <inttypes.h>
#include <string.h>

/* A spreadsheet takes text that begins like this for a formula: also with the wide signs that it
   takes in some languages. */
static bool is_formula(const char *text)
{
    static const char *const starts[] = {"=",
                                         "+",
                                         "-",
                                         "@",
                                         "\t",
                                         "\r",
                                         "\n",
                                         "\xef\xbc\x9d",
                                         "\xef\xbc\x8b",
                                         "\xef\xbc\x8d",
                                         "\xef\xbc\xa0"};
    bool found = false;
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        found = found || strncmp(text, starts[i], strlen(starts[i])) == 0;
    }
    return found;
}

/* A field with a comma or a quote in it is quoted. One that would be a formula gets an apostrophe,
   which spreadsheets do not show. */
static void write_text(FILE *stream, const char *text)
{
    const char *mark = is_formula(text) ? "'" : "";
    if (strpbrk(text, ",;\"\r\n\t") == NULL) {
        fprintf(stream, "%s%s", mark, text);
        return;
    }
    fprintf(stream, "\"%s", mark);
    for (; *text != '\0'; text++) {
        if (*text == '"') {
            fputc('"', stream);
        }
        fputc(*text, stream);
    }
    fputc('"', stream);
}

static void write_contours(const check *state, const check_found *found, FILE *stream)
{
    const check_contours *c = &found->contours;
    if (found->has_contours) {
        fprintf(stream, ",%" PRIu64 ",%.6g,%.6g,%.6g,%d", c->count, c->length, c->area, c->depth,
                c->guess ? 1 : 0);
    } else if (state->settings.contours) {
        fputs(",,,,,", stream);
    }
}

/* Where, when, which bodies, and how many triangles. */
static void write_start(const check *state, const check_frame *frame, const check_found *found,
                        double seconds, FILE *stream)
{
    write_text(stream, state->clips[frame->clip].name);
    fprintf(stream, ",%" PRIu32 ",%.9g,", frame->number, seconds);
    write_text(stream, state->parts[found->a].name);
    fputc(',', stream);
    write_text(stream, state->parts[found->b].name);
    fprintf(stream, ",%" PRIu64 ",%" PRIu64, found->count, found->new_count);
}

/* What passes through behind a frame. Nothing else is measured: those columns are empty. */
static void write_passes(const check *state, const check_frame *pass, FILE *stream)
{
    const check_settings *settings = &state->settings;
    for (uint32_t i = 0; i < pass->found_count; i++) {
        const check_found *found = &pass->found[i];
        write_start(state, pass, found, check_pass_time(state, pass, found), stream);
        fputs(",,", stream);
        fputs(settings->clearance > 0.0 ? "," : "", stream);
        fputs(settings->volume ? ",," : "", stream);
        fputs(settings->contours ? ",,,,," : "", stream);
        fputs(",1\n", stream);
    }
}

void check_write_csv(const check *state, FILE *stream)
{
    bool distances = state->settings.clearance > 0.0;
    fputs("clip,frame,seconds,body_a,body_b,pairs,new_pairs,depth,new_depth", stream);
    fputs(distances ? ",gap" : "", stream);
    fputs(state->settings.volume ? ",volume,volume_error" : "", stream);
    fputs(state->settings.contours ? ",contours,contour_length,inside_area,inside_depth,guess" : "",
          stream);
    fputs(state->passes != NULL ? ",between\n" : "\n", stream);
    for (uint32_t i = 0; i < state->frame_count; i++) {
        const check_frame *frame = &state->frames[i];
        for (uint32_t k = 0; k < frame->found_count; k++) {
            const check_found *found = &frame->found[k];
            write_start(state, frame, found, frame->time, stream);
            fprintf(stream, ",%.6g,%.6g", found->depth, found->new_depth);
            if (distances) {
                fprintf(stream, ",%.6g", found->gap);
            }
            if (found->has_volume) {
                fprintf(stream, ",%.6g,%.6g", found->volume, found->volume_error);
            } else if (state->settings.volume) {
                fputs(",,", stream);
            }
            write_contours(state, found, stream);
            fputs(state->passes != NULL ? ",0\n" : "\n", stream);
        }
        if (state->passes != NULL) {
            write_passes(state, &state->passes[i], stream);
        }
    }
}
