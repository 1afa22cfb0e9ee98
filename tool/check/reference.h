/* The text file of what was accepted; reference.c describes it. */
#ifndef TOOL_CHECK_REFERENCE_H
#define TOOL_CHECK_REFERENCE_H

#include "accepted.h"

/* The first line of a reference, and the last. */
#define CHECK_REFERENCE_HEAD "pliant-reference 2"
#define CHECK_REFERENCE_END  "end"

/* Reads a reference, which is changed on the way, into what was filed. `path` is for messages. */
check_result check_read_reference_text(check *state, const char *path, char *text);

/* How accepting changed a reference. */
typedef struct check_accepting {
    uint32_t kept, added; /* sites, and bodies inside others */
    uint32_t gone;        /* those that occur no longer, which are left out */
} check_accepting;

/*
 * Writes a reference of what was filed and still occurs, and of all findings that fail. `reason`
 * (NULL: none) goes with the latter. What is gone is named on `log`.
 */
check_result check_write_reference(const check *state, const char *reason, FILE *stream, FILE *log,
                                   check_accepting *accepting);

/* Notes how much of what was filed occurs no longer; only where everything was looked at. */
check_result check_note_gone(check *state);

#endif
