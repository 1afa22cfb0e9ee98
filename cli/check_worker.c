/* What touches in one pose: bodies are set by coordinates and transforms, and only vertices near a
 * contact are ever computed. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A pair of triangles and the parts that they belong to. */
typedef struct check_record {
    uint32_t a, b; /* parts, a <= b */
    pliant_pair pair;
    double gap;
} check_record;

/* The vertices of a body that depths are computed from. */
typedef struct vertex_cache {
    uint32_t *slots; /* per vertex: its place in the lists, or CHECK_NONE; NULL before first use */
    uint32_t *vertices;
    float (*positions)[3];
    uint32_t count, vertex_count;
} vertex_cache;

struct check_worker {
    const check *state;
    pliant_asset_pose *pose;
    pliant_query *query;
    pliant_volume *volume; /* NULL unless volumes are asked for */
    pliant_body **bodies;  /* per body of the asset; NULL where nothing is looked at */
    bool *is_here;         /* in this frame: neither ignored nor hidden */
    bool *is_placed;       /* a still body is placed once */
    pliant_box *boxes;
    vertex_cache *caches;
    check_record *records; /* of the bodies in hand */
    size_t record_count, record_capacity;
    check_found *found; /* of the frame in hand */
    size_t found_count, found_capacity;
};

void check_worker_destroy(check_worker *worker)
{
    if (worker == NULL) {
        return;
    }
    for (uint32_t i = 0; i < worker->state->body_count; i++) {
        pliant_body_destroy(worker->bodies != NULL ? worker->bodies[i] : NULL);
        if (worker->caches != NULL) {
            free(worker->caches[i].slots);
            free(worker->caches[i].vertices);
            free(worker->caches[i].positions);
        }
    }
    pliant_query_destroy(worker->query);
    pliant_volume_destroy(worker->volume);
    pliant_asset_pose_destroy(worker->pose);
    free((void *)worker->bodies);
    free(worker->is_here);
    free(worker->is_placed);
    free(worker->boxes);
    free(worker->caches);
    free(worker->records);
    free(worker->found);
    free(worker);
}

check_worker *check_worker_create(const check *state, pliant_result *result)
{
    size_t bodies = (size_t)state->body_count + 1;
    check_worker *worker = calloc(1, sizeof *worker);
    *result = PLIANT_ERROR_OUT_OF_MEMORY;
    if (worker == NULL) {
        return NULL;
    }
    worker->state = state;
    worker->bodies = (pliant_body **)calloc(bodies, sizeof(pliant_body *));
    worker->is_here = calloc(bodies, sizeof *worker->is_here);
    worker->is_placed = calloc(bodies, sizeof *worker->is_placed);
    worker->boxes = calloc(bodies, sizeof *worker->boxes);
    worker->caches = calloc(bodies, sizeof *worker->caches);
    if (worker->bodies != NULL && worker->is_here != NULL && worker->is_placed != NULL &&
        worker->boxes != NULL && worker->caches != NULL) {
        *result = pliant_asset_pose_create(state->asset, &worker->pose);
        if (*result == PLIANT_OK) {
            *result = pliant_query_create(state->context, &worker->query);
        }
        if (*result == PLIANT_OK && state->settings.volume) {
            *result = pliant_volume_create(state->context, NULL, &worker->volume);
        }
        for (uint32_t i = 0; *result == PLIANT_OK && i < state->body_count; i++) {
            if (state->bodies[i].shape != NULL) {
                *result = pliant_body_create(state->bodies[i].shape, NULL, &worker->bodies[i]);
            }
        }
    }
    if (*result != PLIANT_OK) {
        check_worker_destroy(worker);
        return NULL;
    }
    return worker;
}

/* Makes room for one more in a list. */
static bool grow(void **list, size_t *capacity, size_t count, size_t size)
{
    if (count < *capacity) {
        return true;
    }
    size_t wanted = *capacity < 64 ? 64 : 2 * *capacity;
    void *grown = wanted <= SIZE_MAX / size ? realloc(*list, wanted * size) : NULL;
    if (grown != NULL) {
        *list = grown;
        *capacity = wanted;
    }
    return grown != NULL;
}

/* A body whose transforms are all singular is shrunk to nothing, or flat: that is how files hide
   bodies. */
static bool is_hidden(const pliant_asset_state *state)
{
    const float origin[3] = {0.0f, 0.0f, 0.0f};
    for (uint32_t i = 0; i < state->transform_count; i++) {
        const float *rows = state->transforms + 12 * (size_t)i;
        if (pliant_orient3d(rows, rows + 4, rows + 8, origin) != 0) {
            return false;
        }
    }
    return state->transform_count > 0;
}

static pliant_result place_body(check_worker *worker, uint32_t index, check_frame *frame)
{
    pliant_asset_state state = pliant_asset_get_state(worker->pose, index);
    worker->is_here[index] = worker->bodies[index] != NULL && !is_hidden(&state);
    if (!worker->is_here[index]) {
        if (worker->bodies[index] != NULL) {
            frame->hidden[frame->hidden_count++] = index;
        }
        return PLIANT_OK;
    }
    bool still = pliant_asset_get_body(worker->state->asset, index)->motion == PLIANT_ASSET_STILL;
    if (still && worker->is_placed[index]) {
        return PLIANT_OK; /* its bounds stay as they are */
    }
    pliant_result result = pliant_asset_apply(worker->pose, index, worker->bodies[index]);
    worker->is_placed[index] = result == PLIANT_OK;
    return result == PLIANT_OK ? pliant_body_bounds(worker->bodies[index], &worker->boxes[index])
                               : result;
}

static bool may_meet(const check_worker *worker, uint32_t a, uint32_t b)
{
    const pliant_box *first = &worker->boxes[a], *second = &worker->boxes[b];
    double reach = worker->state->settings.clearance;
    for (int k = 0; k < 3; k++) {
        if ((double)first->lower[k] - (double)second->upper[k] > reach ||
            (double)second->lower[k] - (double)first->upper[k] > reach) {
            return false;
        }
    }
    return true;
}

static uint32_t part_of(const check_body *body, uint32_t triangle)
{
    return body->parts != NULL ? body->parts[triangle] : body->first_part;
}

static bool is_wanted(const check *state, uint32_t a, uint32_t b)
{
    if (a == CHECK_NONE || b == CHECK_NONE) {
        return false;
    }
    return a != b || state->settings.self;
}

static bool add_record(check_worker *worker, uint32_t body_a, uint32_t body_b, pliant_pair pair,
                       double gap)
{
    const check *state = worker->state;
    uint32_t a = part_of(&state->bodies[body_a], pair.a);
    uint32_t b = part_of(&state->bodies[body_b], pair.b);
    if (!is_wanted(state, a, b)) {
        return true;
    }
    if (!grow((void **)&worker->records, &worker->record_capacity, worker->record_count,
              sizeof *worker->records)) {
        return false;
    }
    check_record record = {a, b, pair, gap};
    if (a > b) { /* two parts of one body */
        record = (check_record){b, a, {pair.b, pair.a}, gap};
    }
    worker->records[worker->record_count++] = record;
    return true;
}

/* Which triangles touch, or are too close, goes to the records. */
static pliant_result ask(check_worker *worker, uint32_t a, uint32_t b)
{
    pliant_body *const *bodies = worker->bodies;
    pliant_collide_options options = pliant_collide_default();
    options.neighbours = PLIANT_NEIGHBOURS_SKIP;
    pliant_contacts contacts = {0};
    pliant_proximities close = {0};
    bool by_distance = a != b && worker->state->settings.clearance > 0.0;
    pliant_result result =
        a == b        ? pliant_collide_self(worker->query, bodies[a], &options, &contacts)
        : by_distance ? pliant_within(worker->query, bodies[a], bodies[b],
                                      (float)worker->state->settings.clearance, NULL, &close)
                      : pliant_collide(worker->query, bodies[a], bodies[b], &options, &contacts);
    bool room = true;
    for (uint64_t i = 0; result == PLIANT_OK && room && i < contacts.count; i++) {
        room = add_record(worker, a, b, contacts.pairs[i], 0.0);
    }
    for (uint64_t i = 0; result == PLIANT_OK && room && i < close.count; i++) {
        const pliant_proximity *pair = &close.pairs[i];
        room = add_record(worker, a, b, (pliant_pair){pair->a, pair->b}, pair->gap.distance);
    }
    return room ? result : PLIANT_ERROR_OUT_OF_MEMORY;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b ? 1 : 0;
}

static int compare_records(const void *first, const void *second)
{
    const check_record *x = first, *y = second;
    int parts = compare_numbers((uint64_t)x->a << 32 | x->b, (uint64_t)y->a << 32 | y->b);
    return parts != 0 ? parts
                      : compare_numbers((uint64_t)x->pair.a << 32 | x->pair.b,
                                        (uint64_t)y->pair.a << 32 | y->pair.b);
}

/* Queries answer in order; only bodies of several parts need sorting. */
static void sort_records(check_worker *worker)
{
    for (size_t i = 1; i < worker->record_count; i++) {
        if (compare_records(&worker->records[i - 1], &worker->records[i]) > 0) {
            qsort(worker->records, worker->record_count, sizeof *worker->records, compare_records);
            return;
        }
    }
}

static bool open_cache(check_worker *worker, uint32_t body)
{
    vertex_cache *cache = &worker->caches[body];
    if (cache->slots != NULL) {
        return true;
    }
    const check *state = worker->state;
    const pliant_asset_mesh *mesh =
        pliant_asset_get_mesh(state->asset, pliant_asset_get_body(state->asset, body)->shape);
    cache->vertex_count = mesh->vertex_count;
    cache->vertices = malloc(cache->vertex_count * sizeof *cache->vertices);
    cache->positions = malloc(cache->vertex_count * sizeof *cache->positions);
    uint32_t *slots = malloc(cache->vertex_count * sizeof *slots);
    if (cache->vertices == NULL || cache->positions == NULL || slots == NULL) {
        free(cache->vertices);
        free(cache->positions);
        free(slots);
        *cache = (vertex_cache){0};
        return false;
    }
    memset(slots, 0xff, cache->vertex_count * sizeof *slots);
    cache->slots = slots;
    return true;
}

static const uint32_t *corners_of(const check_worker *worker, uint32_t body, uint32_t triangle)
{
    const pliant_asset *asset = worker->state->asset;
    uint32_t shape = pliant_asset_get_body(asset, body)->shape;
    return pliant_asset_get_mesh(asset, shape)->triangles + 3 * (size_t)triangle;
}

static void want_triangle(check_worker *worker, uint32_t body, uint32_t triangle)
{
    vertex_cache *cache = &worker->caches[body];
    const uint32_t *corners = corners_of(worker, body, triangle);
    for (int i = 0; i < 3; i++) {
        if (cache->slots[corners[i]] == CHECK_NONE) {
            cache->slots[corners[i]] = cache->count;
            cache->vertices[cache->count++] = corners[i];
        }
    }
}

static void read_triangle(const check_worker *worker, uint32_t body, uint32_t triangle,
                          float points[3][3])
{
    const vertex_cache *cache = &worker->caches[body];
    const uint32_t *corners = corners_of(worker, body, triangle);
    for (int i = 0; i < 3; i++) {
        memcpy(points[i], cache->positions[cache->slots[corners[i]]], sizeof points[i]);
    }
}

static void close_cache(vertex_cache *cache)
{
    for (uint32_t i = 0; i < cache->count; i++) {
        cache->slots[cache->vertices[i]] = CHECK_NONE;
    }
    cache->count = 0;
}

/* Evaluates the vertices of all triangles that touch, each once. */
static pliant_result evaluate_vertices(check_worker *worker, uint32_t a, uint32_t b)
{
    if (!open_cache(worker, a) || !open_cache(worker, b)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < worker->record_count; i++) {
        const check_record *record = &worker->records[i];
        if (record->gap == 0.0) {
            want_triangle(worker, worker->state->parts[record->a].body, record->pair.a);
            want_triangle(worker, worker->state->parts[record->b].body, record->pair.b);
        }
    }
    pliant_result result = PLIANT_OK;
    for (uint32_t side = 0; side < (a == b ? 1u : 2u) && result == PLIANT_OK; side++) {
        uint32_t body = side == 0 ? a : b;
        vertex_cache *cache = &worker->caches[body];
        if (cache->count > 0) {
            result = pliant_body_evaluate(worker->bodies[body], cache->vertices, cache->count,
                                          cache->positions[0]);
        }
    }
    return result;
}

static double depth_of(const check_worker *worker, const check_record *record)
{
    float a[3][3], b[3][3];
    read_triangle(worker, worker->state->parts[record->a].body, record->pair.a, a);
    read_triangle(worker, worker->state->parts[record->b].body, record->pair.b, b);
    return check_pair_depth(a, b);
}

/* Sums up `count` records of one pair of parts. */
static pliant_result add_found(check_worker *worker, const check_record *records, size_t count,
                               const check_frame *reference, bool keep)
{
    const check_found *known =
        reference != NULL ? check_find(reference, records->a, records->b) : NULL;
    check_found found = {.a = records->a, .b = records->b, .count = count, .gap = INFINITY};
    if (keep) {
        found.pairs = malloc(count * sizeof *found.pairs);
        found.is_new = malloc(count * sizeof *found.is_new);
    }
    if ((keep && (found.pairs == NULL || found.is_new == NULL)) ||
        !grow((void **)&worker->found, &worker->found_capacity, worker->found_count,
              sizeof *worker->found)) {
        free(found.pairs);
        free(found.is_new);
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    uint64_t at = 0; /* in the reference, which is in the same order */
    for (size_t i = 0; i < count; i++) {
        pliant_pair pair = records[i].pair;
        while (known != NULL && at < known->count &&
               (known->pairs[at].a < pair.a ||
                (known->pairs[at].a == pair.a && known->pairs[at].b < pair.b))) {
            at++;
        }
        bool is_new = known == NULL || at == known->count || known->pairs[at].a != pair.a ||
                      known->pairs[at].b != pair.b;
        double depth = records[i].gap == 0.0 ? depth_of(worker, &records[i]) : 0.0;
        found.depth = fmax(found.depth, depth);
        found.gap = fmin(found.gap, records[i].gap);
        if (is_new) {
            found.new_count++;
            found.new_depth = fmax(found.new_depth, depth);
        }
        if (keep) {
            found.pairs[i] = pair;
            found.is_new[i] = is_new;
        }
    }
    worker->found[worker->found_count++] = found;
    return PLIANT_OK;
}

/* Only whole bodies without holes have a volume. */
static bool has_inside(const check *state, uint32_t body)
{
    return state->bodies[body].parts == NULL && pliant_shape_is_closed(state->bodies[body].shape);
}

/* Measures the volume that the bodies of the latest pair of parts share. */
static pliant_result measure_volume(check_worker *worker, uint32_t a, uint32_t b)
{
    check_found *found = &worker->found[worker->found_count - 1];
    if (worker->volume == NULL || !has_inside(worker->state, a) || !has_inside(worker->state, b) ||
        found->gap > 0.0) {
        return PLIANT_OK;
    }
    pliant_volume_measure measure;
    pliant_result result =
        a == b ? pliant_volume_overlap_self(worker->volume, worker->bodies[a], NULL, &measure)
               : pliant_volume_intersect(worker->volume, worker->bodies[a], worker->bodies[b], NULL,
                                         &measure);
    if (result == PLIANT_OK) {
        found->has_volume = true;
        found->volume = measure.volume;
        found->volume_error = measure.error;
    }
    return result;
}

/* All about two bodies, or about one and itself. */
static pliant_result compare_bodies(check_worker *worker, uint32_t a, uint32_t b,
                                    const check_frame *reference, bool keep)
{
    const check *state = worker->state;
    worker->record_count = 0;
    pliant_result result = ask(worker, a, b);
    if (result != PLIANT_OK || worker->record_count == 0) {
        return result;
    }
    sort_records(worker);
    result = evaluate_vertices(worker, a, b);
    for (size_t i = 0, end = 0; result == PLIANT_OK && i < worker->record_count; i = end) {
        const check_record *records = worker->records;
        for (end = i + 1; end < worker->record_count && records[end].a == records[i].a &&
                          records[end].b == records[i].b;) {
            end++;
        }
        if (!check_list_has_pair(state->settings.ignored, state->parts[records[i].a].name,
                                 state->parts[records[i].b].name)) {
            result = add_found(worker, records + i, end - i, reference, keep);
            result = result == PLIANT_OK ? measure_volume(worker, a, b) : result;
        }
    }
    close_cache(&worker->caches[a]);
    close_cache(&worker->caches[b]);
    return result;
}

static int compare_found(const void *first, const void *second)
{
    const check_found *x = first, *y = second;
    return compare_numbers((uint64_t)x->a << 32 | x->b, (uint64_t)y->a << 32 | y->b);
}

const check_found *check_find(const check_frame *frame, uint32_t a, uint32_t b)
{
    check_found wanted = {.a = a, .b = b};
    return frame->found_count == 0 ? NULL
                                   : bsearch(&wanted, frame->found, frame->found_count,
                                             sizeof *frame->found, compare_found);
}

static pliant_result compare_all(check_worker *worker, const check_frame *reference, bool keep)
{
    const check *state = worker->state;
    pliant_result result = PLIANT_OK;
    for (uint32_t i = 0; i < state->body_count; i++) {
        if (!worker->is_here[i]) {
            continue;
        }
        if (state->settings.self || state->bodies[i].part_count > 1) {
            result = compare_bodies(worker, i, i, reference, keep);
        }
        for (uint32_t j = i + 1; result == PLIANT_OK && j < state->body_count; j++) {
            if (worker->is_here[j] && may_meet(worker, i, j)) {
                result = compare_bodies(worker, i, j, reference, keep);
            }
        }
        if (result != PLIANT_OK) {
            return result;
        }
    }
    return result;
}

/* Copies what was found to the frame, which keeps no more than it needs. */
static pliant_result store(check_worker *worker, check_frame *frame)
{
    frame->found = malloc((worker->found_count + 1) * sizeof *frame->found);
    if (frame->found == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    frame->found_count = (uint32_t)worker->found_count;
    if (frame->found_count > 0) {
        qsort(worker->found, worker->found_count, sizeof *worker->found, compare_found);
        memcpy(frame->found, worker->found, worker->found_count * sizeof *frame->found);
    }
    worker->found_count = 0;
    if (frame->hidden_count == 0) {
        free(frame->hidden);
        frame->hidden = NULL;
    }
    return PLIANT_OK;
}

static void drop_found(check_worker *worker)
{
    for (size_t i = 0; i < worker->found_count; i++) {
        free(worker->found[i].pairs);
        free(worker->found[i].is_new);
    }
    worker->found_count = 0;
}

pliant_result check_worker_look(check_worker *worker, check_frame *frame,
                                const check_frame *reference, bool keep_triangles)
{
    const check *state = worker->state;
    uint32_t clip = frame->clip == CHECK_NONE ? PLIANT_ASSET_REST : state->clips[frame->clip].index;
    frame->hidden_count = 0;
    frame->hidden = malloc(((size_t)state->body_count + 1) * sizeof *frame->hidden);
    if (frame->hidden == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    pliant_result result = pliant_asset_sample(worker->pose, clip, frame->time);
    for (uint32_t i = 0; result == PLIANT_OK && i < state->body_count; i++) {
        result = place_body(worker, i, frame);
    }
    if (result == PLIANT_OK) {
        result = compare_all(worker, reference, keep_triangles);
    }
    if (result == PLIANT_OK) {
        result = store(worker, frame);
    }
    drop_found(worker);
    return result;
}
