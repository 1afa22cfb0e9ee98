/*
 * A mesh while a shape is being made of it: validated, copied tight, welded, with its edges and the
 * facts that follow from them.
 */
#ifndef PLI_MESH_MESH_H
#define PLI_MESH_MESH_H

#include "pliant/shape.h"

#include "base/context.h"
#include "mesh/fields.h"

typedef struct pli_mesh {
    pliant_context *context;
    bool alone; /* within a piece of work: workers are not to be asked */
    uint32_t vertex_count, triangle_count;
    uint32_t removed_count; /* triangles that are not there: their corners are UINT32_MAX */
    float *positions;       /* 3 per vertex */
    const float *at;        /* where the tree is cut, borrowed; NULL: at the positions above */
    uint32_t *triangles;    /* 3 per triangle */
    uint16_t *groups;       /* per triangle, or NULL */
    uint32_t *welded;       /* per vertex: the lowest vertex it is welded with */
    /* Undirected edges between different welded vertices, grouped: those whose lower vertex is v
       are edges[edge_start[v]] to before edges[edge_start[v + 1]], ascending. An entry is the
       higher vertex (upper 32 bits) and the edge's number (lower 32 bits): 3 t + k for the edge
       of triangle t from corner k to corner (k + 1) % 3. */
    uint64_t *edges;
    uint32_t *edge_start; /* vertex_count + 1 entries */
    uint32_t *component;  /* per triangle: its connected piece, numbered by first triangle */
    uint8_t *owned;       /* per triangle: its features, once they are found; see below */
    bool is_closed;
    pli_entries fields, influences; /* start is NULL where there are none */
    pli_model model;                /* coefficient_kind is chosen with the coefficients */
    pliant_shape_quality facts;     /* the fields about the mesh; the tree's are zero */
} pli_mesh;

/* Fills a mesh from a definition; on failure nothing is left to release. */
pliant_result pli_mesh_create(pliant_context *context, const pliant_shape_def *def, pli_mesh *mesh);

void pli_mesh_release(pli_mesh *mesh);

/* Meshes of fewer triangles are not worth sharing. */
enum { PLI_SHARED_TRIANGLES = 8192 };

/* Runs pieces of work on the context's workers, or in this thread where it is alone or the mesh is
   small. */
pliant_result pli_mesh_run(const pli_mesh *mesh, pliant_task task, void *argument, uint32_t count);

/* The byte distance between elements, 0 replaced by their size, and a check that the whole array
   can be addressed. */
pliant_result pli_resolve_stride(const char *name, size_t *stride, size_t element_size,
                                 size_t alignment, size_t count);

/* fields.c: checks and copies modes and influences. */
pliant_result pli_mesh_copy_model(pli_mesh *mesh, const pliant_shape_def *def);
void pli_mesh_release_model(pli_mesh *mesh);

/* fields.c: memory for so many entries of `width` numbers; pli_mesh_release_model() releases it. */
pliant_result pli_mesh_allocate_entries(pli_mesh *mesh, pli_entries *entries, size_t capacity,
                                        size_t width);

/* adjacency.c: fills edges, components and the facts. */
pliant_result pli_mesh_connect(pli_mesh *mesh);

/*
 * Every welded vertex and every edge between two of them belongs to the lowest triangle that has
 * it, so that a question about features meets each once. Bits of a triangle: corner k is its own, 1
 * << k, and the edge from corner k to the next, 8 << k.
 */
enum { PLI_OWNED_CORNERS = 7, PLI_OWNED_EDGES = 7 << 3 };

/* adjacency.c: finds these bits for each triangle of a connected mesh, as mesh->owned. */
pliant_result pli_mesh_own_features(pli_mesh *mesh);

/* Gives up the edges, the largest part of a mesh, before what needs them no more. */
void pli_mesh_release_edges(pli_mesh *mesh);

#endif
