/* The scenes of pliant-bench-cuda whose bodies are blended: the ring of figures, and people. */
#include "scenes.h"

#include "gallery/meshless/ring.h"
#include "lab/motions/asset_motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------ the ring */

static void move_ring(const bench_scene *scene, uint32_t step, float *numbers)
{
    const gallery_scene *ring = scene->own;
    for (uint32_t i = 0; i < scene->bodies; i++) {
        float *own = numbers + bench_scene_offset(scene, i);
        const bench_shape *shape = bench_scene_shape(scene, i);
        gallery_state(ring, i, 117 + step % 20, own, own + shape->modes); /* they touch */
    }
}

static void release_ring(bench_scene *scene)
{
    gallery_destroy(scene->own);
}

pliant_result bench_ring_create(pliant_context *context, uint32_t vertices, bench_scene *scene)
{
    gallery_settings settings = {.triangles = 2 * (vertices - 2), .seed = 1};
    gallery_scene *ring = gallery_create(ring_kind(RING_FEW_NODES, false), &settings);
    *scene = (bench_scene){.own = ring, .move = move_ring};
    if (ring == NULL) {
        return PLIANT_ERROR_OUT_OF_MEMORY;
    }
    scene->release = release_ring;
    pliant_result result = PLIANT_OK;
    for (uint32_t i = 0; i < ring->body_count && result == PLIANT_OK; i++) {
        result = bench_scene_add(context, &ring->bodies[i], ring->rest[i], &ring->models[i], scene);
    }
    if (result == PLIANT_OK) {
        bench_scene_set_bodies(scene, ring->body_count);
    }
    return result;
}

/* ------------------------------------------------------------ people */

static void move_people(const bench_scene *scene, uint32_t step, float *numbers)
{
    const bench_motion *motion = asset_motion_get(scene->own);
    uint32_t people = scene->bodies / scene->shape_count;
    uint32_t side = (uint32_t)ceil(sqrt((double)people));
    for (uint32_t i = 0; i < scene->bodies; i++) {
        uint32_t person = i / scene->shape_count, part = i % scene->shape_count;
        const bench_shape *shape = &scene->shapes[part];
        const bench_frame *frame = &motion->frames[(step + 5 * person) % motion->step_count];
        float *own = numbers + bench_scene_offset(scene, i);
        if (shape->modes > 0) {
            memcpy(own, frame->coordinates[part], shape->modes * sizeof *own);
        }
        memcpy(own + shape->modes, frame->transforms[part],
               12 * (size_t)shape->joints * sizeof *own);
        float *world = own + shape->modes + 12 * (size_t)shape->joints;
        memset(world, 0, 12 * sizeof *world);
        world[0] = world[5] = world[10] = 1.0f;
        world[3] = (float)(5.0 * (person % side)); /* half a metre apart */
        uint32_t row = person / side;
        world[11] = (float)(5.0 * row);
    }
}

static void release_people(bench_scene *scene)
{
    asset_motion_free(scene->own);
}

pliant_result bench_people_create(pliant_context *context, uint32_t people, bench_scene *scene)
{
    asset_motion *source = asset_motion_read("characters/dressed-person.glb", "walk", 1);
    *scene = (bench_scene){.own = source, .move = move_people};
    if (source == NULL) {
        return PLIANT_ERROR_STATE;
    }
    scene->release = release_people;
    const bench_motion *motion = asset_motion_get(source);
    pliant_result result = PLIANT_OK;
    for (uint32_t i = 0; i < motion->body_count && result == PLIANT_OK; i++) {
        result =
            bench_scene_add(context, &motion->meshes[i], motion->rest[i], motion->models[i], scene);
        scene->shapes[i].has_world = true;
    }
    if (result == PLIANT_OK) {
        bench_scene_set_bodies(scene, people * motion->body_count);
    }
    return result;
}
