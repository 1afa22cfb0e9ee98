/* pliant fit: an animation or a sequence becomes a reduced body. */
#include "cli.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pliant/asset.h"
#include "pliant/fit.h"

#include "output.h"
#include "tool/text/characters.h"

#define MOST_FILES  64
#define MOST_FRAMES 30000

typedef struct fit_state {
    const char *output;
    const char *clip_name;
    uint32_t modes, rate;
    cli_limits limits;
    pliant_context *context;
    pliant_asset *asset;
    pliant_asset_pose *pose;
    uint32_t body_count, frame_count;
    float **frames; /* per body, all frames */
    const pliant_fit **fits;
    pliant_asset_output *outputs;
    uint8_t *bytes;
    output_guard guard;
} fit_state;

static void free_state(fit_state *fit)
{
    for (uint32_t i = 0; i < fit->body_count; i++) {
        free(fit->frames != NULL ? fit->frames[i] : NULL);
        pliant_fit_destroy(fit->fits != NULL ? fit->fits[i] : NULL);
    }
    free(fit->frames);
    free((void *)fit->fits);
    free(fit->outputs);
    free(fit->bytes);
    output_guard_free(&fit->guard);
    pliant_asset_pose_destroy(fit->pose);
    pliant_asset_destroy(fit->asset);
    pliant_context_destroy(fit->context);
}

static cli_status fail_memory(void)
{
    return cli_fail(CLI_FAILED, "not enough memory");
}

/* What is wrong with a file is bad input; the rest is not the user's fault. */
static cli_status fail_library(const fit_state *fit, pliant_result result)
{
    if (!output_guard_holds(&fit->guard)) {
        return CLI_USAGE;
    }
    bool ours = result == PLIANT_ERROR_OUT_OF_MEMORY || result == PLIANT_ERROR_STATE;
    return cli_fail(ours ? CLI_FAILED : CLI_USAGE, "%s", pliant_last_error());
}

/* The clip that is named, or the only one. */
static cli_status find_clip(const fit_state *fit, uint32_t *found)
{
    uint32_t count = pliant_asset_get_counts(fit->asset).clips;
    if (count == 0) {
        return cli_fail(CLI_USAGE, "nothing moves in it");
    }
    *found = 0;
    if (fit->clip_name == NULL) {
        return count == 1 ? CLI_DONE
                          : cli_fail(CLI_USAGE,
                                     "it has %" PRIu32 " clips; choose one with --clip "
                                     "(pliant info lists them)",
                                     count);
    }
    for (; *found < count; ++*found) {
        if (strcmp(pliant_asset_get_clip(fit->asset, *found)->name, fit->clip_name) == 0) {
            return CLI_DONE;
        }
    }
    return cli_fail(CLI_USAGE, "there is no clip '%s'; pliant info lists them", fit->clip_name);
}

static cli_status allocate(fit_state *fit, const pliant_asset_clip *clip)
{
    double frames =
        clip->frame_count > 0 ? clip->frame_count : floor(clip->duration * fit->rate + 1e-6) + 1.0;
    if (frames > MOST_FRAMES) {
        return cli_fail(CLI_USAGE, "%.0f frames are too many; at most %d are fitted", frames,
                        MOST_FRAMES);
    }
    fit->frame_count = (uint32_t)frames;
    fit->body_count = pliant_asset_get_counts(fit->asset).bodies;
    fit->frames = calloc(fit->body_count + 1, sizeof *fit->frames);
    fit->fits = (const pliant_fit **)calloc(fit->body_count + 1, sizeof(void *));
    fit->outputs = calloc(fit->body_count + 1, sizeof *fit->outputs);
    if (fit->frames == NULL || fit->fits == NULL || fit->outputs == NULL) {
        return fail_memory();
    }
    for (uint32_t i = 0; i < fit->body_count; i++) {
        const pliant_asset_body *body = pliant_asset_get_body(fit->asset, i);
        const pliant_asset_mesh *mesh = pliant_asset_get_mesh(fit->asset, body->shape);
        if (mesh->triangle_count == 0) {
            return cli_fail(CLI_USAGE, "'%s' is a cache without its mesh; give the mesh before it",
                            body->name);
        }
        fit->frames[i] = calloc((size_t)fit->frame_count * mesh->vertex_count, 3 * sizeof(float));
        if (fit->frames[i] == NULL) {
            return fail_memory();
        }
    }
    return CLI_DONE;
}

/* Evaluates all bodies in all frames. */
static cli_status evaluate(fit_state *fit, uint32_t clip)
{
    const pliant_asset_clip *described = pliant_asset_get_clip(fit->asset, clip);
    for (uint32_t f = 0; f < fit->frame_count; f++) {
        /* The frames of an MDD cache have times of their own: sampled evenly over its length. */
        double time = described->frame_count > 1
                          ? described->duration * f / (described->frame_count - 1)
                          : (double)f / fit->rate;
        pliant_result result = pliant_asset_pose_sample(fit->pose, clip, time);
        for (uint32_t i = 0; result == PLIANT_OK && i < fit->body_count; i++) {
            const pliant_asset_body *body = pliant_asset_get_body(fit->asset, i);
            size_t numbers =
                (size_t)3 * pliant_asset_get_mesh(fit->asset, body->shape)->vertex_count;
            result = pliant_asset_pose_evaluate(fit->pose, i, fit->frames[i] + f * numbers);
        }
        if (result != PLIANT_OK) {
            return fail_library(fit, result);
        }
    }
    return CLI_DONE;
}

static cli_status fit_bodies(fit_state *fit)
{
    for (uint32_t i = 0; i < fit->body_count; i++) {
        const pliant_asset_body *body = pliant_asset_get_body(fit->asset, i);
        const pliant_asset_mesh *mesh = pliant_asset_get_mesh(fit->asset, body->shape);
        pliant_fit_def def = pliant_fit_def_default();
        def.frames = fit->frames[i];
        def.frame_count = fit->frame_count;
        def.vertex_count = mesh->vertex_count;
        def.mode_count = fit->modes;
        pliant_result result = pliant_fit_create(fit->context, &def, &fit->fits[i]);
        if (result != PLIANT_OK) {
            return fail_library(fit, result);
        }
        const pliant_fit *made = fit->fits[i];
        fit->outputs[i] = (pliant_asset_output){.name = body->name,
                                                .positions = made->rest,
                                                .triangles = mesh->triangles,
                                                .modes = made->modes,
                                                .coordinates = made->coordinates,
                                                .vertex_count = made->vertex_count,
                                                .triangle_count = mesh->triangle_count,
                                                .mode_count = made->mode_count,
                                                .error = made->largest_error};
    }
    return CLI_DONE;
}

static cli_status write_output(fit_state *fit)
{
    uint64_t size = 0;
    pliant_result result = pliant_asset_output_write(fit->outputs, fit->body_count,
                                                     fit->frame_count, fit->rate, NULL, 0, &size);
    if (result != PLIANT_OK) {
        return fail_library(fit, result);
    }
    fit->bytes = malloc((size_t)size);
    if (fit->bytes == NULL) {
        return fail_memory();
    }
    result = pliant_asset_output_write(fit->outputs, fit->body_count, fit->frame_count, fit->rate,
                                       fit->bytes, size, &size);
    if (result != PLIANT_OK) {
        return fail_library(fit, result);
    }
    output_file file;
    cli_status status = output_open(&file, fit->output);
    if (status == CLI_DONE) {
        fwrite(fit->bytes, 1, (size_t)size, file.stream);
        status = output_close(&file, CLI_DONE, false);
    }
    return status;
}

static void print_result(const fit_state *fit)
{
    printf("%" PRIu32 " frames at %" PRIu32 " a second\n\n", fit->frame_count, fit->rate);
    printf("  %-24s %9s %6s %14s %14s %16s\n", "body", "vertices", "modes", "variance kept",
           "largest error", "error over size");
    for (uint32_t i = 0; i < fit->body_count; i++) {
        const pliant_fit *made = fit->fits[i];
        double relative = made->size > 0.0 ? (double)made->largest_error / made->size : 0.0;
        fputs("  ", stdout);
        int width = text_show(stdout, fit->outputs[i].name);
        printf("%*s %9" PRIu32 " %6" PRIu32 " %12.4f %% %14.6g %16.3g  at frame %" PRIu32
               ", vertex %" PRIu32 "\n",
               width < 24 ? 24 - width : 0, "", made->vertex_count, made->mode_count,
               100.0 * made->variance_kept, (double)made->largest_error, relative,
               made->largest_frame, made->largest_vertex);
    }
    putchar('\n');
    text_show(stdout, fit->output);
    printf(": rest, modes and coordinates (morph targets with an animation of their weights)\n");
}

static cli_status run_fit(fit_state *fit, const char *const *files, uint32_t file_count)
{
    pliant_asset_def def = pliant_asset_def_default();
    def.paths = files;
    def.path_count = file_count;
    def.frames_per_second = fit->rate;
    def.files = output_guard_files(&fit->guard);
    pliant_result result = cli_create_context(&fit->limits, 1, &fit->context);
    result = result == PLIANT_OK ? pliant_asset_load(fit->context, &def, &fit->asset) : result;
    result = result == PLIANT_OK ? pliant_asset_pose_create(fit->asset, &fit->pose) : result;
    if (result != PLIANT_OK) {
        return fail_library(fit, result);
    }
    uint32_t clip = 0;
    cli_status status = find_clip(fit, &clip);
    status = status == CLI_DONE ? allocate(fit, pliant_asset_get_clip(fit->asset, clip)) : status;
    status = status == CLI_DONE ? evaluate(fit, clip) : status;
    status = status == CLI_DONE ? fit_bodies(fit) : status;
    status = status == CLI_DONE ? write_output(fit) : status;
    if (status == CLI_DONE) {
        print_result(fit);
    }
    return status;
}

static cli_status run(int argument_count, char **arguments)
{
    fit_state fit = {.rate = 30, .limits = {.threads = 1}};
    const cli_option options[] = {
        {.name = "--modes", .number = &fit.modes, .least = 1, .most = 10000},
        {.name = "--output", .letter = 'o', .text = &fit.output},
        {.name = "--clip", .text = &fit.clip_name},
        {.name = "--fps", .number = &fit.rate, .least = 1, .most = 100000},
    };
    const char *files[MOST_FILES];
    uint32_t file_count = 0;
    if (!cli_parse(argument_count, arguments, options, sizeof options / sizeof options[0],
                   &fit.limits, files, MOST_FILES, &file_count)) {
        return CLI_USAGE;
    }
    if (file_count == 0 || fit.modes == 0 || fit.output == NULL) {
        return cli_fail(CLI_USAGE, "fit needs %s; pliant fit --help tells more",
                        file_count == 0  ? "a file"
                        : fit.modes == 0 ? "--modes M"
                                         : "-o FILE");
    }
    bool differ = output_guard_add(&fit.guard, "-o", fit.output);
    for (uint32_t i = 0; differ && i < file_count; i++) {
        differ = output_guard_input(&fit.guard, files[i]);
    }
    cli_status status = differ ? run_fit(&fit, files, file_count) : CLI_USAGE;
    free_state(&fit);
    return status;
}

const cli_command cli_command_fit = {
    .name = "fit",
    .summary = "turn an animation into a reduced body: rest, modes, coordinates",
    .usage =
        "usage: pliant fit FILE... --modes M -o FILE.glb [--clip NAME] [--fps N]\n\n"
        "Evaluates an animation or reads a sequence, finds M principal components of each body's\n"
        "motion and writes them as a GLB file: the mean as mesh, the components as morph targets,\n"
        "the coordinates as an animation of their weights. Prints how much of the motion was kept\n"
        "and the largest distance of any vertex from where it was, in the file's units.\n\n"
        "  --modes M      components to keep; fewer where fewer describe everything\n"
        "  -o FILE.glb    where to write\n"
        "  --clip NAME    which clip, where there are several\n"
        "  --fps N        frames a second; default 30\n",
    .threads = "this command uses one",
    .option_width = 15,
    .run = run,
};
