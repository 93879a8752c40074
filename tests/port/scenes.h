/* Scenes of the port test, built in memory through the public interface.
 *
 * Coordinates are computed with + - * / and constants only, so every port starts from the same
 * bits. */
#ifndef VOILE_TESTS_PORT_SCENES_H
#define VOILE_TESTS_PORT_SCENES_H

#include <voile/rt.h>

/* Ends the program with status 1 and the text on standard error unless the condition holds. */
void check(bool condition, const char *text);
void check_ok(vo_result result, const char *text);

/* Allocator that counts the blocks in use. */
vo_allocator port_allocator(void);
long port_live_blocks(void);

/* 64-bit FNV-1a of the bytes, continued from `hash`. */
#define HASH_START UINT64_C(0xcbf29ce484222325)
uint64_t hash_bytes(uint64_t hash, const void *data, size_t bytes);

enum { SCENE_MAX_BODIES = 8 };

/* A world with moving bodies, a cloth among them and a second one beside them, which is a second
 * task for threads. */
typedef struct scene {
    const char *name;
    vo_rt_world *world;
    vo_rt_asset *asset;
    vo_rt_cloth *cloth, *second;
    int body_count;
    vo_rt_body *body[SCENE_MAX_BODIES];
    void (*pose)(struct scene *s, float time);
} scene;

typedef scene create_scene_fn(int threads);

/* A square sheet that falls on shapes of six kinds and on a rotating triangle mesh, in gusts. */
scene create_drape(int threads);
/* Two pieces seamed to a shirt on a skinned mesh whose lower bone swings, with a fan. */
scene create_shirt(int threads);
/* Sets the poses, wind and fans of a frame at 60 Hz. */
void pose_scene(scene *s, int frame);
void destroy_scene(scene *s);

/* Assets of the two scenes; the caller destroys them. */
vo_rt_asset *create_sheet_asset(void);
/* Seamed: pieces are pulled together by simulation and then merged. */
vo_rt_asset *create_shirt_asset(void);

#endif
