/*
 * The covariance partition.
 * Based on: D. Steinemann, M. A. Otaduy, M. Gross, Efficient Bounds for Point-Based Animations,
 * Symposium on Point-Based Graphics 2007, whose trees split triangles at the median along the axis
 * that their covariance matrix is longest along (after Gottschalk, Lin & Manocha 1996).
 *
 * Ours: the covariance is that of the triangles' midpoints; a node of four or eight children is two
 * or three such splits, and what fits a cluster is split no further (arity 2 and leaf_size 1 give
 * clusters of two triangles, which is nearly the paper's tree).
 */
#include "builder.h"

#include <math.h>

typedef struct matrix {
    double at[3][3];
} matrix;

static matrix covariance_of(const pli_item *items, uint32_t count)
{
    matrix c = {{{0}}};
    double mean[3] = {0};
    for (uint32_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            mean[k] += (double)items[i].midpoint[k] / count;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        double d[3];
        for (int k = 0; k < 3; k++) {
            d[k] = (double)items[i].midpoint[k] - mean[k];
        }
        for (int k = 0; k < 9; k++) {
            c.at[k / 3][k % 3] += d[k / 3] * d[k % 3];
        }
    }
    return c;
}

/* Divides a matrix by its trace; false where that is 0. */
static bool normalise(matrix *c)
{
    double trace = c->at[0][0] + c->at[1][1] + c->at[2][2];
    for (int k = 0; k < 9 && trace > 0.0; k++) {
        c->at[k / 3][k % 3] /= trace;
    }
    return trace > 0.0;
}

static matrix square(const matrix *c)
{
    matrix s;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            s.at[i][j] =
                (c->at[i][0] * c->at[0][j] + c->at[i][1] * c->at[1][j]) + c->at[i][2] * c->at[2][j];
        }
    }
    return s;
}

/*
 * The axis of largest spread. A covariance matrix squared again and again, its trace kept at 1,
 * tends to the product of that axis with itself; ten times raise the ratio of two eigenvalues to
 * the power of 1024. Where several are largest, any axis between theirs is as good.
 */
static void longest_axis(const pli_item *items, uint32_t count, double axis[3])
{
    matrix c = covariance_of(items, count);
    bool spread = normalise(&c);
    for (int i = 0; i < 10 && spread; i++) {
        c = square(&c);
        spread = normalise(&c);
    }
    int column = 0;
    for (int k = 1; k < 3; k++) {
        column = c.at[k][k] > c.at[column][column] ? k : column;
    }
    for (int k = 0; k < 3; k++) {
        axis[k] = spread ? c.at[k][column] : 0.0; /* all in one place: by number alone */
    }
}

/* Parts items at the median along their own longest axis; returns how many come first. */
static uint32_t part_at_median(pli_tree_builder *builder, pli_item *items, uint32_t count)
{
    double axis[3];
    longest_axis(items, count, axis);
    for (uint32_t i = 0; i < count; i++) {
        const float *p = items[i].midpoint;
        double along = (axis[0] * (double)p[0] + axis[1] * (double)p[1]) + axis[2] * (double)p[2];
        builder->scratch.data[i].midpoint[0] = (float)(0.25 * along); /* no entry is above 1 */
        builder->scratch.data[i].triangle = items[i].triangle;
    }
    uint32_t half = count / 2;
    pli_select_smallest(builder->scratch.data, count, half, 0);
    for (uint32_t i = 0; i < count; i++) {
        items[i] = pli_item_of(builder->mesh, builder->scratch.data[i].triangle);
    }
    return half;
}

uint32_t pli_split_by_covariance(pli_tree_builder *builder, pli_item_run run,
                                 uint32_t sizes[PLI_WIDTH])
{
    uint32_t parts = 1;
    sizes[0] = run.count;
    while (parts < builder->arity) { /* every part that a cluster does not hold, in two */
        uint32_t halves[2 * PLI_WIDTH], count = 0;
        pli_item *items = builder->items.data + run.first;
        for (uint32_t i = 0; i < parts; i++) {
            bool whole = sizes[i] <= builder->cluster_triangles;
            uint32_t left = whole ? sizes[i] : part_at_median(builder, items, sizes[i]);
            items += sizes[i];
            halves[count++] = left;
            if (!whole) {
                halves[count++] = sizes[i] - left;
            }
        }
        if (count == parts) {
            break;
        }
        parts = count;
        for (uint32_t i = 0; i < parts; i++) {
            sizes[i] = halves[i];
        }
    }
    return parts;
}
