/* What lies inside another surface: a walk along edges that pass through nothing; see regions.h. */
#include "accepted.h"
#include "inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

check_sum *check_sum_of(check_regions *regions, uint32_t contact)
{
    check_contact *contacts = regions->contacts.items;
    uint32_t root = check_find_group(contacts, contact);
    return (check_sum *)regions->sums.items + contacts[root].sums[contacts[contact].is_forgiven];
}

/* The slot of an edge in a table of edges; CHECK_NONE in it: there is none. */
static uint32_t *find_edge(const check_regions *regions, uint32_t body, uint32_t a, uint32_t b)
{
    const check_edge *edges = regions->edges.items;
    uint32_t low = a < b ? a : b, high = a < b ? b : a, *slots = regions->edge_slots.items;
    uint64_t hash = ((uint64_t)low << 32 | high) * 0x9e3779b97f4a7c15u + body;
    size_t mask = regions->edge_slots.count - 1, slot = (hash ^ hash >> 29) & mask;
    for (; slots[slot] != CHECK_NONE; slot = (slot + 1) & mask) {
        const check_edge *one = &edges[slots[slot]];
        if (one->low == low && one->high == high && one->body == body) {
            break;
        }
    }
    return &slots[slot];
}

static bool add_edge(check_regions *regions, uint32_t index)
{
    const check_crossing *crossings = regions->crossings.items, *added = &crossings[index];
    uint32_t *slot = find_edge(regions, added->body, added->tail, added->head);
    if (*slot == CHECK_NONE) {
        check_edge *edge = check_push(&regions->edges, sizeof *edge);
        if (edge == NULL) {
            return false;
        }
        bool up = added->tail < added->head;
        *edge = (check_edge){.body = added->body,
                             .low = up ? added->tail : added->head,
                             .high = up ? added->head : added->tail,
                             .first = index,
                             .last = index};
        *slot = (uint32_t)regions->edges.count - 1;
        return true;
    }
    check_edge *edge = (check_edge *)regions->edges.items + *slot;
    edge->first = added->share < crossings[edge->first].share ? index : edge->first;
    edge->last = added->share > crossings[edge->last].share ? index : edge->last;
    return true;
}

static bool list_edges(check_regions *regions)
{
    size_t slots = 64;
    while (slots < 2 * regions->crossings.count) {
        slots *= 2;
    }
    if (!check_reserve(&regions->edge_slots, slots, sizeof(uint32_t))) {
        return false;
    }
    regions->edge_slots.count = slots;
    regions->edges.count = 0;
    memset(regions->edge_slots.items, 0xff, slots * sizeof(uint32_t));
    bool done = true;
    for (size_t i = 0; done && i < regions->crossings.count; i++) {
        done = add_edge(regions, (uint32_t)i);
    }
    return done;
}

static bool visit_vertex(inside_walk *walk, check_list *queue, uint32_t vertex, check_visit visit)
{
    uint32_t *added = check_push(queue, sizeof *added);
    if (added != NULL) {
        *added = vertex;
        visit.epoch = walk->epoch;
        walk->visits[vertex] = visit;
    }
    return added != NULL;
}

/* Goes from one vertex along all edges that nothing crosses. *meets is set where that leads to the
   other side. Returns false without memory. */
static bool go_on(inside_walk *walk, check_list *queue, uint32_t vertex, bool *meets)
{
    const check_surface *surface = walk->surface;
    check_regions *regions = walk->worker->regions;
    check_visit from = walk->visits[vertex];
    check_list *own = queue;
    for (uint32_t i = surface->ring_start[vertex]; i < surface->ring_start[vertex + 1]; i++) {
        uint32_t corners[3];
        check_surface_corners(surface, surface->ring[i], corners);
        for (int k = 0; k < 3; k++) {
            uint32_t next = corners[k];
            const check_visit *there = &walk->visits[next];
            if (next == vertex || *find_edge(regions, walk->which, vertex, next) != CHECK_NONE) {
                continue;
            }
            if (there->epoch != walk->epoch) {
                check_visit visit = {
                    .contact = from.contact, .witness = from.witness, .side = from.side};
                if (walk->is_guarded) {
                    visit.side = check_is_inside(walk, next, &visit.witness) ? from.side : 1;
                    queue = visit.side == from.side ? queue : &regions->queues[1];
                }
                if (!visit_vertex(walk, queue, next, visit)) {
                    return false;
                }
                queue = own;
            } else if (there->side != from.side) {
                *meets = true;
            } else {
                check_unite_groups(regions->contacts.items, there->contact, from.contact);
            }
        }
    }
    return true;
}

/* Whether the pieces that a crossing is about are closed: the one crossed, and the edge's own. */
bool check_is_other_closed(const inside_walk *walk, const check_crossing *crossing)
{
    return walk->other_surface->sides[walk->other_surface->pieces[crossing->face]] != 0;
}

static bool is_own_closed(const inside_walk *walk, const check_crossing *crossing)
{
    uint32_t triangle = walk->surface->ring[walk->surface->ring_start[crossing->head]];
    return walk->surface->sides[walk->surface->pieces[triangle]] != 0;
}

/* Within one body an edge may leave through a neighbour of its own triangles, which is no contact:
   then its end is behind the face that it passed through, but not inside. */
static bool is_truly_behind(const inside_walk *walk, uint32_t vertex)
{
    bool inside = false;
    check_want_vertex(walk->worker, walk->body, vertex);
    pliant_result result = check_read_wanted(walk->worker, walk->body);
    result = result == PLIANT_OK ? check_is_front_inside(walk, vertex, &inside) : result;
    return result == PLIANT_OK && inside;
}

/* Starts at the end of an edge that is behind the crossing next to it (side 0), or before it. */
static bool start_at(inside_walk *walk, check_list *queue, const check_edge *edge, bool high,
                     uint32_t side)
{
    const check_crossing *crossing =
        (const check_crossing *)walk->worker->regions->crossings.items +
        (high ? edge->last : edge->first);
    uint32_t vertex = high ? edge->high : edge->low;
    const check_visit *there = &walk->visits[vertex];
    if ((crossing->head == vertex) != (side == 0)) {
        return true;
    }
    if (there->epoch == walk->epoch) {
        if (there->side == side) {
            check_unite_groups(walk->worker->regions->contacts.items, there->contact,
                               crossing->contact);
        }
        return true;
    }
    check_visit visit = {.contact = crossing->contact, .witness = crossing->face, .side = side};
    if (side == 0 && !walk->is_guess && walk->body == walk->other &&
        !is_truly_behind(walk, vertex)) {
        visit.side = 1;
        queue = &walk->worker->regions->queues[1];
    }
    return visit_vertex(walk, queue, vertex, visit);
}

static const check_crossing *first_of(const inside_walk *walk, const check_edge *edge)
{
    return (const check_crossing *)walk->worker->regions->crossings.items + edge->first;
}

/* Starts at all edges that pass through closed pieces. */
static bool start_behind(inside_walk *walk, check_list *reached, check_list *before)
{
    const check_regions *regions = walk->worker->regions;
    const check_edge *edges = regions->edges.items;
    reached->count = before->count = 0;
    walk->epoch = ++walk->worker->walk_epoch;
    for (uint32_t side = 0; side < 2; side++) {
        check_list *queue = side == 0 ? reached : before;
        for (size_t i = 0; i < regions->edges.count; i++) {
            if (edges[i].body == walk->which &&
                check_is_other_closed(walk, first_of(walk, &edges[i])) &&
                (!start_at(walk, queue, &edges[i], false, side) ||
                 !start_at(walk, queue, &edges[i], true, side))) {
                return false;
            }
        }
    }
    return true;
}

/* Everything behind faces of closed pieces. Ends of edges before such faces stop the walk. Where it
   meets them nevertheless, because of a hole, and within one body, whose curves may end in a fold,
   it would go around the curve: there it looks at every step whether it is still behind. */
static bool walk_behind(inside_walk *walk, check_list *reached)
{
    check_list *before = &walk->worker->regions->queues[1];
    walk->is_guarded = walk->body == walk->other;
    for (bool meets = true; meets;) {
        meets = false;
        if (!start_behind(walk, reached, before)) {
            return false;
        }
        for (size_t i = 0; i < reached->count && (walk->is_guarded || !meets); i++) {
            if (!go_on(walk, reached, ((uint32_t *)reached->items)[i], &meets)) {
                return false;
            }
        }
        meets = meets && !walk->is_guarded;
        walk->is_guarded = walk->is_guarded || meets;
    }
    return true;
}

/* The smaller side of one group's edges, whose numbers are the lower halves of keys; NULL where
   they part nothing. Both sides grow by a vertex in turn, so that the larger one costs no more. */
static bool walk_smaller(inside_walk *walk, const uint64_t *keys, size_t count,
                         check_list **reached)
{
    check_regions *regions = walk->worker->regions;
    const check_edge *edges = regions->edges.items;
    check_list *queues = regions->queues;
    size_t at[2] = {0, 0};
    bool meets = false;
    *reached = NULL;
    walk->epoch = ++walk->worker->walk_epoch;
    for (uint32_t side = 0; side < 2; side++) {
        queues[side].count = 0;
        for (size_t i = 0; i < count; i++) {
            const check_edge *edge = &edges[(uint32_t)keys[i]];
            if (!start_at(walk, &queues[side], edge, false, side) ||
                !start_at(walk, &queues[side], edge, true, side)) {
                return false;
            }
        }
    }
    for (uint32_t side = 0; !meets; side = 1 - side) {
        if (at[side] == queues[side].count) {
            *reached = queues[side].count > 0 ? &queues[side] : NULL;
            return true;
        }
        uint32_t vertex = ((uint32_t *)queues[side].items)[at[side]++];
        if (!go_on(walk, &queues[side], vertex, &meets)) {
            return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ sums */

static inside_walk start_walk(check_worker *worker, const check_record *records, uint32_t which)
{
    const check *state = worker->state;
    uint32_t bodies[2] = {state->parts[records->a].body, state->parts[records->b].body};
    uint32_t body = bodies[which], other = bodies[1 - which];
    return (inside_walk){.worker = worker,
                         .records = records,
                         .which = which,
                         .body = body,
                         .other = other,
                         .surface = &state->bodies[body].surface,
                         .other_surface = &state->bodies[other].surface,
                         .visits = worker->members[body].known.visits};
}

static check_deepest deepest_of(const check_contact *contact, const check_record *record)
{
    check_deepest made = {.triangles = {record->pair.a, record->pair.b}};
    memcpy(made.at, contact->point, sizeof made.at);
    return made;
}

/* A sum for what is forgiven and one for what is not, of each group that has such contacts. */
static bool open_sums(check_worker *worker, const check_record *records)
{
    check_regions *regions = worker->regions;
    const check *state = worker->state;
    check_contact *contacts = regions->contacts.items;
    regions->sums.count = 0;
    for (size_t i = 0; i < regions->contacts.count; i++) {
        contacts[i].sums[0] = contacts[i].sums[1] = CHECK_NONE;
    }
    for (size_t i = 0; i < regions->contacts.count; i++) {
        const check_contact *contact = &contacts[i];
        uint32_t root = check_find_group(contacts, (uint32_t)i);
        uint32_t *index = &contacts[root].sums[contact->is_forgiven];
        if (*index == CHECK_NONE) {
            check_sum *added = check_push(&regions->sums, sizeof *added);
            if (added == NULL) {
                return false;
            }
            *index = (uint32_t)regions->sums.count - 1;
            *added = (check_sum){.is_forgiven = contact->is_forgiven, .guessed = {-1.0, -1.0}};
            added->deepest = deepest_of(contact, &records[i]);
        }
        check_sum *sum = (check_sum *)regions->sums.items + *index;
        sum->pairs++;
        sum->length += (double)contact->length;
        sum->allowed = fmax(sum->allowed, (double)contact->allowed);
    }
    double reach = check_reach(state, records->a, records->b);
    double least = check_limit_depth(state, state->settings.min_depth, records->a, records->b);
    check_sum *sums = regions->sums.items;
    for (size_t i = 0; i < regions->contacts.count; i++) {
        const uint32_t *pair = contacts[i].sums;
        bool both = pair[0] != CHECK_NONE && pair[1] != CHECK_NONE;
        if (both && sums[pair[1]].allowed > reach) { /* a joint is one thing */
            sums[pair[0]].allowed = sums[pair[1]].allowed;
        }
    }
    for (size_t i = 0; i < regions->sums.count && !worker->is_reference; i++) {
        sums[i].enough = fmax(sums[i].allowed, least);
    }
    return true;
}

static int compare_keys(const void *first, const void *second)
{
    const uint64_t *x = first, *y = second;
    return *x < *y ? -1 : *x > *y ? 1 : 0;
}

/* Crossed edges between pieces that are both open, by groups. */
static bool list_guessed(const inside_walk *walk)
{
    check_regions *regions = walk->worker->regions;
    const check_edge *edges = regions->edges.items;
    regions->order.count = 0;
    for (size_t i = 0; i < regions->edges.count; i++) {
        const check_crossing *crossing = first_of(walk, &edges[i]);
        if (crossing->body == walk->which && !check_is_other_closed(walk, crossing) &&
            !is_own_closed(walk, crossing)) {
            uint64_t *added = check_push(&regions->order, sizeof *added);
            if (added == NULL) {
                return false;
            }
            uint64_t root = check_find_group(regions->contacts.items, crossing->contact);
            *added = root << 32 | i;
        }
    }
    if (regions->order.count > 0) {
        qsort(regions->order.items, regions->order.count, sizeof(uint64_t), compare_keys);
    }
    return true;
}

/* One group of those: what its smaller side has inside. */
static pliant_result measure_guessed(inside_walk *walk, const uint64_t *keys, size_t count)
{
    const check_edge *edges = walk->worker->regions->edges.items;
    check_list *reached = NULL;
    if (!walk_smaller(walk, keys, count, &reached)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    if (reached != NULL) {
        return check_add_vertices(walk, reached);
    }
    pliant_result result = PLIANT_OK;
    for (size_t i = 0; result == PLIANT_OK && i < count; i++) {
        result = check_add_end(walk, first_of(walk, &edges[(uint32_t)keys[i]]));
    }
    return result;
}

static pliant_result measure_all_guessed(inside_walk *walk)
{
    if (!list_guessed(walk)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    walk->is_guess = true;
    const check_list *order = &walk->worker->regions->order;
    const uint64_t *keys = order->items;
    pliant_result result = PLIANT_OK;
    for (size_t i = 0, end = 0; result == PLIANT_OK && i < order->count; i = end) {
        for (end = i + 1; end < order->count && keys[end] >> 32 == keys[i] >> 32; end++) {
        }
        result = measure_guessed(walk, keys + i, end - i);
    }
    return result;
}

/* Of vertices that were guessed to be inside, those of the other guess are none. */
static void drop_guesses(check_regions *regions)
{
    const check_sum *sums = regions->sums.items;
    check_inner *inner = regions->inner.items;
    size_t kept = 0;
    for (size_t i = 0; i < regions->inner.count; i++) {
        const double *guessed = sums[inner[i].sum].guessed;
        uint32_t other = 1 - inner[i].which;
        if (!inner[i].is_guess || guessed[other] < 0.0 || guessed[other] > guessed[1 - other] ||
            (guessed[other] == guessed[1 - other] && inner[i].which == 0)) {
            inner[kept++] = inner[i];
        }
    }
    regions->inner.count = kept;
}

/* What was guessed on both surfaces is about the same where both guesses are right: the smaller. */
static void take_guesses(check_regions *regions)
{
    check_sum *sums = regions->sums.items;
    for (size_t i = 0; i < regions->sums.count; i++) {
        check_sum *sum = &sums[i];
        bool both = sum->guessed[0] >= 0.0 && sum->guessed[1] >= 0.0;
        int side = both ? sum->guessed[1] < sum->guessed[0] : sum->guessed[1] >= 0.0;
        if (sum->guessed[side] > sum->depth) {
            sum->depth = sum->guessed[side];
            sum->deepest = sum->guessed_at[side];
        }
    }
    drop_guesses(regions);
}

/* The deepest pair of triangles must move so far: that says more where faces lie in one plane, so
   that points inside lie on the other surface, and where no point was found inside. */
static pliant_result measure_others(check_worker *worker, const check_record *records,
                                    const inside_walk *walk)
{
    check_regions *regions = worker->regions;
    const check *state = worker->state;
    const check_contact *contacts = regions->contacts.items;
    pliant_result result = PLIANT_OK;
    for (size_t i = 0; result == PLIANT_OK && i < regions->contacts.count; i++) {
        check_sum *sum = check_sum_of(regions, (uint32_t)i);
        if (sum->enough > 0.0 && sum->depth > sum->enough) {
            continue; /* deep enough to matter already */
        }
        pliant_triangle a, b;
        result = check_read_triangle(worker, state->parts[records->a].body, records[i].pair.a, &a);
        result = result == PLIANT_OK ? check_read_triangle(worker, state->parts[records->b].body,
                                                           records[i].pair.b, &b)
                                     : result;
        double depth =
            result == PLIANT_OK ? check_pair_depth(&a, &b, fmax(sum->depth, sum->enough)) : 0.0;
        if (depth > fmax(sum->depth, sum->enough) &&
            !check_was_inside(walk, (uint32_t)i, CHECK_NONE, records[i].pair.a, records[i].pair.b,
                              depth)) {
            sum->depth = depth;
            sum->deepest = deepest_of(&contacts[i], &records[i]);
        }
    }
    return result;
}

/* Those of one walk are triangles of the surface that the next one is on. */
static void forget_witnesses(check_regions *regions)
{
    check_sum *sums = regions->sums.items;
    for (size_t i = 0; i < regions->sums.count; i++) {
        sums[i].witness_count = 0;
    }
}

pliant_result check_measure_groups(check_worker *worker, const check_record *records)
{
    check_regions *regions = worker->regions;
    inside_walk walks[2] = {start_walk(worker, records, 0), start_walk(worker, records, 1)};
    int sides = walks[0].body == walks[0].other ? 1 : 2;
    if (!list_edges(regions)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    for (int i = 0; i < sides; i++) {
        if (!walk_behind(&walks[i], &regions->reached[i])) {
            return PLIANT_ERROR_OUT_OF_MEMORY;
        }
    }
    pliant_result result = open_sums(worker, records) ? PLIANT_OK : PLIANT_ERROR_OUT_OF_MEMORY;
    for (int i = 0; result == PLIANT_OK && i < sides; i++) {
        forget_witnesses(regions);
        result = check_add_vertices(&walks[i], &regions->reached[i]);
        result = result == PLIANT_OK ? check_add_middles(&walks[i]) : result;
        result = result == PLIANT_OK ? check_add_holes(&walks[i]) : result;
        result = result == PLIANT_OK ? measure_all_guessed(&walks[i]) : result;
    }
    take_guesses(regions);
    return result == PLIANT_OK ? measure_others(worker, records, &walks[0]) : result;
}
