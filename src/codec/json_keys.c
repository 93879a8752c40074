/* Detection of unknown keys, with a suggestion by edit distance. */
#include "codec/json.h"
#include "codec/json_private.h"

#include <ctype.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

enum { MAX_KEY = 40 }; /* letters; longer keys are not compared */

static int smaller(int a, int b) { return a < b ? a : b; }

/* Optimal string alignment distance: the number of insertions, deletions, substitutions and swaps
 * of neighbours from a to b, ignoring case. Stores three rows of the table. */
static int edit_distance(const char *a, const char *b) {
    int rows[3][MAX_KEY + 1];
    int length_a = (int)strlen(a), length_b = (int)strlen(b);
    if (length_a > MAX_KEY || length_b > MAX_KEY) return MAX_KEY;
    for (int j = 0; j <= length_b; j++) rows[0][j] = j;
    for (int i = 1; i <= length_a; i++) {
        int *row = rows[i % 3], *above = rows[(i + 2) % 3], *higher = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= length_b; j++) {
            int ca = tolower((unsigned char)a[i - 1]), cb = tolower((unsigned char)b[j - 1]);
            row[j] = smaller(above[j - 1] + (ca != cb), smaller(above[j], row[j - 1]) + 1);
            bool swapped = i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) &&
                           cb == tolower((unsigned char)a[i - 2]);
            if (swapped) row[j] = smaller(row[j], higher[j - 2] + 1);
        }
    }
    return rows[length_a % 3][length_b];
}

const char *vo_json_find_similar(const char *key, const char *const *known) {
    const char *best = NULL;
    int best_distance = (int)strlen(key) / 3 + 1;
    if (best_distance > MAX_KEY / 2) return NULL;
    for (; *known; known++) {
        int distance = edit_distance(key, *known);
        if (distance < best_distance || (distance == best_distance && !best)) {
            best = *known;
            best_distance = distance;
        }
    }
    return best;
}

static vo_result fail_unknown_key(vo_json_cursor object, const char *key,
                                  const char *const *known) {
    char shown[64], list[400] = "";
    vo_json_sanitise(shown, sizeof shown, key);
    const char *similar = vo_json_find_similar(key, known),
               *origin = vo_json_origin(vo_json_get(&object, key));
    if (similar)
        return vo_json_fail_from(object, origin, "unknown key \"%s\"; did you mean \"%s\"?", shown,
                                 similar);
    for (size_t length = 0; *known && length < sizeof list; known++)
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", length ? ", " : "",
                                   *known);
    return vo_json_fail_from(object, origin, "unknown key \"%s\"; known keys: %s", shown, list);
}

static bool is_known(const char *key, const char *const *known) {
    for (; *known; known++)
        if (strcmp(key, *known) == 0) return true;
    return false;
}

vo_result vo_json_check_keys(vo_json_cursor object, const char *const *known) {
    if (!vo_json_is_present(object)) return VO_OK;
    if (vo_json_kind(object) != VO_JSON_OBJECT)
        return vo_json_fail(object, "expected an object, found %s", vo_json_kind_name(object));
    json_object_object_foreach(object.value, key, member) {
        (void)member;
        if (!is_known(key, known)) return fail_unknown_key(object, key, known);
    }
    return VO_OK;
}
