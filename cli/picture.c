#include "picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH  930.0
#define HEIGHT 560.0
#define CAMERA 5.5 /* distance of the eye, in radii of what is shown */

/* A point in the eye's frame (across, up, depth) and on the picture. */
typedef struct projected_point {
    double eye[3];
    double x, y;
} projected_point;

/* What is drawn in one stroke of the painter: a triangle, or a segment where surfaces meet. */
typedef struct painted_item {
    double depth;
    projected_point corners[3];
    uint32_t corner_count;
    uint32_t body;
    double light;
    bool touches;
} painted_item;

typedef struct picture_painter {
    const page_content *content;
    const page_moment *moment;
    double centre[3], radius;
    painted_item *items;
    uint64_t item_count;
} picture_painter;

static double distance(const float position[3], const double centre[3])
{
    double square = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double along = (double)position[axis] - centre[axis];
        square += along * along;
    }
    return sqrt(square);
}

static void find_extent(picture_painter *painter)
{
    double lower[3] = {INFINITY, INFINITY, INFINITY};
    double upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t body = 0; body < painter->content->scene->body_count; body++) {
        page_extend_box(&painter->content->scene->bodies[body], painter->moment->positions[body],
                        lower, upper);
    }
    for (int axis = 0; axis < 3; axis++) {
        painter->centre[axis] = 0.5 * (lower[axis] + upper[axis]);
    }
    painter->radius = 1e-30;
    for (uint32_t body = 0; body < painter->content->scene->body_count; body++) {
        const scene_mesh *mesh = &painter->content->scene->bodies[body];
        for (uint32_t i = 0; i < 3 * mesh->triangle_count; i++) {
            const float *position =
                painter->moment->positions[body] + (size_t)3 * mesh->triangles[i];
            painter->radius = fmax(painter->radius, distance(position, painter->centre));
        }
    }
}

static projected_point project(const picture_painter *painter, const float position[3])
{
    double p[3];
    for (int axis = 0; axis < 3; axis++) {
        p[axis] = ((double)position[axis] - painter->centre[axis]) / painter->radius;
    }
    double away = -sin(PICTURE_YAW) * p[0] + cos(PICTURE_YAW) * p[1];
    projected_point point = {.eye = {cos(PICTURE_YAW) * p[0] + sin(PICTURE_YAW) * p[1],
                                     cos(PICTURE_PITCH) * p[2] - sin(PICTURE_PITCH) * away,
                                     cos(PICTURE_PITCH) * away + sin(PICTURE_PITCH) * p[2]}};
    double scale = 0.46 * HEIGHT * CAMERA / (CAMERA + point.eye[2]);
    point.x = 0.5 * WIDTH + scale * point.eye[0];
    point.y = 0.5 * HEIGHT - scale * point.eye[1];
    return point;
}

/* Light from above, from the left, and from behind the eye; false for a back face. The eye's frame
   is left-handed, so the normal computed here points inwards. */
static bool light_triangle(painted_item *item)
{
    const projected_point *c = item->corners;
    double u[3], v[3], normal[3], square = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        u[axis] = c[1].eye[axis] - c[0].eye[axis];
        v[axis] = c[2].eye[axis] - c[0].eye[axis];
    }
    for (int axis = 0; axis < 3; axis++) {
        int next = (axis + 1) % 3;
        int last = (axis + 2) % 3;
        normal[axis] = u[next] * v[last] - u[last] * v[next];
        square += normal[axis] * normal[axis];
    }
    double area = (c[1].x - c[0].x) * (c[2].y - c[0].y) - (c[1].y - c[0].y) * (c[2].x - c[0].x);
    double light = 0.42 * normal[0] - 0.55 * normal[1] + 0.72 * normal[2];
    light = square > 0.0 ? light / sqrt(square) : 0.0;
    light = area < 0.0 ? light : -light;
    item->light = 0.16 + 0.84 * fmax(0.0, light);
    return area < 0.0;
}

static void add_body(picture_painter *painter, uint32_t body, const bool *touching)
{
    const scene_mesh *mesh = &painter->content->scene->bodies[body];
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
        painted_item *item = &painter->items[painter->item_count];
        *item = (painted_item){.corner_count = 3, .body = body, .touches = touching[i]};
        for (int k = 0; k < 3; k++) {
            uint32_t vertex = mesh->triangles[(size_t)3 * i + k];
            const float *position = painter->moment->positions[body] + (size_t)3 * vertex;
            item->corners[k] = project(painter, position);
            item->depth += item->corners[k].eye[2] / 3.0;
        }
        if (light_triangle(item) || !painter->content->closed[body]) {
            painter->item_count++;
        }
    }
}

static void add_segments(picture_painter *painter)
{
    for (uint64_t i = 0; i < painter->moment->pair_count; i++) {
        const pliant_segment *segment = &painter->moment->segments[i];
        painted_item *item = &painter->items[painter->item_count++];
        *item = (painted_item){.corner_count = 2};
        item->corners[0] = project(painter, segment->p);
        item->corners[1] = project(painter, segment->q);
        /* A little in front of the triangles it lies on. */
        item->depth = 0.5 * (item->corners[0].eye[2] + item->corners[1].eye[2]) - 0.02;
    }
}

static int compare_depth(const void *a, const void *b)
{
    double x = ((const painted_item *)a)->depth;
    double y = ((const painted_item *)b)->depth;
    return (x < y) - (x > y);
}

/* Fill colours go in eight shades per kind, so that they can be short classes. */
static void paint(FILE *stream, const painted_item *item)
{
    if (item->corner_count == 2) {
        fprintf(stream, "<path class=\"m\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", item->corners[0].x,
                item->corners[0].y, item->corners[1].x, item->corners[1].y);
        return;
    }
    int shade = (int)(8.0 * fmin(item->light, 0.999));
    char kind = item->touches ? 't' : item->body % 2 == 0 ? 'f' : 's';
    fprintf(stream, "<path class=\"%c%d\" d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fz\"/>\n", kind, shade,
            item->corners[0].x, item->corners[0].y, item->corners[1].x, item->corners[1].y,
            item->corners[2].x, item->corners[2].y);
}

static void write_styles(FILE *stream)
{
    static const struct {
        char kind;
        int colour[3];
    } kinds[] = {{'f', {111, 155, 200}}, {'s', {217, 207, 184}}, {'t', {224, 86, 27}}};
    fputs("<style>.m{fill:none;stroke:var(--meet);stroke-width:1.6;stroke-linecap:round}", stream);
    for (int i = 0; i < 3; i++) {
        for (int shade = 0; shade < 8; shade++) {
            double floor_light = kinds[i].kind == 't' ? 0.55 : 0.36;
            double light =
                floor_light + (1.0 - floor_light) * fmin(1.0, (shade + 0.5) / 8.0 * 1.12);
            int red = (int)(light * kinds[i].colour[0]);
            int green = (int)(light * kinds[i].colour[1]);
            int blue = (int)(light * kinds[i].colour[2]);
            fprintf(stream, ".%c%d{fill:rgb(%d,%d,%d);stroke:", kinds[i].kind, shade, red, green,
                    blue);
            if (kinds[i].kind == 't') {
                fputs("var(--outline);stroke-width:.7}", stream);
            } else {
                fprintf(stream, "rgb(%d,%d,%d);stroke-width:.6}", red, green, blue);
            }
        }
    }
    fputs("</style>\n", stream);
}

static bool paint_all(FILE *stream, picture_painter *painter)
{
    const scene_instance *scene = painter->content->scene;
    uint64_t capacity = painter->moment->pair_count + 1;
    for (uint32_t body = 0; body < scene->body_count; body++) {
        capacity += scene->bodies[body].triangle_count;
    }
    painter->items = malloc(capacity * sizeof *painter->items);
    bool *touching[SCENE_MAX_BODIES] = {NULL};
    bool ready = painter->items != NULL;
    for (uint32_t body = 0; body < scene->body_count; body++) {
        touching[body] = calloc(scene->bodies[body].triangle_count, sizeof(bool));
        ready = ready && touching[body] != NULL;
    }
    if (ready) {
        for (uint32_t body = 0; body < scene->body_count; body++) {
            for (uint64_t i = 0; i < painter->moment->touching_count[body]; i++) {
                touching[body][painter->moment->touching[body][i]] = true;
            }
            add_body(painter, body, touching[body]);
        }
        add_segments(painter);
        qsort(painter->items, painter->item_count, sizeof *painter->items, compare_depth);
        for (uint64_t i = 0; i < painter->item_count; i++) {
            paint(stream, &painter->items[i]);
        }
    }
    for (uint32_t body = 0; body < scene->body_count; body++) {
        free(touching[body]);
    }
    free(painter->items);
    return ready;
}

void picture_write(FILE *stream, const page_content *content)
{
    picture_painter painter = {.content = content,
                               .moment = &content->moments[content->deepest_moment]};
    find_extent(&painter);
    fprintf(stream,
            "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"the bodies at the "
            "step of deepest contact\">\n",
            WIDTH, HEIGHT);
    write_styles(stream);
    if (!paint_all(stream, &painter)) {
        fputs("<text x=\"20\" y=\"40\">There was not enough memory for the picture.</text>",
              stream);
    }
    fputs("</svg>\n", stream);
}
