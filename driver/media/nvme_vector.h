/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * nvme_vector.h - which queue has which interrupt: pure functions.
 *
 * With one interrupt, of whatever kind, there is one queue for I/O, which shares it
 * with the queue of administration. With more, that queue has number 0 for itself,
 * and every queue for I/O one of its own. So it makes no difference whether they are
 * MSI-X, MSI, or the wire.
 */
#ifndef VSL_MEDIA_NVME_VECTOR_H
#define VSL_MEDIA_NVME_VECTOR_H

/**
 * vsl_nvme_queues_with() - how many queues for I/O can be used
 * @queues: that the card and the machine have, 1 at least
 * @vectors: interrupts that there are, 1 at least
 */
static inline u32 vsl_nvme_queues_with(u32 queues, u32 vectors)
{
	u32 most = vectors > 1 ? vectors - 1 : 1;

	return queues < most ? queues : most;
}

/**
 * vsl_nvme_vector_of() - the interrupt of a queue
 * @id: its number, 0 for administration
 * @vectors: interrupts that there are, 1 at least
 */
static inline u32 vsl_nvme_vector_of(u32 id, u32 vectors)
{
	return vectors > 1 ? id : 0;
}

#endif /* VSL_MEDIA_NVME_VECTOR_H */
