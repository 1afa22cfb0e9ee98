/* What was found, as the page has it: contacts, contours, and what passes through between frames.
 */
#include "page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parts.h"

static int compare_codes(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y ? 1 : 0;
}

/* One side's triangles, each once, ascending, with a bit that says whether it is in a new pair. */
static void put_triangles(report *page, report_buffer *to, size_t count)
{
    uint64_t *codes = page->codes;
    qsort(codes, count, sizeof *codes, compare_codes);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && codes[kept - 1] >> 1 == codes[i] >> 1) {
            codes[kept - 1] |= codes[i]; /* the same triangle; new if any pair of it is */
        } else {
            codes[kept++] = codes[i];
        }
    }
    report_put_varint(to, kept);
    uint64_t last = 0;
    for (size_t i = 0; i < kept; i++) {
        uint64_t triangle = codes[i] >> 1;
        report_put_varint(to, (triangle - last) << 1 | (codes[i] & 1));
        last = triangle;
    }
}

static bool reserve_codes(report *page, size_t needed)
{
    if (needed <= page->code_capacity) {
        return true;
    }
    uint64_t *codes = realloc(page->codes, needed * sizeof *codes);
    if (codes == NULL) {
        return false;
    }
    page->codes = codes;
    page->code_capacity = needed;
    return true;
}

static void put_contacts(report *page, report_buffer *to, const report_contacts *contacts)
{
    page->failed = page->failed || !reserve_codes(page, 2 * (size_t)contacts->count + 1);
    if (page->failed) {
        return;
    }
    /* The two sides of a contact within one body are one. */
    bool within = page->parts.items[contacts->a].body == page->parts.items[contacts->b].body;
    float depth = (float)contacts->depth;
    report_put_varint(to, report_find_pair(page, contacts->a, contacts->b));
    report_put_varint(to, contacts->count);
    report_put_varint(to, contacts->new_count);
    report_put_floats(to, &depth, 1);
    for (int side = 0; side < 2; side++) {
        size_t count = 0;
        for (uint64_t i = 0; i < contacts->count && (side == 0 || !within); i++) {
            uint64_t is_new = contacts->is_new != NULL && contacts->is_new[i] ? 1 : 0;
            pliant_pair pair = contacts->pairs[i];
            if (side == 0 || within) {
                page->codes[count++] = (uint64_t)pair.a << 1 | is_new;
            }
            if (side == 1 || within) {
                page->codes[count++] = (uint64_t)pair.b << 1 | is_new;
            }
        }
        put_triangles(page, to, count);
    }
}

void report_add_contacts(report *page, const report_contacts *contacts)
{
    put_contacts(page, &page->contacts, contacts);
}

/* Where it is, and then what meets, as what touches in a frame. */
void report_add_pass(report *page, const report_pass *pass)
{
    const float shares[2] = {(float)pass->share, (float)pass->at};
    report_put_varint(&page->passes, pass->frame);
    report_put_varint(&page->passes, pass->from);
    report_put_varint(&page->passes, pass->to);
    report_put_floats(&page->passes, &shares[0], 1);
    report_put_floats(&page->passes, &shares[1], 1);
    put_contacts(page, &page->passes, &pass->contacts);
}

/* Whether a segment begins where the one before it ends. */
static bool goes_on(const float *line)
{
    return line[0] == line[-3] && line[1] == line[-2] && line[2] == line[-1];
}

/* How many segments, from the first on, are one curve. */
static uint64_t chain_length(const float *lines, uint64_t count)
{
    uint64_t length = 1;
    while (length < count && goes_on(lines + 6 * length)) {
        length++;
    }
    return length;
}

/* A point as steps of the grid from the one before. */
static void put_point(report *page, const float *point, int64_t last[3])
{
    for (int k = 0; k < 3; k++) {
        double place = fmax(-1e15, fmin(1e15, (double)point[k] / page->contour_step));
        int64_t at = llrint(place), step = at - last[k];
        report_put_varint(&page->contours, (uint64_t)step << 1 ^ (step < 0 ? UINT64_MAX : 0));
        last[k] = at;
    }
}

/* Segments as curves: their points on a grid of 2^-15 of the largest body, which is to be drawn,
   not measured. */
static void put_lines(report *page, const float *lines, uint64_t count)
{
    int64_t last[3] = {0, 0, 0};
    report_put_varint(&page->contours, count);
    for (uint64_t i = 0; i < count;) {
        const float *chain = lines + 6 * i;
        uint64_t length = chain_length(chain, count - i);
        report_put_varint(&page->contours, length);
        put_point(page, chain, last);
        for (uint64_t k = 0; k < length; k++) {
            put_point(page, chain + 6 * k + 3, last);
        }
        i += length;
    }
}

/* The curves, then the triangles of each side as steps from one to the next. */
void report_add_contours(report *page, const report_contours *contours)
{
    if (page->failed) {
        return;
    }
    if (page->contour_step == 0.0) {
        page->contour_step = ldexp(fmax(page->world, 1e-30), -15);
    }
    report_put_varint(&page->contours, report_find_pair(page, contours->a, contours->b));
    put_lines(page, contours->lines, contours->line_count);
    for (int side = 0; side < 2; side++) {
        uint32_t last = 0;
        report_put_varint(&page->contours, contours->inside_count[side]);
        for (uint64_t i = 0; i < contours->inside_count[side]; i++) {
            report_put_varint(&page->contours, contours->inside[side][i] - last);
            last = contours->inside[side][i];
        }
    }
}

static void put_number(report_buffer *json, const char *name, double value)
{
    report_put_text(json, ",\"%s\":%.6g", name, isfinite(value) ? value : 0.0);
}

static void put_word(report_buffer *json, const char *name, const char *text)
{
    report_put_text(json, ",\"%s\":", name);
    report_put_string(json, text);
}

void report_add_finding(report *page, const report_finding *finding)
{
    report_buffer *json = &page->findings;
    report_put_text(json, "%s{\"clip\":%u,\"pair\":[%u,%u],\"fails\":%s", json->size > 0 ? "," : "",
                    finding->clip, finding->a, finding->b, finding->fails ? "true" : "false");
    put_word(json, "what", finding->what);
    put_word(json, "kind", finding->kind);
    put_word(json, "verdict", finding->verdict);
    put_word(json, "place", finding->place);
    put_number(json, "depth", finding->depth);
    put_number(json, "percent", finding->percent);
    put_number(json, "area", finding->area);
    put_number(json, "length", finding->length);
    put_number(json, "gap", finding->gap);
    report_put_text(json,
                    ",\"frames\":%u,\"first\":%u,\"deepest\":%u,\"last\":%u,\"frame\":%u,"
                    "\"position\":[%.7g,%.7g,%.7g]}",
                    finding->frame_count, finding->first, finding->deepest, finding->last,
                    finding->frame, (double)finding->position[0], (double)finding->position[1],
                    (double)finding->position[2]);
}
