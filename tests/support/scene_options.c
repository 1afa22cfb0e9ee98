#include "scene_options.h"

#include <string.h>

#include "base/error.h"

#include "scene/described.inl"

pliant_scene_options scene_options_for(pliant_recorded_question query,
                                       const pliant_scene_options *options)
{
    pliant_scene_options used = pliant_scene_options_default();
    used.filter_user = options->filter_user;
    used.callback_user = options->callback_user;
    for (size_t i = 0; i < sizeof scene_options_uses / sizeof scene_options_uses[0]; i++) {
        const pli_option *option = &scene_options_uses[i];
        if ((option->calls >> query & 1) != 0) {
            memcpy((char *)&used + option->offset, (const char *)options + option->offset,
                   option->size);
        }
    }
    return used;
}
