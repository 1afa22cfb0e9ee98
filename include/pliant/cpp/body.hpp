/* Pliant for C++17: contexts, shapes and bodies, with what they are made of. */
#ifndef PLIANT_CPP_BODY_HPP
#define PLIANT_CPP_BODY_HPP

#include "../attach.h"
#include "../body.h"
#include "arrays.hpp"
#include "base.hpp"

PLIANT_CPP_BEGIN

struct context_def : pliant_context_def {
    PLIANT_CPP_DEFAULTS(context_def)
};

class context_ref : public reference<pliant_context>
{
  public:
    using reference::reference;
    std::uint32_t get_worker_count() const { return pliant_context_get_worker_count(get()); }
    pliant_isa get_isa() const { return pliant_context_get_isa(get()); }
    std::uint64_t get_memory() const { return pliant_context_get_memory(get()); }
};

class context : public owner<context_ref, pliant_context, pliant_context_destroy>
{
  public:
    using owner::owner;
    static answer<context> create(const pliant_context_def &def = context_def())
    {
        return detail::make<context>(pliant_context_create, &def);
    }
};

/* The arrays are copied when the shape is created, and must live until then. */
struct shape_def : pliant_shape_def {
    PLIANT_CPP_DEFAULTS(shape_def)

    void set_positions(points list)
    {
        positions = list.data();
        vertex_count = detail::count32(list.count());
        position_stride = list.stride();
    }
    void set_triangles(corners list)
    {
        triangles = list.data();
        triangle_count = detail::count32(list.count());
        triangle_stride = list.stride();
    }
    void set_triangles16(corners16 list)
    {
        triangles16 = list.data();
        triangle_count = detail::count32(list.count());
        triangle_stride = list.stride();
    }
    /* A group per triangle. */
    void set_groups(span<const std::uint16_t> list) { groups = list.data(); }
    /* `count` fields of a displacement per vertex each, vertex after vertex. */
    void set_modes(span<const float> numbers, std::uint32_t count)
    {
        modes = numbers.data();
        mode_count = count;
        mode_offsets = mode_vertices = nullptr;
        mode_stride = count == 0 ? 0 : numbers.size() / count * sizeof(float);
        mode_vertex_stride = 0;
    }
    /* Fields for some vertices only: see pliant_shape_def. One offset more than there are modes. */
    void set_sparse_modes(span<const float> numbers, span<const std::uint32_t> offsets,
                          span<const std::uint32_t> vertices)
    {
        modes = numbers.data();
        mode_count = offsets.empty() ? 0 : detail::count32(offsets.size() - 1);
        mode_offsets = offsets.data();
        mode_vertices = vertices.data();
        mode_vertex_stride = 0;
    }
    /* One offset more than there are vertices. */
    void set_influences(std::uint32_t joints, span<const std::uint32_t> offsets,
                        span<const std::uint32_t> joint_list, span<const float> weights)
    {
        joint_count = joints;
        influence_offsets = offsets.data();
        influence_joints = joint_list.data();
        influence_weights = weights.data();
    }
};

/* A shape that somebody owns: of a body, for example. */
class shape_ref : public reference<const pliant_shape>
{
  public:
    using reference::reference;
    void *get_user() const { return pliant_shape_get_user(get()); }
    std::uint32_t get_vertex_count() const { return pliant_shape_get_vertex_count(get()); }
    std::uint32_t get_triangle_count() const { return pliant_shape_get_triangle_count(get()); }
    std::uint32_t get_mode_count() const { return pliant_shape_get_mode_count(get()); }
    std::uint32_t get_joint_count() const { return pliant_shape_get_joint_count(get()); }
    pliant_bound_kind get_bound_kind() const { return pliant_shape_get_bound_kind(get()); }
    std::uint64_t get_memory() const { return pliant_shape_get_memory(get()); }
    bool is_closed() const { return pliant_shape_is_closed(get()); }

    struct triangle {
        std::uint32_t vertices[3];
    };
    answer<triangle> get_triangle(std::uint32_t index) const
    {
        triangle found = {};
        const pliant_result code = pliant_shape_get_triangle(get(), index, found.vertices);
        return detail::end<triangle>(code, std::move(found));
    }
    answer<std::uint16_t> get_group(std::uint32_t index) const
    {
        return detail::ask<std::uint16_t>(pliant_shape_get_group, get(), index);
    }
    answer<void> get_vertex_order(span<std::uint32_t> order) const
    {
        return detail::call_if(order.size() == get_vertex_count(), pliant_shape_get_vertex_order,
                               get(), order.data());
    }
    answer<pliant_shape_quality> get_quality() const
    {
        return detail::ask<pliant_shape_quality>(pliant_shape_get_quality, get());
    }

    /* How many there are; as many are written, unless the span is empty. */
    answer<std::uint32_t> get_proxies(span<pliant_proxy> proxies = {}) const
    {
        return detail::ask<std::uint32_t>(pliant_shape_get_proxies, get(), detail::room(proxies),
                                          detail::count32(proxies.size()));
    }
    answer<std::uint32_t> get_proxy_triangles(pliant_proxy proxy,
                                              span<std::uint32_t> triangles = {}) const
    {
        return detail::ask<std::uint32_t>(pliant_shape_get_proxy_triangles, get(), proxy,
                                          detail::room(triangles),
                                          detail::count32(triangles.size()));
    }
    answer<std::uint32_t> get_proxy_vertex(pliant_proxy proxy) const
    {
        return detail::ask<std::uint32_t>(pliant_shape_get_proxy_vertex, get(), proxy);
    }

    /* How many bytes the block has; it is written, unless the span is empty. */
    answer<std::uint64_t> write(span<std::byte> buffer = {}) const
    {
        return detail::ask<std::uint64_t>(pliant_shape_write, get(),
                                          static_cast<void *>(detail::room(buffer)),
                                          static_cast<std::uint64_t>(buffer.size()));
    }
    answer<void> validate() const { return detail::call(pliant_shape_validate, get()); }
};

class shape : public owner<shape_ref, pliant_shape, pliant_shape_destroy>
{
  public:
    using owner::owner;
    static answer<shape> create(context_ref context, const pliant_shape_def &def)
    {
        return detail::make<shape>(pliant_shape_create, context.get(), &def);
    }
    static answer<shape> read(context_ref context, span<const std::byte> block)
    {
        return detail::make<shape>(pliant_shape_read, context.get(),
                                   static_cast<const void *>(block.data()),
                                   static_cast<std::uint64_t>(block.size()));
    }
    /* The block is used where it lies, until release(user, data, size) is called. */
    static answer<shape> borrow(context_ref context, span<const std::byte> block,
                                pliant_block_release release = nullptr, void *user = nullptr)
    {
        return detail::make<shape>(pliant_shape_borrow, context.get(),
                                   static_cast<const void *>(block.data()),
                                   static_cast<std::uint64_t>(block.size()), release, user);
    }
    answer<void> set_user(void *user)
    {
        return detail::call(pliant_shape_set_user, const_cast<pliant_shape *>(get()), user);
    }
};

struct body_def : pliant_body_def {
    PLIANT_CPP_DEFAULTS(body_def)
};

/* All that a body may be given at once; the arrays must live until it is set. */
struct state : pliant_state {
    state() noexcept : pliant_state() {}

    /* As many points as the shape has vertices. */
    void set_positions(points list)
    {
        positions = list.data();
        position_stride = list.stride();
        shares_positions = false;
    }
    void share_positions(points list)
    {
        set_positions(list);
        shares_positions = true;
    }
    void set_coordinates(span<const float> list)
    {
        coordinates = list.data();
        coordinate_count = detail::count32(list.size());
    }
    void set_transforms(pliant::transforms list)
    {
        transforms = list.data();
        transform_count = detail::count32(list.count());
        transform_stride = list.stride();
    }
};

/* A body that somebody owns: one of a scene, for example. */
class body_ref : public reference<pliant_body>
{
  public:
    using reference::reference;
    answer<void> set_user(void *user) const
    {
        return detail::call(pliant_body_set_user, get(), user);
    }
    void *get_user() const { return pliant_body_get_user(get()); }
    shape_ref get_shape() const { return pliant_body_get_shape(get()); }
    answer<void> set_update(pliant_update update, std::uint32_t eager_levels = 0,
                            std::uint32_t lazy_levels = 1) const
    {
        return detail::call(pliant_body_set_update, get(), update, eager_levels, lazy_levels);
    }

    answer<void> set_coordinates(span<const float> coordinates) const
    {
        return detail::call(pliant_body_set_coordinates, get(), coordinates.data(),
                            detail::count32(coordinates.size()));
    }
    answer<void> set_transforms(transforms list) const
    {
        return detail::call(pliant_body_set_transforms, get(), list.data(),
                            detail::count32(list.count()), list.stride());
    }
    answer<void> set_matrices(matrices list) const
    {
        return detail::call(pliant_body_set_matrices, get(), list.data(),
                            detail::count32(list.count()), list.stride());
    }
    /* One transform of 12 numbers, or one matrix of 16. */
    answer<void> set_world(transforms one) const
    {
        return detail::call_if(one.count() == 1, pliant_body_set_world, get(), one.data());
    }
    answer<void> set_world_matrix(matrices one) const
    {
        return detail::call_if(one.count() == 1, pliant_body_set_world_matrix, get(), one.data());
    }
    answer<void> remove_world() const
    {
        return detail::call(pliant_body_set_world, get(), static_cast<const float *>(nullptr));
    }
    /* As many points as the shape has vertices. */
    answer<void> set_positions(points list) const
    {
        return detail::call_if(has_vertices(list), pliant_body_set_positions, get(), list.data(),
                               list.stride());
    }
    /* The points must stay as they are until the next set or share, or the body's end. */
    answer<void> share_positions(points list) const
    {
        return detail::call_if(has_vertices(list), pliant_body_share_positions, get(), list.data(),
                               list.stride());
    }
    answer<void> set_state(const pliant_state &state) const
    {
        return detail::call(pliant_body_set_state, get(), &state);
    }
    /* Pointers to the body's own numbers, until its state is set again. */
    answer<pliant_state> get_state() const
    {
        return detail::ask<pliant_state>(pliant_body_get_state, get());
    }
    answer<void> begin_step() const { return detail::call(pliant_body_begin_step, get()); }
    answer<void> end_step() const { return detail::call(pliant_body_end_step, get()); }

    /* Triangles are removed and vertices split; the body has a shape of its own from then on. */
    answer<void> tear(const pliant_tear &torn) const
    {
        return detail::call(pliant_body_tear, get(), &torn);
    }

    answer<pliant_box> get_bounds() const
    {
        return detail::ask<pliant_box>(pliant_body_get_bounds, get());
    }
    answer<void> prepare() const { return detail::call(pliant_body_prepare, get()); }
    /* Three numbers for each of these vertices. */
    answer<void> evaluate(span<const std::uint32_t> vertices, span<float> positions) const
    {
        return detail::call_if(positions.size() == 3 * vertices.size(), pliant_body_evaluate, get(),
                               vertices.data(), detail::count32(vertices.size()), positions.data());
    }
    /* Three numbers for each of the first vertices, as many as there is room for. */
    answer<void> evaluate(span<float> positions) const
    {
        return detail::call(pliant_body_evaluate, get(),
                            static_cast<const std::uint32_t *>(nullptr),
                            detail::count32(positions.size() / 3), positions.data());
    }
    answer<pliant_body_quality> get_quality() const
    {
        return detail::ask<pliant_body_quality>(pliant_body_get_quality, get());
    }
    pliant_body_memory get_memory() const { return pliant_body_get_memory(get()); }

  private:
    /* An empty name is for the library to refuse. */
    bool has_vertices(const points &list) const
    {
        return get() == nullptr || list.count() == get_shape().get_vertex_count();
    }
};

class body : public owner<body_ref, pliant_body, pliant_body_destroy>
{
  public:
    using owner::owner;
    static answer<body> create(shape_ref shape, const pliant_body_def &def = body_def())
    {
        return detail::make<body>(pliant_body_create, shape.get(), &def);
    }
};

struct attach_def : pliant_attach_def {
    PLIANT_CPP_DEFAULTS(attach_def)
    /* A radius per joint. */
    void set_joints(points list, span<const float> radii)
    {
        joint_positions = list.data();
        joint_radii = radii.data();
        joint_count = detail::count32(list.count() < radii.size() ? list.count() : radii.size());
        joint_stride = list.stride();
    }
    void set_positions(points list)
    {
        positions = list.data();
        vertex_count = detail::count32(list.count());
        position_stride = list.stride();
    }
};

/* How many influences there are. `offsets` has one more than there are vertices; the other two as
   many as there are influences. Without the three the influences are only counted. */
inline answer<std::uint64_t> attach_vertices(const pliant_attach_def &def,
                                             span<std::uint32_t> offsets = {},
                                             span<std::uint32_t> joints = {},
                                             span<float> weights = {})
{
    const bool agree = joints.size() == weights.size() &&
                       (joints.empty() || offsets.size() == std::uint64_t{def.vertex_count} + 1);
    if (!agree) {
        return detail::end<std::uint64_t>(PLIANT_ERROR_ARGUMENT, 0, detail::wrong_size);
    }
    return detail::ask<std::uint64_t>(pliant_attach_vertices, &def, detail::room(offsets),
                                      detail::room(joints), detail::room(weights),
                                      static_cast<std::uint64_t>(joints.size()));
}

/* The rows of (A | t). */
struct transform {
    float rows[12];
};

inline answer<transform> compute_joint_transform(xyz place, xyz displacement,
                                                 const float (&gradient)[9])
{
    transform found = {};
    const pliant_result code =
        pliant_compute_joint_transform(place.data(), displacement.data(), gradient, found.rows);
    return detail::end<transform>(code, std::move(found));
}

PLIANT_CPP_END

#endif
