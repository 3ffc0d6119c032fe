import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { readPlace, writePlace } from '#server/http/paging.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { Principal } from '#server/identity/access/principal.ts';
import type { Origin } from '#server/identity/audit/audit-log.ts';
import type { FoundUnit } from '../search/read-units.ts';
import { slots, unitViews } from '../search/search-units.ts';
import { selectSearchedSets } from '../search/searched-sets.ts';
import type { SetRow } from '../sets.ts';
import { storedTuid } from '../tuid.ts';
import { requireExpected, searchSet } from './bulk-changes.ts';
import type {
  BulkChange,
  DuplicateCount,
  MergeDuplicatesRequest,
  OtherTranslationsPage,
  OtherTranslationsRequest,
} from './edit-schema.ts';
import { changeMemory, lockSet } from './locked-sets.ts';
import { maxChange, planForMany, storeChange } from './store-changes.ts';

/*
 * Segments with the same source. Identical ones, with the same translation and context too, are merged in one change: the
 * latest of a set stays, because it is served. Of different translations a member keeps one, because both can be right.
 */

type Needed = Pick<Services, 'database' | 'embedder'>;

/**
 * Counts what a merge of identical segments would delete, and the sources that have several translations.
 * @throws AppError 404 for an unknown set, also of another tenant
 */
export function countDuplicates(
  services: Needed,
  withTenant: WithTenant,
  { set_id: setId }: { set_id: string },
  signal: AbortSignal,
): Promise<DuplicateCount> {
  return searchSet(services, withTenant, setId, signal, async (tx, set) => {
    const duplicates = await selectDuplicates(tx, set);
    // The texts are compared only of sources that occur more than once.
    const [row] = await tx.execute<{ sources: number }>(sql`
      select count(*)::int as sources from (
        select m.source_hash from ${unitsOfPair(set)} and m.source_hash in (
          select m.source_hash from ${unitsOfPair(set)} group by m.source_hash having count(*) > 1)
        group by m.source_hash
        having min(m.target_text collate "C") <> max(m.target_text collate "C")
          and bool_or(m.content_id = ${set.versionId})) s`);
    return { ...duplicates, segments: duplicates.segments.length, sources: row?.sources ?? 0 };
  });
}

/**
 * Merges the identical segments of a set: the latest of them stays and gets the uses of the others, which are deleted. A
 * merge deletes at most as many as one change may; another merge continues.
 * @throws AppError 404 for an unknown set, also of another tenant; 409 if there are more or fewer than the member saw, or
 *   during an import
 */
export function mergeDuplicates(
  services: Needed,
  withTenant: WithTenant,
  origin: Origin,
  { set_id: setId, segments }: MergeDuplicatesRequest,
): Promise<BulkChange> {
  return changeMemory(services, withTenant, origin, async (tx, editor) => {
    const set = await lockSet(tx, editor.principal.tenant.id, setId);
    const found = (await selectDuplicates(tx, set)).segments;
    const numbers = JSON.stringify([...new Set(found.flatMap(({ no, kept }) => [no, kept]))]);
    // A job may be deleting its segments: what is gone must not be counted, nor be the one that stays.
    const locked = await tx.execute<{ no: string }>(sql`
      select segment_no as no from memory_segments m where ${isOf(set)}
        and segment_no = any(array(select value::bigint from json_array_elements_text(${numbers}::json)))
      order by segment_no for update`);
    const present = new Set(locked.map(({ no }) => no));
    const merged = found.filter(({ no, kept }) => present.has(no) && present.has(kept));
    requireExpected(merged.length, segments);
    const changes = merged.map(({ no, kept }) => ({
      ...{ versionId: set.versionId, segmentNo: Number(no), next: null, mergedInto: Number(kept) },
    }));
    const changeId = await storeChange(tx, services, editor, 'merged', { sets: [set], changes });
    return { change_id: changeId, segments };
  });
}

const isOf = ({ tenantId, versionId }: SetRow): SQL =>
  sql`m.tenant_id = ${tenantId} and m.content_id = ${versionId}`;

/** SQL: the segments `m` of all sets that a job looks up for the language pair of a set. */
const unitsOfPair = ({ tenantId, pairSource, pairTarget }: SetRow): SQL => sql`
  memory_sets g join memory_segments m on m.tenant_id = g.tenant_id and m.content_id = g.content_id
  where g.tenant_id = ${tenantId} and g.pair_source = ${pairSource} and g.pair_target = ${pairTarget}
    and g.origin <> 'golden_sentences'`;

/** Returns the segments of a set that are not the latest with their source, translation and context, each with the latest. */
async function selectDuplicates(
  tx: Tx,
  set: SetRow,
): Promise<{ segments: { no: string; kept: string }[]; has_more: boolean }> {
  await planForMany(tx, maxChange.units);
  const rows = await tx.execute<{ no: string; kept: string; bytes: string }>(sql`
    select no, kept, sum(size) over (order by no) as bytes from (
      select m.segment_no as no, octet_length(m.source_text) + octet_length(m.target_text) as size,
        first_value(m.segment_no) over (
          partition by m.source_hash, m.target_text, m.context_before, m.context_after
          order by m.changed_at desc nulls last, m.segment_no desc) as kept
      from memory_segments m where ${isOf(set)} and m.source_hash in (
        select m.source_hash from memory_segments m where ${isOf(set)} group by m.source_hash having count(*) > 1)) d
    where no <> kept order by no limit ${maxChange.units + 1}`);
  const fitting = rows.filter(({ bytes }, at) => at < maxChange.units && Number(bytes) <= maxChange.bytes);
  return { segments: fitting, has_more: fitting.length < rows.length };
}

/** Maximum segments that a page of sources looks through, and segments of one source. */
const most = { looked: 15_000, units: 20 };

/**
 * Returns a page of the sources of a set that have several translations, each with its segments.
 * @throws AppError 404 for an unknown set, also of another tenant; 409 if the set was replaced since the cursor; 422
 */
export async function listOtherTranslations(
  { database }: Needed,
  withTenant: WithTenant,
  { set_id: setId, limit, cursor }: OtherTranslationsRequest,
  signal: AbortSignal,
): Promise<OtherTranslationsPage> {
  const { viewer, set, after } = await withTenant(async (tx, viewer) => {
    const filter = { setId, pairSource: undefined, pairTarget: undefined };
    const place = cursor === undefined ? undefined : readPlace(cursor);
    const { sets, after } = await selectSearchedSets(tx, viewer.tenant.id, filter, place);
    return { viewer, set: sets[0]!, after };
  });
  const { tenantId, versionId } = set;
  return slots.run({ tenantId, signal }, () =>
    database.inTenant(tenantId, async (tx) => {
      const [end] = await tx.execute<{ last: string | null }>(sql`
        select max(no) as last from (select m.segment_no as no from memory_segments m
          where ${isOf(set)} and m.segment_no > ${after} order by m.segment_no limit ${most.looked}) m`);
      // A source is listed at its first segment in the set. Its segments are compared once, not for each of them.
      const found = await tx.execute<{ no: string; hash: string }>(sql`
        select f.no, encode(f.source_hash, 'hex') as hash from (
          select m.source_hash, min(m.segment_no) as no, min(m.target_text collate "C") as target
          from memory_segments m
          where ${isOf(set)} and m.segment_no > ${after} and m.segment_no <= ${end?.last ?? 0}
          group by m.source_hash offset 0) f
        cross join lateral (
          select bool_or(m.content_id = ${versionId} and m.segment_no <= ${after}) as is_listed,
            bool_or(m.target_text <> f.target) as has_other
          from (select content_id, segment_no, target_text from memory_segments
            where tenant_id = ${tenantId} and source_hash = f.source_hash offset 0) m
          join memory_sets g on g.tenant_id = ${tenantId} and g.content_id = m.content_id
            and g.pair_source = ${set.pairSource} and g.pair_target = ${set.pairTarget}
            and g.origin <> 'golden_sentences' offset 0) o
        where o.has_other and not o.is_listed
        order by f.no limit ${limit + 1}`);
      const shown = found.slice(0, limit);
      const last = found.length > limit ? shown.at(-1)?.no : end?.last;
      const hasMore = last != null && (await hasAfter(tx, set, Number(last)));
      return {
        sources: await unitsOfSources(tx, viewer, set, shown),
        next_cursor: hasMore ? writePlace({ versionId, after: Number(last) }) : null,
      };
    }),
  );
}

async function hasAfter(tx: Tx, set: SetRow, after: number): Promise<boolean> {
  const [row] = await tx.execute(
    sql`select from memory_segments m where ${isOf(set)} and m.segment_no > ${after} limit 1`,
  );
  return row !== undefined;
}

/** Returns the segments of some sources in all sets of the language pair, in the order in which lookups prefer them. */
async function unitsOfSources(
  tx: Tx,
  viewer: Principal,
  { tenantId, pairSource, pairTarget }: SetRow,
  sources: readonly { hash: string }[],
): Promise<OtherTranslationsPage['sources']> {
  const { sets } = await selectSearchedSets(
    tx,
    tenantId,
    { pairSource: pairSource as never, pairTarget: pairTarget as never },
    undefined,
  );
  const hashes = JSON.stringify(sources.map(({ hash }, at) => ({ at, h: hash })));
  const rows = await tx.execute<SourceRow>(sql`
    select r.at, m.* from json_to_recordset(${hashes}::json) as r(at int, h text)
    cross join lateral (
      select m.content_id as version, m.segment_no as no, m.source_text as source, m.target_text as target,
        ${storedTuid('m')} as tuid, to_char(m.changed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as changed
      from (select * from memory_segments where tenant_id = ${tenantId} and source_hash = decode(r.h, 'hex') offset 0) m
      join memory_sets g on g.tenant_id = m.tenant_id and g.content_id = m.content_id and g.pair_source = ${pairSource}
        and g.pair_target = ${pairTarget} and g.origin <> 'golden_sentences'
      order by (g.origin = 'golden_approved') desc, m.changed_at desc nulls last, g.updated_at desc, m.segment_no desc
      limit ${most.units}) m
    order by r.at`);
  const byVersion = new Map(sets.map((one) => [one.versionId, one]));
  const units = rows.map(
    (row): FoundUnit => ({
      ...{ set: byVersion.get(row.version)!, segmentNo: Number(row.no), tuid: row.tuid },
      ...{ sourceText: row.source, targetText: row.target, changedAt: row.changed },
    }),
  );
  const views = await unitViews(tx, viewer, units);
  return sources.map((_, at) => ({ units: views.filter((_view, index) => rows[index]!.at === at) }));
}

type SourceRow = {
  at: number;
  version: string;
  no: string;
  source: string;
  target: string;
  tuid: string | null;
  changed: string | null;
};
