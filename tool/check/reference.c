/*
 * What was accepted, as a text file for version control: one line for each site, in order, without
 * numbers of triangles, so that it holds for the same bodies exported again.
 *
 *     pliant-reference 2
 *     pair <tab> A <tab> B                       two bodies, by their names
 *     x y z <tab> x y z <tab> depth <tab> reason  on each, in units of its mesh at rest
 *     inside <tab> A <tab> B <tab> reason        A inside B, without touching it
 *     end
 *
 * Empty lines and lines that begin with # are passed over. A file whose last line is not the end is
 * cut and is rejected; other ends stay if files were merged by lines. Format 1 is the same without
 * an end: it is read, with a note, if its last line is whole.
 */
#include "reference.h"

#include "tool/text/input.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OLD_HEAD  "pliant-reference 1"
#define MOST_TEXT (64u << 20)

/* ------------------------------------------------------------------ reading */

typedef struct reference_reader {
    check *state;
    const char *path;
    uint32_t line;
    bool is_old, has_end; /* format 1; the latest line is the end */
    bool has_pair;        /* the lines in hand are of a pair: */
    uint32_t pair;        /* of what was filed; CHECK_NONE: its bodies are not here */
    bool swapped;         /* the file has them in the other order */
    uint32_t sites, unplaced, pairs, unknown; /* how many there are, and how many found no place */
    char missing[128];                        /* the first name that is not here */
} reference_reader;

static check_result fail_line(const reference_reader *reader, const char *what)
{
    return check_fail(reader->state, CHECK_BAD_INPUT, "%s, line %" PRIu32 ": %s", reader->path,
                      reader->line, what);
}

static uint32_t find_part(const check *state, const char *name)
{
    for (uint32_t i = 0; i < state->part_count; i++) {
        if (strcmp(state->parts[i].name, name) == 0) {
            return i;
        }
    }
    return CHECK_NONE;
}

/* Ends the text at the next tab and returns what follows; NULL where there is none. */
static char *next_field(char *text)
{
    char *tab = text != NULL ? strchr(text, '\t') : NULL;
    if (tab != NULL) {
        *tab++ = '\0';
    }
    return tab;
}

/* The pair of two names, made when first met; its number, for what was filed moves as it grows.
 *swapped: the file has them in the other order. */
static check_result open_pair(reference_reader *reader, char *names, uint32_t *pair, bool *swapped)
{
    char *second = next_field(names);
    check *state = reader->state;
    *pair = CHECK_NONE;
    if (second == NULL) {
        return fail_line(reader, "it lacks the names of two bodies");
    }
    next_field(second);
    uint32_t a = find_part(state, names), b = find_part(state, second);
    reader->pairs++;
    if (a == CHECK_NONE || b == CHECK_NONE) {
        if (reader->unknown++ == 0) {
            snprintf(reader->missing, sizeof reader->missing, "%s",
                     a == CHECK_NONE ? names : second);
        }
        return CHECK_DONE;
    }
    *swapped = a > b;
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    for (uint32_t i = 0; i < state->filed.count; i++) {
        if (state->filed.pairs[i].a == low && state->filed.pairs[i].b == high) {
            *pair = i;
            return CHECK_DONE;
        }
    }
    check_accepted *grown =
        realloc(state->filed.pairs, ((size_t)state->filed.count + 1) * sizeof *grown);
    if (grown == NULL) {
        return CHECK_NO_MEMORY;
    }
    state->filed.pairs = grown;
    *pair = state->filed.count++;
    grown[*pair] = (check_accepted){.a = low, .b = high};
    return CHECK_DONE;
}

static bool read_numbers(const char *text, int count, float *numbers)
{
    for (int i = 0; i < count; i++) {
        char *end = NULL;
        double number = text != NULL ? strtod(text, &end) : 0.0;
        if (end == NULL || end == text || !(fabs(number) <= 0x1p126)) {
            return false;
        }
        numbers[i] = (float)number;
        text = end;
    }
    return strspn(text, " ") == strlen(text);
}

static double squared(const float *a, const double *b)
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        sum += ((double)a[k] - b[k]) * ((double)a[k] - b[k]);
    }
    return sum;
}

/* How far a point is from the box around a triangle, squared: less than from the triangle. */
static double box_distance(const pliant_triangle *at, const float *point)
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        float low = fminf(fminf(at->corner[0][k], at->corner[1][k]), at->corner[2][k]);
        float high = fmaxf(fmaxf(at->corner[0][k], at->corner[1][k]), at->corner[2][k]);
        double way =
            fmax(fmax((double)low - (double)point[k], (double)point[k] - (double)high), 0.0);
        sum += way * way;
    }
    return sum;
}

/* The triangle of a part that a place is on: the closest, if that is within the reach. */
static uint32_t find_triangle(const check *state, uint32_t part, const float *point, double reach)
{
    const check_body *body = &state->bodies[state->parts[part].body];
    const pliant_asset_mesh *mesh = body->surface.mesh;
    double best = reach * reach;
    uint32_t found = CHECK_NONE;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        pliant_triangle at;
        double closest[3];
        if (body->parts != NULL && body->parts[t] != part) {
            continue;
        }
        for (int i = 0; i < 3; i++) {
            uint32_t corner = mesh->triangles[3 * (size_t)t + (size_t)i];
            memcpy(at.corner[i], mesh->positions + 3 * (size_t)corner, sizeof at.corner[i]);
        }
        if (box_distance(&at, point) > best) {
            continue;
        }
        pliant_triangle_find_closest_point(&at, point, closest);
        double distance = squared(point, closest);
        if (distance < best || (distance == best && found == CHECK_NONE)) {
            best = distance;
            found = t;
        }
    }
    return found;
}

static check_result add_site(reference_reader *reader, char *line)
{
    const check *state = reader->state;
    const bool swapped = reader->swapped;
    check_site site = {.region = 0};
    char *second = next_field(line), *depth = next_field(second), *reason = next_field(depth);
    if (!read_numbers(line, 3, site.at[swapped]) || !read_numbers(second, 3, site.at[!swapped]) ||
        !read_numbers(depth, 1, &site.depth) || site.depth < 0.0f) {
        return fail_line(reader, "it is not 'x y z', a tab, 'x y z', a tab and a depth");
    }
    reader->sites++;
    if (reader->pair == CHECK_NONE) {
        return CHECK_DONE;
    }
    check_accepted *pair = &state->filed.pairs[reader->pair];
    const uint32_t parts[2] = {pair->a, pair->b};
    double reach = check_reach(state, pair->a, pair->b);
    for (int side = 0; side < 2; side++) {
        const check_surface *surface = &state->bodies[state->parts[parts[side]].body].surface;
        site.triangles[side] =
            find_triangle(state, parts[side], site.at[side], reach * surface->to_mesh);
    }
    reader->unplaced += site.triangles[0] == CHECK_NONE && site.triangles[1] == CHECK_NONE ? 1 : 0;
    check_site *grown = realloc(pair->sites, ((size_t)pair->site_count + 1) * sizeof *grown);
    if (grown == NULL) {
        return CHECK_NO_MEMORY;
    }
    pair->sites = grown;
    if (reason != NULL && (site.reason = check_clean_text(reason)) == NULL) {
        return CHECK_NO_MEMORY;
    }
    grown[pair->site_count++] = site;
    return CHECK_DONE;
}

static check_result read_line(reference_reader *reader, char *line)
{
    size_t length = strlen(line);
    if (length > 0 && line[length - 1] == '\r') {
        line[length - 1] = '\0';
    }
    if (reader->line == 1) {
        reader->is_old = strcmp(line, OLD_HEAD) == 0;
        return reader->is_old || strcmp(line, CHECK_REFERENCE_HEAD) == 0
                   ? CHECK_DONE
                   : fail_line(reader, "this is no reference: it does not begin "
                                       "with '" CHECK_REFERENCE_HEAD "'; pliant accept writes one");
    }
    if (*line == '\0' || *line == '#') {
        return CHECK_DONE;
    }
    reader->has_end = !reader->is_old && strcmp(line, CHECK_REFERENCE_END) == 0;
    if (reader->has_end) {
        return CHECK_DONE;
    }
    if (strncmp(line, "pair\t", 5) == 0) {
        reader->has_pair = true;
        return open_pair(reader, line + 5, &reader->pair, &reader->swapped);
    }
    if (strncmp(line, "inside\t", 7) == 0) {
        uint32_t about = CHECK_NONE;
        bool other_way = false;
        check_result status = open_pair(reader, line + 7, &about, &other_way);
        if (status == CHECK_DONE && about != CHECK_NONE) {
            reader->state->filed.pairs[about].inside[other_way] = true;
        }
        return status;
    }
    return !reader->has_pair ? fail_line(reader, "a site before the first pair")
                             : add_site(reader, line);
}

static check_result read_text(reference_reader *reader, char *text)
{
    check_result status = CHECK_DONE;
    for (char *line = text; status == CHECK_DONE && line != NULL;) {
        char *end = strchr(line, '\n');
        if (end != NULL) {
            *end = '\0';
        }
        reader->line++;
        status = read_line(reader, line);
        reader->has_end = reader->has_end || (reader->is_old && end != NULL && end[1] == '\0');
        line = end != NULL ? end + 1 : NULL;
    }
    if (status == CHECK_DONE && !reader->has_end) {
        return check_fail(reader->state, CHECK_BAD_INPUT,
                          "%s is cut: it does not end with %s; restore it, or write it again with "
                          "pliant accept",
                          reader->path,
                          reader->is_old ? "a whole line" : "'" CHECK_REFERENCE_END "'");
    }
    return status;
}

/* A file whose names or places are none of ours was made of another one. */
static check_result check_fits(reference_reader *reader)
{
    check *state = reader->state;
    if (reader->pairs > 0 && reader->unknown == reader->pairs) {
        return check_fail(state, CHECK_BAD_INPUT,
                          "%s is of another file: there is no body '%s' here, nor any other of its "
                          "pairs",
                          reader->path, reader->missing);
    }
    if (reader->sites > 0 && 2 * (uint64_t)reader->unplaced > reader->sites) {
        return check_fail(state, CHECK_BAD_INPUT,
                          "%s is of another file: %" PRIu32 " of its %" PRIu32
                          " places lie on no body here",
                          reader->path, reader->unplaced, reader->sites);
    }
    if (reader->unknown > 0) {
        return check_note(state, "%s has %" PRIu32 " %s of bodies that are not here, '%s' first",
                          reader->path, reader->unknown,
                          check_plural(reader->unknown, "pair", "pairs"), reader->missing);
    }
    return CHECK_DONE;
}

static int compare_accepted(const void *first, const void *second)
{
    const check_accepted *x = first, *y = second;
    uint64_t a = (uint64_t)x->a << 32 | x->b, b = (uint64_t)y->a << 32 | y->b;
    return a < b ? -1 : a > b ? 1 : 0;
}

check_result check_read_reference_text(check *state, const char *path, char *text)
{
    reference_reader reader = {.state = state, .path = path};
    check_result status = read_text(&reader, text);
    status = status == CHECK_DONE ? check_fits(&reader) : status;
    if (status == CHECK_DONE && reader.is_old) {
        status = check_note(state,
                            "%s is of format 1, which does not show if lines are missing; pliant "
                            "accept brings it up to date",
                            path);
    }
    if (state->filed.count > 0) {
        qsort(state->filed.pairs, state->filed.count, sizeof *state->filed.pairs, compare_accepted);
    }
    return status;
}

check_result check_read_reference(check *state)
{
    const char *path = state->settings.reference;
    const char *reason = NULL;
    FILE *file = text_open(path, &reason);
    if (file == NULL) {
        return check_fail(state, CHECK_BAD_INPUT, "cannot read %s: %s", path, reason);
    }
    size_t size = 0, capacity = 1u << 16;
    char *text = malloc(capacity + 1);
    for (size_t got = 1; text != NULL && got > 0 && size <= MOST_TEXT; size += got) {
        if (size == capacity) {
            char *grown = realloc(text, 2 * capacity + 1);
            if (grown == NULL) {
                free(text);
            }
            text = grown;
            capacity *= 2;
        }
        got = text != NULL ? fread(text + size, 1, capacity - size, file) : 0;
    }
    bool failed = ferror(file) != 0;
    fclose(file);
    check_result status = text == NULL ? CHECK_NO_MEMORY : CHECK_DONE;
    if (text != NULL && (failed || size > MOST_TEXT)) {
        status = check_fail(state, CHECK_BAD_INPUT, "cannot read %s: %s", path,
                            failed ? "reading failed" : "it is too large for a reference");
    }
    if (status == CHECK_DONE) {
        text[size] = '\0';
        status = strlen(text) == size
                     ? check_read_reference_text(state, path, text)
                     : check_fail(state, CHECK_BAD_INPUT, "%s: this is no text", path);
    }
    free(text);
    return status;
}
