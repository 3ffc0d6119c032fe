import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { readPlace, writePlace } from '#server/http/paging.ts';
import { createSpanFinder, hasText } from '#server/http/text-search.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { type Principal, seesMembers } from '#server/identity/access/principal.ts';
import { readDeclaredLanguage, requireDeclaredLanguage } from '#server/language/set-upload.ts';
import { createConcurrencyLimit } from '#server/platform/concurrency-limit.ts';
import { shownOrigin } from '../sets.ts';
import { exportedTuid } from '../tuid.ts';
import type {
  BrowseRequest,
  ConcordancePage,
  ConcordanceRequest,
  MemoryUnit,
  UnitPageView,
} from '../unit-schema.ts';
import { type FoundUnit, readUnits, type UnitPage, type UnitQuery } from './read-units.ts';
import { type SetFilter, selectSearchedSets } from './searched-sets.ts';

export const columns = { source: sql`source_text`, target: sql`target_text` };

/**
 * Returns a page of the segments of one set, of the sets of a language pair, or of all sets. If a text is given, only
 * segments that contain it.
 * @throws AppError 404 for an unknown set or one of another tenant; 409 if the set of the cursor was replaced; 422
 */
export async function browseUnits(
  services: Pick<Services, 'database'>,
  withTenant: WithTenant,
  request: BrowseRequest,
  signal: AbortSignal,
): Promise<UnitPageView> {
  const { text, match, side, limit, cursor } = request;
  const sides = side === 'either' ? (['source', 'target'] as const) : [side];
  const conditions = text === undefined ? [] : sides.map((name) => hasText(columns[name], text, match));
  const condition = conditions.length === 0 ? undefined : sql.join(conditions, sql` or `);
  const search: Search = {
    cursor,
    filter: () => ({
      setId: request.set_id,
      pairSource: readDeclaredLanguage('source_lang', request.source_lang)?.code,
      pairTarget: readDeclaredLanguage('target_lang', request.target_lang)?.code,
    }),
    query: { limit, condition },
  };
  const { units, next } = await searchMemory(services, withTenant, search, signal);
  return { units: units.map(([unit]) => unit), next_cursor: next && writePlace(next) };
}

/**
 * Returns a page of the segments in which a word or phrase occurs, from all sets of a language pair.
 * @throws AppError 400, 422; 409 if the set of the cursor was replaced
 */
export async function searchConcordance(
  services: Pick<Services, 'database'>,
  withTenant: WithTenant,
  request: ConcordanceRequest,
  signal: AbortSignal,
): Promise<ConcordancePage> {
  const { text, side, whole_words: wholeWords, limit, cursor } = request;
  const find = createSpanFinder(text, { wholeWords });
  const spansIn = ({ sourceText, targetText }: FoundUnit) =>
    find(side === 'source' ? sourceText : targetText);
  const search: Search = {
    cursor,
    filter: () => ({
      pairSource: requireDeclaredLanguage('source_lang', request.source_lang).code,
      pairTarget: requireDeclaredLanguage('target_lang', request.target_lang).code,
    }),
    query: {
      limit,
      condition: hasText(columns[side], text, 'contains'),
      keep: wholeWords ? (unit) => spansIn(unit).length > 0 : undefined,
    },
  };
  const { units, next } = await searchMemory(services, withTenant, search, signal);
  return {
    units: units.map(([view, unit]) => ({ ...view, spans: spansIn(unit) })),
    next_cursor: next && writePlace(next),
  };
}

interface Search {
  cursor: string | undefined;
  /**
   * Called after the caller is authenticated.
   * @throws AppError
   */
  filter: () => SetFilter;
  query: UnitQuery;
}

/**
 * Limits concurrent searches, because they keep the database busy. Tenants get the slots in turn, so that other
 * requests always get a database connection.
 */
export const slots = createConcurrencyLimit({
  slots: 3,
  maxWaiting: 300,
  refusal: 'too many searches are in progress; try again later',
});

async function searchMemory(
  { database }: Pick<Services, 'database'>,
  withTenant: WithTenant,
  { cursor, filter, query }: Search,
  signal: AbortSignal,
): Promise<Pick<UnitPage, 'next'> & { units: [MemoryUnit, FoundUnit][] }> {
  const { viewer, remaining } = await withTenant(async (tx, viewer) => ({
    viewer,
    remaining: await selectSearchedSets(
      tx,
      viewer.tenant.id,
      filter(),
      cursor === undefined ? undefined : readPlace(cursor),
    ),
  }));
  const tenantId = viewer.tenant.id;
  return slots.run({ tenantId, signal }, () =>
    database.inTenant(tenantId, async (tx) => {
      const { units, next } = await readUnits(tx, tenantId, remaining, query);
      const views = await unitViews(tx, viewer, units);
      return { units: units.map((unit, index): [MemoryUnit, FoundUnit] => [views[index]!, unit]), next };
    }),
  );
}

/** Returns segments as responses show them, with their file, their latest change and how often they were served. */
export async function unitViews(
  tx: Tx,
  viewer: Principal,
  units: readonly FoundUnit[],
): Promise<MemoryUnit[]> {
  if (units.length === 0) return [];
  const tenantId = viewer.tenant.id;
  const places = JSON.stringify(
    units.map(({ set, segmentNo }, at) => ({ at, c: set.versionId, n: segmentNo })),
  );
  // `lateral` and `offset 0` make PostgreSQL look up each segment by its key, whatever it expects of the tables.
  const rows = await tx.execute<UseRow>(sql`
    select v.file_name as file, u.served, to_json(u.served_at) #>> '{}' as served_at,
      case when ${seesMembers(viewer)} then e.actor end as actor
    from json_to_recordset(${places}::json) as r(at int, c text, n bigint)
    left join memory_contents v on v.tenant_id = ${tenantId} and v.content_id = r.c
    left join lateral (select served, served_at from memory_use
      where tenant_id = ${tenantId} and content_id = r.c and segment_no = r.n offset 0) u on true
    left join lateral (select c.actor from memory_changed_segments s
      join memory_changes c on c.tenant_id = s.tenant_id and c.change_id = s.change_id
      where s.tenant_id = ${tenantId} and s.content_id = r.c and s.segment_no = r.n and not s.undone
      order by c.created_at desc limit 1) e on true
    order by r.at`);
  return units.map((unit, index) => unitView(unit, rows[index]!));
}

type UseRow = { file: string | null; served: string | null; served_at: string | null; actor: string | null };

function unitView(unit: FoundUnit, { file, served, served_at: servedAt, actor }: UseRow): MemoryUnit {
  const { set, segmentNo, sourceText, targetText, changedAt } = unit;
  return {
    set_id: set.setId,
    set_name: set.name,
    origin: shownOrigin(set),
    source_lang: set.sourceLang,
    target_lang: set.targetLang,
    unit_no: segmentNo,
    tuid: exportedTuid(unit),
    source_text: sourceText,
    target_text: targetText,
    changed_at: changedAt ?? set.updatedAt.toISOString(),
    changed_by: actor,
    file_name: file,
    served: Number(served ?? 0),
    served_at: servedAt && new Date(servedAt).toISOString(),
  };
}
