#include "record.h"

#include <stdlib.h>
#include <string.h>

bool modal_record_create(const gallery_scene *scene, modal_record *record)
{
    *record = (modal_record){.body_count = scene->body_count, .step_count = scene->steps + 1};
    record->first = malloc((scene->body_count + 1) * sizeof *record->first);
    if (record->first == NULL) {
        return false;
    }
    for (uint32_t body = 0; body < scene->body_count; body++) {
        record->first[body] = record->length;
        record->length +=
            scene->models[body].mode_count + 12 * (size_t)scene->models[body].joint_count;
    }
    record->numbers = calloc(record->length * record->step_count + 1, sizeof(float));
    if (record->numbers == NULL) {
        modal_record_free(record);
        return false;
    }
    return true;
}

void modal_record_free(modal_record *record)
{
    free(record->first);
    free(record->numbers);
    memset(record, 0, sizeof *record);
}

float *modal_record_at(const modal_record *record, uint32_t body, uint32_t step)
{
    return record->numbers + step * record->length + record->first[body];
}

void modal_record_read(const modal_record *record, const gallery_scene *scene, uint32_t body,
                       uint32_t step, float *coordinates, float *transforms)
{
    const gallery_model *model = &scene->models[body];
    const float *from = modal_record_at(record, body, step);
    memcpy(coordinates, from, model->mode_count * sizeof *from);
    memcpy(transforms, from + model->mode_count, 12 * (size_t)model->joint_count * sizeof *from);
}

void modal_record_destroy_own(gallery_scene *scene)
{
    if (scene->own != NULL) {
        modal_record_free(scene->own);
        free(scene->own);
    }
}

void modal_record_state(const gallery_scene *scene, uint32_t body, uint32_t step,
                        float *coordinates, float *transforms)
{
    modal_record_read(scene->own, scene, body, step, coordinates, transforms);
}
