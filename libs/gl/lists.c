/*
 * One pass: every fragment takes the next place of a list and writes itself there. Order within the
 * list is the driver's affair; it is sorted by pixel and depth anyway.
 */
#include "gl.h"

static const char vertex_source[] =
    "#version 430 core\n"
    "layout(location = 0) in vec3 corner;\n"
    "uniform vec2 size;\n"
    "flat out int number;\n"
    "void main()\n"
    "{\n"
    "    number = gl_VertexID / 3;\n"
    "    gl_Position = vec4(corner.xy * 2.0 / size - 1.0, corner.z * 2.0 - 1.0, 1.0);\n"
    "}\n";

static const char fragment_source[] =
    "#version 430 core\n"
    "flat in int number;\n"
    "uniform uint columns;\n"
    "struct crossing { uint pixel; uint triangle; float depth; uint unused; };\n"
    "layout(std430, binding = 0) buffer counter_block { uint count; };\n"
    "layout(std430, binding = 1) buffer list_block { crossing list[]; };\n"
    "void main()\n"
    "{\n"
    "    uint at = atomicAdd(count, 1u);\n"
    "    if (at < uint(list.length())) {\n"
    "        list[at].pixel = uint(gl_FragCoord.y) * columns + uint(gl_FragCoord.x);\n"
    "        list[at].triangle = uint(number) << 1 | (gl_FrontFacing ? 1u : 0u);\n"
    "        list[at].depth = gl_FragCoord.z;\n"
    "    }\n"
    "}\n";

typedef struct list_entry {
    uint32_t pixel, triangle;
    float depth;
    uint32_t unused;
} list_entry;

enum { FIRST_CAPACITY = 1 << 17 };

static void make_list(pli_gl *gl, size_t capacity)
{
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, gl->list);
    glBufferData(GL_SHADER_STORAGE_BUFFER, (GLsizeiptr)(capacity * sizeof(list_entry)), NULL,
                 GL_STREAM_READ);
    gl->list_capacity = capacity;
}

pliant_result pli_gl_lists_set_up(pli_gl *gl)
{
    gl->program = pli_gl_program(vertex_source, fragment_source);
    if (gl->program == 0) {
        return PLIANT_ERROR_STATE;
    }
    gl->size_at = glGetUniformLocation(gl->program, "size");
    gl->columns_at = glGetUniformLocation(gl->program, "columns");
    glGenFramebuffers(1, &gl->empty);
    glGenBuffers(1, &gl->counter);
    glGenBuffers(1, &gl->list);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, gl->counter);
    glBufferData(GL_SHADER_STORAGE_BUFFER, sizeof(uint32_t), NULL, GL_DYNAMIC_READ);
    make_list(gl, FIRST_CAPACITY);
    return PLIANT_OK;
}

void pli_gl_lists_tear_down(pli_gl *gl)
{
    glDeleteBuffers(1, &gl->list);
    glDeleteBuffers(1, &gl->counter);
    glDeleteFramebuffers(1, &gl->empty);
}

static uint32_t draw(pli_gl *gl, const pliant_backend_triangles *triangles)
{
    const uint32_t zero = 0;
    uint32_t count = 0;
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, gl->counter);
    glBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, sizeof zero, &zero);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, gl->counter);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, gl->list);
    glDrawArrays(GL_TRIANGLES, 0, (GLsizei)(3 * triangles->count));
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, gl->counter);
    glGetBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, sizeof count, &count);
    return count;
}

pliant_result pli_gl_lists_cross(pli_gl *gl, const pliant_backend_triangles *triangles)
{
    glBindFramebuffer(GL_FRAMEBUFFER, gl->empty);
    glFramebufferParameteri(GL_FRAMEBUFFER, GL_FRAMEBUFFER_DEFAULT_WIDTH,
                            (GLint)triangles->columns);
    glFramebufferParameteri(GL_FRAMEBUFFER, GL_FRAMEBUFFER_DEFAULT_HEIGHT, (GLint)triangles->rows);
    glViewport(0, 0, (GLsizei)triangles->columns, (GLsizei)triangles->rows);
    glUseProgram(gl->program);
    glUniform2f(gl->size_at, (float)triangles->columns, (float)triangles->rows);
    glUniform1ui(gl->columns_at, triangles->columns);
    uint32_t count = draw(gl, triangles);
    if (count > gl->list_capacity) {
        make_list(gl, (size_t)count + count / 4);
        count = draw(gl, triangles);
    }
    if (count == 0) {
        return PLIANT_OK;
    }
    if (!pli_gl_reserve(gl, count)) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, gl->list);
    const list_entry *list =
        glMapBufferRange(GL_SHADER_STORAGE_BUFFER, 0,
                         (GLsizeiptr)((size_t)count * sizeof(list_entry)), GL_MAP_READ_BIT);
    if (list == NULL) {
        return pliant_fail(PLIANT_ERROR_STATE, "the list cannot be read");
    }
    for (uint32_t i = 0; i < count; i++) {
        gl->pixel.data[i] = list[i].pixel;
        gl->triangle.data[i] = list[i].triangle;
        gl->depth.data[i] = list[i].depth;
    }
    glUnmapBuffer(GL_SHADER_STORAGE_BUFFER);
    gl->count = count;
    return PLIANT_OK;
}
