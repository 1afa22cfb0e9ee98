/*
 * Principal components of an animation.
 * Based on: Sirovich, Turbulence and the dynamics of coherent structures, 1987 (the method of
 * snapshots): the modes are combinations of the frames, found from the matrix of the frames' inner
 * products, which is small where vertices are many. With more frames than coordinates the matrix of
 * the coordinates' products is the smaller one and is used instead.
 *
 * The modes are then rounded to float32, the coordinates fitted to the rounded modes by least
 * squares, and the error measured on what float32 evaluation gives.
 */
#include "pliant/fit.h"

#include <math.h>
#include <string.h>

#include "error.h"
#include "memory.h"

#ifdef PLI_HAVE_LAPACKE
#include <lapacke.h>
#endif

#define MOST_FRAMES 30000

PLIANT_DEFINE_DEFAULT(pliant_fit_def)
{
    return (pliant_fit_def){.mode_count = 10, .tag = PLI_ASSET_TAG(pliant_fit_def)};
}

/* A fit and where its arrays come from. */
typedef struct owned_fit {
    pliant_fit shown; /* first, so that a fit is its owner */
    pliant_context *context;
    pli_memory memory;
} owned_fit;

typedef struct fit_work {
    const pliant_fit_def *def;
    owned_fit *fit;
    pli_memory *memory;
    size_t frames, numbers; /* numbers: 3 per vertex */
    float *rest, *modes, *coordinates;
    size_t mode_count;
    double *values;  /* eigenvalues, largest first */
    double *vectors; /* as many rows, one after the other */
    double total;    /* the sum of all eigenvalues */
} fit_work;

#ifdef PLI_HAVE_LAPACKE

static double displacement(const fit_work *work, size_t frame, size_t i)
{
    return (double)work->def->frames[frame * work->numbers + i] - (double)work->rest[i];
}

/* The mean in double, rounded once. */
static void find_rest(fit_work *work)
{
    if (work->def->rest != NULL) {
        memcpy(work->rest, work->def->rest, work->numbers * sizeof *work->rest);
        return;
    }
    for (size_t i = 0; i < work->numbers; i++) {
        double sum = 0.0;
        for (size_t f = 0; f < work->frames; f++) {
            sum += (double)work->def->frames[f * work->numbers + i];
        }
        work->rest[i] = (float)(sum / (double)work->frames);
    }
}

#define BLOCK 512

static double dot(const double *a, const double *b, size_t count)
{
    double sum[4] = {0.0}; /* side by side, so that additions need not wait for each other */
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        for (size_t k = 0; k < 4; k++) {
            sum[k] += a[i + k] * b[i + k];
        }
    }
    for (; i < count; i++) {
        sum[0] += a[i] * b[i];
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* product[f][g] = the inner product of the displacements of frames f and g <= f. */
static pliant_result multiply_frames(fit_work *work, double *product)
{
    double *block = pli_memory_get(work->memory, work->frames, BLOCK * sizeof *block);
    if (block == NULL) {
        return work->memory->failure;
    }
    for (size_t start = 0; start < work->numbers; start += BLOCK) {
        size_t count = work->numbers - start < BLOCK ? work->numbers - start : BLOCK;
        for (size_t f = 0; f < work->frames; f++) {
            for (size_t i = 0; i < count; i++) {
                block[f * BLOCK + i] = displacement(work, f, start + i);
            }
        }
        for (size_t f = 0; f < work->frames; f++) {
            for (size_t g = 0; g <= f; g++) {
                product[f * work->frames + g] += dot(block + f * BLOCK, block + g * BLOCK, count);
            }
        }
    }
    pli_memory_drop(work->memory, block);
    return PLIANT_OK;
}

/* product[i][j] = the sum over frames of the displacements of numbers i and j <= i. */
static void multiply_numbers(const fit_work *work, double *product)
{
    for (size_t f = 0; f < work->frames; f++) {
        for (size_t i = 0; i < work->numbers; i++) {
            double di = displacement(work, f, i);
            for (size_t j = 0; j <= i; j++) {
                product[i * work->numbers + j] += di * displacement(work, f, j);
            }
        }
    }
}

/* The largest eigenvalue that rounding all positions to float32 can make. */
static double rounding_noise(const fit_work *work)
{
    double squares = 0.0;
    for (size_t i = 0; i < work->numbers; i++) {
        double half_ulp = 0x1p-24 * (double)work->rest[i];
        squares += half_ulp * half_ulp;
    }
    return squares * (double)work->frames;
}

/* Keeps the largest eigenvalues that rounding has not made up. */
static pliant_result find_components(fit_work *work, double *product, size_t size)
{
    size_t wanted = work->def->mode_count < size ? work->def->mode_count : size;
    for (size_t i = 0; i < size; i++) {
        work->total += product[i * size + i];
    }
    if (wanted == 0) {
        return PLIANT_OK;
    }
    double *values = pli_memory_get(work->memory, size, sizeof *values);
    double *vectors = values != NULL
                          ? pli_memory_get(work->memory, (uint64_t)size * wanted, sizeof *vectors)
                          : NULL;
    lapack_int *support =
        vectors != NULL ? pli_memory_get(work->memory, 2 * size, sizeof *support) : NULL;
    if (support == NULL) {
        return work->memory->failure;
    }
    lapack_int found = 0, n = (lapack_int)size;
    lapack_int failure = LAPACKE_dsyevr(LAPACK_ROW_MAJOR, 'V', 'I', 'L', n, product, n, 0.0, 0.0,
                                        n - (lapack_int)wanted + 1, n, 0.0, &found, values, vectors,
                                        (lapack_int)wanted, support);
    if (failure != 0) {
        return pli_asset_fail(PLIANT_ERROR_STATE,
                              "LAPACK could not find the components (dsyevr: %d)", (int)failure);
    }
    work->values = pli_memory_get(work->memory, wanted, sizeof *work->values);
    work->vectors = work->values != NULL ? pli_memory_get(work->memory, (uint64_t)wanted * size,
                                                          sizeof *work->vectors)
                                         : NULL;
    if (work->vectors == NULL) {
        return work->memory->failure;
    }
    size_t count = (size_t)found;
    double least = rounding_noise(work);
    if (count > 0) {
        least = fmax(least, values[count - 1] * (double)size * 0x1p-52);
    }
    for (size_t m = 0; m < count; m++) { /* LAPACK gives the smallest first, in columns */
        size_t column = count - 1 - m;
        if (!(values[column] > least)) {
            break;
        }
        work->values[m] = values[column];
        for (size_t i = 0; i < size; i++) {
            work->vectors[m * size + i] = vectors[i * wanted + column];
        }
        work->mode_count = m + 1;
    }
    return PLIANT_OK;
}

/* One mode in double, of length 1, from its eigenvector. */
static void combine(const fit_work *work, size_t mode, bool by_frames, double *field)
{
    if (!by_frames) {
        memcpy(field, work->vectors + mode * work->numbers, work->numbers * sizeof *field);
        return;
    }
    const double *vector = work->vectors + mode * work->frames;
    double scale = 1.0 / sqrt(work->values[mode]);
    memset(field, 0, work->numbers * sizeof *field);
    for (size_t f = 0; f < work->frames; f++) {
        double share = vector[f] * scale;
        for (size_t i = 0; i < work->numbers; i++) {
            field[i] += share * displacement(work, f, i);
        }
    }
}

/*
 * Scales a mode so that the largest coordinate is 1, and turns it so that the number of largest
 * size in it, the first of them, is positive.
 */
static void store_mode(const fit_work *work, const double *field, float *mode)
{
    double largest = 0.0, most = 0.0;
    for (size_t i = 0; i < work->numbers; i++) {
        largest = fabs(field[i]) > fabs(largest) ? field[i] : largest;
    }
    for (size_t f = 0; f < work->frames; f++) {
        double coordinate = 0.0;
        for (size_t i = 0; i < work->numbers; i++) {
            coordinate += field[i] * displacement(work, f, i);
        }
        most = fmax(most, fabs(coordinate));
    }
    double scale = most > 0.0 ? (largest < 0.0 ? -most : most) : 1.0;
    for (size_t i = 0; i < work->numbers; i++) {
        mode[i] = (float)(scale * field[i]);
    }
}

static pliant_result make_modes(fit_work *work, bool by_frames)
{
    double *field = pli_memory_get(work->memory, work->numbers, sizeof *field);
    work->modes = field != NULL ? pli_memory_get(&work->fit->memory,
                                                 (uint64_t)work->mode_count * work->numbers,
                                                 sizeof *work->modes)
                                : NULL;
    if (field == NULL || work->modes == NULL) {
        return field == NULL ? work->memory->failure : work->fit->memory.failure;
    }
    for (size_t m = 0; m < work->mode_count; m++) {
        combine(work, m, by_frames, field);
        store_mode(work, field, work->modes + m * work->numbers);
    }
    return PLIANT_OK;
}

/* Least squares for the modes as they were rounded: (U U^T) q = U d for each frame. */
static pliant_result find_coordinates(fit_work *work)
{
    size_t modes = work->mode_count;
    if (modes == 0) {
        return PLIANT_OK;
    }
    double *matrix = pli_memory_get(work->memory, (uint64_t)modes * modes, sizeof *matrix);
    double *right =
        matrix != NULL ? pli_memory_get(work->memory, (uint64_t)modes * work->frames, sizeof *right)
                       : NULL;
    if (right == NULL) {
        return work->memory->failure;
    }
    for (size_t i = 0; i < work->numbers; i++) {
        for (size_t m = 0; m < modes; m++) {
            double u = (double)work->modes[m * work->numbers + i];
            for (size_t k = 0; k <= m; k++) {
                matrix[m * modes + k] += u * (double)work->modes[k * work->numbers + i];
            }
        }
    }
    for (size_t m = 0; m < modes; m++) {
        const float *mode = work->modes + m * work->numbers;
        for (size_t f = 0; f < work->frames; f++) {
            double sum = 0.0;
            for (size_t i = 0; i < work->numbers; i++) {
                sum += (double)mode[i] * displacement(work, f, i);
            }
            right[m * work->frames + f] = sum;
        }
    }
    lapack_int failure =
        LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', (lapack_int)modes, (lapack_int)work->frames, matrix,
                      (lapack_int)modes, right, (lapack_int)work->frames);
    if (failure != 0) {
        return pli_asset_fail(PLIANT_ERROR_STATE,
                              "LAPACK could not fit the coordinates (dposv: %d)", (int)failure);
    }
    for (size_t f = 0; f < work->frames; f++) {
        for (size_t m = 0; m < modes; m++) {
            double q = right[m * work->frames + f];
            work->coordinates[f * modes + m] = (float)fmax(-1.0, fmin(q, 1.0));
        }
    }
    return PLIANT_OK;
}

/* Finds the components from the smaller of the two matrices. */
static pliant_result decompose(fit_work *work)
{
    bool by_frames = work->frames <= work->numbers;
    size_t size = by_frames ? work->frames : work->numbers;
    double *product = pli_memory_get(work->memory, (uint64_t)size * size, sizeof *product);
    if (product == NULL) {
        return work->memory->failure;
    }
    pliant_result result = PLIANT_OK;
    if (by_frames) {
        result = multiply_frames(work, product);
    } else {
        multiply_numbers(work, product);
    }
    result = result == PLIANT_OK ? find_components(work, product, size) : result;
    return result == PLIANT_OK ? make_modes(work, by_frames) : result;
}

#endif

/* The float32 number that rest, modes and coordinates give (docs/definition.md, D1). */
static float evaluate(const fit_work *work, size_t frame, size_t i)
{
    float y = work->rest[i];
    const float *q = work->coordinates + frame * work->mode_count;
    for (size_t m = 0; m < work->mode_count; m++) {
        y += q[m] * work->modes[m * work->numbers + i];
    }
    return y;
}

/*
 * The differences are exact in double unless their exponents lie far apart, and every operation
 * rounds by 2^-53 of its result; 8 of these are more than enough. The sum is rounded up.
 */
static void measure(fit_work *work)
{
    pliant_fit *shown = &work->fit->shown;
    double largest = 0.0;
    float lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t f = 0; f < work->frames; f++) {
        const float *frame = work->def->frames + f * work->numbers;
        for (size_t v = 0; v < work->numbers / 3; v++) {
            double squares = 0.0;
            for (size_t k = 0; k < 3; k++) {
                float x = frame[3 * v + k];
                double d = (double)x - (double)evaluate(work, f, 3 * v + k);
                squares += d * d;
                lower[k] = x < lower[k] ? x : lower[k];
                upper[k] = x > upper[k] ? x : upper[k];
            }
            if (squares > largest) {
                largest = squares;
                shown->largest_frame = (uint32_t)f;
                shown->largest_vertex = (uint32_t)v;
            }
        }
    }
    double distance = sqrt(largest) * (1.0 + 0x1p-49);
    float rounded = (float)distance;
    shown->largest_error =
        (double)rounded < distance ? nextafterf(rounded, (float)INFINITY) : rounded;
    double diagonal = 0.0;
    for (int k = 0; k < 3; k++) {
        double side = (double)upper[k] - (double)lower[k];
        diagonal += side * side;
    }
    shown->size = sqrt(diagonal);
}

static void finish(fit_work *work)
{
    pliant_fit *shown = &work->fit->shown;
    shown->rest = work->rest;
    shown->modes = work->modes;
    shown->coordinates = work->coordinates;
    shown->vertex_count = work->def->vertex_count;
    shown->frame_count = work->def->frame_count;
    shown->mode_count = (uint32_t)work->mode_count;
    double kept = 0.0;
    for (size_t m = 0; m < work->mode_count; m++) {
        kept += work->values[m];
    }
    shown->variance_kept = work->total > 0.0 ? fmin(kept / work->total, 1.0) : 1.0;
    measure(work);
}

static PLIANT_NOINLINE pliant_result fit_all(fit_work *work)
{
#ifdef PLI_HAVE_LAPACKE
    pli_memory *kept = &work->fit->memory;
    uint64_t most = work->def->mode_count < work->frames ? work->def->mode_count : work->frames;
    work->rest = pli_memory_get(kept, work->numbers, sizeof *work->rest);
    work->coordinates = work->rest != NULL
                            ? pli_memory_get(kept, work->frames * most, sizeof *work->coordinates)
                            : NULL;
    if (work->coordinates == NULL) {
        return kept->failure;
    }
    find_rest(work);
    pliant_result result = decompose(work);
    result = result == PLIANT_OK ? find_coordinates(work) : result;
    if (result == PLIANT_OK) {
        finish(work);
    }
    return result;
#else
    (void)finish;
    (void)work;
    return pli_asset_fail(PLIANT_ERROR_STATE, "fitting needs LAPACK, and this build lacks it "
                                              "(liblapacke-dev)");
#endif
}

static pliant_result check_def(const pliant_fit_def *def)
{
    PLI_ASSET_REQUIRE(def);
    pliant_result result =
        pliant_check_tag(def->tag, PLI_ASSET_TAG(pliant_fit_def), "pliant_fit_def");
    if (result != PLIANT_OK) {
        return result;
    }
    PLI_ASSET_REQUIRE(def->frames);
    if (def->frame_count < 1 || def->frame_count > MOST_FRAMES) {
        return pli_asset_fail(PLIANT_ERROR_RANGE, "frame_count is %u; it must be 1 to %d",
                              def->frame_count, MOST_FRAMES);
    }
    if (def->vertex_count < 1 || def->vertex_count > INT32_MAX) {
        return pli_asset_fail(PLIANT_ERROR_RANGE, "vertex_count is %u; it must be 1 to 2^31 - 1",
                              def->vertex_count);
    }
    size_t numbers = 3 * (size_t)def->vertex_count;
    if (numbers > SIZE_MAX / 16 / def->frame_count) {
        return pli_asset_fail(PLIANT_ERROR_TOO_LARGE, "%u frames of %u vertices are too many",
                              def->frame_count, def->vertex_count);
    }
    for (size_t i = 0; i < numbers * def->frame_count; i++) {
        /* Squares of displacements are added up: what could overflow is refused as well. */
        if (!(fabsf(def->frames[i]) <= 0x1p120f)) {
            return pli_asset_fail(PLIANT_ERROR_NOT_FINITE,
                                  "frame %zu, vertex %zu is not finite, or "
                                  "beyond 2^120",
                                  i / numbers, i % numbers / 3);
        }
    }
    for (size_t i = 0; def->rest != NULL && i < numbers; i++) {
        if (!(fabsf(def->rest[i]) <= 0x1p120f)) {
            return pli_asset_fail(PLIANT_ERROR_NOT_FINITE,
                                  "vertex %zu at rest is not finite, or beyond 2^120", i / 3);
        }
    }
    return PLIANT_OK;
}

pliant_result pliant_fit_create(pliant_context *context, const pliant_fit_def *def,
                                const pliant_fit **fit)
{
    PLI_ASSET_REQUIRE(context);
    PLI_ASSET_REQUIRE(fit);
    pliant_result result = check_def(def);
    if (result != PLIANT_OK) {
        return result;
    }
    result = pliant_context_join(context);
    if (result != PLIANT_OK) {
        return result;
    }
    owned_fit *created = pliant_context_allocate(context, sizeof *created);
    if (created == NULL) {
        pliant_context_leave(context);
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    *created = (owned_fit){.context = context, .memory = {.context = context, .limit = UINT64_MAX}};
    pli_memory scratch = {.context = context, .limit = UINT64_MAX};
    fit_work work = {.def = def,
                     .fit = created,
                     .memory = &scratch,
                     .frames = def->frame_count,
                     .numbers = 3 * (size_t)def->vertex_count};
    pliant_float_env saved;
    pliant_float_env_enter(&saved);
    result = fit_all(&work);
    pliant_float_env_leave(&saved);
    pli_memory_clear(&scratch);
    if (result != PLIANT_OK) {
        pliant_fit_destroy(&created->shown);
        return result;
    }
    *fit = &created->shown;
    return PLIANT_OK;
}

void pliant_fit_destroy(const pliant_fit *fit)
{
    if (fit != NULL) {
        owned_fit *owner = (owned_fit *)fit;
        pliant_context *context = owner->context;
        pli_memory_clear(&owner->memory);
        pliant_context_release(context, owner, sizeof *owner);
        pliant_context_leave(context);
    }
}
