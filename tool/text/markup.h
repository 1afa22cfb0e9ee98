/* Text and bytes inside HTML, SVG and XML, for the charts of the documentation and for the pages.
 */
#ifndef TOOL_TEXT_MARKUP_H
#define TOOL_TEXT_MARKUP_H

#include <stddef.h>
#include <stdio.h>

/* Text in which nothing is taken for markup, inside attributes too, and everything can be seen
   (characters.h): other characters, and bytes that are no UTF-8, are '?'. */
void markup_text(FILE *stream, const char *text);

/* The same for XML 1.0, which has no control characters: ends of lines are kept, others are blanks.
 */
void markup_xml_text(FILE *stream, const char *text);

/* Calls one after the other join without padding if all but the last are multiples of 3 bytes. */
void markup_base64(FILE *stream, const void *data, size_t size);

#endif
