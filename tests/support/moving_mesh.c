#include "moving_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assert_ok.h"

void moving_mesh_read(moving_mesh *m, const pliant_body *body, int end)
{
    free(m->at[end]);
    m->at[end] = malloc(3 * (size_t)m->vertex_count * sizeof(float));
    assert_non_null(m->at[end]);
    assert_ok(pliant_body_evaluate(body, NULL, m->vertex_count, m->at[end]));
}

moving_mesh moving_mesh_begin(const subject *s)
{
    moving_mesh m = {.triangles = s->c.mesh.triangles,
                     .vertex_count = s->c.mesh.vertex_count,
                     .triangle_count = s->c.mesh.triangle_count};
    moving_mesh_read(&m, s->body, 0);
    moving_mesh_read(&m, s->body, 1);
    return m;
}

void moving_mesh_end(moving_mesh *m)
{
    free(m->at[0]);
    free(m->at[1]);
}

pliant_moving_triangle moving_mesh_triangle(const moving_mesh *m, uint32_t triangle)
{
    pliant_moving_triangle t;
    for (int c = 0; c < 3; c++) {
        size_t vertex = m->triangles[3 * (size_t)triangle + (size_t)c];
        memcpy(t.corner[c].start, m->at[0] + 3 * vertex, sizeof t.corner[c].start);
        memcpy(t.corner[c].end, m->at[1] + 3 * vertex, sizeof t.corner[c].end);
    }
    return t;
}

pliant_meeting_options approach_options(float distance)
{
    pliant_meeting_options options = pliant_meeting_options_default();
    options.distance = distance;
    return options;
}

bool meetings_agree(const pliant_meeting *a, const pliant_meeting *b)
{
    return a->kind == b->kind && a->a == b->a && a->b == b->b && a->time.low == b->time.low &&
           a->time.high == b->time.high;
}

bool meetings_are_ordered(const pliant_meetings *m)
{
    for (uint64_t i = 1; i < m->count; i++) {
        const pliant_meeting_time *a = &m->meetings[i - 1].time, *b = &m->meetings[i].time;
        bool pairs = m->pairs[i - 1].a < m->pairs[i].a ||
                     (m->pairs[i - 1].a == m->pairs[i].a && m->pairs[i - 1].b < m->pairs[i].b);
        bool same = a->low == a->high && b->low == b->high && a->low == b->low;
        if (a->low > b->high || (same && !pairs)) {
            return false;
        }
    }
    return true;
}

const pliant_meeting *meetings_find(const pliant_meetings *m, uint32_t a, uint32_t b)
{
    for (uint64_t i = 0; i < m->count; i++) {
        if (m->pairs[i].a == a && m->pairs[i].b == b) {
            return &m->meetings[i];
        }
    }
    return NULL;
}
