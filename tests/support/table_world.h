/*
 * Worlds of the test table: plain data that a seed gives. Small bodies, most of them degenerate,
 * live through a list of events, states as well as queries. A life carries the events out with
 * settings that must not change a result. A world that fails is made smaller by leaving out events,
 * bodies, triangles and vertices as long as it fails, and is printed as a C program.
 */
#ifndef PLIANT_TESTS_TABLE_WORLD_H
#define PLIANT_TESTS_TABLE_WORLD_H

#include "fixture.h"
#include "queries.h"
#include "random_meshes.h"

#include <stdio.h>

enum { TABLE_BODIES = 5, TABLE_EVENTS = 96, TABLE_RAYS = 4, TABLE_POINTS = 6 };

/* Of which kind a body is, by what sets its state. */
typedef enum table_kind {
    TABLE_FREE, /* positions, without welding: it may be torn */
    TABLE_WELDED,
    TABLE_RIGID,
    TABLE_MODAL,
    TABLE_BLENDED,
    TABLE_COMPOSED, /* modes, then joints */
    TABLE_KINDS
} table_kind;

typedef struct table_body {
    table_kind kind;
    gallery_mesh mesh;
    uint16_t *groups;       /* per triangle, or NULL */
    float *modes, *weights; /* weights: with influence_offsets and _joints, or NULL */
    uint32_t *offsets, *joints;
    uint32_t mode_count, joint_count, proxy_triangles;
    float error;
    bool spheres; /* bounded by them, whatever the settings say */
    bool left_out;
    bool *without; /* per triangle */
    bool compact;  /* also without vertices that no triangle has */
} table_body;

/* Triangles and corners of a pliant_tear: at most two of each. */
typedef struct table_tear {
    uint32_t removed[2], removed_count;
    uint32_t split[2], welded[2], split_count;
    pliant_torn_corner corners[2];
    bool welds;
} table_tear;

typedef enum table_deed {
    TABLE_SET_POSITIONS,
    TABLE_SET_COORDINATES,
    TABLE_SET_TRANSFORMS,
    TABLE_SET_WORLD, /* numbers NULL: none from now on */
    TABLE_TEAR,
    TABLE_BEGIN_STEP,
    TABLE_END_STEP,
    TABLE_ADD, /* to the scene, with `member` */
    TABLE_SET_MEMBER,
    TABLE_REMOVE,
    TABLE_REPLACE, /* the body is destroyed, also in the scene, and a new one is made of its shape
                    */
    TABLE_QUERY
} table_deed;

typedef struct table_event {
    table_deed deed;
    bool left_out;
    uint32_t body, other; /* other: of a query of two */
    float *numbers;
    uint32_t number_count;
    table_tear tear;
    pliant_member_def member;
    uint64_t groups[2]; /* of member, or of the options of two bodies */
    bool grouped;
    const query_row *row;
    query_form form;
    query_arguments arguments;
    pliant_ray rays[TABLE_RAYS];
    float points[3 * TABLE_POINTS];
    uint32_t salt; /* of filters */
    bool filtered;
} table_event;

typedef struct table_world {
    uint64_t seed;
    table_body bodies[TABLE_BODIES];
    uint32_t body_count;
    table_event events[TABLE_EVENTS];
    uint32_t event_count;
} table_world;

/* Creates the world of a seed; the same on every machine. */
void table_world_create(table_world *w, uint64_t seed);
void table_world_destroy(table_world *w);

/* Returns per vertex the lowest one at its place. The caller frees the array. */
uint32_t *table_welded(const float *positions, uint32_t count);

/* Does to a mesh what the call did to the body; `welded` has room for the copies. */
void table_apply_tear(const table_tear *tear, uint32_t vertices, uint32_t *triangles, bool *removed,
                      uint32_t *welded);

/* ------------------------------------------------------------------- lives */

/* Settings that must not change a result. */
typedef struct table_settings {
    pliant_isa isa;
    uint32_t workers; /* 1 to 8 */
    bool dealt;       /* by a scheduler of the caller's */
    pliant_broad broad;
    pliant_update update;
    pliant_rebuild rebuild;
    bool coherent, shares; /* shares: positions are shared instead of set */
    uint32_t rounding;     /* of the caller: to nearest, up, down, to 0 */
    uint64_t noise;        /* seed of further queries, which leave nothing behind; 0: none */
    fixture_tree tree;
    pliant_islands islands;
    pliant_bound_kind bound;
} table_settings;

extern const table_settings table_plain;
table_settings table_settings_random(rng *r);
void table_settings_print(FILE *to, const table_settings *s);

/* Returns true if proxies are the same with both, as nodes of equal trees are. */
bool table_settings_same_tree(const table_settings *a, const table_settings *b);

/* A body of a life, with its mesh as tears have left it. */
typedef struct table_actor {
    pliant_shape *shape; /* NULL: left out, or too large to be a model */
    pliant_body *body;
    pliant_body_id id;
    bool present, placed; /* placed: it has had a world transform */
    pliant_member_def member;
    uint64_t groups; /* of member */
    uint32_t vertex_count, triangle_count;
    float *rest;
    uint32_t *triangles;
    uint16_t *group;  /* per triangle */
    bool *removed;    /* per triangle */
    uint32_t *welded; /* per vertex the lowest one that counts as the same */
    uint32_t *kept;   /* per vertex its number in the world; before tears */
    float *start;     /* at the start of its step; NULL: none has begun */
} table_actor;

enum { TABLE_LENT = 128 };

typedef struct table_life {
    const table_world *world;
    const table_settings *settings;
    pliant_context *context;
    query_place place;
    table_actor actors[TABLE_BODIES];
    pliant_body *bodies[TABLE_BODIES];
    rng noise;
    float *lent[TABLE_LENT]; /* positions that bodies may read until the life ends */
    uint32_t lent_count;
    pliant_result state;       /* of the latest event that is no query */
    query_copy copy;           /* of the latest query */
    query_arguments arguments; /* as it was called */
} table_life;

void table_life_begin(table_life *l, const table_world *w, const table_settings *settings);
void table_life_end(table_life *l);

/* Carries an event out; returns true if it was a query that had all its bodies. */
bool table_life_do(table_life *l, uint32_t event);

/* Current positions of a body. The caller frees them. */
float *table_positions(const table_actor *a);

/* Returns true if the two may be compared by a query of the scene with these options. */
bool table_compared(const table_life *l, const table_event *e, uint32_t a, uint32_t b);

/* Returns true if a query of rays, points or a box with this selection reaches the body. */
bool table_selected(const table_life *l, const table_event *e, uint32_t body);

/* The arguments of a query as a life passes them: rays, points, groups and filters in place. */
query_arguments table_arguments(const table_event *e);

/* ---------------------------------------------------------------- failures */

typedef struct table_failure {
    bool found;
    uint32_t event;             /* the query */
    table_settings settings[2]; /* of the life that fails, and of the one that it differs from */
    char text[256];             /* the field of the result and both values */
} table_failure;

/* Says whether a world fails. It must be deterministic. */
typedef bool (*table_check)(const table_world *w, void *user, table_failure *failure);

/* Makes a failing world smaller while the check fails. Returns how often it was checked. */
uint32_t table_shrink(table_world *w, table_check check, void *user, table_failure *failure);

/* Writes the C program of a failing world: everything up to the query, by both settings. */
void table_program(FILE *to, const table_world *w, const table_failure *failure);

/* Checks the world of a seed; if it fails, makes it smaller, prints it, and fails the test. */
void table_try_seed(uint64_t seed, table_check check, void *user);

/* The same from PLIANT_TEST_SEED on: `usual` times PLIANT_TEST_SCALE or PLIANT_TABLE_WORLDS worlds.
 */
void table_try(uint32_t usual, table_check check, void *user);

#endif
