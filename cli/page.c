#include "page.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/markup.h"
#include "page_assets.h"
#include "picture.h"

/* The curve's own coordinates. */
#define CURVE_WIDTH  930.0
#define CURVE_HEIGHT 250.0
#define CURVE_LEFT   58.0
#define CURVE_RIGHT  908.0
#define CURVE_TOP    34.0
#define CURVE_BOTTOM 214.0

/* A count with a comma between thousands. */
static void write_count(FILE *stream, uint64_t count)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, count);
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) {
            fputc(',', stream);
        }
        fputc(digits[i], stream);
    }
}

/* Numbers for the script are little-endian, whatever the machine. */
static void write_words(FILE *stream, const uint32_t *words, uint64_t count)
{
    enum { CHUNK = 768 }; /* a multiple of 3, so that chunks join without padding */
    unsigned char bytes[4 * CHUNK];
    for (uint64_t begin = 0; begin < count; begin += CHUNK) {
        uint64_t end = begin + CHUNK < count ? begin + CHUNK : count;
        for (uint64_t i = begin; i < end; i++) {
            for (int k = 0; k < 4; k++) {
                bytes[4 * (i - begin) + (uint64_t)k] = (unsigned char)(words[i] >> 8 * k);
            }
        }
        markup_base64(stream, bytes, 4 * (end - begin));
    }
}

void page_extend_box(const scene_mesh *mesh, const float *positions, double lower[3],
                     double upper[3])
{
    for (uint32_t i = 0; i < 3 * mesh->triangle_count; i++) {
        const float *position = positions + (size_t)3 * mesh->triangles[i];
        for (int axis = 0; axis < 3; axis++) {
            lower[axis] = fmin(lower[axis], (double)position[axis]);
            upper[axis] = fmax(upper[axis], (double)position[axis]);
        }
    }
}

/* The box of all moments, which positions are rounded to 16 bits in. */
typedef struct page_grid {
    double centre[3], half;
} page_grid;

static page_grid find_grid(const page_content *content)
{
    double lower[3] = {INFINITY, INFINITY, INFINITY};
    double upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t m = 0; m < content->moment_count; m++) {
        for (uint32_t body = 0; body < content->scene->body_count; body++) {
            page_extend_box(&content->scene->bodies[body], content->moments[m].positions[body],
                            lower, upper);
        }
    }
    page_grid grid = {.half = 1e-30};
    for (int axis = 0; axis < 3; axis++) {
        grid.centre[axis] = 0.5 * (lower[axis] + upper[axis]);
        grid.half = fmax(grid.half, 0.5 * (upper[axis] - lower[axis]));
    }
    return grid;
}

static void put_on_grid(const page_grid *grid, const float position[3], unsigned char bytes[6])
{
    for (int axis = 0; axis < 3; axis++) {
        double scaled = ((double)position[axis] - grid->centre[axis]) / grid->half;
        int value = (int)floor(32767.0 * fmax(-1.0, fmin(1.0, scaled)) + 0.5);
        bytes[2 * axis] = (unsigned char)(value & 255);
        bytes[2 * axis + 1] = (unsigned char)(value >> 8 & 255);
    }
}

static void write_positions(FILE *stream, const page_grid *grid, const float *positions,
                            uint32_t count)
{
    enum { CHUNK = 512 }; /* 6 bytes each: chunks join without padding */
    unsigned char bytes[6 * CHUNK];
    for (uint32_t begin = 0; begin < count; begin += CHUNK) {
        uint32_t end = count - begin < CHUNK ? count : begin + CHUNK;
        for (uint32_t i = begin; i < end; i++) {
            put_on_grid(grid, positions + (size_t)3 * i, bytes + 6 * (size_t)(i - begin));
        }
        markup_base64(stream, bytes, 6 * (size_t)(end - begin));
    }
}

static void write_segments(FILE *stream, const page_grid *grid, const page_moment *moment)
{
    for (uint64_t i = 0; i < moment->pair_count; i++) {
        unsigned char bytes[12];
        put_on_grid(grid, moment->segments[i].p, bytes);
        put_on_grid(grid, moment->segments[i].q, bytes + 6);
        markup_base64(stream, bytes, sizeof bytes);
    }
}

static void write_moment(FILE *stream, const page_content *content, const page_grid *grid,
                         const page_moment *moment)
{
    const scene_instance *scene = content->scene;
    uint32_t body_count = scene->body_count;
    fprintf(stream, "{\"step\":%u,\"pairs\":%" PRIu64 ",\n\"positions\":[", moment->step,
            moment->pair_count);
    for (uint32_t body = 0; body < body_count; body++) {
        fputs(body > 0 ? ",\n\"" : "\"", stream);
        write_positions(stream, grid, moment->positions[body], scene->bodies[body].vertex_count);
        fputc('"', stream);
    }
    fputs("],\n\"touching\":[", stream);
    for (uint32_t body = 0; body < body_count; body++) {
        fputs(body > 0 ? ",\"" : "\"", stream);
        write_words(stream, moment->touching[body], moment->touching_count[body]);
        fputc('"', stream);
    }
    fputs("],\n\"segments\":\"", stream);
    write_segments(stream, grid, moment);
    fputs("\"}", stream);
}

/* What the script draws from. */
static void write_data(FILE *stream, const page_content *content)
{
    page_grid grid = find_grid(content);
    fprintf(
        stream,
        "<script type=\"application/json\" id=\"data\">\n{\"steps\":%u,\"deepest\":%u,"
        "\"yaw\":%.3f,\"pitch\":%.3f,\"width\":%.0f,\"left\":%.0f,\"right\":%.0f,\n\"bodies\":[",
        content->scene->steps, content->deepest_moment, PICTURE_YAW, PICTURE_PITCH, CURVE_WIDTH,
        CURVE_LEFT, CURVE_RIGHT);
    for (uint32_t body = 0; body < content->scene->body_count; body++) {
        const scene_mesh *mesh = &content->scene->bodies[body];
        fprintf(stream, "%s{\"closed\":%s,\"triangles\":\"", body > 0 ? ",\n" : "",
                content->closed[body] ? "true" : "false");
        write_words(stream, mesh->triangles, (uint64_t)3 * mesh->triangle_count);
        fputs("\"}", stream);
    }
    fputs("],\n\"moments\":[", stream);
    for (uint32_t m = 0; m < content->moment_count; m++) {
        fputs(m > 0 ? ",\n" : "", stream);
        write_moment(stream, content, &grid, &content->moments[m]);
    }
    fputs("]}\n</script>\n", stream);
}

static uint64_t largest_count(const page_content *content)
{
    uint64_t largest = 0;
    for (uint32_t i = 0; i < content->scene->steps; i++) {
        largest = content->pairs[i] > largest ? content->pairs[i] : largest;
    }
    return largest;
}

/* The smallest of 1, 2, 5, 10, 20, ... that divides `range` into at most `most` parts. */
static uint64_t tick_distance(uint64_t range, uint64_t most)
{
    uint64_t power = 1;
    for (;;) {
        const uint64_t candidates[3] = {power, 2 * power, 5 * power};
        for (int i = 0; i < 3; i++) {
            if (range / candidates[i] <= most) {
                return candidates[i];
            }
        }
        power *= 10;
    }
}

static double curve_x(const page_content *content, double step)
{
    return CURVE_LEFT + (CURVE_RIGHT - CURVE_LEFT) * step / content->scene->steps;
}

static double curve_y(uint64_t pairs, uint64_t top)
{
    return CURVE_BOTTOM - (CURVE_BOTTOM - CURVE_TOP) * (double)pairs / (double)top;
}

static void write_axes(FILE *stream, const page_content *content, uint64_t top)
{
    uint64_t distance = tick_distance(top, 4);
    for (uint64_t pairs = 0; pairs <= top; pairs += distance) {
        double y = curve_y(pairs, top);
        fprintf(stream,
                "<line class=\"grid\" x1=\"%.0f\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\"/>"
                "<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">",
                CURVE_LEFT, CURVE_RIGHT, y, y, CURVE_LEFT - 8.0, y + 4.5);
        write_count(stream, pairs);
        fputs("</text>\n", stream);
    }
    distance = tick_distance(content->scene->steps, 10);
    for (uint64_t step = 0; step <= content->scene->steps; step += distance) {
        fprintf(stream, "<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">%" PRIu64 "</text>\n",
                curve_x(content, (double)step), CURVE_BOTTOM + 20.0, step);
    }
}

static void write_points(FILE *stream, const page_content *content, uint64_t top)
{
    for (uint32_t i = 0; i < content->scene->steps; i++) {
        fprintf(stream, "L%.1f %.1f", curve_x(content, i + 1.0), curve_y(content->pairs[i], top));
    }
}

/* A dashed line at one step, with a few words to the left or the right of its top. */
static void write_mark(FILE *stream, const page_content *content, uint32_t step, const char *words,
                       uint64_t top)
{
    double x = curve_x(content, step);
    double y = curve_y(content->pairs[step - 1], top);
    bool at_left = x > 0.5 * CURVE_WIDTH;
    fprintf(stream,
            "<line class=\"mark\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.0f\" y2=\"%.1f\"/>"
            "<circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"5\"/>"
            "<text class=\"strong\" x=\"%.1f\" y=\"%.0f\" text-anchor=\"%s\">%s: step %u, ",
            x, x, CURVE_TOP - 12.0, CURVE_BOTTOM, x, y, at_left ? x - 8.0 : x + 8.0,
            CURVE_TOP - 14.0, at_left ? "end" : "start", words, step);
    write_count(stream, content->pairs[step - 1]);
    fputs(content->pairs[step - 1] == 1 ? " pair</text>\n" : " pairs</text>\n", stream);
}

static void write_curve(FILE *stream, const page_content *content)
{
    uint64_t top = largest_count(content);
    top = top > 4 ? top : 4;
    fprintf(stream,
            "<figure>\n<div class=\"stage\"><svg class=\"curve\" id=\"curve\" viewBox=\"0 0 "
            "%.0f %.0f\" role=\"img\" aria-label=\"pairs of touching triangles per step\">\n",
            CURVE_WIDTH, CURVE_HEIGHT);
    write_axes(stream, content, top);
    fprintf(stream, "<path class=\"area\" d=\"M%.1f %.1f", CURVE_LEFT, CURVE_BOTTOM);
    write_points(stream, content, top);
    fprintf(stream, "L%.1f %.1fz\"/>\n", CURVE_RIGHT, CURVE_BOTTOM);
    fprintf(stream, "<path class=\"line\" d=\"M%.1f %.1f", curve_x(content, 1.0),
            curve_y(content->pairs[0], top));
    write_points(stream, content, top);
    fputs("\"/>\n", stream);
    double x = curve_x(content, content->deepest_step);
    fprintf(stream,
            "<line class=\"now\" id=\"now\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.0f\" "
            "y2=\"%.0f\"/>\n",
            x, x, CURVE_TOP, CURVE_BOTTOM);
    if (content->first_step > 0) {
        write_mark(stream, content, content->first_step, "first contact", top);
        if (content->deepest_step != content->first_step) {
            write_mark(stream, content, content->deepest_step, "deepest", top);
        }
    }
    fputs(
        "</svg></div>\n<figcaption>Pairs of touching triangles in each step. Click or drag on the "
        "curve to see the bodies there.</figcaption>\n</figure>\n",
        stream);
}

static void write_cost(FILE *stream, uint64_t count, double share)
{
    fputs("<td>", stream);
    write_count(stream, count);
    fprintf(stream, " <small>%.1f&thinsp;%%</small></td>", 100.0 * share);
}

static void write_table(FILE *stream, const page_content *content)
{
    uint64_t pairs = 0;
    for (uint32_t i = 0; i < content->scene->steps; i++) {
        pairs += content->pairs[i];
    }
    fputs("<div class=\"wide\"><table>\n<tr><th>update</th><th>pairs</th><th>ms</th><th>nodes "
          "refreshed</th><th>clusters refreshed</th><th>vertices read</th></tr>\n",
          stream);
    for (uint32_t i = 0; i < content->strategy_count; i++) {
        const page_strategy *strategy = &content->strategies[i];
        fputs("<tr><td>", stream);
        markup_text(stream, strategy->name);
        fputs("</td><td>", stream);
        write_count(stream, pairs);
        fprintf(stream, "</td><td>%.1f</td>", strategy->milliseconds);
        write_cost(stream, strategy->nodes, strategy->node_share);
        write_cost(stream, strategy->clusters, strategy->cluster_share);
        write_cost(stream, strategy->vertices, strategy->vertex_share);
        fputs("</tr>\n", stream);
    }
    fputs("</table></div>\n", stream);
}

static void write_what_is_seen(FILE *stream, const page_content *content)
{
    const scene_instance *scene = content->scene;
    fputs("<p>", stream);
    if (content->first_step == 0) {
        fprintf(stream, "Nothing touches in any of the %u steps. ", scene->steps);
    } else {
        fprintf(stream, "The picture opens at step %u of %u, where contact is deepest: ",
                content->deepest_step, scene->steps);
        write_count(stream, content->pairs[content->deepest_step - 1]);
        fprintf(stream, " pairs of triangles %s. The first contact comes at step %u. ",
                scene->kind->self ? "of the body touch each other" : "touch", content->first_step);
    }
    fputs("Which pairs touch is decided exactly, with no rounding in any yes or no", stream);
    fputs(content->strategy_count > 1
              ? "; every update strategy below gave the same pairs in every step.</p>\n"
              : ".</p>\n",
          stream);
}

static void write_figure(FILE *stream, const page_content *content)
{
    bool two = content->scene->body_count == 2;
    fputs("<figure>\n<div class=\"stage\">\n<noscript>\n", stream);
    picture_write(stream, content);
    fputs("</noscript>\n<canvas id=\"view\" tabindex=\"0\" role=\"img\" aria-label=\"the bodies, "
          "touching triangles in red; arrow keys turn the view\"></canvas>\n"
          "<div class=\"controls\"><button id=\"play\" type=\"button\">Play</button>"
          "<span class=\"time\"><input id=\"step\" type=\"range\" min=\"0\" max=\"0\" value=\"0\" "
          "aria-label=\"step\"><output id=\"label\"></output></span>",
          stream);
    if (two) {
        fputs("<label><input id=\"show0\" type=\"checkbox\" checked>first body</label>"
              "<label><input id=\"show1\" type=\"checkbox\" checked>second body</label>",
              stream);
    }
    fputs("</div>\n</div>\n<figcaption><span class=\"key first\"></span>", stream);
    fputs(two ? "first body <span class=\"key second\"></span>second body "
          : content->scene->body_count > 2
              ? "and <span class=\"key second\"></span>bodies, in two colours "
              : "the body ",
          stream);
    fputs("<span class=\"key touch\"></span>triangles that touch <span class=\"key meet\"></span>"
          "where the surfaces meet. Drag the picture to turn it.</figcaption>\n</figure>\n",
          stream);
}

static void write_bytes(FILE *stream, const unsigned char *bytes, size_t size)
{
    fwrite(bytes, 1, size, stream);
}

void page_write(FILE *stream, const page_content *content)
{
    const scene_kind *kind = content->scene->kind;
    fputs(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Pliant: ",
        stream);
    markup_text(stream, kind->name);
    fputs("</title>\n<style>\n", stream);
    write_bytes(stream, page_css, sizeof page_css);
    fputs("</style>\n<noscript><style>canvas,.controls{display:none!important}</style></noscript>\n"
          "</head>\n<body>\n<main>\n<h1>",
          stream);
    markup_text(stream, kind->title);
    fputs("</h1>\n", stream);
    write_what_is_seen(stream, content);
    write_figure(stream, content);
    fputs("<h2>Pairs per step</h2>\n", stream);
    write_curve(stream, content);
    fputs("<h2>What each update strategy did</h2>\n<p>The tree of a deforming body has to be "
          "refreshed as the body moves. Percentages are shares of refreshing everything in every "
          "step; where vertices are read again at several levels, it passes 100&thinsp;%.</p>\n",
          stream);
    write_table(stream, content);
    fprintf(stream,
            "<footer>Made by pliant demo, version %s, seed %" PRIu64
            ". For drawing only, positions are rounded to 16 bits.</footer>\n</main>\n",
            pliant_version(), content->scene->seed);
    write_data(stream, content);
    fputs("<script>\n", stream);
    write_bytes(stream, page_js, sizeof page_js);
    fputs("</script>\n</body>\n</html>\n", stream);
}
