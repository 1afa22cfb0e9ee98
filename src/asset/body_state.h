/* The state of a body in a pose, as a body takes it. */
#ifndef PLI_ASSET_BODY_STATE_H
#define PLI_ASSET_BODY_STATE_H

#include "pliant/asset.h"

/* Sets the whole state of a body, or, where that fails, nothing. */
pliant_result pli_body_take_state(pliant_body *body, const pliant_asset_state *state);

#endif
