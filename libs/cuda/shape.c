/*
 * Shapes on the device: the clusters of the shape's block (pliant/view.h) with their triangles side
 * by side in 64 slots each, what vertices are evaluated from, and the coefficients that boxes of
 * clusters follow from (kernel_lazy.h). All of it is one array, filled here and copied at once.
 */
#include "library.h"

#include <math.h>
#include <string.h>

/* The parts of that array, in the order in which they lie there; each begins at a multiple of 16.
 */
typedef enum part {
    PART_CLUSTERS,
    PART_VALUES,
    PART_BOUNDS,
    PART_VERTICES,
    PART_NAMES,
    PART_CORNERS,
    PART_TRIANGLES,
    PART_MODES,
    PART_JOINTS,
    PART_GROUPS,
    PART_MASKS,
    PART_OCTET_MODES,
    PARTS
} part;

static const size_t element_size[PARTS] = {
    [PART_CLUSTERS] = sizeof(pli_cuda_cluster),
    [PART_VALUES] = sizeof(float),
    [PART_BOUNDS] = sizeof(float),
    [PART_VERTICES] = sizeof(uint32_t),
    [PART_NAMES] = sizeof(uint32_t),
    [PART_CORNERS] = sizeof(uint32_t),
    [PART_TRIANGLES] = sizeof(uint32_t),
    [PART_MODES] = sizeof(uint32_t),
    [PART_JOINTS] = sizeof(uint32_t),
    [PART_GROUPS] = sizeof(uint16_t),
    [PART_MASKS] = sizeof(uint64_t),
    [PART_OCTET_MODES] = sizeof(uint32_t),
};

typedef struct filling {
    const pliant_shape *shape;
    pliant_shape_view view;
    bool is_lazy;          /* vertices may follow from a state */
    uint64_t count[PARTS]; /* elements; while it is filled, those that are there */
    size_t offset[PARTS], size;
    char *data;
    pli_cuda_octet *octets; /* of lazy ones */
    uint8_t *is_sole;       /* per vertex: it is welded with no other */
} filling;

static void *part_of(const filling *f, part p)
{
    return f->data + f->offset[p];
}

static uint32_t value_rows(const filling *f, const pliant_shape_cluster *c)
{
    return f->is_lazy ? 3 + 3 * c->mode_count + c->joint_count : 0;
}

/* The modes of any of an octet's clusters, ascending; returns how many. `to` may be NULL. */
static uint32_t merge_modes(const pliant_shape_cluster *clusters, uint32_t count, uint32_t *to)
{
    uint32_t taken[PLI_CUDA_OCTET] = {0}, merged = 0;
    for (;;) {
        uint32_t least = UINT32_MAX;
        for (uint32_t k = 0; k < count; k++) {
            if (taken[k] < clusters[k].mode_count && clusters[k].modes[taken[k]] < least) {
                least = clusters[k].modes[taken[k]];
            }
        }
        if (least == UINT32_MAX) {
            return merged;
        }
        for (uint32_t k = 0; k < count; k++) {
            taken[k] +=
                taken[k] < clusters[k].mode_count && clusters[k].modes[taken[k]] == least ? 1 : 0;
        }
        if (to != NULL) {
            to[merged] = least;
        }
        merged++;
    }
}

/* Rows of eight numbers that boxes of an octet follow from. */
static uint64_t bound_rows(uint32_t mode_count)
{
    return PLI_CUDA_BOUND_ROWS * (1 + (uint64_t)mode_count) + 2;
}

/* The clusters of an octet; returns how many there are, 0 with an error. */
static uint32_t get_octet(const filling *f, uint32_t octet, pliant_shape_cluster *clusters)
{
    uint32_t first = octet * PLI_CUDA_OCTET, count = f->view.cluster_count - first;
    count = count < PLI_CUDA_OCTET ? count : PLI_CUDA_OCTET;
    for (uint32_t k = 0; k < count; k++) {
        if (pliant_shape_get_cluster(f->shape, first + k, &clusters[k]) != PLIANT_OK) {
            return 0;
        }
    }
    return count;
}

static uint32_t octet_count(const filling *f)
{
    return (f->view.cluster_count + PLI_CUDA_OCTET - 1) / PLI_CUDA_OCTET;
}

static void count_octet(filling *f, const pliant_shape_cluster *clusters, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        const pliant_shape_cluster *c = &clusters[k];
        f->count[PART_VERTICES] += c->stride;
        f->count[PART_MODES] += c->mode_count;
        f->count[PART_JOINTS] += c->joint_count;
        f->count[PART_VALUES] += (uint64_t)value_rows(f, c) * c->stride;
    }
    if (f->is_lazy) {
        uint32_t modes = merge_modes(clusters, count, NULL);
        f->count[PART_OCTET_MODES] += modes;
        f->count[PART_BOUNDS] += bound_rows(modes) * PLI_CUDA_OCTET;
    }
}

/* How much there is of each part, and where it lies. */
static pliant_result count_parts(filling *f)
{
    pliant_shape_cluster clusters[PLI_CUDA_OCTET];
    f->count[PART_CLUSTERS] = f->view.cluster_count;
    f->count[PART_CORNERS] = f->count[PART_TRIANGLES] = f->count[PART_MASKS] =
        (uint64_t)f->view.cluster_count * PLI_CUDA_SLOTS;
    f->count[PART_GROUPS] = f->view.groups != NULL ? f->count[PART_TRIANGLES] : 0;
    for (uint32_t i = 0; i < octet_count(f); i++) {
        uint32_t count = get_octet(f, i, clusters);
        if (count == 0) {
            return PLIANT_ERROR_STATE;
        }
        count_octet(f, clusters, count);
    }
    f->count[PART_NAMES] = f->count[PART_VERTICES];
    if (f->count[PART_VERTICES] > UINT32_MAX || f->count[PART_MODES] > UINT32_MAX ||
        f->count[PART_JOINTS] > UINT32_MAX || f->count[PART_OCTET_MODES] > UINT32_MAX ||
        f->view.vertex_count > PLI_CUDA_SETTLED) {
        return pliant_fail(PLIANT_ERROR_TOO_LARGE, "the shape is too large for a device");
    }
    for (int p = 0; p < PARTS; p++) {
        size_t size = pli_cuda_bytes(f->count[p], element_size[p]);
        if (size > SIZE_MAX / 2 - f->size) {
            return pliant_fail(PLIANT_ERROR_TOO_LARGE, "the shape is too large for a device");
        }
        f->offset[p] = f->size;
        f->size += (size + 15) / 16 * 16;
    }
    return PLIANT_OK;
}

/* The triangles of a cluster, without the empty slots. */
static uint32_t fill_triangles(filling *f, uint32_t cluster, const pliant_shape_cluster *c)
{
    uint32_t *corners = (uint32_t *)part_of(f, PART_CORNERS) + (size_t)cluster * PLI_CUDA_SLOTS;
    uint32_t *triangles = (uint32_t *)part_of(f, PART_TRIANGLES) + (size_t)cluster * PLI_CUDA_SLOTS;
    uint16_t *groups = (uint16_t *)part_of(f, PART_GROUPS) + (size_t)cluster * PLI_CUDA_SLOTS;
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < c->slot_count; slot++) {
        if ((c->live >> slot & 1) != 0) {
            const uint8_t *own = c->corners + slot;
            corners[count] = (uint32_t)own[0] | (uint32_t)own[c->slot_count] << 8 |
                             (uint32_t)own[2 * (size_t)c->slot_count] << 16;
            triangles[count] = c->triangles[slot];
            if (f->view.groups != NULL) {
                groups[count] = f->view.groups[c->triangles[slot]];
            }
            count++;
        }
    }
    return count;
}

/* What vertices are evaluated from; shapes without skin blocks have their rest positions only. */
static void fill_values(const filling *f, const pliant_shape_cluster *c, float *values)
{
    if (c->rest != NULL) {
        memcpy(values, c->rest, (size_t)value_rows(f, c) * c->stride * sizeof *values);
        return;
    }
    for (uint32_t i = 0; i < c->stride; i++) {
        uint32_t vertex = c->vertices[i < c->vertex_count ? i : c->vertex_count - 1];
        for (size_t k = 0; k < 3; k++) {
            values[k * c->stride + i] = f->view.positions[3 * (size_t)vertex + k];
        }
    }
}

static float round_up(double x)
{
    float y = (float)x;
    return (double)y < x ? nextafterf(y, INFINITY) : y;
}

/* Centre and half size of one axis of rest positions or of a field; infinite sizes are left to the
   bounds, which then hold everything. */
static void bound_axis(const float *values, uint32_t count, float *centre, float *half)
{
    double low = (double)values[0], high = low;
    for (uint32_t i = 1; i < count; i++) {
        double x = (double)values[i];
        low = x < low ? x : low;
        high = x > high ? x : high;
    }
    *centre = (float)(0.5 * low + 0.5 * high);
    double down = (double)*centre - low, up = high - (double)*centre;
    *half = round_up(down > up ? down : up);
}

/* The least and the greatest sum of weights, a little less and more for the rounding of the sums;
   weights are not negative. */
static void bound_sums(const pliant_shape_cluster *c, const float *weights, float *least_sum,
                       float *greatest_sum)
{
    double least = INFINITY, greatest = 0.0;
    for (uint32_t i = 0; i < c->vertex_count; i++) {
        double sum = 0.0;
        for (uint32_t j = 0; j < c->joint_count; j++) {
            sum += (double)weights[j * (size_t)c->stride + i];
        }
        least = sum < least ? sum : least;
        greatest = sum > greatest ? sum : greatest;
    }
    *least_sum = (float)(least * (1.0 - 0x1p-22));
    *greatest_sum = round_up(greatest * (1.0 + 0x1p-22));
}

/* The coefficients of one cluster's box, in its column of the octet's numbers. */
static void fill_column(const pliant_shape_cluster *c, const float *values, const uint32_t *modes,
                        uint32_t mode_count, float *column)
{
    size_t stride = c->stride;
    uint32_t own = 0;
    for (size_t field = 0; field <= mode_count; field++) {
        bool has = field == 0 || (own < c->mode_count && c->modes[own] == modes[field - 1]);
        size_t at = field == 0 ? 0 : 1 + (size_t)own;
        float *row = column + field * PLI_CUDA_BOUND_ROWS * PLI_CUDA_OCTET;
        for (size_t k = 0; has && k < 3; k++) {
            float *centre = &row[k * PLI_CUDA_OCTET], *half = &row[(3 + k) * PLI_CUDA_OCTET];
            bound_axis(values + (3 * at + k) * stride, c->vertex_count, centre, half);
            float size = round_up(fabs((double)*centre) + (double)*half);
            float *largest = &row[6 * PLI_CUDA_OCTET];
            *largest = size > *largest ? size : *largest;
        }
        own += has && field > 0 ? 1 : 0;
    }
    float *sums = column + PLI_CUDA_BOUND_ROWS * (1 + (size_t)mode_count) * PLI_CUDA_OCTET;
    bound_sums(c, values + 3 * (1 + (size_t)c->mode_count) * stride, &sums[0],
               &sums[PLI_CUDA_OCTET]);
}

/* What boxes of an octet's clusters follow from; their values were filled before. */
static void fill_octet(filling *f, uint32_t number, const pliant_shape_cluster *clusters,
                       uint32_t count)
{
    pli_cuda_octet *octet = &f->octets[number];
    const pli_cuda_cluster *of =
        (const pli_cuda_cluster *)part_of(f, PART_CLUSTERS) + (size_t)number * PLI_CUDA_OCTET;
    const float *values = part_of(f, PART_VALUES);
    octet->first_mode = (uint32_t)f->count[PART_OCTET_MODES];
    octet->first_bound = f->count[PART_BOUNDS];
    uint32_t *modes = (uint32_t *)part_of(f, PART_OCTET_MODES) + octet->first_mode;
    octet->mode_count = merge_modes(clusters, count, modes);
    float *bounds = (float *)part_of(f, PART_BOUNDS) + octet->first_bound;
    for (uint32_t k = 0; k < count; k++) {
        fill_column(&clusters[k], values + of[k].first_value, modes, octet->mode_count, bounds + k);
    }
    f->count[PART_OCTET_MODES] += octet->mode_count;
    f->count[PART_BOUNDS] += bound_rows(octet->mode_count) * PLI_CUDA_OCTET;
}

/* Which triangles of a cluster use a name that each of them uses. */
static void fill_masks(filling *f, uint32_t number, const pli_cuda_cluster *cluster)
{
    const uint32_t *corners =
        (const uint32_t *)part_of(f, PART_CORNERS) + (size_t)number * PLI_CUDA_SLOTS;
    const uint32_t *names = (const uint32_t *)part_of(f, PART_NAMES) + cluster->first_vertex;
    uint64_t *masks = (uint64_t *)part_of(f, PART_MASKS) + (size_t)number * PLI_CUDA_SLOTS;
    uint64_t users[PLI_CUDA_VERTICES] = {0}; /* of each name, at the first vertex that has it */
    uint8_t first[PLI_CUDA_VERTICES];
    for (uint32_t v = 0; v < cluster->vertex_count; v++) {
        first[v] = (uint8_t)v;
        for (uint32_t u = 0; (names[v] & PLI_CUDA_SETTLED) == 0 && u < v; u++) {
            if (names[u] == names[v]) {
                first[v] = (uint8_t)u;
                break;
            }
        }
    }
    for (uint32_t slot = 0; slot < cluster->triangle_count; slot++) {
        for (int i = 0; i < 3; i++) {
            users[first[corners[slot] >> (8 * i) & 255u]] |= (uint64_t)1 << slot;
        }
    }
    for (uint32_t slot = 0; slot < cluster->triangle_count; slot++) {
        for (int i = 0; i < 3; i++) {
            masks[slot] |= users[first[corners[slot] >> (8 * i) & 255u]];
        }
    }
}

static void fill_cluster(filling *f, uint32_t number, const pliant_shape_cluster *c)
{
    pli_cuda_cluster *cluster = (pli_cuda_cluster *)part_of(f, PART_CLUSTERS) + number;
    *cluster = (pli_cuda_cluster){
        .first_vertex = (uint32_t)f->count[PART_VERTICES],
        .vertex_count = c->vertex_count,
        .stride = c->stride,
        .first_mode = (uint32_t)f->count[PART_MODES],
        .mode_count = c->mode_count,
        .first_joint = (uint32_t)f->count[PART_JOINTS],
        .joint_count = c->joint_count,
        .first_value = f->count[PART_VALUES],
    };
    cluster->triangle_count = fill_triangles(f, number, c);
    uint32_t *vertices = (uint32_t *)part_of(f, PART_VERTICES) + cluster->first_vertex;
    uint32_t *names = (uint32_t *)part_of(f, PART_NAMES) + cluster->first_vertex;
    for (uint32_t i = 0; i < c->stride; i++) {
        vertices[i] = c->vertices[i < c->vertex_count ? i : c->vertex_count - 1];
        names[i] = f->view.welded[vertices[i]];
        names[i] |= f->is_sole[vertices[i]] ? PLI_CUDA_SETTLED : 0;
    }
    if (c->mode_count > 0) {
        memcpy((uint32_t *)part_of(f, PART_MODES) + cluster->first_mode, c->modes,
               c->mode_count * sizeof *c->modes);
    }
    if (c->joint_count > 0) {
        memcpy((uint32_t *)part_of(f, PART_JOINTS) + cluster->first_joint, c->joints,
               c->joint_count * sizeof *c->joints);
    }
    if (f->is_lazy) {
        float *values = (float *)part_of(f, PART_VALUES) + cluster->first_value;
        fill_values(f, c, values);
    }
    fill_masks(f, number, cluster);
    f->count[PART_VERTICES] += c->stride;
    f->count[PART_MODES] += c->mode_count;
    f->count[PART_JOINTS] += c->joint_count;
    f->count[PART_VALUES] += (uint64_t)value_rows(f, c) * c->stride;
}

static pliant_result fill_parts(filling *f, uint64_t *units)
{
    pliant_shape_cluster clusters[PLI_CUDA_OCTET];
    memset(f->data, 0, f->size);
    f->count[PART_VERTICES] = f->count[PART_MODES] = f->count[PART_JOINTS] = 0;
    f->count[PART_VALUES] = f->count[PART_BOUNDS] = f->count[PART_OCTET_MODES] = 0;
    *units = 0;
    for (uint32_t i = 0; i < octet_count(f); i++) {
        uint32_t count = get_octet(f, i, clusters);
        if (count == 0) {
            return PLIANT_ERROR_STATE;
        }
        for (uint32_t k = 0; k < count; k++) {
            fill_cluster(f, i * PLI_CUDA_OCTET + k, &clusters[k]);
            *units += 3 * (uint64_t)clusters[k].stride / PLI_CUDA_UNIT;
        }
        if (f->is_lazy) {
            fill_octet(f, i, clusters, count);
        }
    }
    return PLIANT_OK;
}

/* Which vertices are welded with no other; whether all are. */
static bool find_sole(filling *f)
{
    bool all = true;
    memset(f->is_sole, 1, f->view.vertex_count);
    for (uint32_t v = 0; v < f->view.vertex_count; v++) {
        if (f->view.welded[v] != v) {
            f->is_sole[v] = f->is_sole[f->view.welded[v]] = 0;
            all = false;
        }
    }
    return all;
}

/* Copies the parts, and the shape that points to them. */
static pliant_result copy_parts(pliant_cuda *cuda, const filling *f, pli_cuda_upload *upload)
{
    pliant_result result = pli_cuda_replace(cuda, &upload->data, f->size);
    if (result == PLIANT_OK) {
        result = pli_cuda_replace(cuda, &upload->self, sizeof(pli_cuda_shape));
    }
    if (result != PLIANT_OK) {
        return result;
    }
    char *base = upload->data.data;
    pli_cuda_shape *shape = &upload->shape;
    *shape = (pli_cuda_shape){
        .clusters = (const pli_cuda_cluster *)(void *)(base + f->offset[PART_CLUSTERS]),
        .vertices = (const uint32_t *)(void *)(base + f->offset[PART_VERTICES]),
        .names = (const uint32_t *)(void *)(base + f->offset[PART_NAMES]),
        .corners = (const uint32_t *)(void *)(base + f->offset[PART_CORNERS]),
        .triangles = (const uint32_t *)(void *)(base + f->offset[PART_TRIANGLES]),
        .masks = (const uint64_t *)(void *)(base + f->offset[PART_MASKS]),
        .modes = (const uint32_t *)(void *)(base + f->offset[PART_MODES]),
        .joints = (const uint32_t *)(void *)(base + f->offset[PART_JOINTS]),
        .values = (const float *)(void *)(base + f->offset[PART_VALUES]),
        .cluster_count = f->view.cluster_count,
        .joint_count = f->view.joint_count,
        .has_influences = f->view.has_influences,
    };
    upload->bounds = (const float *)(void *)(base + f->offset[PART_BOUNDS]);
    upload->octet_modes = (const uint32_t *)(void *)(base + f->offset[PART_OCTET_MODES]);
    if (f->view.groups != NULL) {
        shape->groups = (const uint16_t *)(void *)(base + f->offset[PART_GROUPS]);
    }
    result = pli_cuda_upload_bytes(cuda, upload->data.data, f->data, f->size);
    if (result == PLIANT_OK) {
        result = pli_cuda_upload_bytes(cuda, upload->self.data, shape, sizeof *shape);
    }
    return result;
}

pliant_result pli_cuda_upload_shape(pliant_cuda *cuda, const pliant_shape *shape,
                                    pli_cuda_upload *upload)
{
    filling f = {.shape = shape};
    *upload = (pli_cuda_upload){.of = shape};
    pliant_result result = pliant_shape_get_view(shape, &f.view);
    if (result != PLIANT_OK) {
        return result;
    }
    f.is_lazy = f.view.mode_count > 0 || f.view.joint_count > 0;
    result = count_parts(&f);
    if (result != PLIANT_OK) {
        return result;
    }
    f.data = pliant_context_allocate(cuda->context, f.size);
    f.is_sole = pliant_context_allocate(cuda->context, f.view.vertex_count);
    bool has_octets =
        pliant_context_reserve_array(cuda->context, f.is_lazy ? octet_count(&f) : 0,
                                     sizeof *upload->octets.data, &upload->octets.array);
    f.octets = upload->octets.data;
    if (f.data != NULL && f.is_sole != NULL && has_octets) {
        upload->view = f.view;
        upload->has_welds = !find_sole(&f);
        result = fill_parts(&f, &upload->units);
    } else {
        result = PLIANT_ERROR_OUT_OF_MEMORY;
    }
    if (result == PLIANT_OK) {
        result = copy_parts(cuda, &f, upload);
    }
    pliant_context_release(cuda->context, f.data, f.data != NULL ? f.size : 0);
    pliant_context_release(cuda->context, f.is_sole, f.is_sole != NULL ? f.view.vertex_count : 0);
    if (result != PLIANT_OK) {
        pli_cuda_upload_release(cuda, upload);
    }
    return result;
}

void pli_cuda_upload_release(pliant_cuda *cuda, pli_cuda_upload *upload)
{
    pliant_context_release_array(cuda->context, &upload->octets.array);
    pli_cuda_release(cuda, &upload->fans);
    pli_cuda_release(cuda, &upload->data);
    pli_cuda_release(cuda, &upload->self);
}
