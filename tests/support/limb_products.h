/* Counts products of limbs in what is compiled with pli_wide_multiply=counted_multiply. */
#ifndef PLIANT_TESTS_LIMB_PRODUCTS_H
#define PLIANT_TESTS_LIMB_PRODUCTS_H

#include "geometry/wide.h"

extern uint64_t limb_products;

/* Takes the place of pli_wide_multiply(). */
void counted_multiply(pli_wide *r, const pli_wide *a, const pli_wide *b);

#endif
