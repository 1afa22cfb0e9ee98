/* What a scene has on the device besides shapes and states: lists of clusters and boxes, made anew
   when bodies came or are given in another way; and the bodies themselves. */
#include "library.h"

#include <string.h>

/* How many entries each table has, and how large they are. */
typedef struct measure {
    uint64_t count;
    size_t size;
} measure;

typedef struct plan {
    uint32_t clusters; /* those that are not there counted */
    uint32_t free;     /* clusters of bodies that are given by positions */
    uint32_t lazy;     /* octets of the others */
    uint64_t first_units;
    measure table[PLI_CUDA_TABLES];
} plan;

static uint32_t padded(uint32_t clusters)
{
    return (clusters + PLI_CUDA_OCTET - 1) / PLI_CUDA_OCTET * PLI_CUDA_OCTET;
}

static pliant_result make_plan(const pliant_cuda_scene *scene, plan *p)
{
    uint64_t clusters = 0;
    *p = (plan){0};
    for (uint32_t i = 0; i < scene->members.count; i++) {
        const pli_cuda_member *member = &scene->members.data[i];
        const pli_cuda_upload *upload = &scene->uploads.data[member->shape];
        clusters += padded(upload->view.cluster_count);
        if (clusters >= UINT32_MAX) {
            return pliant_fail(PLIANT_ERROR_TOO_LARGE, "the scene has too many triangles");
        }
        if (member->is_free) {
            p->free += upload->view.cluster_count;
        } else {
            p->lazy += padded(upload->view.cluster_count) / PLI_CUDA_OCTET;
        }
        p->first_units += member->is_free ? upload->units : 0;
    }
    if (p->first_units >= UINT32_MAX) {
        return pliant_fail(PLIANT_ERROR_TOO_LARGE, "the scene has too many vertices");
    }
    p->clusters = (uint32_t)clusters;
    p->table[PLI_CUDA_TABLE_BODIES] = (measure){scene->members.count, sizeof(pli_cuda_body)};
    p->table[PLI_CUDA_TABLE_SITES] = (measure){clusters, sizeof(pli_cuda_site)};
    p->table[PLI_CUDA_TABLE_FREE] = (measure){p->free, sizeof(pli_cuda_free)};
    p->table[PLI_CUDA_TABLE_LAZY] = (measure){p->lazy, sizeof(pli_cuda_lazy)};
    p->table[PLI_CUDA_TABLE_BODY_BOXES] = (measure){scene->members.count, sizeof(pli_cuda_ordered)};
    p->table[PLI_CUDA_TABLE_OCTET_BOXES] =
        (measure){clusters / PLI_CUDA_OCTET, sizeof(pli_cuda_ordered)};
    p->table[PLI_CUDA_TABLE_BOXES] = (measure){clusters, sizeof(pli_cuda_box)};
    p->table[PLI_CUDA_TABLE_MARKS] = (measure){clusters, sizeof(uint32_t)};
    p->table[PLI_CUDA_TABLE_COUNTERS] = (measure){PLI_CUDA_COUNTERS, sizeof(uint64_t)};
    p->table[PLI_CUDA_TABLE_ORDER] = (measure){scene->members.count, sizeof(uint32_t)};
    return PLIANT_OK;
}

/* What tables hold at first, as the processor has it. */
typedef struct contents {
    pli_cuda_site *sites;
    pli_cuda_free *free;
    pli_cuda_lazy *lazy;
    uint32_t *by_shape; /* bodies, then where those of each shape begin */
} contents;

/* The clusters of a shape. */
static void fill_sites(const pli_cuda_upload *upload, pli_cuda_site *sites)
{
    uint32_t first_vertex = 0;
    for (uint32_t k = 0; k < upload->view.cluster_count; k++) {
        pliant_shape_cluster of;
        if (pliant_shape_get_cluster(upload->of, k, &of) == PLIANT_OK) {
            uint32_t triangles = 0;
            for (uint64_t left = of.live; left != 0; left &= left - 1) {
                triangles++;
            }
            sites[k] =
                (pli_cuda_site){.corners = upload->shape.corners + (size_t)k * PLI_CUDA_SLOTS,
                                .names = upload->shape.names + first_vertex,
                                .stride = (uint16_t)of.stride,
                                .triangle_count = (uint16_t)triangles,
                                .own = k};
            first_vertex += of.stride;
        }
    }
}

static pli_cuda_free free_of(const pli_cuda_upload *upload, const pli_cuda_site *site,
                             uint32_t cluster)
{
    return (pli_cuda_free){.vertices = upload->shape.vertices + (site->names - upload->shape.names),
                           .names = site->names,
                           .cluster = cluster,
                           .body = site->body,
                           .place = site->place,
                           .stride = site->stride};
}

/* Sites of all bodies, which are those of the first body of the same shape but for where their
   vertices lie; and the clusters that are given by positions. */
static void fill_contents(const pliant_cuda_scene *scene, contents *c)
{
    uint32_t cluster = 0, free_count = 0, place = 0;
    uint32_t *first_of = c->by_shape; /* per shape: its first body's first cluster */
    memset(first_of, 0xff, scene->uploads.count * sizeof *first_of);
    for (uint32_t i = 0; i < scene->members.count; i++) {
        pli_cuda_member *member = &scene->members.data[i];
        const pli_cuda_upload *upload = &scene->uploads.data[member->shape];
        uint32_t count = upload->view.cluster_count, *first = &first_of[member->shape];
        pli_cuda_site *sites = c->sites + cluster;
        memset(sites, 0, padded(count) * sizeof *sites);
        if (*first == UINT32_MAX) {
            *first = cluster;
            fill_sites(upload, sites);
        } else {
            memcpy(sites, c->sites + *first, count * sizeof *sites);
        }
        for (uint32_t k = 0; k < count; k++) {
            sites[k].body = i;
            sites[k].place = place;
            if (member->is_free) {
                c->free[free_count++] = free_of(upload, &sites[k], cluster + k);
                place += 3 * (uint32_t)sites[k].stride / PLI_CUDA_UNIT;
            }
        }
        member->device.first_cluster = cluster;
        member->device.cluster_count = count;
        cluster += padded(count);
    }
}

static pli_cuda_lazy lazy_of(const pli_cuda_upload *upload, uint32_t number, uint32_t first_cluster,
                             uint32_t body)
{
    const pli_cuda_octet *octet = upload->octets.data + number;
    return (pli_cuda_lazy){.bounds = upload->bounds + octet->first_bound,
                           .modes = upload->octet_modes + octet->first_mode,
                           .mode_count = octet->mode_count,
                           .octet = first_cluster / PLI_CUDA_OCTET + number,
                           .body = body,
                           .own = number * PLI_CUDA_OCTET};
}

/* Octets whose boxes follow from states: those of all bodies of a shape that have the same place in
   it lie side by side, so that what they are computed from is read once for several. */
static void fill_lazy(const pliant_cuda_scene *scene, contents *c)
{
    pli_cuda_lazy *next = c->lazy;
    uint32_t *begin = c->by_shape + scene->members.count;
    memset(begin, 0, ((size_t)scene->uploads.count + 1) * sizeof *begin);
    for (uint32_t i = 0; i < scene->members.count; i++) {
        begin[scene->members.data[i].shape]++;
    }
    for (uint32_t u = 0, sum = 0; u <= scene->uploads.count; u++) {
        uint32_t count = begin[u];
        begin[u] = sum;
        sum += count;
    }
    for (uint32_t i = 0; i < scene->members.count; i++) {
        c->by_shape[begin[scene->members.data[i].shape]++] = i;
    }
    for (uint32_t u = 0; u < scene->uploads.count; u++) { /* begin[u] is where its bodies end now */
        const pli_cuda_upload *upload = &scene->uploads.data[u];
        uint32_t octets = padded(upload->view.cluster_count) / PLI_CUDA_OCTET;
        for (uint32_t k = 0; k < octets; k++) {
            for (uint32_t i = u > 0 ? begin[u - 1] : 0; i < begin[u]; i++) {
                const pli_cuda_member *member = &scene->members.data[c->by_shape[i]];
                if (!member->is_free) {
                    *next++ = lazy_of(upload, k, member->device.first_cluster, c->by_shape[i]);
                }
            }
        }
    }
}

static pliant_result upload_table(pliant_cuda_scene *scene, const plan *p, pli_cuda_table table,
                                  const void *from)
{
    size_t size = pli_cuda_bytes(p->table[table].count, p->table[table].size);
    return pli_cuda_upload_bytes(scene->cuda, scene->table[table].data, from, size);
}

static pliant_result upload_contents(pliant_cuda_scene *scene, const plan *p)
{
    size_t sites = pli_cuda_bytes(p->clusters, sizeof(pli_cuda_site));
    size_t free = pli_cuda_bytes(p->free, sizeof(pli_cuda_free));
    size_t lazy = pli_cuda_bytes(p->lazy, sizeof(pli_cuda_lazy));
    size_t numbers = (size_t)scene->members.count + scene->uploads.count + 1;
    size_t size = sites + free + lazy + numbers * sizeof(uint32_t);
    char *memory = pliant_context_allocate(scene->context, size);
    if (memory == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    contents c = {.sites = (pli_cuda_site *)(void *)memory,
                  .free = (pli_cuda_free *)(void *)(memory + sites),
                  .lazy = (pli_cuda_lazy *)(void *)(memory + sites + free),
                  .by_shape = (uint32_t *)(void *)(memory + sites + free + lazy)};
    fill_contents(scene, &c);
    fill_lazy(scene, &c);
    pliant_result result = upload_table(scene, p, PLI_CUDA_TABLE_SITES, c.sites);
    if (result == PLIANT_OK) {
        result = upload_table(scene, p, PLI_CUDA_TABLE_FREE, c.free);
    }
    if (result == PLIANT_OK) {
        result = upload_table(scene, p, PLI_CUDA_TABLE_LAZY, c.lazy);
    }
    pliant_context_release(scene->context, memory, size);
    return result;
}

/* The part of the step that tables make. */
static void set_step(pliant_cuda_scene *scene, const plan *p)
{
    pli_cuda_step *step = &scene->step;
    const pli_cuda_array *table = scene->table;
    step->body_count = scene->members.count;
    step->cluster_count = p->clusters;
    step->octet_count = p->clusters / PLI_CUDA_OCTET;
    step->free_count = p->free;
    step->lazy_count = p->lazy;
    step->first_units = (uint32_t)p->first_units;
    step->bodies = table[PLI_CUDA_TABLE_BODIES].data;
    step->sites = table[PLI_CUDA_TABLE_SITES].data;
    step->free = table[PLI_CUDA_TABLE_FREE].data;
    step->lazy = table[PLI_CUDA_TABLE_LAZY].data;
    step->body_boxes = table[PLI_CUDA_TABLE_BODY_BOXES].data;
    step->octet_boxes = table[PLI_CUDA_TABLE_OCTET_BOXES].data;
    step->boxes = table[PLI_CUDA_TABLE_BOXES].data;
    step->marks = table[PLI_CUDA_TABLE_MARKS].data;
    step->counters = table[PLI_CUDA_TABLE_COUNTERS].data;
    step->order = table[PLI_CUDA_TABLE_ORDER].data;
    scene->most_triangles = 1;
    scene->has_self = scene->has_free_self = scene->has_welded_self = scene->has_groups = false;
    for (uint32_t i = 0; i < scene->members.count; i++) {
        const pli_cuda_member *member = &scene->members.data[i];
        const pli_cuda_upload *upload = &scene->uploads.data[member->shape];
        uint32_t count = upload->view.triangle_count;
        bool self = member->device.self != 0;
        scene->most_triangles = count > scene->most_triangles ? count : scene->most_triangles;
        scene->has_self |= self;
        scene->has_free_self |= self && member->is_free;
        scene->has_welded_self |= self && upload->has_welds;
        scene->has_groups |= member->device.group_bits != NULL;
    }
}

static pliant_result lay_out_tables(pliant_cuda_scene *scene)
{
    plan p;
    pliant_result result = make_plan(scene, &p);
    for (int t = 0; t < PLI_CUDA_TABLES && result == PLIANT_OK; t++) {
        if (t != PLI_CUDA_TABLE_GROUPS && t != PLI_CUDA_TABLE_NAMES) {
            result = pli_cuda_replace(scene->cuda, &scene->table[t],
                                      pli_cuda_bytes(p.table[t].count, p.table[t].size));
        }
    }
    if (result == PLIANT_OK) {
        result = upload_contents(scene, &p);
    }
    if (result == PLIANT_OK) {
        set_step(scene, &p);
        scene->is_laid_out = true;
        scene->bodies_change = true;
        scene->needs_reset = true;
    }
    return result;
}

/* Brings all bodies to the device at once. */
static pliant_result upload_bodies(pliant_cuda_scene *scene)
{
    size_t size = pli_cuda_bytes(scene->members.count, sizeof(pli_cuda_body));
    pli_cuda_body *bodies = pliant_context_allocate(scene->context, size);
    if (bodies == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < scene->members.count; i++) {
        bodies[i] = scene->members.data[i].device;
    }
    pliant_result result =
        pli_cuda_upload_bytes(scene->cuda, scene->table[PLI_CUDA_TABLE_BODIES].data, bodies, size);
    pliant_context_release(scene->context, bodies, size);
    scene->bodies_change = result != PLIANT_OK;
    return result;
}

pliant_result pli_cuda_lay_out(pliant_cuda_scene *scene)
{
    pliant_result result = scene->is_laid_out ? PLIANT_OK : lay_out_tables(scene);
    if (result == PLIANT_OK && scene->bodies_change) {
        result = upload_bodies(scene);
    }
    return result;
}

uint64_t pli_cuda_held_bytes(const pliant_cuda_scene *scene)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < scene->uploads.count; i++) {
        const pli_cuda_upload *upload = &scene->uploads.data[i];
        bytes += upload->data.size + upload->self.size + upload->fans.size;
    }
    for (uint32_t i = 0; i < scene->members.count; i++) {
        const pli_cuda_member *member = &scene->members.data[i];
        bytes += member->positions.size + member->state.size + member->groups.size;
    }
    for (int t = 0; t < PLI_CUDA_TABLES; t++) {
        bytes += scene->table[t].size;
    }
    for (int s = 0; s < PLI_CUDA_STORES; s++) {
        bytes += scene->store[s].size;
    }
    return bytes;
}
