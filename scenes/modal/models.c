#include "models.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "curtain_motion.h"

/* Nodes of lattices: a fraction of a second of analysis, and cubes of a few centimetres. */
#define LATTICE_NODES 700

static bool analyse(scene_mesh *mesh, modal_material material, uint32_t modes, modal_model *model)
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
bool modal_make_chair(uint32_t triangles, scene_mesh *mesh, modal_model *model)
{
    modal_material plastic = {.young = 4e5, .poisson = 0.35, .density = 60.0};
    return modal_mesh_chair(triangles > 0 ? triangles : MODAL_CHAIR_FACES, mesh) &&
           analyse(mesh, plastic, MODAL_CHAIR_MODES, model);
}

bool modal_make_fish(uint32_t triangles, scene_mesh *mesh, modal_model *model)
{
    modal_material flesh = {.young = 2e6, .poisson = 0.4, .density = 500.0};
    return modal_mesh_fish(triangles > 0 ? triangles : MODAL_FISH_FACES, mesh) &&
           analyse(mesh, flesh, MODAL_FISH_MODES, model);
}

/* How a section of the bridge is displaced; both ends are held. */
typedef struct bridge_section {
    double swing, sink, twist; /* metres across and up, radians about x */
    double turn, slope;        /* radians about z and y: the section stays across its line */
} bridge_section;

static bridge_section section_at(double share, double x)
{
    double along = x / MODAL_BRIDGE_LENGTH + 0.5, time = 2.0 * SCENE_PI * share;
    along = fmin(fmax(along, 0.0), 1.0);
    double one = scene_sin(SCENE_PI * along), two = scene_sin(2.0 * SCENE_PI * along);
    double three = scene_sin(3.0 * SCENE_PI * along);
    double one_slope = SCENE_PI * scene_cos(SCENE_PI * along) / MODAL_BRIDGE_LENGTH;
    double two_slope = 2.0 * SCENE_PI * scene_cos(2.0 * SCENE_PI * along) / MODAL_BRIDGE_LENGTH;
    double swing = 5.0 * scene_sin(time), sink = 3.0 * scene_sin(2.0 * time + 0.7);
    double wave = 2.0 * scene_cos(time);
    double swing_slope = swing * one_slope;
    double sink_slope = sink * two_slope + wave * one_slope;
    return (bridge_section){
        .swing = swing * one,
        .sink = sink * two + wave * one,
        .twist = 0.7 * two * scene_sin(time + 0.4) + 0.25 * three * scene_cos(2.0 * time),
        .turn = swing_slope,
        .slope = sink_slope,
    };
}

void modal_bridge_move(double share, const double rest[3], double moved[3])
{
    /* What is below the road moves less, down to the towers' feet, which stand. */
    double firm = (rest[2] - MODAL_BRIDGE_FOOT) / (-3.0 - MODAL_BRIDGE_FOOT);
    firm = fmin(fmax(firm, 0.0), 1.0);
    firm = firm * firm * (3.0 - 2.0 * firm);
    bridge_section section = section_at(share, rest[0]);
    double cosine = scene_cos(firm * section.twist), sine = scene_sin(firm * section.twist);
    double y = cosine * rest[1] - sine * rest[2], z = sine * rest[1] + cosine * rest[2];
    moved[0] = rest[0] - firm * (scene_sin(section.turn) * y + scene_sin(section.slope) * z);
    moved[1] = scene_cos(firm * section.turn) * y + firm * section.swing;
    moved[2] = scene_cos(firm * section.slope) * z + firm * section.sink;
}

/* Makes the mean of a compressed animation the mesh's shape. */
static bool compress(const float *frames, uint32_t frame_count, uint32_t mode_count,
                     scene_mesh *mesh, modal_animation *animation)
{
    if (!modal_compress(frames, frame_count, mesh->vertex_count, mode_count, animation)) {
        return false;
    }
    memcpy(mesh->positions, animation->mean, 3 * (size_t)mesh->vertex_count * sizeof(float));
    return true;
}

bool modal_make_bridge(uint32_t triangles, scene_mesh *mesh, modal_animation *animation)
{
    if (!modal_mesh_bridge(triangles > 0 ? triangles : MODAL_BRIDGE_FACES, mesh)) {
        return false;
    }
    size_t length = 3 * (size_t)mesh->vertex_count;
    float *frames = malloc(MODAL_BRIDGE_FRAMES * length * sizeof *frames);
    for (uint32_t f = 0; f < MODAL_BRIDGE_FRAMES && frames != NULL; f++) {
        double share = (double)(f % (MODAL_BRIDGE_FRAMES - 1)) / (MODAL_BRIDGE_FRAMES - 1);
        for (size_t i = 0; i < length; i += 3) {
            const float *at = mesh->positions + i;
            double rest[3] = {(double)at[0], (double)at[1], (double)at[2]}, moved[3];
            modal_bridge_move(share, rest, moved);
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

bool modal_make_curtain(uint32_t triangles, uint64_t seed, scene_mesh *mesh,
                        modal_animation *animation, modal_ball *balls)
{
    triangles = triangles > 0 ? triangles : MODAL_CURTAIN_FACES;
    if (!modal_mesh_curtain(triangles, mesh)) {
        return false;
    }
    float *frames = malloc(MODAL_CURTAIN_FRAMES * 3 * (size_t)mesh->vertex_count * sizeof *frames);
    bool done = frames != NULL &&
                modal_simulate_curtain(mesh, modal_curtain_edge(triangles), seed,
                                       MODAL_CURTAIN_FRAMES, frames, balls) &&
                compress(frames, MODAL_CURTAIN_FRAMES, MODAL_CURTAIN_MODES, mesh, animation);
    free(frames);
    if (!done) {
        mesh_free(mesh);
    }
    return done;
}

modal_model modal_driven_model(const scene_mesh *mesh, const modal_animation *animation)
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
                      scene_model *model)
{
    *model = (scene_model){.mode_count = mode_count, .node_count = placed ? 1 : 0};
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

/* What is drawn for a body beside its place in the lattice of all. */
static void draw_start(uint64_t seed, uint32_t body, double slack, modal_start *start)
{
    scene_random random = scene_random_seed(seed, 5000 + (uint64_t)body);
    scene_random_rotation(&random, start->rotation.rows);
    for (int a = 0; a < 3; a++) {
        start->position[a] += scene_random_range(&random, -slack, slack);
        start->velocity[a] = scene_random_range(&random, -0.5, 0.5);
        start->spin[a] = scene_random_range(&random, -1.0, 1.0);
    }
}

void modal_start_chairs(uint32_t count, double radius, uint64_t seed, modal_start *starts)
{
    uint32_t side = (uint32_t)ceil(cbrt((double)count) - 1e-9);
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
