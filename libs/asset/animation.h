/* Values of animation channels at a time. */
#ifndef PLI_ASSET_ANIMATION_H
#define PLI_ASSET_ANIMATION_H

#include "asset.h"

/* Where a time falls among keys. */
typedef struct pli_key_place {
    uint32_t key;    /* the last key at or before the time */
    double fraction; /* of the way to the next key, 0 to below 1 */
    double span;     /* seconds to the next key */
} pli_key_place;

pli_key_place pli_find_key(const pli_asset_channel *channel, double time);

/* The channel's `width` numbers at a place. A rotation comes out with length 1. */
void pli_channel_value(const pli_asset_channel *channel, pli_key_place place, double *value);

/* Makes a quaternion of length 1 of one of any length; the identity of none. */
void pli_normalise_rotation(double rotation[4]);

#endif
