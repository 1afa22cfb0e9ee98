#include "batch.h"

#include "base/thread.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>

/* What the threads share. */
typedef struct batch_job {
    check_batch *batch;
    atomic_uint next; /* the first file that nobody has taken */
    pli_lock lock;    /* of what follows */
    bool *ended;      /* per file */
    uint32_t told;    /* files about which the caller knows */
    bool no_memory;
} batch_job;

/* Checks one file and keeps what it came to. */
static bool check_one(batch_file *file, bool keep_page)
{
    check state = {.settings = file->settings};
    state.settings.keep_triangles = keep_page; /* the page alone shows them */
    check_result result = file->error != NULL
                              ? check_fail(&state, CHECK_BAD_INPUT, "%s", file->error)
                              : check_fill(&state);
    if (result == CHECK_DONE && keep_page) {
        result = check_pack_page(&state, &file->page);
    }
    bool kept = check_outcome_take(&file->outcome, &state, file->settings.files[0], result);
    check_free(&state);
    return kept;
}

static void tell(batch_job *job, uint32_t index, bool kept)
{
    check_batch *batch = job->batch;
    pli_lock_take(&job->lock);
    job->no_memory = job->no_memory || !kept;
    job->ended[index] = true;
    while (job->told < batch->count && job->ended[job->told] && !job->no_memory) {
        if (batch->done != NULL) {
            batch->done(batch->user, &batch->files[job->told], job->told);
        }
        job->told++;
    }
    pli_lock_release(&job->lock);
}

static void work(void *argument)
{
    batch_job *job = argument;
    for (;;) {
        uint32_t index = atomic_fetch_add(&job->next, 1);
        if (index >= job->batch->count) {
            return;
        }
        tell(job, index, check_one(&job->batch->files[index], job->batch->keep_pages));
    }
}

bool check_batch_run(check_batch *batch)
{
    uint32_t jobs = batch->jobs < batch->count ? batch->jobs : batch->count;
    batch_job job = {.batch = batch, .ended = calloc((size_t)batch->count + 1, sizeof *job.ended)};
    pli_thread *others = calloc((size_t)jobs + 1, sizeof *others);
    if (job.ended == NULL || others == NULL) {
        free(job.ended);
        free(others);
        return false;
    }
    pli_lock_init(&job.lock);
    uint32_t started = 0;
    while (started + 1 < jobs && pli_thread_start(&others[started], work, &job)) {
        started++;
    }
    work(&job);
    for (uint32_t i = 0; i < started; i++) {
        pli_thread_join(&others[i]);
    }
    pli_lock_destroy(&job.lock);
    free(job.ended);
    free(others);
    return !job.no_memory;
}

void check_batch_free(check_batch *batch)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        check_outcome_free(&batch->files[i].outcome);
        report_block_free(&batch->files[i].page);
    }
}

static void add_row(report_batch *page, const batch_file *file)
{
    const check_outcome *outcome = &file->outcome;
    char line[1500];
    check_outcome_line(outcome, line, sizeof line);
    double deepest = outcome->failing_count > 0 ? outcome->findings[0].found.depth : 0.0;
    double size = outcome->failing_count > 0 ? outcome->findings[0].found.size : 0.0;
    report_batch_row row = {.name = outcome->path,
                            .line = line,
                            .status = check_outcome_status(outcome),
                            .failing = outcome->failing_count,
                            .known = outcome->finding_count - outcome->failing_count,
                            .frames = outcome->compared.frames,
                            .depth = deepest,
                            .percent = size > 0.0 ? 100.0 * deepest / size : 0.0,
                            .block = file->page.size > 0 ? &file->page : NULL};
    report_batch_add(page, &row);
}

bool check_batch_write_page(const check_batch *batch, const char *title, FILE *stream)
{
    char text[200];
    uint32_t good = 0, failing = 0, broken = 0;
    for (uint32_t i = 0; i < batch->count; i++) {
        int status = check_outcome_status(&batch->files[i].outcome);
        good += status == 0 ? 1 : 0;
        failing += status == 1 ? 1 : 0;
        broken += status > 1 ? 1 : 0;
    }
    snprintf(text, sizeof text,
             "%" PRIu32 " %s: %" PRIu32 " ok, %" PRIu32 " with findings, %" PRIu32
             " could not be checked",
             batch->count, check_plural(batch->count, "file", "files"), good, failing, broken);
    report_batch *page = report_batch_create(title, text);
    if (page == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < batch->count; i++) {
        add_row(page, &batch->files[i]);
    }
    bool written = report_batch_write(page, stream);
    report_batch_destroy(page);
    return written;
}
