import { type SQL, sql } from 'drizzle-orm';
import { prepare, type Tx } from '#db/client.ts';
import { type LanguagePair, pairName } from '#server/languages.ts';
import { normalForm, sourceHashHex, type TextContext } from '#server/matching/normal-form.ts';
import { spellings, withTypographyOf } from '#server/matching/typography.ts';
import { pointsLost } from '../penalties.ts';
import { type SetRow, sentencesSuffix, shownOrigin } from '../sets.ts';
import { storedTuid } from '../tuid.ts';

/** A text to look up. Languages are canonical codes. */
export interface ExactLookup {
  sourceText: string;
  sourceLang: string;
  targetLang: string;
  /** Whether the text is a sentence of a text, which may match a sentence of an approved segment. */
  isPart?: boolean;
  /** Whether to look up the text in other typography (`spellings`), instead of as it is. Its match is the stored segment, see `respelled`. */
  isRespelled?: boolean;
  /** The context of a text of a document. A match with the same one is a context match. */
  context?: TextContext | undefined;
}

/** Exact matches of some texts. */
interface ExactHits {
  /** The match of each text; undefined if none exists. */
  hits: (MemoryHit | undefined)[];
  /** The language pairs of the texts for which the tenant has a TM. */
  pairs: ReadonlySet<string>;
}

/**
 * Looks up exact matches of some texts in one query, for the transaction's tenant. The tenant's id is not needed, so
 * this can run in the same round trip as authentication.
 */
export async function lookUpExact(tx: Tx, texts: readonly ExactLookup[]): Promise<ExactHits> {
  const asked = texts.map(({ sourceText, sourceLang, isRespelled }) =>
    isRespelled ? spellings(sourceText, sourceLang) : [normalForm(sourceText)],
  );
  const held = await selectHeld(
    tx,
    texts.flatMap(({ sourceLang, targetLang, isPart = false, context }, index) =>
      asked[index]!.map((normal) => ({
        hash: sourceHashHex(normal),
        pairSource: sourceLang,
        pairTarget: targetLang,
        isPart,
        context,
      })),
    ),
  );
  const found = held.hits.values();
  return {
    hits: texts.map((text, index) => {
      const hits = asked[index]!.map((normal) => {
        const hit = found.next().value;
        return hit && normalForm(hit.sourceText) === normal ? hit : undefined;
      });
      if (!text.isRespelled) return hits[0];
      return hits.find(unpenalized);
    }),
    pairs: new Set(held.pairs.map(pairName)),
  };
}

/** The place of a stored segment. */
export interface UnitPlace {
  versionId: string;
  segmentNo: number;
}

/** A stored segment, with its origin. For a sentence of an approved segment, this is the golden set. */
export interface MemoryHit {
  sourceText: string;
  targetText: string;
  setId: string;
  setName: string;
  origin: 'tmx_import' | 'golden_approved';
  /** Whether the segment is a sentence of an approved segment. */
  isSentence: boolean;
  /** The segment; for a sentence, the approved segment. */
  unit: UnitPlace;
  tuid: string | null;
  /** Time of the last change, ISO 8601 in UTC, to the second. */
  changedAt: string | null;
  /** Points that the match loses, 0 to 30. With a penalty, it is not an exact match, even of an equal text. */
  penalty: number;
  /** Whether the segment has the context of the text. */
  inContext: boolean;
  /** Whether the text differs from the segment in typography; then the target has that of the text. */
  isRespelled?: boolean;
}

/** Returns the match, if it is an exact one. */
export const unpenalized = (hit: MemoryHit | undefined): MemoryHit | undefined =>
  hit?.penalty === 0 ? hit : undefined;

/** Returns a match in other typography with the typography of the text. */
export const respelled = (
  hit: MemoryHit | undefined,
  { sourceText, targetLang }: Pick<ExactLookup, 'sourceText' | 'targetLang'>,
): MemoryHit | undefined =>
  hit && { ...hit, targetText: withTypographyOf(sourceText, hit, targetLang), isRespelled: true };

/** A source to look up: its hash in hexadecimal, and its language pair. */
interface ExactKey extends LanguagePair {
  hash: string;
  /** Whether it may be a sentence of an approved segment. */
  isPart: boolean;
  context?: TextContext | undefined;
}

type HitRow = {
  source_text: string;
  target_text: string;
  set_id: string;
  name: string;
  origin: SetRow['origin'];
  content_id: string;
  unit_no: number;
  tuid: string | null;
  changed_at: string | null;
  lost: number;
  /** Only of a lookup with contexts: 0 to 2, see `contextRank`. */
  context: number | null;
};

/** SQL: the transaction's tenant. */
const scopedTenant = sql`tenant_scope_from()`;

/** SQL: 2 for a segment with the context of the text, 1 if it is the same on one side only, otherwise 0. */
const contextRank = sql`case when not coalesce(k.x, false) then 0
  when m.context_before is not distinct from decode(k.b, 'hex') and m.context_after is not distinct from decode(k.a, 'hex')
    then case when num_nonnulls(m.context_before, m.context_after) > 0 then 2 else 0 end
  when m.context_before = decode(k.b, 'hex') or m.context_after = decode(k.a, 'hex') then 1 else 0 end`;

/**
 * SQL that selects one of the segments of each source. The first in this order wins: the smallest penalty, then golden
 * sets before imported ones, then the latest changedate, then the latest updated_at of the set, then the order of storage. If the workspace prefers
 * it, a segment with the context of the text precedes the others without a penalty. `lateral` and `offset 0` make PostgreSQL use the index of hashes for each source, whatever the planner expects of the sets.
 */
function winnersOf(tenantId: SQL, keys: SQL, hasContexts = false) {
  const context = hasContexts ? contextRank : sql`null::int`;
  const bestContext = hasContexts
    ? sql`case when (select metadata -> 'prefer_tm_context' = 'true'::jsonb from tenants where tenant_id = ${tenantId})
        then ${contextRank} end desc nulls last,`
    : sql``;
  return sql`
    select k.at, w.*, a.set_id as golden_id, a.content_id as golden_content_id
    from json_to_recordset(${keys}::json) as k(at int, h text, s text, t text, p boolean, x boolean, b text, a text)
    cross join lateral (
      select m.source_text, m.target_text, coalesce(m.part_of, m.segment_no) as unit_no, g.content_id, g.set_id, g.name,
        g.origin, ${storedTuid('m')} as tuid,
        to_char(m.changed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as changed_at,
        ${pointsLost('g', 'm')} as lost, ${context} as context
      from (select * from memory_segments where tenant_id = ${tenantId}
        and source_hash = decode(k.h, 'hex') offset 0) m
      join memory_sets g on g.tenant_id = m.tenant_id and g.content_id = m.content_id
      where g.pair_source = k.s and g.pair_target = k.t and (k.p or g.origin <> 'golden_sentences')
      order by lost, ${bestContext} (g.origin <> 'tmx_import') desc, m.changed_at desc nulls last, g.updated_at desc,
        m.segment_no desc
      limit 1) w
    left join lateral (select a.set_id, a.content_id from memory_sets a where w.origin = 'golden_sentences'
      and a.tenant_id = ${tenantId} and a.name = left(w.name, -${sql.raw(String(sentencesSuffix.length))})) a on true`;
}

/**
 * Returns the winning segment of each source; undefined if there is no match. Must be the transaction's only statement.
 */
export async function selectWinners(
  tx: Tx,
  tenantId: string,
  keys: readonly ExactKey[],
): Promise<(MemoryHit | undefined)[]> {
  const statement = winnersOf(sql`${tenantId}`, sql`${packKeys(keys)}`);
  return hitsOf(keys, await tx.last(tx.execute<WinnerRow>(statement)));
}

const prepareHeld = (name: string, hasContexts: boolean) =>
  prepare<{ keys: string }, HeldRow[]>((db) =>
    db
      .select({
        winners: sql<
          WinnerRow[] | null
        >`(select json_agg(w) from (${winnersOf(scopedTenant, sql`${sql.placeholder('keys')}`, hasContexts)}) w)`,
        pairs: sql<[string, string][] | null>`(
        select json_agg(jsonb_build_array(k.s, k.t)) from (
          select distinct s, t from json_to_recordset(${sql.placeholder('keys')}::json) as k(s text, t text)) k
        where exists (select from memory_sets where tenant_id = ${scopedTenant}
          and pair_source = k.s and pair_target = k.t))`,
      })
      .from(sql`(select) one_row`)
      .prepare(name),
  );

/** Prepared once per connection, because every job runs it. */
const heldInScope = prepareHeld('select_exact_matches', false);
const heldInContext = prepareHeld('select_context_matches', true);

/**
 * Returns the winning segments, and the language pairs for which there is a TM. The transaction determines the tenant,
 * so the caller need not know it yet.
 */
async function selectHeld(
  tx: Tx,
  keys: readonly ExactKey[],
): Promise<{ hits: (MemoryHit | undefined)[]; pairs: LanguagePair[] }> {
  const select = keys.some(({ context }) => context) ? heldInContext : heldInScope;
  const [row] = await select(tx, { keys: packKeys(keys) });
  return {
    hits: hitsOf(keys, row?.winners ?? []),
    pairs: (row?.pairs ?? []).map(([pairSource, pairTarget]) => ({ pairSource, pairTarget })),
  };
}

type WinnerRow = HitRow & { at: number; golden_id: string | null; golden_content_id: string | null };

interface HeldRow {
  winners: WinnerRow[] | null;
  pairs: [string, string][] | null;
}

function packKeys(keys: readonly ExactKey[]): string {
  return JSON.stringify(
    keys.map(({ hash, pairSource, pairTarget, isPart, context }, at) => ({
      ...{ at, h: hash, s: pairSource, t: pairTarget },
      ...(isPart && { p: true }),
      ...(context && { x: true, b: context.before, a: context.after }),
    })),
  );
}

function hitsOf(keys: readonly ExactKey[], rows: Iterable<WinnerRow>): (MemoryHit | undefined)[] {
  const hits: (MemoryHit | undefined)[] = keys.map(() => undefined);
  for (const row of rows) hits[row.at] = hitOf(row);
  return hits;
}

function hitOf(row: WinnerRow): MemoryHit {
  const isSentence = row.origin === 'golden_sentences';
  return {
    sourceText: row.source_text,
    targetText: row.target_text,
    setId: row.golden_id ?? row.set_id,
    setName: isSentence ? row.name.slice(0, -sentencesSuffix.length) : row.name,
    origin: shownOrigin(row),
    isSentence,
    unit: { versionId: row.golden_content_id ?? row.content_id, segmentNo: Number(row.unit_no) },
    tuid: row.tuid,
    changedAt: row.changed_at,
    penalty: row.lost,
    inContext: row.context === 2,
  };
}
