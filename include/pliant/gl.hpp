/* Pliant for C++17: layered depth images by OpenGL. For programs that link libpliant_gl. */
#ifndef PLIANT_GL_HPP
#define PLIANT_GL_HPP

#include "cpp/body.hpp"
#include "gl.h"

PLIANT_CPP_BEGIN

struct gl_def : pliant_gl_def {
    PLIANT_CPP_DEFAULTS(gl_def)
};

inline const char *gl_version() noexcept
{
    return pliant_gl_version();
}

/* What pliant::volume_def::backend takes, by get(). */
class gl_ref : public reference<pliant_volume_backend>
{
  public:
    using reference::reference;
    const char *get_renderer() const
    {
        return pliant_gl_get_renderer(get());
    }
    pliant_gl_method get_method() const
    {
        return pliant_gl_get_method(get());
    }
};

class gl : public owner<gl_ref, pliant_volume_backend, pliant_gl_destroy>
{
  public:
    using owner::owner;
    [[nodiscard]] static answer<gl> create(context_ref context, const pliant_gl_def &def = gl_def())
    {
        return detail::make<gl>(pliant_gl_create, context.get(), &def);
    }
};

PLIANT_CPP_END

#endif
