/* Sets of nodes that become one: a forest in an array, the lowest node of a set its root. */
#ifndef VO_SCENE_PATTERN_GROUPS_H
#define VO_SCENE_PATTERN_GROUPS_H

#include "scene/pattern.h"

void vo_groups_init(int count, int *group);
int vo_groups_find(int *group, int i);
void vo_groups_join(int *group, int a, int b);
/* Afterwards group[i] is the root itself. */
void vo_groups_flatten(int count, int *group);

#endif
