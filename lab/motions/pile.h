/*
 * A pile: bodies of a modal world that the library finds the contacts of, by proxies, step by step.
 * One world may be seen by several views, which differ in the shapes they give its bodies; the
 * first one's contacts move the world. What is timed is the library's part alone: setting states
 * and finding contacts.
 */
#ifndef LAB_MOTIONS_PILE_H
#define LAB_MOTIONS_PILE_H

#include "reduced.h"
#include "gallery/modal/world.h"

/* What a view makes of the bodies of one of the world's shapes. */
typedef struct pile_shape {
    const gallery_mesh *mesh;
    gallery_model model;      /* borrowed modes */
    uint32_t proxy_triangles; /* 0: it takes part with its triangles */
    uint32_t leaf_size;       /* triangles per leaf; 0: the library's default */
    pliant_shape *shape;
    uint32_t *vertices; /* per proxy, by its first leaf: the vertex to push at */
    uint32_t *proxies;  /* per triangle: the first leaf of its proxy */
} pile_shape;

#define PILE_MAX_SHAPES 2

/* What one step took. */
typedef struct pile_step {
    double seconds, contacts;
    double updated; /* rows of bounds computed, each of up to eight children; those that a query
                       forgot and computed again count again */
} pile_step;

typedef struct pile_view {
    const char *name;
    pliant_context *context;
    pliant_scene *scene;
    pile_shape shapes[PILE_MAX_SHAPES];
    pliant_body **bodies;
    const uint32_t *shape_of; /* per body; borrowed */
    uint32_t body_count;
    float *states; /* per body PILE_STATE numbers: coordinates, then a transform */
    pliant_scene_proxy_contacts contacts;
    /* Over all steps. */
    uint32_t steps;
    double seconds, contact_count, nodes_tested, most_bytes;
    double rows; /* of bounds, of all bodies */
    uint64_t rows_made;
    pile_step *history; /* step by step */
    uint32_t history_capacity;
} pile_view;

#define PILE_MODES 12
#define PILE_STATE (PILE_MODES + 12)

/* Makes shapes, bodies and the scene; `shapes` have their first four members set. False, with the
   reason in the report, when it fails; pile_view_free() is due in any case. */
bool pile_view_create(const bench_settings *settings, const char *name, const pile_shape *shapes,
                      uint32_t shape_count, const uint32_t *shape_of, uint32_t body_count,
                      pile_view *view, bench_report *report);
void pile_view_free(pile_view *view);

/* Finds the contacts of the world's current state; only the library's part is timed. */
bool pile_view_step(pile_view *view, const modal_world *world, bench_report *report);

/* Means of the steps from `first` on. */
pile_step pile_view_mean(const pile_view *view, uint32_t first);

/* Adds the share of all bounds that each step computed as a series (figure 7 of James & Pai 2004).
   False, and the experiment failed, when there is no memory. */
bool pile_view_add_shares(const pile_view *view, bench_report *report);

/* Contacts for the world, behind others that are there already. */
typedef struct pile_contacts {
    modal_contact *items;
    uint64_t count, room;
} pile_contacts;

bool pile_contacts_add(pile_contacts *contacts, const modal_contact *contact);

/* The deepest few contacts of every two bodies: more of them would only share the same force. */
#define PILE_DEEPEST 4
bool pile_view_push(const pile_view *view, pile_contacts *contacts);

/* Fails if triangles touch, exactly, without a contact that covers them; adds to `pairs` those that
   touch. The view's contacts are gone afterwards. */
bool pile_view_check(pile_view *view, uint64_t *pairs, bench_report *report);

/* Bytes that bodies, shapes and the scene hold now. */
double pile_view_bytes(const pile_view *view);

#endif
