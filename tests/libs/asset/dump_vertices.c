/*
 * Writes the vertices that the library evaluates, for comparison with another program's.
 *
 *     dump_vertices FILE <moments >numbers
 *
 * Each moment is a line of two numbers, a clip and a time in seconds; clip -1 is the rest pose. The
 * output is binary, in this machine's order: the number of bodies; per body the numbers of its
 * vertices, triangles and groups, three vertices per triangle and a group per triangle, all uint32;
 * then moment after moment and body after body all positions, as pliant_body_evaluate() gives them
 * to queries.
 */
#include <stdio.h>
#include <stdlib.h>

#include "pliant/asset.h"

/* Where everything is at the moment. */
typedef struct dump {
    pliant_context *context;
    pliant_asset *asset;
    pliant_asset_pose *pose;
    uint32_t body_count;
    pliant_shape **shapes; /* per body */
    pliant_body **bodies;
    float *positions; /* room for the largest body */
} dump;

static void require(pliant_result result)
{
    if (result != PLIANT_OK) {
        fprintf(stderr, "dump_vertices: %s\n", pliant_last_error());
        exit(1);
    }
}

static void *room(size_t count, size_t size)
{
    void *block = calloc(count + 1, size);
    if (block == NULL) {
        fprintf(stderr, "dump_vertices: out of memory\n");
        exit(1);
    }
    return block;
}

static void put(const void *numbers, size_t count)
{
    if (fwrite(numbers, sizeof(uint32_t), count, stdout) != count) {
        fprintf(stderr, "dump_vertices: cannot write\n");
        exit(1);
    }
}

static const pliant_asset_mesh *mesh_of(const dump *d, uint32_t body)
{
    return pliant_asset_get_mesh(d->asset, pliant_asset_get_body(d->asset, body)->shape);
}

static void open_asset(dump *d, const char *path)
{
    pliant_context_def context = pliant_context_def_default();
    require(pliant_context_create(&context, &d->context));
    pliant_asset_def def = pliant_asset_def_default();
    def.paths = &path;
    def.path_count = 1;
    require(pliant_asset_load(d->context, &def, &d->asset));
    require(pliant_asset_pose_create(d->asset, &d->pose));
    d->body_count = pliant_asset_get_counts(d->asset).bodies;
    d->shapes = (pliant_shape **)room(d->body_count, sizeof(pliant_shape *));
    d->bodies = (pliant_body **)room(d->body_count, sizeof(pliant_body *));
    uint32_t most = 0;
    for (uint32_t i = 0; i < d->body_count; i++) {
        pliant_shape_def shape;
        require(pliant_asset_get_shape_def(d->asset, pliant_asset_get_body(d->asset, i)->shape,
                                           &shape));
        require(pliant_shape_create(d->context, &shape, &d->shapes[i]));
        require(pliant_body_create(d->shapes[i], NULL, &d->bodies[i]));
        most = mesh_of(d, i)->vertex_count > most ? mesh_of(d, i)->vertex_count : most;
    }
    d->positions = room(most, 3 * sizeof *d->positions);
}

static void close_asset(dump *d)
{
    for (uint32_t i = 0; i < d->body_count; i++) {
        pliant_body_destroy(d->bodies[i]);
        pliant_shape_destroy(d->shapes[i]);
    }
    free(d->positions);
    free((void *)d->shapes);
    free((void *)d->bodies);
    pliant_asset_pose_destroy(d->pose);
    pliant_asset_destroy(d->asset);
    pliant_context_destroy(d->context);
}

static void put_meshes(const dump *d)
{
    put(&d->body_count, 1);
    for (uint32_t i = 0; i < d->body_count; i++) {
        const pliant_asset_mesh *mesh = mesh_of(d, i);
        uint32_t counts[3] = {mesh->vertex_count, mesh->triangle_count, mesh->group_count};
        put(counts, 3);
        put(mesh->triangles, 3 * (size_t)mesh->triangle_count);
        for (uint32_t t = 0; t < mesh->triangle_count; t++) {
            uint32_t group = mesh->groups != NULL ? mesh->groups[t] : 0;
            put(&group, 1);
        }
    }
}

static void put_moment(dump *d, long clip, double time)
{
    require(pliant_asset_pose_sample(d->pose, clip < 0 ? PLIANT_ASSET_REST : (uint32_t)clip, time));
    for (uint32_t i = 0; i < d->body_count; i++) {
        uint32_t count = mesh_of(d, i)->vertex_count;
        if (pliant_asset_pose_apply(d->pose, i, d->bodies[i]) == PLIANT_OK) {
            require(pliant_body_evaluate(d->bodies[i], NULL, count, d->positions));
        } else { /* bodies refuse to be flattened, which is how files hide them */
            require(pliant_asset_pose_evaluate(d->pose, i, d->positions));
        }
        put(d->positions, 3 * (size_t)count);
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: dump_vertices FILE <moments >numbers\n");
        return 2;
    }
    dump d = {0};
    open_asset(&d, argv[1]);
    put_meshes(&d);
    char line[128];
    while (fgets(line, sizeof line, stdin) != NULL) {
        char *rest = NULL;
        long clip = strtol(line, &rest, 10);
        put_moment(&d, clip, strtod(rest, NULL));
    }
    close_asset(&d);
    return fflush(stdout) == 0 ? 0 : 1;
}
