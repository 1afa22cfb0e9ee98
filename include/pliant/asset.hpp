/* Pliant for C++17: files, and fitting. For programs that link libpliant_asset. */
#ifndef PLIANT_ASSET_HPP
#define PLIANT_ASSET_HPP

#include "asset.h"
#include "cpp/body.hpp"
#include "cpp/callbacks.hpp"
#include "fit.h"

PLIANT_CPP_BEGIN

inline const char *asset_version() noexcept
{
    return pliant_asset_version();
}

/* Files of an object with size(path, &size) and read(path, offset, buffer, count), which return
   false where they cannot; it must live as long as the asset and its poses. */
template <class Object> pliant_files make_files(Object &object) noexcept
{
    pliant_files files = {};
    files.size = [](void *self, const char *path, std::uint64_t *size) noexcept {
        return static_cast<bool>(static_cast<Object *>(self)->size(path, size));
    };
    files.read = [](void *self, const char *path, std::uint64_t offset, void *buffer,
                    std::uint64_t count) noexcept {
        return static_cast<bool>(static_cast<Object *>(self)->read(path, offset, buffer, count));
    };
    files.user = detail::address_of(object);
    return files;
}

struct asset_def : pliant_asset_def {
    PLIANT_CPP_DEFAULTS(asset_def)
    void set_paths(span<const char *const> list)
    {
        paths = list.data();
        path_count = detail::count32(list.size());
    }
};

/* What is pointed to belongs to the asset; NULL where there is no such thing. */
class asset_ref : public reference<const pliant_asset>
{
  public:
    using reference::reference;
    pliant_asset_counts get_counts() const
    {
        return pliant_asset_get_counts(get());
    }
    const pliant_asset_mesh *get_mesh(std::uint32_t shape) const
    {
        return pliant_asset_get_mesh(get(), shape);
    }
    answer<shape_def> get_shape_def(std::uint32_t shape) const
    {
        return detail::ask<shape_def>(pliant_asset_get_shape_def, get(), shape);
    }
    const pliant_asset_body *get_body(std::uint32_t body) const
    {
        return pliant_asset_get_body(get(), body);
    }
    const pliant_asset_clip *get_clip(std::uint32_t clip) const
    {
        return pliant_asset_get_clip(get(), clip);
    }
    const char *get_note(std::uint32_t note) const
    {
        return pliant_asset_get_note(get(), note);
    }
};

class asset : public owner<asset_ref, pliant_asset, pliant_asset_destroy>
{
  public:
    using owner::owner;
    [[nodiscard]] static answer<asset> load(context_ref context, const pliant_asset_def &def)
    {
        return detail::make<asset>(pliant_asset_load, context.get(), &def);
    }
    /* One file, or one sequence. */
    [[nodiscard]] static answer<asset> load(context_ref context, const char *path)
    {
        asset_def def;
        def.set_paths(span<const char *const>(&path, 1));
        return load(context, def);
    }
};

class asset_pose_ref : public reference<pliant_asset_pose>
{
  public:
    using reference::reference;
    /* The rest pose: sample(). */
    answer<void> sample(std::uint32_t clip = PLIANT_ASSET_REST, double time = 0.0) const
    {
        return detail::call(pliant_asset_pose_sample, get(), clip, time);
    }
    pliant_asset_state get_state(std::uint32_t body) const
    {
        return pliant_asset_pose_get_state(get(), body);
    }
    answer<void> apply(std::uint32_t body, body_ref target) const
    {
        return detail::call(pliant_asset_pose_apply, get(), body, target.get());
    }
    /* Three numbers per vertex of the body's mesh, which the asset has. */
    answer<void> evaluate(asset_ref asset, std::uint32_t body, span<float> positions) const
    {
        const pliant_asset_body *found = asset.get_body(body);
        const pliant_asset_mesh *mesh = found == nullptr ? nullptr : asset.get_mesh(found->shape);
        return detail::call_if(mesh == nullptr ||
                                   detail::has_size("positions", positions.size(),
                                                    3 * std::uint64_t{mesh->vertex_count}),
                               pliant_asset_pose_evaluate, get(), body, positions.data());
    }
};

class asset_pose : public owner<asset_pose_ref, pliant_asset_pose, pliant_asset_pose_destroy>
{
  public:
    using owner::owner;
    [[nodiscard]] static answer<asset_pose> create(asset_ref asset)
    {
        return detail::make<asset_pose>(pliant_asset_pose_create, asset.get());
    }
};

/* How many bytes the file has; it is written, unless the span is empty. */
inline answer<std::uint64_t> asset_output_write(span<const pliant_asset_output> bodies,
                                                std::uint32_t frame_count, double frames_per_second,
                                                span<std::byte> buffer = {})
{
    return detail::ask<std::uint64_t>(pliant_asset_output_write, bodies.data(),
                                      detail::count32(bodies.size()), frame_count,
                                      frames_per_second, static_cast<void *>(detail::room(buffer)),
                                      static_cast<std::uint64_t>(buffer.size()));
}

struct fit_def : pliant_fit_def {
    PLIANT_CPP_DEFAULTS(fit_def)
    /* Three numbers per vertex, frame after frame. */
    void set_frames(span<const float> numbers, std::uint32_t count)
    {
        frames = numbers.data();
        frame_count = count;
        vertex_count = count == 0 ? 0 : detail::count32(numbers.size() / count / 3);
        frames_ = numbers;
    }

    /* Returns true if an array that the setter was given has the size that the counts demand. */
    bool has_sizes() const noexcept
    {
        return frames_.has_blocks("frames", frames, frame_count, vertex_count, 3, 0, 0);
    }

  private:
    detail::extent frames_;
};

class fit_ref : public reference<const pliant_fit>
{
  public:
    using reference::reference;
    const pliant_fit *operator->() const noexcept
    {
        return get();
    }
    const pliant_fit &operator*() const noexcept
    {
        return *get();
    }
};

class fit : public owner<fit_ref, const pliant_fit, pliant_fit_destroy>
{
  public:
    using owner::owner;
    [[nodiscard]] static answer<fit> create(context_ref context, const pliant_fit_def &def)
    {
        return detail::make<fit>(pliant_fit_create, context.get(), &def);
    }
    [[nodiscard]] static answer<fit> create(context_ref context, const fit_def &def)
    {
        if (!def.has_sizes()) {
            return detail::end<fit>(PLIANT_ERROR_ARGUMENT, fit(), detail::wrong_size);
        }
        return create(context, static_cast<const pliant_fit_def &>(def));
    }
};

PLIANT_CPP_END

#endif
