#include "models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "curtain_motion.h"
#include "curtain_throw.h"

/* Nodes of lattices: a fraction of a second of analysis, and cubes of a few centimetres. */
#define LATTICE_NODES 700

static bool analyse(gallery_mesh *mesh, modal_material material, uint32_t modes, modal_model *model)
{
    modal_analysis_def def = {
        .material = material, .mode_count = modes, .most_nodes = LATTICE_NODES};
    bool done = modal_analyse(mesh, &def, model);
    if (!done) {
        mesh_free(mesh);
    }
    return done;
}

/* Densities are those of the lattice's cubes, which are mostly air; the stiffness is chosen for a
   few vibrations a second, so that one sees them. */
bool modal_make_chair(uint32_t triangles, gallery_mesh *mesh, modal_model *model)
{
    modal_material plastic = {.young = 4e5, .poisson = 0.35, .density = 60.0};
    return modal_mesh_chair(triangles > 0 ? triangles : MODAL_CHAIR_FACES, mesh) &&
           analyse(mesh, plastic, MODAL_CHAIR_MODES, model);
}

bool modal_make_fish(uint32_t triangles, gallery_mesh *mesh, modal_model *model)
{
    modal_material flesh = {.young = 2e6, .poisson = 0.4, .density = 500.0};
    return modal_mesh_fish(triangles > 0 ? triangles : MODAL_FISH_FACES, mesh) &&
           analyse(mesh, flesh, MODAL_FISH_MODES, model);
}

/* What the motion of a point of the bridge needs of its place at rest. Both ends are held. */
typedef struct bridge_place {
    double one, two, three;      /* half waves along the bridge */
    double one_slope, two_slope; /* how they change, per metre */
    double firm;                 /* 1: moves with the road, 0: stands */
} bridge_place;

/* And of the time. */
typedef struct bridge_time {
    double swing, sink, wave; /* metres across and up */
    double twist[2];          /* radians about x */
} bridge_time;

static bridge_place place_of(const double rest[3])
{
    double along = fmin(fmax(rest[0] / MODAL_BRIDGE_LENGTH + 0.5, 0.0), 1.0);
    double half = GALLERY_PI / MODAL_BRIDGE_LENGTH;
    bridge_place place = {
        .one = gallery_sin(GALLERY_PI * along),
        .two = gallery_sin(2.0 * GALLERY_PI * along),
        .three = gallery_sin(3.0 * GALLERY_PI * along),
        .one_slope = half * gallery_cos(GALLERY_PI * along),
        .two_slope = 2.0 * half * gallery_cos(2.0 * GALLERY_PI * along),
    };
    /* What is below the road moves less, down to the towers' feet, which stand. */
    double up = (rest[2] - MODAL_BRIDGE_FOOT) / (-3.0 - MODAL_BRIDGE_FOOT);
    up = fmin(fmax(up, 0.0), 1.0);
    place.firm = up * up * (3.0 - 2.0 * up);
    return place;
}

static bridge_time time_of(double share)
{
    double time = 2.0 * GALLERY_PI * share;
    return (bridge_time){
        .swing = 5.0 * gallery_sin(time),
        .sink = 3.0 * gallery_sin(2.0 * time + 0.7),
        .wave = 2.0 * gallery_cos(time),
        .twist = {0.7 * gallery_sin(time + 0.4), 0.25 * gallery_cos(2.0 * time)},
    };
}

/* A section swings, sinks and twists, and turns so that it stays across the line of the road. */
static void move_bridge(const bridge_place *place, const bridge_time *time, const double rest[3],
                        double moved[3])
{
    double twist = place->firm * (time->twist[0] * place->two + time->twist[1] * place->three);
    double turn = place->firm * time->swing * place->one_slope;
    double slope = place->firm * (time->sink * place->two_slope + time->wave * place->one_slope);
    double cosine = gallery_cos(twist), sine = gallery_sin(twist);
    double y = cosine * rest[1] - sine * rest[2], z = sine * rest[1] + cosine * rest[2];
    moved[0] = rest[0] - gallery_sin(turn) * y - gallery_sin(slope) * z;
    moved[1] = gallery_cos(turn) * y + place->firm * time->swing * place->one;
    moved[2] =
        gallery_cos(slope) * z + place->firm * (time->sink * place->two + time->wave * place->one);
}

void modal_bridge_move(double share, const double rest[3], double moved[3])
{
    bridge_place place = place_of(rest);
    bridge_time time = time_of(share);
    move_bridge(&place, &time, rest, moved);
}

/* Makes the mean of a compressed animation the mesh's shape. */
static bool compress(const float *frames, uint32_t frame_count, uint32_t mode_count,
                     gallery_mesh *mesh, modal_animation *animation)
{
    if (!modal_compress(frames, frame_count, mesh->vertex_count, mode_count, animation)) {
        return false;
    }
    memcpy(mesh->positions, animation->mean, 3 * (size_t)mesh->vertex_count * sizeof(float));
    return true;
}

bool modal_make_bridge(uint32_t triangles, gallery_mesh *mesh, modal_animation *animation)
{
    if (!modal_mesh_bridge(triangles > 0 ? triangles : MODAL_BRIDGE_FACES, mesh)) {
        return false;
    }
    size_t length = 3 * (size_t)mesh->vertex_count;
    float *frames = malloc(MODAL_BRIDGE_FRAMES * length * sizeof *frames);
    bridge_time times[MODAL_BRIDGE_FRAMES];
    for (uint32_t f = 0; f < MODAL_BRIDGE_FRAMES; f++) {
        times[f] = time_of((double)(f % (MODAL_BRIDGE_FRAMES - 1)) / (MODAL_BRIDGE_FRAMES - 1));
    }
    for (size_t i = 0; i < length && frames != NULL; i += 3) {
        const float *at = mesh->positions + i;
        double rest[3] = {(double)at[0], (double)at[1], (double)at[2]}, moved[3];
        bridge_place place = place_of(rest);
        for (uint32_t f = 0; f < MODAL_BRIDGE_FRAMES; f++) {
            move_bridge(&place, &times[f], rest, moved);
            for (size_t a = 0; a < 3; a++) {
                frames[f * length + i + a] = (float)moved[a];
            }
        }
    }
    bool done = frames != NULL &&
                compress(frames, MODAL_BRIDGE_FRAMES, MODAL_BRIDGE_MODES, mesh, animation);
    free(frames);
    if (!done) {
        mesh_free(mesh);
    }
    return done;
}

static bool make_blown(uint32_t edge, uint64_t seed, pliant_isa isa, float *frames,
                       gallery_mesh *mesh, modal_animation *animation, modal_ball *balls)
{
    if (!modal_blow_curtain(mesh, edge, seed, MODAL_CURTAIN_FRAMES, frames) ||
        !compress(frames, MODAL_CURTAIN_FRAMES, MODAL_CURTAIN_MODES, mesh, animation)) {
        return false;
    }
    gallery_random random = gallery_random_seed(seed, 0);
    modal_throw start = modal_draw_throw(&random);
    start.isa = isa;
    bool done = modal_throw_ball(mesh, animation, &start, balls);
    if (!done) {
        modal_animation_free(animation);
    }
    return done;
}

static bool make_pushed(uint32_t edge, uint64_t seed, pliant_isa isa, float *frames,
                        gallery_mesh *mesh, modal_animation *animation, modal_ball *balls)
{
    (void)isa; /* the library is not asked */
    return modal_push_curtain(mesh, edge, seed, MODAL_CURTAIN_FRAMES, frames, balls) &&
           compress(frames, MODAL_CURTAIN_FRAMES, MODAL_CURTAIN_MODES, mesh, animation);
}

bool modal_make_curtain(modal_curtain motion, uint32_t triangles, uint64_t seed, pliant_isa isa,
                        gallery_mesh *mesh, modal_animation *animation, modal_ball *balls)
{
    triangles = triangles > 0 ? triangles : MODAL_CURTAIN_FACES;
    if (!modal_mesh_curtain(triangles, mesh)) {
        return false;
    }
    float *frames = malloc(MODAL_CURTAIN_FRAMES * 3 * (size_t)mesh->vertex_count * sizeof *frames);
    bool done = frames != NULL &&
                (motion == MODAL_CURTAIN_PUSHED ? make_pushed : make_blown)(
                    modal_curtain_edge(triangles), seed, isa, frames, mesh, animation, balls);
    free(frames);
    if (!done) {
        mesh_free(mesh);
    }
    return done;
}

modal_model modal_driven_model(const gallery_mesh *mesh, const modal_animation *animation)
{
    modal_model model = {.vertex_count = mesh->vertex_count};
    if (animation != NULL) {
        model.mode_count = animation->mode_count;
        model.modes = animation->modes;
    }
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i += 3) {
        double x = (double)mesh->positions[i], y = (double)mesh->positions[i + 1];
        double z = (double)mesh->positions[i + 2];
        model.radius = fmax(model.radius, sqrt(x * x + y * y + z * z));
    }
    return model;
}

bool modal_copy_model(const float *modes, uint32_t mode_count, uint32_t vertex_count, bool placed,
                      gallery_model *model)
{
    *model = (gallery_model){.mode_count = mode_count, .joint_count = placed ? 1 : 0};
    size_t size = 3 * (size_t)vertex_count * mode_count * sizeof(float);
    if (size == 0) {
        return true;
    }
    model->modes = malloc(size);
    if (model->modes == NULL) {
        return false;
    }
    memcpy(model->modes, modes, size);
    return true;
}

bool modal_copy_body(const gallery_mesh *mesh, const modal_model *model, gallery_mesh *mesh_copy,
                     gallery_model *model_copy)
{
    if (!mesh_allocate(mesh->vertex_count, mesh->triangle_count, mesh_copy)) {
        return false;
    }
    memcpy(mesh_copy->positions, mesh->positions, 3 * (size_t)mesh->vertex_count * sizeof(float));
    memcpy(mesh_copy->triangles, mesh->triangles,
           3 * (size_t)mesh->triangle_count * sizeof(uint32_t));
    return modal_copy_model(model->modes, model->mode_count, model->vertex_count, true, model_copy);
}

/* What is drawn for a body beside its place in the lattice of all. */
static void draw_start(uint64_t seed, uint32_t body, double slack, modal_start *start)
{
    gallery_random random = gallery_random_seed(seed, 5000 + (uint64_t)body);
    gallery_random_rotation(&random, start->rotation.rows);
    for (int a = 0; a < 3; a++) {
        start->position[a] += gallery_random_range(&random, -slack, slack);
        start->velocity[a] = gallery_random_range(&random, -0.5, 0.5);
        start->spin[a] = gallery_random_range(&random, -1.0, 1.0);
    }
}

void modal_start_chairs(uint32_t count, uint32_t layers, double radius, uint64_t seed,
                        modal_start *starts)
{
    double in_layer = layers > 0 ? (double)count / layers : pow((double)count, 2.0 / 3.0);
    uint32_t side = (uint32_t)ceil(sqrt(in_layer) - 1e-9);
    double spacing = 2.1 * radius, slack = 0.05 * radius;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t cell[3] = {i % side, i / side % side, i / side / side};
        for (int a = 0; a < 3; a++) {
            double middle = a < 2 ? 0.5 * (side - 1) : -0.6;
            starts[i].position[a] = spacing * (cell[a] - middle);
        }
        draw_start(seed, i, slack, &starts[i]);
    }
}

void modal_start_fish(uint32_t count, double radius, uint64_t seed, modal_start *starts)
{
    double spacing = 2.1 * radius, slack = 0.05 * radius;
    /* Rows across the road, within its cables, along the middle span and beyond. */
    uint32_t across = (uint32_t)fmax(floor(MODAL_BRIDGE_WIDTH / spacing), 1.0);
    uint32_t along = (uint32_t)fmax(floor(0.85 * MODAL_BRIDGE_LENGTH / spacing), 1.0);
    along = along * across < count ? along : (count + across - 1) / across;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t cell[3] = {i / across % along, i % across, i / across / along};
        starts[i].position[0] = spacing * (cell[0] - 0.5 * (along - 1));
        starts[i].position[1] = spacing * (cell[1] - 0.5 * (across - 1));
        starts[i].position[2] = MODAL_BRIDGE_ROAD + 5.0 + spacing * (cell[2] + 0.5);
        draw_start(seed, i, slack, &starts[i]);
    }
}
