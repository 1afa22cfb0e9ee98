/*
 * A cloth falls onto a ball and stays there, passing neither through the ball nor through itself.
 *
 * Position-based dynamics (Mueller, Heidelberger, Hennix & Ratcliff 2007): in every step each
 * vertex goes on as it did, links and contacts then move vertices to where they want them, and the
 * velocity is what came of it. The library says where contacts are:
 *   - against the ball, by the signed distance of every vertex;
 *   - against itself, by pairs of a vertex and a face or of two edges that are close.
 * What contacts leave undone a guard keeps from happening: it asks what meets on the way.
 */
#include <math.h>
#include <pliant/pliant.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SQUARES       48 /* along each side of the cloth */
#define EDGE          0.025f
#define VERTICES      ((SQUARES + 1) * (SQUARES + 1))
#define TRIANGLES     (2 * SQUARES * SQUARES)

#define RINGS         32 /* of the ball, from pole to pole */
#define RADIUS        0.16f
#define BALL_VERTICES (2 * RINGS * (RINGS - 1) + 2)

#define ITERATIONS    4
#define ROUNDS        10 /* of the guard, at most */

/* Lengths below the height of a triangle: beyond that, all neighbours on the cloth are close. */
#define APART    (0.25f * EDGE) /* kept between parts of the cloth */
#define NEAR     (0.5f * EDGE)  /* looked for: what may come closer than APART in this step */
#define OFF      (0.4f * EDGE)  /* kept between vertices and the ball */
#define FRICTION 0.5f

/* Two vertices that want to keep their distance; `share` of the error goes in one iteration. */
typedef struct spring {
    int a, b;
    float length, share;
} spring;

static float places[VERTICES][3], starts[VERTICES][3], velocities[VERTICES][3];
static uint32_t triangles[TRIANGLES][3];
static spring springs[6 * VERTICES];
static int spring_count;
static pliant_signed_distance distances[VERTICES];
static float shares[VERTICES]; /* of its way, that the guard lets a vertex go */
static float seconds;          /* per step */
static float farthest;         /* that a vertex moves in one step */

static float ball_places[BALL_VERTICES][3];
static uint32_t ball_triangles[2 * BALL_VERTICES][3];
static uint32_t ball_triangle_count;

/* Ends the program with the library's sentence if a call failed. */
static void check(pliant_result result)
{
    if (result != PLIANT_OK) {
        fprintf(stderr, "%s\n", pliant_last_error());
        exit(EXIT_FAILURE);
    }
}

static float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Adds a spring from vertex (i, j) to one `right` columns and `up` rows on, if there is one. */
static void add_spring(int i, int j, int right, int up, float share)
{
    if (i + right >= 0 && i + right <= SQUARES && j + up <= SQUARES) {
        int a = j * (SQUARES + 1) + i, b = (j + up) * (SQUARES + 1) + i + right;
        float length = EDGE * sqrtf((float)(right * right + up * up));
        springs[spring_count++] = (spring){a, b, length, share};
    }
}

/* A flat square above the ball, a little off its middle. Springs two columns or rows long keep the
   cloth from creasing. */
static void make_cloth(void)
{
    spring_count = 0;
    memset(velocities, 0, sizeof velocities);
    for (int v = 0; v < VERTICES; v++) {
        int i = v % (SQUARES + 1), j = v / (SQUARES + 1);
        places[v][0] = EDGE * ((float)i - 0.45f * SQUARES);
        places[v][1] = EDGE * ((float)j - 0.47f * SQUARES);
        places[v][2] = RADIUS + 2.0f * OFF;
        add_spring(i, j, 2, 0, 0.1f);
        add_spring(i, j, 0, 2, 0.1f);
        add_spring(i, j, 1, 0, 1.0f);
        add_spring(i, j, 0, 1, 1.0f);
        add_spring(i, j, 1, 1, 0.5f);
        add_spring(i, j, -1, 1, 0.5f);
        if (i < SQUARES && j < SQUARES) {
            uint32_t corner = (uint32_t)v, above = corner + SQUARES + 1;
            uint32_t square = (uint32_t)(j * SQUARES + i);
            memcpy(triangles[2 * square], (uint32_t[3]){corner, corner + 1, above + 1}, 12);
            memcpy(triangles[2 * square + 1], (uint32_t[3]){corner, above + 1, above}, 12);
        }
    }
}

/* Vertex k, taken round, of a ring; the first and the last ring are the poles. */
static uint32_t ball_vertex(int ring, int k)
{
    if (ring == 0 || ring == RINGS) {
        return ring == 0 ? 0 : BALL_VERTICES - 1;
    }
    return (uint32_t)(1 + (ring - 1) * 2 * RINGS + k % (2 * RINGS));
}

static void add_ball_triangle(uint32_t a, uint32_t b, uint32_t c)
{
    if (a != b && b != c && c != a) { /* at the poles squares have three corners */
        memcpy(ball_triangles[ball_triangle_count++], (uint32_t[3]){a, b, c}, 12);
    }
}

/* Only a closed mesh has an inside: every edge belongs to two triangles, which agree about the
   outside. */
static void make_ball(void)
{
    for (int ring = 0; ring <= RINGS; ring++) {
        for (int k = 0; k < 2 * RINGS; k++) {
            float angle = 3.14159265f * (float)ring / RINGS,
                  around = 3.14159265f * (float)k / RINGS;
            float *place = ball_places[ball_vertex(ring, k)];
            place[0] = RADIUS * sinf(angle) * cosf(around);
            place[1] = RADIUS * sinf(angle) * sinf(around);
            place[2] = RADIUS * cosf(angle);
            if (ring < RINGS) {
                uint32_t a = ball_vertex(ring, k), b = ball_vertex(ring + 1, k);
                uint32_t c = ball_vertex(ring + 1, k + 1), d = ball_vertex(ring, k + 1);
                add_ball_triangle(a, b, c);
                add_ball_triangle(a, c, d);
            }
        }
    }
}

/* Every vertex goes on as it did and falls, but not so far that it could jump over anything. */
static void predict(void)
{
    memcpy(starts, places, sizeof starts);
    for (int v = 0; v < VERTICES; v++) {
        velocities[v][2] -= 9.81f * seconds;
        float step = 0.99f * seconds; /* the air takes the rest */
        float length = step * sqrtf(dot(velocities[v], velocities[v]));
        step *= length > farthest ? farthest / length : 1.0f;
        for (int k = 0; k < 3; k++) {
            places[v][k] += step * velocities[v][k];
        }
    }
}

/* Moves both ends of each spring towards its length at rest. */
static void hold_springs(void)
{
    for (int i = 0; i < spring_count; i++) {
        float *a = places[springs[i].a], *b = places[springs[i].b];
        float way[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, length = sqrtf(dot(way, way));
        float move = length > 0 ? 0.5f * springs[i].share * (1 - springs[i].length / length) : 0;
        for (int k = 0; k < 3; k++) {
            a[k] += move * way[k];
            b[k] -= move * way[k];
        }
    }
}

/* Keeps features apart along the direction they had when the step began: it says which side is
   which, even if they have passed through each other since. */
static void hold_features(const pliant_features *close)
{
    for (uint64_t i = 0; i < close->count; i++) {
        const pliant_feature_pair *pair = &close->pairs[i];
        int firsts = pair->kind == PLIANT_EDGE_EDGE ? 2 : 1; /* vertices of the first feature */
        float gap = -APART, square = 0, weights[4];
        for (int j = 0; j < 4; j++) {
            weights[j] = j < firsts ? -pair->weights[j] : pair->weights[j];
            gap += weights[j] * dot(pair->direction, places[pair->vertices[j]]);
            square += weights[j] * weights[j];
        }
        for (int j = 0; j < 4 && gap < 0; j++) {
            for (int k = 0; k < 3; k++) {
                places[pair->vertices[j]][k] -= gap / square * weights[j] * pair->direction[k];
            }
        }
    }
}

/* Keeps a vertex in front of the plane through the closest point of the ball. What it slid along
   that plane is taken back, as far as friction holds. */
static void hold_outside(int v)
{
    const pliant_signed_distance *found = &distances[v];
    float *place = places[v], off[3], slide[3];
    for (int k = 0; k < 3; k++) {
        off[k] = place[k] - (float)found->closest.at.point[k];
    }
    float depth = OFF - dot(found->direction, off);
    if (!found->closest.found || depth <= 0) {
        return;
    }
    for (int k = 0; k < 3; k++) {
        place[k] += depth * found->direction[k];
        slide[k] = place[k] - starts[v][k];
    }
    float along = dot(found->direction, slide);
    for (int k = 0; k < 3; k++) {
        slide[k] -= along * found->direction[k];
    }
    float length = sqrtf(dot(slide, slide));
    float held = length > FRICTION * depth ? FRICTION * depth / length : 1;
    for (int k = 0; k < 3; k++) {
        place[k] -= held * slide[k];
    }
}

/* Where vertices are to the ball: those farther away than they could move are not looked at. */
static void measure(pliant_query *query, pliant_body *ball)
{
    pliant_distance_options options = pliant_distance_options_default();
    options.max_distance = OFF + farthest;
    check(pliant_measure_distances(query, ball, places[0], VERTICES, 0, &options, distances));
}

/* Whatever the iterations left undone: no step ends with a vertex inside the ball. */
static void leave_ball(pliant_query *query, pliant_body *ball)
{
    measure(query, ball);
    for (int v = 0; v < VERTICES; v++) {
        float depth = 0.5f * OFF - (float)distances[v].distance;
        for (int k = 0; k < 3 && distances[v].closest.found && depth > 0; k++) {
            places[v][k] += depth * distances[v].direction[k];
        }
    }
}

/* The corners of a triangle go no farther than most of the way to where it meets another. */
static void slow_triangle(uint32_t triangle, double time)
{
    for (int k = 0; k < 3; k++) {
        float *share = &shares[triangles[triangle][k]];
        *share = fminf(*share, 0.8f * (float)time);
    }
}

/* Slows down what meets on the way to `places`; says how many pairs of triangles do. */
static uint64_t slow_down(pliant_query *query, pliant_body *cloth, pliant_body *ball)
{
    pliant_meetings met;
    for (int v = 0; v < VERTICES; v++) {
        shares[v] = 1;
    }
    check(pliant_body_set_positions(cloth, places[0], 0));
    check(pliant_find_meetings(query, cloth, ball, NULL, &met));
    uint64_t count = met.count;
    for (uint64_t i = 0; i < met.count; i++) {
        slow_triangle(met.pairs[i].a, met.meetings[i].time.low);
    }
    check(pliant_find_meetings_self(query, cloth, NULL, &met));
    for (uint64_t i = 0; i < met.count; i++) {
        slow_triangle(met.pairs[i].a, met.meetings[i].time.low);
        slow_triangle(met.pairs[i].b, met.meetings[i].time.low);
    }
    for (int v = 0; v < VERTICES; v++) {
        for (int k = 0; k < 3 && shares[v] < 1; k++) {
            places[v][k] = starts[v][k] + shares[v] * (places[v][k] - starts[v][k]);
        }
    }
    return count + met.count;
}

/* Nothing passes through: what is in the way of something is slowed down until nothing meets. */
static void guard(pliant_query *query, pliant_body *cloth, pliant_body *ball)
{
    for (int round = 0; round < ROUNDS; round++) {
        if (slow_down(query, cloth, ball) == 0) {
            return; /* proved, for places as they are rounded */
        }
    }
    /* Then the whole cloth goes as far as nothing meets; if need be, nowhere. */
    pliant_body *const bodies[2] = {cloth, ball};
    pliant_advance advance;
    check(pliant_body_set_positions(cloth, places[0], 0));
    check(pliant_advance_bodies(query, bodies, 2, NULL, &advance));
    check(pliant_body_evaluate(cloth, NULL, VERTICES, places[0]));
    printf("# the whole cloth went %.3f of its way\n", (double)advance.time);
}

/* One step. The answer about features is in use until its end, so it has a query of its own. */
static void step(pliant_query *self, pliant_query *outside, pliant_body *cloth, pliant_body *ball,
                 bool guarded)
{
    pliant_features close;
    check(pliant_body_set_positions(cloth, places[0], 0));
    check(pliant_find_features_self(self, cloth, NEAR, NULL, &close));
    check(pliant_body_begin_step(cloth)); /* the way begins here */
    predict();
    measure(outside, ball);
    for (int i = 0; i < ITERATIONS; i++) {
        hold_springs();
        hold_features(&close);
        for (int v = 0; v < VERTICES; v++) {
            hold_outside(v);
        }
    }
    leave_ball(outside, ball);
    if (guarded) {
        guard(outside, cloth, ball);
    }
    for (int v = 0; v < VERTICES; v++) {
        for (int k = 0; k < 3; k++) {
            velocities[v][k] = (places[v][k] - starts[v][k]) / seconds;
        }
    }
}

/* What is true in the end, exactly. */
static void report(pliant_query *query, pliant_body *cloth, pliant_body *ball)
{
    pliant_contacts contacts;
    int inside = 0, resting = 0;
    check(pliant_body_set_positions(cloth, places[0], 0));
    check(pliant_measure_distances(query, ball, places[0], VERTICES, 0, NULL, distances));
    for (int v = 0; v < VERTICES; v++) {
        inside += distances[v].side <= 0;
        resting += (float)distances[v].distance < 1.5f * OFF;
    }
    printf("vertices inside the ball: %d\n", inside);
    check(pliant_collide(query, cloth, ball, NULL, &contacts));
    printf("triangles that touch the ball: %s\n", contacts.count > 0 ? "some" : "none");
    printf("# %llu pairs\n", (unsigned long long)contacts.count);
    check(pliant_collide_self(query, cloth, NULL, &contacts));
    printf("triangles that touch each other: %s\n", contacts.count > 0 ? "some" : "none");
    printf("the cloth %s\n", resting > 20 ? "lies on the ball" : "has fallen off");
    printf("# vertices that rest on the ball: %d of %d\n", resting, VERTICES);
}

static pliant_body *make_body(pliant_context *context, const float *positions, uint32_t vertices,
                              const uint32_t *corners, uint32_t count)
{
    pliant_shape *shape = NULL;
    pliant_body *body = NULL;
    pliant_shape_def def = pliant_shape_def_default();
    def.positions = positions;
    def.vertex_count = vertices;
    def.triangles = corners;
    def.triangle_count = count;
    check(pliant_shape_create(context, &def, &shape));
    check(pliant_body_create(shape, NULL, &body));
    pliant_shape_destroy(shape); /* it lives on with the body */
    return body;
}

/* Lets the cloth fall for a second. */
static void play(pliant_context *context, pliant_body *ball, int steps, bool guarded)
{
    pliant_query *self = NULL, *outside = NULL;
    make_cloth();
    pliant_body *cloth = make_body(context, places[0], VERTICES, triangles[0], TRIANGLES);
    check(pliant_query_create(context, &self));
    check(pliant_query_create(context, &outside));
    printf("%d steps, %s\n", steps, guarded ? "guarded" : "not guarded");
    seconds = 1.0f / (float)steps;
    for (int i = 0; i < steps; i++) {
        step(self, outside, cloth, ball, guarded);
    }
    report(outside, cloth, ball);
    pliant_query_destroy(self);
    pliant_query_destroy(outside);
    pliant_body_destroy(cloth);
}

int main(void)
{
    pliant_context *context = NULL;
    make_ball();
    check(pliant_context_create(NULL, &context));
    pliant_body *ball =
        make_body(context, ball_places[0], BALL_VERTICES, ball_triangles[0], ball_triangle_count);
    farthest = 0.5f * EDGE;
    play(context, ball, 240, true);
    farthest = 2.0f * EDGE; /* farther than contacts look ahead, in steps ten times as long */
    play(context, ball, 24, false);
    play(context, ball, 24, true);
    pliant_body_destroy(ball);
    pliant_context_destroy(context);
    return 0;
}
