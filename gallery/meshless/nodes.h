/*
 * Simulation nodes that fill a solid, who is whose neighbour, and how a surface follows them.
 */
#ifndef GALLERY_MESHLESS_NODES_H
#define GALLERY_MESHLESS_NODES_H

#include "surface.h"
#include "gallery/gallery.h"

typedef struct node_cloud {
    uint32_t count;
    double (*points)[3]; /* in the frame of the solid, at rest */
    double *volumes;     /* the part of the solid that is nearest to each node */
    double *radii;       /* how far a node is felt by other nodes: what its kernel reaches */
    double *reaches;     /* how far it is felt by a surface: at least its radius */
    uint32_t *starts;    /* of each node's neighbours in `neighbours`; one more at the end */
    uint32_t *neighbours;
} node_cloud;

/* The kernel of Mueller et al. 2004, but for its factor: it is normalised wherever it is used. */
static inline double nodes_kernel(double square, double radius)
{
    double rest = 1.0 - square / (radius * radius);
    return rest > 0.0 ? rest * rest * rest : 0.0;
}

/* The cube root, from operations that are the same everywhere. */
double nodes_cube_root(double x);

/* Exactly `count` nodes, spread evenly over the inside of a solid. False without memory, and if the
   solid is too small for its own box; the cloud is then empty. */
bool nodes_fill(const implicit_solid *solid, uint32_t count, uint64_t seed, node_cloud *cloud);

/* An empty cloud of `count` nodes at places and of volumes to be filled in. */
bool nodes_allocate(uint32_t count, node_cloud *cloud);
void nodes_free(node_cloud *cloud);

/*
 * Finds radii and neighbours from places and volumes: a node's neighbours are the nodes within its
 * radius that it sees through the inside of the solid (NULL: through anything), and the radius is
 * large enough for them not to lie near one plane. False without memory.
 */
bool nodes_link(const implicit_solid *solid, node_cloud *cloud);

/* The matrix sum_j w_ij (X_j - X_i)(X_j - X_i)^T over the neighbours j of node i. */
void nodes_moment(const node_cloud *cloud, uint32_t node, double moment[3][3]);

/* Enlarges reaches until every vertex of a surface is felt by four nodes (or by all). */
void nodes_cover(node_cloud *cloud, const gallery_mesh *mesh);

/* The influences of the nodes on the vertices of a surface: kernels, normalised to a sum of 1. */
bool nodes_attach(const node_cloud *cloud, const gallery_mesh *mesh, gallery_model *model);

#endif
