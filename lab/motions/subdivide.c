#include "subdivide.h"

#include <stdlib.h>
#include <string.h>

static uint64_t edge_of(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The distinct edges of a mesh, ascending; NULL without memory. */
static uint64_t *list_edges(const gallery_mesh *mesh, uint32_t *count)
{
    uint64_t *edges = malloc(3 * (size_t)mesh->triangle_count * sizeof *edges);
    if (edges == NULL) {
        return NULL;
    }
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *corners = mesh->triangles + 3 * t;
        for (int k = 0; k < 3; k++) {
            edges[3 * t + (size_t)k] = edge_of(corners[k], corners[(k + 1) % 3]);
        }
    }
    qsort(edges, 3 * (size_t)mesh->triangle_count, sizeof *edges, compare);
    *count = 0;
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++) {
        if (i == 0 || edges[i] != edges[*count - 1]) {
            edges[(*count)++] = edges[i];
        }
    }
    return edges;
}

/* Three numbers per vertex: those of the mesh, then the middles of edges. */
static void refine_field(const float *field, uint32_t vertex_count, const uint64_t *edges,
                         uint32_t edge_count, float *finer)
{
    memcpy(finer, field, 3 * (size_t)vertex_count * sizeof *finer);
    for (size_t e = 0; e < edge_count; e++) {
        const float *a = field + 3 * (size_t)(edges[e] >> 32);
        const float *b = field + 3 * (size_t)(uint32_t)edges[e];
        for (size_t k = 0; k < 3; k++) {
            finer[3 * (vertex_count + e) + k] = 0.5f * (a[k] + b[k]);
        }
    }
}

static void refine_triangles(const gallery_mesh *mesh, const uint64_t *edges, uint32_t edge_count,
                             uint32_t *triangles)
{
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *c = mesh->triangles + 3 * t;
        uint32_t m[3];
        for (int k = 0; k < 3; k++) {
            uint64_t key = edge_of(c[k], c[(k + 1) % 3]);
            const uint64_t *found = bsearch(&key, edges, edge_count, sizeof *edges, compare);
            m[k] = mesh->vertex_count + (uint32_t)(found - edges);
        }
        const uint32_t four[12] = {c[0], m[0], m[2], m[0], c[1], m[1],
                                   m[2], m[1], c[2], m[0], m[1], m[2]};
        memcpy(triangles + 12 * t, four, sizeof four);
    }
}

bool bench_subdivide(const gallery_mesh *mesh, const gallery_model *model, gallery_mesh *finer,
                     gallery_model *finer_model)
{
    uint32_t edge_count = 0, modes = model->mode_count;
    uint64_t *edges = list_edges(mesh, &edge_count);
    *finer = (gallery_mesh){0};
    *finer_model = (gallery_model){.mode_count = modes, .joint_count = model->joint_count};
    bool done = edges != NULL &&
                mesh_allocate(mesh->vertex_count + edge_count, 4 * mesh->triangle_count, finer);
    if (done) {
        finer_model->modes =
            malloc((3 * (size_t)modes * finer->vertex_count + 1) * sizeof *finer_model->modes);
        done = finer_model->modes != NULL;
    }
    if (done) {
        refine_field(mesh->positions, mesh->vertex_count, edges, edge_count, finer->positions);
        refine_triangles(mesh, edges, edge_count, finer->triangles);
        for (size_t m = 0; m < modes; m++) {
            refine_field(model->modes + 3 * m * mesh->vertex_count, mesh->vertex_count, edges,
                         edge_count, finer_model->modes + 3 * m * finer->vertex_count);
        }
    }
    free(edges);
    return done;
}
