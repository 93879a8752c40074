/* Contacts into the matrix and the right side of the step. */
#ifndef VO_INTEGRATE_CONTACTS_H
#define VO_INTEGRATE_CONTACTS_H

#include "integrate/implicit.h"

/* Adds them to the blocks on and above the diagonal, before these are mirrored, and to the
 * couplings; fixed rows take part in neither. */
vo_result vo_contacts_add(vo_implicit *implicit, int count, const vo_contact *contact);

#endif
