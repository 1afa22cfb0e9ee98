/*
 * A skinned body: a square tube on three bones curls up, its flesh bulging by a morph target, and a
 * ball waits where its end will come. The vertices of the tube are never handed over: the library
 * gets three transforms and one coordinate per step, and computes what it has to look at.
 */
#include <pliant/pliant.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RINGS = 241, VERTICES = 4 * RINGS, TRIANGLES = 8 * (RINGS - 1), BONES = 3 };

static float rest[VERTICES][3], bulge[VERTICES][3], weights[2 * VERTICES];
static uint32_t triangles[TRIANGLES][3], joints[2 * VERTICES], offsets[VERTICES + 1];

/* Ends the program with the library's sentence if a call failed. */
static void check(pliant_result result)
{
    if (result != PLIANT_OK) {
        fprintf(stderr, "%s: %s\n", pliant_result_get_name(result), pliant_last_error());
        exit(1);
    }
}

/* A tube along x from 0 to 6, each third on a bone of its own, blended over a quarter around. */
static void make_tube(void)
{
    static const float corner[4][2] = {{-.25f, -.25f}, {.25f, -.25f}, {.25f, .25f}, {-.25f, .25f}};
    for (uint32_t v = 0; v < VERTICES; v++) {
        uint32_t ring = v / 4;
        float x = 6.0f * (float)ring / (RINGS - 1);
        uint32_t bone = x < 3.0f ? 0 : 1; /* of the two bones about the nearest joint, the first */
        float share = (x - (2.0f * (float)bone + 1.75f)) / 0.5f;
        float along = share < 0.0f ? 0.0f : share > 1.0f ? 1.0f : share;
        memcpy(rest[v], (float[3]){x, corner[v % 4][0], corner[v % 4][1]}, sizeof rest[v]);
        memcpy(bulge[v], (float[3]){0.0f, corner[v % 4][0], corner[v % 4][1]}, sizeof bulge[v]);
        offsets[v] = 2 * v;
        for (uint32_t i = 0; i < 2; i++) {
            joints[2 * v + i] = bone + i;
            weights[2 * v + i] = i == 0 ? 1.0f - along : along;
        }
    }
    offsets[VERTICES] = 2 * VERTICES;
    for (uint32_t t = 0; t < TRIANGLES; t++) {
        uint32_t ring = t / 8, side = t / 2 % 4;
        uint32_t a = 4 * ring + side, b = 4 * ring + (side + 1) % 4;
        uint32_t corners[2][3] = {{a, b, a + 4}, {b, b + 4, a + 4}};
        memcpy(triangles[t], corners[t % 2], sizeof corners[0]);
    }
}

/* Bones after bones, each turned about the end of the one before: rows of (A | t). */
static void pose_bones(float cosine, float sine, float rows[BONES][12])
{
    float c = 1.0f, s = 0.0f, x = 0.0f, y = 0.0f; /* the turn of a bone and where it begins */
    for (int bone = 0; bone < BONES; bone++) {
        float begin = 2.0f * (float)bone;
        float set[12] = {c, -s, 0, x - c * begin, s, c, 0, y - s * begin, 0, 0, 1, 0};
        memcpy(rows[bone], set, sizeof set);
        x += 2.0f * c;
        y += 2.0f * s;
        float turned = c * cosine - s * sine;
        s = s * cosine + c * sine;
        c = turned;
    }
}

int main(void)
{
    static const float ball[6][3] = {{2, 3, 0},       {3, 3, 0},       {2.5f, 2.5f, 0},
                                     {2.5f, 3.5f, 0}, {2.5f, 3, -.5f}, {2.5f, 3, .5f}};
    static const uint32_t faces[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                         {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    static const float turn[5][2] = {
        {1, 0}, {0.96f, 0.28f}, {0.8f, 0.6f}, {0.6f, 0.8f}, {0.28f, 0.96f}};
    make_tube();
    pliant_context *context = NULL;
    pliant_query *query = NULL;
    pliant_shape *shape[2];
    pliant_body *tube = NULL, *obstacle = NULL;
    check(pliant_context_create(NULL, &context));
    check(pliant_query_create(context, &query));
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = rest[0], def.vertex_count = VERTICES;
    def.triangles = triangles[0], def.triangle_count = TRIANGLES;
    def.modes = bulge[0], def.mode_count = 1;
    def.joint_count = BONES;
    def.influence_offsets = offsets, def.influence_joints = joints, def.influence_weights = weights;
    check(pliant_shape_create(context, &def, &shape[0]));
    def = pliant_shape_def_default();
    def.positions = ball[0], def.vertex_count = 6, def.triangles = faces[0], def.triangle_count = 8;
    check(pliant_shape_create(context, &def, &shape[1]));
    check(pliant_body_create(shape[0], NULL, &tube));
    check(pliant_body_create(shape[1], NULL, &obstacle));

    for (int step = 0; step < 5; step++) {
        float rows[BONES][12], swelling = 0.25f * (float)step;
        pliant_contacts contacts;
        pose_bones(turn[step][0], turn[step][1], rows);
        check(pliant_body_set_coordinates(tube, &swelling, 1));
        check(pliant_body_set_transforms(tube, rows[0], BONES, 0));
        check(pliant_collide(query, tube, obstacle, NULL, &contacts));
        const pliant_stats *stats = pliant_query_get_stats(query);
        printf("step %d: %s", step, contacts.count > 0 ? "touches the ball" : "free");
        printf("\n# %llu pairs; %llu of %d vertices computed\n", (unsigned long long)contacts.count,
               (unsigned long long)stats->vertices_read, VERTICES);
    }
    pliant_body_destroy(tube);
    pliant_body_destroy(obstacle);
    pliant_shape_destroy(shape[0]);
    pliant_shape_destroy(shape[1]);
    pliant_query_destroy(query);
    pliant_context_destroy(context);
    return 0;
}
