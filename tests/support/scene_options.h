/* Random options for a query of a scene. */
#ifndef PLIANT_TESTS_SCENE_OPTIONS_H
#define PLIANT_TESTS_SCENE_OPTIONS_H

#include "pliant/recording.h"
#include "pliant/scene.h"

/* Returns options with the defaults of all fields that the query does not use. */
pliant_scene_options scene_options_for(pliant_recorded_question query,
                                       const pliant_scene_options *options);

#endif
