/*
 * Looks at all frames, spread over threads. Frames are independent of each other and each goes to a
 * place of its own, so the number of threads changes nothing but the time.
 */
#include "worker.h"

#include "pliant/extend.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* A thread of the job: its worker is made for its first frame. */
typedef struct check_thread {
    check_worker *worker;
    pliant_result failure;
    uint32_t failed; /* the frame that failed, if one did */
    char message[512];
} check_thread;

/* The state that the threads share. */
typedef struct check_job {
    check *state;
    check_frame *frames;
    uint32_t frame_count;
    bool are_references;
    atomic_uint done;
    atomic_uint end;      /* this frame and those behind it are not begun any more */
    bool is_stopped;      /* by the settings' progress, on its thread */
    atomic_ullong found;  /* pairs of parts in all frames so far */
    atomic_bool too_many; /* of these */
    check_thread *threads;
} check_job;

/* Begins no frame any more from this one on. */
static void end_at(check_job *job, uint32_t frame)
{
    unsigned end = atomic_load(&job->end);
    while (frame < end && !atomic_compare_exchange_weak(&job->end, &end, frame)) {
    }
}

/* Records the first failure of a thread. Earlier frames are looked at all the same, so the
   lowest failure is always found. */
static void record_failure(check_job *job, check_thread *thread, uint32_t frame,
                           pliant_result result, const char *message)
{
    thread->failed = frame;
    thread->failure = result;
    snprintf(thread->message, sizeof thread->message, "%s", message);
    end_at(job, frame);
}

static void look_at_frame(check_job *job, check_thread *thread, uint32_t index)
{
    check *state = job->state;
    check_worker *worker = thread->worker;
    check_frame *frame = &job->frames[index];
    uint32_t reference = job->are_references ? CHECK_NONE : state->clips[frame->clip].reference;
    const check_acceptance *known = reference != CHECK_NONE ? &state->acceptances[reference] : NULL;
    bool keep = state->settings.keep_triangles;
    pliant_result result = check_worker_look(worker, frame, known, keep);
    if (result == PLIANT_OK && !job->are_references && state->passes != NULL &&
        index + 1 < job->frame_count && frame[1].clip == frame->clip) {
        result =
            check_worker_pass(worker, frame, frame[1].time, known, keep, &state->passes[index]);
    }
    if (result != PLIANT_OK) {
        bool own = worker->error[0] != '\0';
        record_failure(job, thread, index, result, own ? worker->error : pliant_last_error());
    }
    uint64_t count = frame->found_count;
    count += !job->are_references && state->passes != NULL ? state->passes[index].found_count : 0;
    if (atomic_fetch_add(&job->found, count) + count > CHECK_MOST_FOUND_IN_ALL) {
        atomic_store(&job->too_many, true);
        end_at(job, index);
    }
}

static void report_progress(check_job *job)
{
    const check_settings *settings = &job->state->settings;
    if (settings->progress != NULL && !job->are_references && !job->is_stopped &&
        !settings->progress(settings->progress_user, atomic_load(&job->done), job->frame_count)) {
        job->is_stopped = true;
        end_at(job, 0);
    }
}

/* Looks at one frame, unless the job ends before it. The caller's thread, 0, reports progress. */
static void look_at_piece(void *argument, uint32_t index, uint32_t number)
{
    check_job *job = argument;
    check_thread *thread = &job->threads[number];
    if (index >= atomic_load(&job->end)) {
        return;
    }
    if (thread->worker == NULL) {
        pliant_result result = PLIANT_OK;
        thread->worker = check_worker_create(job->state, job->are_references, &result);
        if (thread->worker == NULL) {
            record_failure(job, thread, 0, result, pliant_last_error());
            return;
        }
    }
    look_at_frame(job, thread, index);
    atomic_fetch_add(&job->done, 1);
    if (number == 0) {
        report_progress(job);
    }
}

/* Fails with the lowest frame that failed; CHECK_DONE if none did. */
static check_result fail_frame(const check_job *job, uint32_t threads)
{
    const check_thread *first = NULL;
    for (uint32_t i = 0; i < threads; i++) {
        const check_thread *thread = &job->threads[i];
        if (thread->failure != PLIANT_OK && (first == NULL || thread->failed < first->failed)) {
            first = thread;
        }
    }
    if (first == NULL) {
        return CHECK_DONE;
    }
    check *state = job->state;
    const check_frame *frame = &job->frames[first->failed];
    if (first->failure == PLIANT_ERROR_OUT_OF_MEMORY) {
        return CHECK_NO_MEMORY;
    }
    check_result status = first->failure == PLIANT_ERROR_STATE ? CHECK_FAILED : CHECK_BAD_INPUT;
    if (frame->clip == CHECK_NONE) {
        return check_fail(state, status, "in the rest pose: %s", first->message);
    }
    return check_fail(state, status, "clip '%s', frame %" PRIu32 ": %s",
                      state->clips[frame->clip].name, frame->number, first->message);
}

pliant_context *check_start_threads(uint32_t *threads)
{
    pliant_context_def def = pliant_context_def_default();
    pliant_context *context = NULL;
    def.workers = *threads < 1 ? 1 : *threads < 256 ? *threads : 256;
    while (pliant_context_create(&def, &context) != PLIANT_OK && def.workers > 1) {
        def.workers /= 2;
    }
    *threads = def.workers;
    return context;
}

/* Looks at `count` frames, with as many threads as there are settings and frames for. */
static check_result look_at_all(check *state, check_frame *frames, uint32_t count, bool references)
{
    check_job job = {.state = state,
                     .frames = frames,
                     .frame_count = count,
                     .are_references = references,
                     .end = count};
    uint32_t threads = state->settings.threads < count ? state->settings.threads : count;
    pliant_context *context = check_start_threads(&threads);
    job.threads = calloc(threads, sizeof *job.threads);
    if (context == NULL || job.threads == NULL ||
        pliant_context_run(context, look_at_piece, &job, count) != PLIANT_OK) {
        pliant_context_destroy(context);
        free(job.threads);
        return CHECK_NO_MEMORY;
    }
    pliant_context_destroy(context);
    for (uint32_t i = 0; i < threads; i++) {
        check_worker_destroy(job.threads[i].worker);
    }
    check_result failure = fail_frame(&job, threads);
    free(job.threads);
    if (job.is_stopped) {
        return check_fail(state, CHECK_STOPPED, "the check was stopped");
    }
    if (failure != CHECK_DONE) {
        return failure;
    }
    return !atomic_load(&job.too_many)
               ? CHECK_DONE
               : check_fail(state, CHECK_BAD_INPUT,
                            "more than %d times a pair of bodies touches, in all frames together; "
                            "--frames and --clip take fewer frames, --ignore fewer bodies",
                            CHECK_MOST_FOUND_IN_ALL);
}

/* What of the reference file applies is joined with what each reference frame shows. */
static check_result make_acceptances(check *state)
{
    check_result status = CHECK_DONE;
    state->acceptances = calloc((size_t)state->reference_count + 1, sizeof *state->acceptances);
    if (state->acceptances == NULL) {
        return CHECK_NO_MEMORY;
    }
    for (uint32_t i = 0; status == CHECK_DONE && i < state->reference_count; i++) {
        status = check_make_acceptance(state, &state->references[i], &state->acceptances[i]);
    }
    return status;
}

static check_result note_shorter(check *state, uint32_t shorter)
{
    return shorter == 0
               ? CHECK_DONE
               : check_note(state,
                            "%" PRIu32 " %s no frame %" PRIu32 ": compared with the last frame",
                            shorter, check_plural(shorter, "clip has", "clips have"),
                            state->settings.against_frame);
}

/* The reference of each clip: the rest pose, one of its own frames, or nothing but the file. */
static check_result make_references(check *state)
{
    const check_settings *settings = &state->settings;
    bool by_frame = settings->against == CHECK_AGAINST_FRAME;
    uint32_t count = by_frame ? state->clip_count : 1, shorter = 0;
    state->references = calloc((size_t)count + 1, sizeof *state->references);
    if (state->references == NULL) {
        return CHECK_NO_MEMORY;
    }
    state->reference_count = count;
    state->references[0] = (check_frame){.clip = CHECK_NONE};
    for (uint32_t i = 0; i < state->clip_count; i++) {
        check_clip *clip = &state->clips[i];
        clip->reference = by_frame ? i : 0;
        uint32_t last = (uint32_t)check_clip_frames(state, clip->index) - 1;
        uint32_t frame = settings->against_frame < last ? settings->against_frame : last;
        if (by_frame) {
            shorter += frame < settings->against_frame ? 1 : 0;
            state->references[i] = (check_frame){
                .clip = i, .number = frame, .time = check_frame_time(state, clip->index, frame)};
        }
    }
    check_result status = note_shorter(state, shorter);
    if (status == CHECK_DONE && settings->against != CHECK_AGAINST_NONE) {
        status = look_at_all(state, state->references, count, true);
    }
    return status == CHECK_DONE ? make_acceptances(state) : status;
}

check_result check_all_frames(check *state)
{
    check_result status = CHECK_DONE;
    if (state->settings.steps > 0) {
        state->passes = calloc((size_t)state->frame_count + 1, sizeof *state->passes);
        status = state->passes != NULL ? CHECK_DONE : CHECK_NO_MEMORY;
    }
    if (status == CHECK_DONE &&
        (state->settings.against != CHECK_AGAINST_NONE || state->filed.count > 0)) {
        status = make_references(state);
    }
    return status == CHECK_DONE ? look_at_all(state, state->frames, state->frame_count, false)
                                : status;
}
