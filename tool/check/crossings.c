/* Where edges of one part pass through faces of another, in double: for use, not for proof. What
 * touches was decided exactly before. */
#include "regions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

check_regions *check_regions_create(void)
{
    return calloc(1, sizeof(check_regions));
}

void check_regions_destroy(check_regions *regions)
{
    if (regions == NULL) {
        return;
    }
    check_list *lists[] = {&regions->contacts,   &regions->crossings,  &regions->edges,
                           &regions->edge_slots, &regions->reached[0], &regions->reached[1],
                           &regions->order,      &regions->queues[0],  &regions->queues[1],
                           &regions->sums,       &regions->touching,   &regions->flags,
                           &regions->regions,    &regions->sites,      &regions->cells,
                           &regions->slots,      &regions->inner};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        free(lists[i]->items);
    }
    free(regions);
}

void *check_push(check_list *list, size_t size)
{
    void *grown = check_grow(list->items, &list->capacity, list->count, size);
    if (grown == NULL) {
        return NULL;
    }
    list->items = grown;
    return (char *)grown + size * list->count++;
}

bool check_reserve(check_list *list, size_t count, size_t size)
{
    if (count > list->capacity) {
        void *grown = count <= SIZE_MAX / size ? realloc(list->items, count * size) : NULL;
        if (grown == NULL) {
            return false;
        }
        list->items = grown;
        list->capacity = count;
    }
    list->count = 0;
    return true;
}

uint32_t check_find_group(check_contact *contacts, uint32_t contact)
{
    while (contacts[contact].group != contact) {
        contacts[contact].group = contacts[contacts[contact].group].group;
        contact = contacts[contact].group;
    }
    return contact;
}

/* The lower root stays one, so that roots do not depend on the order of unions. */
void check_unite_groups(check_contact *contacts, uint32_t a, uint32_t b)
{
    a = check_find_group(contacts, a);
    b = check_find_group(contacts, b);
    contacts[a > b ? a : b].group = a > b ? b : a;
}

/* One side of a pair of triangles. */
typedef struct crossed_side {
    uint32_t body; /* 0 or 1 */
    uint32_t triangle;
    pliant_triangle at;
    double edges[2][3];        /* from corner 0 to the others */
    double normal[3], squared; /* not of length 1; the square of its length */
    int side;                  /* 1, or -1 where the normal points inwards */
    uint32_t corners[3];       /* welded */
    unsigned owned;            /* which of its edges it lists */
} crossed_side;

static void subtract(const float *a, const float *b, double *difference)
{
    for (int k = 0; k < 3; k++) {
        difference[k] = (double)a[k] - (double)b[k];
    }
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double *a, const double *b, double *product)
{
    product[0] = a[1] * b[2] - a[2] * b[1];
    product[1] = a[2] * b[0] - a[0] * b[2];
    product[2] = a[0] * b[1] - a[1] * b[0];
}

static void read_side(check_worker *worker, uint32_t body, uint32_t which, uint32_t triangle,
                      crossed_side *side)
{
    const check_surface *surface = &worker->state->bodies[body].surface;
    const check_positions *known = &worker->members[body].known;
    const uint32_t *raw = surface->mesh->triangles + 3 * (size_t)triangle;
    side->body = which;
    side->triangle = triangle;
    side->owned = surface->owned[triangle];
    for (int i = 0; i < 3; i++) {
        memcpy(side->at.corner[i], known->at[raw[i]], sizeof side->at.corner[i]);
        side->corners[i] = surface->welded[raw[i]];
    }
    subtract(side->at.corner[1], side->at.corner[0], side->edges[0]);
    subtract(side->at.corner[2], side->at.corner[0], side->edges[1]);
    cross(side->edges[0], side->edges[1], side->normal);
    side->squared = dot(side->normal, side->normal);
    side->side = surface->sides[surface->pieces[triangle]] < 0 ? -1 : 1;
}

/* Whether a point of a triangle's plane is in it, by its weights, with a margin for rounding. */
static bool is_in(const crossed_side *face, const double *point)
{
    double way[3], product[3], least = -1e-9 * face->squared;
    for (int k = 0; k < 3; k++) {
        way[k] = point[k] - (double)face->at.corner[0][k];
    }
    cross(way, face->edges[1], product);
    double u = dot(product, face->normal);
    if (u < least) {
        return false;
    }
    cross(face->edges[0], way, product);
    double v = dot(product, face->normal);
    return v >= least && face->squared - u - v >= least;
}

/* The points that the edges of one triangle share with the other. */
typedef struct crossed_points {
    double at[6][3];
    int count;
} crossed_points;

static bool add_edges(check_list *crossings, const crossed_side *edges, const crossed_side *face,
                      uint32_t contact, crossed_points *points)
{
    double height[3];
    for (int i = 0; i < 3; i++) {
        double to[3];
        subtract(edges->at.corner[i], face->at.corner[0], to);
        height[i] = face->side * dot(face->normal, to);
    }
    for (int i = 0; face->squared > 0.0 && i < 3; i++) {
        int j = (i + 1) % 3;
        if ((height[i] < 0.0) == (height[j] < 0.0)) {
            continue;
        }
        double share = height[i] / (height[i] - height[j]), *point = points->at[points->count];
        for (int k = 0; k < 3; k++) {
            double from = (double)edges->at.corner[i][k];
            point[k] = from + share * ((double)edges->at.corner[j][k] - from);
        }
        if (!is_in(face, point)) {
            continue;
        }
        points->count++;
        if ((edges->owned & 1u << i) == 0) {
            continue; /* the other triangle of this edge touches the face too */
        }
        check_crossing *added = check_push(crossings, sizeof *added);
        if (added == NULL) {
            return false;
        }
        bool ahead = height[j] < 0.0, up = edges->corners[i] < edges->corners[j];
        *added = (check_crossing){.body = edges->body,
                                  .tail = edges->corners[ahead ? i : j],
                                  .head = edges->corners[ahead ? j : i],
                                  .face = face->triangle,
                                  .contact = contact,
                                  .share = (float)(up ? share : 1.0 - share)};
        for (int k = 0; k < 3; k++) {
            added->point[k] = (float)point[k];
        }
    }
    return true;
}

/* A contact in a point, along an edge or in one plane has no crossing: any common point will do. */
static void place_touch(const crossed_side *a, const crossed_side *b, check_contact *contact)
{
    pliant_segment segment;
    if (pliant_triangle_intersect(&a->at, &b->at, &segment) == PLIANT_COMMON_NOTHING) {
        memcpy(segment.p, a->at.corner[0], sizeof segment.p); /* never: they touch */
        memcpy(segment.q, segment.p, sizeof segment.q);
    }
    double length = 0.0;
    for (int k = 0; k < 3; k++) {
        double p = (double)segment.p[k], q = (double)segment.q[k];
        contact->point[k] = (float)(0.5 * (p + q));
        length += (q - p) * (q - p);
    }
    contact->length = segment.common == PLIANT_COMMON_SEGMENT ? (float)sqrt(length) : 0.0f;
}

static void place_contact(const crossed_points *points, check_contact *contact)
{
    double longest = 0.0;
    for (int k = 0; k < 3; k++) {
        double sum = 0.0;
        for (int i = 0; i < points->count; i++) {
            sum += points->at[i][k];
        }
        contact->point[k] = (float)(sum / points->count);
    }
    for (int i = 1; i < points->count; i++) {
        double way[3] = {points->at[i][0] - points->at[0][0], points->at[i][1] - points->at[0][1],
                         points->at[i][2] - points->at[0][2]};
        longest = fmax(longest, dot(way, way));
    }
    contact->length = (float)sqrt(longest);
}

/* Contacts that have a triangle in common hang together. */
static void join_by_triangle(check_worker *worker, uint32_t body, uint32_t triangle,
                             uint32_t contact)
{
    check_triangle_mark *mark = &worker->members[body].known.marks[triangle];
    check_contact *contacts = worker->regions->contacts.items;
    if (mark->epoch == worker->regions->epoch) {
        check_unite_groups(contacts, mark->contact, contact);
    } else {
        *mark = (check_triangle_mark){.epoch = worker->regions->epoch, .contact = contact};
    }
}

pliant_result check_find_crossings(check_worker *worker, const check_record *records, size_t count)
{
    check_regions *regions = worker->regions;
    uint32_t bodies[2] = {worker->state->parts[records->a].body,
                          worker->state->parts[records->b].body};
    bool one = bodies[0] == bodies[1];
    crossed_side a = {.triangle = CHECK_NONE}, b;
    regions->contacts.count = regions->crossings.count = 0;
    regions->epoch++;
    for (size_t i = 0; i < count; i++) {
        check_contact *contact = check_push(&regions->contacts, sizeof *contact);
        if (contact == NULL) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
        *contact = (check_contact){.group = (uint32_t)i};
        if (records[i].pair.a != a.triangle) {
            read_side(worker, bodies[0], 0, records[i].pair.a, &a);
        }
        read_side(worker, bodies[1], one ? 0 : 1, records[i].pair.b, &b);
        crossed_points points = {.count = 0};
        if (!add_edges(&regions->crossings, &a, &b, (uint32_t)i, &points) ||
            !add_edges(&regions->crossings, &b, &a, (uint32_t)i, &points)) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
        if (points.count > 0) {
            place_contact(&points, contact);
        } else {
            place_touch(&a, &b, contact);
        }
        join_by_triangle(worker, bodies[0], records[i].pair.a, (uint32_t)i);
        join_by_triangle(worker, bodies[1], records[i].pair.b, (uint32_t)i);
    }
    return PLIANT_OK;
}
