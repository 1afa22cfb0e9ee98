// asset.hpp: a sequence that is loaded, posed and asked about; files that come from the program.
#include <pliant/asset.hpp>
#include <pliant/pliant.hpp>

#include "check.hpp"

#include <array>
#include <string_view>

namespace
{

// One file in memory.
struct memory_files {
    std::string_view text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    bool size(const char *path, std::uint64_t *size) const
    {
        *size = text.size();
        return std::string_view(path) == "a.obj";
    }
    bool read(const char *, std::uint64_t offset, void *buffer, std::uint64_t count) const
    {
        std::memcpy(buffer, text.data() + offset, count);
        return true;
    }
};

void test_sequence(const pliant::context &context, const char *path)
{
    pliant::asset asset = MUST(pliant::asset::load(context, path));
    CHECK(asset.get_counts().bodies >= 1 && asset.get_body(0) != nullptr);
    CHECK(asset.get_body(asset.get_counts().bodies) == nullptr && asset.get_note(99) == nullptr);
    pliant::shape shape = MUST(pliant::shape::create(context, MUST(asset.get_shape_def(0))));
    pliant::body body = MUST(pliant::body::create(shape));
    pliant::asset_pose pose = MUST(pliant::asset_pose::create(asset));
    asset.reset(); // the pose keeps it
    MUST(pose.sample(0, 1.0));
    MUST(pose.apply(0, body));
    CHECK(pose.get_state(0).position_count == shape.get_vertex_count());
    MUST(pose.sample());
}

void test_memory(const pliant::context &context)
{
    memory_files files;
    pliant::asset_def def;
    const char *const paths[1] = {"a.obj"};
    def.set_paths(paths);
    def.files = pliant::make_files(files);
    pliant::asset asset = MUST(pliant::asset::load(context, def));
    CHECK(asset.get_mesh(0)->vertex_count == 3 && asset.get_clip(0) == nullptr);
    pliant::asset_pose pose = MUST(pliant::asset_pose::create(asset));
    std::array<float, 9> positions;
    MUST(pose.evaluate(asset, 0, positions));
    CHECK(positions[3] == 1.0F);
    std::array<float, 6> few;
    CHECK(fails_with(PLIANT_ERROR_ARGUMENT, [&] { return pose.evaluate(asset, 0, few); }));
    CHECK(fails_with(PLIANT_ERROR_DATA, [&] { return pliant::asset::load(context, "no.obj"); }));

    pliant_asset_output output = {};
    output.name = "a";
    output.positions = positions.data();
    const std::uint32_t triangle[3] = {0, 1, 2};
    output.triangles = triangle;
    output.vertex_count = 3;
    output.triangle_count = 1;
    static std::array<std::byte, 1 << 14> buffer;
    const pliant::span<const pliant_asset_output> bodies(&output, 1);
    const std::uint64_t size = MUST(pliant::asset_output_write(bodies, 1, 30));
    CHECK(size > 0 && MUST(pliant::asset_output_write(bodies, 1, 30, buffer)) == size);
}

// Fails as it should where LAPACK is missing.
void test_fit(const pliant::context &context)
{
    const float frames[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 1, 0, 0, 0, 1, 0};
    pliant::fit_def def;
    def.set_frames(frames, 2);
    if (std::string_view(pliant::asset_version()).find("lapacke") == std::string_view::npos) {
        CHECK(fails_with(PLIANT_ERROR_STATE, [&] { return pliant::fit::create(context, def); }));
        return;
    }
    pliant::fit fit = MUST(pliant::fit::create(context, def));
    CHECK(fit->vertex_count == 3 && fit->mode_count == 1 && (*fit).frame_count == 2);
}

} // namespace

int main(int, char **arguments)
{
    pliant::context context = MUST(pliant::context::create());
    test_sequence(context, arguments[1]);
    test_memory(context);
    test_fit(context);
    return 0;
}
