// Every argument of every generated call with values that it cannot take: the call fails with a
// sentence that names the argument, and the objects answer as before. misuse.inl has the calls.
#include <pliant/pliant.hpp>

#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <regex>
#include <string>
#include <vector>

namespace
{

using floats = std::vector<float>;

const floats positions = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
const std::vector<std::uint32_t> triangles = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
const floats modes(12, 0.1F), ones(4, 1.0F);
const std::vector<std::uint32_t> joints(4, 0), offsets = {0, 1, 2, 3, 4};
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

pliant::shape make_shape(pliant::context_ref context, bool is_modal, bool is_skinned)
{
    pliant::shape_def def;
    def.set_positions(positions);
    def.set_triangles(triangles);
    def.proxy_triangles = 1;
    if (is_modal) {
        def.set_modes(modes, 1);
    }
    if (is_skinned) {
        def.set_influences(1, offsets, joints, ones);
    }
    return pliant::shape::create(context, def);
}

// Arguments that are right and wrong, by the names that interface/cpp_misuse.py has for them.
struct world {
    pliant::context context = pliant::context::create(), other_context = pliant::context::create();
    pliant::shape shape = make_shape(context, false, false);
    pliant::body a = pliant::body::create(shape), b = pliant::body::create(shape),
                 outside = pliant::body::create(shape), moved_from = pliant::body::create(shape),
                 foreign = pliant::body::create(make_shape(other_context, false, false)),
                 moved = pliant::body::create(make_shape(context, true, false)),
                 posed = pliant::body::create(make_shape(context, false, true)),
                 owner = std::move(moved_from);
    pliant::query query = pliant::query::create(context);
    pliant::contours contours = pliant::contours::create(context);
    pliant::volume volume = pliant::volume::create(context);
    pliant::scene scene = pliant::scene::create(context),
                  moved_from_scene = pliant::scene::create(context),
                  foreign_scene = pliant::scene::create(other_context),
                  scene_owner = std::move(moved_from_scene),
                  recorded = pliant::scene::create(context);
    pliant_body_id id = {}, stale = {99, 1};
    std::vector<pliant_body_id> ids, stale_ids;
    std::vector<pliant_body *> bodies, bodies_missing, bodies_foreign;
    pliant_ray ray = {{0.2F, 0.2F, -1}, {0, 0, 1}, 5}, bad_ray = {{0, 0, 0}, {0, 0, 1}, -1};
    std::vector<pliant_ray> rays = {ray, ray}, bad_rays = {ray, bad_ray};
    pliant_box box = {{-1, -1, -1}, {2, 2, 2}}, bad_box = {{2, 2, 2}, {-1, -1, -1}};
    pliant_proxy proxy = {}, no_proxy = {99, 1};
    floats numbers = {0.1F, 0.1F, 0.1F}, bad_numbers = {0.1F, nan, 0.1F};
    pliant::xyz point = numbers.data(), bad_point = bad_numbers.data();
    floats points = floats(6, 0.25F), bad_points = {0, 0, 0, 0, 0, nan},
           points_remainder = floats(7, 0.25F);
    floats coordinates = {0.5F}, long_coordinates = {0.5F, 0.5F}, bad_coordinates = {nan};
    floats transforms = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0},
           transforms_remainder = floats(13, 0.0F), bad_transforms = floats(12, nan);
    floats matrices = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1},
           matrices_remainder = floats(17, 0.0F), bad_matrices = floats(16, nan);
    std::vector<pliant_scene_state> states, bad_states;
    floats bad_positions = floats(12, nan);
    std::uint32_t no_triangle = 99;
    pliant_tear tear = {}, bad_tear = {};
    pliant::recording_options recording;
    std::vector<pliant_pair> touching;

    world()
    {
        bodies = {a.get(), b.get()};
        bodies_missing = {a.get(), nullptr};
        bodies_foreign = {a.get(), foreign.get()};
        for (pliant::body *body : {&a, &b}) {
            body->set_positions(positions);
            body->begin_step();
        }
        id = scene.add(a);
        ids = {id, scene.add(b)};
        stale_ids = {id, stale};
        states.resize(1);
        states[0].body = id;
        states[0].state.positions = positions.data();
        bad_states = states;
        bad_states[0].state.positions = bad_positions.data();
        shape.get_proxies(pliant::span<pliant_proxy>(&proxy, 1));
        bad_tear.removed = &no_triangle;
        bad_tear.removed_count = 1;
        recording.write = [](void *, const void *, std::uint64_t) { return true; };
        recorded.record(recording);
        touching = collide();
    }

    std::vector<pliant_pair> collide()
    {
        const pliant::contacts found = query.collide(a, b);
        return std::vector<pliant_pair>(found.pairs().begin(), found.pairs().end());
    }

    // Memory for results, which ends where the array does.
    template <class T> pliant::span<T> results(std::size_t count)
    {
        static std::vector<std::unique_ptr<T[]>> kept;
        kept.push_back(std::make_unique<T[]>(count));
        return {kept.back().get(), count};
    }
};

// The address of a temporary, which lives until the call has returned.
template <class T> const T *at(const T &value)
{
    return &value;
}

// Options with one field set.
template <class Options, class C, class T> Options with(Options options, T C::*field, T value)
{
    options.*field = value;
    return options;
}

int failures = 0;

void complain(const char *call, const char *text)
{
    std::fprintf(stderr, "%s: %s\n", call, text);
    failures++;
}

// Words of the library's own sentences about an argument.
bool names(const std::string &label, const std::string &sentence)
{
    static const std::map<std::string, std::string> words = {
        {"rays", "ray \\d"},
        {"points", "point \\d"},
        {"bodies", "body \\d"},
        {"id", "no body \\d"},
        {"states", "state \\d"},
        {"coordinates", "coordinate \\d"},
        {"transforms", "transform \\d"},
        {"matrices", "matrix \\d"},
        {"tear", "removed"},
    };
    const auto found = words.find(label);
    const std::string pattern =
        "\\b" + label + "\\b" + (found == words.end() ? "" : "|" + found->second);
    return std::regex_search(sentence, std::regex(pattern));
}

void refuse(world &w, const char *label, const char *call, const std::function<void()> &run)
{
    try {
        run();
        complain(call, "no error");
    } catch (const pliant::error &error) {
        if (!names(label, error.what())) {
            complain(call, error.what());
        }
    }
    const std::vector<pliant_pair> found = w.collide();
    if (found.size() != w.touching.size() || found.empty() ||
        std::memcmp(found.data(), w.touching.data(), found.size() * sizeof found[0]) != 0) {
        complain(call, "the bodies answer otherwise");
    }
}

void accept(const char *call, const std::function<void()> &run)
{
    try {
        run();
    } catch (const pliant::error &error) {
        complain(call, error.what());
    }
}

#define RIGHT(call)                                                                                \
    {                                                                                              \
        world w;                                                                                   \
        accept(#call, [&] { (void)(call); });                                                      \
    }
#define WRONG(label, call)                                                                         \
    {                                                                                              \
        world w;                                                                                   \
        refuse(w, label, #call, [&] { (void)(call); });                                            \
    }

} // namespace

int main()
{
#include "misuse.inl"
    return failures > 0;
}
