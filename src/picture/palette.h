/* Default colours. */
#ifndef VO_PICTURE_PALETTE_H
#define VO_PICTURE_PALETTE_H

#include "picture/model.h"

/* Converts an sRGB colour 0xRRGGBB to linear. */
vo_vec3 vo_srgb_to_linear(unsigned rgb);

/* Returns a woven cloth material; the back is slightly darker. */
vo_render_material vo_render_material_cloth(unsigned rgb);
/* Returns the grey material of obstacles. */
vo_render_material vo_render_material_obstacle(void);

/* Returns the i-th default cloth colour, cyclic. */
unsigned vo_palette_colour(int i);

#endif
