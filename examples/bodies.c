/*
 * The four kinds of body: given by positions, by coordinates of modes, by one transform, or by the
 * transforms of joints. All four here are the same square of two triangles.
 */
#include <pliant/pliant.h>
#include <stdio.h>
#include <stdlib.h>

static const float rest[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
static const uint32_t triangles[2][3] = {{0, 1, 2}, {0, 2, 3}};

/* Ends the program with the library's sentence if a call failed. */
static void check(pliant_result result)
{
    if (result != PLIANT_OK) {
        fprintf(stderr, "%s\n", pliant_last_error());
        exit(EXIT_FAILURE);
    }
}

static pliant_shape_def define_square(void)
{
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = rest[0];
    def.vertex_count = 4;
    def.triangles = triangles[0];
    def.triangle_count = 2;
    return def;
}

/* A free body: nothing but the mesh, and in every step the positions of all vertices. */
static void set_free(pliant_body *body)
{
    float positions[4][3] = {{0, 0, 1}, {1, 0, 1}, {1, 1, 2}, {0, 1, 2}};
    check(pliant_body_set_positions(body, positions[0], 0));
}

/* A reduced body: a field of displacements per mode, and in every step a coordinate per mode. */
static pliant_shape_def define_reduced(void)
{
    static const float lift[4][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 1}, {0, 0, 1}};
    pliant_shape_def def = define_square();
    def.modes = lift[0];
    def.mode_count = 1;
    return def;
}

static void set_reduced(pliant_body *body)
{
    float coordinate = 0.5f; /* half of the mode's displacements */
    check(pliant_body_set_coordinates(body, &coordinate, 1));
}

/* A rigid body: one transform for the whole mesh, the rows of (A | t). */
static pliant_shape_def define_rigid(void)
{
    pliant_shape_def def = define_square();
    def.joint_count = 1;
    return def;
}

static void set_rigid(pliant_body *body)
{
    float turned[12] = {0, -1, 0, 5, 1, 0, 0, 0, 0, 0, 1, 0}; /* a quarter turn, then 5 along x */
    check(pliant_body_set_transforms(body, turned, 1, 0));
}

/* A blended body: each vertex follows one or more joints, with weights. */
static pliant_shape_def define_blended(void)
{
    static const uint32_t offsets[5] = {0, 1, 2, 4, 6}; /* vertices 2 and 3 follow two joints */
    static const uint32_t joints[6] = {0, 0, 0, 1, 0, 1};
    static const float weights[6] = {1, 1, 0.25f, 0.75f, 0.25f, 0.75f};
    pliant_shape_def def = define_square();
    def.joint_count = 2;
    def.influence_offsets = offsets;
    def.influence_joints = joints;
    def.influence_weights = weights;
    return def;
}

/* The same from an engine's vertex buffer: four joints and four weights per vertex, of 8 bits. */
static pliant_shape_def define_from_engine(void)
{
    static const uint16_t corners[6] = {0, 1, 2, 0, 2, 3};
    static const struct {
        uint8_t joints[4], weights[4];
    } vertices[4] = {{{0}, {255}}, {{0}, {255}}, {{0, 1}, {51, 204}}, {{0, 1}, {51, 204}}};
    pliant_shape_def def = define_square();
    def.triangles = NULL;
    def.triangles16 = corners;
    def.joint_count = 2;
    def.slot_count = 4;
    def.slot_joints = vertices[0].joints;
    def.slot_joint_type = PLIANT_NUMBER_UINT8;
    def.slot_joint_stride = sizeof vertices[0];
    def.slot_weights = vertices[0].weights;
    def.slot_weight_type = PLIANT_NUMBER_UINT8; /* 51 stands for 0.2 */
    def.slot_weight_stride = sizeof vertices[0];
    return def;
}

static void set_blended(pliant_body *body)
{
    float transforms[2][12] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0},  /* stays */
                               {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 4}}; /* 4 along z */
    check(pliant_body_set_transforms(body, transforms[0], 2, 0));
}

/* Any body: a last transform for all of it, by which a character is placed in the world. */
static void place(pliant_body *body)
{
    float matrix[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {7, 0, 0, 1}}; /* columns */
    set_blended(body);
    check(pliant_body_set_world_matrix(body, matrix[0]));
}

static void show(pliant_context *context, const char *kind, pliant_shape_def def,
                 void (*set_state)(pliant_body *body))
{
    pliant_shape *shape = NULL;
    pliant_body *body = NULL;
    float at[4][3];
    check(pliant_shape_create(context, &def, &shape));
    check(pliant_body_create(shape, NULL, &body));
    set_state(body);
    check(pliant_body_evaluate(body, NULL, 4, at[0]));
    printf("%s: vertex 2 is at (%g %g %g)\n", kind, (double)at[2][0], (double)at[2][1],
           (double)at[2][2]);
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
}

int main(void)
{
    pliant_context *context = NULL;
    check(pliant_context_create(NULL, &context));
    show(context, "free", define_square(), set_free);
    show(context, "reduced", define_reduced(), set_reduced);
    show(context, "rigid", define_rigid(), set_rigid);
    show(context, "blended", define_blended(), set_blended);
    show(context, "from an engine", define_from_engine(), set_blended);
    show(context, "placed", define_blended(), place);
    pliant_context_destroy(context);
    return 0;
}
