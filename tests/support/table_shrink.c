/* Makes failing worlds of table_world.h smaller, one kind of part after the other, until nothing
   more can be left out. A world is only ever kept if it fails. */
#include "table_world.h"

#include "triangle_cases.h"

#include <stdlib.h>
#include <string.h>

typedef struct shrinker {
    table_world *w;
    table_check check;
    void *user;
    table_failure failure; /* of the smallest world so far */
    uint32_t checks;
    bool smaller; /* in this round */
} shrinker;

static bool still_fails(shrinker *s)
{
    table_failure failure = s->failure;
    s->checks++;
    if (!s->check(s->w, s->user, &failure)) {
        return false;
    }
    s->failure = failure;
    s->smaller = true;
    return true;
}

/* Leaves out flags[i] in runs of half of them, of a quarter and so on down to single ones. */
static void leave_out(shrinker *s, bool *flags, uint32_t count, size_t stride)
{
    for (uint32_t run = count; run > 0; run /= 2) {
        for (uint32_t first = 0; first < count; first += run) {
            bool before[512], any = false;
            uint32_t end = first + run < count ? first + run : count;
            for (uint32_t i = first; i < end; i++) {
                bool *flag = (bool *)((char *)flags + i * stride);
                before[i - first] = *flag;
                any = any || !*flag;
                *flag = true;
            }
            if (any && !still_fails(s)) {
                for (uint32_t i = first; i < end; i++) {
                    *(bool *)((char *)flags + i * stride) = before[i - first];
                }
            }
        }
    }
}

/* Sets bytes of the world to others, and back if it does not fail then. */
static void try_bytes(shrinker *s, void *at, const void *simple, size_t size)
{
    char before[sizeof(query_arguments)];
    assert_true(size <= sizeof before);
    if (memcmp(at, simple, size) != 0) {
        memcpy(before, at, size);
        memcpy(at, simple, size);
        if (!still_fails(s)) {
            memcpy(at, before, size);
        }
    }
}

/* Replaces a struct. Its padding may differ each time, so this counts as no progress. */
static void try_struct(shrinker *s, void *at, const void *simple, size_t size)
{
    bool smaller = s->smaller;
    try_bytes(s, at, simple, size);
    s->smaller = smaller;
}

static void simplify_bodies(shrinker *s)
{
    for (uint32_t i = 0; i < s->w->body_count; i++) {
        table_body *b = &s->w->bodies[i];
        uint16_t *groups = NULL;
        if (b->left_out) {
            continue;
        }
        leave_out(s, b->without, b->mesh.triangle_count, sizeof *b->without);
        try_bytes(s, &b->compact, &(bool){true}, sizeof b->compact);
        if (b->groups != NULL) {
            groups = b->groups;
            b->groups = NULL;
            bool fails = still_fails(s);
            b->groups = fails ? NULL : groups;
            free(fails ? groups : NULL);
        }
        try_bytes(s, &b->proxy_triangles, &(uint32_t){0}, sizeof b->proxy_triangles);
        try_bytes(s, &b->error, &(float){0.0f}, sizeof b->error);
        try_bytes(s, &b->spheres, &(bool){false}, sizeof b->spheres);
    }
}

static void simplify_query(shrinker *s, table_event *e)
{
    query_arguments plain = query_arguments_default();
    query_arguments *a = &e->arguments;
    plain.box = a->box;
    plain.distance = a->distance;
    plain.max_distance = a->max_distance;
    plain.ray_count = a->ray_count;
    plain.point_count = a->point_count;
    try_struct(s, a, &plain, sizeof plain);
    const query_options *options = e->row->forms[e->form].options;
    for (int k = 0; k < 2 && options[k].type != NULL; k++) {
        const query_type *type = options[k].type;
        for (uint32_t i = 0; i < type->field_count; i++) {
            size_t at = options[k].offset + type->fields[i].offset;
            try_bytes(s, (char *)a + at, (char *)&plain + at, type->fields[i].size);
        }
    }
    for (uint32_t k = TABLE_RAYS; k-- > 1 && a->ray_count > 1;) {
        try_bytes(s, &e->rays[0], &e->rays[k], sizeof e->rays[0]);
        try_bytes(s, &a->ray_count, &(uint64_t){1}, sizeof a->ray_count);
    }
    for (uint32_t k = TABLE_POINTS; k-- > 1 && a->point_count > 1;) {
        try_bytes(s, e->points, e->points + 3 * (size_t)k, 3 * sizeof(float));
        try_bytes(s, &a->point_count, &(uint64_t){1}, sizeof a->point_count);
    }
}

static void simplify_events(shrinker *s)
{
    for (uint32_t i = 0; i < s->w->event_count; i++) {
        table_event *e = &s->w->events[i];
        if (e->left_out) {
            continue;
        }
        try_bytes(s, &e->grouped, &(bool){false}, sizeof e->grouped);
        try_bytes(s, &e->filtered, &(bool){false}, sizeof e->filtered);
        if (e->deed == TABLE_QUERY) {
            simplify_query(s, e);
        }
        if (e->deed == TABLE_ADD || e->deed == TABLE_SET_MEMBER) {
            pliant_member_def plain = pliant_member_def_default();
            try_struct(s, &e->member, &plain, sizeof plain);
        }
        for (uint32_t k = 0; k < e->number_count && e->deed == TABLE_SET_POSITIONS; k++) {
            const gallery_mesh *mesh = &s->w->bodies[e->body].mesh;
            if (k < 3 * mesh->vertex_count && e->number_count <= 120) {
                try_bytes(s, &e->numbers[k], &mesh->positions[k], sizeof e->numbers[k]);
            }
        }
    }
}

/* Settings are taken from table_plain one by one. */
static void simplify_settings(shrinker *s)
{
    for (int k = 0; k < 2; k++) {
        const char *plain = (const char *)&table_plain;
        for (size_t at = 0; at < sizeof(table_settings); at++) {
            table_failure before = s->failure;
            char *byte = (char *)&s->failure.settings[k] + at;
            if (*byte != plain[at]) {
                bool smaller = s->smaller;
                *byte = plain[at];
                if (!still_fails(s)) {
                    s->failure = before;
                }
                s->smaller = smaller || *byte == plain[at]; /* a check may not use this one */
            }
        }
    }
}

uint32_t table_shrink(table_world *w, table_check check, void *user, table_failure *failure)
{
    shrinker s = {.w = w, .check = check, .user = user, .failure = *failure};
    for (uint32_t i = failure->event + 1; i < w->event_count; i++) {
        w->events[i].left_out = true;
    }
    assert_true(still_fails(&s)); /* else the check is not deterministic */
    do {
        s.smaller = false;
        leave_out(&s, &w->bodies[0].left_out, w->body_count, sizeof w->bodies[0]);
        leave_out(&s, &w->events[0].left_out, w->event_count, sizeof w->events[0]);
        simplify_bodies(&s);
        simplify_events(&s);
        simplify_settings(&s);
    } while (s.smaller && s.checks < 5000);
    *failure = s.failure;
    return s.checks;
}

/* -------------------------------------------------------------------- seeds */

void table_try_seed(uint64_t seed, table_check check, void *user)
{
    static table_world w;
    table_failure failure = {.found = false};
    table_world_create(&w, seed);
    bool fails = check(&w, user, &failure);
    if (fails) {
        print_error("%s\n", failure.text);
        uint32_t checks = table_shrink(&w, check, user, &failure);
        print_error("PLIANT_TEST_SEED=%llu, made smaller in %u steps:\n", (unsigned long long)seed,
                    checks);
        table_program(stderr, &w, &failure);
    }
    table_world_destroy(&w);
    if (fails) {
        fail_msg("PLIANT_TEST_SEED=%llu: %s", (unsigned long long)seed, failure.text);
    }
}

void table_try(uint32_t usual, table_check check, void *user)
{
    const char *text = getenv("PLIANT_TABLE_WORLDS");
    uint64_t count = text != NULL ? strtoull(text, NULL, 10) : fixture_count(usual);
    for (uint64_t seed = test_seed(), end = seed + count; seed < end; seed++) {
        table_try_seed(seed, check, user);
    }
}
