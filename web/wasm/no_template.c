/* The page shows reports itself: the template of tool/report, which check_write_page() fills, is
   left out of the module. */
#include <stddef.h>

extern const unsigned char page_template[];
extern const size_t page_template_size;
const unsigned char page_template[] = {0};
const size_t page_template_size = 0;
