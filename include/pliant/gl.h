/*
 * Pliant: layered depth images by OpenGL, in a library of its own (libpliant_gl). It draws without
 * a window, through EGL, in a context of its own; a context that is current in the calling thread
 * is current again after each call.
 *
 * The contract is that of pliant/volume.h. Crossings are found by the driver, so they may differ
 * from the processor's in the last bits and on rays that just touch an edge.
 */
#ifndef PLIANT_GL_H
#define PLIANT_GL_H

#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How images are drawn. */
typedef enum pliant_gl_method {
    /* Lists where OpenGL 4.3 is there, else stencil. */
    PLIANT_GL_AUTO = 0,
    /* Heidelberger, Teschner & Gross 2003: a pass per layer, counted by the stencil buffer; up to
       254 layers of each facing. Needs OpenGL 3.3. */
    PLIANT_GL_STENCIL,
    /* One pass in which fragments append themselves to a list. Needs OpenGL 4.3. */
    PLIANT_GL_LISTS
} pliant_gl_method;

typedef struct pliant_gl_def {
    uint32_t tag;            /* set by pliant_gl_def_default() */
    pliant_gl_method method; /* default PLIANT_GL_AUTO */
} pliant_gl_def;

PLIANT_DEFAULT(pliant_gl_def)

/*
 * Makes a backend for pliant_volume_def; `def` may be NULL for the defaults. Fails with
 * PLIANT_ERROR_STATE where there is no EGL display without a window or no such version of OpenGL.
 * One thread at a time may use a backend.
 */
PLIANT_API pliant_result pliant_gl_create(pliant_context *context, const pliant_gl_def *def,
                                          pliant_volume_backend **backend);

/* Destroys a backend. Volumes that use it keep it until they are destroyed. NULL is ignored. */
PLIANT_API void pliant_gl_destroy(pliant_volume_backend *backend);

/* What draws: the driver's own name. */
PLIANT_API const char *pliant_gl_get_renderer(const pliant_volume_backend *backend);

/* The method in use: never PLIANT_GL_AUTO. */
PLIANT_API pliant_gl_method pliant_gl_get_method(const pliant_volume_backend *backend);

/* The version of this library and how it draws: "0.1.0 (epoxy egl)". Never NULL. */
PLIANT_API const char *pliant_gl_version(void);

#ifdef __cplusplus
}
#endif

#endif
