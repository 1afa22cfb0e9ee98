/* Clips of one file that move the nodes of others: each node is bound to the first that has its
 * name there, or its name without what stands before a ':'. */
#include "gltf.h"

#include <string.h>

static const char *plain_name(const char *name)
{
    const char *colon = strrchr(name, ':');
    return colon != NULL && colon[1] != '\0' ? colon + 1 : name;
}

static uint32_t find_namesake(const gltf_doc *doc, const char *name)
{
    for (size_t i = 0; i < doc->first_node; i++) {
        if (strcmp(doc->asset->nodes[i].name, name) == 0) {
            return (uint32_t)i;
        }
    }
    for (size_t i = 0; i < doc->first_node; i++) {
        if (strcmp(plain_name(doc->asset->nodes[i].name), plain_name(name)) == 0) {
            return (uint32_t)i;
        }
    }
    return PLI_NONE;
}

pliant_result pli_gltf_bind_node(gltf_doc *doc, uint32_t node, uint32_t *bound)
{
    if (doc->bound == NULL) {
        size_t count = json_array_size(doc->nodes);
        doc->bound = pli_memory_get(doc->memory, count, sizeof *doc->bound);
        if (doc->bound == NULL) {
            return pli_read_fail_memory(doc->reader);
        }
    }
    if (doc->bound[node] == 0) { /* not looked for yet; else 1 more than what was found */
        const char *name =
            json_string_value(json_object_get(json_array_get(doc->nodes, node), "name"));
        uint32_t found = name != NULL ? find_namesake(doc, name) : PLI_NONE;
        doc->bound[node] = found != PLI_NONE ? found + 1 : PLI_NONE;
        doc->bound_count += found != PLI_NONE ? 1 : 0;
        doc->unbound_count += found != PLI_NONE ? 0 : 1;
        if (found == PLI_NONE && doc->unbound_count <= 3) {
            size_t used = strlen(doc->unbound);
            snprintf(doc->unbound + used, sizeof doc->unbound - used, "%s'%s'",
                     used > 0 ? ", " : "", PLI_SHOW(name != NULL ? name : "without a name"));
        }
    }
    *bound = doc->bound[node] != PLI_NONE ? doc->bound[node] - 1 : PLI_NONE;
    return PLIANT_OK;
}

pliant_result pli_gltf_end_binding(gltf_doc *doc)
{
    if (!doc->is_bound) {
        return PLIANT_OK;
    }
    if (doc->bound_count == 0) {
        return pli_read_fail(doc->reader,
                             doc->unbound_count > 0
                                 ? "none of the %zu nodes that its clips move is in the files "
                                   "before it: %s"
                                 : "it has no clip that moves a node",
                             doc->unbound_count, doc->unbound);
    }
    if (doc->unbound_count > 0) {
        pli_note(doc->reader, "%zu of the %zu nodes that its clips move are not found: %s%s",
                 doc->unbound_count, doc->unbound_count + doc->bound_count, doc->unbound,
                 doc->unbound_count > 3 ? ", ..." : "");
    }
    pli_memory_drop(doc->memory, doc->bound);
    return PLIANT_OK;
}
