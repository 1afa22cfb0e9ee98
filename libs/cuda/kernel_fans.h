/*
 * Neighbours that are told apart many at a time. By the rule BEYOND_SHARED each two triangles that
 * share a vertex would have to be looked at: fifteen pairs at a vertex of six triangles. Where the
 * triangles round a vertex are a *fan*, each going on where the one before ended, and seen along
 * some axis all of them turn the same way and together less than once round, or once if the last
 * ends where the first began, they are sectors that have nothing in common but the vertex and, with
 * the next one, the edge between: none of these pairs is a contact. (Points in common would be seen
 * at one place. Of two triangles that are next to each other that place is on the edge in between,
 * and there each triangle, since it is not seen edge on, has the edge alone.)
 *
 * The ring of a fan are the far ends of its edges in order; the first stands at the end again where
 * the fan closes. Turns are certain where they exceed what rounding can do (filter.inl), and on
 * which side of the vertex an end lies is exact.
 */
#ifndef PLI_CUDA_KERNEL_FANS_H
#define PLI_CUDA_KERNEL_FANS_H

#include "kernel_refit.h"

/* From a vertex to the end of an edge. */
typedef struct pli_cuda_spoke {
    float x, y, z;
} pli_cuda_spoke;

PLI_DEVICE pli_cuda_spoke pli_spoke_to(const pli_cuda_body *body, uint32_t vertex,
                                       const float from[3])
{
    float to[3];
    pli_cuda_spoke spoke;
    pli_given_vertex(body, vertex, to);
    spoke.x = to[0] - from[0];
    spoke.y = to[1] - from[1];
    spoke.z = to[2] - from[2];
    return spoke;
}

/* What is known of a fan along one axis. */
typedef struct pli_cuda_view {
    float least, greatest; /* turns */
    uint32_t wraps;        /* how often the direction comes up through the right, */
    uint32_t drops;        /* and goes down there */
} pli_cuda_view;

/* Whether a direction is in the upper half: above, or on the line and to the right. */
PLI_DEVICE bool pli_is_upper(float x, float y)
{
    return y > 0.0f || (y == 0.0f && x > 0.0f);
}

PLI_DEVICE void pli_turn_view(pli_cuda_view *view, float x0, float y0, float x1, float y1)
{
    float turn = x0 * y1 - y0 * x1;
    bool before = pli_is_upper(x0, y0), after = pli_is_upper(x1, y1);
    view->least = turn < view->least ? turn : view->least;
    view->greatest = turn > view->greatest ? turn : view->greatest;
    view->wraps += !before && after;
    view->drops += before && !after;
}

/*
 * Whether sectors that begin at (x0, y0) and end at (x1, y1), all turning one way for certain, stay
 * within one turn. Counterclockwise, each step from the lower half to the upper one passes the
 * right; clockwise, each from the upper half to the lower one. A fan that closes must do so once.
 * One that does not may not at all, or once if it began in that half that it did not reach again.
 */
PLI_DEVICE bool pli_view_parts(const pli_cuda_view *view, bool closes, float bound,
                               bool first_upper, bool last_upper)
{
    bool left = view->least > bound, right = view->greatest < -bound;
    uint32_t passes = left ? view->wraps : view->drops;
    bool ends_before = left ? !first_upper && last_upper : first_upper && !last_upper;
    return (left || right) && (closes ? passes == 1 : passes == 0 || (passes == 1 && ends_before));
}

/* Whether the triangles round a vertex have certainly nothing in common but vertex and edges. */
PLI_DEVICE bool pli_fan_parts(const pli_cuda_body *body, uint32_t vertex)
{
    const uint32_t *fans = body->shape->fans;
    const uint32_t *ring = body->shape->rings + fans[vertex];
    uint32_t count = fans[vertex + 1] - fans[vertex];
    if (count < 2) {
        return false;
    }
    const float largest = 0x1p40f, rounding = 0x1p-24f, smallest = 0x1p-100f;
    pli_cuda_view x = {INFINITY, -INFINITY, 0, 0}, y = x, z = x;
    float from[3], size = 0.0f;
    pli_given_vertex(body, vertex, from);
    pli_cuda_spoke first = pli_spoke_to(body, ring[0], from), last = first;
    PLI_UNROLL_BY_FOUR /* so that positions are on their way together */
        for (uint32_t i = 1; i < count; i++)
    {
        pli_cuda_spoke next = pli_spoke_to(body, ring[i], from);
        pli_turn_view(&x, last.y, last.z, next.y, next.z);
        pli_turn_view(&y, last.z, last.x, next.z, next.x);
        pli_turn_view(&z, last.x, last.y, next.x, next.y);
        float own = fmaxf(fabsf(next.x), fmaxf(fabsf(next.y), fabsf(next.z)));
        size = own > size ? own : size;
        last = next;
    }
    size = fmaxf(size, fmaxf(fabsf(first.x), fmaxf(fabsf(first.y), fabsf(first.z))));
    bool closes = ring[0] == ring[count - 1];
    float bound = 9.0f * rounding * (size * size) + smallest;
    return size < largest && (pli_view_parts(&x, closes, bound, pli_is_upper(first.y, first.z),
                                             pli_is_upper(last.y, last.z)) ||
                              pli_view_parts(&y, closes, bound, pli_is_upper(first.z, first.x),
                                             pli_is_upper(last.z, last.x)) ||
                              pli_view_parts(&z, closes, bound, pli_is_upper(first.x, first.y),
                                             pli_is_upper(last.x, last.y)));
}

/* Where names of a cluster that is given by positions lie, by the place of its vertices. */
PLI_DEVICE uint32_t *pli_names_at(const pli_cuda_step *s, uint32_t place)
{
    return s->names + (uint64_t)place / 3 * PLI_CUDA_UNIT;
}

/* Whether names of a body's vertices are made anew by each step. */
PLI_DEVICE bool pli_has_fans(const pli_cuda_step *s, const pli_cuda_body *body)
{
    return s->uses_fans != 0 && body->self != 0 && body->positions != NULL &&
           body->shape->fans != NULL;
}

PLI_DEVICE void pli_kernel_fans(const pli_cuda_step *s, const pli_cuda_warp *warp,
                                pli_cuda_scratch *scratch)
{
    (void)scratch;
    for (uint64_t i = warp->number; i < s->free_count; i += warp->count) {
        pli_cuda_free of = s->free[pli_item(warp, i, s->free_count)];
        const pli_cuda_body *body = &s->bodies[of.body];
        if (!pli_has_fans(s, body)) {
            continue;
        }
        uint32_t *to = pli_names_at(s, of.place);
        PLI_LANES(warp)
        for (uint32_t v = lane; v < of.stride; v += PLI_CUDA_LANES) {
            uint32_t name = of.names[v] & ~PLI_CUDA_SETTLED;
            bool sole = name != of.names[v];
            to[v] = sole && pli_fan_parts(body, name) ? name | PLI_CUDA_SETTLED : name;
        }
        PLI_END
    }
}

#endif
