/* Words of a text file, with the number of the line they are on. */
#ifndef PLI_ASSET_TEXT_H
#define PLI_ASSET_TEXT_H

#include "reader.h"

/* A place in the text. The text ends in a zero byte at `end`. */
typedef struct pli_text {
    const char *at, *end;
    uint32_t line; /* of `at`, from 1 */
} pli_text;

typedef struct pli_word {
    const char *at;
    size_t size;
} pli_word;

pli_text pli_text_of(const pli_reader *reader);

/* Takes the next word of this line; false at its end. A word has no white space. */
bool pli_text_word(pli_text *text, pli_word *word);

/* Takes the rest of this line, without white space around it. */
pli_word pli_text_rest(pli_text *text);

/* Goes to the start of the next line; false at the end of the text. */
bool pli_text_next_line(pli_text *text);

/* Takes the next word on this line or any later one; false at the end of the text. */
bool pli_text_any_word(pli_text *text, pli_word *word);

bool pli_word_is(pli_word word, const char *text);

/* Reads the whole word as a number; false if it is none. May give infinity or NaN. */
bool pli_word_float(pli_word word, float *value);
bool pli_word_double(pli_word word, double *value);

/* Reads a whole number from the start of a word and shortens the word by it; false if there is
   none or it needs more than 62 bits. */
bool pli_word_take_integer(pli_word *word, int64_t *value);

/* Reads the whole word as a count, 0 to 2^62; false if it is none. */
bool pli_word_count(pli_word word, uint64_t *value);

#endif
