/* Rows of the tables of keys (keys.h), and the tables that one file defines and another refers to.
 */
#ifndef VO_SCENE_KEYS_TABLE_H
#define VO_SCENE_KEYS_TABLE_H

#include "scene/keys.h"

#include <stddef.h>

/* A row: name, kind, fallback, unit, meaning, then other members by their names. */
#define KEY(name_, kind_, fallback_, unit_, meaning_, ...)                           \
    {                                                                                \
        .name = name_, .kind = VO_KEY_##kind_, .fallback = fallback_, .unit = unit_, \
        .meaning = meaning_, __VA_ARGS__                                             \
    }
#define END \
    { .name = NULL }

extern const vo_key vo_fan_keys[], vo_realtime_keys[], vo_upsampling_keys[];

#endif
