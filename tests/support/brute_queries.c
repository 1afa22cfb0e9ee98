#include "brute_queries.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static slow_mesh find_mesh(const table_life *l, uint32_t body)
{
    const table_actor *a = &l->actors[body];
    slow_mesh m = {.actor = a, .at = table_positions(a)};
    m.start = a->start != NULL ? a->start : m.at;
    m.number = malloc(a->triangle_count * sizeof *m.number);
    for (uint32_t t = 0; t < a->triangle_count; t++) {
        m.number[m.count] = t;
        m.count += !a->removed[t];
    }
    m.welds_known = l->world->bodies[body].kind <= TABLE_RIGID;
    return m;
}

static void free_mesh(slow_mesh *m)
{
    free(m->at);
    free(m->number);
}

const uint32_t *slow_corners(const slow_mesh *m, uint32_t i)
{
    return m->actor->triangles + 3 * (size_t)m->number[i];
}

pliant_triangle slow_triangle(const slow_mesh *m, uint32_t i)
{
    pliant_triangle t;
    for (int c = 0; c < 3; c++) {
        memcpy(t.corner[c], m->at + 3 * (size_t)slow_corners(m, i)[c], sizeof t.corner[c]);
    }
    return t;
}

bool slow_in_group(const slow_query *s, int side, uint32_t triangle_number)
{
    uint16_t group = s->mesh[side].actor->group[triangle_number];
    return !s->grouped || (s->e->groups[side] >> group & 1) != 0;
}

/* Returns true if the groups of the options let two triangles through. */
bool slow_chosen(const slow_query *s, uint32_t i, uint32_t j)
{
    uint32_t a = s->mesh[0].number[i], b = s->mesh[1].number[j];
    return (slow_in_group(s, 0, a) && slow_in_group(s, 1, b)) ||
           (s->self && slow_in_group(s, 0, b) && slow_in_group(s, 1, a));
}

static bool same_place(const float *p, const float *q)
{
    return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

/* Returns true if two vertices are welded, and lie in one place if positions are given. */
bool slow_is_shared(const slow_mesh *m, const float *at, uint32_t v, uint32_t w)
{
    return m->actor->welded[v] == m->actor->welded[w] &&
           (at == NULL || same_place(at + 3 * (size_t)v, at + 3 * (size_t)w));
}

bool slow_are_neighbours(const slow_query *s, const float *at, uint32_t i, uint32_t j)
{
    bool found = false;
    for (int k = 0; k < 9 && s->self; k++) {
        uint32_t v = slow_corners(&s->mesh[0], i)[k / 3], w = slow_corners(&s->mesh[1], j)[k % 3];
        found = found || slow_is_shared(&s->mesh[0], at, v, w);
    }
    return found;
}

static brute_verdict equals(const slow_query *s, const void *expected)
{
    query_copy copy = {.call = s->l->copy.call, .result = PLIANT_OK};
    query_copy_struct(&copy, copy.call->result, expected);
    copy.statistics = copy.count;
    bool equal = query_copies_equal(&copy, &s->l->copy, false, s->text);
    query_copy_free(&copy);
    return equal ? BRUTE_EQUAL : BRUTE_DIFFERS;
}

/* ---------------------------------------------------------------- contacts */

/* D4 for two triangles with shared vertices: corners shared in number and place. */
bool slow_touch_beyond(const slow_query *s, const float *at, uint32_t i, uint32_t j,
                       pliant_neighbours rule, const pliant_triangle *p, const pliant_triangle *q)
{
    const uint32_t *v = slow_corners(&s->mesh[0], i), *w = slow_corners(&s->mesh[1], j);
    uint8_t shared[2][3];
    uint32_t vertices = 0, points = 0;
    for (uint8_t c = 0; c < 3; c++) {
        int other = -1;
        bool new_vertex = true, new_point = true;
        for (uint8_t d = 0; d < 3; d++) {
            other = slow_is_shared(&s->mesh[0], at, v[c], w[d]) ? d : other;
        }
        for (uint8_t d = 0; d < c; d++) {
            bool too = false;
            for (int k = 0; k < 3; k++) {
                too = too || slow_is_shared(&s->mesh[0], at, v[d], w[k]);
            }
            new_vertex = new_vertex && !(too && slow_is_shared(&s->mesh[0], at, v[c], v[d]));
            new_point = new_point && !(too && same_place(p->corner[c], p->corner[d]));
        }
        vertices += other >= 0 && new_vertex;
        if (other >= 0 && new_point) {
            shared[0][points] = c;
            shared[1][points++] = (uint8_t)other;
        }
    }
    if (vertices == 0) {
        return pliant_triangle_overlap(p, q);
    }
    return vertices < 3 && rule != PLIANT_NEIGHBOURS_SKIP &&
           (rule == PLIANT_NEIGHBOURS_ALL ||
            pliant_triangle_overlap_beyond(p, q, points, shared[0], shared[1]));
}

static bool touch(const slow_query *s, uint32_t i, uint32_t j, pliant_neighbours rule)
{
    pliant_triangle p = slow_triangle(&s->mesh[0], i), q = slow_triangle(&s->mesh[1], j);
    return s->self ? slow_touch_beyond(s, s->mesh[0].at, i, j, rule, &p, &q)
                   : pliant_triangle_overlap(&p, &q);
}

/* Pairs of triangles that touch; the caller frees them. */
pliant_pair *slow_find_pairs(const slow_query *s, pliant_neighbours rule, uint64_t *count)
{
    size_t most = (size_t)s->mesh[0].count * s->mesh[1].count;
    pliant_pair *pairs = malloc((most + 1) * sizeof *pairs);
    *count = 0;
    for (uint32_t i = 0; i < s->mesh[0].count; i++) {
        for (uint32_t j = s->self ? i + 1 : 0; j < s->mesh[1].count; j++) {
            if (slow_chosen(s, i, j) && touch(s, i, j, rule)) {
                pairs[(*count)++] = (pliant_pair){i, j};
            }
        }
    }
    return pairs;
}

/* Separations towards a side follow from a hint that is not public: left to their own tests. */
static brute_verdict check_collide(slow_query *s)
{
    const pliant_collide_options *options = &s->l->arguments.collide_options;
    pliant_contacts expected = {.complete = true};
    pliant_pair *pairs = slow_find_pairs(s, options->neighbours, &expected.count);
    pliant_segment *segments = malloc((expected.count + 1) * sizeof *segments);
    pliant_separation *parts = malloc((expected.count + 1) * sizeof *parts);
    for (uint64_t k = 0; k < expected.count; k++) {
        pliant_triangle p = slow_triangle(&s->mesh[0], pairs[k].a),
                        q = slow_triangle(&s->mesh[1], pairs[k].b);
        pliant_triangle_intersect(&p, &q, &segments[k]);
        pliant_triangle_separate(&p, &q, 0.0f, &parts[k]);
        pairs[k] = (pliant_pair){s->mesh[0].number[pairs[k].a], s->mesh[1].number[pairs[k].b]};
    }
    expected.pairs = pairs;
    expected.segments = options->segments ? segments : NULL;
    expected.separations = options->separations ? parts : NULL;
    brute_verdict verdict = BRUTE_UNKNOWN;
    if (!options->separations || options->separation_side == PLIANT_SEPARATION_SHORTEST) {
        verdict = equals(s, &expected);
    }
    free(pairs);
    free(segments);
    free(parts);
    return verdict;
}

static brute_verdict check_within(slow_query *s)
{
    size_t most = (size_t)s->mesh[0].count * s->mesh[1].count;
    pliant_proximity *pairs = malloc((most + 1) * sizeof *pairs);
    pliant_proximities expected = {pairs, 0};
    float distance = slow_distance(s, s->l->arguments.distance);
    const table_actor *a = s->mesh[0].actor, *b = s->mesh[1].actor;
    for (uint32_t i = 0; i < s->mesh[0].count; i++) {
        for (uint32_t j = s->self ? i + 1 : 0; j < s->mesh[1].count; j++) {
            pliant_triangle p = slow_triangle(&s->mesh[0], i), q = slow_triangle(&s->mesh[1], j);
            pliant_proximity *pair = &pairs[expected.count];
            pair->a = s->mesh[0].number[i];
            pair->b = s->mesh[1].number[j];
            bool across = !s->l->arguments.within_options.across_groups ||
                          a->group[pair->a] != b->group[pair->b];
            expected.count +=
                slow_chosen(s, i, j) && across && !slow_are_neighbours(s, s->mesh[0].at, i, j) &&
                pliant_triangle_measure_distance(&p, &q, &pair->gap) <= (double)distance;
        }
    }
    brute_verdict verdict = equals(s, &expected);
    free(pairs);
    return verdict;
}

/* Returns true if a side of a contact of proxies has a triangle. */
static bool in_proxy(const slow_mesh *m, pliant_proxy proxy, uint32_t number)
{
    uint32_t count = 0;
    bool found = proxy.leaves == 0 && proxy.id == number;
    if (proxy.leaves > 0) {
        const pliant_shape *shape = pliant_body_get_shape(m->actor->body);
        uint32_t *list = malloc(m->actor->triangle_count * sizeof *list);
        assert_ok(
            pliant_shape_get_proxy_triangles(shape, proxy, list, m->actor->triangle_count, &count));
        for (uint32_t i = 0; i < count; i++) {
            found = found || list[i] == number;
        }
        free(list);
    }
    return found;
}

/* A contact covers each two triangles that touch, also when the budget is spent. Contacts ascend.
 */
static brute_verdict check_proxies(slow_query *s)
{
    pliant_proxy_contacts got;
    pliant_body *const *body = s->l->place.body;
    assert_ok(pliant_collide_proxies(s->l->place.query, body[0], body[1],
                                     &s->l->arguments.proxy_options, &got));
    uint64_t count = 0;
    bool grouped = s->grouped, right = true;
    s->grouped = false; /* proxies know no groups */
    pliant_pair *pairs = slow_find_pairs(s, PLIANT_NEIGHBOURS_BEYOND_SHARED, &count);
    s->grouped = grouped;
    for (uint64_t i = 0; i < count && right; i++) {
        uint32_t a = s->mesh[0].number[pairs[i].a], b = s->mesh[1].number[pairs[i].b];
        right = false;
        for (uint64_t k = 0; k < got.count && !right; k++) {
            right = in_proxy(&s->mesh[0], got.contacts[k].a, a) &&
                    in_proxy(&s->mesh[1], got.contacts[k].b, b);
        }
        snprintf(s->text, 256, "triangles %u and %u are in no contact", a, b);
    }
    for (uint64_t k = 1; k < got.count && right; k++) {
        const pliant_proxy_contact *p = &got.contacts[k - 1], *q = &got.contacts[k];
        right = p->a.id < q->a.id || (p->a.id == q->a.id && p->b.id <= q->b.id);
        snprintf(s->text, 256, "contacts[%llu] is out of order", (unsigned long long)k);
    }
    free(pairs);
    return right ? BRUTE_EQUAL : BRUTE_DIFFERS;
}

/* Every pair is a segment of a contour or a touch. */
static brute_verdict check_contours(slow_query *s)
{
    pliant_contour_set set;
    const pliant_contour_options *options = &s->l->arguments.contour_options;
    pliant_body *const *body = s->l->place.body;
    assert_ok(s->self
                  ? pliant_contours_find_self(s->l->place.contours, body[0], options, &set)
                  : pliant_contours_find(s->l->place.contours, body[0], body[1], options, &set));
    uint64_t count = 0;
    pliant_pair *pairs = slow_find_pairs(s, PLIANT_NEIGHBOURS_BEYOND_SHARED, &count);
    bool right = set.pair_count == count && set.segment_count + set.touch_count == count;
    for (uint64_t i = 0; i < set.segment_count + set.touch_count && right; i++) {
        bool segment = i < set.segment_count;
        uint64_t k = segment ? 0 : i - set.segment_count;
        uint64_t pair = segment ? set.segments[i].pair : set.touches[k].pair;
        uint32_t a = segment ? set.segments[i].a : set.touches[k].a;
        uint32_t b = segment ? set.segments[i].b : set.touches[k].b;
        right = pair < count && s->mesh[0].number[pairs[pair].a] == a &&
                s->mesh[1].number[pairs[pair].b] == b;
    }
    snprintf(s->text, 256, "pair_count is %llu instead of %llu, or pairs differ",
             (unsigned long long)set.pair_count, (unsigned long long)count);
    free(pairs);
    return right ? BRUTE_EQUAL : BRUTE_DIFFERS;
}

/* ------------------------------------------------------------- rays, points */

static brute_verdict check_rays(slow_query *s)
{
    pliant_ray_hits all;
    pliant_ray_hit first[TABLE_RAYS];
    uint64_t count = s->l->arguments.ray_count;
    const slow_mesh *m = &s->mesh[0];
    const pliant_ray *rays = s->l->arguments.rays;
    assert_ok(pliant_raycast_many(s->l->place.query, s->l->place.body[0], rays, count, first));
    assert_ok(pliant_raycast_all(s->l->place.query, s->l->place.body[0], rays, count, &all));
    bool right = all.starts[0] == 0 && all.starts[count] == all.count;
    for (uint64_t k = 0; k < count && right; k++) {
        uint64_t next = all.starts[k], hits = 0;
        for (uint32_t i = 0; i < m->count && right; i++) {
            pliant_triangle p = slow_triangle(m, i);
            double t = 0.0;
            bool met =
                pliant_triangle_raycast(&p, rays[k].origin, rays[k].direction, rays[k].t_max, &t);
            bool listed = false;
            for (uint64_t h = next; h < all.starts[k + 1] && met; h++) {
                const pliant_ray_hit *hit = &all.hits[h];
                listed = listed || (hit->triangle == m->number[i] && hit->t == t &&
                                    hit->group == m->actor->group[hit->triangle]);
            }
            hits += met;
            right = met == listed;
        }
        right = right && hits == all.starts[k + 1] - next;
        for (uint64_t h = next + 1; h < all.starts[k + 1] && right; h++) {
            const pliant_ray_hit *a = &all.hits[h - 1], *b = &all.hits[h];
            pliant_triangle p, q;
            for (int c = 0; c < 3; c++) {
                memcpy(p.corner[c],
                       m->at + 3 * (size_t)m->actor->triangles[3 * a->triangle + (uint32_t)c], 12);
                memcpy(q.corner[c],
                       m->at + 3 * (size_t)m->actor->triangles[3 * b->triangle + (uint32_t)c], 12);
            }
            int order = pliant_triangle_compare_hits(&p, &q, rays[k].origin, rays[k].direction);
            right = order < 0 || (order == 0 && a->triangle < b->triangle);
        }
        right = right &&
                first[k].triangle == (hits > 0 ? all.hits[next].triangle : PLIANT_NO_TRIANGLE) &&
                first[k].t == (hits > 0 ? all.hits[next].t : (double)INFINITY);
    }
    snprintf(s->text, 256, "hits differ");
    return right ? BRUTE_EQUAL : BRUTE_DIFFERS;
}

static bool closest_is_right(const slow_mesh *m, const float point[3], double most,
                             const pliant_closest *got, char *text)
{
    uint32_t best = PLIANT_NO_TRIANGLE;
    double distance = INFINITY, spread = 0.0;
    for (uint32_t i = 0; i < m->count; i++) {
        pliant_triangle p = slow_triangle(m, i);
        for (int k = 0; k < 9; k++) {
            spread = fmax(spread, fabs((double)p.corner[k / 3][k % 3] - (double)point[k % 3]));
        }
        pliant_triangle at = {{{point[0], point[1], point[2]},
                               {point[0], point[1], point[2]},
                               {point[0], point[1], point[2]}}};
        double d = pliant_triangle_overlap(&p, &at)
                       ? 0.0
                       : fmax(pliant_triangle_find_closest_point(&p, point, NULL), DBL_MIN);
        best = d < distance ? m->number[i] : best;
        distance = d < distance ? d : distance;
    }
    bool found = distance <= most;
    snprintf(text, 256, "triangle %u at %a instead of %u at %a", got->triangle, got->distance, best,
             distance);
    if (!got->found || !found) {
        /* A triangle just beyond may be found, by the error of its distance. */
        return got->found == found ||
               (got->found && got->distance <= most + 4.0 * 0x1p-46 * spread);
    }
    return got->triangle == best && got->distance == distance &&
           got->group == m->actor->group[got->triangle];
}

/* A limit just below the distance finds nothing, one just above finds the same. */
static bool limits_hold(const slow_query *s, const float point[3], const pliant_closest *closest)
{
    float below = (float)(closest->distance * 0.995), above = (float)(closest->distance * 1.005);
    pliant_closest got[2];
    bool moderate = closest->found && closest->distance > 0x1p-20;
    for (uint32_t i = 0; i < 3 * s->mesh[0].actor->vertex_count; i++) {
        moderate = moderate && fabsf(s->mesh[0].at[i]) < 0x1p20f; /* else distances are rough */
    }
    if (!moderate) {
        return true;
    }
    pliant_body *body = s->l->place.body[0];
    assert_ok(pliant_find_closest_point(s->l->place.query, body, point, below, &got[0]));
    assert_ok(pliant_find_closest_point(s->l->place.query, body, point, above, &got[1]));
    bool right = !got[0].found && got[1].found && got[1].triangle == closest->triangle;
    snprintf(s->text, 256, "triangle %u at %a: %sfound within %a, %sfound within %a",
             closest->triangle, closest->distance, got[0].found ? "" : "not ", (double)below,
             got[1].found ? "" : "not ", (double)above);
    return right;
}

/* How often the triangles go around a point: their solid angles together, over 4 pi. */
static double find_winding(const slow_mesh *m, const float point[3])
{
    double sum = 0.0;
    for (uint32_t i = 0; i < m->count; i++) {
        pliant_triangle t = slow_triangle(m, i);
        double x[3][3], length[3], dot[3];
        for (int c = 0; c < 3; c++) {
            for (int k = 0; k < 3; k++) {
                x[c][k] = (double)t.corner[c][k] - (double)point[k];
            }
            length[c] = sqrt(x[c][0] * x[c][0] + x[c][1] * x[c][1] + x[c][2] * x[c][2]);
        }
        for (int c = 0; c < 3; c++) {
            const double *a = x[c], *b = x[(c + 1) % 3];
            dot[c] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        }
        double volume = x[0][0] * (x[1][1] * x[2][2] - x[1][2] * x[2][1]) +
                        x[0][1] * (x[1][2] * x[2][0] - x[1][0] * x[2][2]) +
                        x[0][2] * (x[1][0] * x[2][1] - x[1][1] * x[2][0]);
        double below = length[0] * length[1] * length[2] + dot[0] * length[2] + dot[1] * length[0] +
                       dot[2] * length[1];
        sum += 2.0 * atan2(volume, below);
    }
    return sum / (4.0 * 3.14159265358979323846);
}

/* Where bodies are closed and the point is not on them, the winding number is the nearest whole
   number, and says on which side it is. */
static bool side_is_right(const slow_query *s, const float point[3],
                          const pliant_signed_distance *d)
{
    double winding = find_winding(&s->mesh[0], point), whole = nearbyint(winding);
    if ((d->flags & PLIANT_DISTANCE_BY_SURFACE) != 0 || d->side == 0 ||
        !(fabs(winding - whole) < 1e-3)) {
        return true;
    }
    snprintf(s->text, 256, "winding is %d instead of %g", d->winding, winding);
    return d->winding == (int32_t)whole && (d->side < 0) == (d->winding != 0);
}

static brute_verdict check_points(slow_query *s)
{
    bool of_side = s->e->row->recorded == PLIANT_RECORDED_MEASURE_DISTANCES;
    pliant_closest closest[TABLE_POINTS];
    pliant_signed_distance distances[TABLE_POINTS];
    const query_arguments *a = &s->l->arguments;
    float most = of_side ? a->distance_options.max_distance : a->max_distance;
    assert_ok(of_side ? pliant_measure_distances(s->l->place.query, s->l->place.body[0], a->points,
                                                 a->point_count, 0, &a->distance_options, distances)
                      : pliant_find_closest_points(s->l->place.query, s->l->place.body[0],
                                                   a->points, a->point_count, 0, most, closest));
    bool right = true;
    for (uint64_t i = 0; i < a->point_count && right; i++) {
        const pliant_closest *got = of_side ? &distances[i].closest : &closest[i];
        right = closest_is_right(&s->mesh[0], a->points + 3 * i, (double)most, got, s->text);
        double size = of_side ? fabs(distances[i].distance) : got->distance;
        right = right && (!got->found || size == got->distance);
        right = right && (!of_side || side_is_right(s, a->points + 3 * i, &distances[i]));
        right = right && limits_hold(s, a->points + 3 * i, got);
    }
    return right ? BRUTE_EQUAL : BRUTE_DIFFERS;
}

/* A closed box and a triangle: a corner inside, or a side of the box that they share a point of. */
static bool meets_box(const pliant_triangle *t, const pliant_box *box)
{
    float x[2][3];
    bool inside = false;
    for (int k = 0; k < 3; k++) {
        x[0][k] = fmaxf(box->lower[k], -FLT_MAX);
        x[1][k] = fminf(box->upper[k], FLT_MAX);
    }
    for (int c = 0; c < 3; c++) {
        const float *p = t->corner[c];
        inside = inside || (p[0] >= x[0][0] && p[0] <= x[1][0] && p[1] >= x[0][1] &&
                            p[1] <= x[1][1] && p[2] >= x[0][2] && p[2] <= x[1][2]);
    }
    for (int face = 0; face < 12 && !inside; face++) {
        int axis = face / 4, u = (axis + 1) % 3, v = (axis + 2) % 3, half = face % 2;
        pliant_triangle side;
        for (int c = 0; c < 3; c++) {
            side.corner[c][axis] = x[face / 2 % 2][axis];
            side.corner[c][u] = x[c == 2 ? 1 : half][u];
            side.corner[c][v] = x[c == 0 ? half : c == 1 ? 1 - half : half][v];
        }
        const int corner[2][3][2] = {{{0, 0}, {1, 0}, {0, 1}}, {{1, 1}, {1, 0}, {0, 1}}};
        for (int c = 0; c < 3; c++) {
            side.corner[c][u] = x[corner[half][c][0]][u];
            side.corner[c][v] = x[corner[half][c][1]][v];
        }
        inside = pliant_triangle_overlap(t, &side);
    }
    return inside;
}

/* A box whose sides touch vertices, or lie near them. */
static pliant_box touching_box(const slow_mesh *m, rng *r)
{
    pliant_box box;
    for (uint32_t k = 0; k < 3; k++) {
        float x[2];
        for (int i = 0; i < 2; i++) {
            uint32_t v = slow_corners(m, (uint32_t)rng_below(r, m->count))[rng_below(r, 3)];
            x[i] = m->at[3 * v + k];
            x[i] += rng_below(r, 3) == 0 ? (float)rng_range(r, -0.5, 0.5) : 0.0f;
        }
        box.lower[k] = rng_below(r, 8) == 0 ? -INFINITY : fminf(x[0], x[1]);
        box.upper[k] = rng_below(r, 8) == 0 ? INFINITY : fmaxf(x[0], x[1]);
    }
    return box;
}

/* The box of the query, then others. */
static brute_verdict check_box(slow_query *s)
{
    const slow_mesh *m = &s->mesh[0];
    bool right = true;
    rng r;
    rng_seed(&r, s->e->salt);
    for (int n = 0; n < 16 && right; n++) {
        pliant_box box = n == 0 ? s->l->arguments.box : touching_box(m, &r);
        const uint32_t *found = NULL;
        uint64_t count = 0, next = 0;
        assert_ok(pliant_overlap_box(s->l->place.query, s->l->place.body[0], &box, &found, &count));
        for (uint32_t i = 0; i < m->count && right; i++) {
            pliant_triangle t = slow_triangle(m, i);
            bool listed = next < count && found[next] == m->number[i];
            right = meets_box(&t, &box) == listed;
            next += listed;
        }
        right = right && next == count;
        snprintf(s->text, 256, "triangles of box %d differ: %a %a %a to %a %a %a", n,
                 (double)box.lower[0], (double)box.lower[1], (double)box.lower[2],
                 (double)box.upper[0], (double)box.upper[1], (double)box.upper[2]);
    }
    return right ? BRUTE_EQUAL : BRUTE_DIFFERS;
}

/* --------------------------------------------------------------------- all */

/* Errors of shapes are stretched by transforms: known of bodies that have none. */
static bool error_is_known(const table_life *l, uint32_t body)
{
    const table_body *b = &l->world->bodies[body];
    return b->error == 0.0f || (b->kind == TABLE_WELDED && !l->actors[body].placed);
}

float slow_distance(const slow_query *s, float distance)
{
    const table_body *bodies = s->l->world->bodies;
    double sum = (double)distance + (double)bodies[s->e->body].error +
                 (double)bodies[s->self ? s->e->body : s->e->other].error;
    float rounded = (float)sum;
    return (double)rounded < sum ? nextafterf(rounded, INFINITY) : rounded;
}

static bool is_finite(const slow_mesh *m)
{
    bool finite = true;
    for (uint32_t i = 0; i < 3 * m->actor->vertex_count; i++) {
        finite = finite && isfinite(m->at[i]) && isfinite(m->start[i]);
    }
    return finite;
}

brute_verdict brute_check(table_life *l, const table_event *e, char text[256])
{
    static const struct {
        pliant_recorded_question query;
        bool distance; /* it grows by errors */
        brute_verdict (*check)(slow_query *s);
    } checks[] = {{PLIANT_RECORDED_COLLIDE, false, check_collide},
                  {PLIANT_RECORDED_COLLIDE_PROXIES, false, check_proxies},
                  {PLIANT_RECORDED_FIND_WITHIN, true, check_within},
                  {PLIANT_RECORDED_FIND_FEATURES, true, slow_check_features},
                  {PLIANT_RECORDED_FIND_MEETINGS, true, slow_check_meetings},
                  {PLIANT_RECORDED_FIND_FREE_TIME, true, slow_check_meetings},
                  {PLIANT_RECORDED_RAYCAST, false, check_rays},
                  {PLIANT_RECORDED_RAYCAST_ALL, false, check_rays},
                  {PLIANT_RECORDED_FIND_CLOSEST_POINTS, false, check_points},
                  {PLIANT_RECORDED_MEASURE_DISTANCES, false, check_points},
                  {PLIANT_RECORDED_OVERLAP_BOX, false, check_box},
                  {(pliant_recorded_question)0, false, check_contours}};
    brute_verdict verdict = BRUTE_UNKNOWN;
    bool proxies = e->row->recorded == PLIANT_RECORDED_COLLIDE_PROXIES;
    bool spent = l->arguments.collide_options.budget_nodes > 0 && !proxies &&
                 strstr(e->row->uses, "budget_nodes") != NULL;
    if (l->copy.result != PLIANT_OK || e->form == FORM_SCENE || e->row->changes || spent) {
        return verdict;
    }
    slow_query s = {.l = l, .e = e, .self = e->form == FORM_SELF, .text = text};
    s.grouped = e->grouped;
    s.mesh[0] = find_mesh(l, e->body);
    bool two = e->row->forms[e->form].body_count == 2;
    uint32_t other = two ? e->other : e->body;
    s.mesh[1] = two ? find_mesh(l, other) : s.mesh[0];
    bool known =
        is_finite(&s.mesh[0]) && is_finite(&s.mesh[1]) && (!s.self || s.mesh[0].welds_known);
    bool named = s.mesh[0].welds_known && s.mesh[1].welds_known; /* vertices, of features */
    for (size_t i = 0; i < sizeof checks / sizeof checks[0] && known; i++) {
        bool of_features = checks[i].check == slow_check_features;
        if (e->row->recorded == checks[i].query && (named || !of_features) &&
            (!checks[i].distance || (error_is_known(l, e->body) && error_is_known(l, other)))) {
            verdict = checks[i].check(&s);
        }
    }
    free_mesh(&s.mesh[0]);
    if (two) {
        free_mesh(&s.mesh[1]);
    }
    return verdict;
}
