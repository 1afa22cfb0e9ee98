/*
 * Looks at all frames, spread over threads. Frames are independent of each other and each goes to a
 * place of its own, so the number of threads changes nothing but the time.
 */
#include "worker.h"

#include "base/thread.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* What the threads share. */
typedef struct check_job {
    check *state;
    check_frame *frames;
    uint32_t frame_count;
    bool are_references;
    atomic_uint next; /* the first frame that nobody has taken */
    atomic_uint done;
    atomic_bool stop;
    bool is_stopped;      /* by the settings' progress, on its thread */
    atomic_ullong found;  /* pairs of parts in all frames so far */
    atomic_bool too_many; /* of these */
    pli_lock lock;        /* of what follows */
    uint32_t failed;      /* the lowest frame that failed, or CHECK_NONE */
    pliant_result failure;
    char message[512];
} check_job;

/* Every frame before one that fails has been taken before it, so the lowest failure is always
   found. */
static void record_failure(check_job *job, uint32_t frame, pliant_result result,
                           const char *message)
{
    pli_lock_take(&job->lock);
    if (frame < job->failed) {
        job->failed = frame;
        job->failure = result;
        snprintf(job->message, sizeof job->message, "%s", message);
    }
    pli_lock_release(&job->lock);
    atomic_store(&job->stop, true);
}

static void look_at_frame(check_job *job, check_worker *worker, uint32_t index)
{
    check *state = job->state;
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
        record_failure(job, index, result, own ? worker->error : pliant_last_error());
    }
    uint64_t count = frame->found_count;
    count += !job->are_references && state->passes != NULL ? state->passes[index].found_count : 0;
    if (atomic_fetch_add(&job->found, count) + count > CHECK_MOST_FOUND_IN_ALL) {
        atomic_store(&job->too_many, true);
        atomic_store(&job->stop, true);
    }
}

static void report_progress(check_job *job)
{
    const check_settings *settings = &job->state->settings;
    if (settings->progress != NULL && !job->are_references && !job->is_stopped &&
        !settings->progress(settings->progress_user, atomic_load(&job->done), job->frame_count)) {
        job->is_stopped = true;
        atomic_store(&job->stop, true);
    }
}

/* Takes frames until there are none left. */
static void work(check_job *job, bool reports)
{
    pliant_result result = PLIANT_OK;
    check_worker *worker = check_worker_create(job->state, job->are_references, &result);
    if (worker == NULL) {
        record_failure(job, 0, result, pliant_last_error());
        return;
    }
    while (!atomic_load(&job->stop)) {
        uint32_t index = atomic_fetch_add(&job->next, 1);
        if (index >= job->frame_count) {
            break;
        }
        look_at_frame(job, worker, index);
        atomic_fetch_add(&job->done, 1);
        if (reports) {
            report_progress(job);
        }
    }
    check_worker_destroy(worker);
}

static void run_thread(void *argument)
{
    work(argument, false);
}

static check_result fail_frame(const check_job *job)
{
    check *state = job->state;
    const check_frame *frame = &job->frames[job->failed];
    if (job->failure == PLIANT_ERROR_OUT_OF_MEMORY) {
        return CHECK_NO_MEMORY;
    }
    check_result status = job->failure == PLIANT_ERROR_STATE ? CHECK_FAILED : CHECK_BAD_INPUT;
    if (frame->clip == CHECK_NONE) {
        return check_fail(state, status, "in the rest pose: %s", job->message);
    }
    return check_fail(state, status, "clip '%s', frame %" PRIu32 ": %s",
                      state->clips[frame->clip].name, frame->number, job->message);
}

/* Looks at `count` frames, with as many threads as there are settings and frames for. */
static check_result look_at_all(check *state, check_frame *frames, uint32_t count, bool references)
{
    check_job job = {.state = state,
                     .frames = frames,
                     .frame_count = count,
                     .are_references = references,
                     .failed = CHECK_NONE};
    uint32_t threads = state->settings.threads < count ? state->settings.threads : count;
    pli_thread *others = calloc((size_t)threads + 1, sizeof *others);
    if (others == NULL) {
        return CHECK_NO_MEMORY;
    }
    pli_lock_init(&job.lock);
    uint32_t started = 0;
    while (started + 1 < threads && pli_thread_start(&others[started], run_thread, &job)) {
        started++;
    }
    work(&job, true);
    for (uint32_t i = 0; i < started; i++) {
        pli_thread_join(&others[i]);
    }
    pli_lock_destroy(&job.lock);
    free(others);
    if (job.is_stopped) {
        return check_fail(state, CHECK_STOPPED, "the check was stopped");
    }
    if (job.failed != CHECK_NONE) {
        return fail_frame(&job);
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
