/*
 * Which boxes of two ranks meet. They are put into strips along one axis, in each of which they are
 * sorted along another and swept over; a box may be in several strips, and a pair may be found in
 * several: what is marked twice is marked all the same.
 */
#include "scene.h"

#include <math.h>
#include <string.h>

enum { MOST_STRIPS = 256 };

/* A box in a strip; its first side is along the axis that is swept, the second across strips. */
typedef struct join_box {
    float lower[3], upper[3];
    uint32_t number, kind;
} join_box;

typedef struct join_side {
    const pli_mpi_box *boxes;
    const pli_mpi_kinds *kinds;
    uint8_t *marks; /* by number: it goes to the other rank */
    size_t count;
    join_box *sorted; /* strip by strip, ascending by their lower sides */
    size_t *ends;     /* of strips */
} join_side;

typedef struct join {
    const pliant_mpi_scene *scene;
    join_side side[2]; /* ours and theirs */
    int other;
    float distance;
    int axis[3];
    double start, width; /* of the strips, along axis[1] */
    uint32_t strips;
    size_t ends[2][MOST_STRIPS];
} join;

/* ------------------------------------------------------------------- strips */

/* The two axes along which what both ranks have in common is longest come first. */
static void choose_axes(join *j)
{
    const pliant_mpi_scene *scene = j->scene;
    const pliant_box *a = &scene->heads[scene->rank].box, *b = &scene->heads[j->other].box;
    float length[3];
    for (int k = 0; k < 3; k++) {
        length[k] = fminf(a->upper[k], b->upper[k]) - fmaxf(a->lower[k], b->lower[k]);
        j->axis[k] = k;
    }
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 2; k++) {
            if (length[j->axis[k]] < length[j->axis[k + 1]]) {
                int swapped = j->axis[k];
                j->axis[k] = j->axis[k + 1];
                j->axis[k + 1] = swapped;
            }
        }
    }
    int across = j->axis[1];
    j->start = (double)fmaxf(a->lower[across], b->lower[across]);
    j->width = (double)length[across];
}

/* As many strips as boxes fit side by side, on average, and no more than boxes fill. */
static void choose_strips(join *j)
{
    double sum = 0.0;
    size_t count = j->side[0].count + j->side[1].count;
    for (int s = 0; s < 2; s++) {
        for (size_t i = 0; i < j->side[s].count; i++) {
            const pliant_box *box = &j->side[s].boxes[i].box;
            sum += fmin((double)box->upper[j->axis[1]] - (double)box->lower[j->axis[1]], j->width);
        }
    }
    double mean = count > 0 ? sum / (double)count + (double)j->distance : 0.0;
    double fit = mean > 0.0 && j->width > 0.0 && isfinite(j->width) ? j->width / mean : 1.0;
    double most = fmin((double)MOST_STRIPS, 1.0 + (double)count / 16.0);
    j->strips = (uint32_t)fmax(1.0, fmin(fit, most));
    j->width = j->strips > 1 ? j->width / j->strips : 1.0;
}

/* The strip that a coordinate is in; what lies outside is in the first or the last. */
static uint32_t strip_of(const join *j, double at)
{
    double strip = j->strips > 1 ? (at - j->start) / j->width : 0.0;
    return !(strip >= 1.0) ? 0 : strip >= j->strips ? j->strips - 1 : (uint32_t)strip;
}

/*
 * The strips of a box. Ours reach as far as the distance, and a bit more: where the gap of two
 * boxes, rounded, is no more than d, it is no more than d (1 + 2^-24). Rounding is monotonic, so
 * that upper
 * + more is not below the other's lower side then, and the strip that it is in neither: both ranks
 * find every pair in some strip, though each of them grows its own boxes.
 */
static void strips_of(const join *j, int side, const pliant_box *box, uint32_t range[2])
{
    double more = side == 0 ? (double)j->distance * (1.0 + 1e-6) : 0.0;
    range[0] = strip_of(j, (double)box->lower[j->axis[1]] - more);
    range[1] = strip_of(j, (double)box->upper[j->axis[1]] + more);
}

/* A float as a number that grows with it. */
static uint64_t ascending(float value)
{
    uint32_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

/* Boxes by strips, and in each by their lower sides. */
static bool sort_side(pliant_mpi_scene *scene, join *j, int s)
{
    join_side *side = &j->side[s];
    uint64_t total = 0;
    uint32_t range[2];
    for (size_t i = 0; i < side->count; i++) {
        strips_of(j, s, &side->boxes[i].box, range);
        total += range[1] - range[0] + 1;
    }
    pliant_context *context = scene->context;
    size_t size = pli_mpi_bytes_of(total, sizeof(uint64_t)), half = size / 2, at = 0;
    uint64_t *keys = pli_mpi_resize(context, &scene->sort_keys, size);
    uint64_t *scratch = pli_mpi_resize(context, &scene->sort_scratch, size);
    uint32_t *numbers = pli_mpi_resize(context, &scene->numbers, half);
    uint32_t *number_scratch = pli_mpi_resize(context, &scene->number_scratch, half);
    side->sorted =
        pli_mpi_resize(context, &scene->sweep[s], pli_mpi_bytes_of(total, sizeof(join_box)));
    if (keys == NULL || scratch == NULL || numbers == NULL || number_scratch == NULL ||
        side->sorted == NULL) {
        return false;
    }
    side->ends = j->ends[s];
    memset(side->ends, 0, sizeof j->ends[s]);
    for (size_t i = 0; i < side->count; i++) {
        strips_of(j, s, &side->boxes[i].box, range);
        for (uint32_t strip = range[0]; strip <= range[1]; strip++, at++) {
            keys[at] = (uint64_t)strip << 32 | ascending(side->boxes[i].box.lower[j->axis[0]]);
            numbers[at] = (uint32_t)i;
            side->ends[strip]++;
        }
    }
    for (uint32_t strip = 1; strip < j->strips; strip++) {
        side->ends[strip] += side->ends[strip - 1];
    }
    pli_mpi_sort(keys, numbers, at, scratch, number_scratch);
    for (size_t i = 0; i < at; i++) {
        const pli_mpi_box *box = &side->boxes[numbers[i]];
        join_box *to = &side->sorted[i];
        for (int k = 0; k < 3; k++) {
            to->lower[k] = box->box.lower[j->axis[k]];
            to->upper[k] = box->box.upper[j->axis[k]];
        }
        to->number = numbers[i];
        to->kind = box->kind;
    }
    return true;
}

/* ------------------------------------------------------------------ sweeping */

/* Two boxes that overlap along the first axis: whether their bodies are compared, and where. */
static void meet(const join *j, const join_box *ours, const join_box *theirs)
{
    const join_side *own = &j->side[0], *other = &j->side[1];
    if (own->marks[ours->number] && other->marks[theirs->number]) {
        return; /* both travel already */
    }
    for (int k = 1; k < 3; k++) {
        if (!(ours->lower[k] - theirs->upper[k] <= j->distance) ||
            !(theirs->lower[k] - ours->upper[k] <= j->distance)) {
            return;
        }
    }
    const pli_mpi_kind *a = pli_mpi_kind_at(own->kinds, ours->kind);
    const pli_mpi_kind *b = pli_mpi_kind_at(other->kinds, theirs->kind);
    if (!(a->category & b->mask) || !(b->category & a->mask) ||
        (a->flags & b->flags & PLI_MPI_STATIC)) {
        return;
    }
    bool here = pli_mpi_owns(j->scene, j->scene->rank, own->boxes[ours->number].id, j->other,
                             other->boxes[theirs->number].id);
    if (here) {
        other->marks[theirs->number] = 1;
    } else {
        own->marks[ours->number] = 1;
    }
}

/* Both lists of a strip side by side: the box that begins first is compared with those of the other
   list that begin before it ends. */
static void sweep(const join *j, uint32_t strip)
{
    const join_box *a = j->side[0].sorted, *b = j->side[1].sorted;
    size_t i = strip > 0 ? j->side[0].ends[strip - 1] : 0, i_end = j->side[0].ends[strip];
    size_t k = strip > 0 ? j->side[1].ends[strip - 1] : 0, k_end = j->side[1].ends[strip];
    while (i < i_end && k < k_end) {
        if (a[i].lower[0] <= b[k].lower[0]) {
            for (size_t m = k; m < k_end && b[m].lower[0] - a[i].upper[0] <= j->distance; m++) {
                meet(j, &a[i], &b[m]);
            }
            i++;
        } else {
            for (size_t m = i; m < i_end && a[m].lower[0] - b[k].upper[0] <= j->distance; m++) {
                meet(j, &a[m], &b[k]);
            }
            k++;
        }
    }
}

bool pli_mpi_join(pliant_mpi_scene *scene, const pli_mpi_neighbour *one, uint8_t *send,
                  uint8_t *take, float distance)
{
    const char *out = scene->boxes_out.data + one->out_first;
    const char *in = scene->boxes_in.data + one->in_first;
    join j = {.scene = scene,
              .side = {{.boxes = (const pli_mpi_box *)(const void *)out,
                        .kinds = &scene->kinds,
                        .marks = send,
                        .count = (size_t)one->out_count},
                       {.boxes = (const pli_mpi_box *)(const void *)in,
                        .kinds = &scene->peers[one->rank].kinds,
                        .marks = take,
                        .count = (size_t)one->in_count}},
              .other = one->rank,
              .distance = distance};
    choose_axes(&j);
    choose_strips(&j);
    if (!sort_side(scene, &j, 0) || !sort_side(scene, &j, 1)) {
        return false;
    }
    for (uint32_t strip = 0; strip < j.strips; strip++) {
        sweep(&j, strip);
    }
    return true;
}
