import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { normalForm } from '#server/matching/normal-form.ts';
import { codeBytes, dimensions } from '#server/matching/vectors.ts';
import { addJob } from '#server/platform/job-queue.ts';
import { base64, blockOf, blockSize, embedTexts, type VectorBlock } from './vector-blocks.ts';
import type { SetVersion } from './versions.ts';

/** Maximum number of blocks that one run embeds. The next run continues. */
const maxBlocks = 200;

/** Queues jobs for the golden sets with segments that have no vectors yet, if there is an embedding model. */
export async function embedPending({
  database,
  embedder,
}: Pick<Services, 'database' | 'embedder'>): Promise<void> {
  if (!embedder) return;
  await database.inPlatform(async (tx) => {
    for (const { tenantId, setId } of await selectSetsToEmbed(tx, embedder.model)) {
      const job = `embed_memory:${setId}`;
      // Each set has its own queue: while one worker waits for a slow model, a second worker must not request the same
      // vectors.
      await addJob(tx, 'embed_memory', { tenantId, setId }, { key: job, queue: job });
    }
  });
}

/**
 * Creates the missing vectors of a golden set's segments, block by block. One transaction reads a block, another stores
 * its vectors; the model is called between the two. Skips segments that have been deleted since they were read, or
 * whose vectors another run has stored first.
 * @throws if the model does not respond; the caller must retry
 */
export async function embedSet(
  { database, embedder }: Pick<Services, 'database' | 'embedder'>,
  tenantId: string,
  setId: string,
): Promise<void> {
  if (!embedder) return;
  const { model } = embedder;
  for (let block = 0; block < maxBlocks; block++) {
    const segments = await database.inTenant(tenantId, (tx) => selectUnembedded(tx, tenantId, setId, model));
    if (segments.length === 0) return;
    const texts = segments.map(({ sourceText }) => normalForm(sourceText));
    const vectors = await embedTexts(embedder, texts, { tenantId });
    await database.inTenant(tenantId, async (tx) => {
      const set = await lockSetForVectors(tx, tenantId, setId, model, segments);
      if (!set || set.waiting.size === 0) return;
      const { version, waiting } = set;
      const kept = segments.flatMap(({ segmentNo }, at) => (waiting.has(segmentNo) ? [at] : []));
      const stored = blockOf(
        kept.map((at) => segments[at]!),
        kept.map((at) => vectors[at]!),
      );
      await appendVectors(tx, version, stored);
    });
  }
}

/**
 * Returns the golden sets with segments that have no vectors of the model. Needs platform scope. It is enough to
 * compare counts, because blocks never contain deleted segments.
 */
async function selectSetsToEmbed(tx: Tx, model: string): Promise<{ tenantId: string; setId: string }[]> {
  const rows = await tx.execute<{ tenant_id: string; set_id: string }>(sql`
    select tenant_id, set_id from memory_sets g where origin = 'golden_approved'
      and (select count(*) from memory_segments m
        where m.tenant_id = g.tenant_id and m.content_id = g.content_id and m.shard_no is distinct from -1)
      > (select coalesce(sum(cardinality(segment_nos)), 0) from memory_vectors v
        where v.tenant_id = g.tenant_id and v.content_id = g.content_id and g.embedding_model = ${model})
    limit 1000`);
  return rows.map(({ tenant_id, set_id }) => ({ tenantId: tenant_id, setId: set_id }));
}

interface GoldenSegment {
  segmentNo: number;
  sourceText: string;
  /** In hexadecimal. */
  sourceHash: string;
}

/**
 * Returns the next block of a golden set's segments without vectors of the model. Only segments that may be offered as
 * matches.
 */
async function selectUnembedded(
  tx: Tx,
  tenantId: string,
  setId: string,
  model: string,
): Promise<GoldenSegment[]> {
  const rows = await tx.execute<{ segment_no: string; source_text: string; hash: string }>(sql`
    select segment_no, source_text, encode(source_hash, 'hex') as hash from memory_segments
    where tenant_id = ${tenantId} and content_id = ${contentOf(tenantId, setId)} and shard_no is distinct from -1
      and segment_no not in ${embedded(tenantId, setId, model)}
    order by segment_no limit ${blockSize}`);
  return rows.map(({ segment_no, source_text, hash }) => ({
    segmentNo: Number(segment_no),
    sourceText: source_text,
    sourceHash: hash,
  }));
}

const contentOf = (tenantId: string, setId: string) =>
  sql`(select content_id from memory_sets where tenant_id = ${tenantId} and set_id = ${setId})`;

/** SQL for the segments of a set that already have vectors of the model. */
const embedded = (tenantId: string, setId: string, model: string) => sql`(
  select unnest(v.segment_nos) from memory_vectors v
  join memory_sets g on g.tenant_id = v.tenant_id and g.content_id = v.content_id
  where g.tenant_id = ${tenantId} and g.set_id = ${setId} and g.embedding_model = ${model})`;

/**
 * Locks a set before vectors of a model are added, and deletes its vectors of other models. Returns those of the
 * segments that still have the same source and no vectors, and prevents their deletion until the transaction ends. Undefined if
 * the set has been deleted.
 */
async function lockSetForVectors(
  tx: Tx,
  tenantId: string,
  setId: string,
  model: string,
  segments: readonly GoldenSegment[],
): Promise<{ version: SetVersion; waiting: Set<number> } | undefined> {
  const [set] = await tx.execute<{ content_id: string; model: string | null }>(sql`
    select content_id, embedding_model as model from memory_sets
    where tenant_id = ${tenantId} and set_id = ${setId} for no key update`);
  if (!set) return undefined;
  const version = { tenantId, versionId: set.content_id };
  if (set.model !== model) {
    await tx.execute(
      sql`delete from memory_vectors where tenant_id = ${tenantId} and content_id = ${version.versionId}`,
    );
    await tx.execute(sql`update memory_sets set embedding_model = ${model}
      where tenant_id = ${tenantId} and set_id = ${setId}`);
  }
  const rows = await tx.execute<{ segment_no: string }>(sql`
    select segment_no from memory_segments
    where tenant_id = ${tenantId} and content_id = ${version.versionId}
      and (segment_no, encode(source_hash, 'hex')) in (
        select n, h from json_to_recordset(${JSON.stringify(segments.map(({ segmentNo: n, sourceHash: h }) => ({ n, h })))}::json)
          as r(n bigint, h text))
      and segment_no not in ${embedded(tenantId, setId, model)}
    for key share of memory_segments`);
  const waiting = new Set(rows.map(({ segment_no }) => Number(segment_no)));
  return { version, waiting };
}

/**
 * Adds vectors to a locked set. Adds them to the last block while it is small, so that a lookup has few blocks to read.
 */
async function appendVectors(
  tx: Tx,
  { tenantId, versionId }: SetVersion,
  { segmentNos, codes, vectors }: VectorBlock,
): Promise<void> {
  const nos = sql`${`{${segmentNos.join()}}`}::text::bigint[]`;
  const codeBytes = sql`decode(${base64(codes)}, 'base64')`;
  const vectorBytes = sql`decode(${base64(vectors)}, 'base64')`;
  const grown = await tx.execute(sql`
    update memory_vectors set segment_nos = segment_nos || ${nos}, codes = codes || ${codeBytes},
      vectors = vectors || ${vectorBytes}
    where tenant_id = ${tenantId} and content_id = ${versionId} and block_no = (
      select block_no from memory_vectors
      where tenant_id = ${tenantId} and content_id = ${versionId} and cardinality(segment_nos) < ${blockSize} limit 1)
    returning 1`);
  if (grown.length > 0) return;
  // The block that began with this segment may still be there, if its source has been edited since.
  await tx.execute(sql`
    with taken as (select block_no from memory_vectors where tenant_id = ${tenantId} and content_id = ${versionId})
    insert into memory_vectors (tenant_id, content_id, block_no, segment_nos, codes, vectors)
    select ${tenantId}, ${versionId}, case when exists (select from taken where block_no = ${segmentNos[0]}::bigint)
      then (select max(block_no) + 1 from taken) else ${segmentNos[0]}::bigint end, ${nos}, ${codeBytes}, ${vectorBytes}`);
}

/**
 * Removes the vectors of some segments from their blocks. In `segments`, `n` is a segment's number, `c` its version.
 */
export async function deleteVectors(
  tx: Tx,
  tenantId: string,
  segments: readonly { c: string; n: string }[],
): Promise<void> {
  const removed = sql`json_to_recordset(${JSON.stringify(segments)}::json) as r(c text, n bigint)`;
  await tx.execute(sql`
    update memory_vectors v set (segment_nos, codes, vectors) = (
      select coalesce(array_agg(no order by at), '{}'),
        coalesce(string_agg(substring(v.codes from at::int * ${codeBytes} - ${codeBytes - 1} for ${codeBytes}), '' order by at), ''),
        coalesce(string_agg(substring(v.vectors from at::int * ${dimensions} - ${dimensions - 1} for ${dimensions}), '' order by at), '')
      from unnest(v.segment_nos) with ordinality as kept(no, at)
      where no not in (select n from ${removed}))
    where tenant_id = ${tenantId} and content_id in (select c from ${removed})
      and segment_nos && array(select n from ${removed})`);
}
