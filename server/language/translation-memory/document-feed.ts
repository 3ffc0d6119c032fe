import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import type { LanguagePair } from '#server/languages.ts';
import { isShortEnough } from '#server/matching/fuzzy/index.ts';
import { normalForm, sourceHashHex, type TextContext } from '#server/matching/normal-form.ts';
import { newId } from '#server/platform/ids.ts';
import { withTenantLock } from '#server/platform/tenant-lock.ts';
import { learnSentences } from './learned-sentences.ts';
import { lookUpExact, unpenalized } from './lookup/exact-match.ts';
import { isUntranslated } from './sentence-pairs.ts';
import { countSegmentsOfPair, ensureSet, goldenSetName } from './sets.ts';

/** A segment of a document, after review. */
export interface DocumentPair {
  sourceText: string;
  targetText: string;
  /** Whether a reviewer changed the segment. */
  corrected: boolean;
  /** The context of the first place of the text in the document. */
  context?: TextContext | undefined;
}

/** A segment that is in the golden set because of the document. */
export interface FedPair extends DocumentPair {
  sourceHash: string;
}

export interface DocumentFeed {
  fed: FedPair[];
  /** Number of segments that the set already had, or that repeat another segment of the document. */
  duplicates: number;
  /** Number of segments that were not added because the TM is full and does not have their source. */
  atCap: number;
}

/** The steps before and after the segments are added, in the same transaction. */
interface FeedSteps {
  /** Locks the document, and returns its segments. */
  select(tx: Tx): Promise<readonly DocumentPair[]>;
  /** Records the added segments with the document. */
  record(tx: Tx, feed: DocumentFeed): Promise<void>;
}

/** Number of segments that are looked up and inserted together. */
const batch = 1000;

/**
 * Adds the segments of a document, and their sentences, to the golden set of their languages. A correction is added unless its target is
 * already the one that is served for its source. An unedited segment is added unless the set has ever had this target
 * for its source. If the TM is full, only segments whose source it already has are added. Untranslated segments are
 * left out.
 *
 * The segments are selected, added and recorded in one transaction, so that none of them changes in between.
 */
export function feedDocument(
  { database, embedder, settings }: Pick<Services, 'database' | 'embedder' | 'settings'>,
  { tenantId, documentId, languages }: { tenantId: string; documentId: string; languages: LanguagePair },
  { select, record }: FeedSteps,
): Promise<DocumentFeed> {
  // With the lock, two calls can neither use the same free capacity nor add the same segment twice.
  return withTenantLock(database, tenantId, 'memory', async (tx) => {
    const pairs = await select(tx);
    const name = goldenSetName(languages);
    await ensureSet(tx, tenantId, {
      ...languages,
      ...{ setId: newId(), name, origin: 'golden_approved', embeddingModel: embedder?.model ?? null },
    });
    const held = await countSegmentsOfPair(tx, tenantId, languages, null);
    let room = Math.max(0, settings.MAX_TM_SEGMENTS - held);
    const feed: DocumentFeed = { fed: [], duplicates: 0, atCap: 0 };
    const added = new Map<string, string>();
    for (let start = 0; start < pairs.length; start += batch) {
      const some = pairs
        .slice(start, start + batch)
        .filter((pair) => !isUntranslated({ ...pair, targetLang: languages.pairTarget }))
        .map((pair) => ({ ...pair, sourceHash: sourceHashHex(normalForm(pair.sourceText)) }));
      const known = await lookUpPairs(tx, tenantId, languages, name, some);
      const chosen: FedPair[] = [];
      for (const [index, pair] of some.entries()) {
        const { served, sourceHeld, targetHeld } = known[index]!;
        const target = normalForm(pair.targetText);
        const addedNow = added.get(pair.sourceHash);
        const repeats = pair.corrected ? (addedNow ?? served) === target : addedNow === target || targetHeld;
        if (repeats) feed.duplicates += 1;
        else if (!sourceHeld && !added.has(pair.sourceHash) && room === 0) feed.atCap += 1;
        else {
          if (!sourceHeld && !added.has(pair.sourceHash)) room -= 1;
          added.set(pair.sourceHash, target);
          chosen.push(pair);
        }
      }
      await insertPairs(tx, { tenantId, documentId, name }, chosen);
      await learnSentences(tx, { tenantId, jobId: documentId, languages }, chosen);
      feed.fed.push(...chosen);
    }
    await record(tx, feed);
    return feed;
  });
}

interface KnownPair {
  /** The normal form of the target that is currently served for the source; undefined if none is. */
  served: string | undefined;
  /** Whether the tenant's TM of these languages has the source. */
  sourceHeld: boolean;
  /** Whether the golden set has ever had this target for the source. */
  targetHeld: boolean;
}

async function lookUpPairs(
  tx: Tx,
  tenantId: string,
  { pairSource, pairTarget }: LanguagePair,
  name: string,
  pairs: readonly FedPair[],
): Promise<KnownPair[]> {
  const keys = JSON.stringify(
    pairs.map(({ sourceHash, targetText }, at) => ({ at, h: sourceHash, t: targetText })),
  );
  const [{ hits }, golden] = await Promise.all([
    lookUpExact(
      tx,
      pairs.map(({ sourceText }) => ({ sourceText, sourceLang: pairSource, targetLang: pairTarget })),
    ),
    tx.execute<{ at: number; target_held: boolean }>(sql`
      select k.at, exists (select from memory_segments m
        join memory_sets g on g.tenant_id = m.tenant_id and g.content_id = m.content_id
        where m.tenant_id = ${tenantId} and m.source_hash = decode(k.h, 'hex') and m.target_text = k.t
          and g.name = ${name}) as target_held
      from json_to_recordset(${keys}::json) as k(at int, h text, t text)`),
  ]);
  const targetHeld = new Set(golden.filter((row) => row.target_held).map(({ at }) => at));
  return pairs.map((_, index) => {
    const hit = hits[index];
    const served = unpenalized(hit);
    return {
      served: served && normalForm(served.targetText),
      sourceHeld: hit !== undefined,
      targetHeld: targetHeld.has(index),
    };
  });
}

async function insertPairs(
  tx: Tx,
  { tenantId, documentId, name }: { tenantId: string; documentId: string; name: string },
  pairs: readonly FedPair[],
): Promise<void> {
  if (pairs.length === 0) return;
  const rows = JSON.stringify(
    pairs.map(({ sourceHash, sourceText, targetText, context }) => ({
      h: sourceHash,
      s: sourceText,
      t: targetText,
      b: context?.before,
      a: context?.after,
      shard: isShortEnough(sourceText) && isShortEnough(targetText) ? null : -1,
    })),
  );
  await tx.execute(sql`
    insert into memory_segments (tenant_id, content_id, source_hash, source_text, target_text, changed_at, shard_no, job_id,
      context_before, context_after)
    select ${tenantId}, g.content_id, decode(r.h, 'hex'), r.s, r.t, date_trunc('second', now()), r.shard, ${documentId},
      decode(r.b, 'hex'), decode(r.a, 'hex')
    from memory_sets g, json_to_recordset(${rows}::json) as r(h text, s text, t text, shard int, b text, a text)
    where g.tenant_id = ${tenantId} and g.name = ${name}
    for key share of g`);
}
