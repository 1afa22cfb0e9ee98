/*
 * The spheres of rows of bodies in their current states, remembered by a query because the next
 * pairs of nodes will ask for them too. Computing a row again takes about as long as fetching it
 * from beyond the second cache, so a small table is better than a record for every node.
 */
#ifndef PLI_QUERY_SPHERE_TABLE_H
#define PLI_QUERY_SPHERE_TABLE_H

#include "body/body.h"

/* Rows that a table has room for: half of them for either side of a comparison, so that what one
   side looks at stays while the other looks up. */
enum { PLI_SPHERE_ROWS = 2048 };

typedef struct pli_sphere_key {
    uint64_t state; /* of the body */
    uint32_t body;  /* its id; 0 in an empty place */
    uint32_t row;
} pli_sphere_key;

typedef struct pli_sphere_table {
    _Alignas(64) pli_spheres spheres[PLI_SPHERE_ROWS];
    pli_sphere_key keys[PLI_SPHERE_ROWS];
} pli_sphere_table;

/* Computes the spheres of a row: of a node's children, or, from shape->node_count on, of a
   cluster's leaves. */
void pli_spheres_of_row(const pliant_body *body, uint32_t row, pli_spheres *spheres);

/* The spheres of a row, which stay until the same side of the table is asked for another. */
static inline const pli_spheres *pli_sphere_table_find(pli_sphere_table *table,
                                                       const pliant_body *body, uint32_t row,
                                                       int side)
{
    uint32_t half = PLI_SPHERE_ROWS / 2;
    uint32_t place = (side == 0 ? 0 : half) + (row + body->id * 0x9e3779b1u) % half;
    pli_sphere_key *key = &table->keys[place];
    if (key->row != row || key->body != body->id || key->state != body->state) {
        *key = (pli_sphere_key){body->state, body->id, row};
        pli_spheres_of_row(body, row, &table->spheres[place]);
    }
    return &table->spheres[place];
}

#endif
