// SPDX-License-Identifier: GPL-2.0-only
/*
 * nvme_pci.c - a PCIe card comes, goes, sleeps; errors of its bus.
 *
 * No disk is taken that was not given to us: the table of ids has open-channel
 * cards only, which are nobody else's.  Any other card comes by its driver_override
 * in sysfs.
 *
 * I1  A controller has one struct vsl_nvme_ctrl from probe to remove, which the PCI
 *     core never calls at once.
 * I2  The way down: cards first, as long as the controller works or everything ends
 *     by itself; then watch and reset; then the controller; then interrupts; then
 *     memory.
 * I3  A card that was pulled is given up before its cards are detached, so that
 *     nobody waits for it.
 */
#include "nvme.h"

#include <linux/cpumask.h>
#include <linux/dma-mapping.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "../card.h"
#include "nvme_vector.h"

#define BAR		0
#define IDLE_MS		5000

/* pci_device_id.driver_data */
#define KIND_ANY		0
#define KIND_OPEN_CHANNEL	1

void vsl_nvme_log(struct vsl_nvme_ctrl *ctrl, bool error, const char *fmt, ...)
{
	struct va_format vaf = { .fmt = fmt };
	va_list args;

	va_start(args, fmt);
	vaf.va = &args;
	if (error)
		pr_err("fioerr %s: %pV\n", ctrl->label, &vaf);
	else
		pr_info("fioinf %s: %pV\n", ctrl->label, &vaf);
	va_end(args);
}

/* ---- interrupts ------------------------------------------------------------- */

static irqreturn_t queue_irq(int irq, void *data)
{
	struct vsl_nvme_queue *queue = data;

	return vsl_nvme_queue_reap(queue) ? IRQ_HANDLED : IRQ_NONE;
}

/**
 * vsl_nvme_vectors_free() - free all interrupts; none is being handled afterwards
 * @ctrl: the controller
 *
 * Context: process, may sleep.
 */
void vsl_nvme_vectors_free(struct vsl_nvme_ctrl *ctrl)
{
	struct vsl_nvme_queue *queue;
	u32 id;

	for (id = 0; id < ctrl->nr_allocated; id++) {
		queue = &ctrl->queue[id];
		if (queue->has_irq)
			pci_free_irq(ctrl->pdev, queue->vector, queue);
		queue->has_irq = false;
	}
	if (ctrl->nr_vectors)
		pci_free_irq_vectors(ctrl->pdev);
	ctrl->nr_vectors = 0;
}

static int request_irqs(struct vsl_nvme_ctrl *ctrl)
{
	struct vsl_nvme_queue *queue;
	u32 id;
	int ret;

	for (id = 0; id <= ctrl->nr_io; id++) {
		queue = &ctrl->queue[id];
		queue->vector = vsl_nvme_vector_of(id, ctrl->nr_vectors);
		ret = pci_request_irq(ctrl->pdev, queue->vector, queue_irq,
				      NULL, queue, "openvsl %s queue %u",
				      pci_name(ctrl->pdev), id);
		if (ret)
			return ret;
		queue->has_irq = true;
	}
	return 0;
}

/* Each CPU has the queue whose interrupt comes to it, or some other one. */
static void assign_cpus(struct vsl_nvme_ctrl *ctrl)
{
	const struct cpumask *mask;
	u32 id, nth = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		ctrl->queue_of[cpu] = 1 + nth++ % ctrl->nr_io;
	for (id = 1; ctrl->nr_vectors > 1 && id <= ctrl->nr_io; id++) {
		mask = pci_irq_get_affinity(ctrl->pdev, ctrl->queue[id].vector);
		if (!mask)
			continue;
		for_each_cpu(cpu, mask)
			ctrl->queue_of[cpu] = id;
	}
}

/**
 * vsl_nvme_vectors() - get interrupts, instead of those that it has
 * @ctrl: the controller, with nothing under way
 * @nr_io: queues for I/O that could have one, 0 at first; fewer are used where
 *	   there are not as many
 *
 * Context: process, may sleep.
 * Return: 0, or an error; vsl_nvme_vectors_free() is right in both cases.
 */
int vsl_nvme_vectors(struct vsl_nvme_ctrl *ctrl, u32 nr_io)
{
	struct irq_affinity affinity = { .pre_vectors = 1 };
	unsigned int flags = PCI_IRQ_ALL_TYPES | PCI_IRQ_AFFINITY;
	int ret;

	vsl_nvme_vectors_free(ctrl);
	if (nr_io)
		ret = pci_alloc_irq_vectors_affinity(ctrl->pdev, 1, nr_io + 1,
						     flags, &affinity);
	else
		ret = pci_alloc_irq_vectors(ctrl->pdev, 1, 1,
					    PCI_IRQ_ALL_TYPES);
	if (ret < 0)
		return ret;
	ctrl->nr_vectors = ret;
	if (nr_io)
		ctrl->nr_io = vsl_nvme_queues_with(nr_io, ret);
	ret = request_irqs(ctrl);
	if (!ret && nr_io)
		assign_cpus(ctrl);
	return ret;
}

/* ---- coming and going ------------------------------------------------------- */

static int map_registers(struct vsl_nvme_ctrl *ctrl)
{
	struct pci_dev *pdev = ctrl->pdev;
	u64 most = NVME_REG_DOORBELLS +
		   2ull * (VSL_NVME_QUEUES_MAX + 1) * (4u << 15);

	ctrl->bar_bytes = min_t(u64, pci_resource_len(pdev, BAR), most);
	if (!(pci_resource_flags(pdev, BAR) & IORESOURCE_MEM) ||
	    ctrl->bar_bytes < NVME_REG_DOORBELLS + 4 * sizeof(u32)) {
		vsl_nvme_log(ctrl, true,
			     "Refused: it has no registers of an NVMe controller");
		return -ENODEV;
	}
	ctrl->bar = ioremap(pci_resource_start(pdev, BAR), ctrl->bar_bytes);
	return ctrl->bar ? 0 : -ENOMEM;
}

static int enable_device(struct vsl_nvme_ctrl *ctrl)
{
	struct pci_dev *pdev = ctrl->pdev;
	int ret;

	ret = pci_enable_device_mem(pdev);
	if (ret)
		return ret;
	ret = pci_request_mem_regions(pdev, KBUILD_MODNAME);
	if (ret)
		goto out_disable;
	pci_set_master(pdev);
	ret = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));
	if (ret)
		ret = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(32));
	if (ret)
		goto out_regions;
	dma_set_min_align_mask(&pdev->dev, NVME_PAGE_BYTES - 1);
	ret = map_registers(ctrl);
	if (!ret) {
		/* For the end of a bus error. */
		pci_save_state(pdev);
		return 0;
	}

out_regions:
	pci_clear_master(pdev);
	pci_release_mem_regions(pdev);
out_disable:
	pci_disable_device(pdev);
	return ret;
}

static void disable_device(struct vsl_nvme_ctrl *ctrl)
{
	iounmap(ctrl->bar);
	pci_clear_master(ctrl->pdev);
	pci_release_mem_regions(ctrl->pdev);
	/* The core has done so where its bus had an error. */
	if (pci_is_enabled(ctrl->pdev))
		pci_disable_device(ctrl->pdev);
}

static struct vsl_nvme_ctrl *alloc_ctrl(struct pci_dev *pdev)
{
	struct vsl_nvme_ctrl *ctrl;

	ctrl = kzalloc(sizeof(*ctrl), GFP_KERNEL);
	if (!ctrl)
		return NULL;
	ctrl->wq = alloc_workqueue("openvsl_nvme %s", WQ_MEM_RECLAIM |
				   WQ_UNBOUND, 0, pci_name(pdev));
	if (!ctrl->wq) {
		kfree(ctrl);
		return NULL;
	}
	ctrl->pdev = pdev;
	snprintf(ctrl->label, sizeof(ctrl->label), "openvsl %s",
		 pci_name(pdev));
	ratelimit_state_init(&ctrl->log_limit, 5 * HZ, 10);
	ratelimit_state_init(&ctrl->event_limit, 3600 * HZ, 5);
	INIT_LIST_HEAD(&ctrl->namespaces);
	mutex_init(&ctrl->life);
	spin_lock_init(&ctrl->logs_lock);
	ctrl->temp_millic = S32_MIN;
	ctrl->temp_max_millic = S32_MIN;
	ctrl->next_smart = jiffies;
	ctrl->next_event = jiffies;
	init_completion(&ctrl->event_done);
	ctrl->shutdown_ms = IDLE_MS;
	vsl_nvme_error_init(ctrl);
	return ctrl;
}

static void free_ctrl(struct vsl_nvme_ctrl *ctrl)
{
	destroy_workqueue(ctrl->wq);
	mutex_destroy(&ctrl->life);
	kfree(ctrl);
}

/* Nothing of the driver uses the card any more. */
static void take_down(struct vsl_nvme_ctrl *ctrl)
{
	mutex_lock(&ctrl->life);
	if (ctrl->state != VSL_NVME_DEAD) {
		vsl_nvme_pause(ctrl, IDLE_MS);
		vsl_nvme_shut_down(ctrl);
		vsl_nvme_kill(ctrl, NULL);
	}
	mutex_unlock(&ctrl->life);
	/* They see that it is dead, and end. */
	cancel_delayed_work_sync(&ctrl->watch);
	cancel_work_sync(&ctrl->reset);
	vsl_nvme_vectors_free(ctrl);
}

static int probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct vsl_nvme_ctrl *ctrl = alloc_ctrl(pdev);
	int ret;

	if (!ctrl)
		return -ENOMEM;
	if (id->driver_data == KIND_OPEN_CHANNEL) {
		vsl_nvme_log(ctrl, true,
			     "An open-channel card, which this version cannot drive yet");
		ret = -ENODEV;
		goto out_free;
	}
	ret = enable_device(ctrl);
	if (ret)
		goto out_free;
	pci_set_drvdata(pdev, ctrl);
	mutex_lock(&ctrl->life);
	ret = vsl_nvme_start(ctrl);
	mutex_unlock(&ctrl->life);
	if (ret)
		goto out_down;
	queue_delayed_work(ctrl->wq, &ctrl->watch, HZ);
	vsl_nvme_find_namespaces(ctrl);
	return 0;

out_down:
	take_down(ctrl);
	vsl_nvme_free_queues(ctrl);
	disable_device(ctrl);
out_free:
	free_ctrl(ctrl);
	return ret;
}

static void remove(struct pci_dev *pdev)
{
	struct vsl_nvme_ctrl *ctrl = pci_get_drvdata(pdev);

	mutex_lock(&ctrl->life);
	if (vsl_nvme_is_gone(ctrl))
		vsl_nvme_kill(ctrl, "it was pulled");
	mutex_unlock(&ctrl->life);

	vsl_nvme_remove_cards(ctrl);
	take_down(ctrl);
	vsl_nvme_drop_namespaces(ctrl);
	vsl_nvme_free_queues(ctrl);
	disable_device(ctrl);
	free_ctrl(ctrl);
}

/* The machine goes down, or another kernel follows: what could be detached is. */
static void shutdown(struct pci_dev *pdev)
{
	take_down(pci_get_drvdata(pdev));
}

/* ---- sleep ------------------------------------------------------------------ */

static int suspend(struct device *dev)
{
	struct vsl_nvme_ctrl *ctrl = dev_get_drvdata(dev);

	mutex_lock(&ctrl->life);
	if (ctrl->state == VSL_NVME_LIVE) {
		vsl_nvme_pause(ctrl, IDLE_MS);
		vsl_nvme_shut_down(ctrl);
		ctrl->state = VSL_NVME_ASLEEP;
		ctrl->is_up = false;
	}
	mutex_unlock(&ctrl->life);
	return 0;
}

/* Bring it up again if it is in @state. */
static void restart_from(struct vsl_nvme_ctrl *ctrl, enum vsl_nvme_state state)
{
	mutex_lock(&ctrl->life);
	if (ctrl->state == state && vsl_nvme_restart(ctrl))
		vsl_nvme_kill(ctrl, "it does not wake up");
	mutex_unlock(&ctrl->life);
}

static int resume(struct device *dev)
{
	restart_from(dev_get_drvdata(dev), VSL_NVME_ASLEEP);
	return 0;
}

static DEFINE_SIMPLE_DEV_PM_OPS(pm_ops, suspend, resume);

/* ---- errors of its bus ------------------------------------------------------ */

static pci_ers_result_t error_detected(struct pci_dev *pdev,
				       pci_channel_state_t state)
{
	struct vsl_nvme_ctrl *ctrl = pci_get_drvdata(pdev);
	pci_ers_result_t ret = PCI_ERS_RESULT_NEED_RESET;

	if (state == pci_channel_io_normal)
		return PCI_ERS_RESULT_CAN_RECOVER;
	mutex_lock(&ctrl->life);
	if (state == pci_channel_io_perm_failure)
		vsl_nvme_kill(ctrl, "its bus has failed");
	if (ctrl->state == VSL_NVME_DEAD) {
		ret = PCI_ERS_RESULT_DISCONNECT;
	} else {
		vsl_nvme_log(ctrl, true, "Its bus has an error");
		vsl_nvme_pause(ctrl, 0);
		ctrl->state = VSL_NVME_BROKEN;
		ctrl->stopped = jiffies;
	}
	mutex_unlock(&ctrl->life);
	return ret;
}

static pci_ers_result_t slot_reset(struct pci_dev *pdev)
{
	struct vsl_nvme_ctrl *ctrl = pci_get_drvdata(pdev);

	pci_restore_state(pdev);
	pci_save_state(pdev);
	restart_from(ctrl, VSL_NVME_BROKEN);
	return ctrl->state == VSL_NVME_LIVE ? PCI_ERS_RESULT_RECOVERED :
	       PCI_ERS_RESULT_DISCONNECT;
}

/* Somebody resets the function, by sysfs. */
static void reset_prepare(struct pci_dev *pdev)
{
	suspend(&pdev->dev);
}

static void reset_done(struct pci_dev *pdev)
{
	resume(&pdev->dev);
}

static const struct pci_error_handlers error_handlers = {
	.error_detected = error_detected,
	.slot_reset = slot_reset,
	.reset_prepare = reset_prepare,
	.reset_done = reset_done,
};

/* ---- the driver ------------------------------------------------------------- */

static const struct pci_device_id ids[] = {
	{ PCI_DEVICE(0x1d1d, 0x1f1f), .driver_data = KIND_OPEN_CHANNEL },
	{ PCI_DEVICE(0x1d1d, 0x2807), .driver_data = KIND_OPEN_CHANNEL },
	{ PCI_DEVICE(0x1d1d, 0x2601), .driver_data = KIND_OPEN_CHANNEL },
	{ }
};
MODULE_DEVICE_TABLE(pci, ids);

static struct pci_driver pci_driver = {
	.name = "openvsl",
	.id_table = ids,
	.probe = probe,
	.remove = remove,
	.shutdown = shutdown,
	.err_handler = &error_handlers,
	.driver.pm = pm_sleep_ptr(&pm_ops),
};

int vsl_nvme_init(void)
{
	return pci_register_driver(&pci_driver);
}

void vsl_nvme_exit(void)
{
	pci_unregister_driver(&pci_driver);
}
