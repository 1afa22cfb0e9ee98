/*
 * What helps in finding out: a log, stages for a profiler, drawing, and a recording that `pliant
 * replay` asks again. Two tetrahedra touch; what is drawn is printed. With a name as argument the
 * recording is written to that file.
 */
#include <pliant/pliant.h>
#include <stdio.h>
#include <stdlib.h>

static const float corners[4][3] = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0, 0, 2}};
static const uint32_t faces[5][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}, {0, 0, 1}};

/* Ends the program with the library's sentence if a call failed. */
static void check(pliant_result result)
{
    if (result != PLIANT_OK) {
        fprintf(stderr, "%s: %s\n", pliant_result_get_name(result), pliant_last_error());
        exit(1);
    }
}

static void print_log(void *user, pliant_log_level level, const char *sentence)
{
    fprintf(user, "%s: %s\n", level == PLIANT_LOG_WARNING ? "warning" : "info", sentence);
}

#ifdef TRACY_ENABLE
#include <tracy/TracyC.h>

enum { STAGES = PLIANT_STAGE_SHAPE_MODEL + 1, DEEPEST = 16 };

static struct ___tracy_source_location_data stages[STAGES];
static _Thread_local TracyCZoneCtx zones[DEEPEST];
static _Thread_local int depth;

static void begin_zone(void *user, pliant_stage stage, uint32_t worker)
{
    (void)user;
    (void)worker;
    zones[depth++] = ___tracy_emit_zone_begin(&stages[stage], 1);
}

static void end_zone(void *user, pliant_stage stage, uint32_t worker)
{
    (void)user;
    (void)stage;
    (void)worker;
    ___tracy_emit_zone_end(zones[--depth]);
}

static pliant_stage_hooks tracy_hooks(void)
{
    for (int i = 0; i < STAGES; i++) {
        stages[i].name = stages[i].function = pliant_stage_get_name((pliant_stage)i);
        stages[i].file = "pliant";
    }
    return (pliant_stage_hooks){begin_zone, end_zone, NULL};
}
#else
static void count_stage(void *user, pliant_stage stage, uint32_t worker)
{
    if (worker == PLIANT_NO_WORKER) { /* not the workers' shares */
        ((int *)user)[stage]++;
    }
}

static void end_stage(void *user, pliant_stage stage, uint32_t worker)
{
    (void)user;
    (void)stage;
    (void)worker;
}
#endif

static void draw_line(void *user, const pliant_draw_item *item, const float from[3],
                      const float to[3])
{
    fprintf(user, "line #%06x from (%g %g %g) to (%g %g %g)\n", item->colour, from[0], from[1],
            from[2], to[0], to[1], to[2]);
}

static void draw_box(void *user, const pliant_draw_item *item, const pliant_box *box)
{
    fprintf(user, "box of body %u from (%g %g %g) to (%g %g %g)\n", item->body, box->lower[0],
            box->lower[1], box->lower[2], box->upper[0], box->upper[1], box->upper[2]);
}

static bool write_bytes(void *user, const void *bytes, uint64_t size)
{
    return fwrite(bytes, 1, (size_t)size, user) == size;
}

int main(int argument_count, char **arguments)
{
    pliant_context_def watched = pliant_context_def_default();
    watched.logger = (pliant_logger){print_log, stdout};
#ifdef TRACY_ENABLE
    watched.hooks = tracy_hooks();
#else
    int begun[PLIANT_STAGE_SHAPE_MODEL + 1] = {0};
    watched.hooks = (pliant_stage_hooks){count_stage, end_stage, begun};
#endif
    pliant_context *context = NULL;
    check(pliant_context_create(&watched, &context));

    pliant_shape_def def = pliant_shape_def_default();
    def.positions = corners[0], def.vertex_count = 4;
    def.triangles = faces[0], def.triangle_count = 5;
    pliant_shape *shape = NULL;
    pliant_scene *scene = NULL;
    pliant_body *body[2];
    pliant_body_id id[2];
    check(pliant_shape_create(context, &def, &shape));
    check(pliant_scene_create(context, NULL, &scene));
    for (int i = 0; i < 2; i++) {
        check(pliant_body_create(shape, NULL, &body[i]));
        check(pliant_scene_add(scene, body[i], NULL, &id[i]));
    }
    float moved[4][3];
    for (int k = 0; k < 12; k++) {
        moved[k / 3][k % 3] = corners[k / 3][k % 3] + (k % 3 == 0 ? 1.0f : 0.25f);
    }
    check(pliant_body_set_positions(body[1], moved[0], 0));

    FILE *file = argument_count > 1 ? fopen(arguments[1], "wb") : tmpfile();
    pliant_recording_options recording = pliant_recording_options_default();
    recording.write = write_bytes;
    recording.write_user = file;
    check(pliant_scene_record(scene, &recording));

    pliant_scene_contacts contacts;
    check(pliant_scene_collide(scene, NULL, &contacts));

    check(pliant_scene_stop_recording(scene));
    printf("# %ld bytes recorded\n", ftell(file));
    if (fclose(file) != 0) {
        return 1;
    }

    pliant_drawer drawer = {.draw_line = draw_line, .draw_box = draw_box, .user = stdout};
    check(pliant_draw_scene(scene, NULL, &drawer));
    check(pliant_draw_scene_contacts(scene, &contacts, NULL, &drawer));
#ifndef TRACY_ENABLE
    for (int i = PLIANT_STAGE_SCENE_BOUNDS; i <= PLIANT_STAGE_SCENE_SORT; i++) {
        printf("%s: %d\n", pliant_stage_get_name((pliant_stage)i), begun[i]);
    }
#endif

    for (int i = 0; i < 2; i++) {
        check(pliant_scene_remove(scene, id[i]));
        pliant_body_destroy(body[i]);
    }
    pliant_scene_destroy(scene);
    pliant_shape_destroy(shape);
    pliant_context_destroy(context);
    return 0;
}
