#include "cuda_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

pliant_cuda *cuda_fixture_device(pliant_context *context)
{
    pliant_cuda *cuda = NULL;
    pliant_cuda_def def = pliant_cuda_def_default();
    def.kind = getenv("PLIANT_TEST_GPU") != NULL ? PLIANT_CUDA_GPU : PLIANT_CUDA_EMULATED;
    assert_ok(pliant_cuda_create(context, &def, &cuda));
    return cuda;
}

pli_cuda_emulator *cuda_fixture_emulator(pliant_cuda *cuda)
{
    bool emulated = strcmp(pliant_cuda_get_name(cuda), "emulated") == 0;
    return emulated ? (pli_cuda_emulator *)(void *)cuda->device : NULL;
}

cuda_twin cuda_twin_create(pliant_context *context)
{
    cuda_twin t = {.cuda = cuda_fixture_device(context)};
    assert_ok(pliant_cuda_scene_create(t.cuda, &t.scene));
    assert_ok(pliant_query_create(context, &t.query));
    return t;
}

void cuda_twin_destroy(cuda_twin *t)
{
    for (uint32_t i = 0; i < t->count; i++) {
        pliant_body_destroy(t->body[i]);
    }
    pliant_query_destroy(t->query);
    pliant_cuda_scene_destroy(t->scene);
    pliant_cuda_destroy(t->cuda);
    free(t->body);
    free(t->def);
    free(t->expected);
    free(t->got);
    *t = (cuda_twin){0};
}

static void *grown(void *memory, size_t size)
{
    void *larger = realloc(memory, size);
    assert_non_null(larger);
    return larger;
}

uint32_t cuda_twin_add(cuda_twin *t, const pliant_shape *shape, const pliant_member_def *def)
{
    uint32_t number = UINT32_MAX;
    t->body = grown(t->body, (t->count + 1) * sizeof(pliant_body *));
    t->def = grown(t->def, (t->count + 1) * sizeof *t->def);
    assert_ok(pliant_cuda_scene_add(t->scene, shape, def, &number));
    assert_int_equal(number, t->count);
    t->def[t->count] = def != NULL ? *def : pliant_member_def_default();
    assert_ok(pliant_body_create(shape, NULL, &t->body[t->count]));
    return t->count++;
}

void cuda_twin_set(cuda_twin *t, uint32_t body, const pliant_state *state)
{
    assert_ok(pliant_body_set_state(t->body[body], state));
    assert_ok(pliant_cuda_scene_set_state(t->scene, body, state, PLIANT_CUDA_HOST));
}

/* Adds the contacts of two bodies, or of one with itself. */
static void expect(cuda_twin *t, uint32_t a, uint32_t b, const pliant_collide_options *options)
{
    pliant_contacts found;
    pliant_collide_options all = *options;
    all.mode = PLIANT_COLLIDE_ALL;
    if (a == b) {
        assert_ok(pliant_collide_self(t->query, t->body[a], &all, &found));
    } else {
        assert_ok(pliant_collide(t->query, t->body[a], t->body[b], &all, &found));
    }
    uint64_t count = options->mode == PLIANT_COLLIDE_FIRST && found.count > 0 ? 1 : found.count;
    if (t->expected_count + count > t->expected_capacity) {
        t->expected_capacity = 2 * (t->expected_count + count);
        t->expected = grown(t->expected, t->expected_capacity * sizeof *t->expected);
    }
    for (uint64_t i = 0; i < count; i++) {
        t->expected[t->expected_count++] =
            (pliant_cuda_contact){a, b, found.pairs[i].a, found.pairs[i].b};
    }
}

static void expect_all(cuda_twin *t, const pliant_collide_options *options)
{
    t->expected_count = 0;
    for (uint32_t a = 0; a < t->count; a++) {
        for (uint32_t b = a; b < t->count; b++) {
            const pliant_member_def *first = &t->def[a], *second = &t->def[b];
            bool compared = a == b ? first->self
                                   : (first->category & second->mask) != 0 &&
                                         (second->category & first->mask) != 0 &&
                                         !(first->is_static && second->is_static);
            if (compared) {
                expect(t, a, b, options);
            }
        }
    }
}

bool cuda_twin_agrees(cuda_twin *t, const pliant_collide_options *options, const char *what)
{
    pliant_collide_options defaults = pliant_collide_options_default();
    pliant_cuda_contacts contacts;
    options = options != NULL ? options : &defaults;
    expect_all(t, options);
    assert_ok(pliant_cuda_scene_collide(t->scene, options, &contacts));
    t->got_count = contacts.count;
    if (contacts.count + 1 > t->got_capacity) {
        t->got_capacity = 2 * contacts.count + 1;
        t->got = grown(t->got, t->got_capacity * sizeof *t->got);
    }
    assert_ok(pliant_cuda_scene_copy_contacts(t->scene, t->got, t->got_capacity));
    assert_true((contacts.on_device != NULL) == (contacts.count > 0));
    uint64_t least = t->got_count < t->expected_count ? t->got_count : t->expected_count;
    for (uint64_t i = 0; i < least; i++) {
        const pliant_cuda_contact *want = &t->expected[i], *got = &t->got[i];
        if (memcmp(want, got, sizeof *want) != 0) {
            printf("%s: contact %llu is (%u, %u, %u, %u), the core says (%u, %u, %u, %u)\n", what,
                   (unsigned long long)i, got->body_a, got->body_b, got->a, got->b, want->body_a,
                   want->body_b, want->a, want->b);
            return false;
        }
    }
    if (t->got_count != t->expected_count) {
        printf("%s: %llu contacts, the core says %llu\n", what, (unsigned long long)t->got_count,
               (unsigned long long)t->expected_count);
        return false;
    }
    return true;
}
