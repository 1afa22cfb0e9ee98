// The same libraries from C++: two triangles, a box from a file in memory, a backend of OpenGL.
//
//     c++ main.cpp $(pkg-config --cflags --libs pliant_asset) -o consumer
#include <pliant/asset.h>
#include <pliant/pliant.h>
#ifdef CONSUMER_HAS_GL
#include <pliant/gl.h>
#endif

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

namespace
{

const std::string mesh = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";

void check(pliant_result result)
{
    if (result != PLIANT_OK) {
        throw std::runtime_error(pliant_last_error());
    }
}

void load(pliant_context *context)
{
    const char *path = "mesh.off";
    pliant_asset_def def = pliant_asset_def_default();
    def.paths = &path;
    def.path_count = 1;
    def.files.size = [](void *, const char *, std::uint64_t *size) {
        *size = mesh.size();
        return true;
    };
    def.files.read = [](void *, const char *, std::uint64_t offset, void *to, std::uint64_t count) {
        std::memcpy(to, mesh.data() + offset, count);
        return true;
    };
    pliant_asset *asset = nullptr;
    check(pliant_asset_load(context, &def, &asset));
    std::printf("%u body of %s\n", pliant_asset_get_counts(asset).bodies, path);
    pliant_asset_destroy(asset);
}

} // namespace

int main()
{
    const pliant_triangle a = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
    const pliant_triangle b = {{{0.25f, 0.25f, -1}, {0.25f, 0.25f, 1}, {2, 2, 1}}};
    try {
        pliant_context *context = nullptr;
        check(pliant_context_create(nullptr, &context));
        load(context);
#ifdef CONSUMER_HAS_GL
        pliant_volume_backend *backend = nullptr;
        if (pliant_gl_create(context, nullptr, &backend) == PLIANT_OK) {
            std::printf("%s\n", pliant_gl_get_renderer(backend));
        }
        pliant_gl_destroy(backend);
#endif
        pliant_context_destroy(context);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return pliant_triangle_overlap(&a, &b) ? 0 : 1;
}
