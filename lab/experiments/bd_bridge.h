/* The second half of bd-bridge: fish that fall on it. */
#ifndef LAB_EXPERIMENTS_BD_BRIDGE_H
#define LAB_EXPERIMENTS_BD_BRIDGE_H

#include "lab/harness/bench.h"
#include "gallery/modal/models.h"

/* Lets fish fall on a bridge; false, with the reason in the report, when it fails. */
bool bd_bridge_drop_fish(const bench_settings *settings, const gallery_mesh *mesh,
                         const modal_animation *animation, bench_report *report);

#endif
