#include "records.h"

#include <stdlib.h>
#include <string.h>

#include "base/kernels.h"
#include "bounds/vertex_kernels.h"

int other_sets(pliant_isa sets[3])
{
    int count = 0;
    for (int isa = PLIANT_ISA_BASELINE; isa <= PLIANT_ISA_AVX512; isa++) {
        if (pli_isa_choose((pliant_isa)isa) == (pliant_isa)isa) {
            sets[count++] = (pliant_isa)isa;
        }
    }
    return count;
}

recorded record_all(const gallery_mesh *mesh, const float *positions, fixture_tree tree,
                    pliant_isa isa)
{
    recorded r = {.context = fixture_context_with(isa, 1)};
    assert_int_equal(pliant_context_get_isa(r.context), isa);
    pliant_shape_def def = fixture_shape_def(mesh);
    def.partition = tree.partition;
    def.arity = tree.arity;
    def.leaf_size = tree.leaf_size;
    def.islands = PLIANT_ISLANDS_NEVER; /* clusters as full as can be, whatever the pieces */
    assert_ok(pliant_shape_create(r.context, &def, &r.shape));
    r.record = malloc(r.shape->cluster_count * sizeof(pli_cluster_record *));
    const pli_vertex_kernels *kernels = pli_kernels_for(isa)->vertex;
    pli_positions view = {positions, 12, mesh->vertex_count - 1};
    for (uint32_t c = 0; c < r.shape->cluster_count; c++) {
        const pli_cluster *cluster = &r.shape->clusters[c];
        size_t size = pli_cluster_record_size(cluster) + PLI_RECORD_SLACK;
        r.record[c] = aligned_alloc(64, (size + 63) / 64 * 64);
        memset(r.record[c], 0, size);
        r.record[c]->slots = cluster->slot_count;
        r.record[c]->stride = pli_padded_count(cluster->vertex_count);
        float sum[4];
        kernels->read_vertices(view, r.shape->cluster_vertices + cluster->first_vertex, r.record[c],
                               sum);
        kernels->bound_triangles(cluster, r.shape->slot_corners + 3 * cluster->first_slot,
                                 r.record[c]);
    }
    return r;
}

void recorded_free(recorded *r)
{
    for (uint32_t c = 0; c < r->shape->cluster_count; c++) {
        free(r->record[c]);
    }
    free(r->record);
    pliant_shape_destroy(r->shape);
    pliant_context_destroy(r->context);
}
