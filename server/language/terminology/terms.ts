import { type Placeholder, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { TermRow } from '#server/matching/terms/glossary.ts';

/** SQL: the revisions of a tenant's sets, as one string. */
const revisionOfSets = (separator: Placeholder | string) =>
  sql<string | null>`string_agg(revision, ${separator} order by set_id)`;

/**
 * SQL: one string that identifies the current revision of all glossaries of the transaction's tenant; null if it has
 * none. The tenant's id is not needed, so a job reads it in the same round trip as authentication.
 */
export const glossaryRevision = (separator: Placeholder | string) =>
  sql<
    string | null
  >`(select ${revisionOfSets(separator)} from terminology_sets where tenant_id = tenant_scope_from())`;

/** Returns the `glossaryRevision` of the transaction's tenant. */
export async function readGlossaryRevision(tx: Tx): Promise<string | null> {
  const [row] = await tx.execute<{ revision: string | null }>(
    sql`select ${glossaryRevision(' ')} as revision`,
  );
  return row?.revision ?? null;
}

/** Maximum code points of a definition and of a note that are read for a model. */
const maxDetail = 200;

/**
 * Returns the terms that apply to a language pair, and their revision in the form of `readGlossaryRevision`. If several
 * terms match the same text equally well, the first in this order wins: the latest set comes first, and in each set the
 * last term comes first. Each set is read as one row of columns, which takes a fifth of the time that thousands of rows
 * take. Must be the transaction's only statement.
 */
export async function selectTerms(
  tx: Tx,
  tenantId: string,
  sourceLang: string,
  targetLang: string,
): Promise<{ revision: string | null; terms: TermRow[] }> {
  const statement = tx.execute<{ revision: string | null } & (SetTerms | NoTerms)>(sql`
    select r.revision, s.set_id, s.name, t.* from (
      select ${revisionOfSets(' ')} as revision from terminology_sets where tenant_id = ${tenantId}) r
    left join (
      select set_id as of_set, json_agg(entry_no) as numbers, json_agg(source_term) as sources,
        json_agg(target_term) as targets, json_agg(case_sensitive) as cases, json_agg(priority) as priorities,
        ${detailsOfTerms} as details
      from terminology_entries
      where tenant_id = ${tenantId} and source_lang in (${sourceLang}, '') and target_lang in (${targetLang}, '')
      group by set_id) t on true
    left join terminology_sets s on s.tenant_id = ${tenantId} and s.set_id = t.of_set
    order by s.updated_at desc, s.set_id`);
  const rows = await tx.last(statement);
  return {
    revision: rows[0]?.revision ?? null,
    terms: rows.flatMap((row) => (row.set_id === null ? [] : termsOf(row))),
  };
}

/** The row that is returned if no term applies to the language pair. */
type NoTerms = { set_id: null };

type SetTerms = {
  set_id: string;
  name: string;
  /** Positions of the entries in the file. The other columns have the same order. */
  numbers: number[];
  sources: string[];
  targets: string[];
  cases: boolean[];
  priorities: number[];
  /** The details of the entries that have any, by their positions; null if none has. */
  details: Record<number, Pick<TermRow, 'status' | 'definition' | 'note' | 'partOfSpeech'>> | null;
};

/**
 * SQL: what is read besides the terms, only of entries that have it. Of a text, only the start is read: it is kept in memory
 * and sent to models.
 */
const detailsOfTerms = sql`json_object_agg(entry_no, json_strip_nulls(json_build_object(
    'status', nullif(status, 'preferred'), 'partOfSpeech', part_of_speech,
    'definition', left(definition, ${maxDetail}), 'note', left(note, ${maxDetail}))))
  filter (where coalesce(definition, note, part_of_speech, nullif(status, 'preferred')) is not null)`;

function termsOf({
  set_id,
  name,
  numbers,
  sources,
  targets,
  cases,
  priorities,
  details,
}: SetTerms): TermRow[] {
  return [...numbers.keys()]
    .sort((a, b) => numbers[b]! - numbers[a]!)
    .map((at) => ({
      sourceTerm: sources[at]!,
      targetTerm: targets[at]!,
      caseSensitive: cases[at]!,
      priority: priorities[at]!,
      ...details?.[numbers[at]!],
      setId: set_id,
      setName: name,
    }));
}
