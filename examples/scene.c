/*
 * Many bodies: a row of tetrahedra of one shape slides together. Two workers find who touches whom;
 * then events say what changes when one of them leaves, and a ray asks what lies on its way.
 */
#include <math.h>
#include <pliant/pliant.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 5 };

static const float corners[4][3] = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0, 0, 2}};
static const uint32_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};

static const char *names[BODIES] = {"Ann", "Bob", "Cleo", "Dan", "Eve"};

/* Ends the program with the library's sentence if a call failed. */
static void check(pliant_result result)
{
    if (result != PLIANT_OK) {
        fprintf(stderr, "%s: %s\n", pliant_result_get_name(result), pliant_last_error());
        exit(1);
    }
}

/* Everybody but one. */
static bool is_not(void *user, pliant_body_id body)
{
    const pliant_body_id *one = user;
    return body.index != one->index || body.generation != one->generation;
}

int main(void)
{
    pliant_context_def threads = pliant_context_def_default();
    threads.workers = 2; /* or bring your own job system: threads.scheduler */
    pliant_context *context = NULL;
    pliant_scene *scene = NULL;
    check(pliant_context_create(&threads, &context));
    check(pliant_scene_create(context, NULL, &scene));

    pliant_shape_def def = pliant_shape_def_default();
    def.positions = corners[0], def.vertex_count = 4;
    def.triangles = faces[0], def.triangle_count = 4;
    pliant_shape *shape = NULL;
    pliant_body *body[BODIES];
    pliant_body_id id[BODIES];
    check(pliant_shape_create(context, &def, &shape));
    for (int i = 0; i < BODIES; i++) {
        check(pliant_body_create(shape, NULL, &body[i]));
        pliant_member_def member = pliant_member_def_default();
        member.user = &names[i]; /* answers lead back to it */
        check(pliant_scene_add(scene, body[i], &member, &id[i]));
    }

    for (int step = 0; step < 3; step++) {
        for (int i = 0; i < BODIES; i++) { /* body i stands i * distance along x */
            float positions[4][3];
            memcpy(positions, corners, sizeof corners);
            for (int k = 0; k < 4; k++) {
                positions[k][0] += (float)i * (2.5f - (float)step * 0.5f);
            }
            check(pliant_body_set_positions(body[i], positions[0], 0));
        }
        pliant_scene_contacts contacts;
        check(pliant_scene_collide(scene, NULL, &contacts));
        printf("step %d: %llu pairs of triangles\n", step, (unsigned long long)contacts.count);
        for (uint32_t p = 0; p < contacts.body_pair_count; p++) {
            const pliant_scene_pair *pair = &contacts.bodies[p];
            printf("  bodies %u and %u: %llu\n", pair->a.index, pair->b.index,
                   (unsigned long long)pair->count);
        }
    }

    static const char *const touches[] = {"begin to touch", "go on touching", "touch no longer"};
    pliant_scene_options options = pliant_scene_options_default();
    options.events = true;
    for (int step = 0; step < 2; step++) {
        pliant_scene_contacts contacts;
        check(pliant_scene_collide(scene, &options, &contacts));
        uint32_t count = 0;
        const pliant_scene_event *events = pliant_scene_get_events(scene, &count);
        for (uint32_t e = 0; e < count; e++) {
            const char *const *a = events[e].user_a, *const *b = events[e].user_b;
            printf("%s and %s %s\n", *a, *b, touches[events[e].touch]);
        }
        if (step == 0) {
            check(pliant_scene_remove(scene, id[2]));
            printf("%s leaves\n", names[2]);
        }
    }

    pliant_ray ray = {.origin = {-1, 0.25f, 0.25f}, .direction = {1, 0, 0}, .t_max = INFINITY};
    pliant_scene_ray_hit hit;
    check(pliant_scene_raycast(scene, &ray, 1, NULL, &hit));
    printf("the ray meets triangle %u of body %u at t = %g\n", hit.hit.triangle, hit.body.index,
           hit.hit.t);
    pliant_scene_select select = pliant_scene_select_default();
    select.filter = is_not; /* the one who looks does not block the view */
    select.filter_user = &id[0];
    bool blocked = false;
    check(pliant_scene_raycast_any(scene, &ray, 1, &select, &blocked));
    printf("without body %u %s is in the way\n", id[0].index, blocked ? "somebody" : "nobody");

    pliant_scene_destroy(scene);
    for (int i = 0; i < BODIES; i++) {
        pliant_body_destroy(body[i]);
    }
    pliant_shape_destroy(shape);
    pliant_context_destroy(context);
    return 0;
}
