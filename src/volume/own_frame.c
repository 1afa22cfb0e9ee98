#include "own_frame.h"

#include <float.h>
#include <math.h>

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

bool pli_own_frame_set(const pliant_body *body, pli_own_frame *frame)
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

void pli_own_frame_enter(const pli_own_frame *frame, const float point[3], float own[3])
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

/* Vertices are rounded to float32 in the world, points in the frame. */
double pli_own_frame_rounding(const pli_own_frame *frame, const pliant_box *box)
{
    double own = 0.0, world = 0.0;
    for (int k = 0; k < 3; k++) {
        own = fmax(own, fmax(fabs((double)box->lower[k]), fabs((double)box->upper[k])));
        world = fmax(world, fabs(frame->translation[k]));
    }
    return 0x1p-20 * (2.0 * frame->stretch * own + world);
}

double pli_own_frame_direction(const pli_own_frame *frame, uint32_t axis, double direction[3])
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

pliant_result pli_own_frame_request(const pliant_volume *volume, pliant_body *body,
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
