/* Pliant for C++17: contexts, shapes and bodies, with what they are made of. */
#ifndef PLIANT_CPP_BODY_HPP
#define PLIANT_CPP_BODY_HPP

#include "../attach.h"
#include "objects.hpp"

#include <limits>

PLIANT_CPP_BEGIN

class context_ref : public detail::context_calls
{
  public:
    using context_calls::context_calls;
};

class context : public owner<context_ref, pliant_context, pliant_context_destroy>
{
  public:
    using owner::owner;
    [[nodiscard]] static answer<context> create(const pliant_context_def &def = context_def())
    {
        return detail::make<context>(pliant_context_create, &def);
    }
};

/* The arrays are copied when the shape is created, and must live until then: temporary containers
   do not compile. Their sizes are compared with the counts when the shape is created; those of
   arrays that you set without a setter are not. */
struct shape_def : pliant_shape_def {
    PLIANT_CPP_DEFAULTS(shape_def)

    template <class Range, class = detail::if_temporary<Range>>
    void set_positions(Range &&) = delete;
    void set_positions(points list)
    {
        positions = list.data();
        vertex_count = detail::count32(list.count());
        position_stride = list.stride();
        arrays_.positions = list;
    }
    template <class Range, class = detail::if_temporary<Range>>
    void set_triangles(Range &&) = delete;
    void set_triangles(corners list)
    {
        arrays_.triangles = list;
        triangles = list.data();
        triangle_count = detail::count32(list.count());
        triangle_stride = list.stride();
    }
    template <class Range, class = detail::if_temporary<Range>>
    void set_triangles16(Range &&) = delete;
    void set_triangles16(corners16 list)
    {
        arrays_.triangles16 = list;
        triangles16 = list.data();
        triangle_count = detail::count32(list.count());
        triangle_stride = list.stride();
    }
    template <class Range, class = detail::if_temporary<Range>> void set_groups(Range &&) = delete;
    /* A group per triangle. */
    void set_groups(span<const std::uint16_t> list)
    {
        arrays_.groups = list;
        groups = list.data();
    }
    template <class Range, class = detail::if_temporary<Range>>
    void set_modes(Range &&, std::uint32_t) = delete;
    /* `count` fields of a displacement per vertex each, vertex after vertex. */
    void set_modes(span<const float> numbers, std::uint32_t count)
    {
        modes = numbers.data();
        mode_count = count;
        mode_offsets = mode_vertices = nullptr;
        mode_stride = mode_vertex_stride = 0;
        arrays_.modes = numbers;
    }
    template <class A, class B, class C, class = detail::if_temporary<A, B, C>>
    void set_sparse_modes(A &&, B &&, C &&) = delete;
    /* Fields for some vertices only: see pliant_shape_def. One offset more than there are modes. */
    void set_sparse_modes(span<const float> numbers, span<const std::uint32_t> offsets,
                          span<const std::uint32_t> vertices)
    {
        modes = numbers.data();
        mode_count = offsets.empty() ? 0 : detail::count32(offsets.size() - 1);
        mode_offsets = offsets.data();
        mode_vertices = vertices.data();
        mode_vertex_stride = 0;
        arrays_.modes = numbers;
        arrays_.mode_offsets = offsets;
        arrays_.mode_vertices = vertices;
    }
    template <class A, class B, class C, class = detail::if_temporary<A, B, C>>
    void set_influences(std::uint32_t, A &&, B &&, C &&) = delete;
    /* One offset more than there are vertices. */
    void set_influences(std::uint32_t joints, span<const std::uint32_t> offsets,
                        span<const std::uint32_t> joint_list, span<const float> weights)
    {
        joint_count = joints;
        influence_offsets = offsets.data();
        influence_joints = joint_list.data();
        influence_weights = weights.data();
        arrays_.influence_offsets = offsets;
        arrays_.influence_joints = joint_list;
        arrays_.influence_weights = weights;
    }

    /* Returns true if each array that a setter was given has the size that the counts demand. */
    bool has_sizes() const noexcept { return arrays_.have_sizes(*this); }

  private:
    detail::shape_def_arrays arrays_;
};

/* A shape that somebody owns: of a body, for example. */
class shape_ref : public detail::shape_calls
{
  public:
    using shape_calls::shape_calls;

    struct triangle {
        std::uint32_t vertices[3];
    };
    answer<triangle> get_triangle(std::uint32_t index) const
    {
        triangle found = {};
        const pliant_result code = pliant_shape_get_triangle(get(), index, found.vertices);
        return detail::end<triangle>(code, std::move(found));
    }
    answer<void> get_vertex_order(span<std::uint32_t> order) const
    {
        return detail::call_if(detail::has_size("order", order.size(), get_vertex_count()),
                               pliant_shape_get_vertex_order, get(), order.data());
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
    /* How many bytes the block has; it is written, unless the span is empty. */
    answer<std::uint64_t> write(span<std::byte> buffer = {}) const
    {
        return detail::ask<std::uint64_t>(pliant_shape_write, get(),
                                          static_cast<void *>(detail::room(buffer)),
                                          static_cast<std::uint64_t>(buffer.size()));
    }
};

class shape : public owner<shape_ref, pliant_shape, pliant_shape_destroy>
{
  public:
    using owner::owner;
    [[nodiscard]] static answer<shape> create(context_ref context, const pliant_shape_def &def)
    {
        return detail::make<shape>(pliant_shape_create, context.get(), &def);
    }
    [[nodiscard]] static answer<shape> create(context_ref context, const shape_def &def)
    {
        if (!def.has_sizes()) {
            return detail::end<shape>(PLIANT_ERROR_ARGUMENT, shape(), detail::wrong_size);
        }
        return create(context, static_cast<const pliant_shape_def &>(def));
    }
    [[nodiscard]] static answer<shape> read(context_ref context, span<const std::byte> block)
    {
        return detail::make<shape>(pliant_shape_read, context.get(),
                                   static_cast<const void *>(block.data()),
                                   static_cast<std::uint64_t>(block.size()));
    }
    /* The block is used where it lies, until release(user, data, size) is called. */
    [[nodiscard]] static answer<shape> borrow(context_ref context, span<const std::byte> block,
                                              pliant_block_release release = nullptr,
                                              void *user = nullptr)
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

constexpr float no_limit = std::numeric_limits<float>::infinity();

/* All that a body may be given at once; the arrays must live until it is set. */
struct state : pliant_state {
    state() noexcept : pliant_state() {}

    template <class Range, class = detail::if_temporary<Range>>
    void set_positions(Range &&) = delete;
    /* As many points as the shape has vertices. */
    void set_positions(points list)
    {
        positions = list.data();
        position_stride = list.stride();
        shares_positions = false;
        positions_ = list;
    }
    template <class Range, class = detail::if_temporary<Range>>
    void share_positions(Range &&) = delete;
    void share_positions(points list)
    {
        set_positions(list);
        shares_positions = true;
    }
    template <class Range, class = detail::if_temporary<Range>>
    void set_coordinates(Range &&) = delete;
    void set_coordinates(span<const float> list)
    {
        coordinates = list.data();
        coordinate_count = detail::count32(list.size());
    }
    template <class Range, class = detail::if_temporary<Range>>
    void set_transforms(Range &&) = delete;
    void set_transforms(pliant::transforms list)
    {
        transforms = list.data();
        transform_count = detail::count32(list.count());
        transform_stride = list.stride();
        transforms_ = list;
    }

    /* Returns true if each array that a setter was given has the size that the counts demand. */
    bool has_sizes(std::uint32_t vertex_count) const noexcept
    {
        return (positions_.data() == nullptr || positions_.data() != positions ||
                detail::has_size("positions", positions_, vertex_count)) &&
               (transforms_.data() != transforms || detail::is_whole("transforms", transforms_));
    }

  private:
    points positions_;
    pliant::transforms transforms_;
};

/* A body that somebody owns: one of a scene, for example. */
class body_ref : public detail::body_calls
{
  public:
    using body_calls::body_calls;
    shape_ref get_shape() const { return pliant_body_get_shape(get()); }

    /* One transform of 12 numbers, or one matrix of 16. */
    answer<void> set_world(transforms one) const
    {
        return detail::call_if(detail::has_size("world", one, 1), pliant_body_set_world, get(),
                               one.data());
    }
    answer<void> set_world_matrix(matrices one) const
    {
        return detail::call_if(detail::has_size("world_matrix", one, 1),
                               pliant_body_set_world_matrix, get(), one.data());
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
    template <class Range, class = detail::if_temporary<Range>>
    void share_positions(Range &&) const = delete;
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
    answer<void> set_state(const pliant::state &state) const
    {
        return detail::call_if(get() == nullptr || state.has_sizes(get_shape().get_vertex_count()),
                               pliant_body_set_state, get(), &state);
    }
    /* Three numbers for each of these vertices. */
    answer<void> evaluate(span<const std::uint32_t> vertices, span<float> positions) const
    {
        return detail::call_if(detail::has_size("positions", positions.size(), 3 * vertices.size()),
                               pliant_body_evaluate, get(), vertices.data(),
                               detail::count32(vertices.size()), positions.data());
    }
    /* Three numbers for each of the first vertices, as many as there is room for. */
    answer<void> evaluate(span<float> positions) const
    {
        return detail::call_if(
            detail::has_size("positions", positions.size(), positions.size() / 3 * 3),
            pliant_body_evaluate, get(), static_cast<const std::uint32_t *>(nullptr),
            detail::count32(positions.size() / 3), positions.data());
    }

  private:
    /* An empty name is for the library to refuse. */
    bool has_vertices(const points &list) const
    {
        return get() == nullptr ||
               detail::has_size("positions", list, get_shape().get_vertex_count());
    }
};

class body : public owner<body_ref, pliant_body, pliant_body_destroy>
{
  public:
    using owner::owner;
    [[nodiscard]] static answer<body> create(shape_ref shape,
                                             const pliant_body_def &def = body_def())
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
        joint_count = detail::count32(list.count());
        joint_stride = list.stride();
        arrays_.joint_positions = list;
        arrays_.joint_radii = radii;
    }
    void set_positions(points list)
    {
        positions = list.data();
        vertex_count = detail::count32(list.count());
        position_stride = list.stride();
        arrays_.positions = list;
    }

    /* Returns true if each array that a setter was given has the size that the counts demand. */
    bool has_sizes() const noexcept { return arrays_.have_sizes(*this); }

  private:
    detail::attach_def_arrays arrays_;
};

/* How many influences there are. `offsets` has one more than there are vertices; the other two as
   many as there are influences. Without the three the influences are only counted. */
inline answer<std::uint64_t> attach_vertices(const attach_def &def,
                                             span<std::uint32_t> offsets = {},
                                             span<std::uint32_t> joints = {},
                                             span<float> weights = {})
{
    const bool agree =
        def.has_sizes() && detail::has_size("weights", weights.size(), joints.size()) &&
        (joints.empty() ||
         detail::has_size("offsets", offsets.size(), std::uint64_t{def.vertex_count} + 1));
    if (!agree) {
        return detail::end<std::uint64_t>(PLIANT_ERROR_ARGUMENT, 0, detail::wrong_size);
    }
    return detail::ask<std::uint64_t>(
        pliant_attach_vertices, static_cast<const pliant_attach_def *>(&def), detail::room(offsets),
        detail::room(joints), detail::room(weights), static_cast<std::uint64_t>(joints.size()));
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
