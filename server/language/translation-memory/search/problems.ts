import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { readPlace, writePlace } from '#server/http/paging.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { readGuidance, styleOf } from '#server/language/style-guides/guidance.ts';
import type { SlotScope } from '#server/platform/concurrency-limit.ts';
import type { TaskStyle } from '#server/platform/engines/engine.ts';
import type { SetRow } from '../sets.ts';
import type { ProblemKind, ProblemPage, ProblemsRequest } from '../unit-schema.ts';
import { type FoundUnit, readUnits } from './read-units.ts';
import { slots, unitViews } from './search-units.ts';
import { type RemainingSets, selectSearchedSets } from './searched-sets.ts';

/*
 * Finds the segments of a set that should not be served. A request looks through a part of the set, and its cursor
 * continues. The texts are checked on a thread, between two short transactions: no connection is kept during a check.
 */

type Problem = ProblemPage['units'][number]['problems'][number];

/** The kinds that depend on the other segments of the language pair; the texts of the segment show the others. */
const kindsOfPairs = ['other_translation', 'duplicate'] as const satisfies ProblemKind[];
type KindOfTexts = Exclude<ProblemKind, (typeof kindsOfPairs)[number]>;

/** Checks the texts of segments, as the checks of a translation do. They belong to a module above this one. */
export type CheckUnits = (
  asked: {
    units: readonly Pick<FoundUnit, 'sourceText' | 'targetText'>[];
    sourceLang: string;
    targetLang: string;
    style: TaskStyle | null;
    kinds: readonly KindOfTexts[];
  },
  scope: SlotScope,
) => Promise<{ kind: KindOfTexts; text: string | null }[][]>;

/** Maximum work of a request: segments, and milliseconds after which no other part is begun. */
const most = { units: 50_000, ms: 2000 };

/** Segments that are read and checked together. Their checks take about 0.2 s. */
const part = 500;

/**
 * Returns a page of the segments of a set that have problems.
 * @throws AppError 404 for an unknown set, also of another tenant; 409 if the set was replaced since the cursor; 422
 */
export async function findProblems(
  { database }: Pick<Services, 'database'>,
  withTenant: WithTenant,
  { set_id: setId, kinds, limit, cursor }: ProblemsRequest,
  check: CheckUnits,
  signal: AbortSignal,
): Promise<ProblemPage> {
  const { viewer, remaining, style } = await withTenant(async (tx, viewer) => {
    const { tenant } = viewer;
    const filter = { setId, pairSource: undefined, pairTarget: undefined };
    const place = cursor === undefined ? undefined : readPlace(cursor);
    const sets = await selectSearchedSets(tx, tenant.id, filter, place);
    const { pairTarget } = sets.sets[0]!;
    const { styles } = await readGuidance(tx, [pairTarget]);
    return { viewer, remaining: sets, style: styleOf(styles, pairTarget) };
  });
  const set = remaining.sets[0]!;
  const tenantId = viewer.tenant.id;
  const scope = { tenantId, signal };
  const wanted = new Set(kinds);
  const ofTexts = [...wanted].filter((kind): kind is KindOfTexts => !isOfPairs(kind));
  const ofPairs = [...wanted].filter(isOfPairs);
  const asked = { style, kinds: ofTexts, sourceLang: set.pairSource, targetLang: set.pairTarget };
  const end = performance.now() + most.ms;
  const found: ProblemPage['units'] = [];
  let looked = 0;
  let place: RemainingSets | null = remaining;
  return slots.run(scope, async () => {
    while (place && found.length < limit && looked < most.units && performance.now() < end) {
      signal.throwIfAborted();
      const { units, next, others } = await database.inTenant(tenantId, async (tx) => {
        const page = await readUnits(tx, tenantId, place!, { limit: part, condition: undefined });
        return { ...page, others: ofPairs.length > 0 ? await otherUnits(tx, set, page.units, ofPairs) : [] };
      });
      const texts = ofTexts.length > 0 ? await check({ ...asked, units }, scope) : [];
      const bad = units.flatMap((unit, at) => {
        const own = (texts[at] ?? []).map((problem) => ({ ...problem, set_name: null }));
        const problems = [...own, ...(others[at] ?? [])];
        return problems.length > 0 ? [{ unit, problems }] : [];
      });
      const shown = bad.slice(0, limit - found.length);
      if (shown.length > 0) {
        const badUnits = shown.map(({ unit }) => unit);
        const views = await database.inTenant(tenantId, (tx) => unitViews(tx, viewer, badUnits));
        found.push(...views.map((view, at) => ({ ...view, problems: shown[at]!.problems })));
      }
      const last = shown.length < bad.length ? shown.at(-1)?.unit : undefined;
      looked += units.length;
      place = last ? { sets: [set], after: last.segmentNo } : next && { sets: [set], after: next.after };
    }
    const next_cursor = place && writePlace({ versionId: set.versionId, after: place.after });
    return { units: found, next_cursor };
  });
}

function isOfPairs(kind: ProblemKind): kind is (typeof kindsOfPairs)[number] {
  return (kindsOfPairs as readonly ProblemKind[]).includes(kind);
}

/** Maximum segments that are read of one source, and compared of those of its language pair: there may be any number. */
const maxOfSource = { read: 10_000, compared: 100 };

/**
 * Returns for each segment the other segments of its language pair with the same source, as problems: one with the
 * same translation and context, and one with another translation. All sets that a job looks up are compared.
 */
async function otherUnits(
  tx: Tx,
  { tenantId, pairSource, pairTarget, versionId }: SetRow,
  units: readonly FoundUnit[],
  kinds: readonly (typeof kindsOfPairs)[number][],
): Promise<Problem[][]> {
  const numbers = JSON.stringify(units.map(({ segmentNo }, at) => ({ at, n: segmentNo })));
  // Each source is looked up once, because all segments may have the same one.
  const rows = await tx.execute<{ at: number; same: boolean; text: string; name: string }>(sql`
    with mine as materialized (
      select r.at, r.n, m.* from json_to_recordset(${numbers}::json) as r(at int, n bigint)
      cross join lateral (select source_hash, target_text, context_before, context_after from memory_segments
        where tenant_id = ${tenantId} and content_id = ${versionId} and segment_no = r.n offset 0) m),
    others as materialized (
      select h.source_hash, x.* from (select distinct source_hash from mine) h
      cross join lateral (
        select x.*, g.name
        from (select content_id, segment_no, target_text, context_before, context_after from memory_segments
          where tenant_id = ${tenantId} and source_hash = h.source_hash limit ${maxOfSource.read} offset 0) x
        join memory_sets g on g.tenant_id = ${tenantId} and g.content_id = x.content_id
          and g.pair_source = ${pairSource} and g.pair_target = ${pairTarget} and g.origin <> 'golden_sentences'
        limit ${maxOfSource.compared + 1}) x)
    select distinct on (m.at, o.target_text = m.target_text)
      m.at, o.target_text = m.target_text as same, left(o.target_text, 200) as text, o.name
    from mine m join others o on o.source_hash = m.source_hash
    where (o.content_id <> ${versionId} or o.segment_no <> m.n) and (o.target_text <> m.target_text
      or row (o.context_before, o.context_after) is not distinct from row (m.context_before, m.context_after))
    order by m.at, o.target_text = m.target_text, o.name`);
  const problems = units.map((): Problem[] => []);
  for (const { at, same, text, name } of rows) {
    const kind = same ? 'duplicate' : 'other_translation';
    if (kinds.includes(kind)) problems[at]!.push({ kind, text: same ? null : text, set_name: name });
  }
  return problems;
}
