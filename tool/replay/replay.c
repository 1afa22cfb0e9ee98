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

static replay_verdict compare(const replay_question *question, bool answered)
{
    const pliant_recorded_answer *recorded = &question->recorded, *played = &question->played;
    if (!answered) {
        return REPLAY_UNANSWERED;
    }
    if (!recorded->comparable || !played->comparable) {
        return REPLAY_NOT_COMPARED;
    }
    bool same = recorded->result == played->result && recorded->counts[0] == played->counts[0] &&
                recorded->counts[1] == played->counts[1] && recorded->checksum == played->checksum;
    return same ? REPLAY_SAME : REPLAY_DIFFERS;
}

/* Ends a recorded sentence. The library's have printable ASCII only, so others show as '?'. */
static void clean_sentence(char *sentence, size_t size)
{
    sentence[size - 1] = '\0';
    for (char *at = sentence; *at != '\0'; at++) {
        *at = *at >= ' ' && *at <= '~' ? *at : '?';
    }
}

/* What follows a question: what filters said, and the answer, unless the recording ends there. */
static bool take_answer(play *p, pliant_recorded_answer *recorded, bool *answered)
{
    replay_player *player = &p->player;
    replay_chunk chunk;
    *answered = false;
    player->filter_count = 0;
    while (p->file.at < p->file.size) {
        if (!replay_next(&p->file, &chunk, player->error)) {
            return true; /* the question is asked all the same, then that is said */
        }
        if (chunk.kind == PLIANT_CHUNK_ANSWER) {
            replay_take(&chunk.fields, recorded, sizeof *recorded);
            clean_sentence(recorded->sentence, sizeof recorded->sentence);
            *answered = !chunk.fields.failed && chunk.fields.left == 0;
            return *answered || replay_fail(player, "an answer is of the wrong length");
        }
        if (chunk.kind != PLIANT_CHUNK_FILTER) {
            return replay_fail(player, "a question is followed by neither filter nor answer");
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

static bool play_question(play *p, replay_fields *fields)
{
    replay_player *player = &p->player;
    replay_question question = {.number = ++p->summary->question_count,
                                .body_count = player->body_count};
    bool answered = false;
    if (!replay_settle(player) || !take_answer(p, &question.recorded, &answered)) {
        return false;
    }
    if (question.number < p->settings->from || question.number > p->settings->to) {
        return player->error[0] == '\0';
    }
    char error[320];
    memcpy(error, player->error, sizeof error);
    if (!replay_ask(player, fields, &question.name)) {
        return false;
    }
    memcpy(&question.played, player->last + REPLAY_CHUNK_HEAD, sizeof question.played);
    question.verdict = compare(&question, answered);
    count_verdict(p->summary, &question);
    if (p->settings->tell != NULL) {
        p->settings->tell(p->settings->user, &question);
    }
    return error[0] == '\0';
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
