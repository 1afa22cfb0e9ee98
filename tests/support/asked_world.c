#include "asked_world.h"

#include "dealer.h"

#include <math.h>
#include <string.h>

static flock_scene make_flock(const flock *f, pliant_context *context, pliant_broad broad)
{
    flock_scene a = flock_scene_create(f, context, broad, false);
    for (int i = 0; i < FLOCK_BODIES; i++) {
        assert_ok(pliant_scene_remove(a.scene, a.id[i]));
    }
    return a;
}

static flock_scene make_models(const model_case *cases, pliant_context *context, pliant_broad broad)
{
    flock_scene a = {.context = context};
    pliant_scene_def def = pliant_scene_def_default();
    def.broad = broad;
    assert_ok(pliant_scene_create(context, &def, &a.scene));
    for (int i = 0; i < FLOCK_BODIES; i++) {
        a.shape[i] = model_case_shape(context, &cases[i], PLIANT_BOUND_AUTO, fixture_usual_tree);
        assert_ok(pliant_body_create(a.shape[i], NULL, &a.body[i]));
    }
    return a;
}

static flock_scene make_scene(const asked_world *w, pliant_context *context, pliant_broad broad)
{
    return w->models ? make_models(w->cases, context, broad) : make_flock(&w->f, context, broad);
}

void asked_world_create(asked_world *w, bool models, rng *r)
{
    static uint32_t dealt[] = {2, 3};
    static const uint32_t own[] = {1, 2, 3, 8};
    *w = (asked_world){.f = flock_create(), .models = models};
    for (uint32_t i = 0; i < FLOCK_BODIES; i++) {
        w->cases[i] = model_case_create((model_kind)(i % MODEL_KINDS), MODEL_SMOOTH, 1.0, 0.5,
                                        200 + 40 * i, r);
        w->mesh[i] = models ? &w->cases[i].mesh : &w->f.kind[i]->bodies[0];
        w->positions[i] = models ? w->cases[i].positions : w->f.positions[i];
    }
    w->alone = make_scene(w, fixture_context_with(PLIANT_ISA_BEST, 1), PLIANT_BROAD_AUTO);
    assert_ok(pliant_query_create(w->alone.context, &w->query));
    for (int i = 0; i < 4; i++) {
        w->scenes[w->scene_count++] =
            make_scene(w, fixture_context_with(PLIANT_ISA_BEST, own[i]), PLIANT_BROAD_AUTO);
    }
    for (int i = 0; i < 2; i++) {
        w->scenes[w->scene_count++] = make_scene(w, dealer_context(&dealt[i]), PLIANT_BROAD_TREE);
    }
    for (int isa = PLIANT_ISA_PLAIN; isa <= PLIANT_ISA_AVX512; isa++) {
        pliant_context *context = fixture_context_with((pliant_isa)isa, 1 + (uint32_t)isa % 2);
        w->scenes[w->scene_count++] = make_scene(w, context, (pliant_broad)isa);
    }
}

void asked_world_destroy(asked_world *w)
{
    pliant_query_destroy(w->query);
    flock_scene_free(&w->alone);
    for (uint32_t i = 0; i < w->scene_count; i++) {
        flock_scene_free(&w->scenes[i]);
    }
    for (int i = 0; i < FLOCK_BODIES; i++) {
        model_case_destroy(&w->cases[i]);
    }
    flock_free(&w->f);
}

/* ------------------------------------------------------------------ changes */

/* Bodies 1 and 12 are where 0 and 2 are, corner by corner, every other time: ties everywhere. */
static void place_bodies(asked_world *w, uint32_t step, rng *r)
{
    flock_evaluate(&w->f, 7 * step);
    for (uint32_t i = 0; i < FLOCK_BODIES; i++) {
        const gallery_mesh *mesh = &w->f.kind[i]->bodies[0];
        bool far = rng_below(r, 40) == 0; /* where vector kernels do not go */
        for (uint32_t v = 0; v < 3 * mesh->vertex_count; v++) {
            float size = i % 4 == 2 ? 2.5f : 1.0f;
            w->f.positions[i][v] = w->f.positions[i][v] * size + w->shift[i][v % 3];
            w->f.positions[i][v] += far && v % 3 == 0 ? 0x1p40f : 0.0f;
        }
    }
    static const uint32_t twins[][2] = {{1, 4}, {12, 8}};
    for (int t = 0; t < 2 && step % 2 == 1; t++) {
        uint32_t a = twins[t][0], b = twins[t][1];
        uint32_t count = w->f.kind[a]->bodies[0].vertex_count;
        assert_int_equal(count, w->f.kind[b]->bodies[0].vertex_count);
        memcpy(w->f.positions[a], w->f.positions[b], 3 * count * sizeof(float));
    }
}

static void set_state(asked_world *w, uint32_t i, pliant_body *body)
{
    if (w->models) {
        model_case_set(&w->cases[i], body);
    } else {
        assert_ok(pliant_body_share_positions(body, w->f.positions[i], 0));
    }
}

static void share(asked_world *w, uint32_t i, rng *r)
{
    if (w->models) {
        model_case_move(&w->cases[i], r, rng_below(r, 2) == 0);
    }
    set_state(w, i, w->alone.body[i]);
    for (uint32_t s = 0; s < w->scene_count; s++) {
        set_state(w, i, w->scenes[s].body[i]);
    }
}

/* How a body takes part from now on: its loose box holds it, until it moves away. */
static pliant_member_def random_member(asked_world *w, uint32_t i, rng *r)
{
    pliant_member_def def = pliant_member_def_default();
    def.category = (uint64_t)1 << rng_below(r, 3);
    def.mask = rng_below(r, 2) == 0 ? UINT64_MAX : rng_below(r, 8);
    def.user = &w->members[i];
    def.has_loose_box = rng_below(r, 3) == 0;
    pliant_box box;
    assert_ok(pliant_body_get_bounds(w->alone.body[i], &box));
    for (int k = 0; k < 3; k++) {
        float margin = rng_below(r, 4) == 0 ? INFINITY : (float)rng_range(r, 0.0, 1.0);
        def.loose_box.lower[k] = box.lower[k] - margin;
        def.loose_box.upper[k] = box.upper[k] + (rng_below(r, 4) == 0 ? INFINITY : 0.5f);
    }
    return def;
}

void asked_world_change(asked_world *w, uint32_t step, rng *r)
{
    place_bodies(w, step, r);
    for (uint32_t i = 0; i < FLOCK_BODIES; i++) {
        asked_member *m = &w->members[i];
        share(w, i, r);
        uint64_t deed = rng_below(r, 4);
        bool comes = !m->present && (deed < 3 || step == 0), goes = m->present && deed == 3;
        bool set = m->present && !goes && (m->def.has_loose_box || deed == 2);
        m->def = comes || set ? random_member(w, i, r) : m->def;
        m->generation += comes;
        for (uint32_t s = 0; s < w->scene_count; s++) {
            flock_scene *a = &w->scenes[s];
            if (goes) {
                assert_ok(pliant_scene_remove(a->scene, a->id[i]));
            } else if (set) {
                assert_ok(pliant_scene_set_member(a->scene, a->id[i], &m->def));
            }
        }
        m->present = (m->present && !goes) || comes;
    }
    for (uint32_t i = 0; i < FLOCK_BODIES; i++) { /* slots are given out in ascending order */
        for (uint32_t s = 0; s < w->scene_count && w->members[i].present; s++) {
            flock_scene *a = &w->scenes[s];
            if (pliant_scene_get_body(a->scene, a->id[i]) == NULL) {
                assert_ok(pliant_scene_add(a->scene, a->body[i], &w->members[i].def, &a->id[i]));
            }
        }
    }
}

/* ---------------------------------------------------------------- selection */

static uint32_t body_of(const flock_scene *a, pliant_body_id id)
{
    for (uint32_t i = 0; i < FLOCK_BODIES; i++) {
        if (a->id[i].index == id.index && a->id[i].generation == id.generation) {
            return i;
        }
    }
    fail_msg("no body has this id");
    return 0;
}

static bool masks_agree(const selection *s, uint32_t body)
{
    const pliant_member_def *def = &s->w->members[body].def;
    return (def->category & s->select.mask) && (def->mask & s->select.category);
}

bool selection_takes_part(const selection *s, uint32_t body)
{
    if (!s->w->members[body].present || s->all) {
        return s->w->members[body].present;
    }
    return masks_agree(s, body) && !(s->filtered && s->refused >> body & 1);
}

static bool filter(void *user, pliant_body_id id)
{
    selection *s = user;
    assert_true(id.index + 1 > s->last); /* ascending, each once */
    s->last = id.index + 1;
    s->calls++;
    uint32_t body = body_of(s->scene, id);
    assert_true(masks_agree(s, body));
    return !(s->refused >> body & 1);
}

selection selection_random(const asked_world *w, rng *r)
{
    selection s = {.w = w, .select = pliant_scene_select_default()};
    s.all = rng_below(r, 3) == 0;
    s.filtered = rng_below(r, 2) == 0;
    s.refused = rng_u64(r);
    s.select.category = 1 + rng_below(r, 7);
    s.select.mask = rng_below(r, 2) == 0 ? UINT64_MAX : rng_below(r, 8);
    s.select.filter = s.filtered ? filter : NULL;
    return s;
}

const pliant_scene_select *selection_give(selection *s, const flock_scene *a)
{
    s->scene = a;
    s->select.filter_user = s;
    s->calls = s->last = 0;
    return s->all ? NULL : &s->select;
}

void selection_check_body(const selection *s, pliant_body_id id, void *user, uint32_t body)
{
    assert_int_equal(id.index, s->scene->id[body].index);
    assert_int_equal(id.generation, s->scene->id[body].generation);
    assert_ptr_equal(user, &s->w->members[body]);
}

void asked_world_check_stats(const asked_world *w, uint32_t scene, pliant_scene_stats *first)
{
    pliant_scene_stats stats = flock_scene_counts(w->scenes[scene].scene);
    *first = scene == 0 ? stats : *first;
    assert_memory_equal(&stats, first, sizeof stats);
}
