#include "subjects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shape/shape.h"

static fixture_tree random_tree(rng *r)
{
    fixture_tree tree = fixture_usual_tree;
    tree.arity = 2u << rng_below(r, 3);
    tree.leaf_size = 1 + (uint32_t)rng_below(r, 8);
    return tree;
}

void subject_set(subject *s)
{
    if (s->is_free) {
        assert_ok(pliant_body_set_positions(s->body, s->c.positions, 0));
    } else {
        model_case_set(&s->c, s->body);
    }
    if (s->by_positions) {
        assert_ok(pliant_body_set_positions(s->body, s->c.mesh.positions, 0));
    }
}

static void find_leaves(subject *s)
{
    s->leaf = malloc(s->c.mesh.triangle_count * sizeof *s->leaf);
    for (uint32_t c = 0; c < s->shape->cluster_count; c++) {
        const pli_cluster *cluster = &s->shape->clusters[c];
        for (uint32_t slot = 0; slot < cluster->slot_count; slot++) {
            if (cluster->live >> slot & 1) {
                uint32_t place = cluster->first_slot + slot;
                s->leaf[s->shape->slot_triangles[place]] = place / PLI_WIDTH;
            }
        }
    }
}

subject_def subject_def_random(uint32_t triangles, rng *r)
{
    subject_def def = {.triangles = triangles};
    def.kind = (uint32_t)rng_below(r, MODEL_KINDS + 1);
    def.bound = (pliant_bound_kind)rng_below(r, 4);
    return def;
}

subject subject_create(pliant_context *context, subject_def d, rng *r)
{
    subject s = {.is_free = d.kind == MODEL_KINDS};
    model_trait trait = (model_trait)rng_below(r, MODEL_TRAITS);
    s.c = model_case_create(s.is_free ? MODEL_REDUCED : (model_kind)d.kind, trait,
                            d.scale > 0.0 ? d.scale : 1.0, d.offset, d.triangles, r);
    s.c.proxy_triangles = d.proxy_triangles;
    s.c.error = d.error;
    s.c.centre = (pliant_sphere_centre)((d.kind + d.bound) % (PLIANT_SPHERE_SMALLEST + 1));
    model_case shaped = s.c;
    if (s.is_free) {
        shaped.model = (gallery_model){0};
    }
    s.shape = model_case_shape(context, &shaped, d.bound, random_tree(r));
    pliant_body_def def = pliant_body_def_default();
    def.update = (pliant_update)rng_below(r, PLIANT_UPDATE_FRONT + 1);
    def.coherent = !d.plain && rng_below(r, 3) == 0;
    s.by_positions = !d.plain && d.kind == MODEL_RIGID && rng_below(r, 2) == 0;
    assert_ok(pliant_body_create(s.shape, &def, &s.body));
    if (!d.plain && rng_below(r, 3) == 0) {
        model_case_place_somewhere(&s.c, r);
    }
    subject_set(&s);
    find_leaves(&s);
    return s;
}

void subject_destroy(subject *s)
{
    free(s->leaf);
    pliant_body_destroy(s->body);
    pliant_shape_destroy(s->shape);
    model_case_destroy(&s->c);
}

void subjects_destroy(subject s[2])
{
    subject_destroy(&s[0]);
    subject_destroy(&s[1]);
}

void subjects_set_apart(subject s[2], rng *r)
{
    for (int i = 0; i < 2; i++) {
        model_case_move(&s[i].c, r, false);
        model_case *c = &s[i].c;
        for (uint32_t k = 3; k < 12; k += 4) {
            float shift = (float)(c->scale * rng_range(r, -1.5, 1.5));
            for (uint32_t j = 0; j < c->model.joint_count; j++) {
                c->transforms[12 * j + k] += shift;
            }
        }
        model_case_evaluate(c, c->mesh.positions, c->positions);
        subject_set(&s[i]);
    }
}

/* The mesh that a body with an error may stand for: its rest positions moved by up to that. */
static float *meant_positions(const subject *s, rng *r)
{
    size_t count = 3 * (size_t)s->c.mesh.vertex_count;
    float *rest = malloc(count * sizeof *rest), *meant = malloc(count * sizeof *meant);
    const float *from = s->is_free ? s->c.positions : s->c.mesh.positions;
    for (size_t v = 0; v < s->c.mesh.vertex_count; v++) {
        double step[3], length = 0.0;
        for (int k = 0; k < 3; k++) {
            step[k] = rng_range(r, -1.0, 1.0);
            length += step[k] * step[k];
        }
        for (size_t k = 0; k < 3; k++) {
            rest[3 * v + k] = (float)((double)from[3 * v + k] +
                                      0.999 * (double)s->c.error * step[k] / sqrt(length));
        }
    }
    if (s->is_free) {
        memcpy(meant, rest, count * sizeof *meant);
    } else {
        model_case_evaluate(&s->c, rest, meant);
    }
    free(rest);
    return meant;
}

void subjects_find_truth(const subject s[2], rng *r, brute_pairs *truth)
{
    float *meant[2];
    brute_body brute[2];
    for (int i = 0; i < 2; i++) {
        meant[i] = meant_positions(&s[i], r);
        brute[i] = model_case_brute(&s[i].c);
        brute[i].positions = s[i].c.error > 0.0f ? meant[i] : brute[i].positions;
    }
    *truth = (brute_pairs){0};
    brute_collide(&brute[0], &brute[1], truth);
    free(meant[0]);
    free(meant[1]);
}
