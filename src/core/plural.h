/* Numbers with their nouns, for messages. */
#ifndef VO_CORE_PLURAL_H
#define VO_CORE_PLURAL_H

#include <stdint.h>
#include <stdio.h>

typedef struct vo_counted {
    char s[160];
} vo_counted;

/* "1 node is", "5 nodes are": the number, then `one` or `many`. */
static inline vo_counted vo_count_words(int64_t count, const char *one, const char *many) {
    vo_counted out;
    snprintf(out.s, sizeof out.s, "%lld %s", (long long)count, count == 1 ? one : many);
    return out;
}

/* The ending of a regular noun after this number: "%d node%s". */
static inline const char *vo_plural(int64_t count) { return count == 1 ? "" : "s"; }

#endif
