import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { terminologySets } from '#db/schema/terminology.ts';
import { AppError } from '#server/errors.ts';
import { readPlace, replacedMeanwhile, writePlace } from '#server/paging.ts';
import { readDeclaredLanguage } from '#server/set-upload.ts';
import { hasText } from '#server/text-search.ts';
import type { EntriesRequest, EntryPage } from './entry-schema.ts';

/** The most entries that one page looks through: they take some 20 ms. */
const mostLooked = 20_000;

/**
 * Returns a page of a glossary's entries in the order of its file: those that apply to some languages and have a text, if these are given.
 * @throws AppError 404 for an unknown or foreign glossary; 409 if it was replaced since the cursor was made; 422
 */
export async function listEntries(tx: Tx, tenantId: string, request: EntriesRequest): Promise<EntryPage> {
  const { set_id: setId, limit, cursor } = request;
  const conditions = conditionsOf(request);
  const place = cursor === undefined ? undefined : readPlace(cursor);
  const [set] = await tx
    .select({ revision: terminologySets.revision })
    .from(terminologySets)
    .where(and(eq(terminologySets.tenantId, tenantId), eq(terminologySets.setId, setId)));
  if (!set) throw new AppError('not_found', 'terminology set not found');
  if (place && place.versionId !== set.revision) throw replacedMeanwhile();

  // One entry more than asked for shows whether there is a next page.
  const longest = conditions.length > 0 ? mostLooked : limit + 1;
  const rows = await tx.execute<EntryRow>(sql`
    with looked as materialized (
      select * from terminology_entries
      where tenant_id = ${tenantId} and set_id = ${setId} and entry_no > ${place?.after ?? 0}
      order by entry_no limit ${longest})
    select whole.*, e.* from (select count(*)::int as looked, max(entry_no) as last from looked) whole
    left join looked e on ${conditions.length > 0 ? sql.join(conditions, sql` and `) : sql`true`}
    order by entry_no limit ${limit + 1}`);
  const found = rows.filter(({ entry_no }) => entry_no !== null);
  const entries = found.slice(0, limit);
  const { looked, last } = rows[0] as EntryRow;
  const isFull = found.length > limit;
  const after = isFull ? entries.at(-1)!.entry_no : looked === mostLooked ? last : null;
  return {
    entries: entries.map(entryView),
    next_cursor: after === null ? null : writePlace({ versionId: set.revision, after }),
  };
}

const columns = { source: sql`source_term`, target: sql`target_term` };

function conditionsOf({ source_lang, target_lang, text, match, side }: EntriesRequest): SQL[] {
  const conditions: SQL[] = [];
  const source = readDeclaredLanguage('source_lang', source_lang);
  if (source) conditions.push(sql`e.source_lang in (${source.code}, '')`);
  const target = readDeclaredLanguage('target_lang', target_lang);
  if (target) conditions.push(sql`e.target_lang in (${target.code}, '')`);
  if (text !== undefined) {
    const sides = side === 'either' ? (['source', 'target'] as const) : [side];
    const found = sides.map((name) => hasText(columns[name], text, match));
    conditions.push(sql`(${sql.join(found, sql` or `)})`);
  }
  return conditions;
}

/** The columns of an entry are null in the only row of a page without entries. */
type EntryRow = {
  looked: number;
  last: number | null;
  entry_no: number;
  source_lang: string;
  target_lang: string;
  source_term: string;
  target_term: string;
  case_sensitive: boolean;
  priority: number;
};

function entryView(row: EntryRow): EntryPage['entries'][number] {
  return {
    entry_no: row.entry_no,
    source_lang: row.source_lang || null,
    target_lang: row.target_lang || null,
    source_term: row.source_term,
    target_term: row.target_term,
    case_sensitive: row.case_sensitive,
    priority: row.priority,
  };
}
