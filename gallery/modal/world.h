/*
 * Many bodies of few shapes, each with a rigid motion and the vibrations of its shape on top. What
 * touches is said from outside, contact by contact; a contact pushes with a spring and a damper
 * side by side (Kelvin and Voigt's law) and moves, turns and bends both bodies. A step costs
 * bodies * M + contacts * M. The same calls give the same bits.
 */
#ifndef GALLERY_MODAL_WORLD_H
#define GALLERY_MODAL_WORLD_H

#include "analysis.h"

/* Two bodies that touch. */
typedef struct modal_contact {
    uint32_t a, b;
    uint32_t vertex_a, vertex_b; /* the surface vertices nearest to the point: for the modes */
    float point[3];              /* in the world */
    float normal[3];             /* of length 1, from b to a */
    float depth;                 /* how far they overlap along it; none if it is not above 0 */
} modal_contact;

typedef struct modal_world_def {
    double time_step;         /* seconds; 1/150 */
    double gravity[3];        /* metres per second squared; -9.81 along z */
    double contact_frequency; /* of two bodies on their contact spring, radians per second; 60.
                                 Never above half a radian per step, or the spring would explode */
    double contact_damping;   /* of that spring, 1: critical; 0.5 */
    double friction;          /* Coulomb's coefficient; 0.3 */
    double modal_damping;     /* share of the critical damping of each vibration; 0.05 */
    double drag;              /* share of the rigid velocities lost per second; 0 */
    double strain_limit;      /* no vertex moves by more than this share of the radius; 0.25 */
} modal_world_def;

modal_world_def modal_world_default(void);

typedef struct modal_world modal_world;

/* NULL without memory. */
modal_world *modal_world_create(const modal_world_def *def);
void modal_world_destroy(modal_world *world);

/*
 * Adds a shape and returns its number, or UINT32_MAX without memory. The model has to stay where it
 * is as long as the world. A model without modes is rigid; without frequencies (NULL), its
 * vibrations do not move by themselves but are set by modal_world_drive().
 */
uint32_t modal_world_add_shape(modal_world *world, const modal_model *model);

/* Adds a body and returns its number, or UINT32_MAX without memory. One whose model has no mass has
   to be fixed; a fixed body does not move, but its modes may be driven. */
uint32_t modal_world_add_body(modal_world *world, uint32_t shape, const double position[3],
                              const modal_matrix *rotation, bool fixed);

uint32_t modal_world_body_count(const modal_world *world);

/* Sets velocities: metres and radians per second, in the world. */
void modal_world_set_velocity(modal_world *world, uint32_t body, const double linear[3],
                              const double angular[3]);

/* Sets the coordinates of a body whose shape has no frequencies, as they will be at the end of the
   next step; they move there evenly. */
void modal_world_drive(modal_world *world, uint32_t body, const float *coordinates);

/* Advances all bodies by one step. */
void modal_world_step(modal_world *world, const modal_contact *contacts, uint64_t contact_count);

/* Strikes a body at a point of the world, next to one of its vertices: an impulse in newton seconds
   moves, turns and bends it. A fixed body does not notice. */
void modal_world_strike(modal_world *world, uint32_t body, uint32_t vertex, const double point[3],
                        const double impulse[3]);

/* Vibrations off: bodies are rigid from now on, at their rest shape. For comparisons. */
void modal_world_stiffen(modal_world *world);

/* The state of a body: M coordinates, and the rows of (A | t). Either may be NULL. */
void modal_world_state(const modal_world *world, uint32_t body, float *coordinates,
                       float transform[12]);

/* Where a vertex is in the world; `rest` is its position in the mesh. */
void modal_world_place(const modal_world *world, uint32_t body, const float rest[3],
                       uint32_t vertex, double point[3]);

/* Sums over all bodies that are not fixed: for tests. */
typedef struct modal_totals {
    double momentum[3], angular[3];
    double kinetic, elastic, height; /* joules; height: against gravity */
} modal_totals;
modal_totals modal_world_totals(const modal_world *world);

#endif
