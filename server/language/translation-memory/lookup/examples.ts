import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import type { LanguagePair } from '#server/languages.ts';
import { isShortEnough } from '#server/matching/fuzzy/index.ts';
import { normalForm, sourceHashHex } from '#server/matching/normal-form.ts';
import { cosine, dimensions, nearestCodes } from '#server/matching/vectors.ts';
import type { CallScope } from '#server/platform/engines/engine.ts';
import { lessPenalty } from '../penalties.ts';
import { embedTexts } from '../vector-blocks.ts';
import { type CloseHit, type CloseHits, findCloseEach, maxHits } from './close-match.ts';
import { selectWinners } from './exact-match.ts';

/**
 * Maximum number of texts of a page that are looked up, longest first. A lookup takes as long for one of them as for a
 * whole text.
 */
const maxParts = 5;

/** The text for which examples are to be found. */
export interface Guided {
  text: string;
  /** The texts of a page, without markup; empty if the text is not a page. */
  parts: readonly string[];
}

/**
 * Returns the segments that guide a translation. Close segments are found by their characters. Relevant segments are
 * found by their meaning; if these are fewer than five, others are found by their characters. For a page, the page's
 * texts are looked up too: segments that resemble its words do not resemble its markup. If the search by meaning fails,
 * the job continues without it.
 */
export async function findExamples(
  services: Pick<Services, 'database' | 'embedder' | 'log'>,
  tenantId: string,
  pair: LanguagePair,
  { text, parts }: Guided,
  run?: CallScope['run'],
): Promise<CloseHits> {
  const [alike, meant] = await Promise.all([
    findCloseEach(services.database, tenantId, pair, [
      { text },
      ...longest(parts).map((part) => ({ text: part, isPart: true })),
    ]),
    findByMeaning(services, tenantId, pair, parts.length > 0 ? parts.join('\n') : text, run).catch(
      (error: unknown) => {
        services.log.warn(
          { error: describeForLog(error) },
          'could not search the translation memory for segments with a similar meaning',
        );
        return [];
      },
    ),
  ]);
  return mergeClose(alike, meant);
}

/**
 * Returns the best matches of a text and its parts together, each segment once.
 * @param meant segments that were found by their meaning; they come first among the relevant ones
 */
export function mergeClose(alike: readonly CloseHits[], meant: readonly CloseHit[] = []): CloseHits {
  const close = alike.flatMap((hits) => hits.close).sort((a, b) => b.similarity - a.similarity);
  const relevant = alike.flatMap((hits) => hits.relevant).sort((a, b) => b.similarity - a.similarity);
  const taken = new Set<string>();
  const take = (hits: readonly CloseHit[], count: number) => {
    const chosen: CloseHit[] = [];
    for (const hit of hits) {
      const source = normalForm(hit.sourceText);
      if (chosen.length === count) break;
      if (taken.has(source)) continue;
      taken.add(source);
      chosen.push(hit);
    }
    return chosen;
  };
  const closest = take(close, maxHits.close);
  // The texts together may have more close segments than the limit. The others are still the most relevant ones by
  // their characters.
  return { close: closest, relevant: take([...meant, ...close, ...relevant], maxHits.relevant) };
}

/** Returns the texts for which `findExamples` looks up close segments. */
export function textsLookedUp({ text, parts }: Guided): string[] {
  return [text, ...longest(parts)];
}

export function longest(parts: readonly string[]): string[] {
  return [...new Set(parts.map(normalForm))].sort((a, b) => b.length - a.length).slice(0, maxParts);
}

/**
 * Number of candidates that are found by the signs of the vectors' components, and number of hits that are selected
 * from these by the components themselves.
 */
const limits = { candidates: 100, hits: 10 };
/** The minimum cosine of a hit. With the usual models, the cosine of texts with little in common is at most this. */
const relevantFrom = 0.3;
/** Maximum milliseconds to wait for the model. The job can run without these segments. */
const maxWaitMs = 5000;

/**
 * Returns the segments whose sources are closest in meaning to a text, closest first, with the cosine between the two
 * vectors. If several segments have the same source, the one is returned that would be served as an exact match. The
 * text's own source is left out. Returns none without a model, or without vectors of that model.
 * @throws if the model does not respond in time
 */
async function findByMeaning(
  { database, embedder }: Pick<Services, 'database' | 'embedder'>,
  tenantId: string,
  pair: LanguagePair,
  text: string,
  run?: CallScope['run'],
): Promise<CloseHit[]> {
  const normal = normalForm(text);
  if (!embedder || normal === '' || !isShortEnough(text)) return [];
  const { model } = embedder;
  if (!(await database.inTenant(tenantId, (tx) => hasVectors(tx, tenantId, pair, model)))) return [];
  const signal = AbortSignal.timeout(maxWaitMs);
  const [asked] = await embedTexts(embedder, [normal], { tenantId, signal, run });
  if (!asked) return [];

  const blocks = await database.inTenant(tenantId, (tx) => selectCodes(tx, tenantId, pair, model));
  const codes = blocks.map((block) => block.codes);
  const places = nearestCodes(asked.code, codes, limits.candidates).map(({ block, index }) => {
    const { versionId, blockNo } = blocks[block]!;
    return { versionId, blockNo, index };
  });
  const found = await database.inTenant(tenantId, (tx) => selectVectorsAt(tx, tenantId, places));
  const cosines = new Map<string, number>();
  for (const { sourceText, vector } of found)
    cosines.set(normalForm(sourceText), cosine(asked.vector, vector));
  cosines.delete(normal);
  const ranked = [...cosines]
    .filter(([, likeness]) => likeness >= relevantFrom)
    .sort(([, a], [, b]) => b - a)
    .slice(0, limits.hits);
  if (ranked.length === 0) return [];

  const keys = ranked.map(([source]) => ({ hash: sourceHashHex(source), ...pair, isPart: false }));
  const winners = await database.inTenant(tenantId, (tx) => selectWinners(tx, tenantId, keys));
  const hits = ranked.flatMap(([, likeness], index): CloseHit[] => {
    const winner = winners[index];
    return winner && isShortEnough(winner.targetText)
      ? [{ ...winner, similarity: lessPenalty(Math.min(1, likeness), winner), likeness: 'meaning' }]
      : [];
  });
  return hits.sort((a, b) => b.similarity - a.similarity);
}

/** Whether the tenant's TM of a language pair has vectors of the model. */
async function hasVectors(tx: Tx, tenantId: string, pair: LanguagePair, model: string): Promise<boolean> {
  const rows = await tx.execute(sql`
    select from memory_sets g where ${ofModel(tenantId, pair, model)} and exists (
      select from memory_vectors v where v.tenant_id = ${tenantId} and v.content_id = g.content_id) limit 1`);
  return rows.length > 0;
}

/** One block of codes. A code has 32 bytes: the signs of a segment's vector. */
interface CodeBlock {
  versionId: string;
  blockNo: string;
  codes: Uint8Array;
}

/** Returns the codes of a language pair, of all sets with vectors of the model: 1.6 MB for 50,000 segments. */
async function selectCodes(
  tx: Tx,
  tenantId: string,
  pair: LanguagePair,
  model: string,
): Promise<CodeBlock[]> {
  const rows = await tx.execute<{ content_id: string; block_no: string; codes: string }>(sql`
    select v.content_id, v.block_no, encode(v.codes, 'base64') as codes
    from memory_sets g join memory_vectors v on v.tenant_id = g.tenant_id and v.content_id = g.content_id
    where ${ofModel(tenantId, pair, model)}`);
  return rows.map(({ content_id, block_no, codes }) => ({
    versionId: content_id,
    blockNo: block_no,
    codes: Buffer.from(codes, 'base64'),
  }));
}

const ofModel = (tenantId: string, { pairSource, pairTarget }: LanguagePair, model: string) =>
  sql`g.tenant_id = ${tenantId} and g.pair_source = ${pairSource} and g.pair_target = ${pairTarget}
    and g.embedding_model = ${model}`;

/** The position of a vector: its block, and its index in the block, from 0. */
interface VectorPosition {
  versionId: string;
  blockNo: string;
  index: number;
}

/** Returns the vectors at some positions with their sources, in any order. Vectors of deleted segments are left out. */
async function selectVectorsAt(
  tx: Tx,
  tenantId: string,
  places: readonly VectorPosition[],
): Promise<{ sourceText: string; vector: Int8Array }[]> {
  const asked = JSON.stringify(
    places.map(({ versionId, blockNo, index }) => ({ c: versionId, b: blockNo, i: index })),
  );
  const rows = await tx.execute<{ source_text: string; vector: string }>(sql`
    select m.source_text, encode(v.vector, 'base64') as vector
    from json_to_recordset(${asked}::json) as p(c text, b bigint, i int)
    cross join lateral (
      select segment_nos[p.i + 1] as segment_no,
        substring(vectors from p.i * ${dimensions} + 1 for ${dimensions}) as vector
      from memory_vectors where tenant_id = ${tenantId} and content_id = p.c and block_no = p.b offset 0) v
    cross join lateral (
      select source_text from memory_segments
      where tenant_id = ${tenantId} and content_id = p.c and segment_no = v.segment_no offset 0) m`);
  return rows.map(({ source_text, vector }) => {
    const bytes = Buffer.from(vector, 'base64');
    return {
      sourceText: source_text,
      vector: new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    };
  });
}
