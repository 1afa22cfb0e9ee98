/* A context without a window, and what both methods share. */
#include "gl.h"

#include "base/tag.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local pli_backend_error last_error;

const char *pliant_gl_last_error(void)
{
    return last_error.text;
}

const char *pliant_gl_version(void)
{
    return PLIANT_VERSION_TEXT " (epoxy egl)";
}

pliant_gl_def pliant_gl_def_default(void)
{
    pliant_gl_def def = {.method = PLIANT_GL_AUTO, .tag = PLI_TAG(pliant_gl_def)};
    return def;
}

pliant_result pli_gl_fail(pli_backend_error *error, pliant_result result, const char *text)
{
    snprintf(error->text, sizeof error->text, "%s", text);
    return result;
}

void *pli_gl_grow(void *array, size_t bytes, bool *done)
{
    void *grown = realloc(array, bytes);
    if (grown == NULL) {
        *done = false;
        return array;
    }
    return grown;
}

bool pli_gl_reserve(pli_gl *gl, size_t count)
{
    if (count <= gl->capacity) {
        return true;
    }
    size_t capacity = count < 1024 ? 1024 : count + count / 2;
    bool done = true;
    gl->pixel = pli_gl_grow(gl->pixel, capacity * sizeof *gl->pixel, &done);
    gl->triangle = pli_gl_grow(gl->triangle, capacity * sizeof *gl->triangle, &done);
    gl->depth = pli_gl_grow(gl->depth, capacity * sizeof *gl->depth, &done);
    gl->capacity = done ? capacity : gl->capacity;
    return done;
}

/* -------------------------------------------------------------- shaders */

static GLuint compile(GLenum kind, const char *source, pli_backend_error *error)
{
    GLuint shader = glCreateShader(kind);
    GLint done = GL_FALSE;
    glShaderSource(shader, 1, &source, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &done);
    if (done == GL_TRUE) {
        return shader;
    }
    glGetShaderInfoLog(shader, sizeof error->text, NULL, error->text);
    glDeleteShader(shader);
    return 0;
}

GLuint pli_gl_program(const char *vertex, const char *fragment, pli_backend_error *error)
{
    GLuint shaders[2] = {compile(GL_VERTEX_SHADER, vertex, error), 0};
    shaders[1] = shaders[0] != 0 ? compile(GL_FRAGMENT_SHADER, fragment, error) : 0;
    GLuint program = 0;
    if (shaders[1] != 0) {
        GLint done = GL_FALSE;
        program = glCreateProgram();
        glAttachShader(program, shaders[0]);
        glAttachShader(program, shaders[1]);
        glLinkProgram(program);
        glGetProgramiv(program, GL_LINK_STATUS, &done);
        if (done != GL_TRUE) {
            glGetProgramInfoLog(program, sizeof error->text, NULL, error->text);
            glDeleteProgram(program);
            program = 0;
        }
    }
    glDeleteShader(shaders[0]);
    glDeleteShader(shaders[1]);
    return program;
}

/* -------------------------------------------------------------- context */

static pli_gl_saved enter(const pli_gl *gl)
{
    pli_gl_saved saved = {eglGetCurrentDisplay(), eglGetCurrentContext(),
                          eglGetCurrentSurface(EGL_DRAW), eglGetCurrentSurface(EGL_READ)};
    eglMakeCurrent(gl->display, EGL_NO_SURFACE, EGL_NO_SURFACE, gl->context);
    return saved;
}

static void leave(const pli_gl *gl, const pli_gl_saved *saved)
{
    if (saved->context != EGL_NO_CONTEXT) {
        eglMakeCurrent(saved->display, saved->draw, saved->read, saved->context);
    } else {
        eglMakeCurrent(gl->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    }
}

/* A core context of at least a version. */
static EGLContext make_context(EGLDisplay display, int major, int minor)
{
    const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION,
                                 major,
                                 EGL_CONTEXT_MINOR_VERSION,
                                 minor,
                                 EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                 EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                 EGL_NONE};
    return eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
}

/* libepoxy ends the program where there is no libEGL. */
static bool has_egl(void)
{
    void *egl = dlopen("libEGL.so.1", RTLD_LAZY | RTLD_LOCAL);
    return egl != NULL && dlclose(egl) == 0;
}

static pliant_result open_display(pli_gl *gl)
{
    if (!has_egl()) {
        return pli_gl_fail(&last_error, PLIANT_ERROR_STATE, "libEGL.so.1 is not installed");
    }
    if (!epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless")) {
        return pli_gl_fail(&last_error, PLIANT_ERROR_STATE,
                           "EGL has no display without a window (EGL_MESA_platform_surfaceless)");
    }
    gl->display =
        eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (gl->display == EGL_NO_DISPLAY || !eglInitialize(gl->display, NULL, NULL) ||
        !eglBindAPI(EGL_OPENGL_API)) {
        return pli_gl_fail(&last_error, PLIANT_ERROR_STATE, "the EGL display cannot be opened");
    }
    return PLIANT_OK;
}

static pliant_result open_context(pli_gl *gl, pliant_gl_method method)
{
    gl->context = EGL_NO_CONTEXT;
    if (method != PLIANT_GL_STENCIL) {
        gl->context = make_context(gl->display, 4, 3);
        gl->method = PLIANT_GL_LISTS;
    }
    if (gl->context == EGL_NO_CONTEXT && method != PLIANT_GL_LISTS) {
        gl->context = make_context(gl->display, 3, 3);
        gl->method = PLIANT_GL_STENCIL;
    }
    return gl->context != EGL_NO_CONTEXT
               ? PLIANT_OK
               : pli_gl_fail(&last_error, PLIANT_ERROR_STATE,
                             method == PLIANT_GL_LISTS ? "there is no OpenGL 4.3"
                                                       : "there is no OpenGL 3.3");
}

/* ---------------------------------------------------------------- calls */

static void set_up_arrays(pli_gl *gl)
{
    glGenVertexArrays(1, &gl->array);
    glGenBuffers(1, &gl->vertices);
    glBindVertexArray(gl->array);
    glBindBuffer(GL_ARRAY_BUFFER, gl->vertices);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, NULL);
    glEnable(GL_DEPTH_CLAMP); /* nothing is lost at the near and far planes */
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &gl->largest);
    snprintf(gl->renderer, sizeof gl->renderer, "%s", (const char *)glGetString(GL_RENDERER));
}

static pliant_result cross(void *user, const pli_backend_triangles *triangles,
                           pli_backend_crossings *crossings, pli_backend_error *error)
{
    pli_gl *gl = user;
    pli_gl_saved saved = enter(gl);
    gl->count = 0;
    glBindBuffer(GL_ARRAY_BUFFER, gl->vertices);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(triangles->count * 9 * sizeof(float)),
                 triangles->corners, GL_STREAM_DRAW);
    pliant_result result = gl->method == PLIANT_GL_LISTS
                               ? pli_gl_lists_cross(gl, triangles, error)
                               : pli_gl_stencil_cross(gl, triangles, error);
    if (result == PLIANT_OK && glGetError() != GL_NO_ERROR) {
        result = pli_gl_fail(error, PLIANT_ERROR_STATE, "OpenGL reports an error");
    }
    leave(gl, &saved);
    *crossings = (pli_backend_crossings){gl->pixel, gl->depth, gl->triangle, gl->count};
    return result;
}

static void release(void *user)
{
    pli_gl *gl = user;
    pli_gl_saved saved = enter(gl);
    if (gl->method == PLIANT_GL_LISTS) {
        pli_gl_lists_tear_down(gl);
    } else {
        pli_gl_stencil_tear_down(gl);
    }
    glDeleteProgram(gl->program);
    glDeleteBuffers(1, &gl->vertices);
    glDeleteVertexArrays(1, &gl->array);
    leave(gl, &saved);
    /* The display is shared by all who use it in this process, so it stays open. */
    eglDestroyContext(gl->display, gl->context);
    free(gl->packed);
    free(gl->ids);
    free(gl->pixel);
    free(gl->triangle);
    free(gl->depth);
    free(gl);
}

pliant_result pliant_gl_create(const pliant_gl_def *def, pliant_volume_backend **backend)
{
    pliant_gl_def defaults = pliant_gl_def_default();
    def = def != NULL ? def : &defaults;
    if (!pli_tag_is_right(def->tag, PLI_TAG(pliant_gl_def), "pliant_gl_def", last_error.text,
                          sizeof last_error.text)) {
        return PLIANT_ERROR_ARGUMENT;
    }
    if (backend == NULL) {
        return pli_gl_fail(&last_error, PLIANT_ERROR_ARGUMENT, "backend is NULL");
    }
    if ((unsigned)def->method > PLIANT_GL_LISTS) {
        return pli_gl_fail(&last_error, PLIANT_ERROR_RANGE, "method: there is no such one");
    }
    pli_gl *gl = calloc(1, sizeof *gl);
    if (gl == NULL) {
        return pli_gl_fail(&last_error, PLIANT_ERROR_OUT_OF_MEMORY, "no memory");
    }
    pliant_result result = open_display(gl);
    result = result == PLIANT_OK ? open_context(gl, def->method) : result;
    if (result != PLIANT_OK) {
        free(gl);
        return result;
    }
    pli_gl_saved saved = enter(gl);
    set_up_arrays(gl);
    result = gl->method == PLIANT_GL_LISTS ? pli_gl_lists_set_up(gl, &last_error)
                                           : pli_gl_stencil_set_up(gl, &last_error);
    leave(gl, &saved);
    gl->backend = (struct pliant_volume_backend){
        .name = "OpenGL", .user = gl, .cross = cross, .users = 1, .release = release};
    if (result != PLIANT_OK) {
        pliant_gl_destroy(&gl->backend);
        return result;
    }
    *backend = &gl->backend;
    return PLIANT_OK;
}

void pliant_gl_destroy(pliant_volume_backend *backend)
{
    pli_backend_leave(backend);
}

const char *pliant_gl_get_renderer(const pliant_volume_backend *backend)
{
    return backend != NULL ? ((const pli_gl *)backend->user)->renderer : NULL;
}

pliant_gl_method pliant_gl_get_method(const pliant_volume_backend *backend)
{
    return backend != NULL ? ((const pli_gl *)backend->user)->method : PLIANT_GL_AUTO;
}
