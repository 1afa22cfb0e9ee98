/* Opens the files that commands read themselves: configs, references and recordings. */
#ifndef TOOL_TEXT_INPUT_H
#define TOOL_TEXT_INPUT_H

#include <stdio.h>

/* Opens a regular file for reading; never waits for the other end of a pipe. NULL with a reason,
   which is valid until the next call of strerror(). */
FILE *text_open(const char *path, const char **reason);

#endif
