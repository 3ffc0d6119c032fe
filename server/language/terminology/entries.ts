import { and, asc, eq, gt, or, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { terminologyEntries, terminologySets } from '#db/schema/terminology.ts';
import { fieldView } from '#server/formats/term-fields.ts';
import { readPlace, replacedSince, writePlace } from '#server/http/paging.ts';
import { hasText } from '#server/http/text-search.ts';
import { readDeclaredLanguage } from '#server/language/set-upload.ts';
import type { EntriesRequest, EntryPage } from './entry-schema.ts';
import { setNotFound } from './sets.ts';

/** Maximum number of entries that one page reads; reading them takes about 20 ms. */
const maxRowsRead = 20_000;

/**
 * Returns a page of a glossary's entries, in the order of its file. Returns only entries that apply to the given languages,
 * contain the given text and have the fields of `only`.
 * @throws AppError 404 for an unknown glossary or one of another tenant; 409 if the glossary was replaced after the
 *   cursor was created; 422
 */
export async function listEntries(tx: Tx, tenantId: string, request: EntriesRequest): Promise<EntryPage> {
  const { set_id: setId, limit, cursor } = request;
  const condition = conditionOf(request);
  const place = cursor === undefined ? undefined : readPlace(cursor);
  const [set] = await tx
    .select({ revision: terminologySets.revision })
    .from(terminologySets)
    .where(and(eq(terminologySets.tenantId, tenantId), eq(terminologySets.setId, setId)));
  if (!set) throw setNotFound();
  if (place && place.versionId !== set.revision) throw replacedSince();

  const rest = and(
    eq(terminologyEntries.tenantId, tenantId),
    eq(terminologyEntries.setId, setId),
    gt(terminologyEntries.entryNo, place?.after ?? 0),
  );
  const inOrder = asc(terminologyEntries.entryNo);
  const looked = tx
    .select()
    .from(terminologyEntries)
    .where(rest)
    .orderBy(inOrder)
    .limit(maxRowsRead)
    .as('looked');
  // Read one entry more than the limit: if it exists, there is a next page.
  const found = await tx
    .select()
    .from(looked)
    .where(condition)
    .orderBy(asc(looked.entryNo))
    .limit(limit + 1);
  const entries = found.slice(0, limit);
  const [end] =
    found.length > limit
      ? entries.slice(-1)
      : await tx
          .select({ entryNo: terminologyEntries.entryNo })
          .from(terminologyEntries)
          .where(rest)
          .orderBy(inOrder)
          .offset(maxRowsRead - 1)
          .limit(1);
  return {
    entries: entries.map(entryView),
    next_cursor: end ? writePlace({ versionId: set.revision, after: end.entryNo }) : null,
  };
}

const onlyOf = {
  forbidden: sql`status = 'forbidden'`,
  not_translated: sql`do_not_translate`,
  no_definition: sql`status = 'preferred' and definition is null`,
} satisfies Record<NonNullable<EntriesRequest['only']>, SQL>;

const columns = { source: sql`source_term`, target: sql`target_term` };

/** SQL: whether an entry applies to the requested languages, contains the requested text and has the requested fields. */
export function conditionOf({
  source_lang,
  target_lang,
  text,
  match,
  side,
  only,
}: EntriesRequest): SQL | undefined {
  const source = readDeclaredLanguage('source_lang', source_lang);
  const target = readDeclaredLanguage('target_lang', target_lang);
  const sides = side === 'either' ? (['source', 'target'] as const) : [side];
  return and(
    source ? sql`source_lang in (${source.code}, '')` : undefined,
    target ? sql`target_lang in (${target.code}, '')` : undefined,
    only && onlyOf[only],
    text === undefined ? undefined : or(...sides.map((name) => hasText(columns[name], text, match))),
  );
}

export function entryView(row: typeof terminologyEntries.$inferSelect): EntryPage['entries'][number] {
  return {
    entry_no: row.entryNo,
    source_lang: row.sourceLang || null,
    target_lang: row.targetLang || null,
    source_term: row.sourceTerm,
    target_term: row.targetTerm,
    case_sensitive: row.caseSensitive,
    priority: row.priority,
    ...fieldView(row),
  };
}
