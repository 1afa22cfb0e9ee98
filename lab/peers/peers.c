#include "peers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate.h"

/* Which there are is decided by CMake; see CMakeLists.txt. */
static const peer_kind *const kinds[] = {&peer_plain,
#ifdef PEERS_EMBREE
                                         &peer_embree_refit,
                                         &peer_embree_low,
#endif
#ifdef PEERS_FCL
                                         &peer_fcl_collide,
                                         &peer_fcl_direct,
                                         &peer_fcl_obb,
#endif
#ifdef PEERS_BULLET
                                         &peer_bullet_gimpact,
                                         &peer_bullet_dbvt,
#endif
#ifdef PEERS_CGAL
                                         &peer_cgal,
#endif
#ifdef PEERS_ODE
                                         &peer_ode,
#endif
                                         NULL};

static const point_peer *const point_peers[] = {
#ifdef PEERS_EMBREE
    &point_peer_embree,
#endif
#ifdef PEERS_CGAL
    &point_peer_cgal,
#endif
    NULL};

const box_peer *peers_box(void)
{
#ifdef PEERS_BULLET
    return &box_peer_bullet;
#else
    return NULL;
#endif
}

uint32_t peers_point_count(void)
{
    return (uint32_t)(sizeof point_peers / sizeof point_peers[0]) - 1;
}

const point_peer *peers_point(uint32_t peer)
{
    return point_peers[peer];
}

const ray_peer *peers_rays(void)
{
#ifdef PEERS_EMBREE
    return &ray_peer_embree;
#else
    return NULL;
#endif
}

static const char missing[] = ""
#ifndef PEERS_EMBREE
                              " libembree-dev"
#endif
#ifndef PEERS_FCL
                              " libfcl-dev"
#endif
#ifndef PEERS_BULLET
                              " libbullet-dev"
#endif
#ifndef PEERS_CGAL
                              " libcgal-dev"
#endif
#ifndef PEERS_ODE
                              " libode-dev"
#endif
    ;

typedef struct peer {
    const peer_kind *kind;
    void *state;
    peer_evaluation *evaluation; /* NULL: bodies are given by their positions */
    bench_range ranges[BENCH_MAX_BODIES * (BENCH_MAX_BODIES - 1) / 2];
} peer;

static void destroy(void *state)
{
    peer *own = state;
    if (own != NULL) {
        if (own->state != NULL) {
            own->kind->destroy(own->state);
        }
        peer_evaluation_destroy(own->evaluation);
        free(own);
    }
}

static void *create(const bench_method *method, const bench_motion *motion,
                    const bench_settings *settings)
{
    (void)settings;
    peer *own = calloc(1, sizeof *own);
    if (own == NULL) {
        return NULL;
    }
    own->kind = kinds[method->variant];
    peer_body bodies[BENCH_MAX_BODIES];
    for (uint32_t i = 0; i < motion->body_count; i++) {
        const gallery_mesh *mesh = &motion->meshes[i];
        bodies[i] = (peer_body){.positions = mesh->positions,
                                .triangles = mesh->triangles,
                                .vertex_count = mesh->vertex_count,
                                .triangle_count = mesh->triangle_count};
    }
    peer_scene scene = {bodies, motion->body_count, motion->self};
    own->state = own->kind->create(&scene);
    bool done = own->state != NULL;
    if (done && motion->models[0] != NULL) {
        own->evaluation = peer_evaluation_create(motion);
        done = own->evaluation != NULL;
    }
    if (!done) {
        destroy(own);
        return NULL;
    }
    return own;
}

static bool step(void *state, const bench_frame *frame, bool first_only, bench_outcome *outcome)
{
    peer *own = state;
    peer_answer answer = {0};
    double start = bench_seconds();
    const float *const *positions = own->evaluation != NULL
                                        ? peer_evaluation_run(own->evaluation, frame)
                                        : (const float *const *)frame->world;
    if (!own->kind->update(own->state, positions)) {
        return false;
    }
    double updated = bench_seconds();
    if (!own->kind->query(own->state, first_only, &answer)) {
        return false;
    }
    double end = bench_seconds();
    outcome->update_seconds = updated - start;
    outcome->total_seconds = end - start;
    for (uint32_t i = 0; i < answer.range_count; i++) {
        const peer_range *range = &answer.ranges[i];
        own->ranges[i] = (bench_range){range->a, range->b, range->first, range->count};
    }
    outcome->pairs = answer.pairs;
    outcome->ranges = own->ranges;
    outcome->range_count = answer.range_count;
    return true;
}

#define PEER(i)                                                                                    \
    {                                                                                              \
        .variant = (i), .peer = true, .create = create, .step = step, .destroy = destroy           \
    }

/* Only their names differ, which are the adaptors'. */
static bench_method methods[PEERS_MAX] = {PEER(0), PEER(1), PEER(2), PEER(3), PEER(4),
                                          PEER(5), PEER(6), PEER(7), PEER(8), PEER(9)};

uint32_t peers_count(void)
{
    return sizeof kinds / sizeof kinds[0] - 1;
}

void peers_list_libraries(char *text, size_t capacity)
{
    const char *last = "";
    text[0] = '\0';
    for (uint32_t i = 0; i < peers_count(); i++) {
        const char *library = kinds[i]->library;
        size_t length = strlen(text);
        if (library != NULL && strcmp(library, last) != 0) {
            snprintf(text + length, capacity - length, "%s%s", length > 0 ? ", " : "", library);
            last = library;
        }
    }
}

const peer_kind *peers_kind(uint32_t index)
{
    return kinds[index];
}

const bench_method *peers_method(uint32_t index)
{
    methods[index].name = kinds[index]->name;
    return &methods[index];
}

const char *peers_missing_packages(void)
{
    return missing[0] == ' ' ? missing + 1 : missing;
}
