/* Clips of glTF files once their channels are known: steps of keys, several played as one. */
#ifndef PLI_ASSET_CLIPS_H
#define PLI_ASSET_CLIPS_H

#include "asset.h"

/* Finds key_count and key_step of a clip. */
void pli_clip_measure_keys(const pliant_asset *asset, pli_asset_clip *clip);

/* Makes one clip of those from `first` on. */
void pli_clips_join(pliant_asset *asset, size_t first, const char *name);

#endif
