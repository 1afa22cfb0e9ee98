/*
 * The first word of every definition and options struct, its tag: a magic number that says which
 * struct it is, and how large the caller believes it to be. A struct that was not made by its
 * default function, or by that of another version, is refused before anything else of it is read.
 *
 * This header needs nothing else of the library, so that libraries beside it can use it too.
 */
#ifndef PLI_BASE_TAG_H
#define PLI_BASE_TAG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The magic numbers. New ones go to the end: a number keeps its meaning from version to version. */
enum {
    PLI_MAGIC_pliant_context_def = 0x504c,
    PLI_MAGIC_pliant_shape_def,
    PLI_MAGIC_pliant_attach_def,
    PLI_MAGIC_pliant_body_def,
    PLI_MAGIC_pliant_collide_options,
    PLI_MAGIC_pliant_within_options,
    PLI_MAGIC_of_back_tracking, /* not in use any more */
    PLI_MAGIC_pliant_proxy_options,
    PLI_MAGIC_pliant_scene_def,
    PLI_MAGIC_pliant_member_def,
    PLI_MAGIC_pliant_scene_options,
    PLI_MAGIC_pliant_volume_def,
    PLI_MAGIC_pliant_volume_options,
    PLI_MAGIC_pliant_asset_def,
    PLI_MAGIC_pliant_fit_def,
    PLI_MAGIC_pliant_gl_def,
    PLI_MAGIC_pliant_distance_options,
    PLI_MAGIC_pliant_contour_options,
    PLI_MAGIC_pliant_feature_options,
    PLI_MAGIC_pliant_scene_select,
    PLI_MAGIC_pliant_recording_options,
    PLI_MAGIC_pliant_draw_options,
    PLI_MAGIC_pliant_meeting_options,
    PLI_MAGIC_pliant_advance_options
};

/* The tag of a type, whose size must fit 16 bits. */
#define PLI_TAG(type) ((uint32_t)PLI_MAGIC_##type << 16 | (uint16_t)sizeof(type))

/* Whether a tag is the one expected; if not, writes the sentence that says why. */
static inline bool pli_tag_is_right(uint32_t given, uint32_t expected, const char *type,
                                    char *sentence, size_t capacity)
{
    if (given == expected) {
        return true;
    }
    if (given >> 16 == expected >> 16) {
        snprintf(sentence, capacity,
                 "the %s given has %u bytes, that of this library %u: it was made for another "
                 "version",
                 type, (unsigned)(given & 0xffff), (unsigned)(expected & 0xffff));
    } else {
        snprintf(sentence, capacity,
                 "what was given is no %s of %u bytes: its first word is 0x%08x; start from "
                 "%s_default()",
                 type, (unsigned)(expected & 0xffff), (unsigned)given, type);
    }
    return false;
}

#endif
