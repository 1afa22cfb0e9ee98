#include "fields.h"

#include <stdlib.h>
#include <string.h>

#include "base/kernels.h"

/* The three numbers of a vertex go to their lanes. */
static void put_vertex(const float *from, uint32_t lane, float *block)
{
    for (uint32_t k = 0; k < 3; k++) {
        block[k * BASELINE_LANES + lane] = from[k];
    }
}

bool baseline_fields_create(const gallery_mesh *mesh, const gallery_model *model, pliant_isa cap,
                            baseline_fields *fields)
{
    uint32_t blocks = (mesh->vertex_count + BASELINE_LANES - 1) / BASELINE_LANES;
    size_t block_size = (size_t)3 * BASELINE_LANES * (1 + model->mode_count);
    pliant_isa isa = pli_isa_choose(cap);
    *fields = (baseline_fields){.vertex_count = mesh->vertex_count,
                                .block_count = blocks,
                                .mode_count = model->mode_count,
                                .placed = model->joint_count == 1};
    fields->evaluate = isa >= PLIANT_ISA_AVX512 ? baseline_evaluate_avx512
                       : isa >= PLIANT_ISA_AVX2 ? baseline_evaluate_avx2
                                                : baseline_evaluate_plain;
    fields->values = aligned_alloc(64, blocks * block_size * sizeof(float));
    if (fields->values == NULL) {
        return false;
    }
    memset(fields->values, 0, blocks * block_size * sizeof(float));
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        float *block = fields->values + v / BASELINE_LANES * block_size;
        uint32_t lane = v % BASELINE_LANES;
        put_vertex(mesh->positions + (size_t)3 * v, lane, block);
        for (uint32_t m = 0; m < model->mode_count; m++) {
            put_vertex(model->modes + 3 * ((size_t)m * mesh->vertex_count + v), lane,
                       block + (size_t)3 * BASELINE_LANES * (1 + m));
        }
    }
    return true;
}

void baseline_fields_free(baseline_fields *fields)
{
    free(fields->values);
    fields->values = NULL;
}

float *baseline_fields_positions(const baseline_fields *fields)
{
    return aligned_alloc(64, (size_t)3 * BASELINE_LANES * fields->block_count * sizeof(float));
}
