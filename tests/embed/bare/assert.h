/* The <assert.h> of a machine without a C library: what the library is compiled with where nobody
 * hears an assert. */
#define assert(CONDITION) ((void)0)
