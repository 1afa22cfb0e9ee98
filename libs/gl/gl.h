/* The inside of the OpenGL backend. */
#ifndef PLI_GL_GL_H
#define PLI_GL_GL_H

#include "pliant/gl.h"

#include "volume/backend.h"

#include <epoxy/egl.h>
#include <epoxy/gl.h>

/* What was current in the thread before a call. */
typedef struct pli_gl_saved {
    EGLDisplay display;
    EGLContext context;
    EGLSurface draw, read;
} pli_gl_saved;

typedef struct pli_gl {
    struct pliant_volume_backend backend;
    pliant_gl_method method;
    EGLDisplay display;
    EGLContext context;
    char renderer[128];
    GLint largest; /* side of a framebuffer */
    GLuint program, array, vertices;
    GLint size_at, columns_at, facing_at; /* uniforms */
    /* Stencil: a framebuffer of tiles. */
    GLuint framebuffer, depth_stencil, numbers;
    GLsizei width, height;
    uint32_t *packed, *ids; /* what was read back */
    size_t packed_capacity;
    /* Lists. */
    GLuint list, counter, empty;
    size_t list_capacity; /* entries */
    /* The answer. */
    uint32_t *pixel, *triangle;
    float *depth;
    size_t capacity, count;
} pli_gl;

/* Errors while drawing. */
pliant_result pli_gl_fail(pli_backend_error *error, pliant_result result, const char *text);

/* A larger array; without memory the same one, and *done is false. */
void *pli_gl_grow(void *array, size_t bytes, bool *done);

/* Makes room for the answer. */
bool pli_gl_reserve(pli_gl *gl, size_t count);

/* Compiles a program; 0 with the driver's words in `error` if it cannot. */
GLuint pli_gl_program(const char *vertex, const char *fragment, pli_backend_error *error);

/* stencil.c, lists.c: what each method needs, and how it draws. The context is current. */
pliant_result pli_gl_stencil_set_up(pli_gl *gl, pli_backend_error *error);
pliant_result pli_gl_stencil_cross(pli_gl *gl, const pli_backend_triangles *triangles,
                                   pli_backend_error *error);
void pli_gl_stencil_tear_down(pli_gl *gl);
pliant_result pli_gl_lists_set_up(pli_gl *gl, pli_backend_error *error);
pliant_result pli_gl_lists_cross(pli_gl *gl, const pli_backend_triangles *triangles,
                                 pli_backend_error *error);
void pli_gl_lists_tear_down(pli_gl *gl);

#endif
