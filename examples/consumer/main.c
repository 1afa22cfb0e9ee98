/*
 * The smallest use of an installed Pliant: a mesh from memory, as if it were a file, and a volume.
 * With pkg-config:
 *
 *     cc main.c $(pkg-config --cflags --libs pliant_asset) -o consumer
 *     cc -DCONSUMER_HAS_GL main.c $(pkg-config --cflags --libs pliant_asset pliant_gl) -o consumer
 */
#include <pliant/asset.h>
#include <pliant/pliant.h>
#ifdef CONSUMER_HAS_GL
#include <pliant/gl.h>
#endif
#include <stdio.h>
#include <string.h>

static const char mesh[] = "v 0 0 0\nv 6 0 0\nv 0 6 0\nv 0 0 6\n"
                           "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

static bool mesh_size(void *user, const char *path, uint64_t *size)
{
    (void)user;
    *size = sizeof mesh - 1;
    return strcmp(path, "mesh.obj") == 0;
}

static bool mesh_read(void *user, const char *path, uint64_t offset, void *buffer, uint64_t count)
{
    (void)user;
    (void)path;
    memcpy(buffer, mesh + offset, (size_t)count);
    return true;
}

static pliant_result load(pliant_context *context, const char *path, pliant_asset **asset)
{
    pliant_asset_def def = pliant_asset_def_default();
    def.paths = &path;
    def.path_count = 1;
    def.files.size = mesh_size;
    def.files.read = mesh_read;
    return pliant_asset_load(context, &def, asset);
}

/* A volume, by OpenGL where there is a driver. */
static pliant_result create_volume(pliant_context *context, pliant_volume **volume)
{
    pliant_volume_def def = pliant_volume_def_default();
#ifdef CONSUMER_HAS_GL
    pliant_volume_backend *backend = NULL;
    pliant_result drawn = pliant_gl_create(context, NULL, &backend);
    printf("%s: %s\n", pliant_gl_version(),
           drawn == PLIANT_OK ? pliant_gl_get_renderer(backend) : pliant_last_error());
    def.backend = backend;
#endif
    pliant_result result = pliant_volume_create(context, &def, volume);
#ifdef CONSUMER_HAS_GL
    pliant_gl_destroy(backend); /* the volume keeps it */
#endif
    return result;
}

/* Whether the volume of the mesh is 36, as a tetrahedron's of side 6 is. */
static bool measure(pliant_context *context, const pliant_asset *asset)
{
    pliant_shape_def def;
    pliant_shape *shape = NULL;
    pliant_body *body = NULL;
    pliant_volume *volume = NULL;
    pliant_volume_measure measure = {.volume = 0.0};
    bool done = pliant_asset_get_shape_def(asset, 0, &def) == PLIANT_OK &&
                pliant_shape_create(context, &def, &shape) == PLIANT_OK &&
                pliant_body_create(shape, NULL, &body) == PLIANT_OK &&
                create_volume(context, &volume) == PLIANT_OK &&
                pliant_volume_measure_body(volume, body, NULL, &measure) == PLIANT_OK;
    printf("volume %.1f\n", measure.volume);
    pliant_volume_destroy(volume);
    pliant_body_destroy(body);
    pliant_shape_destroy(shape);
    return done && measure.volume > 35.0 && measure.volume < 37.0;
}

int main(void)
{
    pliant_context *context = NULL;
    pliant_asset *asset = NULL;
    if (pliant_context_create(NULL, &context) != PLIANT_OK) {
        return 1;
    }
    /* Errors of every library are sentences of the core, for there is one core. */
    bool told = load(context, "absent.obj", &asset) != PLIANT_OK &&
                strstr(pliant_last_error(), "absent.obj") != NULL;
    bool measured = load(context, "mesh.obj", &asset) == PLIANT_OK && measure(context, asset);
    printf("pliant %s, asset %s\n", pliant_version(), pliant_asset_version());
    if (!told || !measured) {
        fprintf(stderr, "%s\n", pliant_last_error());
    }
    pliant_asset_destroy(asset);
    pliant_context_destroy(context);

    /* The library that runs has the version of the headers. */
    size_t length = strlen(PLIANT_VERSION_TEXT);
    return told && measured && strncmp(pliant_version(), PLIANT_VERSION_TEXT, length) == 0 ? 0 : 1;
}
