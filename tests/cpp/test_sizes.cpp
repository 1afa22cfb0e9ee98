// Arrays that end where memory ends: a call that needs more of them fails and names the array. A
// call that reads on is a segmentation fault.
#include "check.hpp"

#include <pliant/asset.hpp>
#include <pliant/pliant.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <initializer_list>
#include <vector>

namespace
{

// Copies numbers to the end of a page; the page behind it cannot be read.
template <class T> pliant::span<const T> edge(std::initializer_list<T> numbers)
{
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void *pages =
        mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(pages != MAP_FAILED);
    auto *end = static_cast<unsigned char *>(pages) + page;
    CHECK(mprotect(end, page, PROT_NONE) == 0);
    unsigned char *begin = end - numbers.size() * sizeof(T);
    std::memcpy(begin, numbers.begin(), numbers.size() * sizeof(T));
    return {reinterpret_cast<const T *>(begin), numbers.size()};
}

using floats = std::initializer_list<float>;
using words = std::initializer_list<std::uint32_t>;

const std::vector<float> positions = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
const std::vector<std::uint32_t> triangles = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};

pliant::context context;

pliant::shape_def make_def()
{
    pliant::shape_def def;
    def.set_positions(positions);
    def.set_triangles(triangles);
    return def;
}

// Returns true if a call fails with exactly this sentence.
template <class Call> bool says(const char *sentence, Call call)
{
#ifdef PLIANT_RETURN_FAILURES
    auto returned = call();
    const bool is_same =
        returned.code() == PLIANT_ERROR_ARGUMENT && std::strcmp(returned.what(), sentence) == 0;
    if (!is_same) {
        std::fprintf(stderr, "says '%s'\n", returned.what());
    }
    return is_same;
#else
    try {
        (void)call();
    } catch (const pliant::error &failure) {
        const bool is_same =
            failure.code() == PLIANT_ERROR_ARGUMENT && std::strcmp(failure.what(), sentence) == 0;
        if (!is_same) {
            std::fprintf(stderr, "says '%s'\n", failure.what());
        }
        return is_same;
    }
    return false;
#endif
}

template <class Set> bool shape_says(const char *sentence, Set set)
{
    pliant::shape_def def = make_def();
    set(def);
    return says(sentence, [&] { return pliant::shape::create(context, def); });
}

template <class Set> void shape_accepts(Set set)
{
    pliant::shape_def def = make_def();
    set(def);
    CHECK(MUST(pliant::shape::create(context, def)));
}

void test_mesh()
{
    CHECK(shape_says("groups has 1 elements where 4 are needed",
                     [](pliant::shape_def &def) { def.set_groups(edge<std::uint16_t>({7})); }));
    CHECK(shape_says("groups has 5 elements where 4 are needed", [](pliant::shape_def &def) {
        def.set_groups(edge<std::uint16_t>({7, 7, 7, 7, 7}));
    }));
    shape_accepts([](pliant::shape_def &def) {
        def.set_groups(edge<std::uint16_t>({7, 0, 7, 0, 7, 0, 7}));
        def.group_stride = 4;
    });
    CHECK(shape_says("groups has 6 elements where 7 are needed", [](pliant::shape_def &def) {
        def.set_groups(edge<std::uint16_t>({7, 0, 7, 0, 7, 0}));
        def.group_stride = 4;
    }));
    CHECK(shape_says("positions has 10 elements where 12 are needed", [](pliant::shape_def &def) {
        def.set_positions(edge(floats{0, 0, 0, 1, 0, 0, 0, 1, 0, 5}));
        def.vertex_count = 4;
    }));
    CHECK(shape_says("positions has 13 elements where 12 are needed", [](pliant::shape_def &def) {
        def.set_positions(edge(floats{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 5}));
    }));
    CHECK(shape_says("positions has 12 elements where 36 are needed", [](pliant::shape_def &def) {
        def.set_positions(edge(floats{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}));
        def.vertex_count = 12;
    }));
    CHECK(shape_says("positions has 12 elements where 21 are needed", [](pliant::shape_def &def) {
        def.set_positions(edge(floats{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}));
        def.position_stride = 24;
    }));
    CHECK(shape_says("triangles has 4 elements where 3 are needed", [](pliant::shape_def &def) {
        def.set_triangles(edge(words{0, 1, 2, 0}));
    }));
    CHECK(shape_says("triangles16 has 3 elements where 6 are needed", [](pliant::shape_def &def) {
        def.triangles = nullptr;
        def.set_triangles16(edge<std::uint16_t>({0, 1, 2}));
        def.triangle_count = 2;
    }));
    // The first vertices and triangles of longer arrays; a stride whose bytes pass 64 bits.
    shape_accepts([](pliant::shape_def &def) {
        def.set_positions(edge(floats{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 5, 5, 5}));
        def.vertex_count = 4;
        def.triangle_count = 1;
    });
    // A stride of 0 is that of rows side by side.
    shape_accepts([](pliant::shape_def &def) {
        def.set_positions({positions.data(), 4});
        def.set_triangles({triangles.data(), 4});
    });
    CHECK(shape_says("positions has 9 elements where 12 are needed", [](pliant::shape_def &def) {
        def.set_positions({positions.data(), 3});
        def.vertex_count = 4;
    }));
    pliant::shape_def def = make_def();
    def.position_stride = static_cast<std::size_t>(-4);
    CHECK(!def.has_sizes());
    // A field that is set without a setter has an unknown size.
    const std::uint16_t groups[4] = {1, 2, 3, 4};
    def = make_def();
    def.set_groups(edge<std::uint16_t>({7}));
    def.groups = groups;
    CHECK(def.has_sizes());
}

void test_modes()
{
    CHECK(shape_says("modes has 7 elements where 12 are needed", [](pliant::shape_def &def) {
        def.set_modes(edge(floats{0, 0, 0, 0, 0, 0, 0}), 1);
    }));
    CHECK(shape_says("modes has 12 elements where 24 are needed", [](pliant::shape_def &def) {
        def.set_modes(edge(floats{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}), 2);
    }));
    CHECK(shape_says("modes has 14 elements where 12 are needed", [](pliant::shape_def &def) {
        def.set_modes(edge(floats{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}), 1);
    }));
    // Two fields vertex after vertex: x, y, z of one field, then of the other.
    const auto both =
        edge(floats{0, 0, 1, 0, 0, 2, 0, 0, 1, 0, 0, 2, 0, 0, 1, 0, 0, 2, 0, 0, 1, 0, 0, 2});
    shape_accepts([&](pliant::shape_def &def) {
        def.set_modes(both, 2);
        def.mode_vertex_stride = 24;
        def.mode_stride = 12;
    });
    CHECK(shape_says("modes has 24 elements where 45 are needed", [&](pliant::shape_def &def) {
        def.set_modes(both, 2);
        def.mode_vertex_stride = 24;
    }));
}

void test_sparse_modes()
{
    CHECK(shape_says("mode_vertices has 1 elements where 3 are needed", [](pliant::shape_def &def) {
        def.set_sparse_modes(edge(floats{1, 1, 1}), edge(words{0, 3}), edge(words{0}));
    }));
    CHECK(shape_says("modes has 3 elements where 9 are needed", [](pliant::shape_def &def) {
        def.set_sparse_modes(edge(floats{1, 1, 1}), edge(words{0, 3}), edge(words{0, 1, 2}));
    }));
    CHECK(shape_says("mode_offsets has 2 elements where 4 are needed", [](pliant::shape_def &def) {
        def.set_sparse_modes(edge(floats{1, 1, 1}), edge(words{0, 1}), edge(words{0}));
        def.mode_count = 3;
    }));
    // The first list reaches beyond the last one.
    CHECK(shape_says(
        "mode_vertices has 1 elements where 900000 are needed", [](pliant::shape_def &def) {
            def.set_sparse_modes(edge(floats{1, 1, 1}), edge(words{0, 900000, 1}), edge(words{0}));
        }));
    shape_accepts([](pliant::shape_def &def) {
        def.set_sparse_modes(edge(floats{1, 1, 1}), edge(words{0, 1}), edge(words{3}));
    });
}

void test_influences()
{
    CHECK(
        shape_says("influence_joints has 1 elements where 4 are needed", [](pliant::shape_def &d) {
            d.set_influences(1, edge(words{0, 1, 2, 3, 4}), edge(words{0}), edge(floats{1}));
        }));
    CHECK(shape_says("influence_weights has 1 elements where 4 are needed", [](pliant::shape_def
                                                                                   &d) {
        d.set_influences(1, edge(words{0, 1, 2, 3, 4}), edge(words{0, 0, 0, 0}), edge(floats{1}));
    }));
    CHECK(
        shape_says("influence_offsets has 2 elements where 5 are needed", [](pliant::shape_def &d) {
            d.set_influences(1, edge(words{0, 1}), edge(words{0}), edge(floats{1}));
        }));
    shape_accepts([](pliant::shape_def &d) {
        d.set_influences(1, edge(words{0, 1, 2, 3, 4}), edge(words{0, 0, 0, 0}),
                         edge(floats{1, 1, 1, 1}));
    });
}

void test_states()
{
    const pliant::shape shape = MUST(pliant::shape::create(context, make_def()));
    const pliant::body body = MUST(pliant::body::create(shape));
    const auto two = edge(floats{0, 0, 0, 1, 0, 0});
    CHECK(says("positions has 2 elements where 4 are needed", [&] {
        pliant::state state;
        state.set_positions(two);
        return body.set_state(state);
    }));
    CHECK(says("positions has 2 elements where 4 are needed", [&] {
        pliant::state state;
        state.share_positions(two);
        return body.set_state(state);
    }));
    CHECK(says("positions has 2 elements where 4 are needed",
               [&] { return body.share_positions(two); }));
    CHECK(says("positions has 13 elements where 12 are needed", [&] {
        return body.set_positions(edge(floats{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 5}));
    }));
    CHECK(says("transforms has 13 elements where 12 are needed", [&] {
        return body.set_transforms(edge(floats{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0}));
    }));
    pliant::state state;
    state.set_positions(positions);
    MUST(body.set_state(state));
    const pliant::scene scene = MUST(pliant::scene::create(context));
    const pliant_body_id id = MUST(scene.add(body));
    const pliant_scene_state states[] = {MUST(scene.make_state(id, state))};
    MUST(scene.set_states(states));
    CHECK(says("positions has 2 elements where 4 are needed", [&] {
        pliant::state fewer;
        fewer.set_positions(two);
        return scene.make_state(id, fewer);
    }));
    const pliant_state current = MUST(body.get_state());
    MUST(body.set_state(current));
}

struct xyz_struct {
    float x, y, z;
};
struct nested {
    xyz_struct position;
    xyz_struct normal;
    std::uint32_t colour;
};
struct derived : xyz_struct {
};
struct with_constructor {
    with_constructor(float x, float y, float z) : numbers{x, y, z}
    {
    }
    float numbers[3];
    double weight = 7;
};

template <class Vertex, class Make> void check_vertices(Make make)
{
    const pliant::shape shape = MUST(pliant::shape::create(context, make_def()));
    const pliant::body body = MUST(pliant::body::create(shape));
    std::vector<Vertex> vertices;
    for (std::size_t v = 0; v < 4; v++) {
        vertices.push_back(make(positions[3 * v], positions[3 * v + 1], 2 * positions[3 * v + 2]));
    }
    MUST(body.set_positions(vertices));
    float found[12];
    MUST(body.evaluate(pliant::span<float>(found, 12)));
    for (std::size_t i = 0; i < 12; i++) {
        CHECK(found[i] == (i % 3 == 2 ? 2 : 1) * positions[i]);
    }
}

// Plain structs of every kind that begin with three floats.
void test_elements()
{
    check_vertices<xyz_struct>([](float x, float y, float z) { return xyz_struct{x, y, z}; });
    check_vertices<nested>([](float x, float y, float z) {
        return nested{{x, y, z}, {9, 9, 9}, 9};
    });
    check_vertices<derived>([](float x, float y, float z) { return derived{{x, y, z}}; });
    check_vertices<with_constructor>(
        [](float x, float y, float z) { return with_constructor(x, y, z); });
}

void test_others()
{
    pliant::attach_def attached;
    attached.set_positions(positions);
    attached.set_joints(positions, edge(floats{1, 1}));
    CHECK(says("joint_radii has 2 elements where 4 are needed",
               [&] { return pliant::attach_vertices(attached); }));
    pliant::fit_def fitted;
    fitted.set_frames(edge(floats{0, 0, 0, 1, 0, 0, 5}), 2);
    CHECK(says("frames has 7 elements where 6 are needed",
               [&] { return pliant::fit::create(context, fitted); }));
}

} // namespace

int main()
{
    context = MUST(pliant::context::create());
    test_mesh();
    test_modes();
    test_sparse_modes();
    test_influences();
    test_states();
    test_elements();
    test_others();
    return 0;
}
