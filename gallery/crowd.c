/*
 * Based on: T. Larsson, T. Akenine-Moller, "Collision Detection for Continuously Deforming Bodies",
 * 2001, experiment 3: 27 translating, rotating and deforming bodies hit each other often over 200
 * steps in a rather dense environment, with a simple response that keeps them from passing through
 * each other. The paper gives neither paths nor response; these are ours.
 *
 * Bodies start on a cubic lattice and are drawn to its middle. Two that touch have their velocities
 * along the line of centres reversed and are pushed apart, the more the closer they are. Spin and
 * deformation go on regardless.
 */
#include "crowd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arms.h"

/* One unit of time is the whole motion. Chosen so that each body touches two others most of the
   time, and new contacts begin at every step. */
#define PULL     100.0 /* acceleration towards the middle */
#define DRAG     1.0   /* share of the velocity lost per unit of time */
#define SPEED    3.0   /* towards the middle, at the start */
#define BOUNCE   0.5   /* share of the approaching velocity that is given back */
#define NUDGE    0.004 /* by which each of two touching bodies is moved away at least */
#define STIFF    0.15  /* share of the depth, where cores overlap, that each is moved away */
#define JITTER   0.1   /* by which bodies start beside their lattice point, on each axis */
#define MAX_RATE 8.0   /* radians that a body turns from start to end */

/* A ball that stands for a part of a body. */
typedef struct crowd_ball {
    double centre[3], radius;
} crowd_ball;

#define MAX_BALLS (1 + 3 * ARMS_COUNT)

/* What the two crowds do differently. */
typedef struct crowd_manner {
    double spacing; /* of the lattice */
    double reach;   /* no point of a body is farther from its centre */
    double core;    /* radius of the part that other bodies are kept out of */
    const gallery_kind *body;
    /* Balls in the body's own frame that fill about as much of space as the body. */
    uint32_t (*fill)(const gallery_scene *scene, uint32_t body, double time, crowd_ball *balls);
} crowd_manner;

typedef struct crowd_state {
    const crowd_manner *manner;
    uint32_t last_step;
    double (*centres)[3];    /* of all bodies at step 0, of all at step 1 and so on */
    double (*velocities)[3]; /* at the last step */
    double (*axes)[3];       /* of rotation, unit vectors */
    double *rates;           /* radians from start to end */
} crowd_state;

static double (*centres_at(const gallery_scene *scene, uint32_t step))[3]
{
    const crowd_state *crowd = scene->own;
    return crowd->centres + (size_t)step * scene->body_count;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double distance(const double a[3], const double b[3])
{
    double difference[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    return sqrt(dot(difference, difference));
}

static void draw_unit_vector(gallery_random *random, double vector[3])
{
    double square;
    do {
        for (int axis = 0; axis < 3; axis++) {
            vector[axis] = gallery_random_range(random, -1.0, 1.0);
        }
        square = dot(vector, vector);
    } while (square > 1.0 || square < 0.01);
    for (int axis = 0; axis < 3; axis++) {
        vector[axis] /= sqrt(square);
    }
}

static uint32_t lattice_side(uint32_t body_count)
{
    uint32_t side = 1;
    while ((uint64_t)side * side * side < body_count) {
        side++;
    }
    return side;
}

/* Where a body starts, and how fast. Its spin is drawn here too, though it never changes. */
static void start_body(gallery_scene *scene, uint32_t body, uint32_t side)
{
    crowd_state *crowd = scene->own;
    gallery_random random = gallery_random_seed(scene->seed, 1000 + (uint64_t)body);
    const uint32_t cell[3] = {body % side, body / side % side, body / side / side};
    double *centre = centres_at(scene, 0)[body];
    for (int axis = 0; axis < 3; axis++) {
        centre[axis] = crowd->manner->spacing * ((double)cell[axis] - 0.5 * (double)(side - 1)) +
                       gallery_random_range(&random, -JITTER, JITTER);
    }
    double away = sqrt(dot(centre, centre));
    double speed = SPEED * gallery_random_range(&random, 0.5, 1.5);
    for (int axis = 0; axis < 3; axis++) {
        double inward = away > 0.5 ? -centre[axis] / away : 0.0;
        crowd->velocities[body][axis] = speed * inward + gallery_random_range(&random, -1.0, 1.0);
    }
    draw_unit_vector(&random, crowd->axes[body]);
    crowd->rates[body] = gallery_random_range(&random, 0.25 * MAX_RATE, MAX_RATE);
}

bool gallery_is_crowd(const gallery_scene *scene)
{
    return scene->kind == &gallery_crowd_spheres || scene->kind == &gallery_crowd_arms;
}

uint32_t crowd_last_step(const gallery_scene *scene)
{
    const crowd_state *crowd = scene->own;
    return crowd->last_step;
}

void crowd_restart(gallery_scene *scene)
{
    crowd_state *crowd = scene->own;
    uint32_t side = lattice_side(scene->body_count);
    for (uint32_t body = 0; body < scene->body_count; body++) {
        start_body(scene, body, side);
    }
    crowd->last_step = 0;
}

/* The response: reverses the approach of two touching bodies, and pushes them apart. */
static void part(crowd_state *crowd, double (*centres)[3], crowd_contact contact)
{
    double *a = centres[contact.a], *b = centres[contact.b];
    double *velocity_a = crowd->velocities[contact.a], *velocity_b = crowd->velocities[contact.b];
    double apart = distance(a, b);
    double depth = 2.0 * crowd->manner->core - apart;
    double push = NUDGE + (depth > 0.0 ? STIFF * depth : 0.0);
    double normal[3], relative[3];
    for (int axis = 0; axis < 3; axis++) {
        /* Bodies in the same place, which none should be, part along x. */
        normal[axis] = apart > 1e-6 ? (b[axis] - a[axis]) / apart : axis == 0 ? 1.0 : 0.0;
        relative[axis] = velocity_a[axis] - velocity_b[axis];
    }
    double approach = dot(relative, normal);
    double impulse = approach > 0.0 ? 0.5 * (1.0 + BOUNCE) * approach : 0.0;
    for (int axis = 0; axis < 3; axis++) {
        velocity_a[axis] -= impulse * normal[axis];
        velocity_b[axis] += impulse * normal[axis];
        a[axis] -= push * normal[axis];
        b[axis] += push * normal[axis];
    }
}

void crowd_step(gallery_scene *scene, const crowd_contact *contacts, uint32_t contact_count)
{
    crowd_state *crowd = scene->own;
    if (crowd->last_step == scene->steps) {
        return;
    }
    double(*centres)[3] = centres_at(scene, crowd->last_step + 1);
    memcpy(centres, centres_at(scene, crowd->last_step), scene->body_count * sizeof *centres);
    for (uint32_t i = 0; i < contact_count; i++) {
        part(crowd, centres, contacts[i]);
    }
    double time = 1.0 / (double)scene->steps;
    for (uint32_t body = 0; body < scene->body_count; body++) {
        double *velocity = crowd->velocities[body];
        double away = sqrt(dot(centres[body], centres[body]));
        double pull = PULL * (away > 1.0 ? 1.0 / away : 1.0);
        for (int axis = 0; axis < 3; axis++) {
            velocity[axis] -= time * (pull * centres[body][axis] + DRAG * velocity[axis]);
            centres[body][axis] += time * velocity[axis];
        }
    }
    crowd->last_step++;
}

bool crowd_may_touch(const gallery_scene *scene, uint32_t step, uint32_t a, uint32_t b)
{
    const crowd_state *crowd = scene->own;
    double(*centres)[3] = centres_at(scene, step);
    return distance(centres[a], centres[b]) <= 2.0 * crowd->manner->reach;
}

/* A growing list of contacts. */
typedef struct contact_list {
    crowd_contact *contacts;
    uint32_t count, capacity;
} contact_list;

static bool append_contact(contact_list *list, uint32_t a, uint32_t b)
{
    if (list->count == list->capacity) {
        uint32_t capacity = list->capacity > 0 ? 2 * list->capacity : 256;
        crowd_contact *grown = realloc(list->contacts, capacity * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        list->contacts = grown;
        list->capacity = capacity;
    }
    list->contacts[list->count++] = (crowd_contact){a, b};
    return true;
}

static bool find_contacts(const gallery_scene *scene, crowd_touch touch, void *user,
                          contact_list *list)
{
    uint32_t step = crowd_last_step(scene);
    list->count = 0;
    for (uint32_t a = 0; a < scene->body_count; a++) {
        for (uint32_t b = a + 1; b < scene->body_count; b++) {
            if (crowd_may_touch(scene, step, a, b) && touch(user, scene, step, a, b) &&
                !append_contact(list, a, b)) {
                return false;
            }
        }
    }
    return true;
}

/* The balls of two bodies in the world: a rough test of whether the bodies touch. */
static void place_balls(const gallery_scene *scene, uint32_t body, uint32_t step, crowd_ball *balls,
                        uint32_t *count)
{
    const crowd_state *crowd = scene->own;
    gallery_placement placement;
    gallery_place(scene, body, step, &placement);
    *count = crowd->manner->fill(scene, body, (double)step / (double)scene->steps, balls);
    for (uint32_t i = 0; i < *count; i++) {
        double local[3] = {balls[i].centre[0], balls[i].centre[1], balls[i].centre[2]};
        for (int axis = 0; axis < 3; axis++) {
            balls[i].centre[axis] =
                dot(placement.rotation[axis], local) + placement.translation[axis];
        }
    }
}

static bool touch_roughly(void *user, const gallery_scene *scene, uint32_t step, uint32_t a,
                          uint32_t b)
{
    (void)user;
    crowd_ball balls_a[MAX_BALLS], balls_b[MAX_BALLS];
    uint32_t count_a, count_b;
    place_balls(scene, a, step, balls_a, &count_a);
    place_balls(scene, b, step, balls_b, &count_b);
    for (uint32_t i = 0; i < count_a; i++) {
        for (uint32_t j = 0; j < count_b; j++) {
            if (distance(balls_a[i].centre, balls_b[j].centre) <=
                balls_a[i].radius + balls_b[j].radius) {
                return true;
            }
        }
    }
    return false;
}

bool crowd_record(gallery_scene *scene, crowd_touch touch, void *user)
{
    contact_list list = {0};
    bool done = true;
    crowd_restart(scene);
    for (uint32_t step = 0; step < scene->steps && done; step++) {
        done = find_contacts(scene, touch != NULL ? touch : touch_roughly, user, &list);
        if (done) {
            crowd_step(scene, list.contacts, list.count);
        }
    }
    free(list.contacts);
    return done;
}

/* The body's own orientation, turned about its axis (Rodrigues). */
static void place(const gallery_scene *scene, uint32_t body, double time,
                  gallery_placement *placement)
{
    const crowd_state *crowd = scene->own;
    uint32_t step = (uint32_t)(time * (double)scene->steps + 0.5);
    memcpy(placement->translation, centres_at(scene, step)[body], sizeof placement->translation);
    const double *axis = crowd->axes[body];
    double sine = gallery_sin(crowd->rates[body] * time);
    double cosine = gallery_cos(crowd->rates[body] * time);
    for (int column = 0; column < 3; column++) {
        double v[3];
        for (int row = 0; row < 3; row++) {
            v[row] = scene->rotations[body][row][column];
        }
        double along = dot(axis, v) * (1.0 - cosine);
        for (int row = 0; row < 3; row++) {
            int next = (row + 1) % 3;
            int last = (row + 2) % 3;
            double cross = axis[next] * v[last] - axis[last] * v[next];
            placement->rotation[row][column] = cosine * v[row] + sine * cross + along * axis[row];
        }
    }
}

static void evaluate(const gallery_scene *scene, uint32_t body, double time,
                     const gallery_placement *placement, float *positions)
{
    const crowd_state *crowd = scene->own;
    crowd->manner->body->evaluate(scene, body, time, placement, positions);
}

static bool create(gallery_scene *scene, uint32_t triangles, const crowd_manner *manner)
{
    uint32_t count = scene->body_count;
    crowd_state *crowd = calloc(1, sizeof *crowd);
    scene->own = crowd;
    if (crowd == NULL) {
        return false;
    }
    crowd->manner = manner;
    crowd->centres = calloc((size_t)(scene->steps + 1) * count, sizeof *crowd->centres);
    crowd->velocities = calloc(count, sizeof *crowd->velocities);
    crowd->axes = calloc(count, sizeof *crowd->axes);
    crowd->rates = calloc(count, sizeof *crowd->rates);
    bool made = crowd->centres != NULL && crowd->velocities != NULL && crowd->axes != NULL &&
                crowd->rates != NULL;
    for (uint32_t body = 0; body < count && made; body++) {
        made = mesh_make_sphere(triangles, &scene->bodies[body]);
    }
    return made && crowd_record(scene, NULL, NULL);
}

static void destroy(gallery_scene *scene)
{
    crowd_state *crowd = scene->own;
    if (crowd != NULL) {
        free(crowd->centres);
        free(crowd->velocities);
        free(crowd->axes);
        free(crowd->rates);
        free(crowd);
    }
}

static uint32_t fill_sphere(const gallery_scene *scene, uint32_t body, double time,
                            crowd_ball *balls)
{
    (void)scene;
    (void)body;
    (void)time;
    balls[0] = (crowd_ball){.radius = 1.02}; /* between the bumps' foot and their top */
    return 1;
}

static uint32_t fill_arms(const gallery_scene *scene, uint32_t body, double time, crowd_ball *balls)
{
    static const double heights[3] = {0.3, 0.65, 0.95};
    balls[0] = (crowd_ball){.radius = ARMS_CORE_RADIUS};
    uint32_t count = 1;
    for (uint32_t arm = 0; arm < ARMS_COUNT; arm++) {
        for (int i = 0; i < 3; i++) {
            crowd_ball *ball = &balls[count++];
            ball->radius = arms_middle(scene, body, arm, heights[i], time, ball->centre);
        }
    }
    return count;
}

static const crowd_manner manner_of_spheres = {
    .spacing = 2.4,
    .reach = 1.09,
    .core = 1.0,
    .body = &gallery_spheres,
    .fill = fill_sphere,
};

static const crowd_manner manner_of_arms = {
    .spacing = 2.0,
    .reach = ARMS_REACH,
    .core = 0.6,
    .body = &gallery_arms,
    .fill = fill_arms,
};

static bool create_spheres(gallery_scene *scene, uint32_t triangles)
{
    return create(scene, triangles, &manner_of_spheres);
}

static bool create_arms(gallery_scene *scene, uint32_t triangles)
{
    return create(scene, triangles, &manner_of_arms);
}

const gallery_kind gallery_crowd_spheres = {
    .name = "crowd-spheres",
    .title = "A crowd of bumpy spheres",
    .description = "27 bumpy spheres, turning, crowd together and bounce off each other (Larsson "
                   "and Akenine-Moller 2001, experiment 3)",
    .body_count = 27,
    .triangles = 5120,
    .steps = 200,
    .any_count = true,
    .create = create_spheres,
    .destroy = destroy,
    .place = place,
    .evaluate = evaluate,
};

const gallery_kind gallery_crowd_arms = {
    .name = "crowd-arms",
    .title = "A crowd of bodies with arms",
    .description = "27 bodies with waving arms, turning, crowd together and bounce off each other "
                   "(Larsson and Akenine-Moller 2001, experiment 3)",
    .body_count = 27,
    .triangles = 5120,
    .steps = 200,
    .any_count = true,
    .create = create_arms,
    .destroy = destroy,
    .place = place,
    .evaluate = evaluate,
};
