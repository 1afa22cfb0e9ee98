/*
 * From a body to its image: the clusters that may meet the window, found through the body's tree
 * and evaluated only now, and the bands of the image made of them. Images are kept, and used again
 * for a body that is still in the state they show.
 */
#include "volume/volume.h"

#include "bounds/boxes.h"

#include <math.h>
#include <string.h>

/* A walk through a body's tree. */
typedef struct image_walk {
    pliant_volume *volume;
    const pli_image_request *request;
    pli_boxes lanes;         /* lane 0: where triangles matter */
    pli_band_filler *filler; /* of the only band: parts go there at once; else NULL: to a list */
} image_walk;

static void set_lanes(image_walk *walk)
{
    pliant_box box = pli_window_box(&walk->request->grid, &walk->request->window);
    pli_boxes_clear(&walk->lanes);
    for (int k = 0; k < 3; k++) {
        walk->lanes.side[k][0] = walk->request->cull ? box.lower[k] : -INFINITY;
        walk->lanes.side[3 + k][0] = walk->request->cull ? box.upper[k] : INFINITY;
    }
}

/* The column (k = 0) or row (k = 1) of the grid that a coordinate lies in, `beyond` steps on.
   Bounds may be far outside. */
static int32_t pixel_of(const pli_grid *grid, uint32_t k, float x, double beyond)
{
    double steps = ((double)x - grid->lower[k]) * grid->scale[k] + beyond;
    return (int32_t)fmin(fmax(floor(steps / PLI_PIXEL_STEPS), -0x1p30), 0x1p30);
}

/* A cluster that is boxed by lane `lane` of a record, or NULL where that is not known. */
static pliant_result add_part(image_walk *walk, const pli_node_record *parent, uint32_t lane,
                              uint32_t cluster, pli_cluster_record *record)
{
    pliant_volume *volume = walk->volume;
    const pli_grid *grid = &walk->request->grid;
    pli_image_part part = {
        .record = record, .cluster = cluster, .first_row = INT32_MIN, .last_row = INT32_MAX};
    if (parent != NULL) {
        part.first_row = pixel_of(grid, 1, parent->box.side[grid->axis[1]][lane], -3.0);
        part.last_row = pixel_of(grid, 1, parent->box.side[3 + grid->axis[1]][lane], 3.0);
    }
    if (walk->request->squares == NULL) {
        volume->stats.triangles += walk->request->body->shape->clusters[cluster].triangle_count;
    }
    if (walk->filler != NULL) {
        return pli_band_add(walk->filler, &part) ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
    }
    return PLI_PUSH(volume->context, &volume->parts, part) ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}

/*
 * Whether clusters can be read into scratch, without leaving a record: triangle boxes, most of what
 * a record holds, are of no use here, and writing them would cost more than drawing. That is so for
 * free bodies, unless records must stay until all bands are made.
 */
static bool reads_into_scratch(const image_walk *walk)
{
    const pliant_body *body = walk->request->body;
    return walk->filler != NULL && walk->volume->scratch.data != NULL && body->by_positions &&
           !body->pose.moved;
}

/* Whether all vertices of a cluster are finite: their sum may have overflowed. */
static bool is_finite(const pliant_body *body, const pli_cluster *cluster)
{
    bool finite = true;
    for (uint32_t i = 0; i < 3 * cluster->vertex_count; i++) {
        uint32_t vertex = body->shape->cluster_vertices[cluster->first_vertex + i / 3];
        finite = finite && isfinite(pli_position(body->positions, vertex)[i % 3]);
    }
    return finite;
}

/* Reads the vertices of a cluster into scratch. NULL where a coordinate is not finite, which
   refreshing will name. */
static pli_cluster_record *read_cluster(image_walk *walk, uint32_t cluster)
{
    pliant_body *body = walk->request->body;
    pli_cluster_record *record = (void *)walk->volume->scratch.data;
    const pli_cluster *constant = &body->shape->clusters[cluster];
    float sum[4];
    record->slots = 0;
    record->stride = pli_padded_count(constant->vertex_count);
    body->kernels->read_vertices(
        body->positions, body->shape->cluster_vertices + constant->first_vertex, record, sum);
    if (!isfinite(sum[0] + sum[1] + sum[2]) && !is_finite(body, constant)) {
        return NULL;
    }
    body->counts.clusters++;
    body->counts.vertices += constant->vertex_count;
    return record;
}

/* The same where its record is stale; NULL also where it is not. */
static pli_cluster_record *read_into_scratch(image_walk *walk, pli_node_record *parent,
                                             uint32_t lane, uint32_t cluster)
{
    if (!reads_into_scratch(walk) ||
        atomic_load_explicit(&parent->child[lane], memory_order_relaxed) != NULL) {
        return NULL;
    }
    pli_cluster_record *record = read_cluster(walk, cluster);
    walk->request->body->counts.clusters_on_demand += record != NULL;
    return record;
}

/* Whether what lane `lane` of a record bounds may touch what is to be imaged of the window. */
static bool may_touch(const image_walk *walk, const pli_node_record *node, uint32_t lane)
{
    const pli_squares *squares = walk->request->squares;
    if (squares == NULL) {
        return true;
    }
    const pli_grid *grid = &walk->request->grid;
    pli_pixel_box box;
    for (uint32_t k = 0; k < 2; k++) {
        box.first[k] = pixel_of(grid, k, node->box.side[grid->axis[k]][lane], -3.0);
        box.last[k] = pixel_of(grid, k, node->box.side[3 + grid->axis[k]][lane], 3.0);
    }
    return pli_squares_meet(squares, &box);
}

/* Opens lane `lane` of a record, which may meet the window. Depth is bounded by the tree's. */
static pliant_result visit(image_walk *walk, pli_node_record *parent, uint32_t lane, uint32_t child)
{
    pliant_body *body = walk->request->body;
    if (child & PLI_CLUSTER_BIT) {
        uint32_t cluster = child & ~PLI_CLUSTER_BIT;
        pli_cluster_record *scratch = read_into_scratch(walk, parent, lane, cluster);
        if (scratch != NULL) {
            return add_part(walk, parent, lane, cluster, scratch);
        }
    }
    void *record = NULL;
    pliant_result result = pli_body_peek(body, parent, lane, child, &record);
    if (result != PLIANT_OK) {
        return result;
    }
    if (child & PLI_CLUSTER_BIT) {
        return add_part(walk, parent, lane, child & ~PLI_CLUSTER_BIT, record);
    }
    pli_node_record *node = record;
    const pli_node *constant = &body->nodes[child];
    unsigned mask = pli_box_meets(&walk->lanes, 0, &node->box);
    for (; mask != 0 && result == PLIANT_OK; mask &= mask - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(mask);
        if (i < constant->child_count && may_touch(walk, node, i)) {
            result = visit(walk, node, i, constant->child[i]);
        }
    }
    return result;
}

/* Whether all of a body matters. */
static bool wants_all(const image_walk *walk)
{
    const pliant_body *body = walk->request->body;
    bool all = true;
    for (int k = 0; k < 3; k++) {
        all = all && walk->lanes.side[k][0] <= body->root.box.side[k][0] &&
              body->root.box.side[3 + k][0] <= walk->lanes.side[3 + k][0];
    }
    return all;
}

/* Whether a cluster is far from all squares, by the pixels that it touches in an image of the whole
   window. That image was snapped to other steps, so a pixel is added all around. */
static bool is_elsewhere(const pli_image_request *request, uint32_t cluster)
{
    if (request->cluster_boxes == NULL || request->squares == NULL) {
        return false;
    }
    uint32_t shift = request->squares->shift;
    pli_pixel_box box = request->cluster_boxes[cluster];
    for (uint32_t k = 0; k < 2; k++) {
        box.first[k] = (box.first[k] - 1) * (1 << shift);
        box.last[k] = (box.last[k] + 2) * (1 << shift) - 1;
    }
    return !pli_squares_meet(request->squares, &box);
}

/* All parts of a body, without asking the tree, so that no node needs to be bounded. */
static pliant_result visit_all(image_walk *walk)
{
    pliant_body *body = walk->request->body;
    pli_band *band = walk->filler->band;
    if (walk->request->intervals && walk->request->squares == NULL) {
        if (!PLI_RESERVE(walk->volume->context, &band->boxes, body->shape->cluster_count)) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
        band->boxes.count = body->shape->cluster_count;
    }
    pliant_result result = PLIANT_OK;
    for (uint32_t i = 0; i < body->shape->cluster_count && result == PLIANT_OK; i++) {
        if (is_elsewhere(walk->request, i)) {
            continue;
        }
        pli_cluster_record *record = read_cluster(walk, i);
        if (record == NULL) {
            result = pli_refresh_cluster(body, &body->arena, i, &record);
        }
        result = result == PLIANT_OK ? add_part(walk, NULL, 0, i, record) : result;
    }
    return result;
}

/* Meets the parts of a body that may meet the window. */
static pliant_result walk_body(pliant_volume *volume, const pli_image_request *request,
                               pli_band_filler *filler)
{
    image_walk walk = {.volume = volume, .request = request, .filler = filler};
    set_lanes(&walk);
    volume->parts.count = 0;
    pliant_body *body = request->body;
    pli_refresh_counts before = body->counts;
    pliant_result result = PLIANT_OK;
    if (wants_all(&walk) && reads_into_scratch(&walk)) {
        result = visit_all(&walk);
    } else if (pli_box_meets(&walk.lanes, 0, &body->root.box) & 1) {
        result = visit(&walk, &body->root, 0, 0);
    }
    volume->stats.clusters_refreshed += body->counts.clusters - before.clusters;
    volume->stats.vertices_read += body->counts.vertices - before.vertices;
    return result;
}

/* --------------------------------------------------------------- bands */

static pli_band_filler filler_for(pliant_volume *volume, const pliant_body *body,
                                  const pli_image *image, uint32_t worker)
{
    return (pli_band_filler){.context = volume->context,
                             .shape = body->shape,
                             .kernels = volume->kernels,
                             .image = image,
                             .worker = &volume->workers.data[worker],
                             .held = &volume->held,
                             .room = pli_volume_room(volume)};
}

/* Bands being made by all workers. */
typedef struct band_run {
    pliant_volume *volume;
    const pliant_body *body;
    pli_image *image;
} band_run;

static void band_task(void *argument, uint32_t index, uint32_t worker)
{
    band_run *run = argument;
    const pliant_volume *volume = run->volume;
    pli_band_filler filler = filler_for(run->volume, run->body, run->image, worker);
    bool done = pli_band_begin(&filler, index);
    for (size_t i = 0; i < volume->parts.count && done; i++) {
        done = pli_band_add(&filler, &volume->parts.data[i]);
    }
    done = done && pli_band_finish(&filler);
    run->image->bands.data[index].result = done ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
}

/* Several bands: all parts first, then the bands by all workers. */
static pliant_result make_bands(pliant_volume *volume, const pli_image_request *request,
                                pli_image *image)
{
    pliant_result result = walk_body(volume, request, NULL);
    if (result != PLIANT_OK) {
        return result;
    }
    band_run run = {volume, request->body, image};
    result = pli_context_run(volume->context, band_task, &run, image->band_count);
    if (result != PLIANT_OK) {
        return result;
    }
    for (uint32_t i = 0; i < image->band_count && result == PLIANT_OK; i++) {
        result = image->bands.data[i].result;
    }
    return result == PLIANT_OK ? result
                               : pli_fail(result, "no memory for an image of %u x %u rays",
                                          image->columns, image->rows);
}

/* One band: parts are rasterised as they are refreshed, while they are in the cache. */
static pliant_result make_band(pliant_volume *volume, const pli_image_request *request,
                               pli_image *image)
{
    pli_band_filler filler = filler_for(volume, request->body, image, 0);
    if (!PLI_CREATE(volume->context, &volume->scratch, PLI_SCRATCH_BYTES) ||
        !pli_band_begin(&filler, 0)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pliant_result result = walk_body(volume, request, &filler);
    if (result == PLIANT_OK && !pli_band_finish(&filler)) {
        result = PLIANT_ERROR_OUT_OF_MEMORY;
    }
    return result;
}

/* One band whose crossings a backend finds. */
static pliant_result make_elsewhere(pliant_volume *volume, const pli_image_request *request,
                                    pli_image *image)
{
    pliant_result result = walk_body(volume, request, NULL);
    if (result == PLIANT_OK) {
        pli_band_filler filler = filler_for(volume, request->body, image, 0);
        result = pli_volume_cross_elsewhere(volume, request->body, image, &filler);
    }
    return result;
}

/* How many rows a band has: few enough for all workers to have some, and for caches. */
static uint32_t rows_per_band(const pliant_volume *volume, const pli_image *image)
{
    if (volume->backend != NULL) {
        return image->rows;
    }
    uint32_t most = 65536 / image->columns;
    uint32_t fair = image->rows;
    uint32_t workers = (uint32_t)volume->workers.count;
    if (workers > 1) {
        fair = (image->rows + 2 * workers - 1) / (2 * workers);
        fair = fair < 16 ? 16 : fair;
    }
    uint32_t rows = fair < most ? fair : most;
    return rows > 0 ? rows : 1;
}

static pliant_result make_image(pliant_volume *volume, const pli_image_request *request,
                                pli_image *image)
{
    const pli_squares *squares = request->squares;
    image->body = 0; /* nothing, if this fails */
    image->squares = squares;
    image->first_square = squares != NULL ? request->first_square : 0;
    image->columns =
        squares != NULL ? pli_squares_columns(squares) : pli_window_columns(&request->window);
    image->rows = squares != NULL ? request->square_count : pli_window_rows(&request->window);
    image->band_rows = rows_per_band(volume, image);
    image->band_count = (image->rows + image->band_rows - 1) / image->band_rows;
    image->grid = request->grid;
    image->window = request->window;
    image->with_intervals = request->intervals;
    image->culled = request->cull;
    pli_volume_make_room(volume);
    atomic_store_explicit(&volume->held, 0, memory_order_relaxed);
    if (image->bands.count < image->band_count &&
        PLI_EXTEND(volume->context, &image->bands, image->band_count - image->bands.count) ==
            NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pliant_result result = volume->backend != NULL  ? make_elsewhere(volume, request, image)
                           : image->band_count == 1 ? make_band(volume, request, image)
                                                    : make_bands(volume, request, image);
    uint64_t held = atomic_load_explicit(&volume->held, memory_order_relaxed);
    volume->most_held = held > volume->most_held ? held : volume->most_held;
    if (result != PLIANT_OK && held > pli_volume_room(volume)) {
        volume->lacks_room = true;
        pli_image_release(volume->context, image);
    }
    return result;
}

/* An image that may be used again. */
static pliant_result make_image_to_keep(pliant_volume *volume, const pli_image_request *request,
                                        pli_image *image)
{
    pliant_result result = make_image(volume, request, image);
    if (result != PLIANT_OK) {
        return result;
    }
    image->body = request->body->id;
    image->state = request->body->state;
    image->frame = request->frame;
    image->box = pli_volume_body_box(request->body);
    volume->stats.images++;
    return PLIANT_OK;
}

pliant_result pli_volume_image_squares(pliant_volume *volume, const pli_image_request *request,
                                       pli_image *image)
{
    /* Rows of pixels are squares, and whoever reads the image counts them from the first. */
    pliant_result result = make_image(volume, request, image);
    image->window.first[0] = 0;
    image->window.first[1] = request->first_square;
    return result;
}

/* --------------------------------------------------------------- cache */

static bool same_grid(const pli_grid *a, const pli_grid *b)
{
    bool same = a->resolution == b->resolution;
    for (uint32_t k = 0; k < 3; k++) {
        same = same && a->axis[k] == b->axis[k] && a->lower[k] == b->lower[k] &&
               a->extent[k] == b->extent[k];
    }
    return same;
}

static bool shows(const pli_image *image, const pli_image_request *request)
{
    const pli_window *has = &image->window, *wants = &request->window;
    /* Intervals beyond the window's depths may be joined with others within. */
    bool inside = request->intervals && request->cull
                      ? has->depth[0] == wants->depth[0] && has->depth[1] == wants->depth[1]
                      : has->depth[0] <= wants->depth[0] && wants->depth[1] <= has->depth[1];
    for (uint32_t k = 0; k < 2; k++) {
        inside = inside && has->first[k] <= wants->first[k] && wants->last[k] <= has->last[k];
    }
    /* In a frame of its own a body of the same shape is the same. */
    bool same = request->frame != 0 ||
                (image->body == request->body->id && image->state == request->body->state);
    return inside && image->body != 0 && same && image->frame == request->frame &&
           same_grid(&image->grid, &request->grid) && image->with_intervals >= request->intervals &&
           image->culled == request->cull;
}

static void count_image(pliant_volume *volume, const pli_image *image)
{
    for (uint32_t i = 0; i < image->band_count; i++) {
        const pli_band *band = &image->bands.data[i];
        uint32_t rows = image->rows - i * image->band_rows;
        rows = rows < image->band_rows ? rows : image->band_rows;
        volume->stats.fragments += band->crossing_start.data[(size_t)rows * image->columns];
    }
}

/* How little a slot is missed: an image of an earlier state of this body, which nobody can ask for
   again and whose memory is warm; an empty slot; any other. */
static uint32_t eviction_rank(const pli_image *image, const pliant_body *body)
{
    bool outdated = image->body == body->id && image->frame == 0 && image->state != body->state;
    return outdated ? 2 : image->body == 0 ? 1 : 0;
}

pliant_result pli_volume_image(pliant_volume *volume, const pli_image_request *request,
                               const pli_image **image)
{
    pli_image *victim = &volume->images[0];
    for (uint32_t i = 0; i < PLI_IMAGES; i++) {
        pli_image *slot = &volume->images[i];
        if (!request->exactly && shows(slot, request)) {
            slot->used = ++volume->clock;
            *image = slot;
            return PLIANT_OK;
        }
        uint32_t here = eviction_rank(slot, request->body),
                 best = eviction_rank(victim, request->body);
        if (here > best || (here == best && slot->used < victim->used)) {
            victim = slot;
        }
    }
    victim = request->band != NULL ? request->band : victim;
    pliant_result result = make_image_to_keep(volume, request, victim);
    if (result == PLIANT_OK) {
        victim->used = ++volume->clock;
        count_image(volume, victim);
        *image = victim;
    }
    return result;
}
