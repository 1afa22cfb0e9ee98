// Pliant from C++17: objects that destroy themselves, failures as exceptions, spans of your own
// structs, pairs by a lambda.
//
// Two waving sheets of 16 x 16 squares; one sinks through the other.
#include <pliant/pliant.hpp>

#include <cstdio>
#include <cstdint>
#include <vector>

namespace
{

struct Point {
    float x, y, z;
};

constexpr std::uint32_t side = 16;

std::vector<Point> sheet(float height, float slope)
{
    std::vector<Point> points;
    for (std::uint32_t i = 0; i <= side; i++) {
        for (std::uint32_t j = 0; j <= side; j++) {
            const float ridge = static_cast<float>(i % 4 < 2 ? i % 2 : 2 - i % 2);
            points.push_back(
                {static_cast<float>(j), static_cast<float>(i), height + slope * ridge});
        }
    }
    return points;
}

std::vector<std::uint32_t> sheet_triangles()
{
    std::vector<std::uint32_t> triangles;
    for (std::uint32_t i = 0; i < side; i++) {
        for (std::uint32_t j = 0; j < side; j++) {
            const std::uint32_t k = i * (side + 1) + j;
            triangles.insert(triangles.end(), {k, k + 1, k + side + 1});
            triangles.insert(triangles.end(), {k + 1, k + side + 2, k + side + 1});
        }
    }
    return triangles;
}

void run()
{
    const pliant::context context = pliant::context::create();
    pliant::shape_def def;
    const std::vector<Point> rest = sheet(0, 0);
    const std::vector<std::uint32_t> triangles = sheet_triangles();
    def.set_positions(rest);
    def.set_triangles(triangles);
    const pliant::shape shape = pliant::shape::create(context, def);
    const pliant::body floor = pliant::body::create(shape);
    const pliant::body sinking = pliant::body::create(shape);
    const pliant::query query = pliant::query::create(context);

    for (int step = 0; step < 4; step++) {
        std::uint64_t count = 0;
        sinking.set_positions(sheet(0.75F - 0.5F * static_cast<float>(step), 0.25F));
        query.collide(floor, sinking, pliant::collide_options(),
                      [&](const pliant::contacts &batch) { count += batch.pairs().size(); });
        std::printf("step %d: %llu pairs\n", step, static_cast<unsigned long long>(count));
    }
}

} // namespace

int main()
{
    try {
        run();
    } catch (const pliant::error &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
