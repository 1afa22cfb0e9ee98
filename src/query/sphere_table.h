/*
 * The spheres of rows of bodies in their current states, remembered by a query because the next
 * pairs of nodes may ask for them too. A small direct-mapped table that stays in the cache: hardly
 * any row is asked for by more than one pair of bodies, and computing it again takes less time than
 * fetching it from far away.
 */
#ifndef PLI_QUERY_SPHERE_TABLE_H
#define PLI_QUERY_SPHERE_TABLE_H

#include "body/body.h"

/* Rows that there is room for: half of them for either side of a comparison, so that what one side
   looks at stays while the other looks up. */
enum { PLI_SPHERE_ROWS = 512 };

typedef struct pli_sphere_key {
    uint64_t state;     /* of the body */
    uint32_t body, row; /* its id; 0 in an empty place */
} pli_sphere_key;

typedef struct pli_sphere_table {
    _Alignas(64) pli_spheres spheres[PLI_SPHERE_ROWS];
    pli_sphere_key keys[PLI_SPHERE_ROWS];
    uint64_t made; /* rows computed so far; how many depends on who asks, so it is no statistic */
} pli_sphere_table;

/* An empty table; NULL when there is no memory. It is given back by pli_release(). */
pli_sphere_table *pli_sphere_table_create(pliant_context *context);

/* Computes the spheres of a row in a place of the table. */
const pli_spheres *pli_sphere_table_make(pli_sphere_table *table, uint32_t place,
                                         const pliant_body *body, uint32_t row);

/* The spheres of a row: of a node's children or, from shape->node_count on, of a cluster's leaves.
   They stay until the same side, 0 or 1, asks for another row. */
static inline const pli_spheres *
pli_sphere_table_find(pli_sphere_table *table, const pliant_body *body, uint32_t row, int side)
{
    uint32_t half = PLI_SPHERE_ROWS / 2;
    uint32_t place = (side == 0 ? 0 : half) + (row + body->id * 0x9e3779b1u) % half;
    const pli_sphere_key *key = &table->keys[place];
    return key->row == row && key->body == body->id && key->state == body->state
               ? &table->spheres[place]
               : pli_sphere_table_make(table, place, body, row);
}

#endif
