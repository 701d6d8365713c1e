/* A module like those of the program: a table that begins with its version. */

extern const char *const test_table[2];
const char *const test_table[2] = { "1.2.3", "what it offers" };
