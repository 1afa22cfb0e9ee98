// Pliant from C++17: handles that destroy themselves, errors as exceptions, pairs by a callback.
//
// Two waving sheets of 16 x 16 squares; one sinks through the other.
#include <pliant/pliant.h>

#include <cstdio>
#include <cstdint>
#include <exception>
#include <memory>
#include <stdexcept>
#include <vector>

namespace
{

template <auto destroy> struct Destroy {
    template <class T> void operator()(T *object) const
    {
        destroy(object);
    }
};

using Context = std::unique_ptr<pliant_context, Destroy<pliant_context_destroy>>;
using Shape = std::unique_ptr<pliant_shape, Destroy<pliant_shape_destroy>>;
using Body = std::unique_ptr<pliant_body, Destroy<pliant_body_destroy>>;
using Query = std::unique_ptr<pliant_query, Destroy<pliant_query_destroy>>;

void check(pliant_result result)
{
    if (result != PLIANT_OK) {
        throw std::runtime_error(pliant_last_error());
    }
}

// Calls a create function and owns what it made.
template <class Handle, class Create, class... Arguments>
Handle make(Create create, Arguments... arguments)
{
    typename Handle::pointer object = nullptr;
    check(create(arguments..., &object));
    return Handle(object);
}

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

// Counts the pairs of one batch; the search goes on.
bool count_batch(void *user, const pliant_contacts *batch)
{
    *static_cast<std::uint64_t *>(user) += batch->count;
    return true;
}

void run()
{
    const Context context = make<Context>(pliant_context_create, nullptr);
    const std::vector<Point> rest = sheet(0, 0);
    const std::vector<std::uint32_t> triangles = sheet_triangles();

    pliant_shape_def def = pliant_shape_def_default();
    def.positions = &rest[0].x;
    def.vertex_count = static_cast<std::uint32_t>(rest.size());
    def.triangles = triangles.data();
    def.triangle_count = static_cast<std::uint32_t>(triangles.size() / 3);
    const Shape shape = make<Shape>(pliant_shape_create, context.get(), &def);
    const Body floor = make<Body>(pliant_body_create, shape.get(), nullptr);
    const Body sinking = make<Body>(pliant_body_create, shape.get(), nullptr);
    const Query query = make<Query>(pliant_query_create, context.get());

    std::uint64_t count = 0;
    pliant_collide_options options = pliant_collide_options_default();
    options.callback = count_batch;
    options.callback_user = &count;
    for (int step = 0; step < 4; step++) {
        const std::vector<Point> points = sheet(0.75F - 0.5F * static_cast<float>(step), 0.25F);
        check(pliant_body_set_positions(sinking.get(), &points[0].x, sizeof(Point)));
        count = 0;
        check(pliant_collide(query.get(), floor.get(), sinking.get(), &options, nullptr));
        std::printf("step %d: %llu pairs\n", step, static_cast<unsigned long long>(count));
    }
}

} // namespace

int main()
{
    try {
        run();
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
