/* Clip files: any input gives a clip that can be evaluated at any time, or a message. */
#include "fuzz.h"

#include "character/clip.h"

static void check_pose(const vo_clip *clip, double time) {
    vo_skeleton skeleton = vo_skeleton_make(NULL);
    vo_clip_foot feet[VO_CLIP_SIDES];
    vo_body_pose pose = vo_clip_pose(clip, &skeleton, time, feet);
    fuzz_require(v3_is_finite(pose.translation), "invalid position of the hips");
    for (int b = 0; b < VO_BONE_COUNT; b++) {
        vo_quat q = pose.rotation[b];
        fuzz_require(fabs(q_dot(q, q) - 1) < 1e-9, "invalid rotation");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_run run;
    vo_context *ctx = fuzz_begin(&run);
    vo_clip *clip;
    fuzz_check(ctx, vo_clip_parse(ctx, "input", (const char *)data, size, &clip));
    if (clip) {
        const double fraction[] = {-1e300, -0.7, 0, 0.01, 0.5, 0.9, 1, 7.3, 1e300};
        for (int i = 0; i < 9; i++) check_pose(clip, fraction[i] * clip->duration);
    }
    vo_clip_destroy(clip);
    fuzz_end(&run);
    return 0;
}
