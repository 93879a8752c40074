/* Clip files: whatever the bytes, the answer is a clip that can be posed at any time or a message.
 */
#include "fuzz.h"

#include "scene/clip.h"

static void check_pose(const vo_clip *clip, double time) {
    vo_skeleton skeleton = vo_skeleton_make(NULL);
    vo_clip_foot feet[VO_CLIP_SIDES];
    vo_body_pose pose = vo_clip_pose(clip, &skeleton, time, feet);
    fuzz_require(v3_is_finite(pose.translation), "the hips are nowhere");
    for (int b = 0; b < VO_BONE_COUNT; b++) {
        vo_quat q = pose.rotation[b];
        fuzz_require(fabs(q_dot(q, q) - 1) < 1e-9, "a rotation that is none");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_run run;
    vo_context *ctx = fuzz_begin(&run);
    vo_clip *clip;
    fuzz_check(ctx, vo_clip_parse(ctx, "input", (const char *)data, size, &clip));
    if (clip) {
        const double share[] = {-1e300, -0.7, 0, 0.01, 0.5, 0.9, 1, 7.3, 1e300};
        for (int i = 0; i < 9; i++) check_pose(clip, share[i] * clip->duration);
    }
    vo_clip_destroy(clip);
    fuzz_end(&run);
    return 0;
}
