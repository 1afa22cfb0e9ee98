#include "broad_run.h"

#include "gallery/numbers.h"

void broad_draw(broad_run *run)
{
    const swarm *s = &run->swarm;
    double speed = run->speed;
    gallery_random random = gallery_random_seed(run->seed, s->count);
    for (uint32_t i = 0; i < s->count; i++) {
        mover *m = &s->movers[i];
        for (int axis = 0; axis < 3; axis++) {
            m->centre[axis] = gallery_random_range(&random, 0.0, s->side);
            m->velocity[axis] = gallery_random_range(&random, -speed, speed);
            m->half[axis] = gallery_random_range(&random, 0.35, 0.65);
        }
    }
}

void broad_advance(broad_run *run)
{
    const swarm *s = &run->swarm;
    for (uint32_t i = 0; i < s->count; i++) {
        mover *m = &s->movers[i];
        for (int axis = 0; axis < 3; axis++) {
            m->centre[axis] += m->velocity[axis];
            bool outside = m->centre[axis] < 0.0 || m->centre[axis] > s->side;
            m->velocity[axis] = outside ? -m->velocity[axis] : m->velocity[axis];
        }
    }
}

void broad_write_boxes(broad_run *run)
{
    const swarm *s = &run->swarm;
    pliant_box *boxes = run->boxes;
    for (uint32_t i = 0; i < s->count; i++) {
        const mover *m = &s->movers[i];
        for (int axis = 0; axis < 3; axis++) {
            boxes[i].lower[axis] = (float)(m->centre[axis] - m->half[axis]);
            boxes[i].upper[axis] = (float)(m->centre[axis] + m->half[axis]);
        }
    }
}

uint64_t broad_mix_keys(uint64_t hash, const uint64_t *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ keys[i]) * 0xd6e8feb86659fd93u;
        hash ^= hash >> 32;
    }
    return hash + count;
}

void broad_take_times(broad_costs *costs, double *seconds, uint32_t steps)
{
    for (uint32_t i = 0; i < steps; i++) {
        costs->mean += seconds[i] / steps;
    }
    costs->seconds = bench_median(seconds, steps);
}
