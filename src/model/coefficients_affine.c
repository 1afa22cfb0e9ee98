/*
 * Affine coefficients: each child's box lies in a frame that suits its vertices and shears with the
 * modes. Ours; see James & Pai 2004 for the bounds these go past. Without a transform on top the
 * frame is that of the axes: all bounds end as boxes along these, and at rest none is smaller.
 *
 * On a child's vertices, with c the centre, F the frame and y = F^T (p - c), the rest positions are
 * c + F y + r and field m is a_m + G_m y + r_m. The stored float32 numbers c, F, a_m and G_m are
 * taken as they are, and the residuals r and r_m measured against them, so whatever the fit, the
 * bound holds: |y| is within the half sizes along the frame, |r| within the residual.
 *
 * Which frame serves best depends on how the body is turned. Where no mode moves a child, a second
 * box costs little: coefficients without modes have the one along the axes too.
 */
#include "builder.h"

#include <math.h>
#include <string.h>

/* The eigenvectors of a symmetric matrix, as columns, by Jacobi's rotations. */
static void find_frame(double matrix[3][3], double frame[3][3])
{
    memset(frame, 0, 9 * sizeof(double));
    for (int i = 0; i < 3; i++) {
        frame[i][i] = 1.0;
    }
    for (int sweep = 0; sweep < 12; sweep++) {
        for (int p = 0; p < 2; p++) {
            for (int q = p + 1; q < 3; q++) {
                if (matrix[p][q] == 0.0) {
                    continue;
                }
                double theta = (matrix[q][q] - matrix[p][p]) / (2.0 * matrix[p][q]);
                double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
                double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
                if (!isfinite(c) || !isfinite(s)) {
                    continue;
                }
                for (int k = 0; k < 3; k++) {
                    double x = matrix[k][p], y = matrix[k][q];
                    matrix[k][p] = c * x - s * y;
                    matrix[k][q] = s * x + c * y;
                }
                for (int k = 0; k < 3; k++) {
                    double x = matrix[p][k], y = matrix[q][k];
                    matrix[p][k] = c * x - s * y;
                    matrix[q][k] = s * x + c * y;
                    x = frame[k][p];
                    y = frame[k][q];
                    frame[k][p] = c * x - s * y;
                    frame[k][q] = s * x + c * y;
                }
            }
        }
    }
}

/* What is being fitted to: the vertices of one child, their y, and z, which is y along the
   principal axes: there slopes can be found one by one. */
typedef struct affine_fit {
    const pli_mesh *mesh;
    const pli_coefficient_lane *lane;
    bool upright;   /* whether the frame is to be that of the axes */
    bool principal; /* whether it is the principal one */
    float centre[3], frame[3][3];
    double turn[3][3]; /* y = turn z */
    double *y, *z;     /* three per vertex */
    double most[3];    /* the largest |y| */
    double mean[3], variance[3];
    int rank[3]; /* of the principal axes, by how far vertices spread along them: 0 the thinnest */
} affine_fit;

/* Slopes across what is so much thinner than it is long would be noise, and are left at zero. */
#define THIN 1e-4

/* What the reach of a gradient counts beside what it leaves over: measured on the bodies of the
   scenes, where 0.15 to 0.3 hardly differ. */
#define REACH_WEIGHT 0.2

#define PI           3.14159265358979323846
#define TURNS        6

/* The extents of the vertices along the axes of a frame, about a point. */
static void measure_extents(const affine_fit *fit, const double about[3], double frame[3][3],
                            double low[3], double high[3])
{
    const pli_coefficient_lane *lane = fit->lane;
    for (int a = 0; a < 3; a++) {
        low[a] = INFINITY;
        high[a] = -INFINITY;
    }
    for (size_t i = 0; i < lane->vertex_count; i++) {
        const float *p = fit->mesh->positions + 3 * (size_t)lane->vertices[i];
        double d[3] = {(double)p[0] - about[0], (double)p[1] - about[1], (double)p[2] - about[2]};
        for (int a = 0; a < 3; a++) {
            double y = (frame[0][a] * d[0] + frame[1][a] * d[1]) + frame[2][a] * d[2];
            low[a] = fmin(low[a], y);
            high[a] = fmax(high[a], y);
        }
    }
}

/* A frame whose axes `first` and `second` are turned in their plane. */
static void turn_frame(double frame[3][3], int first, int second, double angle, double out[3][3])
{
    memcpy(out, frame, 9 * sizeof(double));
    for (int k = 0; k < 3; k++) {
        out[k][first] = cos(angle) * frame[k][first] + sin(angle) * frame[k][second];
        out[k][second] = cos(angle) * frame[k][second] - sin(angle) * frame[k][first];
    }
}

static double extents_sum(const double low[3], const double high[3])
{
    return (high[0] - low[0]) + (high[1] - low[1]) + (high[2] - low[2]);
}

/*
 * Where a body may be turned in any way, the box along the axes that ends up around a child is on
 * average as large as the sum of its sides in the frame. Of the principal frame, the same turned
 * about its shortest axis (for the two long ones say nothing where a surface is as wide as it is
 * long), and the frame of the axes, the one with the smallest sum is taken.
 */
static void choose_frame(affine_fit *fit, const double mean[3], double principal[3][3],
                         const double length[3], double frame[3][3])
{
    double low[3], high[3], least = INFINITY;
    int thin =
        length[0] < length[1] ? (length[0] < length[2] ? 0 : 2) : (length[1] < length[2] ? 1 : 2);
    memset(frame, 0, 9 * sizeof(double));
    frame[0][0] = frame[1][1] = frame[2][2] = 1.0;
    fit->principal = false;
    if (fit->upright) {
        return;
    }
    measure_extents(fit, mean, frame, low, high);
    least = extents_sum(low, high);
    for (int i = 0; i < TURNS; i++) {
        double turned[3][3];
        turn_frame(principal, (thin + 1) % 3, (thin + 2) % 3, 0.5 * PI * i / TURNS, turned);
        measure_extents(fit, mean, turned, low, high);
        if (extents_sum(low, high) < least) {
            least = extents_sum(low, high);
            memcpy(frame, turned, 9 * sizeof(double));
            fit->principal = i == 0;
        }
    }
}

static void measure_frame(affine_fit *fit)
{
    const pli_coefficient_lane *lane = fit->lane;
    double count = (double)lane->vertex_count, mean[3] = {0.0, 0.0, 0.0};
    double covariance[3][3] = {{0.0}}, principal[3][3], frame[3][3];
    for (size_t i = 0; i < lane->vertex_count; i++) {
        for (int k = 0; k < 3; k++) {
            mean[k] += (double)fit->mesh->positions[3 * (size_t)lane->vertices[i] + (size_t)k];
        }
    }
    for (int k = 0; k < 3; k++) {
        mean[k] /= count;
    }
    for (size_t i = 0; i < lane->vertex_count; i++) {
        const float *p = fit->mesh->positions + 3 * (size_t)lane->vertices[i];
        for (int a = 0; a < 3; a++) {
            for (int b = 0; b < 3; b++) {
                covariance[a][b] += ((double)p[a] - mean[a]) * ((double)p[b] - mean[b]);
            }
        }
    }
    find_frame(covariance, principal);
    double length[3] = {covariance[0][0], covariance[1][1], covariance[2][2]}, low[3], high[3];
    choose_frame(fit, mean, principal, length, frame);
    measure_extents(fit, mean, frame, low, high);
    for (int k = 0; k < 3; k++) {
        double centre = mean[k];
        for (int a = 0; a < 3; a++) {
            centre += frame[k][a] * 0.5 * (low[a] + high[a]);
            fit->frame[k][a] = (float)frame[k][a];
            fit->turn[k][a] = 0.0;
            for (int i = 0; i < 3; i++) {
                fit->turn[k][a] += frame[i][k] * principal[i][a];
            }
        }
        fit->centre[k] = (float)centre;
    }
}

/* y of every vertex, from the rounded centre and frame; half sizes upward. */
static void measure_half_sizes(affine_fit *fit, float *half)
{
    const pli_coefficient_lane *lane = fit->lane;
    for (size_t i = 0; i < lane->vertex_count; i++) {
        const float *p = fit->mesh->positions + 3 * (size_t)lane->vertices[i];
        for (int a = 0; a < 3; a++) {
            double y = 0.0;
            for (int k = 0; k < 3; k++) {
                y += (double)fit->frame[k][a] * ((double)p[k] - (double)fit->centre[k]);
            }
            fit->y[3 * i + (size_t)a] = y;
            /* Not fmax(), at which gcc 12 for aarch64 stops with an internal error. */
            fit->most[a] = fabs(y) > fit->most[a] ? fabs(y) : fit->most[a];
        }
    }
    for (uint32_t a = 0; a < 3; a++) {
        half[PLI_WIDTH * a + lane->lane] = pli_round_up(fit->most[a]);
    }
}

/* z of every vertex and its statistics. */
static void measure_spread(affine_fit *fit)
{
    size_t vertices = fit->lane->vertex_count;
    for (size_t i = 0; i < vertices; i++) {
        const double *y = fit->y + 3 * i;
        for (size_t a = 0; a < 3; a++) {
            double z = 0.0;
            for (size_t k = 0; k < 3; k++) {
                z += fit->turn[k][a] * y[k];
            }
            fit->z[3 * i + a] = z;
            fit->mean[a] += z / (double)vertices;
        }
    }
    for (size_t i = 0; i < vertices; i++) {
        for (size_t a = 0; a < 3; a++) {
            double d = fit->z[3 * i + a] - fit->mean[a];
            fit->variance[a] += d * d;
        }
    }
    double most = fmax(fmax(fit->variance[0], fit->variance[1]), fit->variance[2]);
    for (int a = 0; a < 3 && !fit->principal; a++) {
        fit->variance[a] = fit->variance[a] > THIN * most ? fit->variance[a] : 0.0;
    }
    for (int a = 0; a < 3; a++) {
        for (int k = 0; k < 3; k++) {
            bool thinner = fit->variance[k] < fit->variance[a];
            fit->rank[a] += thinner || (k < a && fit->variance[k] == fit->variance[a]);
        }
    }
}

/* How numbers of the vertices grow along the principal axes, by least squares. */
static void find_slopes(const affine_fit *fit, const double *numbers, double mean, double slope[3])
{
    for (size_t a = 0; a < 3; a++) {
        double product = 0.0;
        for (size_t i = 0; i < fit->lane->vertex_count; i++) {
            product += (numbers[i] - mean) * (fit->z[3 * i + a] - fit->mean[a]);
        }
        slope[a] = fit->variance[a] > 0.0 ? product / fit->variance[a] : 0.0;
    }
}

/* What a gradient leaves of the numbers: least and greatest. */
static void measure_rest(const affine_fit *fit, const double *numbers, const float gradient[3],
                         double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 0; i < fit->lane->vertex_count; i++) {
        const double *y = fit->y + 3 * i;
        double rest = numbers[i];
        for (size_t a = 0; a < 3; a++) {
            rest -= (double)gradient[a] * y[a];
        }
        *low = fmin(*low, rest);
        *high = fmax(*high, rest);
    }
}

static double reach_of(const affine_fit *fit, const float gradient[3])
{
    return fabs((double)gradient[0]) * fit->most[0] + fabs((double)gradient[1]) * fit->most[1] +
           fabs((double)gradient[2]) * fit->most[2];
}

/*
 * Of the slopes by least squares, all or only those along the longer axes, whichever leave least. A
 * slope across a nearly flat surface explains little, for nothing reaches far that way; but
 * along the axes, which do not lie in the surface, it makes all three columns of the gradient
 * long. So there the reach of the gradient is weighed too. It counts less than what is left over:
 * gradients of several fields partly cancel each other, while what they leave adds up.
 */
static void find_gradient(const affine_fit *fit, const double *numbers, double mean, double largest,
                          float gradient[3])
{
    double slope[3], least = INFINITY;
    find_slopes(fit, numbers, mean, slope);
    for (int without = 0; without <= 3; without++) {
        float tried[3];
        double low, high;
        for (int a = 0; a < 3; a++) {
            double turned = 0.0;
            for (int k = 0; k < 3; k++) {
                turned += fit->rank[k] >= without ? fit->turn[a][k] * slope[k] : 0.0;
            }
            tried[a] = (float)turned;
        }
        /* A fit that overshoots what it fits would also spoil the error bounds of the kernels. */
        double reach = reach_of(fit, tried);
        if (!(reach <= 4.0 * largest)) {
            continue;
        }
        measure_rest(fit, numbers, tried, &low, &high);
        double cost = 0.5 * (high - low) + (fit->upright ? REACH_WEIGHT * reach : 0.0);
        if (cost < least) {
            least = cost;
            memcpy(gradient, tried, 3 * sizeof *gradient);
        }
    }
}

/* The given numbers of each vertex, one axis of a field or of the rest positions, fitted as
   constant + gradient * y and a residual, which are stored; `fixed` gives constant and gradient. */
static void fit_axis(const affine_fit *fit, const double *numbers, const float *fixed, float *axes,
                     float *frame_row, double more)
{
    const pli_coefficient_lane *lane = fit->lane;
    double mean = 0.0, low, high, largest = 0.0;
    float gradient[3] = {0.0f, 0.0f, 0.0f};
    for (size_t i = 0; i < lane->vertex_count; i++) {
        mean += numbers[i] / (double)lane->vertex_count;
        largest = fmax(largest, fabs(numbers[i]));
    }
    if (fixed != NULL) {
        memcpy(gradient, fixed + 1, sizeof gradient);
    } else {
        find_gradient(fit, numbers, mean, largest, gradient);
    }
    double reach = reach_of(fit, gradient);
    measure_rest(fit, numbers, gradient, &low, &high);
    float constant = fixed != NULL ? fixed[0] : (float)(0.5 * low + 0.5 * high);
    double most = fmax(fabs(low - (double)constant), fabs(high - (double)constant));
    axes[lane->lane] = constant;
    axes[PLI_WIDTH + lane->lane] =
        pli_round_up(most + more + 1e-15 * (largest + reach + fabs((double)constant)));
    for (size_t a = 0; a < 3; a++) {
        frame_row[PLI_WIDTH * a + lane->lane] = gradient[a];
    }
}

/* One axis of every field of the coefficients: numbers[mode * vertices + i]. */
static void gather_axis(const pli_model_builder *builder, const pli_coefficient_lane *lane,
                        size_t axis, double *numbers)
{
    const pli_entries *fields = &builder->mesh->fields;
    memset(numbers, 0, lane->vertex_count * lane->mode_count * sizeof *numbers);
    for (size_t i = 0; i < lane->vertex_count; i++) {
        uint32_t v = lane->vertices[i];
        for (uint32_t e = fields->start[v]; e < fields->start[v + 1]; e++) {
            size_t mode = builder->mode_slot.data[fields->number[e]];
            numbers[mode * lane->vertex_count + i] = (double)fields->value[3 * (size_t)e + axis];
        }
    }
}

bool pli_fill_affine_lane(pli_model_builder *builder, const pli_coefficient_lane *lane)
{
    affine_fit fit = {
        .mesh = builder->mesh, .lane = lane, .upright = builder->model.joint_count == 0};
    builder->ranges.count = 0;
    size_t vertices = lane->vertex_count, modes = lane->mode_count;
    fit.y =
        PLI_EXTEND(builder->context, &builder->ranges, vertices * (6 + (modes > 0 ? modes : 1)));
    if (fit.y == NULL) {
        return false;
    }
    fit.z = fit.y + 3 * vertices;
    double *numbers = fit.z + 3 * vertices;
    float *axes = lane->values, *frame = axes + PLI_COEFFICIENT_AXES,
          *half = frame + PLI_COEFFICIENT_FRAME;
    float *mode_values = half + PLI_COEFFICIENT_COLUMNS;
    size_t mode_size = PLI_COEFFICIENT_AXES + PLI_COEFFICIENT_FRAME;
    measure_frame(&fit);
    measure_half_sizes(&fit, half);
    measure_spread(&fit);
    for (size_t k = 0; k < 3; k++) {
        float fixed[4] = {fit.centre[k], fit.frame[k][0], fit.frame[k][1], fit.frame[k][2]};
        for (size_t i = 0; i < vertices; i++) {
            numbers[i] = (double)builder->mesh->positions[3 * (size_t)lane->vertices[i] + k];
        }
        fit_axis(&fit, numbers, fixed, axes + PLI_HALVES * k, frame + 32 * k,
                 (double)builder->model.error);
        if (modes == 0) {
            continue;
        }
        gather_axis(builder, lane, k, numbers);
        for (size_t m = 0; m < modes; m++) {
            float *values = mode_values + mode_size * m;
            fit_axis(&fit, numbers + m * vertices, NULL, values + PLI_HALVES * k,
                     values + PLI_COEFFICIENT_AXES + 32 * k, 0.0);
        }
    }
    float *growth = mode_values + mode_size * modes;
    pli_put_growth(builder->mesh, lane, growth);
    pli_coefficient_lane upright = *lane;
    upright.values = growth + PLI_COEFFICIENT_COLUMNS;
    return modes > 0 || pli_fill_box_lane(builder, &upright);
}

/* ------------------------------------------------------------ affine or plain boxes

   Affine boxes cost two to three times as much as plain ones to refresh. Near the root of a tree a
   child is a large part of the body and no field is nearly affine: there they are hardly smaller.
   So where the library may choose, both are tried on a few states. In these every mode moves the
   body by as much as any other, and all together by about a tenth of its size. */

/* Affine boxes have to be smaller than this share of plain ones. */
#define SMALL_ENOUGH 0.97

enum { TRIED_STATES = 8 };

/* Numbers from -1 to 1, the same on every machine. */
static double draw(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / 8388608.0 - 1.0;
}

/* The sum of the half sides of a lane's box that three runs of numbers hold. */
static double half_sides(const float *values, uint32_t lane)
{
    const float *half = values + PLI_WIDTH + lane;
    return (double)half[0] + (double)half[PLI_HALVES] + (double)half[2 * PLI_HALVES];
}

/* The same of a lane's plain box in a state. */
static double box_sides(const float *values, uint32_t mode_count, uint32_t lane, const double *q)
{
    double sum = half_sides(values, lane);
    for (size_t m = 0; m < mode_count; m++) {
        sum += fabs(q[m]) * half_sides(values + PLI_COEFFICIENT_AXES * (m + 1), lane);
    }
    return sum;
}

/* The same of its affine box; of one that is turned about, on average, along the columns. */
static double affine_sides(const float *values, uint32_t mode_count, uint32_t lane, const double *q,
                           bool turned)
{
    const float *half = values + PLI_COEFFICIENT_AXES + PLI_COEFFICIENT_FRAME + lane;
    const float *modes =
        values + PLI_COEFFICIENT_AXES + PLI_COEFFICIENT_FRAME + PLI_COEFFICIENT_COLUMNS;
    double sum = half_sides(values, lane), frame[3][3];
    for (size_t k = 0; k < 9; k++) {
        frame[k / 3][k % 3] =
            (double)values[PLI_COEFFICIENT_AXES + 32 * (k / 3) + 8 * (k % 3) + lane];
    }
    for (size_t m = 0; m < mode_count; m++) {
        const float *mode = modes + (PLI_COEFFICIENT_AXES + PLI_COEFFICIENT_FRAME) * m;
        sum += fabs(q[m]) * half_sides(mode, lane);
        for (size_t k = 0; k < 9; k++) {
            frame[k / 3][k % 3] +=
                q[m] * (double)mode[PLI_COEFFICIENT_AXES + 32 * (k / 3) + 8 * (k % 3) + lane];
        }
    }
    for (size_t a = 0; a < 3; a++) {
        double x = frame[0][a], y = frame[1][a], z = frame[2][a];
        double length = turned ? sqrt(x * x + y * y + z * z) : fabs(x) + fabs(y) + fabs(z);
        sum += (double)half[PLI_WIDTH * a] * length;
    }
    return sum;
}

bool pli_affine_pays(const pli_model_builder *builder, const pli_coefficients *coefficients,
                     uint32_t lanes, const float *affine, const float *box, double *coordinates)
{
    const uint32_t *modes = builder->coefficient_modes.data + coefficients->first_mode;
    double affine_sum = 0.0, box_sum = 0.0;
    double most = 0.2 * builder->size / sqrt((double)builder->model.mode_count);
    uint32_t state = 1;
    for (int i = 0; i < TRIED_STATES; i++) {
        for (uint32_t m = 0; m < coefficients->mode_count; m++) {
            double largest = (double)builder->reach.data[1 + modes[m]];
            coordinates[m] = largest > 0.0 ? most / largest * draw(&state) : 0.0;
        }
        for (uint32_t lane = 0; lane < lanes; lane++) {
            affine_sum += affine_sides(affine, coefficients->mode_count, lane, coordinates,
                                       builder->model.joint_count > 0);
            box_sum += box_sides(box, coefficients->mode_count, lane, coordinates);
        }
    }
    /* Written so that boxes are taken where numbers are beyond all bounds. */
    return affine_sum < SMALL_ENOUGH * box_sum;
}
