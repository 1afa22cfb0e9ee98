/*
 * The table finds a planted fault, makes its world smaller and prints it: here a contact with one
 * triangle is called wrong. One body that touches another with one triangle each is left.
 */
#include "table_world.h"

#include <stdlib.h>
#include <string.h>

/* The fault: a query of contacts of two bodies whose first pair has triangle 0 of the second. */
static bool planted_fault(const table_world *w, void *user, table_failure *failure)
{
    (void)user;
    static table_life l;
    bool wrong = false;
    table_life_begin(&l, w, &table_plain);
    for (uint32_t i = 0; i < w->event_count && !wrong; i++) {
        const table_event *e = &w->events[i];
        if (table_life_do(&l, i) && e->form == FORM_BODIES && l.copy.result == PLIANT_OK &&
            e->row->recorded == PLIANT_RECORDED_COLLIDE &&
            query_copy_number(&l.copy, NULL, 0, "count") > 0) {
            wrong = query_copy_number(&l.copy, "pairs", 0, "b") == 0;
            snprintf(failure->text, sizeof failure->text, "pairs[0].b is 0 instead of 1");
            failure->event = i;
        }
    }
    table_life_end(&l);
    failure->settings[0] = failure->settings[1] = table_plain;
    failure->found = wrong;
    return wrong;
}

static uint32_t count_events(const table_world *w)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->event_count; i++) {
        count += !w->events[i].left_out;
    }
    return count;
}

static uint32_t count_triangles(const table_body *b)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < b->mesh.triangle_count; t++) {
        count += !b->without[t];
    }
    return count;
}

/* Writes the program of a failing world to PLIANT_TABLE_PROGRAM, for the script that compiles it.
 */
static void print_program(const table_world *w, const table_failure *failure)
{
    const char *name = getenv("PLIANT_TABLE_PROGRAM");
    FILE *to = name != NULL ? fopen(name, "w") : tmpfile();
    assert_non_null(to);
    table_program(to, w, failure);
    assert_true(ftell(to) > 1000);
    fclose(to);
}

static void a_planted_fault_is_made_small(void **state)
{
    (void)state;
    uint32_t found = 0;
    static table_world w;
    for (uint64_t seed = 1; found < 3; seed++) {
        table_failure failure = {.found = false};
        table_world_create(&w, seed);
        if (planted_fault(&w, NULL, &failure)) {
            uint32_t bodies = 0;
            table_shrink(&w, planted_fault, NULL, &failure);
            for (uint32_t i = 0; i < w.body_count; i++) {
                bodies += !w.bodies[i].left_out;
                assert_true(w.bodies[i].left_out || count_triangles(&w.bodies[i]) == 1);
            }
            assert_int_equal(bodies, 2);
            assert_true(count_events(&w) <=
                        4); /* the query, and states that bring bodies together */
            assert_false(w.events[failure.event].left_out || w.events[failure.event].grouped);
            print_program(&w, &failure);
            found++;
        }
        table_world_destroy(&w);
    }
}

/* A number in which two copies differ is named. */
static void differences_have_names(void **state)
{
    (void)state;
    pliant_proximity pairs[2] = {{.a = 1, .b = 2}, {.a = 3, .b = 4}};
    pliant_proximities result = {pairs, 2};
    const query_type *type = query_find("find_within")->forms[FORM_BODIES].result;
    query_copy copy[2] = {{.values = NULL}, {.values = NULL}};
    char text[256] = "";
    query_copy_struct(&copy[0], type, &result);
    pairs[1].gap.b.point[2] = 0.5;
    query_copy_struct(&copy[1], type, &result);
    copy[0].statistics = copy[0].count;
    copy[1].statistics = copy[1].count;
    assert_false(query_copies_equal(&copy[0], &copy[1], false, text));
    assert_string_equal(text, "pairs[1].gap.b.point[2] is 0x1p-1 instead of 0x0p+0");
    assert_int_equal(query_copy_number(&copy[1], "pairs", 1, "a"), 3);
    result.count = 1;
    copy[1].count = 0;
    query_copy_struct(&copy[1], type, &result);
    copy[1].statistics = copy[1].count;
    assert_false(query_copies_equal(&copy[0], &copy[1], false, text));
    assert_string_equal(text, "count is 1 instead of 2");
    query_copy_free(&copy[0]);
    query_copy_free(&copy[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_planted_fault_is_made_small),
        cmocka_unit_test(differences_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
