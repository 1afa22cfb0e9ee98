/*
 * Shapes on the device: the clusters of the shape's block (pliant/view.h) with their triangles side
 * by side in 64 slots each, what vertices are evaluated from, and the coefficients that boxes of
 * clusters follow from (kernel_lazy.h). All of it is one array, filled here and copied at once.
 */
#include "library.h"

#include <math.h>
#include <string.h>

/* The parts of that array, in the order in which they lie there; each begins at a multiple of 16. */
typedef enum part {
    PART_CLUSTERS,
    PART_VALUES,
    PART_BOUNDS,
    PART_VERTICES,
    PART_WELDED,
    PART_CORNERS,
    PART_TRIANGLES,
    PART_MODES,
    PART_JOINTS,
    PART_GROUPS,
    PARTS
} part;

static const size_t element_size[PARTS] = {
    [PART_CLUSTERS] = sizeof(pli_cuda_cluster), [PART_VALUES] = sizeof(float),
    [PART_BOUNDS] = sizeof(float),              [PART_VERTICES] = sizeof(uint32_t),
    [PART_WELDED] = sizeof(uint32_t),           [PART_CORNERS] = sizeof(uint32_t),
    [PART_TRIANGLES] = sizeof(uint32_t),        [PART_MODES] = sizeof(uint32_t),
    [PART_JOINTS] = sizeof(uint32_t),           [PART_GROUPS] = sizeof(uint16_t),
};

typedef struct filling {
    const pliant_shape *shape;
    pliant_shape_view view;
    bool is_lazy;          /* vertices may follow from a state */
    uint64_t count[PARTS]; /* elements; while it is filled, those that are there */
    size_t offset[PARTS], size;
    char *data;
} filling;

static void *part_of(const filling *f, part p)
{
    return f->data + f->offset[p];
}

static uint32_t value_rows(const filling *f, const pliant_shape_cluster *c)
{
    return f->is_lazy ? 3 + 3 * c->mode_count + c->joint_count : 0;
}

static uint32_t bound_numbers(const filling *f, const pliant_shape_cluster *c)
{
    return f->is_lazy ? 6 * (1 + c->mode_count) + 2 : 0;
}

/* How much there is of each part. */
static pliant_result count_parts(filling *f)
{
    f->count[PART_CLUSTERS] = f->view.cluster_count;
    f->count[PART_CORNERS] = f->count[PART_TRIANGLES] =
        (uint64_t)f->view.cluster_count * PLI_CUDA_SLOTS;
    f->count[PART_GROUPS] = f->view.groups != NULL ? f->count[PART_TRIANGLES] : 0;
    for (uint32_t i = 0; i < f->view.cluster_count; i++) {
        pliant_shape_cluster c;
        pliant_result result = pliant_shape_get_cluster(f->shape, i, &c);
        if (result != PLIANT_OK) {
            return result;
        }
        f->count[PART_VERTICES] += c.stride;
        f->count[PART_WELDED] += c.stride;
        f->count[PART_MODES] += c.mode_count;
        f->count[PART_JOINTS] += c.joint_count;
        f->count[PART_VALUES] += (uint64_t)value_rows(f, &c) * c.stride;
        f->count[PART_BOUNDS] += bound_numbers(f, &c);
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

/* The coefficients of a cluster's box. */
static void fill_bounds(const pliant_shape_cluster *c, const float *values, float *bounds)
{
    size_t stride = c->stride;
    for (size_t field = 0; field <= c->mode_count; field++) {
        for (size_t k = 0; k < 3; k++) {
            bound_axis(values + (3 * field + k) * stride, c->vertex_count, &bounds[6 * field + k],
                       &bounds[6 * field + 3 + k]);
        }
    }
    const float *weights = values + 3 * (1 + (size_t)c->mode_count) * stride;
    double least = INFINITY, greatest = 0.0;
    for (uint32_t i = 0; i < c->vertex_count; i++) {
        double sum = 0.0;
        for (uint32_t j = 0; j < c->joint_count; j++) {
            sum += (double)weights[j * stride + i];
        }
        least = sum < least ? sum : least;
        greatest = sum > greatest ? sum : greatest;
    }
    /* A little more than the rounding of the sums; they are not negative. */
    float *sums = bounds + 6 * (1 + (size_t)c->mode_count);
    sums[0] = (float)(least * (1.0 - 0x1p-22));
    sums[1] = round_up(greatest * (1.0 + 0x1p-22));
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
        .first_bound = f->count[PART_BOUNDS],
    };
    cluster->triangle_count = fill_triangles(f, number, c);
    uint32_t *vertices = (uint32_t *)part_of(f, PART_VERTICES) + cluster->first_vertex;
    uint32_t *welded = (uint32_t *)part_of(f, PART_WELDED) + cluster->first_vertex;
    for (uint32_t i = 0; i < c->stride; i++) {
        vertices[i] = c->vertices[i < c->vertex_count ? i : c->vertex_count - 1];
        welded[i] = f->view.welded[vertices[i]];
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
        fill_bounds(c, values, (float *)part_of(f, PART_BOUNDS) + cluster->first_bound);
    }
    f->count[PART_VERTICES] += c->stride;
    f->count[PART_MODES] += c->mode_count;
    f->count[PART_JOINTS] += c->joint_count;
    f->count[PART_VALUES] += (uint64_t)value_rows(f, c) * c->stride;
    f->count[PART_BOUNDS] += bound_numbers(f, c);
}

static pliant_result fill_parts(filling *f, uint64_t *units)
{
    memset(f->data, 0, f->size);
    f->count[PART_VERTICES] = f->count[PART_MODES] = f->count[PART_JOINTS] = 0;
    f->count[PART_VALUES] = f->count[PART_BOUNDS] = 0;
    *units = 0;
    for (uint32_t i = 0; i < f->view.cluster_count; i++) {
        pliant_shape_cluster c;
        pliant_result result = pliant_shape_get_cluster(f->shape, i, &c);
        if (result != PLIANT_OK) {
            return result;
        }
        fill_cluster(f, i, &c);
        *units += 3 * (uint64_t)c.stride / PLI_CUDA_UNIT;
    }
    return PLIANT_OK;
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
    pli_cuda_shape shape = {
        .clusters = (const pli_cuda_cluster *)(void *)(base + f->offset[PART_CLUSTERS]),
        .vertices = (const uint32_t *)(void *)(base + f->offset[PART_VERTICES]),
        .welded = (const uint32_t *)(void *)(base + f->offset[PART_WELDED]),
        .corners = (const uint32_t *)(void *)(base + f->offset[PART_CORNERS]),
        .triangles = (const uint32_t *)(void *)(base + f->offset[PART_TRIANGLES]),
        .modes = (const uint32_t *)(void *)(base + f->offset[PART_MODES]),
        .joints = (const uint32_t *)(void *)(base + f->offset[PART_JOINTS]),
        .values = (const float *)(void *)(base + f->offset[PART_VALUES]),
        .bounds = (const float *)(void *)(base + f->offset[PART_BOUNDS]),
        .cluster_count = f->view.cluster_count,
        .joint_count = f->view.joint_count,
        .has_influences = f->view.has_influences,
    };
    if (f->view.groups != NULL) {
        shape.groups = (const uint16_t *)(void *)(base + f->offset[PART_GROUPS]);
    }
    result = pli_cuda_upload_bytes(cuda, upload->data.data, f->data, f->size);
    if (result == PLIANT_OK) {
        result = pli_cuda_upload_bytes(cuda, upload->self.data, &shape, sizeof shape);
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
    if (f.data == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    upload->view = f.view;
    result = fill_parts(&f, &upload->units);
    if (result == PLIANT_OK) {
        result = copy_parts(cuda, &f, upload);
    }
    pliant_context_release(cuda->context, f.data, f.size);
    if (result != PLIANT_OK) {
        pli_cuda_upload_release(cuda, upload);
    }
    return result;
}

void pli_cuda_upload_release(pliant_cuda *cuda, pli_cuda_upload *upload)
{
    pli_cuda_release(cuda, &upload->data);
    pli_cuda_release(cuda, &upload->self);
}
