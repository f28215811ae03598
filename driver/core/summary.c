// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * summary.c - the list of a segment's commits at its end, written and read.
 *
 * While a segment is open its packets' heads are collected in memory, without
 * the air in them; when all its packets are complete this list is written
 * behind them.  Recovery and the groomer read the list instead of every head.
 * Where there were so many trims that the list does not fit, none is written
 * (zeros are) and the heads are walked.
 *
 * A "scan" is such a list in memory, from a summary or from one head at a
 * time, and is read commit by commit.
 *
 * Invariants
 * Y1  A summary is on the media only if every packet of its segment is there
 *     durably: what it lists is proven.
 * Y2  Nothing read from the media is used before it was checked: counts
 *     against the room, kinds, block numbers against the size of the disk, and
 *     trims against what one entry may ask for: 256 of a whole disk in one head
 *     would keep attach busy for minutes.
 *
 * Power loss: a torn summary fails its CRC and is as good as none.
 */
#include "int.h"

static void bytes_put(void **block, u32 at, const void *from, u32 bytes)
{
	while (bytes) {
		u32 off = at % VSL_BLOCK_BYTES;
		u32 part = min_t(u32, bytes, VSL_BLOCK_BYTES - off);

		memcpy((u8 *)block[at / VSL_BLOCK_BYTES] + off, from, part);
		from = (const u8 *)from + part;
		at += part;
		bytes -= part;
	}
}

static void bytes_get(void **block, u32 at, void *to, u32 bytes)
{
	while (bytes) {
		u32 off = at % VSL_BLOCK_BYTES;
		u32 part = min_t(u32, bytes, VSL_BLOCK_BYTES - off);

		memcpy(to, (u8 *)block[at / VSL_BLOCK_BYTES] + off, part);
		to = (u8 *)to + part;
		at += part;
		bytes -= part;
	}
}

static u32 bytes_crc(void **block, u32 bytes)
{
	u32 crc = VSL_CRC_SEED, i, part;

	for (i = 0; bytes; i++, bytes -= part) {
		part = min_t(u32, bytes, VSL_BLOCK_BYTES);
		crc = vsl_port_crc32c(crc, block[i], part);
	}
	return crc;
}

/* @stream has a new segment. */
void vsl_sum_start(struct vsl_core *core, struct vsl_stream *stream)
{
	u32 i;

	for (i = 0; i < core->geo.sum_blocks; i++)
		memset(stream->sum[i], 0, VSL_BLOCK_BYTES);
	stream->sum_bytes = sizeof(struct vsl_disk_summary);
	stream->sum_packets = 0;
	stream->sum_full = false;
	stream->sum_flush = 0;
}

static void sum_add(struct vsl_core *core, struct vsl_stream *stream,
		    const struct vsl_disk_record *record,
		    const struct vsl_disk_entry *entry, u32 nr)
{
	u32 bytes = nr * sizeof(*entry);

	if (stream->sum_full || stream->sum_bytes + sizeof(*record) + bytes >
				core->geo.sum_blocks * VSL_BLOCK_BYTES) {
		stream->sum_full = true;
		return;
	}
	bytes_put(stream->sum, stream->sum_bytes, record, sizeof(*record));
	stream->sum_bytes += sizeof(*record);
	bytes_put(stream->sum, stream->sum_bytes, entry, bytes);
	stream->sum_bytes += bytes;
	stream->sum_packets++;
}

/* @packet of @stream's segment is complete. */
void vsl_sum_packet(struct vsl_core *core, struct vsl_stream *stream,
		    const struct vsl_packet *packet)
{
	struct vsl_disk_record record;

	record.base_version = packet->head->base_version;
	record.index = packet->head->index;
	record.nr_entries = packet->head->nr_entries;
	record.nr_blocks = packet->head->nr_blocks;
	sum_add(core, stream, &record, packet->head->entry,
		packet->nr_entries);
}

/* The same for a head that attach has read, to go on where it stands. */
void vsl_sum_head(struct vsl_core *core, struct vsl_stream *stream,
		  const struct vsl_disk_head *head)
{
	struct vsl_disk_record record;

	record.base_version = head->base_version;
	record.index = head->index;
	record.nr_entries = head->nr_entries;
	record.nr_blocks = head->nr_blocks;
	sum_add(core, stream, &record, head->entry,
		le16_to_cpu(head->nr_entries));
}

/* The header of @stream's summary, all but its CRC. */
static void sum_header(struct vsl_core *core, struct vsl_stream *stream)
{
	struct vsl_disk_summary *sum = stream->sum[0];

	memset(sum, 0, sizeof(*sum));
	if (stream->sum_full)
		return;
	sum->magic = cpu_to_le64(VSL_SUMMARY_MAGIC);
	sum->format = cpu_to_le16(VSL_FORMAT_VERSION);
	sum->stream = stream->id;
	memcpy(sum->uuid, core->uuid, sizeof(sum->uuid));
	sum->alloc_no = cpu_to_le64(core->seg[stream->seg].alloc_no);
	sum->seg = cpu_to_le32(stream->seg);
	sum->bytes = cpu_to_le32(stream->sum_bytes - sizeof(*sum));
	sum->nr_packets = cpu_to_le32(stream->sum_packets);
}

/* The CRC of the summary of @stream.  Context: lock not needed. */
void vsl_sum_seal(struct vsl_stream *stream)
{
	struct vsl_disk_summary *sum = stream->sum[0];

	if (!stream->sum_full)
		sum->crc = cpu_to_le32(bytes_crc(stream->sum,
						 stream->sum_bytes));
}

/*
 * @stream is closing: once all its packets are complete, and durable where
 * the card has a volatile cache (Y1), send the summary after them.
 */
void vsl_sum_finish(struct vsl_core *core, struct vsl_stream *stream)
{
	struct vsl_packet *packet;

	if (stream->open || !list_empty(&stream->packets) || stream->flying ||
	    stream->failing)
		return;
	if (core->volatile_cache && !stream->sum_flush)
		stream->sum_flush = core->flushes + 1;
	if (core->volatile_cache && core->flushes_ended < stream->sum_flush) {
		core->flush_wanted |= core->flushes < stream->sum_flush;
		return;
	}
	packet = vsl_packet_get(core, stream->id, VSL_BY_GROOMER);
	if (!packet)
		return;
	sum_header(core, stream);
	packet->is_summary = true;
	packet->seg = stream->seg;
	packet->index = stream->index;
	packet->nr_blocks = vsl_seg_blocks(&core->geo, stream->stripe.nr) -
			    stream->index - 1;
	vsl_packet_seal(core, packet);
}

int vsl_scan_alloc(struct vsl_core *core, struct vsl_scan *scan)
{
	u32 i;

	scan->block = vsl_zalloc(core, core->geo.sum_blocks,
				 sizeof(*scan->block));
	if (!scan->block)
		return -ENOMEM;
	for (i = 0; i < core->geo.sum_blocks; i++) {
		scan->block[i] = vsl_port_block_alloc();
		if (!scan->block[i])
			return -ENOMEM;
		core->ram_bytes += VSL_BLOCK_BYTES;
	}
	return 0;
}

void vsl_scan_free(struct vsl_core *core, struct vsl_scan *scan)
{
	u32 i;

	for (i = 0; scan->block && i < core->geo.sum_blocks; i++)
		vsl_port_block_free(scan->block[i]);
	vsl_port_free(scan->block);
	scan->block = NULL;
}

/* Read it once more from the beginning. */
void vsl_scan_rewind(struct vsl_scan *scan)
{
	scan->pos = 0;
	scan->entry = 0;
	scan->record.nr_entries = cpu_to_le16(0);
}

/* There is nothing in it. */
void vsl_scan_clear(struct vsl_scan *scan)
{
	scan->bytes = 0;
	vsl_scan_rewind(scan);
}

/**
 * vsl_scan_begin() - the scan's blocks were read from a segment's end
 * @core: the core
 * @scan: the scan
 * @seg: which segment
 * @alloc_no: and which allocation of it
 *
 * Context: any; computes a CRC over all of it.
 * Return: 0, -EUCLEAN: no summary of that segment.
 */
int vsl_scan_begin(struct vsl_core *core, struct vsl_scan *scan, u32 seg,
		   u64 alloc_no)
{
	struct vsl_disk_summary *sum = scan->block[0];
	u32 room = core->geo.sum_blocks * VSL_BLOCK_BYTES - sizeof(*sum);
	u32 bytes = le32_to_cpu(sum->bytes), crc = le32_to_cpu(sum->crc);

	if (le64_to_cpu(sum->magic) != VSL_SUMMARY_MAGIC || bytes > room ||
	    le16_to_cpu(sum->format) != VSL_FORMAT_VERSION ||
	    memcmp(sum->uuid, core->uuid, sizeof(sum->uuid)) ||
	    le64_to_cpu(sum->alloc_no) != alloc_no ||
	    le32_to_cpu(sum->seg) != seg)
		return -EUCLEAN;
	sum->crc = cpu_to_le32(0);
	if (bytes_crc(scan->block, sizeof(*sum) + bytes) != crc)
		return -EUCLEAN;
	scan->bytes = bytes;
	vsl_scan_rewind(scan);
	return 0;
}

/* Fill the scan from one head, which was found valid. */
void vsl_scan_head(struct vsl_scan *scan, const struct vsl_disk_head *head)
{
	u32 at = sizeof(struct vsl_disk_summary);
	u32 bytes = le16_to_cpu(head->nr_entries) * sizeof(head->entry[0]);
	struct vsl_disk_record record;

	record.base_version = head->base_version;
	record.index = head->index;
	record.nr_entries = head->nr_entries;
	record.nr_blocks = head->nr_blocks;
	bytes_put(scan->block, at, &record, sizeof(record));
	bytes_put(scan->block, at + sizeof(record), head->entry, bytes);
	scan->bytes = sizeof(record) + bytes;
	vsl_scan_rewind(scan);
}

/**
 * vsl_scan_kept() - fill the scan from a head that vsl_sum_head() has kept
 * @scan: the scan
 * @stream: where
 * @at: the byte that the next one begins at, 0 at first
 * @index: of the head, which is the next one
 *
 * Return: false: it did not fit there.
 */
bool vsl_scan_kept(struct vsl_scan *scan, const struct vsl_stream *stream,
		   u32 *at, u32 index)
{
	u32 from = *at ? *at : sizeof(struct vsl_disk_summary);
	u32 to = sizeof(struct vsl_disk_summary), left, part;
	struct vsl_disk_record record;

	if (from >= stream->sum_bytes)
		return false;
	bytes_get(stream->sum, from, &record, sizeof(record));
	if (le32_to_cpu(record.index) != index)
		return false;
	left = sizeof(record) + le16_to_cpu(record.nr_entries) *
				sizeof(struct vsl_disk_entry);
	scan->bytes = left;
	for (; left; left -= part, from += part, to += part) {
		part = min_t(u32, left, VSL_BLOCK_BYTES - from % VSL_BLOCK_BYTES);
		bytes_put(scan->block, to, (u8 *)stream->sum[from / VSL_BLOCK_BYTES] +
			  from % VSL_BLOCK_BYTES, part);
	}
	*at = from;
	vsl_scan_rewind(scan);
	return true;
}

/* The last version of the packet in @scan, and how many blocks follow its head. */
u64 vsl_scan_packet(const struct vsl_scan *scan, u32 *nr_blocks)
{
	u32 at = sizeof(struct vsl_disk_summary), nr;
	struct vsl_disk_record record;
	struct vsl_disk_entry entry;

	bytes_get(scan->block, at, &record, sizeof(record));
	*nr_blocks = le16_to_cpu(record.nr_blocks);
	nr = le16_to_cpu(record.nr_entries);
	if (!nr)	/* padding to the end of a row */
		return le64_to_cpu(record.base_version);
	at += sizeof(record) + (nr - 1) * sizeof(entry);
	bytes_get(scan->block, at, &entry, sizeof(entry));
	return le64_to_cpu(record.base_version) +
	       (le32_to_cpu(entry.kind_delta) & VSL_DELTA_MAX);
}

static bool kind_has_data(u32 kind)
{
	return kind != VSL_ENTRY_TRIM && kind != VSL_ENTRY_LOST &&
	       kind != VSL_ENTRY_NONE;
}

/* Could this commit have been made on this disk? (Y2) */
static bool commit_sane(const struct vsl_core *core,
			const struct vsl_commit *commit)
{
	if (commit->version >= VSL_VERSION_MAX)
		return false;
	switch (commit->kind) {
	case VSL_ENTRY_PAD:
	case VSL_ENTRY_NONE:
		return true;
	case VSL_ENTRY_DATA:
	case VSL_ENTRY_LOST:
		return commit->lba < core->geo.lba_blocks;
	case VSL_ENTRY_TRIM:
		return commit->lba < core->geo.lba_blocks &&
		       commit->arg <= VSL_TRIM_BLOCKS &&
		       commit->arg <= core->geo.lba_blocks - commit->lba;
	case VSL_ENTRY_MAP:
		return commit->lba < core->geo.map_pages;
	case VSL_ENTRY_DIR:
		return commit->lba < core->geo.dir_pages;
	case VSL_ENTRY_SEGTAB:
		return commit->lba < core->geo.segtab_pages;
	default:
		return false;
	}
}

static int record_next(struct vsl_scan *scan)
{
	u32 at = sizeof(struct vsl_disk_summary) + scan->pos, entries;

	if (scan->pos == scan->bytes)
		return 0;
	if (scan->bytes - scan->pos < sizeof(scan->record))
		return -EUCLEAN;
	bytes_get(scan->block, at, &scan->record, sizeof(scan->record));
	scan->pos += sizeof(scan->record);
	entries = le16_to_cpu(scan->record.nr_entries);
	if (entries > VSL_PACKET_BLOCKS ||
	    entries * sizeof(struct vsl_disk_entry) > scan->bytes - scan->pos)
		return -EUCLEAN;
	scan->entry = 0;
	scan->data_index = le32_to_cpu(scan->record.index) + 1;
	return 1;
}

/* Where the last packet of the scan ends.  The scan is at its beginning, and stays. */
u32 vsl_scan_end(struct vsl_scan *scan)
{
	u32 end = 0;

	while (record_next(scan) > 0) {
		end = max_t(u32, end, scan->data_index +
				      le16_to_cpu(scan->record.nr_blocks));
		scan->pos += le16_to_cpu(scan->record.nr_entries) *
			     sizeof(struct vsl_disk_entry);
	}
	vsl_scan_rewind(scan);
	return end;
}

/**
 * vsl_scan_next() - the next commit
 * @core: the core
 * @scan: the scan
 * @commit: the answer
 *
 * Context: any.
 * Return: 1; 0 that was all; -EUCLEAN what follows is nonsense.
 */
int vsl_scan_next(struct vsl_core *core, struct vsl_scan *scan,
		  struct vsl_commit *commit)
{
	struct vsl_disk_entry entry;
	u32 word;
	int ret;

	while (scan->entry == le16_to_cpu(scan->record.nr_entries)) {
		ret = record_next(scan);
		if (ret <= 0)
			return ret;
	}
	bytes_get(scan->block, sizeof(struct vsl_disk_summary) + scan->pos,
		  &entry, sizeof(entry));
	scan->pos += sizeof(entry);
	scan->entry++;
	word = le32_to_cpu(entry.kind_delta);
	commit->kind = word >> VSL_ENTRY_SHIFT;
	commit->lba = le32_to_cpu(entry.lba);
	commit->arg = le32_to_cpu(entry.arg);
	commit->version = le64_to_cpu(scan->record.base_version) +
			  (word & VSL_DELTA_MAX);
	commit->index = VSL_NONE;
	if (kind_has_data(commit->kind)) {
		commit->index = scan->data_index++;
		if (commit->index > le32_to_cpu(scan->record.index) +
				    le16_to_cpu(scan->record.nr_blocks))
			return -EUCLEAN;
	}
	return commit_sane(core, commit) ? 1 : -EUCLEAN;
}

/**
 * vsl_head_valid() - is this the head of a packet of that place?
 * @core: the core
 * @head: as read
 * @seg: the segment
 * @alloc_no: which allocation of it
 * @index: where in the segment it was read
 * @limit: where the segment's packets end at the latest
 *
 * Context: any; computes a CRC.
 */
bool vsl_head_valid(struct vsl_core *core, const struct vsl_disk_head *head,
		    u32 seg, u64 alloc_no, u32 index, u32 limit)
{
	return le64_to_cpu(head->magic) == VSL_HEAD_MAGIC &&
	       le16_to_cpu(head->format) == VSL_FORMAT_VERSION &&
	       !memcmp(head->uuid, core->uuid, sizeof(head->uuid)) &&
	       le32_to_cpu(head->seg) == seg &&
	       le64_to_cpu(head->alloc_no) == alloc_no &&
	       le32_to_cpu(head->index) == index &&
	       le16_to_cpu(head->nr_entries) <= VSL_PACKET_BLOCKS &&
	       head->stream < VSL_STREAMS && index < limit &&
	       1 + le16_to_cpu(head->nr_blocks) <= limit - index &&
	       vsl_head_crc(head) == le32_to_cpu(head->crc);
}
