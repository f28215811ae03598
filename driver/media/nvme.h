/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nvme.h - the NVMe transport: what its files share, and what a personality (flat
 * namespaces, zones, open channel) gets from it.
 *
 *	nvme_pci.c	a card comes, goes, sleeps; errors of its bus
 *	nvme_ctrl.c	its controller is brought up, reset, shut down
 *	nvme_admin.c	commands for the controller itself
 *	nvme_queue.c	rings: commands out, completions in
 *	nvme_doorbell.c	telling the card of them
 *	nvme_merge.c	neighbours that one command reads
 *	nvme_command.c	commands that all personalities make
 *	nvme_dma.c	memory of an operation as a card wants to see it
 *	nvme_health.c	its temperature and warnings
 *	nvme_firmware.c	its logs, and another firmware for it
 *	nvme_logs.c	what logs say, and the commands of an update
 *	nvme_event.c	what it says unasked
 *	nvme_error.c	what takes too long, and what is done about it
 *	nvme_status.c	how a command ended
 *
 * Lock order: ctrl->life, then anything of card.c; queue->lock is taken alone, in
 * any context, and never held for what is called back (op->end, media->event).
 */
#ifndef VSL_MEDIA_NVME_H
#define VSL_MEDIA_NVME_H

#include <linux/completion.h>
#include <linux/device.h>
#include <linux/dmapool.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/ratelimit.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "media.h"
#include "nvme_spec.h"
#include "nvme_status.h"

struct vsl_card;
struct vsl_nvme_ctrl;
struct vsl_nvme_ns;
struct vsl_nvme_queue;

/* Entries of a queue, at most; a command's tag is its index. */
#define VSL_NVME_DEPTH		128u
#define VSL_NVME_QUEUES_MAX	64u	/* for I/O */
#define VSL_NVME_NS_MAX		32u	/* namespaces that are looked at */
#define VSL_NVME_BLOCKS_MAX	64u	/* blocks of one operation */
#define VSL_NVME_MERGED_MAX	128u	/* and of a command that carries several */
/* Pages of one operation: one more where the first is not whole. */
#define VSL_NVME_PAGES_MAX	VSL_NVME_MERGED_MAX
static_assert(VSL_NVME_PAGES_MAX > VSL_NVME_BLOCKS_MAX);

/* The largest piece of a firmware image, and the list of its pages. */
#define VSL_NVME_IMAGE_BYTES	((VSL_NVME_BLOCKS_MAX + 1) * NVME_PAGE_BYTES)

/* Memory of each tag that the card can read: a PRP list, then what is left. */
#define VSL_NVME_CHUNK_BYTES	2048u
#define VSL_NVME_PRP_BYTES	1024u
#define VSL_NVME_SCRATCH_BYTES	(VSL_NVME_CHUNK_BYTES - VSL_NVME_PRP_BYTES)

static_assert(VSL_NVME_PAGES_MAX * sizeof(__le64) <= VSL_NVME_PRP_BYTES);

/* ---- for personalities ---------------------------------------------------- */

/**
 * struct vsl_nvme_build - a command in the making
 * @sqe: to fill in, but for cid, nsid and the places of data; zeroed
 * @scratch: memory that the card can read, VSL_NVME_SCRATCH_BYTES
 * @scratch_bus: its address for the card
 * @use_scratch: the command's data is in @scratch, and not that of the operation
 * @repeatable: it may take effect again, and later: after a reset it is sent again
 */
struct vsl_nvme_build {
	struct nvme_sqe *sqe;
	void *scratch;
	dma_addr_t scratch_bus;
	bool use_scratch;
	bool repeatable;
};

/**
 * struct vsl_nvme_personality - a kind of namespace
 * @name: in one word
 * @probe: is @ns one?  Fills in ns->media.info and ns->priv.  Context: process.
 *	   Return: 0, -ENOENT not one of this kind, -ENODEV one that cannot be used,
 *	   which it has said in a sentence; others.
 * @remove: undo it; or NULL
 * @ops: of the media
 * @build: make a command of an operation.  Context: any, with queue->lock held.
 *	   Return: 0, or how the operation ends without one, plus 1.
 * @ended: a command has ended; NVME_SC_HOST_ABORTED if a reset took it away.
 *	   Context: any.  Return: how the operation ends.
 */
struct vsl_nvme_personality {
	const char *name;
	int (*probe)(struct vsl_nvme_ns *ns, const struct nvme_id_ns *id);
	void (*remove)(struct vsl_nvme_ns *ns);
	const struct vsl_media_ops *ops;
	int (*build)(struct vsl_nvme_ns *ns, struct vsl_op *op,
		     struct vsl_nvme_build *build);
	enum vsl_result (*ended)(struct vsl_nvme_ns *ns, struct vsl_op *op,
				 u16 status, u32 result);
};

/**
 * struct vsl_nvme_ns - a namespace, and the card that is made of it
 * @media: what the core sees
 * @ctrl: its controller
 * @kind: its personality
 * @priv: the personality's own
 * @link: in ctrl->namespaces
 * @card: the card
 * @nsid: its identifier
 * @lbas: its size in logical blocks
 * @lba_shift: 9 or 12
 * @meta_bytes: separate metadata of a logical block, 0 for none
 * @meta: memory for that of one command: zeros to be written, then a place for
 *	  what is read, which nobody looks at
 * @meta_bus: its address for the card
 * @meta_half: bytes of each of the two
 */
struct vsl_nvme_ns {
	struct vsl_media media;
	struct vsl_nvme_ctrl *ctrl;
	const struct vsl_nvme_personality *kind;
	void *priv;
	struct list_head link;
	struct vsl_card *card;
	u32 nsid;
	u64 lbas;
	u32 lba_shift;
	u32 meta_bytes;
	void *meta;
	dma_addr_t meta_bus;
	u32 meta_half;
};

/* What vsl_nvme_personality.build() returns for what ends without a command. */
static inline int vsl_nvme_ends(enum vsl_result result)
{
	return result + 1;
}

extern const struct vsl_nvme_personality vsl_nvme_zns;
extern const struct vsl_nvme_personality vsl_nvme_flat;

/**
 * vsl_nvme_submit() - carry out an operation: vsl_media_ops.submit() of all
 * @media: of a struct vsl_nvme_ns
 * @op: the operation
 *
 * Where it finds no room it waits in line.
 *
 * Context: any, may not sleep.
 */
void vsl_nvme_submit(struct vsl_media *media, struct vsl_op *op);

/* ---- commands under way ---------------------------------------------------- */

/* vsl_op.media_priv; a personality has those between. */
#define VSL_NVME_NS		0	/* the namespace */
#define VSL_NVME_ALONE		5	/* it is not merged with others */

/* What a tag is used for. */
enum vsl_nvme_req_state {
	VSL_NVME_FREE,
	VSL_NVME_ISSUED,	/* the card has it */
	VSL_NVME_HELD,		/* a reset took it from the card */
	VSL_NVME_ENDING,	/* it has ended; whoever found out has it */
	VSL_NVME_ENDED,		/* whoever waits for it has it */
};

/**
 * struct vsl_nvme_piece - memory that the card can reach
 * @bus: its address for the card
 * @bytes: its length
 * @page: of a bounced operation the page's index
 */
struct vsl_nvme_piece {
	dma_addr_t bus;
	u32 bytes;
	u32 page;
};

/**
 * struct vsl_nvme_req - one command under way, or a tag that is free
 * @link: in queue->free, or of whoever ends it
 * @state: enum vsl_nvme_req_state
 * @tag: index in the queue
 * @generation: changes with each use, so that a late completion is known
 * @tries: how often a reset has taken it from the card
 * @aborted: the card was asked to abort it
 * @repeatable: see struct vsl_nvme_build
 * @bounced: its data is in the queue's own pages
 * @again: its operations have not ended, each of them goes alone
 * @since: jiffies when the card got it
 * @status: how it ended
 * @result: of the command, where it has one
 * @op: the operation, @whole if there are several; NULL for a command of this
 *	driver's own
 * @ops: the operations that it carries, by their link, in the order of their blocks
 * @whole: what one operation that does the same as all of @ops would be; it has
 *	   no memory and no end()
 * @blocks: of data, gaps included
 * @ns: of @op
 * @done: of such a command: who waits
 * @sqe: the command
 * @chunk: memory of the tag that the card can read, VSL_NVME_CHUNK_BYTES
 * @chunk_bus: its address for the card
 * @piece: memory of @op
 * @nr_pieces: how many
 */
struct vsl_nvme_req {
	struct list_head link;
	u8 state;
	u8 tag;
	u8 generation;
	u8 tries;
	bool aborted;
	bool repeatable;
	bool bounced;
	bool again;
	unsigned long since;
	u16 status;
	u32 result;
	struct vsl_op *op;
	struct list_head ops;
	struct vsl_op whole;
	u32 blocks;
	struct vsl_nvme_ns *ns;
	struct completion *done;
	struct nvme_sqe sqe;
	void *chunk;
	dma_addr_t chunk_bus;
	struct vsl_nvme_piece piece[VSL_NVME_PAGES_MAX];
	u32 nr_pieces;
};

/**
 * struct vsl_nvme_bounce - a page that the card can always reach
 * @mem: the page
 * @bus: its address for the card
 */
struct vsl_nvme_bounce {
	void *mem;
	dma_addr_t bus;
};

/**
 * struct vsl_nvme_queue - a pair of rings; number 0 is for administration
 * @ctrl: its controller
 * @id: its number
 * @vector: its interrupt
 * @depth: entries of each ring; one fewer commands are under way at most
 * @sq: commands
 * @cq: completions
 * @sq_bus: address for the card
 * @cq_bus: address for the card
 * @req: @depth - 1 of them
 * @bounce: VSL_NVME_BLOCKS_MAX pages, none for administration
 * @has_irq: the interrupt is requested
 * @lock: protects everything below; taken with interrupts off
 * @known: the card knows its rings
 * @live: it may be given commands
 * @dead: it never will again
 * @sq_tail: where the next command goes
 * @sq_told: the card has been told of those before
 * @cq_head: where the next completion comes
 * @phase: the tag of a completion that is new
 * @busy: commands that are not free
 * @flying: blocks of their data
 * @free: those that are
 * @waiting: operations in line, by their link
 * @bounce_free: indices of pages that are free
 * @nr_bounce_free: how many
 * @ended: commands that the card ended, ever
 */
struct vsl_nvme_queue {
	struct vsl_nvme_ctrl *ctrl;
	u32 id;
	u32 vector;
	u32 depth;
	struct nvme_sqe *sq;
	struct nvme_cqe *cq;
	dma_addr_t sq_bus;
	dma_addr_t cq_bus;
	struct vsl_nvme_req *req;
	struct vsl_nvme_bounce *bounce;
	bool has_irq;

	spinlock_t lock;	/* protects everything down to @ended */
	bool known;
	bool live;
	bool dead;
	u32 sq_tail;
	u32 sq_told;
	u32 cq_head;
	u32 phase;
	u32 busy;
	u32 flying;
	struct list_head free;
	struct list_head waiting;
	u8 bounce_free[VSL_NVME_BLOCKS_MAX];
	u32 nr_bounce_free;
	u64 ended;
};

/* ---- the controller -------------------------------------------------------- */

/* Which way a controller goes; changes under ctrl->life. */
enum vsl_nvme_state {
	VSL_NVME_NEW,		/* being found */
	VSL_NVME_LIVE,
	VSL_NVME_ASLEEP,	/* somebody will wake it */
	VSL_NVME_BROKEN,	/* its bus has an error, which is being mended */
	VSL_NVME_DEAD,
};

/**
 * struct vsl_nvme_ctrl - a controller
 * @pdev: the PCI device
 * @label: what log lines call it
 * @log_limit: for lines about single commands, and resets
 * @event_limit: for lines about events
 * @bar: its registers
 * @bar_bytes: how many of them are mapped
 * @cap: the capabilities, checked
 * @stride: bytes from doorbell to doorbell
 * @ready_ms: how long it may take to become ready, or not ready
 * @shutdown_ms: how long a shutdown may take
 * @max_blocks: most blocks of an operation
 * @merge_blocks: most blocks of a command
 * @gap: a page for what nobody wants to read
 * @gap_bus: its address for the card
 * @map_bytes: most memory that is made reachable in one piece
 * @page: for what commands of administration answer, one at a time
 * @page_bus: its address for the card
 * @oncs: NVME_ONCS_*
 * @oaes: NVME_OAES_*
 * @oacs: NVME_OACS_*
 * @has_shadow: the card looks into @shadow
 * @shadow: values of doorbells, a page
 * @shadow_bus: its address for the card
 * @looks_to: values up to which the card looks by itself, a page
 * @looks_to_bus: its address for the card
 * @volatile_cache: there is one
 * @info: model, serial and firmware, the rest is not used
 * @chunks: where the tags' chunks come from
 * @pages: where bounce pages come from
 * @queue: [0] for administration, then @nr_io
 * @nr_io: queues for I/O
 * @nr_allocated: queues that have their memory, number 0 included
 * @nr_vectors: interrupts that are allocated, 0 for none
 * @queue_of: number of the queue of each CPU
 * @namespaces: those that became cards
 * @wq: where @watch and @reset run
 * @watch: looks at commands that take too long
 * @reset: brings the controller up again
 * @resets: in a row without one I/O that ended
 * @reset_ended: operations that had ended at the last reset
 * @reset_wanted: @reset is to do something
 * @event_done: @event has ended
 * @life: held while the controller is brought up, down, or fails
 * @state: enum vsl_nvme_state
 * @is_up: it has all of its queues
 * @stopped: jiffies when its bus broke
 * @next_smart: jiffies when it is asked how it is
 * @no_smart: it does not answer that
 * @event: the request for an event that the card has; NULL: none
 * @next_event: jiffies when there may be another one
 * @events_chosen: the card knows which are wanted
 * @no_events: it takes no request
 * @warnings: NVME_WARN_* that were told
 * @fwug: of Identify
 * @slots_stale: what is in its slots of firmware may have changed
 * @no_slot_log: it does not answer what is in them
 * @no_error_log: it does not answer which error was the last
 * @errors_known: it has said how many there were
 * @errors: entries that its error log has had, ever
 * @starts: how often it was asked who it is
 * @updating: it gets another firmware
 * @image: where it reads that from, VSL_NVME_IMAGE_BYTES; NULL: it was never needed
 * @image_bus: its address for the card
 * @temp_millic: its temperature, S32_MIN unknown
 * @temp_max_millic: the highest that was seen
 * @logs_lock: protects @logs from those who only read them
 * @logs: what its logs said last
 */
struct vsl_nvme_ctrl {
	struct pci_dev *pdev;
	char label[80];
	struct ratelimit_state log_limit;
	struct ratelimit_state event_limit;
	void __iomem *bar;
	u64 bar_bytes;
	u64 cap;
	u32 stride;
	u32 ready_ms;
	u32 shutdown_ms;
	u32 max_blocks;
	u32 merge_blocks;
	void *gap;
	dma_addr_t gap_bus;
	u32 map_bytes;
	void *page;
	dma_addr_t page_bus;
	u16 oncs;
	u32 oaes;
	u16 oacs;
	bool has_shadow;
	void *shadow;
	dma_addr_t shadow_bus;
	void *looks_to;
	dma_addr_t looks_to_bus;
	bool volatile_cache;
	struct vsl_media_info info;
	struct dma_pool *chunks;
	struct dma_pool *pages;
	struct vsl_nvme_queue queue[VSL_NVME_QUEUES_MAX + 1];
	u32 nr_io;
	u32 nr_allocated;
	u32 nr_vectors;
	u16 *queue_of;
	struct list_head namespaces;
	struct workqueue_struct *wq;
	struct delayed_work watch;
	struct work_struct reset;
	u32 resets;
	u64 reset_ended;
	bool reset_wanted;
	struct completion event_done;

	struct mutex life;	/* protects what follows, @namespaces and @page */
	u8 state;
	bool is_up;
	unsigned long stopped;
	unsigned long next_smart;
	bool no_smart;
	struct vsl_nvme_req *event;
	unsigned long next_event;
	bool events_chosen;
	bool no_events;
	u8 warnings;
	u8 fwug;
	bool slots_stale;
	bool no_slot_log;
	bool no_error_log;
	bool errors_known;
	u64 errors;
	u64 starts;
	bool updating;
	void *image;
	dma_addr_t image_bus;
	s32 temp_millic;
	s32 temp_max_millic;
	spinlock_t logs_lock;	/* protects logs, too */
	struct vsl_media_logs logs;
};

/**
 * vsl_nvme_log() - one line about a controller
 * @ctrl: the controller
 * @error: whether it is bad
 * @fmt: text without newline
 *
 * In the words of report.c.  Context: any.
 */
__printf(3, 4)
void vsl_nvme_log(struct vsl_nvme_ctrl *ctrl, bool error, const char *fmt, ...);

/* nvme_pci.c */
int vsl_nvme_vectors(struct vsl_nvme_ctrl *ctrl, u32 nr_io);
void vsl_nvme_vectors_free(struct vsl_nvme_ctrl *ctrl);

/* nvme_ctrl.c */
u32 vsl_nvme_csts(struct vsl_nvme_ctrl *ctrl);
bool vsl_nvme_is_gone(struct vsl_nvme_ctrl *ctrl);
int vsl_nvme_start(struct vsl_nvme_ctrl *ctrl);
int vsl_nvme_restart(struct vsl_nvme_ctrl *ctrl);
void vsl_nvme_pause(struct vsl_nvme_ctrl *ctrl, u32 wait_ms);
int vsl_nvme_disable(struct vsl_nvme_ctrl *ctrl);
void vsl_nvme_shut_down(struct vsl_nvme_ctrl *ctrl);
void vsl_nvme_tell(struct vsl_nvme_ns *ns, enum vsl_media_event what);
void vsl_nvme_kill(struct vsl_nvme_ctrl *ctrl, const char *why);
void vsl_nvme_free_queues(struct vsl_nvme_ctrl *ctrl);

/* nvme_queue.c */
int vsl_nvme_queue_alloc(struct vsl_nvme_ctrl *ctrl, u32 id, u32 depth);
void vsl_nvme_queue_free(struct vsl_nvme_queue *queue);
void vsl_nvme_queue_init(struct vsl_nvme_queue *queue);
void vsl_nvme_queue_go(struct vsl_nvme_queue *queue);
void vsl_nvme_queue_pause(struct vsl_nvme_queue *queue);
void vsl_nvme_queue_stop(struct vsl_nvme_queue *queue);
void vsl_nvme_queue_kill(struct vsl_nvme_queue *queue);
u32 vsl_nvme_queue_reap(struct vsl_nvme_queue *queue);
struct vsl_nvme_req *vsl_nvme_queue_issue(struct vsl_nvme_queue *queue,
					  const struct nvme_sqe *sqe,
					  struct completion *done);
void vsl_nvme_req_put(struct vsl_nvme_queue *queue, struct vsl_nvme_req *req);

/* nvme_doorbell.c */
void vsl_nvme_ring(struct vsl_nvme_queue *queue, bool is_cq, u32 value);
int vsl_nvme_shadow_doorbells(struct vsl_nvme_ctrl *ctrl);

/* nvme_merge.c */
bool vsl_nvme_is_busy(const struct vsl_nvme_queue *queue);
void vsl_nvme_gather(struct vsl_nvme_queue *queue, struct vsl_nvme_req *req);
void vsl_nvme_scatter(struct vsl_nvme_queue *queue, struct vsl_nvme_req *req);
bool vsl_nvme_share(struct vsl_nvme_req *req, u8 result);

/* nvme_dma.c */
bool vsl_nvme_dma_is_whole(const struct vsl_op *op);
bool vsl_nvme_dma_map(struct vsl_nvme_queue *queue, struct vsl_nvme_req *req);
void vsl_nvme_dma_unmap(struct vsl_nvme_queue *queue, struct vsl_nvme_req *req);
void vsl_nvme_dma_release(struct vsl_nvme_queue *queue,
			  struct vsl_nvme_req *req);

/* nvme_command.c */
bool vsl_nvme_has_place(const struct vsl_media_info *info,
			const struct vsl_op *op);
bool vsl_nvme_has_blocks(const struct vsl_nvme_ns *ns,
			 const struct vsl_op *op);
void vsl_nvme_put_lba(struct nvme_sqe *sqe, u64 lba);
void vsl_nvme_build_rw(const struct vsl_nvme_ns *ns, const struct vsl_op *op,
		       u64 lba, u32 nr, struct nvme_sqe *sqe);
int vsl_nvme_build_flush(const struct vsl_nvme_ns *ns, struct nvme_sqe *sqe);
void vsl_nvme_say(struct vsl_nvme_ns *ns, const struct vsl_op *op, u16 status);
int vsl_nvme_refuse_ns(struct vsl_nvme_ns *ns, const char *why);

/* nvme_admin.c */
int vsl_nvme_admin_within(struct vsl_nvme_ctrl *ctrl,
			  const struct nvme_sqe *sqe, u32 *result,
			  unsigned long most_jiffies);
int vsl_nvme_admin(struct vsl_nvme_ctrl *ctrl, const struct nvme_sqe *sqe,
		   u32 *result);
int vsl_nvme_identify(struct vsl_nvme_ctrl *ctrl, u32 nsid, u32 cns, void *to);
int vsl_nvme_get_log(struct vsl_nvme_ctrl *ctrl, u32 log, u32 bytes);
int vsl_nvme_queue_count(struct vsl_nvme_ctrl *ctrl, u32 *nr);
int vsl_nvme_create_queue(struct vsl_nvme_queue *queue);
int vsl_nvme_coalesce(struct vsl_nvme_ctrl *ctrl);
int vsl_nvme_abort(struct vsl_nvme_ctrl *ctrl, u32 queue, u16 cid);
int vsl_nvme_learn(struct vsl_nvme_ctrl *ctrl);
void vsl_nvme_find_namespaces(struct vsl_nvme_ctrl *ctrl);
void vsl_nvme_remove_cards(struct vsl_nvme_ctrl *ctrl);
void vsl_nvme_drop_namespaces(struct vsl_nvme_ctrl *ctrl);

/* nvme_health.c */
void vsl_nvme_look_at_health(struct vsl_nvme_ctrl *ctrl);
void vsl_nvme_health(struct vsl_media *media, struct vsl_media_health *health);

/* nvme_firmware.c */
extern const struct vsl_media_update_ops vsl_nvme_update_ops;
void vsl_nvme_logs_learn(struct vsl_nvme_ctrl *ctrl,
			 const struct nvme_id_ctrl *id);
void vsl_nvme_look_at_logs(struct vsl_nvme_ctrl *ctrl);
void vsl_nvme_logs(struct vsl_media *media, struct vsl_media_logs *logs);

/* nvme_event.c */
void vsl_nvme_event_came(struct vsl_nvme_ctrl *ctrl,
			 const struct vsl_nvme_req *req);
void vsl_nvme_look_at_events(struct vsl_nvme_ctrl *ctrl);

/* nvme_error.c */
void vsl_nvme_error_init(struct vsl_nvme_ctrl *ctrl);
unsigned long vsl_nvme_admin_jiffies(const struct vsl_nvme_ctrl *ctrl);
void vsl_nvme_want_reset(struct vsl_nvme_ctrl *ctrl);

/** vsl_nvme_init() - become the driver of PCI devices.  Return: 0 or an error. */
int vsl_nvme_init(void);

/** vsl_nvme_exit() - let go of all of them.  Context: process, sleeps for long. */
void vsl_nvme_exit(void);

#endif /* VSL_MEDIA_NVME_H */
