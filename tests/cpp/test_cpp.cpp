// pliant.hpp: objects, failures, spans and callbacks, and that its answers are those of C. Nothing
// in it allocates: this program has an operator new that ends it.
#include <pliant/pliant.hpp>

#include "check.hpp"

#include <array>
#include <cmath>
#include <string_view>

void *operator new(std::size_t)
{
    std::fputs("operator new was called\n", stderr);
    std::abort();
}

void operator delete(void *) noexcept
{
    std::abort();
}

void operator delete(void *, std::size_t) noexcept
{
    std::abort();
}

namespace
{

struct vertex {
    float x, y, z;
};

struct fat_vertex {
    vertex position;
    float colour[4];
};

using tetrahedron = std::array<vertex, 4>;

constexpr tetrahedron still = {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, 4}}};
constexpr tetrahedron apart = {{{0, 0, 6}, {4, 0, 6}, {0, 4, 6}, {1, 1, 5}}};
constexpr tetrahedron inside = {{{0, 0, 6}, {4, 0, 6}, {0, 4, 6}, {1, 1, 1}}};
constexpr std::uint64_t touching = 3; // faces of the tip of b, and one face of a
constexpr std::uint32_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};

pliant::shape_def make_def()
{
    pliant::shape_def def;
    def.set_positions(still);
    def.set_triangles(faces);
    return def;
}

// Two bodies of one shape; the tip of b is in a.
struct world {
    pliant::context context = MUST(pliant::context::create());
    pliant::shape shape = MUST(pliant::shape::create(context, make_def()));
    pliant::body a = MUST(pliant::body::create(shape));
    pliant::body b = MUST(pliant::body::create(shape));
    pliant::query query = MUST(pliant::query::create(context));

    world()
    {
        MUST(b.set_positions(inside));
    }
};

bool same(pliant::span<const pliant_pair> found, const pliant_contacts &expected)
{
    if (found.size() != expected.count) {
        return false;
    }
    for (std::size_t i = 0; i < found.size(); i++) {
        if (found[i].a != expected.pairs[i].a || found[i].b != expected.pairs[i].b) {
            return false;
        }
    }
    return true;
}

void test_objects()
{
    world w;
    CHECK(w.shape.get_vertex_count() == 4 && w.shape.get_triangle_count() == 4);
    CHECK(w.shape.is_closed() && w.a.get_shape() == w.shape && w.a != w.b);
    pliant::body moved = std::move(w.a);
    CHECK(moved && !w.a && w.a.get() == nullptr);
    CHECK(w.a.get_user() == nullptr && w.a.get_memory().bounds == 0);
    CHECK(fails_with(PLIANT_ERROR_ARGUMENT, [&] { return w.query.collide(w.a, w.b); }));
    CHECK(fails_with(PLIANT_ERROR_ARGUMENT, [&] { return w.a.set_positions(still); }));
    w.a = std::move(moved);
    CHECK(MUST(w.query.collide(w.a, w.b)).count > 0);
    pliant::body &self = w.a;
    w.a = std::move(self);
    CHECK(w.a);
    pliant_body *released = w.b.release();
    w.b.reset(released);
    CHECK(w.b.get() == released);
    MUST(w.shape.set_user(&w));
    MUST(w.b.set_user(&self));
    CHECK(w.b.get_shape().get_user() == &w && w.b.get_user() == &self);
    pliant::query empty;
    CHECK(empty.get_stats().pairs == 0 && w.query.get_stats().pairs > 0);
    CHECK(w.context.get_worker_count() == 1 && w.context.get_isa() != PLIANT_ISA_BEST);
}

void test_failures()
{
    world w;
    pliant::shape_def def = make_def();
    def.vertex_count = 3;
    CHECK(fails_with(PLIANT_ERROR_RANGE, [&] { return pliant::shape::create(w.context, def); }));
    tetrahedron broken = still;
    broken[2].y = NAN;
    CHECK(fails_with(PLIANT_ERROR_NOT_FINITE, [&] { return w.a.set_positions(broken); }));
    CHECK(std::string_view(pliant_last_error()).find("vertex 2") != std::string_view::npos);
    // Sizes that C cannot see.
    CHECK(fails_with(PLIANT_ERROR_ARGUMENT,
                     [&] { return w.a.set_positions(pliant::points(&still[0].x, 3)); }));
    std::array<std::uint32_t, 3> few;
    CHECK(fails_with(PLIANT_ERROR_ARGUMENT, [&] { return w.shape.get_vertex_order(few); }));
    std::array<float, 12> numbers;
    std::array<std::uint32_t, 3> vertices = {0, 1, 2};
    CHECK(fails_with(PLIANT_ERROR_ARGUMENT, [&] { return w.a.evaluate(vertices, numbers); }));
    MUST(w.a.evaluate(numbers));
    CHECK(numbers[3] == 4.0F && numbers[11] == 4.0F);
}

// Every way to hand over points gives the same body.
void test_points()
{
    world w;
    const pliant_box box = MUST(w.b.get_bounds());
    const auto agrees = [&](pliant::points list) {
        MUST(w.b.set_positions(list));
        const pliant_box found = MUST(w.b.get_bounds());
        return std::memcmp(&found, &box, sizeof box) == 0;
    };
    float flat[12], rows[4][3];
    std::array<fat_vertex, 4> fat = {};
    for (std::size_t i = 0; i < 4; i++) {
        std::memcpy(&flat[3 * i], &inside[i], 12);
        std::memcpy(rows[i], &inside[i], 12);
        fat[i].position = inside[i];
    }
    CHECK(agrees(inside) && agrees(flat) && agrees(rows) && agrees(fat));
    CHECK(agrees(pliant::span<const vertex>(inside)));
    CHECK(agrees(pliant::points(&fat[0].position.x, 4, sizeof(fat_vertex))));
    MUST(w.b.share_positions(fat));
    pliant::state state;
    state.share_positions(rows);
    MUST(w.b.set_state(state));
    CHECK(MUST(w.b.get_bounds()).upper[2] == box.upper[2]);
    const float turn[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 5};
    MUST(w.b.set_world(turn));
    CHECK(MUST(w.b.get_bounds()).upper[2] == box.upper[2] + 5.0F);
    const pliant_state has = MUST(w.b.get_state());
    CHECK(has.positions == rows[0] && has.shares_positions && has.world[11] == 5.0F);
    MUST(w.b.remove_world());
    CHECK(MUST(w.b.get_bounds()).upper[2] == box.upper[2]);
    CHECK(MUST(w.b.get_quality()).rebuilds == 0);
}

void test_collide()
{
    world w;
    pliant_contacts expected = {};
    pliant::collide_options options;
    options.segments = options.separations = true;
    pliant::query other = MUST(pliant::query::create(w.context));
    CHECK(pliant_collide(other.get(), w.a.get(), w.b.get(), &options, &expected) == PLIANT_OK);
    const pliant::contacts found = MUST(w.query.collide(w.a, w.b, options));
    CHECK(found.count == touching && found.complete && same(found.pairs(), expected));
    CHECK(found.segments().size() == found.count && found.separations().size() == found.count);
    CHECK(MUST(w.query.collide(w.a, w.b)).segments().empty());
    CHECK(MUST(w.query.collide_self(w.a)).pairs().empty());

    // Functions that say nothing, that stop, and that are asked for one body.
    std::uint64_t count = 0;
    MUST(w.query.collide(w.a, w.b, pliant::collide_options(),
                         [&](const pliant::contacts &batch) { count += batch.pairs().size(); }));
    CHECK(count == found.count);
    const auto stop = [](const pliant::contacts &) { return false; };
    CHECK(!MUST(w.query.collide(w.a, w.b, pliant::collide_options(), stop)).complete);
    options.neighbours = PLIANT_NEIGHBOURS_ALL;
    count = 0;
    MUST(w.query.collide_self(w.a, options, [&](const pliant::contacts &batch) {
        count += batch.count;
        return true;
    }));
    CHECK(count == 6);
}

#ifndef PLIANT_RETURN_FAILURES
// An exception leaves the call as it came, and everything works afterwards.
void test_exceptions()
{
    world w;
    bool caught = false;
    int calls = 0;
    try {
        w.query.collide(w.a, w.b, pliant::collide_options(), [&](const pliant::contacts &) {
            calls++;
            throw 17;
        });
    } catch (int thrown) {
        caught = thrown == 17;
    }
    CHECK(caught && calls == 1 && w.query.collide(w.a, w.b).count == touching);
    caught = false;
    try {
        w.query.visit_bounds(w.a, true, [](const pliant_bound &) { throw 18; });
    } catch (int thrown) {
        caught = thrown == 18;
    }
    CHECK(caught);
}
#endif

void test_questions()
{
    world w;
    const pliant_ray rays[2] = {{{1, 1, 9}, {0, 0, -1}, 20}, {{9, 9, 9}, {0, 0, 1}, 20}};
    std::array<pliant_ray_hit, 2> hits;
    MUST(w.query.raycast_many(w.a, rays, hits));
    const pliant_ray_hit first = MUST(w.query.raycast(w.a, rays[0]));
    CHECK(first.triangle == hits[0].triangle && first.t == hits[0].t && first.t == 7.0);
    CHECK(hits[1].triangle == PLIANT_NO_TRIANGLE);
    const pliant::ray_hits all = MUST(w.query.raycast_all(w.a, rays));
    CHECK(all.hits().size() == 2 && all.hits(0).size() == 2 && all.hits(1).empty());
    CHECK(fails_with(PLIANT_ERROR_ARGUMENT, [&] {
        return w.query.raycast_many(w.a, rays, pliant::span<pliant_ray_hit>(hits.data(), 1));
    }));

    const std::array<vertex, 2> asked = {{{0.5F, 0.5F, 0.5F}, {0, 0, 5}}};
    std::array<pliant_closest, 2> closest;
    std::array<pliant_signed_distance, 2> distances;
    MUST(w.query.find_closest_points(w.a, asked, closest));
    MUST(w.query.measure_distances(w.a, asked, distances));
    const pliant_closest one = MUST(w.query.find_closest_point(w.a, asked[1]));
    CHECK(one.distance == 1.0 && closest[1].distance == 1.0 && distances[1].distance == 1.0);
    CHECK(distances[0].side == -1 && distances[0].distance == -0.5);
    CHECK(MUST(w.query.overlap_box(w.a, {{-1, -1, -1}, {9, 9, 9}})).size() == 4);
    CHECK(MUST(w.query.overlap_box(w.a, {{8, 8, 8}, {9, 9, 9}})).empty());
    CHECK(MUST(w.query.find_within(w.a, w.b, 0)).pairs().size() == touching);
    CHECK(MUST(w.query.find_within_self(w.a, 1)).pairs().empty());
    CHECK(MUST(w.query.find_features(w.a, w.b, 1)).crossings().size() == touching);
    CHECK(MUST(w.query.find_features_self(w.a, 9)).pairs().size() ==
          MUST(w.query.find_features_self(w.a, 9)).count);

    std::uint32_t bounds = 0;
    MUST(w.query.visit_bounds(w.a, true, [&](const pliant_bound &bound) {
        bounds++;
        CHECK(bound.triangle_count == 4);
    }));
    CHECK(bounds > 0);
}

void test_steps()
{
    world w;
    MUST(w.b.set_positions(apart));
    MUST(w.b.begin_step());
    MUST(w.b.set_positions(inside));
    const pliant::meetings met = MUST(w.query.find_meetings(w.a, w.b));
    CHECK(met.count > 0 && met.pairs().size() == met.times().size());
    CHECK(met.times()[0].kind == PLIANT_MEETING_FACE_VERTEX);
    const std::uint64_t expected = met.count;
    std::uint64_t count = 0;
    const auto add = [&](const pliant::meetings &batch) { count += batch.times().size(); };
    MUST(w.query.find_meetings(w.a, w.b, pliant::meeting_options(), add));
    CHECK(count == expected);
    CHECK(MUST(w.query.find_meetings_self(w.b, pliant::meeting_options(), add)).count == 0);
    CHECK(MUST(w.query.find_meetings_self(w.b)).pairs().empty());
    const pliant_free_time free = MUST(w.query.find_free_time(w.a, w.b));
    CHECK(free.time > 0.0F && free.time < 1.0F);
    CHECK(MUST(w.query.find_free_time_self(w.b)).time == 1.0F);
    pliant_body *const bodies[2] = {w.a.get(), w.b.get()};
    const pliant_advance advance = MUST(w.query.advance_bodies(bodies));
    CHECK(advance.time > 0.0F && advance.time <= free.time);
    CHECK(MUST(w.query.collide(w.a, w.b)).count == 0);
    MUST(w.b.end_step());
}

void test_contours_and_volumes()
{
    world w;
    pliant::contours contours = MUST(pliant::contours::create(w.context));
    const pliant::contour_set set = MUST(contours.find(w.a, w.b));
    CHECK(set.contours().size() == 1 && set.regions().size() == 4);
    CHECK(set.points(set.contours()[0]).size() == set.points().size());
    CHECK(set.segments(set.contours()[0]).size() == set.segments().size());
    CHECK(!set.pieces().empty());
    CHECK(set.corners(set.pieces()[0]).size() == set.pieces()[0].corner_count);
    CHECK(MUST(contours.find_self(w.a)).contours().empty());
    CHECK(contours.get_stats().pairs == 0);

    pliant::volume volume = MUST(pliant::volume::create(w.context));
    pliant::volume_options options;
    options.gradients = options.spans = true;
    const pliant::volume_measure measure = MUST(volume.intersect(w.a, w.b, options));
    CHECK(measure.overlap && !measure.spans().empty() && !measure.vertices(1).empty());
    CHECK(std::fabs(MUST(volume.measure_body(w.a)).volume - 64.0 / 6.0) < 0.2);
    CHECK(!MUST(volume.intersect_self(w.a)).overlap);
    const std::array<vertex, 2> asked = {{{1, 1, 1}, {9, 9, 9}}};
    std::array<pliant_volume_point, 2> located;
    MUST(volume.locate_points(w.a, asked, located));
    CHECK(located[0].winding == 1 && located[1].winding == 0);
    CHECK(volume.get_memory() > 0 && volume.get_stats().images <= 1);
}

// A backend that sees no crossings: there is no volume.
void test_backend()
{
    world w;
    std::uint32_t calls = 0;
    const auto cross = [&](const pliant_backend_triangles *, pliant_backend_crossings *found) {
        calls++;
        *found = {};
        return PLIANT_OK;
    };
    pliant::volume_backend_def def;
    def.name = "blind";
    pliant::bind(def.cross, def.user, cross);
    pliant::volume_backend backend = MUST(pliant::volume_backend::create(w.context, def));
    CHECK(backend.get_user() == def.user);
    pliant::volume_def blind;
    blind.backend = backend.get();
    pliant::volume volume = MUST(pliant::volume::create(w.context, blind));
    CHECK(!MUST(volume.intersect(w.a, w.b)).overlap && calls > 0);
}

void test_scene()
{
    world w;
    pliant::scene scene = MUST(pliant::scene::create(w.context));
    pliant::member_def member;
    member.user = &w;
    const pliant_body_id a = MUST(scene.add(w.a, member)), b = MUST(scene.add(w.b));
    CHECK(scene.get_body_count() == 2 && scene.get_body(b) == w.b && scene.get_user(a) == &w);
    CHECK(scene.find_id(w.b)->index == b.index && !scene.find_id(pliant::body_ref()));
    CHECK(MUST(scene.get_member(a)).user == &w && !scene.get_body({7, 7}));
    std::uint32_t members = 0;
    for (pliant_body_id id = {}; scene.find_next(id);) {
        members++;
    }
    CHECK(members == 2);

    pliant::scene_options options;
    options.events = true;
    const pliant::scene_contacts found = MUST(scene.collide(options));
    CHECK(found.bodies().size() == 1 && found.undecided().empty());
    CHECK(same(found.pairs(found.bodies()[0]), MUST(w.query.collide(w.a, w.b))));
    CHECK(scene.get_events().size() == 1 && scene.get_stats().pairs_touching == 1);
    std::uint64_t count = 0;
    MUST(scene.collide(options,
                       [&](const pliant_scene_pair &bodies, const pliant::contacts &contacts) {
                           CHECK(bodies.user_a == &w);
                           count += contacts.pairs().size();
                       }));
    CHECK(count == touching);
    const auto nobody = [&](pliant_body_id first, pliant_body_id second) {
        return first.index == second.index;
    };
    pliant::bind(options.filter, options.filter_user, nobody);
    CHECK(MUST(scene.collide(options)).bodies().empty());
    CHECK(MUST(scene.find_within(0)).pairs().size() == touching);
    CHECK(MUST(scene.find_features(1)).crossings().pairs().size() == touching);
    CHECK(MUST(scene.collide_proxies()).bodies().size() == 1);

    const pliant_ray ray[1] = {{{1, 1, 9}, {0, 0, -1}, 20}};
    std::array<pliant_scene_ray_hit, 1> hit;
    std::array<bool, 1> blocked;
    MUST(scene.raycast(ray, hit));
    pliant::scene_select select;
    const auto only_a = [&](pliant_body_id id) { return id.index == a.index; };
    pliant::bind(select.filter, select.filter_user, only_a);
    MUST(scene.raycast_any(ray, blocked, &select));
    CHECK(hit[0].body.index == b.index && blocked[0]);
    CHECK(MUST(scene.raycast_all(ray, &select)).hits(0).size() == 2);
    const std::array<vertex, 1> asked = {{{0, 0, 5}}};
    std::array<pliant_scene_closest, 1> closest;
    std::array<pliant_scene_signed_distance, 1> distances;
    MUST(scene.find_closest_points(asked, closest, pliant::no_limit, &select));
    MUST(scene.measure_distances(asked, distances));
    CHECK(closest[0].closest.distance == 1.0 && distances[0].distance.side == 1);
    const pliant::scene_triangles boxed = MUST(scene.overlap_box({{-9, -9, -9}, {9, 9, 9}}));
    CHECK(boxed.triangles().size() == 8 && boxed.triangles(boxed.bodies()[1]).size() == 4);
    std::array<pliant_box, 1> box;
    MUST(scene.get_boxes(pliant::span<const pliant_body_id>(&b, 1), box));
    CHECK(box[0].upper[0] == MUST(scene.get_body(b).get_bounds()).upper[0]);
    CHECK(fails_with(PLIANT_ERROR_ARGUMENT, [&] { return scene.get_boxes({}, box); }));
    pliant::volume volume = MUST(pliant::volume::create(w.context));
    CHECK(MUST(volume.intersect_scene(scene)).pairs().size() == 1);

    MUST(scene.begin_step());
    pliant_scene_state states[1] = {};
    states[0].body = b;
    states[0].state.positions = &apart[0].x;
    MUST(scene.set_states(states));
    const pliant::scene_meetings met = MUST(scene.find_meetings());
    CHECK(met.bodies().size() == 1 && met.times(met.bodies()[0]).size() == met.pairs().size());
    CHECK(met.undecided().empty());
    const std::uint64_t expected = met.count;
    count = 0;
    MUST(scene.find_meetings(pliant::scene_options(),
                             [&](const pliant_scene_pair &bodies, const pliant::meetings &batch) {
                                 CHECK(bodies.user_a == &w);
                                 count += batch.pairs().size();
                             }));
    CHECK(count == expected && count > 0);
    pliant_scene_options kept = pliant::scene_options();
    kept.distance = 0.25F;
    CHECK(MUST(scene.find_meetings(kept)).count >= met.count);
    CHECK(MUST(scene.find_free_time(kept)).path.touches);
    CHECK(MUST(scene.find_free_time()).path.time == 0.0F); // they touch at the start
    MUST(w.b.begin_step());
    MUST(w.b.set_positions(inside));
    CHECK(MUST(scene.find_free_time()).path.time > 0.0F);
    CHECK(MUST(scene.advance_bodies()).time < 1.0F && MUST(scene.collide()).count == 0);
    CHECK(MUST(scene.advance_bodies(kept)).time <= 1.0F);
    MUST(scene.remove(b));
    MUST(scene.set_member(a, member));
    w.a.reset();
    CHECK(scene.get_body_count() == 0);
}

struct drawer {
    std::uint32_t triangles = 0, lines = 0;
    void draw_triangle(const pliant_draw_item &item, const pliant_triangle &)
    {
        CHECK(item.kind == PLIANT_DRAW_SURFACE || item.kind == PLIANT_DRAW_TOUCHING_TRIANGLE);
        triangles++;
    }
    void draw_line(const pliant_draw_item &, const float *, const float *)
    {
        lines++;
    }
};

void test_drawing_and_recording()
{
    world w;
    pliant::scene scene = MUST(pliant::scene::create(w.context));
    std::uint64_t bytes = 0;
    const auto write = [&](const void *, std::uint64_t size) {
        bytes += size;
        return true;
    };
    pliant::recording_options recording;
    pliant::bind(recording.write, recording.write_user, write);
    MUST(scene.record(recording));
    MUST(scene.add(w.a));
    MUST(scene.add(w.b));
    const pliant::scene_contacts found = MUST(scene.collide());
    CHECK(scene.is_recording());
    MUST(scene.stop_recording());
    CHECK(bytes > 100 && !scene.is_recording());

    drawer d;
    MUST(w.query.draw_body(w.a, d));
    CHECK(d.triangles == 4);
    MUST(scene.draw(d));
    CHECK(d.triangles == 12);
    d = {};
    MUST(scene.draw_contacts(found, d));
    CHECK(d.triangles > 0 && d.lines == 1);
    d = {};
    pliant::collide_options options;
    options.segments = true;
    MUST(pliant::draw_contacts(w.a, w.b, MUST(w.query.collide(w.a, w.b, options)), d));
    CHECK(d.lines > 0);
}

struct counting_allocator {
    std::int64_t held = 0;
    void *allocate(std::size_t size, std::size_t alignment)
    {
        held++;
        return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    }
    void release(void *memory, std::size_t, std::size_t)
    {
        held--;
        std::free(memory);
    }
};

struct counting_hooks {
    int depth = 0, stages = 0;
    void begin(pliant_stage, std::uint32_t)
    {
        depth++, stages++;
    }
    void end(pliant_stage, std::uint32_t)
    {
        depth--;
    }
};

void test_bound_for_longer()
{
    counting_allocator allocator;
    counting_hooks hooks;
    std::uint32_t sentences = 0;
    const auto log = [&](pliant_log_level, const char *) { sentences++; };
    const auto run = [](std::uint32_t count, auto piece) {
        for (std::uint32_t i = 0; i < count; i++) {
            piece(i, 0);
        }
    };
    {
        pliant::context_def def;
        def.allocator = pliant::make_allocator(allocator);
        def.scheduler = pliant::make_scheduler(run, 1);
        def.logger = pliant::make_logger(log);
        def.hooks = pliant::make_stage_hooks(hooks);
        pliant::context context = MUST(pliant::context::create(def));
        pliant::shape_def twice = make_def();
        const std::uint32_t same_faces[2][3] = {{0, 1, 2}, {0, 1, 2}};
        twice.set_triangles(same_faces);
        pliant::shape shape = MUST(pliant::shape::create(context, twice));
        CHECK(allocator.held > 0 && hooks.stages > 0 && hooks.depth == 0 && sentences > 0);
    }
    CHECK(allocator.held == 0);
}

void test_shapes()
{
    world w;
    alignas(64) static std::array<std::byte, 1 << 16> block;
    const std::uint64_t size = MUST(w.shape.write());
    CHECK(size <= block.size() && MUST(w.shape.write(block)) == size);
    const pliant::span<const std::byte> written(block.data(), size);
    pliant::shape copy = MUST(pliant::shape::read(w.context, written));
    int releases = 0;
    const auto release = [&](const void *, std::uint64_t) { releases++; };
    pliant_block_release function = nullptr;
    void *user = nullptr;
    pliant::bind(function, user, release);
    pliant::shape borrowed = MUST(pliant::shape::borrow(w.context, written, function, user));
    MUST(borrowed.validate());
    CHECK(MUST(copy.get_triangle(1)).vertices[2] == 3 && MUST(copy.get_group(0)) == 0);
    CHECK(MUST(copy.get_quality()).component_count == 1 && copy.get_memory() > 0);
    CHECK(MUST(copy.get_proxies()) == 0);
    borrowed.reset();
    CHECK(releases == 1);
    std::array<std::uint32_t, 4> order;
    MUST(copy.get_vertex_order(order));
    CHECK(order[0] + order[1] + order[2] + order[3] == 6);

    // Modes, influences and proxies.
    pliant::shape_def def = make_def();
    const std::uint16_t small_faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    const std::uint16_t groups[4] = {0, 1, 2, 3};
    float modes[24] = {};
    modes[2] = 1.0F;
    def.triangles = nullptr;
    def.set_triangles16(small_faces);
    def.set_groups(groups);
    def.set_modes(modes, 2);
    def.leaf_size = def.proxy_triangles = 1;
    pliant::shape reduced = MUST(pliant::shape::create(w.context, def));
    CHECK(reduced.get_mode_count() == 2 && MUST(reduced.get_group(3)) == 3);
    CHECK(MUST(reduced.get_proxies()) == 4);
    std::array<pliant_proxy, 4> proxies;
    MUST(reduced.get_proxies(proxies));
    CHECK(MUST(reduced.get_proxy_triangles(proxies[0])) == 1);
    CHECK(MUST(reduced.get_proxy_vertex(proxies[0])) < 4);
    pliant::body body = MUST(pliant::body::create(reduced));
    const float coordinates[2] = {2, 0};
    MUST(body.set_coordinates(coordinates));
    std::array<std::uint32_t, 1> vertex_0 = {0};
    std::array<float, 3> position;
    MUST(body.evaluate(vertex_0, position));
    CHECK(position[2] == 2.0F);
    const std::uint32_t mode_offsets[2] = {0, 1}, mode_vertices[1] = {0};
    def.set_sparse_modes(pliant::span<const float>(modes, 3), mode_offsets, mode_vertices);
    CHECK(MUST(pliant::shape::create(w.context, def)).get_mode_count() == 1);
}

void test_joints()
{
    world w;
    pliant::attach_def attach;
    const vertex joint[1] = {{1, 1, 1}};
    const float radius[1] = {20};
    attach.set_joints(joint, radius);
    attach.set_positions(still);
    CHECK(MUST(pliant::attach_vertices(attach)) == 4);
    std::array<std::uint32_t, 5> offsets;
    std::array<std::uint32_t, 4> joints;
    std::array<float, 4> weights;
    CHECK(MUST(pliant::attach_vertices(attach, offsets, joints, weights)) == 4);
    CHECK(fails_with(PLIANT_ERROR_ARGUMENT,
                     [&] { return pliant::attach_vertices(attach, joints, joints, weights); }));
    pliant::shape_def def = make_def();
    def.set_influences(1, offsets, joints, weights);
    pliant::shape skinned = MUST(pliant::shape::create(w.context, def));
    pliant::body body = MUST(pliant::body::create(skinned));
    const float gradient[9] = {};
    const std::array<pliant::transform, 1> pose = {
        MUST(pliant::compute_joint_transform(joint[0], vertex{3, 0, 0}, gradient))};
    MUST(body.set_transforms(pose));
    CHECK(MUST(body.get_bounds()).lower[0] <= 3.0F && MUST(body.get_bounds()).upper[0] >= 7.0F);
    const float matrix[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 2, 1};
    MUST(body.set_matrices(matrix));
    MUST(body.set_world_matrix(matrix));
    MUST(body.set_update(PLIANT_UPDATE_TOP_DOWN));
    MUST(body.prepare());
    CHECK(skinned.get_joint_count() == 1);
}

void test_exact()
{
    const pliant_triangle a = {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}};
    const pliant_triangle b = {{{1, 1, -1}, {1, 1, 1}, {2, 1, 1}}};
    CHECK(pliant::orient3d(still[0], still[1], still[2], still[3]) == 1);
    CHECK(pliant::triangle_overlap(a, b));
    CHECK(pliant::triangle_intersect(a, b).common == PLIANT_COMMON_SEGMENT);
    CHECK(pliant::triangle_separate(a, b).depth > 0.0F);
    CHECK(pliant::triangle_separate_towards(a, b, vertex{0, 0, 1}).depth == 1.0F);
    CHECK(*pliant::triangle_raycast(a, vertex{1, 1, 3}, vertex{0, 0, -1}, 9) == 3.0);
    CHECK(!pliant::triangle_raycast(a, vertex{9, 9, 3}, vertex{0, 0, -1}, 9));
    CHECK(pliant::triangle_compare_hits(a, b, vertex{1, 1, 3}, vertex{0, 0, -1}) == 1);
    CHECK(pliant::triangle_find_closest_point(a, vertex{1, 1, 3}).distance == 3.0);
    CHECK(pliant::triangle_measure_distance(a, b).distance == 0.0);
    const pliant_moving_point falling = {{1, 1, 1}, {1, 1, -1}};
    const pliant_moving_triangle face = {
        {{{0, 0, 0}, {0, 0, 0}}, {{4, 0, 0}, {4, 0, 0}}, {{0, 4, 0}, {0, 4, 0}}}};
    const std::optional<pliant_meeting_time> time = pliant::moving_point_meet(falling, face);
    CHECK(time && time->low <= 0.5 && time->high >= 0.5);
    CHECK(pliant::moving_triangle_meet(face, {{falling, falling, falling}})->kind ==
          PLIANT_MEETING_FACE_VERTEX);
    CHECK(pliant::moving_triangle_approach(face, {{falling, falling, falling}}, 0.5F)->time.low <
          0.5);
    CHECK(!pliant::moving_triangle_approach(
        face, {{{{1, 1, 9}, {1, 1, 8}}, {{1, 1, 9}, {1, 1, 8}}, {{1, 1, 9}, {1, 1, 8}}}}, 0.5F));
    const pliant_moving_edge edge = {{{{0, 0, 0}, {0, 0, 0}}, {{4, 0, 0}, {4, 0, 0}}}};
    const pliant_moving_edge far = {{{{0, 0, 9}, {0, 0, 9}}, {{0, 4, 9}, {0, 4, 9}}}};
    CHECK(!pliant::moving_edge_meet(edge, far));
    const pliant_moving_point above = {{1, 1, 2}, {1, 1, 1}};
    const pliant_moving_triangle low = {{above, above, above}};
    CHECK(!pliant::moving_triangle_approach(face, low, 0.5F));
    CHECK(pliant::moving_triangle_approach(face, low, 1.5F)->kind != PLIANT_MEETING_START);
    CHECK(std::string_view(pliant::get_name(PLIANT_ERROR_DATA)) == "PLIANT_ERROR_DATA");
    CHECK(std::string_view(pliant::get_name(PLIANT_ISA_PLAIN)) == "plain");
    CHECK(std::string_view(pliant::get_name(PLIANT_STAGE_SCENE_SORT)) == "scene sort");
    CHECK(pliant::version()[0] != '\0');
    const std::uint64_t words[2] = {1, 2};
    CHECK(pliant::make_groups(words).count == 128);
}

} // namespace

int main()
{
    test_objects();
    test_failures();
    test_points();
    test_collide();
#ifndef PLIANT_RETURN_FAILURES
    test_exceptions();
#endif
    test_questions();
    test_steps();
    test_contours_and_volumes();
    test_backend();
    test_scene();
    test_drawing_and_recording();
    test_bound_for_longer();
    test_shapes();
    test_joints();
    test_exact();
    return 0;
}
