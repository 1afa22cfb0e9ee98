/* Stands in for the glTF reader where jansson is absent. */
#include "asset.h"

pliant_result pli_read_gltf(pliant_asset *asset, pli_reader *reader, uint64_t size,
                            const char *path, bool clips_only)
{
    (void)asset;
    (void)size;
    (void)path;
    (void)clips_only;
    return pli_read_fail(reader, "glTF is not read: this build lacks jansson (libjansson-dev)");
}
