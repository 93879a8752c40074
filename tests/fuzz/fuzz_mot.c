/* .mot files: any input gives valid motions or a message with a line number. */
#include "scene/motion.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition) {
    if (!condition) abort();
}

static void check_body(const vo_motion *body) {
    require(body->key_count > 0);
    for (int k = 0; k < body->key_count; k++) {
        vo_transform pose = vo_motion_pose(body, (k + 0.5) / 30);
        require(pose.scale > 0 && fabs(q_dot(pose.rotation, pose.rotation) - 1) < 1e-9);
        require(k == 0 || body->key[k].time > body->key[k - 1].time);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    vo_context_def def = vo_context_def_default();
    def.threads = 1;
    vo_context *ctx;
    if (vo_context_create(&def, &ctx) != VO_OK) return 0;
    vo_mot mot;
    vo_result result =
        vo_mot_parse(ctx, "fuzz.mot", (const char *)data, size, 30, xf_identity(), &mot);
    require((result == VO_OK) == (mot.body_count > 0));
    if (result != VO_OK) require(strstr(vo_context_message(ctx), "fuzz.mot: line ") != NULL);
    for (int b = 0; b < mot.body_count; b++) check_body(&mot.body[b]);
    vo_mot_free(&mot);
    vo_context_destroy(ctx);
    return 0;
}
