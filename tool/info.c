/* pliant info: what is in a file, and what is odd about it. */
#include "cli.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pliant/asset.h"

#include "check/check.h"
#include "tool/text/characters.h"

#define MOST_FILES  64
#define LEAST_NAMES 30 /* columns for names, unless they are longer */
#define MOST_NAMES  48

static const char *motion_name(const pliant_asset_body *body, const pliant_asset_mesh *mesh)
{
    switch (body->motion) {
    case PLIANT_ASSET_STILL:
        return "still";
    case PLIANT_ASSET_RIGID:
        return "rigid";
    case PLIANT_ASSET_DEFORMING:
        return mesh->influence_offsets == NULL ? "morphing"
               : mesh->mode_count == 0         ? "skinned"
                                               : "skinned, morphing";
    case PLIANT_ASSET_FRAMES:
        return "frames";
    }
    return "";
}

/* A name, and blanks up to a width. */
static void print_name(const char *name, int width)
{
    int missing = width - text_show(stdout, name);
    printf("%*s", missing > 0 ? missing : 0, "");
}

static void print_if(uint32_t count, const char *one, const char *many)
{
    if (count > 0) {
        printf("      %" PRIu32 " %s\n", count, count == 1 ? one : many);
    }
}

/* A count that says nothing where there is none. */
static void print_count(uint32_t count, int width)
{
    if (count > 0) {
        printf(" %*" PRIu32, width, count);
    } else {
        printf(" %*s", width, "-");
    }
}

#define MOST_MATERIALS 20

static void print_materials(const pliant_asset_mesh *mesh)
{
    if (mesh->group_count < 2) {
        return;
    }
    printf("      materials: ");
    for (uint32_t i = 0; i < mesh->group_count && i < MOST_MATERIALS; i++) {
        fputs(i > 0 ? ", " : "", stdout);
        print_name(mesh->group_names[i], 0);
    }
    if (mesh->group_count > MOST_MATERIALS) {
        printf(" and %" PRIu32 " more", mesh->group_count - MOST_MATERIALS);
    }
    putchar('\n');
}

static void print_numbers(const pliant_asset_body *body, const pliant_asset_mesh *mesh,
                          const char *closed)
{
    print_count(mesh->vertex_count, 9);
    print_count(mesh->triangle_count, 10);
    printf("  %-7s", closed);
    print_count(mesh->mode_count, 6);
    print_count(mesh->influence_offsets != NULL ? mesh->joint_count : 0, 6);
    printf("  %s\n", motion_name(body, mesh));
}

/* What is known of the file, and its rest pose. */
typedef struct info_file {
    pliant_context *context;
    const pliant_asset *asset;
    pliant_asset_pose *pose;
    char **names; /* per body, as check has them */
} info_file;

/* The box of a body at rest, around what triangles use, as check measures it. */
static cli_status print_size(const info_file *file, uint32_t index, const pliant_asset_mesh *mesh)
{
    float *rest = malloc(3 * (size_t)mesh->vertex_count * sizeof *rest + 1);
    if (rest == NULL) {
        return cli_fail(CLI_FAILED, "not enough memory");
    }
    if (pliant_asset_pose_get_state(file->pose, index).hidden) {
        memcpy(rest, mesh->positions, 3 * (size_t)mesh->vertex_count * sizeof *rest);
    } else if (pliant_asset_pose_evaluate(file->pose, index, rest) != PLIANT_OK) {
        free(rest);
        return cli_fail(CLI_USAGE, "%s", pliant_last_error());
    }
    double side[3], sum = 0.0;
    for (size_t k = 0; k < 3; k++) {
        double lower = HUGE_VAL, upper = -HUGE_VAL;
        for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++) {
            double at = (double)rest[3 * (size_t)mesh->triangles[i] + k];
            lower = fmin(lower, at);
            upper = fmax(upper, at);
        }
        side[k] = upper - lower;
        sum += side[k] * side[k];
    }
    free(rest);
    printf("      size %.4g: %.4g x %.4g x %.4g\n", sqrt(sum), side[0], side[1], side[2]);
    return CLI_DONE;
}

/* Counted as check --split component cuts them. */
static cli_status print_pieces(const pliant_asset_mesh *mesh)
{
    uint32_t count = 0, *pieces = malloc(((size_t)mesh->triangle_count + 1) * sizeof *pieces);
    bool done = pieces != NULL && check_find_pieces(mesh, pieces, &count) == CHECK_DONE;
    free(pieces);
    if (!done) {
        return cli_fail(CLI_FAILED, "not enough memory");
    }
    print_if(count > 1 ? count : 0, "", "separate pieces");
    return CLI_DONE;
}

/* Creates the shape to learn about it what only its adjacency tells. */
static cli_status print_shape(const info_file *file, uint32_t index)
{
    const pliant_asset *asset = file->asset;
    const pliant_asset_body *body = pliant_asset_get_body(asset, index);
    const pliant_asset_mesh *mesh = pliant_asset_get_mesh(asset, body->shape);
    if (mesh->triangle_count == 0) {
        print_numbers(body, mesh, "-");
        return CLI_DONE;
    }
    pliant_shape_def def;
    pliant_shape *shape = NULL;
    pliant_shape_quality quality;
    if (pliant_asset_get_shape_def(asset, body->shape, &def) != PLIANT_OK ||
        pliant_shape_create(file->context, &def, &shape) != PLIANT_OK ||
        pliant_shape_get_quality(shape, &quality) != PLIANT_OK) {
        pliant_shape_destroy(shape);
        putchar('\n');
        return cli_fail(CLI_USAGE, "%s", pliant_last_error());
    }
    print_numbers(body, mesh, pliant_shape_is_closed(shape) ? "closed" : "open");
    pliant_shape_destroy(shape);
    cli_status status = print_size(file, index, mesh);
    if (status != CLI_DONE) {
        return status;
    }
    print_materials(mesh);
    status = print_pieces(mesh);
    print_if(quality.open_edge_count, "open edge", "open edges");
    print_if(quality.degenerate_triangle_count, "triangle without area", "triangles without area");
    print_if(quality.duplicate_triangle_count, "triangle that another one repeats",
             "triangles that another one repeats");
    print_if(quality.unused_vertex_count, "vertex that no triangle uses",
             "vertices that no triangle uses");
    return status;
}

static void print_clips(const pliant_asset *asset, uint32_t count)
{
    if (count > 0) {
        printf("\nclips\n");
    }
    int width = LEAST_NAMES;
    for (uint32_t i = 0; i < count; i++) {
        int wanted = text_show(NULL, pliant_asset_get_clip(asset, i)->name);
        width = wanted > width ? wanted : width;
    }
    for (uint32_t i = 0; i < count; i++) {
        const pliant_asset_clip *clip = pliant_asset_get_clip(asset, i);
        printf("  ");
        print_name(clip->name, width < MOST_NAMES ? width : MOST_NAMES);
        printf("%8.3f s", clip->duration);
        if (clip->key_count > 0) {
            printf("  %5" PRIu32 " %s, %g frames a second", clip->key_count,
                   clip->key_count == 1 ? "key" : "keys", check_own_rate(clip));
        }
        if (clip->frame_count > 0) {
            printf("  %" PRIu32 " frames", clip->frame_count);
        }
        putchar('\n');
    }
}

static cli_status print_asset(const info_file *file)
{
    const pliant_asset *asset = file->asset;
    pliant_asset_counts counts = pliant_asset_get_counts(asset);
    uint64_t triangles = 0;
    for (uint32_t i = 0; i < counts.bodies; i++) {
        triangles +=
            pliant_asset_get_mesh(asset, pliant_asset_get_body(asset, i)->shape)->triangle_count;
    }
    printf("%" PRIu32 " %s of %" PRIu32 " %s, %" PRIu64 " %s, %" PRIu32 " %s\n", counts.bodies,
           counts.bodies == 1 ? "body" : "bodies", counts.shapes,
           counts.shapes == 1 ? "shape" : "shapes", triangles,
           triangles == 1 ? "triangle" : "triangles", counts.clips,
           counts.clips == 1 ? "clip" : "clips");
    int width = LEAST_NAMES;
    for (uint32_t i = 0; i < counts.bodies; i++) {
        int wanted = text_show(NULL, file->names[i]);
        width = wanted > width ? wanted : width;
    }
    width = width < MOST_NAMES ? width : MOST_NAMES;
    if (counts.bodies > 0) {
        printf("\n  %-*s %9s %10s  %-7s %6s %6s  %s\n", width, "body", "vertices", "triangles",
               "mesh", "morphs", "joints", "motion");
    }
    for (uint32_t i = 0; i < counts.bodies; i++) {
        printf("  ");
        print_name(file->names[i], width);
        cli_status status = print_shape(file, i);
        if (status != CLI_DONE) {
            return status;
        }
    }
    print_clips(asset, counts.clips);
    if (counts.notes > 0) {
        printf("\nodd\n");
    }
    for (uint32_t i = 0; i < counts.notes; i++) {
        printf("  ");
        print_name(pliant_asset_get_note(asset, i), 0);
        putchar('\n');
    }
    return CLI_DONE;
}

/* Names the bodies, poses them at rest and prints everything. */
static cli_status print_file(pliant_context *context, const pliant_asset *asset)
{
    uint32_t count = pliant_asset_get_counts(asset).bodies;
    info_file file = {.context = context, .asset = asset};
    file.names = check_body_names(asset);
    cli_status status = CLI_FAILED;
    if (file.names == NULL) {
        status = cli_fail(CLI_FAILED, "not enough memory");
    } else if (pliant_asset_pose_create(asset, &file.pose) != PLIANT_OK) {
        status = cli_fail(CLI_FAILED, "%s", pliant_last_error());
    } else {
        status = print_asset(&file);
    }
    check_free_names(file.names, count);
    pliant_asset_pose_destroy(file.pose);
    return status;
}

static cli_status run(int argument_count, char **arguments)
{
    const char *files[MOST_FILES];
    uint32_t file_count = 0;
    cli_limits limits = {.threads = 1};
    if (!cli_parse(argument_count, arguments, NULL, 0, &limits, files, MOST_FILES, &file_count)) {
        return CLI_USAGE;
    }
    if (file_count == 0) {
        return cli_fail(CLI_USAGE, "info needs a file; pliant info --help tells more");
    }
    pliant_asset_def def = pliant_asset_def_default();
    def.paths = files;
    def.path_count = file_count;
    pliant_context *context = NULL;
    pliant_asset *asset = NULL;
    if (cli_create_context(&limits, 1, &context) != PLIANT_OK) {
        return cli_fail(CLI_FAILED, "%s", pliant_last_error());
    }
    pliant_result result = pliant_asset_load(context, &def, &asset);
    cli_status status = result == PLIANT_OK ? print_file(context, asset)
                        : result == PLIANT_ERROR_OUT_OF_MEMORY
                            ? cli_fail(CLI_FAILED, "%s", pliant_last_error())
                            : cli_fail(CLI_USAGE, "%s", pliant_last_error());
    pliant_asset_destroy(asset);
    pliant_context_destroy(context);
    return status;
}

const cli_command cli_command_info = {
    .name = "info",
    .summary = "say what is in a file and what is odd about it",
    .usage =
        "usage: pliant info FILE...\n\n"
        "Lists what is in a file: bodies, as the other commands name them, clips with their length,"
        " and\nwhat is odd. Formats of files:\n\n"
        "  scenes     " FORMATS_SCENE "\n"
        "  meshes     " FORMATS_MESH "; numbered files are a sequence: cloth.####.ply\n"
        "  caches     " FORMATS_CACHE "; right after their mesh: mesh.obj cache.pc2\n\n"
        "What is printed:\n\n"
        "  mesh       closed if it has an inside: every edge is used once in either direction.\n"
        "             Only closed bodies have a volume (check --volume)\n"
        "  morphs     morph targets (blend shapes)\n"
        "  joints     joints of its skin\n"
        "  motion     still: no clip moves it; rigid: it moves as a whole; skinned, morphing: it\n"
        "             deforms; frames: the file stores every frame\n"
        "  size       the diagonal of its box at rest, which percentages of check are of; then "
        "the\n"
        "             box along x, y and z: in glTF y is the height, and the unit is the metre\n"
        "  materials  where there are several (check --split primitive)\n"
        "  pieces     that are not connected (check --split component)\n"
        "  keys       of a clip, and the frames a second that check takes from them\n",
    .threads = "this command uses one",
    .option_width = 13,
    .run = run,
};
