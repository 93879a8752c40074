/* Replaces the header of the C library, which wasi-libc does not have; the tests include it for
 * cmocka only. */
