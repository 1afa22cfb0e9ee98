/*
 * Based on: Heidelberger, Teschner & Gross, Volumetric Collision Detection for Deformable Objects,
 * 2003, section 3: pass 1 counts the layers of each pixel in the stencil buffer and keeps the first
 * one; pass n lets the first n fragments of a pixel through, so that the n-th remains.
 *
 * Front and back faces are drawn in passes of their own, so that every layer's facing is known: on
 * nearly edge-on triangles the order of depths alone cannot be trusted. As the paper proposes, all
 * passes but the first of each facing draw into tiles of one framebuffer, read back at once with
 * depth and stencil packed. An attachment of integers keeps the triangles' numbers, which gradients
 * need. Depth is written only where the depth test is on: it is, and always passes.
 */
#include "gl.h"

#include <stdlib.h>

static const char vertex_source[] =
    "#version 330 core\n"
    "layout(location = 0) in vec3 corner;\n"
    "uniform vec2 size;\n"
    "flat out int number;\n"
    "void main()\n"
    "{\n"
    "    number = gl_VertexID / 3;\n"
    "    gl_Position = vec4(corner.xy * 2.0 / size - 1.0, corner.z * 2.0 - 1.0, 1.0);\n"
    "}\n";

static const char fragment_source[] = "#version 330 core\n"
                                      "flat in int number;\n"
                                      "layout(location = 0) out uint kept;\n"
                                      "void main()\n"
                                      "{\n"
                                      "    kept = uint(number);\n"
                                      "}\n";

enum { MOST_LAYERS = 254 };

/* One pass: which layer of which facing, and its tile. */
typedef struct pass {
    uint32_t layer; /* from 1 */
    bool front;
    uint32_t tile;
} pass;

/* Images being drawn. */
typedef struct drawing {
    pli_gl *gl;
    const pliant_backend_triangles *triangles;
    uint32_t tiles_across;        /* in the framebuffer */
    uint8_t *layers[2];           /* per pixel, of back and front faces */
    const uint32_t *packed, *ids; /* what was read back */
} drawing;

pliant_result pli_gl_stencil_set_up(pli_gl *gl)
{
    gl->program = pli_gl_program(vertex_source, fragment_source);
    if (gl->program == 0) {
        return PLIANT_ERROR_STATE;
    }
    gl->size_at = glGetUniformLocation(gl->program, "size");
    glGenFramebuffers(1, &gl->framebuffer);
    glGenRenderbuffers(1, &gl->depth_stencil);
    glGenRenderbuffers(1, &gl->numbers);
    return PLIANT_OK;
}

void pli_gl_stencil_tear_down(pli_gl *gl)
{
    glDeleteRenderbuffers(1, &gl->numbers);
    glDeleteRenderbuffers(1, &gl->depth_stencil);
    glDeleteFramebuffers(1, &gl->framebuffer);
}

/* A framebuffer with room for `tiles` tiles. */
static pliant_result set_tiles(drawing *d, uint32_t tiles)
{
    pli_gl *gl = d->gl;
    uint32_t largest = (uint32_t)gl->largest;
    uint32_t across = largest / d->triangles->columns, most = largest / d->triangles->rows;
    across = across < tiles ? across : tiles;
    uint32_t down = across > 0 ? (tiles + across - 1) / across : 0;
    if (across == 0 || down > most) {
        return pliant_fail(PLIANT_ERROR_TOO_LARGE, "the layers do not fit into a framebuffer");
    }
    d->tiles_across = across;
    GLsizei width = (GLsizei)(across * d->triangles->columns);
    GLsizei height = (GLsizei)(down * d->triangles->rows);
    glBindFramebuffer(GL_FRAMEBUFFER, gl->framebuffer);
    if (width != gl->width || height != gl->height) {
        glBindRenderbuffer(GL_RENDERBUFFER, gl->depth_stencil);
        glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8, width, height);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER,
                                  gl->depth_stencil);
        glBindRenderbuffer(GL_RENDERBUFFER, gl->numbers);
        glRenderbufferStorage(GL_RENDERBUFFER, GL_R32UI, width, height);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
                                  gl->numbers);
        gl->width = width;
        gl->height = height;
        if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
            gl->width = gl->height = 0;
            return pliant_fail(PLIANT_ERROR_STATE, "there is no such framebuffer");
        }
    }
    return PLIANT_OK;
}

static void begin_drawing(const drawing *d)
{
    glDisable(GL_SCISSOR_TEST);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_ALWAYS);
    glEnable(GL_STENCIL_TEST);
    glEnable(GL_CULL_FACE);
    glClearDepth(1.0);
    glClearStencil(0);
    glClear(GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    glUseProgram(d->gl->program);
    glUniform2f(d->gl->size_at, (float)d->triangles->columns, (float)d->triangles->rows);
}

static void draw_pass(const drawing *d, pass p)
{
    GLsizei columns = (GLsizei)d->triangles->columns, rows = (GLsizei)d->triangles->rows;
    GLint x = (GLint)(p.tile % d->tiles_across) * columns;
    GLint y = (GLint)(p.tile / d->tiles_across) * rows;
    glViewport(x, y, columns, rows);
    glEnable(GL_SCISSOR_TEST);
    glScissor(x, y, columns, rows);
    glCullFace(p.front ? GL_BACK : GL_FRONT);
    glStencilFunc(GL_GREATER, (GLint)p.layer, 0xff);
    glStencilOp(p.layer == 1 ? GL_INCR : GL_KEEP, GL_INCR, GL_INCR);
    glDrawArrays(GL_TRIANGLES, 0, (GLsizei)(3 * d->triangles->count));
}

static bool read_back(drawing *d)
{
    pli_gl *gl = d->gl;
    size_t pixels = (size_t)gl->width * (size_t)gl->height;
    if (!pliant_context_reserve_array(gl->owner, 2 * pixels, sizeof *gl->read.data,
                                      &gl->read.array)) {
        return false;
    }
    uint32_t *packed = gl->read.data;
    glReadPixels(0, 0, gl->width, gl->height, GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8, packed);
    glReadPixels(0, 0, gl->width, gl->height, GL_RED_INTEGER, GL_UNSIGNED_INT, packed + pixels);
    d->packed = packed;
    d->ids = packed + pixels;
    return true;
}

/* Where a pixel of a tile is in what was read back. */
static size_t place_of(const drawing *d, uint32_t tile, uint32_t column, uint32_t row)
{
    size_t x = (tile % d->tiles_across) * d->triangles->columns + column;
    size_t y = (tile / d->tiles_across) * d->triangles->rows + row;
    return y * (size_t)d->gl->width + x;
}

/* Takes the crossings of one pass from its tile. */
static bool take_layer(drawing *d, pass p)
{
    pli_gl *gl = d->gl;
    uint32_t columns = d->triangles->columns, rows = d->triangles->rows;
    const uint8_t *layers = d->layers[p.front ? 1 : 0];
    if (!pli_gl_reserve(gl, gl->count + (size_t)columns * rows)) {
        return false;
    }
    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t column = 0; column < columns; column++) {
            uint32_t pixel = row * columns + column;
            if (layers[pixel] >= p.layer) {
                size_t at = place_of(d, p.tile, column, row);
                gl->pixel.data[gl->count] = pixel;
                gl->depth.data[gl->count] = (float)(d->packed[at] >> 8) / 16777215.0f;
                gl->triangle.data[gl->count++] = d->ids[at] << 1 | (p.front ? 1 : 0);
            }
        }
    }
    return true;
}

/* The numbers of layers from the stencil of a first pass, and the greatest of them. */
static uint32_t take_counts(drawing *d, pass p)
{
    uint32_t columns = d->triangles->columns, greatest = 0;
    uint8_t *layers = d->layers[p.front ? 1 : 0];
    for (uint32_t row = 0; row < d->triangles->rows; row++) {
        for (uint32_t column = 0; column < columns; column++) {
            uint8_t count = (uint8_t)(d->packed[place_of(d, p.tile, column, row)] & 0xff);
            layers[row * columns + column] = count;
            greatest = count > greatest ? count : greatest;
        }
    }
    return greatest;
}

/* The first pass of both facings: how many layers there are, and the first of each. */
static pliant_result draw_first(drawing *d, uint32_t layers[2])
{
    pliant_result result = set_tiles(d, 2);
    if (result != PLIANT_OK) {
        return result;
    }
    begin_drawing(d);
    for (uint32_t front = 0; front < 2; front++) {
        draw_pass(d, (pass){1, front == 1, front});
    }
    if (!read_back(d)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t front = 0; front < 2; front++) {
        pass p = {1, front == 1, front};
        layers[front] = take_counts(d, p);
        if (layers[front] > MOST_LAYERS) {
            return pliant_fail(PLIANT_ERROR_TOO_LARGE,
                               "more than 254 layers of one facing over one pixel");
        }
        if (!take_layer(d, p)) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
    }
    return PLIANT_OK;
}

/* All other layers of both facings, in tiles of one framebuffer. */
static pliant_result draw_others(drawing *d, const uint32_t layers[2])
{
    static const uint32_t first = 2;
    uint32_t count[2] = {layers[0] >= first ? layers[0] - 1 : 0,
                         layers[1] >= first ? layers[1] - 1 : 0};
    if (count[0] + count[1] == 0) {
        return PLIANT_OK;
    }
    pliant_result result = set_tiles(d, count[0] + count[1]);
    if (result != PLIANT_OK) {
        return result;
    }
    begin_drawing(d);
    for (uint32_t tile = 0; tile < count[0] + count[1]; tile++) {
        bool front = tile >= count[0];
        draw_pass(d, (pass){first + (front ? tile - count[0] : tile), front, tile});
    }
    if (!read_back(d)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t tile = 0; tile < count[0] + count[1]; tile++) {
        bool front = tile >= count[0];
        if (!take_layer(d, (pass){first + (front ? tile - count[0] : tile), front, tile})) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
    }
    return PLIANT_OK;
}

pliant_result pli_gl_stencil_cross(pli_gl *gl, const pliant_backend_triangles *triangles)
{
    drawing d = {.gl = gl, .triangles = triangles};
    size_t pixels = (size_t)triangles->columns * triangles->rows;
    if (!pliant_context_reserve_array(gl->owner, 2 * pixels, 1, &gl->layers.array)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    d.layers[0] = gl->layers.data;
    d.layers[1] = d.layers[0] + pixels;
    uint32_t layers[2] = {0, 0};
    pliant_result result = draw_first(&d, layers);
    return result == PLIANT_OK ? draw_others(&d, layers) : result;
}
