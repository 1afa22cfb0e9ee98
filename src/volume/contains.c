/*
 * Which points lie inside a body.
 * Based on: Heidelberger, Teschner & Gross, Volumetric Collision Detection for Deformable Objects,
 * 2003, section 2.3, "vertex-in-volume". The grid lies over the body's box whatever the points are,
 * but only its part that the points need is imaged.
 */
#include "volume/volume.h"

#include "base/clock.h"
#include "base/float_env.h"
#include "base/context.h"

#include <float.h>
#include <math.h>

/* ------------------------------------------------------------ the frame of a body

   Bodies that one transform moves as a whole keep their image in their own frame: points are taken
   there instead, and the image serves every state. */

typedef struct own_frame {
    double linear[3][3], inverse[3][3], translation[3];
    double stretch; /* no direction is stretched more */
    double sign;    /* -1 for reflections, which turn winding numbers around */
} own_frame;

static double length_of(const double m[3][3])
{
    double square = 0.0;
    for (int i = 0; i < 9; i++) {
        square += m[i / 3][i % 3] * m[i / 3][i % 3];
    }
    return sqrt(square);
}

static double invert(const double m[3][3], double inverse[3][3])
{
    double cofactor[3][3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
            cofactor[i][j] = m[a][c] * m[b][d] - m[a][d] * m[b][c];
        }
    }
    double determinant =
        m[0][0] * cofactor[0][0] + m[0][1] * cofactor[0][1] + m[0][2] * cofactor[0][2];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            inverse[j][i] = cofactor[i][j] / determinant;
        }
    }
    return determinant;
}

/* Whether a body is of that kind and its transform can be undone well enough. */
static bool set_frame(const pliant_body *body, own_frame *frame)
{
    const pliant_shape *shape = body->shape;
    /* By one transform alone: what two in a row round is not bounded by their product. */
    bool twice = body->pose.world != NULL && shape->block->model.joint_count > 0;
    bool rigid = body->valid && body->pose.moved && !twice && shape->block->model.mode_count == 0 &&
                 body->positions.first == shape->positions;
    if (!rigid) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            frame->linear[i][j] = (double)body->pose.placing[4 * i + j];
        }
        frame->translation[i] = (double)body->pose.placing[4 * i + 3];
    }
    double determinant = invert((const double(*)[3])frame->linear, frame->inverse);
    frame->stretch = length_of((const double(*)[3])frame->linear);
    frame->sign = determinant < 0.0 ? -1.0 : 1.0;
    /* Rounding errors grow with the product; a rotation's is 3. */
    return frame->stretch * length_of((const double(*)[3])frame->inverse) < 100.0;
}

/* A point of the world in the body's frame. */
static void enter_frame(const own_frame *frame, const float point[3], float own[3])
{
    double moved[3];
    for (int k = 0; k < 3; k++) {
        moved[k] = (double)point[k] - frame->translation[k];
    }
    for (int k = 0; k < 3; k++) {
        const double *row = frame->inverse[k];
        double x = row[0] * moved[0] + row[1] * moved[1] + row[2] * moved[2];
        own[k] = (float)fmin(fmax(x, -(double)FLT_MAX), (double)FLT_MAX);
    }
}

/* How far that may be off, in the world, for points within a box of the body's frame. Vertices are
   rounded to float32 in the world, points in the frame. */
static double frame_rounding(const own_frame *frame, const pliant_box *box)
{
    double own = 0.0, world = 0.0;
    for (int k = 0; k < 3; k++) {
        own = fmax(own, fmax(fabs((double)box->lower[k]), fabs((double)box->upper[k])));
        world = fmax(world, fabs(frame->translation[k]));
    }
    return 0x1p-20 * (2.0 * frame->stretch * own + world);
}

/* A direction along an axis of the frame, in the world: of length 1; returns how long it was. */
static double frame_direction(const own_frame *frame, uint32_t axis, double direction[3])
{
    double square = 0.0;
    for (int k = 0; k < 3; k++) {
        direction[k] = frame->linear[k][axis];
        square += direction[k] * direction[k];
    }
    double length = sqrt(square);
    for (int k = 0; k < 3; k++) {
        direction[k] /= length;
    }
    return length;
}

/* An image that is there already, whatever state the body is in. */
static const pli_image *find_image(const pliant_volume *volume, uint64_t frame,
                                   const pliant_volume_options *options)
{
    for (uint32_t i = 0; i < PLI_IMAGES; i++) {
        const pli_image *image = &volume->images[i];
        if (image->body != 0 && image->frame == frame && image->culled == options->cull &&
            image->grid.resolution == options->resolution) {
            return image;
        }
    }
    return NULL;
}

/*
 * Asks for the whole image of a body in its own frame: for one that is there, or for one of a body
 * at rest, *resting, which the caller destroys. *box is the body's in that frame.
 */
static pliant_result request_in_frame(const pliant_volume *volume, pliant_body *body,
                                      const pliant_volume_options *options, pliant_body **resting,
                                      pli_image_request *request, pliant_box *box)
{
    /* Shapes never change, so what they hold names them, also after they are gone. */
    uint64_t frame = body->shape->block->checksum | 1;
    const pli_image *image = find_image(volume, frame, options);
    *request = (pli_image_request){.body = body, .cull = options->cull, .frame = frame};
    if (image != NULL) {
        request->grid = image->grid;
        request->window = image->window;
        *box = image->box;
        return PLIANT_OK;
    }
    pliant_result result = pliant_body_create(body->shape, NULL, resting);
    result = result == PLIANT_OK ? pli_body_prepare(*resting) : result;
    if (result == PLIANT_OK) {
        *box = pli_volume_body_box(*resting);
        request->body = *resting;
        pli_grid_for_body(box, PLI_ANY_AXIS, options->resolution, &request->grid);
        request->window = pli_grid_whole(&request->grid);
    }
    return result;
}

/* ------------------------------------------------------------ points */

enum { POINTS_PER_TASK = 4096 };

/* Points as the caller keeps them. */
typedef struct listed_points {
    const float *first;
    size_t stride;
    uint64_t count;
} listed_points;

static const float *point_at(const listed_points *points, uint64_t i)
{
    return (const float *)(const void *)((const char *)points->first + i * points->stride);
}

/* Points being looked up by all workers. */
typedef struct look_up {
    const listed_points *points;
    const pli_image *image;
    uint32_t first, last; /* rows of the grid: points on others are not looked up now */
    pliant_box box;       /* the body's: points outside are outside */
    pliant_volume_point *answers;
} look_up;

/* Names the first point that is not finite. */
static pliant_result check_points(const listed_points *points)
{
    for (uint64_t i = 0; i < points->count; i++) {
        const float *p = point_at(points, i);
        for (int k = 0; k < 3; k++) {
            if (!isfinite(p[k])) {
                return pli_fail(PLIANT_ERROR_NOT_FINITE, "point %llu: coordinate %c is %f",
                                (unsigned long long)i, "xyz"[k], (double)p[k]);
            }
        }
    }
    return PLIANT_OK;
}

/* Least and greatest of numbers, and a sum that is 0 if all are finite and NaN otherwise. */
enum { COLUMNS = 12 };

typedef struct extent {
    float lower[COLUMNS], upper[COLUMNS], doubt[COLUMNS];
} extent;

static inline void extend(extent *e, const float *x, uint32_t count)
{
    for (uint32_t j = 0; j < count; j++) {
        e->lower[j] = x[j] < e->lower[j] ? x[j] : e->lower[j];
        e->upper[j] = x[j] > e->upper[j] ? x[j] : e->upper[j];
        e->doubt[j] += x[j] - x[j];
    }
}

/* Cuts a box down to the part that holds points; fails if one is not finite. */
static pliant_result cut_to_points(const listed_points *points, pliant_box *box)
{
    extent e;
    for (uint32_t j = 0; j < COLUMNS; j++) {
        e.lower[j] = INFINITY;
        e.upper[j] = -INFINITY;
        e.doubt[j] = 0.0f;
    }
    uint64_t i = 0;
    if (points->stride == 3 * sizeof(float)) { /* four points at a time */
        for (; i + 4 <= points->count; i += 4) {
            extend(&e, points->first + 3 * i, COLUMNS);
        }
    }
    for (; i < points->count; i++) {
        extend(&e, point_at(points, i), 3);
    }
    float doubt = 0.0f;
    for (uint32_t j = 0; j < COLUMNS; j++) {
        uint32_t k = j % 3;
        e.lower[k] = e.lower[j] < e.lower[k] ? e.lower[j] : e.lower[k];
        e.upper[k] = e.upper[j] > e.upper[k] ? e.upper[j] : e.upper[k];
        doubt += e.doubt[j];
    }
    for (uint32_t k = 0; k < 3; k++) {
        box->lower[k] = box->lower[k] > e.lower[k] ? box->lower[k] : e.lower[k];
        box->upper[k] = box->upper[k] < e.upper[k] ? box->upper[k] : e.upper[k];
    }
    return doubt == 0.0f ? PLIANT_OK : check_points(points);
}

/* The pixel that a coordinate within the grid lies in. */
static inline uint32_t pixel_of(const pli_grid *grid, uint32_t k, float x)
{
    double pixel = ((double)x - grid->lower[k]) * grid->scale[k] * (1.0 / PLI_PIXEL_STEPS);
    uint32_t at = (uint32_t)pixel;
    return at < grid->resolution ? at : grid->resolution - 1;
}

/* The winding number at a depth; a point at a crossing counts as behind it. The first crossings are
   added up without branches, which for points in no order nobody can foresee. */
static inline int32_t winding_at(pli_ray ray, uint32_t depth)
{
    int32_t winding = 0;
    for (uint32_t i = 0; i < PLI_CROSSING_SLACK; i++) {
        pli_crossing crossing = ray.crossings[i];
        bool counts = (i < ray.crossing_count) & (pli_crossing_depth(crossing) <= depth);
        winding += counts ? pli_crossing_step(crossing) : 0;
    }
    for (uint32_t i = PLI_CROSSING_SLACK; i < ray.crossing_count; i++) {
        bool counts = pli_crossing_depth(ray.crossings[i]) <= depth;
        winding += counts ? pli_crossing_step(ray.crossings[i]) : 0;
    }
    return winding;
}

/* The winding number, and the nearer end of the piece of the ray that it lies in. */
static inline pliant_volume_point look_along(pli_ray ray, uint32_t depth, float step)
{
    int32_t winding = winding_at(ray, depth);
    if (winding == 0) {
        return (pliant_volume_point){0, 0.0f};
    }
    uint32_t lower = 0, upper = PLI_DEPTH_STEPS;
    int32_t sum = 0;
    for (uint32_t i = 0; i < ray.crossing_count; i++) {
        uint32_t at = pli_crossing_depth(ray.crossings[i]);
        lower = sum == 0 && at <= depth ? at : lower;
        sum += pli_crossing_step(ray.crossings[i]);
        if (sum == 0 && at > depth) {
            upper = at;
            break;
        }
    }
    uint32_t to_lower = depth - lower, to_upper = upper - depth;
    return (pliant_volume_point){winding, to_upper <= to_lower ? (float)to_upper * step
                                                               : -(float)to_lower * step};
}

static inline bool in_box(const pliant_box *box, const float p[3])
{
    return box->lower[0] <= p[0] && p[0] <= box->upper[0] && box->lower[1] <= p[1] &&
           p[1] <= box->upper[1] && box->lower[2] <= p[2] && p[2] <= box->upper[2];
}

/* Points on their way: found on the grid, not yet looked at. */
enum { BATCH = 32 };

typedef struct batch {
    pli_ray ray[BATCH]; /* no crossings for points outside the body's box */
    uint32_t depth[BATCH];
    bool later[BATCH]; /* on a row that is not looked up now */
} batch;

/*
 * Finds the rays of some points, and has their crossings fetched: memory answers many questions at
 * once as fast as one.
 */
static void find_rays(const look_up *l, uint64_t first, uint32_t count, batch *b)
{
    const pli_image *image = l->image;
    const pli_grid *grid = &image->grid;
    const pli_ray nothing = {.crossings = image->bands.data[0].crossings.data};
    for (uint32_t i = 0; i < count; i++) {
        const float *p = point_at(l->points, first + i);
        b->ray[i] = nothing;
        b->depth[i] = 0;
        b->later[i] = false;
        if (in_box(&l->box, p)) {
            uint32_t column = pixel_of(grid, 0, p[grid->axis[0]]) - image->window.first[0];
            uint32_t row = pixel_of(grid, 1, p[grid->axis[1]]);
            if (row < l->first || row > l->last) {
                b->later[i] = true;
                continue;
            }
            row -= image->window.first[1];
            double depth = ((double)p[grid->axis[2]] - grid->lower[2]) * grid->scale[2];
            b->ray[i] = pli_image_ray(image, column, row);
            b->depth[i] = (uint32_t)(depth * PLI_DEPTH_STEPS);
            __builtin_prefetch(b->ray[i].crossings);
        }
    }
}

static void look_up_task(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    const look_up *l = argument;
    float step = (float)pli_grid_depth_step(&l->image->grid);
    uint64_t first = (uint64_t)index * POINTS_PER_TASK, end = first + POINTS_PER_TASK;
    end = end < l->points->count ? end : l->points->count;
    for (; first < end; first += BATCH) {
        batch b;
        uint32_t count = end - first < BATCH ? (uint32_t)(end - first) : BATCH;
        find_rays(l, first, count, &b);
        for (uint32_t i = 0; i < count; i++) {
            if (!b.later[i]) {
                l->answers[first + i] = look_along(b.ray[i], b.depth[i], step);
            }
        }
    }
}

/* How far from its own place a point is looked up, at most. */
static double sampling_error(const pli_grid *grid)
{
    double square = 0.0;
    for (uint32_t k = 0; k < 2; k++) {
        double half = grid->extent[k] / grid->resolution * (0.5 + 2.0 / PLI_PIXEL_STEPS);
        square += half * half;
    }
    double depth = grid->extent[2] * (double)PLI_DEPTH_MARGIN;
    return sqrt(square + depth * depth);
}

static pliant_result look_up_all(pliant_volume *volume, look_up *l)
{
    /* One run cannot have more than 2^32 tasks. */
    uint32_t tasks = (uint32_t)((l->points->count + POINTS_PER_TASK - 1) / POINTS_PER_TASK);
    pli_stage_begin(volume->context, PLIANT_STAGE_VOLUME_QUERY);
    pliant_result result = pli_context_run(volume->context, look_up_task, l, tasks);
    pli_stage_end(volume->context, PLIANT_STAGE_VOLUME_QUERY);
    return result;
}

/* Images of a body in which points are looked up. */
typedef struct imaged_points {
    pliant_volume *volume;
    pli_image_request request;
    look_up look_up;
    double seconds_image;
} imaged_points;

/* A step of pli_volume_in_bands(). */
static pliant_result image_and_look_up(void *user, uint32_t first, uint32_t last)
{
    imaged_points *i = user;
    pliant_volume *volume = i->volume;
    pli_image_request request = i->request;
    bool all = first == request.window.first[1] && last == request.window.last[1];
    double started = pli_seconds();
    request.band = all ? NULL : &volume->band[0];
    request.window.first[1] = i->look_up.first = first;
    request.window.last[1] = i->look_up.last = last;
    pli_stage_begin(volume->context, PLIANT_STAGE_VOLUME_IMAGE);
    pliant_result result = pli_volume_image(volume, &request, &i->look_up.image);
    pli_stage_end(volume->context, PLIANT_STAGE_VOLUME_IMAGE);
    i->seconds_image += pli_seconds() - started;
    if (result != PLIANT_OK) {
        return result;
    }
    uint32_t *complexity = &volume->stats.depth_complexity[0];
    uint32_t here = pli_image_depth_complexity(i->look_up.image);
    *complexity = here > *complexity ? here : *complexity;
    return look_up_all(volume, &i->look_up);
}

/* Images the rows of a request's window and looks points up in them. */
static pliant_result look_up_in_bands(imaged_points *i)
{
    const pli_window *window = &i->request.window;
    i->volume->call_began = i->volume->clock;
    return pli_volume_in_bands(i->volume, window->first[1], window->last[1], image_and_look_up, i);
}

static void all_outside(const listed_points *points, pliant_volume_point *answers)
{
    for (uint64_t i = 0; i < points->count; i++) {
        answers[i] = (pliant_volume_point){0, 0.0f};
    }
}

/* What was asked, on its way to the answers. */
typedef struct inquiry {
    pliant_volume *volume;
    pliant_body *body;
    const pliant_volume_options *options;
    const listed_points *points;
    pliant_volume_point *answers;
    pliant_volume_sampling *sampling;
} inquiry;

/* Takes answers of a body's own frame to the world. */
static void leave_own_frame(const inquiry *q, const own_frame *frame, const imaged_points *found)
{
    const pli_grid *grid = &found->request.grid;
    double direction[3], length = frame_direction(frame, grid->axis[2], direction);
    for (size_t i = 0; i < (size_t)q->points->count; i++) {
        q->answers[i].winding *= (int32_t)frame->sign;
        q->answers[i].depth = (float)((double)q->answers[i].depth * length);
    }
    if (q->sampling != NULL) {
        q->sampling->own_frame = true;
        q->sampling->grid = pli_grid_describe(grid);
        q->sampling->error =
            frame->stretch * sampling_error(grid) + frame_rounding(frame, &found->look_up.box);
        for (int k = 0; k < 3; k++) {
            q->sampling->direction[k] = (float)direction[k];
        }
    }
}

/* Bodies that one transform moves: points go to the body's frame, where its image stays. */
static pliant_result contains_own(const inquiry *q, const own_frame *frame)
{
    pliant_volume *volume = q->volume;
    double started = pli_seconds();
    pliant_box all = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    pliant_result result = cut_to_points(q->points, &all); /* are they finite? */
    size_t count = (size_t)q->points->count;
    if (result == PLIANT_OK && !PLI_RESERVE(volume->context, &volume->own_points, 3 * count + 1)) {
        result = PLIANT_ERROR_OUT_OF_MEMORY;
    }
    if (result != PLIANT_OK) {
        return result;
    }
    for (size_t i = 0; i < count; i++) {
        enter_frame(frame, point_at(q->points, i), volume->own_points.data + 3 * i);
    }
    listed_points own = {volume->own_points.data, 3 * sizeof(float), q->points->count};
    imaged_points found = {.volume = volume, .look_up = {.points = &own, .answers = q->answers}};
    pliant_body *resting = NULL;
    double entered = pli_seconds();
    result =
        request_in_frame(volume, q->body, q->options, &resting, &found.request, &found.look_up.box);
    result = result == PLIANT_OK ? look_up_in_bands(&found) : result;
    pliant_body_destroy(resting);
    if (result != PLIANT_OK) {
        return result;
    }
    leave_own_frame(q, frame, &found);
    volume->stats.seconds_image = found.seconds_image;
    volume->stats.seconds_query = pli_seconds() - entered - found.seconds_image + entered - started;
    return PLIANT_OK;
}

/* The part of the grid over a body's box that points need; false if none. */
static bool set_window(const pliant_box *needed, pli_image_request *request)
{
    request->window = pli_grid_whole(&request->grid);
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t axis = request->grid.axis[k];
        if (needed->lower[axis] > needed->upper[axis]) {
            return false;
        }
        if (k < 2) {
            request->window.first[k] = pixel_of(&request->grid, k, needed->lower[axis]);
            request->window.last[k] = pixel_of(&request->grid, k, needed->upper[axis]);
        }
    }
    return true;
}

static void set_sampling(const pli_grid *grid, pliant_volume_sampling *sampling)
{
    *sampling =
        (pliant_volume_sampling){.grid = pli_grid_describe(grid), .error = sampling_error(grid)};
    sampling->direction[grid->axis[2]] = 1.0f;
}

static pliant_result contains_in_world(const inquiry *q)
{
    pliant_volume *volume = q->volume;
    double started = pli_seconds();
    uint64_t before = q->body->counts.vertices;
    pliant_result result = pli_volume_prepare(q->body);
    if (result != PLIANT_OK) {
        return result;
    }
    volume->stats.vertices_read = q->body->counts.vertices - before;
    pliant_box box = pli_volume_body_box(q->body), needed = box;
    double prepared = pli_seconds();
    result = cut_to_points(q->points, &needed);
    if (result != PLIANT_OK) {
        return result;
    }
    pli_image_request request = {.body = q->body, .cull = q->options->cull};
    pli_grid_for_body(&box, PLI_ANY_AXIS, q->options->resolution, &request.grid);
    if (!set_window(&needed, &request)) {
        all_outside(q->points, q->answers);
    } else {
        imaged_points found = {.volume = volume,
                               .request = request,
                               .look_up = {.points = q->points, .box = box, .answers = q->answers}};
        result = look_up_in_bands(&found);
        volume->stats.seconds_image = found.seconds_image + prepared - started;
        volume->stats.seconds_query = pli_seconds() - prepared - found.seconds_image;
    }
    if (result == PLIANT_OK && q->sampling != NULL) {
        set_sampling(&request.grid, q->sampling);
    }
    return result;
}

static PLI_NOINLINE pliant_result contains(const inquiry *q)
{
    own_frame frame;
    q->volume->stats = (pliant_volume_stats){0};
    return set_frame(q->body, &frame) ? contains_own(q, &frame) : contains_in_world(q);
}

pliant_result pliant_volume_locate_points(pliant_volume *volume, pliant_body *body,
                                          const float *points, uint64_t count, size_t stride,
                                          const pliant_volume_options *options,
                                          pliant_volume_point *answers,
                                          pliant_volume_sampling *sampling)
{
    PLI_REQUIRE(volume);
    PLI_REQUIRE_IDLE(volume, "the volume");
    PLI_REQUIRE(body);
    stride = stride == 0 ? 3 * sizeof(float) : stride;
    if (count > 0) {
        PLI_REQUIRE(points);
        PLI_REQUIRE(answers);
    }
    size_t bytes = 0;
    if (stride < 3 * sizeof(float) || stride % sizeof(float) != 0) {
        return pli_fail(PLIANT_ERROR_RANGE,
                        "stride is %zu; it must be 0 or a multiple of 4 from 12 on", stride);
    }
    if (!pli_size_multiply(stride, count, &bytes) || count > (uint64_t)1 << 40) {
        return pli_fail(PLIANT_ERROR_TOO_LARGE, "%llu points", (unsigned long long)count);
    }
    if (body->context != volume->context) {
        return pli_fail(PLIANT_ERROR_ARGUMENT, "the volume and the body have different contexts");
    }
    pliant_volume_options defaults = pliant_volume_options_default();
    pliant_result result = pli_volume_options_check(options);
    options = options != NULL ? options : &defaults;
    result = result == PLIANT_OK ? pli_volume_check_closed(body->shape, options) : result;
    if (result != PLIANT_OK) {
        return result;
    }
    listed_points list = {points, stride, count};
    inquiry q = {volume, body, options, &list, answers, sampling};
    pli_float_env env = pli_float_env_enter();
    result = contains(&q);
    pli_float_env_leave(env);
    return result;
}
