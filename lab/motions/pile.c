#include "pile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/query.h"
#include "query/scene_queries.h"
#include "shape/shape.h"

/* ------------------------------------------------------------------ shapes */

/* Which proxy each triangle belongs to, and where each proxy is pushed. */
static bool survey_proxies(pile_shape *shape)
{
    uint32_t count = 0, most = 0, triangle_count = shape->mesh->triangle_count;
    if (pliant_shape_get_proxies(shape->shape, NULL, 0, &count) != PLIANT_OK) {
        return false;
    }
    pliant_proxy *proxies = malloc((count + 1) * sizeof *proxies);
    uint32_t *triangles = malloc((triangle_count + 1) * sizeof *triangles);
    bool done = proxies != NULL && triangles != NULL &&
                pliant_shape_get_proxies(shape->shape, proxies, count, &count) == PLIANT_OK;
    for (uint32_t i = 0; done && i < count; i++) {
        most = proxies[i].id > most ? proxies[i].id : most;
    }
    shape->vertices = calloc((size_t)most + 1, sizeof *shape->vertices);
    shape->proxies = calloc(triangle_count, sizeof *shape->proxies);
    done = done && shape->vertices != NULL && shape->proxies != NULL;
    for (uint32_t i = 0; done && i < count; i++) {
        uint32_t held = 0, id = proxies[i].id;
        done = pliant_shape_get_proxy_vertex(shape->shape, proxies[i], &shape->vertices[id]) ==
                   PLIANT_OK &&
               pliant_shape_get_proxy_triangles(shape->shape, proxies[i], triangles, triangle_count,
                                                &held) == PLIANT_OK;
        for (uint32_t t = 0; done && t < held; t++) {
            shape->proxies[triangles[t]] = id;
        }
    }
    free(proxies);
    free(triangles);
    return done;
}

static bool create_shape(pliant_context *context, pile_shape *shape)
{
    pliant_shape_def def = reduced_shape_def(shape->mesh, &shape->model);
    def.proxy_triangles = shape->proxy_triangles;
    def.bound = shape->proxy_triangles > 0 ? PLIANT_BOUND_SPHERE : PLIANT_BOUND_AUTO;
    def.leaf_size = shape->leaf_size > 0 ? shape->leaf_size : def.leaf_size;
    return pliant_shape_create(context, &def, &shape->shape) == PLIANT_OK &&
           (shape->proxy_triangles == 0 || survey_proxies(shape));
}

/* ------------------------------------------------------------------- views */

bool pile_view_create(const bench_settings *settings, const char *name, const pile_shape *shapes,
                      uint32_t shape_count, const uint32_t *shape_of, uint32_t body_count,
                      pile_view *view, bench_report *report)
{
    *view = (pile_view){.name = name, .shape_of = shape_of, .body_count = body_count};
    memcpy(view->shapes, shapes, shape_count * sizeof *shapes);
    view->bodies = calloc(body_count, sizeof(pliant_body *));
    view->states = calloc((size_t)body_count * PILE_STATE, sizeof *view->states);
    bool done = view->bodies != NULL && view->states != NULL &&
                reduced_create_context(settings, &view->context) &&
                pliant_scene_create(view->context, NULL, &view->scene) == PLIANT_OK;
    for (uint32_t i = 0; done && i < shape_count; i++) {
        done = create_shape(view->context, &view->shapes[i]);
    }
    for (uint32_t i = 0; done && i < body_count; i++) {
        const pile_shape *shape = &view->shapes[shape_of[i]];
        pliant_member_def member = pliant_member_def_default();
        pliant_body_id id;
        member.proxies = shape->proxy_triangles > 0;
        view->rows += shape->shape->node_count + shape->shape->cluster_count;
        done = pliant_body_create(shape->shape, NULL, &view->bodies[i]) == PLIANT_OK &&
               pliant_scene_add(view->scene, view->bodies[i], &member, &id) == PLIANT_OK;
    }
    return done || report_fail(report, "%s cannot be made: %s", name, pliant_last_error());
}

void pile_view_free(pile_view *view)
{
    pliant_scene_destroy(view->scene);
    for (uint32_t i = 0; view->bodies != NULL && i < view->body_count; i++) {
        pliant_body_destroy(view->bodies[i]);
    }
    for (int i = 0; i < PILE_MAX_SHAPES; i++) {
        pliant_shape_destroy(view->shapes[i].shape);
        free(view->shapes[i].vertices);
        free(view->shapes[i].proxies);
    }
    pliant_context_destroy(view->context);
    free(view->bodies);
    free(view->states);
    free(view->history);
}

static bool set_states(pile_view *view)
{
    for (uint32_t i = 0; i < view->body_count; i++) {
        const float *state = view->states + (size_t)i * PILE_STATE;
        if (!reduced_set(view->bodies[i], &view->shapes[view->shape_of[i]].model, state,
                         state + PILE_MODES)) {
            return false;
        }
    }
    return true;
}

/* Sets of spheres of proxies that all workers' queries have computed so far. */
static uint64_t count_made(const pliant_scene *scene)
{
    uint64_t made = 0;
    for (uint32_t i = 0; i < scene->worker_count && scene->queries != NULL; i++) {
        const pli_sphere_table *table = scene->queries->workers[i].spheres.data;
        made += table != NULL ? table->made : 0;
    }
    return made;
}

/* Notes what the step took. False when there is no memory. */
static bool note_step(pile_view *view, double seconds)
{
    if (view->steps == view->history_capacity) {
        uint32_t capacity = 2 * view->history_capacity + 512;
        pile_step *grown = realloc(view->history, capacity * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        view->history = grown;
        view->history_capacity = capacity;
    }
    const pliant_stats *stats = &pliant_scene_get_stats(view->scene)->narrow;
    uint64_t made = count_made(view->scene);
    view->history[view->steps++] = (pile_step){
        .seconds = seconds,
        .contacts = (double)view->contacts.count,
        .updated =
            (double)(made - view->rows_made + stats->nodes_refreshed + stats->clusters_refreshed),
    };
    view->rows_made = made;
    view->seconds += seconds;
    view->contact_count += (double)view->contacts.count;
    view->nodes_tested += (double)stats->nodes_tested;
    return true;
}

pile_step pile_view_mean(const pile_view *view, uint32_t first)
{
    pile_step mean = {0};
    double count = view->steps - first;
    for (uint32_t i = first; i < view->steps; i++) {
        mean.seconds += view->history[i].seconds / count;
        mean.contacts += view->history[i].contacts / count;
        mean.updated += view->history[i].updated / count;
    }
    return mean;
}

bool pile_view_add_shares(const pile_view *view, bench_report *report)
{
    char name[64];
    double *shares = malloc((view->steps + 1) * sizeof *shares);
    if (shares == NULL) {
        return report_fail(report, "not enough memory");
    }
    for (uint32_t i = 0; i < view->steps; i++) {
        shares[i] = view->history[i].updated / view->rows;
    }
    snprintf(name, sizeof name, "%s, share of bounds updated", view->name);
    bool done = report_series(report, name, shares, view->steps);
    free(shares);
    return done;
}

bool pile_view_step(pile_view *view, const modal_world *world, bench_report *report)
{
    for (uint32_t i = 0; i < view->body_count; i++) {
        float *state = view->states + (size_t)i * PILE_STATE;
        modal_world_state(world, i, state, state + PILE_MODES);
    }
    double start = bench_seconds();
    bool done = set_states(view) &&
                pliant_scene_collide_proxies(view->scene, NULL, &view->contacts) == PLIANT_OK;
    double seconds = bench_seconds() - start;
    if (!done) {
        return report_fail(report, "%s failed: %s", view->name, pliant_last_error());
    }
    return note_step(view, seconds) || report_fail(report, "not enough memory");
}

double pile_view_bytes(const pile_view *view)
{
    double bytes = (double)pliant_scene_get_stats(view->scene)->narrow.bytes;
    for (uint32_t i = 0; i < view->body_count; i++) {
        pliant_body_memory memory = pliant_body_get_memory(view->bodies[i]);
        bytes += (double)(memory.positions + memory.bounds);
    }
    for (int i = 0; i < PILE_MAX_SHAPES; i++) {
        bytes += view->shapes[i].shape != NULL
                     ? (double)pliant_shape_get_memory(view->shapes[i].shape)
                     : 0.0;
    }
    return bytes;
}

/* ---------------------------------------------------------------- contacts */

bool pile_contacts_add(pile_contacts *contacts, const modal_contact *contact)
{
    if (contacts->count == contacts->room) {
        uint64_t room = 2 * contacts->room + 1024;
        modal_contact *grown = realloc(contacts->items, room * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        contacts->items = grown;
        contacts->room = room;
    }
    contacts->items[contacts->count++] = *contact;
    return true;
}

/* The vertex that a side is pushed at. */
static uint32_t vertex_of(const pile_shape *shape, pliant_proxy side)
{
    return side.leaves == 0 ? shape->mesh->triangles[(size_t)3 * side.id]
                            : shape->vertices[side.id];
}

/* Hands a contact over to the world. */
static bool push_contact(const pile_view *view, const pliant_scene_pair *pair,
                         const pliant_proxy_contact *found, pile_contacts *contacts)
{
    modal_contact contact = {.a = pair->a.index, .b = pair->b.index, .depth = found->depth};
    contact.vertex_a = vertex_of(&view->shapes[view->shape_of[contact.a]], found->a);
    contact.vertex_b = vertex_of(&view->shapes[view->shape_of[contact.b]], found->b);
    memcpy(contact.point, found->point, sizeof contact.point);
    memcpy(contact.normal, found->normal, sizeof contact.normal);
    return pile_contacts_add(contacts, &contact);
}

/* The deepest contacts of two bodies, deepest first; returns how many. */
static uint32_t choose_deepest(const pliant_proxy_contact *found, uint64_t count,
                               const pliant_proxy_contact *deepest[PILE_DEEPEST])
{
    uint32_t chosen = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t at = chosen;
        while (at > 0 && deepest[at - 1]->depth < found[i].depth) {
            at--;
        }
        if (at == PILE_DEEPEST) {
            continue;
        }
        uint32_t last = chosen < PILE_DEEPEST ? chosen++ : PILE_DEEPEST - 1;
        for (uint32_t k = last; k > at; k--) {
            deepest[k] = deepest[k - 1];
        }
        deepest[at] = &found[i];
    }
    return chosen;
}

bool pile_view_push(const pile_view *view, pile_contacts *contacts)
{
    for (uint32_t i = 0; i < view->contacts.body_pair_count; i++) {
        const pliant_scene_pair *pair = &view->contacts.bodies[i];
        const pliant_proxy_contact *deepest[PILE_DEEPEST];
        uint32_t count =
            choose_deepest(view->contacts.contacts + pair->first, pair->count, deepest);
        for (uint32_t k = 0; k < count; k++) {
            if (!push_contact(view, pair, deepest[k], contacts)) {
                return false;
            }
        }
    }
    return true;
}

/* What a triangle is covered by. */
static uint32_t cover_of(const pile_shape *shape, uint32_t triangle)
{
    return shape->proxy_triangles > 0 ? shape->proxies[triangle] : triangle;
}

/* What proxies found, kept while the scene is asked for triangles. */
typedef struct kept_contacts {
    pliant_scene_pair *bodies;
    pliant_proxy_contact *contacts;
    uint32_t body_pair_count;
} kept_contacts;

static bool keep_contacts(const pliant_scene_proxy_contacts *found, kept_contacts *kept)
{
    *kept =
        (kept_contacts){.bodies = calloc((size_t)found->body_pair_count + 1, sizeof *kept->bodies),
                        .contacts = calloc(found->count + 1, sizeof *kept->contacts),
                        .body_pair_count = found->body_pair_count};
    if (kept->bodies == NULL || kept->contacts == NULL) {
        return false;
    }
    if (found->count > 0) {
        memcpy(kept->bodies, found->bodies, found->body_pair_count * sizeof *kept->bodies);
        memcpy(kept->contacts, found->contacts, found->count * sizeof *kept->contacts);
    }
    return true;
}

static int compare_bodies(const void *a, const void *b)
{
    const pliant_scene_pair *x = a, *y = b;
    return x->a.index != y->a.index ? (x->a.index > y->a.index) - (x->a.index < y->a.index)
                                    : (x->b.index > y->b.index) - (x->b.index < y->b.index);
}

static bool is_covered(const pile_view *view, const kept_contacts *kept,
                       const pliant_scene_pair *bodies, pliant_pair triangles)
{
    const pliant_scene_pair *pair =
        bsearch(bodies, kept->bodies, kept->body_pair_count, sizeof *kept->bodies, compare_bodies);
    uint32_t a = cover_of(&view->shapes[view->shape_of[bodies->a.index]], triangles.a);
    uint32_t b = cover_of(&view->shapes[view->shape_of[bodies->b.index]], triangles.b);
    for (uint64_t k = 0; pair != NULL && k < pair->count; k++) {
        const pliant_proxy_contact *contact = &kept->contacts[pair->first + k];
        if (contact->a.id == a && contact->b.id == b) {
            return true;
        }
    }
    return false;
}

bool pile_view_check(pile_view *view, uint64_t *pairs, bench_report *report)
{
    kept_contacts kept;
    pliant_scene_contacts exact = {0};
    bool done = (keep_contacts(&view->contacts, &kept) &&
                 pliant_scene_collide(view->scene, NULL, &exact) == PLIANT_OK) ||
                report_fail(report, "%s failed: %s", view->name, pliant_last_error());
    for (uint32_t i = 0; done && i < exact.body_pair_count; i++) {
        const pliant_scene_pair *bodies = &exact.bodies[i];
        for (uint64_t k = 0; done && k < bodies->count; k++) {
            pliant_pair pair = exact.pairs[bodies->first + k];
            done = is_covered(view, &kept, bodies, pair) ||
                   report_fail(report, "%s: no contact covers triangles %u and %u of bodies %u, %u",
                               view->name, pair.a, pair.b, bodies->a.index, bodies->b.index);
        }
    }
    *pairs += done ? exact.count : 0;
    free(kept.bodies);
    free(kept.contacts);
    return done;
}
