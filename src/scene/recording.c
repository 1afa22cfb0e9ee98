/* Recording a scene: its beginning, its questions, its end. */
#include "recording.h"

#include "base/clock.h"

#include <stdio.h>
#include <string.h>

PLIANT_DEFINE_DEFAULT(pliant_recording_options)
{
    return (pliant_recording_options){.tag = PLI_TAG(pliant_recording_options)};
}

static void write_head(pliant_scene *scene)
{
    static const char magic[8] = {'p', 'l', 'i', 'a', 'n', 't', 'r', 'c'};
    const uint32_t numbers[2] = {PLIANT_RECORDING_VERSION, 0x01020304u};
    pli_recording_stream *stream = &scene->recording->stream;
    pli_stream_put_raw(stream, magic, sizeof magic);
    pli_stream_put_raw(stream, numbers, sizeof numbers);
    pli_fields fields = {.size = 0};
    pli_fields_add_32(&fields, (uint32_t)scene->broad_asked);
    pli_fields_add_32(&fields, scene->worker_count);
    pli_fields_add_32(&fields, (uint32_t)pliant_context_get_isa(scene->context));
    pli_fields_add_32(&fields, PLIANT_VERSION);
    pli_stream_put_fields(stream, PLIANT_CHUNK_SCENE, &fields, 0);
    pli_stream_flush(stream);
}

/* Gives the recording back; returns how it ended, with its sentence. */
static pliant_result release_recording(pliant_scene *scene)
{
    pli_recording *recording = scene->recording;
    pliant_result result = recording->stream.result;
    if (result != PLIANT_OK) {
        pli_fail(result, "recording: %s", recording->stream.sentence);
    }
    pli_arrays_release(scene->context, recording->arrays, 2);
    pli_release(scene->context, recording, sizeof *recording);
    scene->recording = NULL;
    scene->host.recorded = false;
    return result;
}

pliant_result pliant_scene_record(pliant_scene *scene, const pliant_recording_options *options)
{
    pliant_recording_options defaults = pliant_recording_options_default();
    options = options != NULL ? options : &defaults;
    PLI_REQUIRE(scene);
    PLI_REQUIRE_TAG(options, pliant_recording_options);
    PLI_REQUIRE(options->write);
    pliant_result result = pli_scene_begin_call(scene, __func__);
    if (result != PLIANT_OK) {
        return result;
    }
    pli_recording *recording = NULL;
    if (scene->recording != NULL) {
        result = pli_fail(PLIANT_ERROR_STATE, "%s: the scene is being recorded", __func__);
    } else if ((recording = pli_allocate(scene->context, sizeof *recording)) == NULL) {
        result = PLIANT_ERROR_OUT_OF_MEMORY;
    } else {
        memset(recording, 0, sizeof *recording);
        recording->stream.context = scene->context;
        recording->stream.options = *options;
        scene->recording = recording;
        scene->host.recorded = true;
        write_head(scene);
        result = recording->stream.result != PLIANT_OK ? release_recording(scene) : PLIANT_OK;
    }
    return pli_scene_end_call(scene, result);
}

static void write_end(pli_recording *recording)
{
    pli_fields fields = {.size = 0};
    pli_fields_add_64(&fields, recording->question_count);
    pli_stream_put_fields(&recording->stream, PLIANT_CHUNK_END, &fields, 0);
    pli_stream_flush(&recording->stream);
}

pliant_result pliant_scene_stop_recording(pliant_scene *scene)
{
    PLI_REQUIRE(scene);
    pliant_result result = pli_scene_begin_call(scene, __func__);
    if (result != PLIANT_OK) {
        return result;
    }
    if (scene->recording == NULL) {
        result = pli_fail(PLIANT_ERROR_STATE, "%s: the scene is not being recorded", __func__);
    } else {
        write_end(scene->recording);
        result = release_recording(scene);
    }
    return pli_scene_end_call(scene, result);
}

void pli_recording_end(pliant_scene *scene)
{
    /* The caller's function may come back to the scene, which is in use meanwhile. */
    if (scene->recording != NULL && pli_scene_begin_call(scene, __func__) == PLIANT_OK) {
        write_end(scene->recording);
        release_recording(scene);
        pli_use_end(&scene->host.use);
    }
}

bool pliant_scene_is_recording(const pliant_scene *scene)
{
    return scene != NULL && scene->recording != NULL &&
           scene->recording->stream.result == PLIANT_OK;
}

/* ---------------------------------------------------------------- questions */

void pli_recording_write_ask(pliant_scene *scene, const pli_recorded_call *call)
{
    pli_recording *recording = scene->recording;
    if (recording->stream.result == PLIANT_OK) {
        pli_recording_write_changes(scene);
        pli_recording_write_arguments(&recording->stream, call);
        pli_stream_flush(&recording->stream);
        recording->filter_count = 0;
        recording->asked_at = pli_seconds();
    }
}

static void write_filters(pli_recording *recording)
{
    uint64_t size = recording->filter_count * sizeof *recording->filters;
    if (size > 0) {
        pli_stream_begin(&recording->stream, PLIANT_CHUNK_FILTER, size);
        pli_stream_put(&recording->stream, recording->filters, (size_t)size);
        recording->filter_count = 0;
    }
}

void pli_recording_write_filter(pli_recording *recording, uint32_t a, uint32_t b, bool passes)
{
    if (recording->stream.result != PLIANT_OK) {
        return;
    }
    recording->filters[recording->filter_count++] = (uint64_t)passes << 63 | (uint64_t)a << 32 | b;
    if (recording->filter_count == PLI_FILTERS_AT_ONCE) {
        write_filters(recording);
    }
}

void pli_recording_write_answer(pliant_scene *scene, const pli_recorded_call *call,
                                pliant_result result, const void *answer)
{
    pli_recording *recording = scene->recording;
    if (recording->stream.result != PLIANT_OK) {
        return;
    }
    pliant_recorded_answer summary = {.result = (uint32_t)result, .comparable = 1};
    summary.seconds = pli_seconds() - recording->asked_at;
    if (result != PLIANT_OK) {
        summary.comparable = result != PLIANT_ERROR_OUT_OF_MEMORY;
        snprintf(summary.sentence, sizeof summary.sentence, "%s", pliant_last_error());
    }
    write_filters(recording);
    pli_recording_write_result(scene, call, answer, &summary);
    pli_stream_flush(&recording->stream);
    recording->question_count++;
}
