/* What a call of the page leaves behind: bytes, or a sentence. */
#ifndef WEB_WASM_PAGE_H
#define WEB_WASM_PAGE_H

#include <stdbool.h>
#include <stddef.h>

/* Keeps bytes from malloc() for the page to read. */
void page_set_made(unsigned char *bytes, size_t size);

/* Keeps a sentence that says what went wrong; returns false. */
bool page_fail(const char *sentence);

#endif
