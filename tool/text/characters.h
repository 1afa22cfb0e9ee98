/*
 * Characters of text that comes from files or from the command line, and how a terminal gets them.
 * Every other form of output has a function of its own: json.h, markup.h, check/csv.c,
 * check/markdown.c.
 */
#ifndef TOOL_TEXT_CHARACTERS_H
#define TOOL_TEXT_CHARACTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Returns the number of bytes of the UTF-8 character at `text`, and its code; 0 if there is none.
 */
size_t text_character(const char *text, uint32_t *code);

/*
 * Returns true if a reader sees the character as it is. False for control characters, line
 * separators, bidirectional controls, characters without width, and codes that are no characters.
 * These can move the cursor, turn the text around, or make two names look the same.
 */
bool text_is_visible(uint32_t code);

/* Writes the character at `text` for people: '?' if it is not visible, or its byte is no UTF-8.
   Returns its bytes. Nothing is written to a stream of NULL. */
size_t text_put(FILE *stream, const char *text);

/* Writes all characters of a text in this way, for a terminal. Returns their number. */
int text_show(FILE *stream, const char *text);

/* Writes 12345 as "12,345". Returns `text`. */
#define TEXT_GROUPED 32
const char *text_group(uint64_t number, char text[TEXT_GROUPED]);

#endif
