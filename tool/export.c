/* pliant export: a built-in scene as a file that other programs open. */
#include "export.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gallery/modal/left_out.h"
#include "output.h"
#include "tool/text/characters.h"

#define MAX_STEPS 100000

static cli_status fail_memory(void)
{
    return cli_fail(CLI_FAILED, "not enough memory");
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

static cli_status write_bytes(const char *path, const void *bytes, uint64_t size)
{
    output_file file;
    cli_status status = output_open(&file, path);
    if (status == CLI_DONE) {
        fwrite(bytes, 1, (size_t)size, file.stream);
        status = output_close(&file, CLI_DONE, false);
    }
    return status;
}

static cli_status write_glb(const gallery_scene *scene, double rate, const char *path)
{
    export_file made = {.bytes = NULL};
    pliant_result result = export_make(scene, scene->body_count, rate, &made);
    if (result != PLIANT_OK) {
        return result == PLIANT_ERROR_OUT_OF_MEMORY
                   ? fail_memory()
                   : cli_fail(CLI_FAILED, "%s", pliant_last_error());
    }
    cli_status status = write_bytes(path, made.bytes, made.size);
    free(made.bytes);
    if (status == CLI_DONE) {
        text_show(stdout, path);
        printf(": %u bodies, %u frames, %.1f MB\n", scene->body_count, scene->steps + 1,
               1e-6 * (double)made.size);
    }
    if (status == CLI_DONE && made.is_thinned) {
        printf("the bodies are given by positions; the file has those of some steps as morph "
               "targets\nand goes straight from one to the next\n");
    }
    return status;
}

/* The name of one file of a sequence: the frame's number stands in for '#'s, or comes before the
   ending. NULL without memory. */
static char *frame_path(const char *path, uint32_t frame)
{
    size_t length = strlen(path);
    const char *mark = strchr(path, '#');
    size_t head = mark != NULL ? (size_t)(mark - path) : length - 4;
    size_t width = mark != NULL ? strspn(mark, "#") : 4;
    const char *tail = mark != NULL ? mark + width : path + head;
    size_t size = length + width + 24;
    char *name = malloc(size);
    if (name != NULL) {
        snprintf(name, size, "%.*s%s%0*" PRIu32 "%s", (int)head, path, mark != NULL ? "" : ".",
                 (int)(width < 12 ? width : 12), frame, tail);
    }
    return name;
}

static void write_obj(FILE *file, const gallery_scene *scene, float *const *positions)
{
    uint32_t before = 1;
    for (uint32_t body = 0; body < scene->body_count; body++) {
        const gallery_mesh *mesh = &scene->bodies[body];
        fprintf(file, "o body_%u\n", body + 1);
        for (size_t i = 0; i < (size_t)3 * mesh->vertex_count; i += 3) {
            fprintf(file, "v %.9g %.9g %.9g\n", (double)positions[body][i],
                    (double)positions[body][i + 1], (double)positions[body][i + 2]);
        }
        for (size_t i = 0; i < (size_t)3 * mesh->triangle_count; i += 3) {
            fprintf(file, "f %u %u %u\n", before + mesh->triangles[i],
                    before + mesh->triangles[i + 1], before + mesh->triangles[i + 2]);
        }
        before += mesh->vertex_count;
    }
}

static void put_word(FILE *file, uint32_t word)
{
    unsigned char bytes[4] = {(unsigned char)word, (unsigned char)(word >> 8),
                              (unsigned char)(word >> 16), (unsigned char)(word >> 24)};
    fwrite(bytes, 1, sizeof bytes, file);
}

static void write_ply(FILE *file, const gallery_scene *scene, float *const *positions)
{
    uint64_t vertices = 0, triangles = 0;
    for (uint32_t body = 0; body < scene->body_count; body++) {
        vertices += scene->bodies[body].vertex_count;
        triangles += scene->bodies[body].triangle_count;
    }
    fprintf(file,
            "ply\nformat binary_little_endian 1.0\nelement vertex %" PRIu64
            "\nproperty float x\nproperty float y\nproperty float z\nelement face %" PRIu64
            "\nproperty list uchar uint vertex_indices\nend_header\n",
            vertices, triangles);
    for (uint32_t body = 0; body < scene->body_count; body++) {
        for (size_t i = 0; i < (size_t)3 * scene->bodies[body].vertex_count; i++) {
            uint32_t word;
            memcpy(&word, &positions[body][i], sizeof word);
            put_word(file, word);
        }
    }
    uint32_t before = 0;
    for (uint32_t body = 0; body < scene->body_count; body++) {
        const gallery_mesh *mesh = &scene->bodies[body];
        for (size_t i = 0; i < (size_t)3 * mesh->triangle_count; i++) {
            if (i % 3 == 0) {
                fputc(3, file);
            }
            put_word(file, before + mesh->triangles[i]);
        }
        before += mesh->vertex_count;
    }
}

/* What the library itself says the vertices of every body are at a step. */
static cli_status evaluate(const gallery_scene *scene, uint32_t step, pliant_body *const *bodies,
                           float *const *states, float *const *positions)
{
    for (uint32_t i = 0; i < scene->body_count; i++) {
        uint32_t count = scene->bodies[i].vertex_count;
        if (scene->kind->tear != NULL) { /* files have the mesh as it ends */
            gallery_evaluate(scene, i, step, positions[i]);
            continue;
        }
        if (gallery_set_body(scene, i, step, states[i], bodies[i]) != PLIANT_OK ||
            pliant_body_evaluate(bodies[i], NULL, count, positions[i]) != PLIANT_OK) {
            return cli_fail(CLI_FAILED, "%s", pliant_last_error());
        }
    }
    return CLI_DONE;
}

static cli_status write_frame(const gallery_scene *scene, const char *path, uint32_t step,
                              float *const *positions)
{
    char *name = frame_path(path, step);
    if (name == NULL) {
        return fail_memory();
    }
    output_file file;
    cli_status status = output_open(&file, name);
    if (status == CLI_DONE) {
        if (ends_with(path, ".obj")) {
            write_obj(file.stream, scene, positions);
        } else {
            write_ply(file.stream, scene, positions);
        }
        status = output_close(&file, CLI_DONE, false);
    }
    if (status == CLI_DONE && step == 0) {
        text_show(stdout, name);
        printf(" and %u more, one for each step\n", scene->steps);
    }
    free(name);
    return status;
}

/* The bodies of a scene, for evaluating them. */
typedef struct evaluated {
    pliant_context *context;
    pliant_shape *shapes[GALLERY_MAX_BODIES];
    pliant_body *bodies[GALLERY_MAX_BODIES];
    float *states[GALLERY_MAX_BODIES], *positions[GALLERY_MAX_BODIES];
} evaluated;

static cli_status create_bodies(const gallery_scene *scene, const cli_limits *limits,
                                evaluated *made)
{
    pliant_result result = cli_create_context(limits, 1, &made->context);
    for (uint32_t i = 0; i < scene->body_count && result == PLIANT_OK; i++) {
        pliant_shape_def def = gallery_shape_def(scene, i);
        made->states[i] = malloc(gallery_state_size(scene, i) * sizeof(float));
        made->positions[i] = calloc(scene->bodies[i].vertex_count, 3 * sizeof(float));
        if (made->states[i] == NULL || made->positions[i] == NULL) {
            return fail_memory();
        }
        result = pliant_shape_create(made->context, &def, &made->shapes[i]);
        if (result == PLIANT_OK) {
            result = pliant_body_create(made->shapes[i], NULL, &made->bodies[i]);
        }
    }
    return result == PLIANT_OK ? CLI_DONE : cli_fail(CLI_FAILED, "%s", pliant_last_error());
}

static void destroy_bodies(evaluated *made)
{
    for (uint32_t i = 0; i < GALLERY_MAX_BODIES; i++) {
        pliant_body_destroy(made->bodies[i]);
        pliant_shape_destroy(made->shapes[i]);
        free(made->states[i]);
        free(made->positions[i]);
    }
    pliant_context_destroy(made->context);
}

static cli_status write_sequence(const gallery_scene *scene, const cli_limits *limits,
                                 const char *path)
{
    evaluated made = {0};
    cli_status status = create_bodies(scene, limits, &made);
    for (uint32_t step = 0; step <= scene->steps && status == CLI_DONE; step++) {
        status = evaluate(scene, step, made.bodies, made.states, made.positions);
        status = status == CLI_DONE ? write_frame(scene, path, step, made.positions) : status;
    }
    destroy_bodies(&made);
    return status;
}

static const gallery_kind *find_scene(const char *name, cli_status *status)
{
    const gallery_kind *kind = gallery_find(name);
    if (kind == NULL && gallery_left_out(name)) {
        *status = cli_fail(CLI_FAILED,
                           "the scene '%s' needs LAPACKE, which this build was made without; "
                           "install liblapacke-dev and build again",
                           name);
    } else if (kind == NULL) {
        *status = cli_fail(CLI_USAGE, "there is no scene '%s'; pliant scenes lists them", name);
    }
    return kind;
}

static cli_status run(int argument_count, char **arguments)
{
    const char *scene_name = NULL, *path = NULL;
    uint32_t steps = 0, triangles = 0, rate = 30, word_count = 0;
    cli_limits limits = {.threads = 1};
    const cli_option options[] = {
        {.name = "--output", .letter = 'o', .text = &path},
        {.name = "--steps", .number = &steps, .least = 1, .most = MAX_STEPS},
        {.name = "--triangles", .number = &triangles, .least = 1, .most = 10000000},
        {.name = "--fps", .number = &rate, .least = 1, .most = 10000},
    };
    if (!cli_parse(argument_count, arguments, options, 4, &limits, &scene_name, 1, &word_count)) {
        return CLI_USAGE;
    }
    if (word_count == 0 || path == NULL) {
        return cli_fail(CLI_USAGE,
                        "export needs a scene and -o FILE; pliant export --help tells more");
    }
    bool is_glb = ends_with(path, ".glb");
    if (!is_glb && !ends_with(path, ".obj") && !ends_with(path, ".ply")) {
        return cli_fail(CLI_USAGE, "export writes .glb, .obj and .ply, not '%s'", path);
    }
    cli_status status = CLI_DONE;
    const gallery_kind *kind = find_scene(scene_name, &status);
    if (kind == NULL) {
        return status;
    }
    gallery_settings settings = {
        .steps = steps, .seed = 1, .triangles = triangles, .isa = limits.isa};
    gallery_scene *scene = gallery_create(kind, &settings);
    if (scene == NULL) {
        return fail_memory();
    }
    status = is_glb ? write_glb(scene, (double)rate, path) : write_sequence(scene, &limits, path);
    gallery_destroy(scene);
    return status;
}

const cli_command cli_command_export = {
    .name = "export",
    .summary = "write a built-in scene as a file that other programs open",
    .usage =
        "usage: pliant export SCENE -o FILE [--steps N] [--triangles N] [--fps N]\n\n"
        "Writes a built-in scene. FILE.glb keeps what moves the bodies: joints become a skin,\n"
        "modes morph targets, and there is one animation; bodies given by positions become morph\n"
        "targets of at most 64 steps; y is up, as glTF has it. FILE.####.obj and FILE.####.ply\n"
        "are sequences, one file for each step, with the vertices as the library evaluates them.\n"
        "\n"
        "  -o FILE         where it goes; the ending says what is written\n"
        "  --steps N       cut the motion into N steps\n"
        "  --triangles N   about so many triangles in the first body\n"
        "  --fps N         frames a second of the animation; default 30\n",
    .threads = "this command uses one",
    .option_width = 16,
    .run = run,
};
