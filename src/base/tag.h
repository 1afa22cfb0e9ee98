/*
 * The first word of every definition and options struct, its tag: a magic number that says which
 * struct it is, and how large the caller believes it to be. A struct that was not made by its
 * default function, or that a program has for another version, is refused before anything else of
 * it is read.
 *
 * Libraries beside the core have numbers of their own (libs/asset/error.h, libs/gl/gl.c).
 */
#ifndef PLI_BASE_TAG_H
#define PLI_BASE_TAG_H

#include "pliant/extend.h"

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
    PLI_MAGIC_pliant_distance_options = 0x505c, /* the three before are those of the libraries */
    PLI_MAGIC_pliant_contour_options,
    PLI_MAGIC_pliant_feature_options,
    PLI_MAGIC_pliant_scene_select,
    PLI_MAGIC_pliant_recording_options,
    PLI_MAGIC_pliant_draw_options,
    PLI_MAGIC_pliant_meeting_options,
    PLI_MAGIC_pliant_advance_options,
    PLI_MAGIC_pliant_volume_backend_def
};

/* The tag of a type. */
#define PLI_TAG(type) PLIANT_TAG(PLI_MAGIC_##type, type)

#endif
