#include "ldi.h"

#include "pliant/asset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef PLIANT_BUNNY_FILE
#define PLIANT_BUNNY_FILE ""
#endif

#ifdef PLIANT_HAVE_GL
#include "pliant/gl.h"

static pliant_result create_backend(pliant_context *context, ldi_drawn drawn,
                                    pliant_volume_backend **backend)
{
    pliant_gl_def def = pliant_gl_def_default();
    def.method = drawn == LDI_GL_LISTS ? PLIANT_GL_LISTS : PLIANT_GL_STENCIL;
    return pliant_gl_create(context, &def, backend);
}

static void destroy_backend(pliant_volume_backend *backend)
{
    pliant_gl_destroy(backend);
}

const char *ldi_renderer(void)
{
    static char name[128];
    pliant_context *context = NULL;
    pliant_volume_backend *backend = NULL;
    if (name[0] == '\0' && pliant_context_create(NULL, &context) == PLIANT_OK &&
        create_backend(context, LDI_GL_STENCIL, &backend) == PLIANT_OK) {
        strncpy(name, pliant_gl_get_renderer(backend), sizeof name - 1);
    }
    destroy_backend(backend);
    pliant_context_destroy(context);
    return name;
}
#else
static pliant_result create_backend(pliant_context *context, ldi_drawn drawn,
                                    pliant_volume_backend **backend)
{
    (void)context;
    (void)drawn;
    (void)backend;
    return PLIANT_ERROR_STATE;
}

static void destroy_backend(pliant_volume_backend *backend)
{
    (void)backend;
}

const char *ldi_renderer(void)
{
    return "";
}
#endif

bool ldi_available(ldi_drawn drawn)
{
    pliant_volume_backend *backend = NULL;
    if (drawn == LDI_PROCESSOR) {
        return true;
    }
    pliant_context *context = NULL;
    bool there = pliant_context_create(NULL, &context) == PLIANT_OK &&
                 create_backend(context, drawn, &backend) == PLIANT_OK;
    destroy_backend(backend);
    pliant_context_destroy(context);
    return there;
}

ldi_moment ldi_now(void)
{
    struct timespec process;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &process);
    return (ldi_moment){.thread = bench_seconds(),
                        .process = (double)process.tv_sec + 1e-9 * (double)process.tv_nsec,
                        .wall = bench_wall_seconds()};
}

double ldi_elapsed(const ldi_player *player, ldi_moment from, ldi_moment to)
{
    return 1e3 * (player->backend == NULL ? to.thread - from.thread
                                          : fmin(to.wall - from.wall, to.process - from.process));
}

double ldi_quartile(double *times, uint32_t count)
{
    bench_median(times, count);
    return count > 0 ? times[count / 4] : (double)NAN;
}

static const gallery_placement upright = {.rotation = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

static bool make_frames(ldi_body *body)
{
    for (uint32_t f = 0; f < LDI_FRAMES; f++) {
        body->frames[f] = malloc((size_t)body->mesh.vertex_count * 3 * sizeof(float));
        if (body->frames[f] == NULL) {
            ldi_body_free(body);
            return false;
        }
        closed_deform(body->mesh.positions, body->mesh.vertex_count, 0.02 * f, &upright,
                      body->frames[f]);
    }
    return true;
}

bool ldi_body_make(closed_kind kind, uint32_t triangles, ldi_body *body)
{
    memset(body, 0, sizeof *body);
    body->name = closed_name(kind);
    return closed_make(kind, triangles, &body->mesh) && make_frames(body);
}

bool ldi_body_make_shells(closed_kind kind, uint32_t triangles, uint32_t shells, ldi_body *body)
{
    memset(body, 0, sizeof *body);
    body->name = "shells";
    gallery_mesh one;
    if (!closed_make(kind, triangles, &one)) {
        return false;
    }
    uint32_t vertices = one.vertex_count, count = one.triangle_count;
    bool made = mesh_allocate(shells * vertices, shells * count, &body->mesh);
    for (uint32_t i = 0; i < shells && made; i++) {
        float size = 1.0f - (float)i / (float)(shells + 1);
        for (uint32_t k = 0; k < 3 * vertices; k++) {
            body->mesh.positions[3 * (size_t)i * vertices + k] = size * one.positions[k];
        }
        for (uint32_t k = 0; k < 3 * count; k++) {
            uint32_t from = i % 2 == 0 ? k : k - k % 3 + (3 - k % 3) % 3;
            body->mesh.triangles[3 * (size_t)i * count + k] = one.triangles[from] + i * vertices;
        }
    }
    mesh_free(&one);
    return made && make_frames(body);
}

bool ldi_body_join(const ldi_body *first, const ldi_body *second, ldi_body *body)
{
    const ldi_body *const parts[2] = {first, second};
    memset(body, 0, sizeof *body);
    body->name = "two parts";
    bool made =
        mesh_allocate(first->mesh.vertex_count + second->mesh.vertex_count,
                      first->mesh.triangle_count + second->mesh.triangle_count, &body->mesh) &&
        make_frames(body);
    uint32_t vertices = 0, triangles = 0;
    for (uint32_t i = 0; i < 2 && made; i++) {
        const gallery_mesh *from = &parts[i]->mesh;
        size_t bytes = 3 * (size_t)from->vertex_count * sizeof(float);
        memcpy(body->mesh.positions + 3 * (size_t)vertices, from->positions, bytes);
        for (uint32_t f = 0; f < LDI_FRAMES; f++) {
            memcpy(body->frames[f] + 3 * (size_t)vertices, parts[i]->frames[f], bytes);
        }
        for (uint32_t k = 0; k < 3 * from->triangle_count; k++) {
            body->mesh.triangles[3 * (size_t)triangles + k] = from->triangles[k] + vertices;
        }
        vertices += from->vertex_count;
        triangles += from->triangle_count;
    }
    return made;
}

static bool copy_mesh(const pliant_asset_mesh *from, gallery_mesh *mesh)
{
    if (from == NULL || from->triangles == NULL ||
        !mesh_allocate(from->vertex_count, from->triangle_count, mesh)) {
        return false;
    }
    memcpy(mesh->positions, from->positions,
           3 * (size_t)from->vertex_count * sizeof *mesh->positions);
    memcpy(mesh->triangles, from->triangles,
           3 * (size_t)from->triangle_count * sizeof *mesh->triangles);
    return true;
}

bool ldi_body_make_bunny(ldi_body *body)
{
    static const char *const paths[1] = {PLIANT_BUNNY_FILE};
    memset(body, 0, sizeof *body);
    body->name = "bunny, real";
    pliant_context *context = NULL;
    pliant_asset *asset = NULL;
    pliant_asset_def def = pliant_asset_def_default();
    def.paths = paths;
    def.path_count = 1;
    bool made = paths[0][0] != '\0' && pliant_context_create(NULL, &context) == PLIANT_OK &&
                pliant_asset_load(context, &def, &asset) == PLIANT_OK &&
                copy_mesh(pliant_asset_get_mesh(asset, 0), &body->mesh);
    pliant_asset_destroy(asset);
    pliant_context_destroy(context);
    return made && make_frames(body);
}

static void box_of(const ldi_body *body, double lower[3], double upper[3])
{
    for (int k = 0; k < 3; k++) {
        lower[k] = (double)INFINITY;
        upper[k] = -(double)INFINITY;
    }
    for (uint32_t i = 0; i < 3 * body->mesh.vertex_count; i++) {
        lower[i % 3] = fmin(lower[i % 3], (double)body->frames[0][i]);
        upper[i % 3] = fmax(upper[i % 3], (double)body->frames[0][i]);
    }
}

void ldi_body_put_against(ldi_body *body, const ldi_body *other, uint32_t axis, double share)
{
    double lower[2][3], upper[2][3], move[3];
    box_of(other, lower[0], upper[0]);
    box_of(body, lower[1], upper[1]);
    for (int k = 0; k < 3; k++) {
        move[k] = 0.5 * (lower[0][k] + upper[0][k] - lower[1][k] - upper[1][k]);
    }
    double side = fmin(upper[0][axis] - lower[0][axis], upper[1][axis] - lower[1][axis]);
    move[axis] = upper[0][axis] - share * side - lower[1][axis];
    for (uint32_t f = 0; f < LDI_FRAMES; f++) {
        for (uint32_t i = 0; i < 3 * body->mesh.vertex_count; i++) {
            body->frames[f][i] = (float)((double)body->frames[f][i] + move[i % 3]);
        }
    }
}

void ldi_body_free(ldi_body *body)
{
    for (uint32_t f = 0; f < LDI_FRAMES; f++) {
        free(body->frames[f]);
    }
    mesh_free(&body->mesh);
    memset(body, 0, sizeof *body);
}

static bool add_body(const ldi_body *body, ldi_player *player)
{
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = body->mesh.positions;
    def.vertex_count = body->mesh.vertex_count;
    def.triangles = body->mesh.triangles;
    def.triangle_count = body->mesh.triangle_count;
    uint32_t i = player->body_count;
    if (pliant_shape_create(player->context, &def, &player->shapes[i]) != PLIANT_OK) {
        return false;
    }
    player->body_count++;
    /* A region of interest moves little from state to state: the front follows it. */
    pliant_body_def body_def = pliant_body_def_default();
    body_def.update = PLIANT_UPDATE_FRONT;
    return pliant_body_create(player->shapes[i], &body_def, &player->bodies[i]) == PLIANT_OK;
}

static bool fill(const ldi_method *method, pliant_isa cap, const ldi_body *const *bodies,
                 uint32_t body_count, ldi_player *player)
{
    pliant_context_def def = pliant_context_def_default();
    def.isa = method->isa == PLIANT_ISA_BEST ? cap : method->isa;
    pliant_volume_def volume_def = pliant_volume_def_default();
    if (pliant_context_create(&def, &player->context) != PLIANT_OK ||
        (method->drawn != LDI_PROCESSOR &&
         create_backend(player->context, method->drawn, &player->backend) != PLIANT_OK)) {
        return false;
    }
    volume_def.backend = player->backend;
    if (pliant_volume_create(player->context, &volume_def, &player->volume) != PLIANT_OK) {
        return false;
    }
    player->options = pliant_volume_options_default();
    player->options.resolution = LDI_RESOLUTION;
    player->options.cull = method->cull;
    player->options.error_bound = method->error_bound;
    bool made = true;
    for (uint32_t i = 0; i < body_count && made; i++) {
        made = add_body(bodies[i], player);
    }
    return made;
}

bool ldi_player_create(const ldi_method *method, pliant_isa cap, const ldi_body *const *bodies,
                       uint32_t body_count, ldi_player *player)
{
    memset(player, 0, sizeof *player);
    if (fill(method, cap, bodies, body_count, player)) {
        return true;
    }
    ldi_player_destroy(player);
    return false;
}

void ldi_player_destroy(ldi_player *player)
{
    pliant_volume_destroy(player->volume);
    destroy_backend(player->backend);
    for (uint32_t i = 0; i < player->body_count; i++) {
        pliant_body_destroy(player->bodies[i]);
        pliant_shape_destroy(player->shapes[i]);
    }
    pliant_context_destroy(player->context);
    memset(player, 0, sizeof *player);
}

bool ldi_player_show(ldi_player *player, const ldi_body *const *bodies, uint32_t frame)
{
    bool shown = true;
    for (uint32_t i = 0; i < player->body_count && shown; i++) {
        shown = pliant_body_share_positions(player->bodies[i], bodies[i]->frames[frame], 0) ==
                PLIANT_OK;
    }
    return shown;
}
