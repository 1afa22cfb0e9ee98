/* The states of a scene's bodies at all steps, for scenes that are simulated once when made. */
#ifndef GALLERY_MODAL_RECORD_H
#define GALLERY_MODAL_RECORD_H

#include "gallery/gallery.h"

typedef struct modal_record {
    uint32_t body_count, step_count; /* steps 0 to step_count - 1 */
    size_t *first;                   /* of each body, within a step's numbers */
    size_t length;                   /* of a step */
    float *numbers;                  /* per body: coordinates, then transforms */
} modal_record;

/* Makes room for a scene's models and steps. False without memory. */
bool modal_record_create(const gallery_scene *scene, modal_record *record);
void modal_record_free(modal_record *record);

/* Where a body's coordinates are kept; its transforms follow. */
float *modal_record_at(const modal_record *record, uint32_t body, uint32_t step);

/* Copies a state out: what gallery_kind.state does. */
void modal_record_read(const modal_record *record, const gallery_scene *scene, uint32_t body,
                       uint32_t step, float *coordinates, float *transforms);

/* For scene kinds whose `own` is a record: their destroy() and state(). */
void modal_record_destroy_own(gallery_scene *scene);
void modal_record_state(const gallery_scene *scene, uint32_t body, uint32_t step,
                        float *coordinates, float *transforms);

#endif
