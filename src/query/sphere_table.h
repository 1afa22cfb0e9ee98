/*
 * The spheres of siblings, up to eight each, of bodies in their current states: remembered by a
 * query because the next pairs of nodes may ask for them too. A small direct-mapped table that
 * stays in the cache: hardly any are asked for by more than one pair of bodies, and computing them
 * again takes less time than fetching them from far away.
 */
#ifndef PLI_QUERY_SPHERE_TABLE_H
#define PLI_QUERY_SPHERE_TABLE_H

#include "body/body.h"

/* Sets of siblings in the table: half of them for either side of a comparison, so that what one
   side looks at stays while the other looks up. */
enum { PLI_SPHERE_SETS = 512 };

typedef struct pli_sphere_key {
    uint64_t state; /* of the body */
    uint32_t body;  /* its id; 0 in an empty place */
    uint32_t siblings;
} pli_sphere_key;

/* Zeroed memory is an empty table. */
typedef struct pli_sphere_table {
    _Alignas(64) pli_spheres spheres[PLI_SPHERE_SETS];
    pli_sphere_key keys[PLI_SPHERE_SETS];
    uint64_t made; /* sets computed so far; how many depends on who asks, so it is no statistic */
} pli_sphere_table;

/* Computes the spheres of siblings in a place of the table. */
const pli_spheres *pli_sphere_table_make(pli_sphere_table *table, uint32_t place,
                                         const pliant_body *body, uint32_t siblings);

/* The spheres of siblings: of a node's children or, from shape->node_count on, of a cluster's
   leaves. They stay until the same side, 0 or 1, asks for others. */
static inline const pli_spheres *
pli_sphere_table_find(pli_sphere_table *table, const pliant_body *body, uint32_t siblings, int side)
{
    uint32_t half = PLI_SPHERE_SETS / 2;
    uint32_t place = (side == 0 ? 0 : half) + (siblings + body->id * 0x9e3779b1u) % half;
    const pli_sphere_key *key = &table->keys[place];
    return key->siblings == siblings && key->body == body->id && key->state == body->state
               ? &table->spheres[place]
               : pli_sphere_table_make(table, place, body, siblings);
}

#endif
