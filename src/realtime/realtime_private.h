/* State of the real-time engine. */
#ifndef VO_REALTIME_PRIVATE_H
#define VO_REALTIME_PRIVATE_H

#include "character/body.h"
#include "core/memory.h"
#include "realtime/realtime.h"

#include <voile/rt.h>

/* An asset and the properties of its base mesh that the real-time library does not keep. */
typedef struct vo_realtime_asset {
    vo_rt_asset *asset;
    int first_cloth; /* the cloth that it was made of */
    int face_count, node_count;
    int (*face)[2]; /* [face_count] label and patch of a base triangle */
    int (*node)[2]; /* [node_count] node of the scene's mesh (-1: none) and label of a vertex */
} vo_realtime_asset;

typedef struct vo_realtime_cloth {
    vo_rt_cloth *cloth;
    int asset;
    vo_transform placement; /* of the asset in the world, scale 1 */
    uint64_t topology;      /* of the leaves that the mesh was made of; 0: none */
    int slot_capacity;
    int *slot_node; /* [slot_capacity] node of a vertex slot, -1 */
    bool warned_strain;
} vo_realtime_cloth;

typedef struct vo_realtime_body {
    vo_rt_body *body;
    bool is_static, by_vertices;
    int bone_count;     /* by capsules on bones; 0: by the mesh */
    vo_rt_matrix *bone; /* [bone_count] scratch */
    vo_affine *motion;  /* [bone_count] scratch */
    vo_rt_vec3 *vertex; /* [node_count] m, pose for by_vertices */
    vo_vec3 center;     /* m, of the last pose, to detect teleports */
    bool has_center;
} vo_realtime_body;

/* Base vertices that a handle holds. */
typedef struct vo_realtime_handle {
    int count;
    int *vertex;
    vo_vec3 *attachment; /* [count] as vo_handle_state.attachment */
    bool is_active, is_held;
} vo_realtime_handle;

struct vo_realtime {
    vo_context *ctx;
    vo_sim *sim;
    vo_rt_world *world;
    int asset_count;
    vo_realtime_asset *asset;   /* [asset_count, of scene->cloth_count] */
    vo_realtime_cloth *cloth;   /* [scene->cloth_count] */
    vo_realtime_body *body;     /* [scene->obstacle_count] */
    vo_realtime_handle *handle; /* [scene->handle_count] */
    /* During creation: detail mesh of the asset of a cloth; NULL: none. */
    const vo_rt_detail_def *detail;
    int detail_cloth;
    int pose_steps;          /* poses of bodies per frame */
    int minor_steps;         /* simulation steps per pose */
    int intersecting_frames; /* consecutive frames up to the last one whose cloth intersects */
    size_t snapshot_capacity;
    void *snapshot;
    vo_arena scratch;
};

/* Prefixes the message of the world's last failure with an object: "obstacle 3: ...". */
vo_result vo_realtime_fail(const vo_realtime *r, vo_result result, const char *object, int index);

/* realtime_assets.c: sets the assets and those of the cloths from the sewn cloths. */
vo_result vo_realtime_create_assets(vo_realtime *r);
vo_result vo_realtime_add_asset(vo_realtime *r, vo_rt_asset *asset, int first_cloth,
                                vo_realtime_asset **out);
void vo_realtime_free_assets(vo_realtime *r);
/* Sets cloth.asset and cloth.placement of all cloths for the assets of a saved run. */
vo_result vo_realtime_find_assets(vo_realtime *r);
/* Number of garments below a garment on the same character; 0 for other cloths. */
int vo_realtime_layer(const vo_scene *scene, int cloth);
/* Parameters of a cloth for the current scene. Each layer is a repulsion thickness further from
 * bodies than the one below, so that contact with a body keeps the order of layers. */
vo_rt_fabric vo_realtime_fabric(const vo_realtime *r, int cloth, const vo_mesh *mesh);

/* realtime_bodies.c */
vo_result vo_realtime_create_bodies(vo_realtime *r);
void vo_realtime_free_bodies(vo_realtime *r);
/* Evaluates obstacles at time t and passes their poses to the world; dt is the time since the last
 * pose, 0: none. */
vo_result vo_realtime_pose_bodies(vo_realtime *r, double t, double dt);

/* realtime_capsules.c: writes capsules on the bones of a body, at most `capacity`, in the rest pose
 * of its mesh. */
vo_result vo_realtime_fit_capsules(vo_context *ctx, const struct vo_body *body, int capacity,
                                   vo_rt_shape *out, int *count);

/* realtime_handles.c */
vo_result vo_realtime_create_handles(vo_realtime *r);
void vo_realtime_free_handles(vo_realtime *r);
/* Attaches handles that begin in a step at the current positions of vertices and obstacles. */
void vo_realtime_attach_handles(vo_realtime *r, double begin, double end);
/* Moves attachments to time t, at which the obstacles are. */
vo_result vo_realtime_move_handles(vo_realtime *r, double t);

/* realtime_world.c */
vo_result vo_realtime_create_world(vo_realtime *r);
vo_result vo_realtime_create_cloths(vo_realtime *r);
void vo_realtime_free_cloths(vo_realtime *r);
/* Sets wind, fans and cameras for time t. */
vo_result vo_realtime_set_environment(vo_realtime *r, double t);
/* Logs keys of the scene without effect. */
void vo_realtime_warn(const vo_realtime *r);

/* realtime_warn.c: logs implausible strain and lasting intersections after a frame. */
void vo_realtime_warn_frame(vo_realtime *r);

/* realtime_state.c */
vo_result vo_realtime_read_assets(vo_realtime *r, vo_vof_reader *reader, const char *path);
vo_result vo_realtime_read_state(vo_realtime *r, vo_vof_reader *reader, const char *path);

/* realtime.c: poses of bodies and steps of the world up to the end of the frame, without its
 * meshes. */
vo_result vo_realtime_advance(vo_realtime *r);

static inline vo_rt_vec3 vo_rt_vec3_of(vo_vec3 v) {
    return (vo_rt_vec3){(float)v.x, (float)v.y, (float)v.z};
}
static inline vo_rt_transform vo_rt_transform_of(vo_transform t) {
    return (vo_rt_transform){
        vo_rt_vec3_of(t.translation),
        {(float)t.rotation.x, (float)t.rotation.y, (float)t.rotation.z, (float)t.rotation.w}};
}

#endif
