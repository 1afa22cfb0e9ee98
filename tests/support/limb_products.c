#include "limb_products.h"

uint64_t limb_products;

void counted_multiply(pli_wide *r, const pli_wide *a, const pli_wide *b)
{
    limb_products += (uint64_t)a->count * (uint64_t)b->count;
    pli_wide_multiply(r, a, b);
}
