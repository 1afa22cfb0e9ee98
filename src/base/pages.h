/*
 * The pool of pages that bodies keep refreshed nodes in: pages go from body to body, and back to
 * the allocator only when the context ends.
 */
#ifndef PLI_BASE_PAGES_H
#define PLI_BASE_PAGES_H

#include "error.h"

/*
 * A page of the pool: PLI_PAGE_SIZE bytes, described elsewhere. What is kept about pages lies close
 * together, so that taking and returning those of many bodies does not read from each of them.
 */
typedef struct pli_page {
    struct pli_page *next;
    char *memory;
    uint32_t worker; /* who wrote to it last, and has it in its cache perhaps */
    bool pooled;     /* it is in the pool; for asserts only */
} pli_page;

#define PLI_PAGE_SIZE ((size_t)32 * 1024)

typedef struct pli_page_pool pli_page_pool;

/* An empty pool for so many workers. */
pliant_result pli_page_pool_create(const pliant_allocator *allocator, uint32_t workers,
                                   pli_page_pool **pool);

/* Gives all pages back to the allocator; none may be in use. NULL is ignored. */
void pli_page_pool_destroy(pli_page_pool *pool);

/* Takes a page, one of the worker's own if there is any, or from the allocator; NULL when there is
   no memory. */
pli_page *pli_page_pool_take(pli_page_pool *pool, uint32_t worker);

/* Takes a list of pages back, linked by `next`. NULL is the empty list. */
void pli_page_pool_return(pli_page_pool *pool, pli_page *first);

/* Bytes of the pool and of the pages that wait in it. */
uint64_t pli_page_pool_memory(const pli_page_pool *pool);

#endif
