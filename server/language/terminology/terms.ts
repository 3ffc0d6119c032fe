import { type Placeholder, sql } from 'drizzle-orm';
import { prepare, type Tx } from '#db/client.ts';
import { terminologySets } from '#db/schema/terminology.ts';
import type { TermRow } from '#server/matching/terms/glossary.ts';

/** The revisions of a tenant's sets, as one string. */
const revisionOfSets = (separator: Placeholder | string) =>
  sql<string | null>`string_agg(revision, ${separator} order by set_id)`;

/**
 * Every job runs it, so it is prepared once per connection. It has a parameter because a statement without one would not be
 * prepared.
 */
const revisionInScope = prepare<{ separator: string }, { revision: string | null }[]>((db) =>
  db
    .select({ revision: revisionOfSets(sql.placeholder('separator')) })
    .from(terminologySets)
    .where(sql`tenant_id = tenant_scope_from()`)
    .prepare('glossary_revision'),
);

/**
 * Returns one string that identifies the current revision of all glossaries of the tenant in the transaction's scope; null if
 * it has none. It does not need the tenant's id, so it can run in the same round trip as authentication.
 */
export async function readGlossaryRevision(tx: Tx): Promise<string | null> {
  const [row] = await revisionInScope(tx, { separator: ' ' });
  return row?.revision ?? null;
}

/**
 * Returns the terms that apply to a pair, in the order in which they win ties: the latest set first, and in a set the
 * last term first; and their revision, as `readGlossaryRevision` returns it. A set is returned as one row of columns,
 * which takes a fifth of the time of thousands of rows. Must be the transaction's only statement.
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
        json_agg(target_term) as targets, json_agg(case_sensitive) as cases, json_agg(priority) as priorities
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

/** The row of a pair to which no term applies. */
type NoTerms = { set_id: null };

type SetTerms = {
  set_id: string;
  name: string;
  /** Positions in the file. The other columns have the same order. */
  numbers: number[];
  sources: string[];
  targets: string[];
  cases: boolean[];
  priorities: number[];
};

function termsOf({ set_id, name, numbers, sources, targets, cases, priorities }: SetTerms): TermRow[] {
  return [...numbers.keys()]
    .sort((a, b) => numbers[b]! - numbers[a]!)
    .map((at) => ({
      sourceTerm: sources[at]!,
      targetTerm: targets[at]!,
      caseSensitive: cases[at]!,
      priority: priorities[at]!,
      setId: set_id,
      setName: name,
    }));
}
