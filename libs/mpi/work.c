/* How much work a question was for each body: counted, so that every run balances alike. */
#include "scene.h"

/* Nanoseconds that each of what is counted takes, about, on a machine of 2020 with AVX-512. Only
   their proportion counts. */
enum {
    NODE_TEST = 60,
    TRIANGLE_TEST = 60,
    NODE_REFRESH = 120,
    CLUSTER_REFRESH = 300,
    VERTEX_READ = 12,
    FEATURE_TEST = 100,
    BODY_UPDATE = 300,
    BODY_PAIR = 200
};

uint64_t pli_mpi_count_work(const pliant_scene_stats *stats)
{
    const pliant_stats *narrow = &stats->narrow;
    return NODE_TEST * narrow->nodes_tested + TRIANGLE_TEST * narrow->triangle_tests +
           NODE_REFRESH * narrow->nodes_refreshed + CLUSTER_REFRESH * narrow->clusters_refreshed +
           VERTEX_READ * narrow->vertices_read + FEATURE_TEST * narrow->feature_tests +
           (uint64_t)BODY_UPDATE * stats->bodies_updated +
           (uint64_t)BODY_PAIR * stats->pairs_narrow;
}

/* Of what a rank did, each body has its update, and a share of the rest by the pairs it was
   compared in. Weights follow slowly, since work goes up and down from step to step. */
void pli_mpi_spread_work(pliant_mpi_scene *scene)
{
    uint64_t pairs = 0, updates = (uint64_t)BODY_UPDATE * scene->own_count;
    uint32_t count = (uint32_t)(scene->slots.count / sizeof(pli_mpi_slot));
    for (uint32_t i = 0; i < count; i++) {
        const pli_mpi_slot *one = pli_mpi_slot_at(scene, i);
        pairs += one->body != NULL && one->from < 0 ? one->pairs : 0;
    }
    uint64_t rest = scene->work > updates ? scene->work - updates : 0;
    double per_pair = pairs > 0 ? (double)rest / (double)pairs : 0.0;
    for (uint32_t i = 0; i < count; i++) {
        pli_mpi_slot *one = pli_mpi_slot_at(scene, i);
        if (one->body != NULL && one->from < 0) {
            uint64_t now = BODY_UPDATE + (uint64_t)(per_pair * one->pairs);
            one->weight = one->weight <= 1 ? now : (one->weight + now) / 2;
        }
    }
}
