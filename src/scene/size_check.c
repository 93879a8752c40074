#include "scene/size_check.h"

#include <stdio.h>

bool vo_size_is_implausible(const vo_mesh *mesh, const vo_usual_size *usual, bool has_units,
                            char text[VO_SIZE_WARNING_TEXT]) {
    vo_vec3 size = vo_mesh_size(mesh);
    double extent = vo_max(size.x, vo_max(size.y, size.z));
    if (extent >= usual->smallest && extent <= usual->largest) return false;
    snprintf(text, VO_SIZE_WARNING_TEXT,
             "the %s measures %.3g x %.3g x %.3g m, which is unlikely for %s; %s", usual->what,
             size.x, size.y, size.z, usual->such,
             has_units ? "check that units is the unit of its file"
                       : "if its file is not in metres, set units, for example to \"cm\"");
    return true;
}

bool vo_body_is_implausible(const vo_body *body, bool has_units, char text[VO_SIZE_WARNING_TEXT]) {
    static const vo_usual_size usual = {"body", "a body", 0.25, 10}; /* doll to giant */
    return vo_size_is_implausible(vo_body_rest_mesh(body), &usual, has_units, text);
}
