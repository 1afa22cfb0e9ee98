/* pliant info: what is in a file, and what is odd about it. */
#include "cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "pliant/asset.h"

#define MOST_FILES 64

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

/* Names come from files: what would move the cursor is shown as '?'. */
static void print_name(const char *name, int width)
{
    int printed = 0;
    for (const char *c = name; *c != '\0'; c++) {
        putchar((unsigned char)*c < 0x20 || *c == 0x7f ? '?' : *c);
        printed += ((unsigned char)*c & 0xc0) != 0x80 ? 1 : 0; /* a character, not a byte */
    }
    printf("%*s", width > printed ? width - printed : 1, "");
}

static void print_if(uint32_t count, const char *what)
{
    if (count > 0) {
        printf("      %" PRIu32 " %s\n", count, what);
    }
}

/* Creates the shape to learn about it what only its adjacency tells. */
static cli_status print_shape(pliant_context *context, const pliant_asset *asset,
                              const pliant_asset_body *body)
{
    const pliant_asset_mesh *mesh = pliant_asset_get_mesh(asset, body->shape);
    if (mesh->triangle_count == 0) {
        printf("%10" PRIu32 " %10s  %s\n", mesh->vertex_count, "-", motion_name(body, mesh));
        return CLI_DONE;
    }
    pliant_shape_def def;
    pliant_shape *shape = NULL;
    pliant_shape_quality quality;
    if (pliant_asset_shape(asset, body->shape, &def) != PLIANT_OK ||
        pliant_shape_create(context, &def, &shape) != PLIANT_OK ||
        pliant_shape_get_quality(shape, &quality) != PLIANT_OK) {
        pliant_shape_destroy(shape);
        putchar('\n');
        return cli_fail(CLI_USAGE, "%s", pliant_last_error());
    }
    printf("%10" PRIu32 " %10" PRIu32 "  %-7s %5" PRIu32 " %5" PRIu32 "  %s\n", mesh->vertex_count,
           mesh->triangle_count, pliant_shape_is_closed(shape) ? "closed" : "open",
           mesh->mode_count, mesh->node_count, motion_name(body, mesh));
    for (uint32_t i = 0; mesh->group_count > 1 && i < mesh->group_count && i < 20; i++) {
        printf("      group %" PRIu32 ": ", i);
        print_name(mesh->group_names[i], 0);
        putchar('\n');
    }
    print_if(quality.component_count > 1 ? quality.component_count : 0, "separate pieces");
    print_if(quality.open_edge_count, "open edges");
    print_if(quality.degenerate_triangle_count, "triangles without area");
    print_if(quality.duplicate_triangle_count, "triangles that another one repeats");
    print_if(quality.unused_vertex_count, "vertices that no triangle uses");
    pliant_shape_destroy(shape);
    return CLI_DONE;
}

static void print_clips(const pliant_asset *asset, uint32_t count)
{
    if (count > 0) {
        printf("\nclips\n");
    }
    for (uint32_t i = 0; i < count; i++) {
        const pliant_asset_clip *clip = pliant_asset_get_clip(asset, i);
        printf("  ");
        print_name(clip->name, 30);
        printf("%8.3f s", clip->duration);
        if (clip->frame_count > 0) {
            printf("  %" PRIu32 " frames", clip->frame_count);
        }
        putchar('\n');
    }
}

static cli_status print_asset(pliant_context *context, const pliant_asset *asset)
{
    pliant_asset_counts counts = pliant_asset_count(asset);
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
    if (counts.bodies > 0) {
        printf("\n  %-30s%10s %10s  %-7s %5s %5s  %s\n", "body", "vertices", "triangles", "mesh",
               "modes", "nodes", "motion");
    }
    for (uint32_t i = 0; i < counts.bodies; i++) {
        const pliant_asset_body *body = pliant_asset_get_body(asset, i);
        printf("  ");
        print_name(body->name, 30);
        cli_status status = print_shape(context, asset, body);
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

static cli_status run(int argument_count, char **arguments)
{
    const char *files[MOST_FILES];
    uint32_t file_count = 0;
    if (!cli_parse(argument_count, arguments, NULL, 0, files, MOST_FILES, &file_count)) {
        return CLI_USAGE;
    }
    if (file_count == 0) {
        return cli_fail(CLI_USAGE, "info needs a file; pliant info --help tells more");
    }
    pliant_asset_def def = pliant_asset_default();
    def.paths = files;
    def.path_count = file_count;
    pliant_context *context = NULL;
    pliant_asset *asset = NULL;
    if (pliant_context_create(NULL, &context) != PLIANT_OK) {
        return cli_fail(CLI_FAILED, "%s", pliant_last_error());
    }
    pliant_result result = pliant_asset_load(context, &def, &asset);
    cli_status status = result == PLIANT_OK ? print_asset(context, asset)
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
        "Lists the bodies of a file with their triangles, whether they are closed, their modes "
        "and nodes,\n"
        "the clips, and what is odd. Read are glTF, GLB, OBJ, PLY and OFF; sequences "
        "(cloth.####.ply);\n"
        "and PC2 and MDD caches after their mesh (mesh.obj cache.pc2).\n",
    .run = run,
};
