#include "batch.h"

#include "pliant/extend.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>

/* The state that the threads share. */
typedef struct batch_job {
    check_batch *batch;
    atomic_bool *ended; /* per file, and false behind the last one */
    atomic_bool no_memory;
    atomic_bool is_telling; /* a thread tells the caller about files */
    uint32_t told;          /* files that the caller knows about; of that thread */
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

/* Tells the caller about files that have ended, in their order: one thread at a time. A file that
   ends while another thread tells is seen by that thread, or by this one when it asks again. */
static void tell(batch_job *job)
{
    check_batch *batch = job->batch;
    bool more = true;
    while (more && !atomic_exchange(&job->is_telling, true)) {
        while (atomic_load(&job->ended[job->told]) && !atomic_load(&job->no_memory)) {
            if (batch->done != NULL) {
                batch->done(batch->user, &batch->files[job->told], job->told);
            }
            job->told++;
        }
        uint32_t told = job->told;
        atomic_store(&job->is_telling, false);
        more = atomic_load(&job->ended[told]) && !atomic_load(&job->no_memory);
    }
}

static void check_piece(void *argument, uint32_t index, uint32_t worker)
{
    (void)worker;
    batch_job *job = argument;
    if (!check_one(&job->batch->files[index], job->batch->keep_pages)) {
        atomic_store(&job->no_memory, true);
    }
    atomic_store(&job->ended[index], true);
    tell(job);
}

bool check_batch_run(check_batch *batch)
{
    uint32_t jobs = batch->jobs < batch->count ? batch->jobs : batch->count;
    batch_job job = {.batch = batch, .ended = calloc((size_t)batch->count + 1, sizeof *job.ended)};
    pliant_context *context = check_start_threads(&jobs);
    bool ran = job.ended != NULL && context != NULL &&
               pliant_context_run(context, check_piece, &job, batch->count) == PLIANT_OK;
    pliant_context_destroy(context);
    free(job.ended);
    return ran && !job.no_memory;
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
