/* A context without a window, and what both methods share. */
#include "gl.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* The magic number of its definition, from those of the project (src/base/error.h). */
enum { PLI_MAGIC_pliant_gl_def = 0x505b };

const char *pliant_gl_version(void)
{
    return PLIANT_VERSION_TEXT " (epoxy egl)";
}

PLIANT_DEFINE_DEFAULT(pliant_gl_def)
{
    pliant_gl_def def = {.method = PLIANT_GL_AUTO,
                         .tag = PLIANT_TAG(PLI_MAGIC_pliant_gl_def, pliant_gl_def)};
    return def;
}

/* --------------------------------------------------------------- memory */

bool pli_gl_reserve(pli_gl *gl, size_t count)
{
    return pliant_context_reserve_array(gl->owner, count, sizeof *gl->pixel.data,
                                        &gl->pixel.array) &&
           pliant_context_reserve_array(gl->owner, count, sizeof *gl->triangle.data,
                                        &gl->triangle.array) &&
           pliant_context_reserve_array(gl->owner, count, sizeof *gl->depth.data, &gl->depth.array);
}

static void release_arrays(pli_gl *gl)
{
    pliant_array *arrays[] = {&gl->read.array, &gl->layers.array, &gl->pixel.array,
                              &gl->triangle.array, &gl->depth.array};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        pliant_context_release_array(gl->owner, arrays[i]);
    }
}

/* -------------------------------------------------------------- shaders */

static GLuint compile(GLenum kind, const char *source)
{
    GLuint shader = glCreateShader(kind);
    GLint done = GL_FALSE;
    glShaderSource(shader, 1, &source, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &done);
    if (done == GL_TRUE) {
        return shader;
    }
    char words[256] = "";
    glGetShaderInfoLog(shader, sizeof words, NULL, words);
    pliant_fail(PLIANT_ERROR_STATE, words);
    glDeleteShader(shader);
    return 0;
}

GLuint pli_gl_program(const char *vertex, const char *fragment)
{
    GLuint shaders[2] = {compile(GL_VERTEX_SHADER, vertex), 0};
    shaders[1] = shaders[0] != 0 ? compile(GL_FRAGMENT_SHADER, fragment) : 0;
    GLuint program = 0;
    if (shaders[1] != 0) {
        GLint done = GL_FALSE;
        program = glCreateProgram();
        glAttachShader(program, shaders[0]);
        glAttachShader(program, shaders[1]);
        glLinkProgram(program);
        glGetProgramiv(program, GL_LINK_STATUS, &done);
        if (done != GL_TRUE) {
            char words[256] = "";
            glGetProgramInfoLog(program, sizeof words, NULL, words);
            pliant_fail(PLIANT_ERROR_STATE, words);
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
        return pliant_fail(PLIANT_ERROR_STATE, "libEGL.so.1 is not installed");
    }
    if (!epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless")) {
        return pliant_fail(PLIANT_ERROR_STATE,
                           "EGL has no display without a window (EGL_MESA_platform_surfaceless)");
    }
    gl->display =
        eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (gl->display == EGL_NO_DISPLAY || !eglInitialize(gl->display, NULL, NULL) ||
        !eglBindAPI(EGL_OPENGL_API)) {
        return pliant_fail(PLIANT_ERROR_STATE, "the EGL display cannot be opened");
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
               : pliant_fail(PLIANT_ERROR_STATE, method == PLIANT_GL_LISTS
                                                     ? "there is no OpenGL 4.3"
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

static pliant_result cross(void *user, const pliant_backend_triangles *triangles,
                           pliant_backend_crossings *crossings)
{
    pli_gl *gl = user;
    pli_gl_saved saved = enter(gl);
    gl->count = 0;
    glBindBuffer(GL_ARRAY_BUFFER, gl->vertices);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(triangles->count * 9 * sizeof(float)),
                 triangles->corners, GL_STREAM_DRAW);
    pliant_result result = gl->method == PLIANT_GL_LISTS ? pli_gl_lists_cross(gl, triangles)
                                                         : pli_gl_stencil_cross(gl, triangles);
    if (result == PLIANT_OK && glGetError() != GL_NO_ERROR) {
        result = pliant_fail(PLIANT_ERROR_STATE, "OpenGL reports an error");
    }
    leave(gl, &saved);
    *crossings =
        (pliant_backend_crossings){gl->pixel.data, gl->depth.data, gl->triangle.data, gl->count};
    return result;
}

static void free_gl(pli_gl *gl)
{
    pliant_context *owner = gl->owner;
    release_arrays(gl);
    pliant_context_release(owner, gl, sizeof *gl);
    pliant_context_leave(owner);
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
    free_gl(gl);
}

/* Makes a backend of what has a context of OpenGL; whatever happens, `gl` is in good hands. */
static pliant_result finish(pli_gl *gl, pliant_volume_backend **backend)
{
    pliant_volume_backend_def table = pliant_volume_backend_def_default();
    table.name = "OpenGL";
    table.user = gl;
    table.cross = cross;
    table.release = release;
    pli_gl_saved saved = enter(gl);
    set_up_arrays(gl);
    pliant_result result =
        gl->method == PLIANT_GL_LISTS ? pli_gl_lists_set_up(gl) : pli_gl_stencil_set_up(gl);
    leave(gl, &saved);
    if (result == PLIANT_OK) {
        result = pliant_volume_backend_create(gl->owner, &table, backend);
    }
    if (result != PLIANT_OK) {
        release(gl);
    }
    return result;
}

static pliant_result check_def(const pliant_gl_def *def)
{
    pliant_result result = pliant_check_tag(
        def->tag, PLIANT_TAG(PLI_MAGIC_pliant_gl_def, pliant_gl_def), "pliant_gl_def");
    if (result == PLIANT_OK && (unsigned)def->method > PLIANT_GL_LISTS) {
        result = pliant_fail(PLIANT_ERROR_RANGE, "method: there is no such one");
    }
    return result;
}

pliant_result pliant_gl_create(pliant_context *context, const pliant_gl_def *def,
                               pliant_volume_backend **backend)
{
    pliant_gl_def defaults = pliant_gl_def_default();
    def = def != NULL ? def : &defaults;
    if (context == NULL || backend == NULL) {
        return pliant_fail(PLIANT_ERROR_ARGUMENT, context == NULL
                                                      ? "pliant_gl_create: context is NULL"
                                                      : "pliant_gl_create: backend is NULL");
    }
    pliant_result result = check_def(def);
    result = result == PLIANT_OK ? pliant_context_join(context) : result;
    if (result != PLIANT_OK) {
        return result;
    }
    pli_gl *gl = pliant_context_allocate(context, sizeof *gl);
    if (gl == NULL) {
        pliant_context_leave(context);
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    *gl = (pli_gl){.owner = context};
    result = open_display(gl);
    result = result == PLIANT_OK ? open_context(gl, def->method) : result;
    if (result != PLIANT_OK) {
        free_gl(gl);
        return result;
    }
    return finish(gl, backend);
}

void pliant_gl_destroy(pliant_volume_backend *backend)
{
    pliant_volume_backend_destroy(backend);
}

const char *pliant_gl_get_renderer(const pliant_volume_backend *backend)
{
    const pli_gl *gl = pliant_volume_backend_get_user(backend);
    return gl != NULL ? gl->renderer : NULL;
}

pliant_gl_method pliant_gl_get_method(const pliant_volume_backend *backend)
{
    const pli_gl *gl = pliant_volume_backend_get_user(backend);
    return gl != NULL ? gl->method : PLIANT_GL_AUTO;
}
