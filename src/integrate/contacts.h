/* Adds contacts to the matrix and right-hand side of a step. */
#ifndef VO_INTEGRATE_CONTACTS_H
#define VO_INTEGRATE_CONTACTS_H

#include "integrate/implicit.h"

/* Adds contacts to the blocks on and above the diagonal, before symmetrising, and to the couplings;
 * fixed rows are skipped. */
vo_result vo_contacts_add(vo_implicit *implicit, int count, const vo_contact *contact);

#endif
