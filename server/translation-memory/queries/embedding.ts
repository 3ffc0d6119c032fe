import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { codeBytes, dimensions } from '#server/matching/vectors/index.ts';
import type { VectorBlock } from '../vectors/block.ts';
import { base64, blockSize } from '../vectors/block.ts';
import type { Content } from './rows.ts';

/**
 * The golden sets that have pairs without vectors of the model; read in platform scope. Counted, not compared: blocks hold
 * no pairs but those that are there.
 */
export async function selectSetsToEmbed(
  tx: Tx,
  model: string,
): Promise<{ tenantId: string; setId: string }[]> {
  const rows = await tx.execute<{ tenant_id: string; set_id: string }>(sql`
    select tenant_id, set_id from memory_sets g where origin = 'golden_approved'
      and (select count(*) from memory_segments m
        where m.tenant_id = g.tenant_id and m.content_id = g.content_id and m.shard_no is distinct from -1)
      > (select coalesce(sum(cardinality(segment_nos)), 0) from memory_vectors v
        where v.tenant_id = g.tenant_id and v.content_id = g.content_id and g.embedding_model = ${model})
    limit 1000`);
  return rows.map(({ tenant_id, set_id }) => ({ tenantId: tenant_id, setId: set_id }));
}

export interface GoldenSegment {
  segmentNo: number;
  sourceText: string;
}

/** The pairs of a golden set without vectors of the model, a block's worth of them; those that may be offered alone. */
export async function selectUnembedded(
  tx: Tx,
  tenantId: string,
  setId: string,
  model: string,
): Promise<GoldenSegment[]> {
  const rows = await tx.execute<{ segment_no: string; source_text: string }>(sql`
    select segment_no, source_text from memory_segments
    where tenant_id = ${tenantId} and content_id = ${contentOf(tenantId, setId)} and shard_no is distinct from -1
      and segment_no not in ${embedded(tenantId, setId, model)}
    order by segment_no limit ${blockSize}`);
  return rows.map(({ segment_no, source_text }) => ({
    segmentNo: Number(segment_no),
    sourceText: source_text,
  }));
}

const contentOf = (tenantId: string, setId: string) =>
  sql`(select content_id from memory_sets where tenant_id = ${tenantId} and set_id = ${setId})`;

/** The segments of a set that have vectors of the model. */
const embedded = (tenantId: string, setId: string, model: string) => sql`(
  select unnest(v.segment_nos) from memory_vectors v
  join memory_sets g on g.tenant_id = v.tenant_id and g.content_id = v.content_id
  where g.tenant_id = ${tenantId} and g.set_id = ${setId} and g.embedding_model = ${model})`;

/**
 * Locks a set that is to get vectors of a model, and throws those of another away. Undefined where the set is gone, else which of
 * the segments are there and have none; they are kept from being deleted until the transaction ends.
 */
export async function lockSetForVectors(
  tx: Tx,
  tenantId: string,
  setId: string,
  model: string,
  segmentNos: readonly number[],
): Promise<{ content: Content; waiting: Set<number> } | undefined> {
  const [set] = await tx.execute<{ content_id: string; model: string | null }>(sql`
    select content_id, embedding_model as model from memory_sets
    where tenant_id = ${tenantId} and set_id = ${setId} for no key update`);
  if (!set) return undefined;
  const content = { tenantId, contentId: set.content_id };
  if (set.model !== model) {
    await tx.execute(
      sql`delete from memory_vectors where tenant_id = ${tenantId} and content_id = ${content.contentId}`,
    );
    await tx.execute(sql`update memory_sets set embedding_model = ${model}
      where tenant_id = ${tenantId} and set_id = ${setId}`);
  }
  const rows = await tx.execute<{ segment_no: string }>(sql`
    select segment_no from memory_segments
    where tenant_id = ${tenantId} and content_id = ${content.contentId}
      and segment_no = any(array(select value::bigint from json_array_elements_text(${JSON.stringify(segmentNos)}::json)))
      and segment_no not in ${embedded(tenantId, setId, model)}
    for key share of memory_segments`);
  const waiting = new Set(rows.map(({ segment_no }) => Number(segment_no)));
  return { content, waiting };
}

/** Adds vectors to a locked set: to its last block while that is small, so that a lookup has few to read. */
export async function appendVectors(
  tx: Tx,
  { tenantId, contentId }: Content,
  { segmentNos, codes, vectors }: VectorBlock,
): Promise<void> {
  const nos = sql`${`{${segmentNos.join()}}`}::text::bigint[]`;
  const codeBytes = sql`decode(${base64(codes)}, 'base64')`;
  const vectorBytes = sql`decode(${base64(vectors)}, 'base64')`;
  const grown = await tx.execute(sql`
    update memory_vectors set segment_nos = segment_nos || ${nos}, codes = codes || ${codeBytes},
      vectors = vectors || ${vectorBytes}
    where tenant_id = ${tenantId} and content_id = ${contentId} and block_no = (
      select block_no from memory_vectors
      where tenant_id = ${tenantId} and content_id = ${contentId} and cardinality(segment_nos) < ${blockSize} limit 1)
    returning 1`);
  if (grown.length > 0) return;
  await tx.execute(sql`
    insert into memory_vectors (tenant_id, content_id, block_no, segment_nos, codes, vectors)
    values (${tenantId}, ${contentId}, ${segmentNos[0]}, ${nos}, ${codeBytes}, ${vectorBytes})`);
}

/** Takes the vectors of segments `n` of contents `c`, which are golden sets', out of their blocks. */
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
