#include "text.h"

#include <stdlib.h>
#include <string.h>

pli_text pli_text_of(const pli_reader *reader)
{
    const char *start = (const char *)reader->bytes;
    if (reader->size >= 3 && memcmp(start, "\xef\xbb\xbf", 3) == 0) {
        return (pli_text){
            .at = start + 3, .end = start + reader->size, .line = 1}; /* UTF-8's mark */
    }
    return (pli_text){.at = start, .end = start + reader->size, .line = 1};
}

/* A zero byte counts as white space, so that words never cross one. */
static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' || c == '\0';
}

/* A backslash at the end of a line joins the next one to it. */
static bool skip_joined_lines(pli_text *text)
{
    const char *after = text->at + 1;
    if (*text->at != '\\' || text->at == text->end) {
        return false;
    }
    after += *after == '\r' ? 1 : 0;
    if (*after != '\n' || after >= text->end) {
        return false;
    }
    text->at = after + 1;
    text->line++;
    return true;
}

static void skip_blanks(pli_text *text)
{
    while (text->at < text->end && (is_blank(*text->at) || skip_joined_lines(text))) {
        /* skip_joined_lines() has already stepped over the line's end. */
        text->at += text->at < text->end && is_blank(*text->at) ? 1 : 0;
    }
}

bool pli_text_word(pli_text *text, pli_word *word)
{
    skip_blanks(text);
    const char *start = text->at;
    while (text->at < text->end && !is_blank(*text->at) && *text->at != '\n') {
        if (*text->at == '\\' && text->at > start) {
            pli_text ahead = *text;
            if (skip_joined_lines(&ahead)) {
                break;
            }
        }
        text->at++;
    }
    *word = (pli_word){start, (size_t)(text->at - start)};
    return word->size > 0;
}

pli_word pli_text_rest(pli_text *text)
{
    skip_blanks(text);
    const char *start = text->at;
    const char *newline = memchr(start, '\n', (size_t)(text->end - start));
    text->at = newline != NULL ? newline : text->end;
    const char *last = text->at;
    while (last > start && is_blank(last[-1])) {
        last--;
    }
    return (pli_word){start, (size_t)(last - start)};
}

bool pli_text_next_line(pli_text *text)
{
    const char *newline = memchr(text->at, '\n', (size_t)(text->end - text->at));
    if (newline == NULL) {
        text->at = text->end;
        return false;
    }
    text->at = newline + 1;
    text->line++;
    return text->at < text->end;
}

bool pli_text_any_word(pli_text *text, pli_word *word)
{
    while (!pli_text_word(text, word)) {
        if (!pli_text_next_line(text)) {
            return false;
        }
    }
    return true;
}

bool pli_word_is(pli_word word, const char *text)
{
    return strlen(text) == word.size && memcmp(word.at, text, word.size) == 0;
}

/* Words end before white space or the text's zero byte, where these functions stop as well. */
bool pli_word_float(pli_word word, float *value)
{
    char *end = NULL;
    *value = strtof(word.at, &end);
    return word.size > 0 && end == word.at + word.size;
}

bool pli_word_double(pli_word word, double *value)
{
    char *end = NULL;
    *value = strtod(word.at, &end);
    return word.size > 0 && end == word.at + word.size;
}

bool pli_word_take_integer(pli_word *word, int64_t *value)
{
    size_t i = 0;
    bool negative = word->size > 0 && word->at[0] == '-';
    i += word->size > 0 && (negative || word->at[0] == '+') ? 1 : 0;
    size_t digits = i;
    int64_t sum = 0;
    for (; i < word->size && word->at[i] >= '0' && word->at[i] <= '9'; i++) {
        if (sum > (INT64_C(1) << 62) / 10 - 1) {
            return false;
        }
        sum = 10 * sum + (word->at[i] - '0');
    }
    if (i == digits) {
        return false;
    }
    *value = negative ? -sum : sum;
    word->at += i;
    word->size -= i;
    return true;
}

bool pli_word_count(pli_word word, uint64_t *value)
{
    int64_t number = 0;
    if (!pli_word_take_integer(&word, &number) || word.size != 0 || number < 0) {
        return false;
    }
    *value = (uint64_t)number;
    return true;
}
