/* Every key that a scene file may have, in one table per object.
 *
 * The tables serve four ends: a file's keys are checked against them (unknown ones, wrong types),
 * missing ones are filled in from them, the keys of parts to come are told from those acted upon,
 * and docs/scene-reference.md is tested to say the same. */
#ifndef VO_SCENE_KEYS_H
#define VO_SCENE_KEYS_H

#include <stdbool.h>

/* X(kind, how the documentation calls it) */
#define VO_KEY_KINDS(X)                                        \
    X(REAL, "number")                                          \
    X(POSITIVE, "number > 0")                                  \
    X(NONNEGATIVE, "number >= 0")                              \
    X(LIMIT, "number or \"inf\"")                              \
    X(TIME, "number >= 0 or \"inf\"")                          \
    X(COUNT, "whole number >= 1")                              \
    X(INDEX, "whole number >= 0")                              \
    X(CHOICE, "whole number >= -1")                            \
    X(BOOL, "true or false")                                   \
    X(STRING, "string")                                        \
    X(PATH, "path")                                            \
    X(WORD, "word")                                            \
    X(WORDS, "word or array of words")                         \
    X(VEC2, "[2 numbers]")                                     \
    X(VEC3, "[3 numbers]")                                     \
    X(VEC4, "[4 numbers]")                                     \
    X(LIMITS, "[min, max]")                                    \
    X(INDICES, "array of whole numbers >= 0")                  \
    X(STRINGS, "array of strings")                             \
    X(OBJECT, "object")                                        \
    X(ARRAY, "array of objects")                               \
    X(FILE, "path or object")                                  \
    X(MOTIONS, "array of arrays of keyframes, or motion file") \
    X(OBSTACLES, "array of objects, or path with one %d")      \
    X(ANY, "anything")

typedef enum vo_key_kind {
#define X(kind, name) VO_KEY_##kind,
    VO_KEY_KINDS(X)
#undef X
} vo_key_kind;

typedef struct vo_key {
    const char *name;
    const char *fallback;        /* JSON filled in where the key is missing; NULL: nothing is */
    const char *unit;            /* NULL: none. "length" follows the scene's `units` */
    const char *meaning;         /* one sentence for the documentation */
    const struct vo_key *object; /* OBJECT, ARRAY, FILE: keys of it */
    const char *const *words;    /* WORD, WORDS: those allowed, NULL at the end */
    vo_key_kind kind;
    bool required, nonempty;
    bool later; /* accepted and checked, but not yet acted upon or filled in */
} vo_key;

/* Each table ends with a row whose name is NULL. */
typedef struct vo_key_table {
    const char *title; /* as in the documentation */
    const vo_key *keys;
} vo_key_table;

extern const vo_key vo_scene_keys[], vo_keyframe_keys[], vo_motfile_keys[], vo_obstacle_keys[],
    vo_camera_table_keys[], vo_character_keys[], vo_garment_keys[];
extern const vo_key_table vo_key_tables[]; /* all of them; ends with a NULL title */

/* Words, each list with a NULL at its end: in the order of the bits of vo_disable and of the
 * enumerations vo_handle_kind, vo_shape_kind, vo_linear_solver and vo_compensation; sides of a
 * grid; units and axes.
 */
extern const char *const vo_adapt_words[],
    *const vo_disable_words[], *const vo_handle_words[], *const vo_shape_words[],
                                                             *const vo_solver_words[],
                                                                 *const vo_side_words[],
                                                                     *const vo_unit_words[],
                                                                         *const vo_axis_words[];
extern const char *const vo_compensation_words[];

#endif
