/* All keys of scene files, in one table per object.
 *
 * The tables drive the check of a file (unknown keys, wrong types), the defaults of missing keys,
 * the warning about keys that are not implemented, and the test of docs/scene-reference.md. */
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
    const char *former;          /* previous name, NULL: none; an error names the new one */
    const char *meaning;         /* one line for the documentation */
    const struct vo_key *object; /* OBJECT, ARRAY, FILE: keys of it */
    const char *const *words;    /* WORD, WORDS: those allowed, NULL at the end */
    vo_key_kind kind;
    bool required, nonempty;
    bool
        unimplemented; /* accepted and checked, but without effect; its fallback is not filled in */
} vo_key;

/* Each table ends with a row whose name is NULL. */
typedef struct vo_key_table {
    const char *title; /* as in the documentation */
    const vo_key *keys;
} vo_key_table;

extern const vo_key vo_scene_keys[], vo_keyframe_keys[], vo_motfile_keys[], vo_obstacle_keys[],
    vo_camera_table_keys[], vo_character_keys[], vo_garment_keys[];
extern const vo_key_table vo_key_tables[]; /* all tables; ends with a NULL title */

/* Word lists, each terminated by NULL. The lists of enumerations are in the order of their values,
 * vo_disable_words in the order of the bits. */
extern const char *const vo_adapt_words[];         /* vo_adapt */
extern const char *const vo_disable_words[];       /* vo_disable */
extern const char *const vo_handle_words[];        /* vo_handle_kind */
extern const char *const vo_shape_words[];         /* vo_shape_kind */
extern const char *const vo_solver_words[];        /* vo_linear_solver */
extern const char *const vo_compensation_words[];  /* vo_compensation */
extern const char *const vo_grid_side_words[];     /* sides of a grid: left, right, bottom, top */
extern const char *const vo_engine_words[];        /* vo_engine */
extern const char *const vo_realtime_words[];      /* vo_realtime_solver */
extern const char *const vo_realtime_body_words[]; /* vo_realtime_bodies */
extern const char *const vo_unit_words[];
extern const char *const vo_axis_words[];

#endif
