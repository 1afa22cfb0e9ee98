/*
 * Text of a file, or its path, as a message shows it. Files come from anywhere, and messages go to
 * terminals and logs. So escape sequences, bidirectional and invisible characters and bytes that
 * are not UTF-8 are written as \x1b, \u202e or \U000e0001, and every piece has a limit.
 */
#ifndef PLI_ASSET_SHOWN_H
#define PLI_ASSET_SHOWN_H

#include <stddef.h>

/* Bytes of a shown name, of the name of a file and of a path, each with its zero byte. */
enum { PLI_SHOWN_NAME = 64, PLI_SHOWN_FILE = 104, PLI_SHOWN_PATH = 152 };

/*
 * Writes `size` bytes of text to `shown`, at most `room` bytes with the zero byte, and returns
 * `shown`. Text that does not fit ends in "..." and is never cut inside a character. Text that was
 * shown before does not change. `room` is at least 16.
 */
const char *pli_show(char *shown, size_t room, const char *text, size_t size);

/* The same for a text that ends in a zero byte. */
const char *pli_show_string(char *shown, size_t room, const char *text);

/* The same for the last `room` - 2 bytes of such a text. */
const char *pli_show_end(char *shown, size_t room, const char *text);

/* Arguments of a printf format, valid until the end of the enclosing block: a name, a pli_word, the
   name of a file, and a path, of which the end is shown. */
#define PLI_SHOW(name) pli_show_string((char[PLI_SHOWN_NAME]){0}, PLI_SHOWN_NAME, name)
#define PLI_SHOW_WORD(word)                                                                        \
    pli_show((char[PLI_SHOWN_NAME]){0}, PLI_SHOWN_NAME, (word).at, (word).size)
#define PLI_SHOW_FILE(name) pli_show_string((char[PLI_SHOWN_FILE]){0}, PLI_SHOWN_FILE, name)
#define PLI_SHOW_PATH(path) pli_show_end((char[PLI_SHOWN_PATH]){0}, PLI_SHOWN_PATH, path)

#endif
