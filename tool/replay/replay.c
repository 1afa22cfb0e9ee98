#include "player.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *replay_verdict_name(replay_verdict verdict)
{
    static const char *const names[] = {"same", "differs", "not compared", "unanswered"};
    return names[verdict];
}

replay_settings replay_settings_default(void)
{
    return (replay_settings){.threads = 1, .from = 1, .to = UINT64_MAX};
}

/* A replay under way. */
typedef struct play {
    replay_file file;
    replay_player player;
    const replay_settings *settings;
    replay_summary *summary;
} play;

/* The result of a query: the recorded one or that of the player. */
typedef struct result_chunk {
    pliant_recorded_answer *summary;
    uint64_t sums[REPLAY_MOST_FIELDS];
    uint64_t sum_count;
} result_chunk;

/* Returns the name of the first field in which two results differ, or NULL. */
static const char *find_difference(const replay_query *query, const result_chunk *recorded,
                                   const result_chunk *played)
{
    const pliant_recorded_answer *a = recorded->summary, *b = played->summary;
    if (a->result != b->result) {
        return "result";
    }
    for (uint32_t i = 0; i < query->field_count; i++) {
        if (recorded->sums[i] != played->sums[i]) {
            return query->fields[i];
        }
    }
    bool same = a->counts[0] == b->counts[0] && a->counts[1] == b->counts[1];
    return same ? (a->checksum == b->checksum ? NULL : "checksum") : "count";
}

static replay_verdict compare(const replay_query *query, const result_chunk *recorded,
                              const result_chunk *played, const char **field)
{
    if (recorded->summary->comparable && played->summary->comparable) {
        *field = find_difference(query, recorded, played);
        return *field == NULL ? REPLAY_SAME : REPLAY_DIFFERS;
    }
    return REPLAY_NOT_COMPARED;
}

/* Ends a recorded sentence. The library's have printable ASCII only, so others show as '?'. */
static void clean_sentence(char *sentence, size_t size)
{
    sentence[size - 1] = '\0';
    for (char *at = sentence; *at != '\0'; at++) {
        *at = *at >= ' ' && *at <= '~' ? *at : '?';
    }
}

/* Reads the content of the chunk of a result. */
static bool take_result(replay_fields *fields, result_chunk *result)
{
    replay_take(fields, result->summary, sizeof *result->summary);
    clean_sentence(result->summary->sentence, sizeof result->summary->sentence);
    result->sum_count = fields->left / sizeof *result->sums;
    if (fields->failed || fields->left % sizeof *result->sums != 0 ||
        result->sum_count > REPLAY_MOST_FIELDS) {
        return false;
    }
    replay_take(fields, result->sums, fields->left);
    return true;
}

/* Reads the decisions of filters and the result of a query; the result may be missing. */
static bool take_answer(play *p, result_chunk *recorded, bool *answered)
{
    replay_player *player = &p->player;
    replay_chunk chunk;
    *answered = false;
    player->filter_count = 0;
    while (p->file.at < p->file.size) {
        if (!replay_next(&p->file, &chunk, player->error)) {
            return true; /* the query still runs before the error is reported */
        }
        if (chunk.kind == PLIANT_CHUNK_ANSWER) {
            *answered = take_result(&chunk.fields, recorded);
            return *answered || replay_fail(player, "a result is of the wrong length");
        }
        if (chunk.kind != PLIANT_CHUNK_FILTER) {
            return replay_fail(player, "a query is followed by neither filter nor result");
        }
        uint64_t count = chunk.fields.left / sizeof *player->filters;
        if (!replay_reserve(player, &player->filters, &player->filter_capacity,
                            player->filter_count + count, sizeof *player->filters)) {
            return false;
        }
        replay_take(&chunk.fields, player->filters + player->filter_count,
                    count * sizeof *player->filters);
        player->filter_count += count;
    }
    return true;
}

static void count_verdict(replay_summary *summary, const replay_question *question)
{
    summary->asked_count++;
    summary->not_compared_count += question->verdict == REPLAY_NOT_COMPARED;
    if (question->verdict == REPLAY_DIFFERS) {
        summary->differing_count++;
        if (summary->first_differing == 0) {
            summary->first_differing = question->number;
        }
    }
}

/* Runs a query, whose result was recorded if it is answered, and reports how the results compare.
 */
static bool play_query(play *p, replay_fields *fields, replay_question *question,
                       const result_chunk *recorded, bool answered)
{
    replay_player *player = &p->player;
    const replay_query *query = replay_find_query(*fields);
    if (!replay_run_query(player, fields)) {
        return false;
    }
    question->name = query->name;
    if (answered && recorded->sum_count != query->field_count) {
        return replay_fail(player, "a result is of the wrong length");
    }
    uint64_t size = replay_answer_size(query) - REPLAY_CHUNK_HEAD;
    replay_fields last = {.next = player->last + player->last_size - size,
                          .left = size - REPLAY_CHUNK_TAIL};
    result_chunk played = {.summary = &question->played};
    question->verdict = REPLAY_UNANSWERED;
    if (take_result(&last, &played) && answered) {
        question->verdict = compare(query, recorded, &played, &question->field);
    }
    count_verdict(p->summary, question);
    if (p->settings->tell != NULL) {
        p->settings->tell(p->settings->user, question);
    }
    return true;
}

static bool play_question(play *p, replay_fields *fields)
{
    replay_player *player = &p->player;
    replay_question question = {.number = ++p->summary->question_count,
                                .body_count = player->body_count};
    result_chunk recorded = {.summary = &question.recorded};
    bool answered = false;
    if (!replay_settle(player) || !take_answer(p, &recorded, &answered)) {
        return false;
    }
    if (question.number < p->settings->from || question.number > p->settings->to) {
        return player->error[0] == '\0';
    }
    char error[320];
    memcpy(error, player->error, sizeof error);
    return play_query(p, fields, &question, &recorded, answered) && error[0] == '\0';
}

/* Goes through all chunks; false where one is bad, with the sentence in player.error. */
static bool play_all(play *p)
{
    replay_player *player = &p->player;
    replay_chunk chunk;
    bool good = replay_next(&p->file, &chunk, player->error);
    if (good && chunk.kind != PLIANT_CHUNK_SCENE) {
        return replay_fail(player, "the recording does not begin with its scene");
    }
    good = good && replay_begin(player, &chunk.fields, p->settings, p->summary);
    while (good && replay_next(&p->file, &chunk, player->error)) {
        switch ((pliant_recording_chunk)chunk.kind) {
        case PLIANT_CHUNK_SHAPE:
            good = replay_add_shape(player, &chunk.fields);
            break;
        case PLIANT_CHUNK_REMOVAL:
            good = replay_remove(player, &chunk.fields);
            break;
        case PLIANT_CHUNK_MEMBER:
            good = replay_change_member(player, &chunk.fields);
            break;
        case PLIANT_CHUNK_STATE:
            good = replay_set_state(player, &chunk.fields);
            break;
        case PLIANT_CHUNK_STEP:
            good = replay_change_step(player, &chunk.fields);
            break;
        case PLIANT_CHUNK_QUESTION:
            good = play_question(p, &chunk.fields);
            break;
        case PLIANT_CHUNK_END:
            return p->file.at == p->file.size || replay_fail(player, "bytes follow its end");
        case PLIANT_CHUNK_SCENE:
        case PLIANT_CHUNK_FILTER:
        case PLIANT_CHUNK_ANSWER:
        default:
            good = replay_fail(player, "a chunk of kind %u is out of place", chunk.kind);
        }
    }
    return false;
}

void replay_play(const void *data, uint64_t size, const replay_settings *settings,
                 replay_summary *summary)
{
    *summary = (replay_summary){.error = ""};
    play p = {.settings = settings, .summary = summary, .player = {.error = summary->error}};
    if (replay_open(&p.file, data, size, summary->error) && play_all(&p)) {
        summary->error[0] = '\0';
    }
    summary->shape_count = p.player.shape_count;
    summary->out_of_memory = p.player.out_of_memory;
    replay_end(&p.player);
}
