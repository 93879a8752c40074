/* The colours that things have unless told otherwise. */
#ifndef VO_PICTURE_PALETTE_H
#define VO_PICTURE_PALETTE_H

#include "picture/model.h"

/* The colour 0xRRGGBB of a screen as light. */
vo_vec3 vo_colour_linear(unsigned rgb);

/* Cloth in this colour: woven, the back a little darker. */
vo_paint vo_paint_cloth(unsigned rgb);
/* The grey of a shop's mannequin. */
vo_paint vo_paint_obstacle(void);

/* The i-th colour of cloth, over and over. */
unsigned vo_palette(int i);

#endif
