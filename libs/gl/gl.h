/* The inside of the OpenGL backend. */
#ifndef PLI_GL_GL_H
#define PLI_GL_GL_H

#include "pliant/backend.h"
#include "pliant/extend.h"
#include "pliant/gl.h"

#include <epoxy/egl.h>
#include <epoxy/gl.h>

/* What was current in the thread before a call. */
typedef struct pli_gl_saved {
    EGLDisplay display;
    EGLContext context;
    EGLSurface draw, read;
} pli_gl_saved;

typedef struct pli_gl {
    pliant_context *owner;
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
    PLIANT_ARRAY(uint32_t) read;  /* two pictures that are read back */
    PLIANT_ARRAY(uint8_t) layers; /* per pixel, towards the rays and along them */
    /* Lists. */
    GLuint list, counter, empty;
    size_t list_capacity; /* entries */
    /* The answer. */
    PLIANT_ARRAY(uint32_t) pixel;
    PLIANT_ARRAY(uint32_t) triangle;
    PLIANT_ARRAY(float) depth;
    size_t count;
} pli_gl;

/* Makes room for the answer, keeping what is there; false with an error. */
bool pli_gl_reserve(pli_gl *gl, size_t count);

/* Compiles a program; 0 with the driver's words as the error if it cannot. */
GLuint pli_gl_program(const char *vertex, const char *fragment);

/* stencil.c, lists.c: what each method needs, and how it draws. The context is current. */
pliant_result pli_gl_stencil_set_up(pli_gl *gl);
pliant_result pli_gl_stencil_cross(pli_gl *gl, const pliant_backend_triangles *triangles);
void pli_gl_stencil_tear_down(pli_gl *gl);
pliant_result pli_gl_lists_set_up(pli_gl *gl);
pliant_result pli_gl_lists_cross(pli_gl *gl, const pliant_backend_triangles *triangles);
void pli_gl_lists_tear_down(pli_gl *gl);

#endif
