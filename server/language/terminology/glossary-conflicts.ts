import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { normalForm } from '#server/matching/normal-form.ts';
import type { NewEntry } from './sets.ts';

/** Maximum number of terms of other glossaries that are compared. */
const maxCompared = 50_000;

/** An entry whose source has another target in another glossary of the workspace. */
export interface Conflict {
  entry: NewEntry;
  /** The other target, and the glossary that has it. */
  target: string;
  setName: string;
}

type OtherTerm = {
  set_name: string;
  source_lang: string;
  target_lang: string;
  source_term: string;
  target_term: string;
  case_sensitive: boolean;
};

/**
 * Finds entries whose source has only other targets in the tenant's other glossaries, for texts of the same languages. Of
 * several other targets, returns that of the glossary that was changed last, because it is used in translations.
 *
 * @param name the glossary that the entries replace
 */
export async function findConflicts(
  tx: Tx,
  tenantId: string,
  name: string,
  entries: readonly NewEntry[],
): Promise<Conflict[]> {
  const others = Map.groupBy(await selectOthers(tx, tenantId, name, entries), ({ source_term }) =>
    foldCase(source_term),
  );
  return entries.flatMap((entry) => {
    const same = (others.get(foldCase(entry.sourceTerm)) ?? []).filter((other) =>
      isForSameTexts(entry, other),
    );
    const [first] = same;
    const target = normalForm(entry.targetTerm);
    if (!first || same.some(({ target_term }) => normalForm(target_term) === target)) return [];
    return [{ entry, target: first.target_term, setName: first.set_name }];
  });
}

/** Selects the terms of other glossaries that apply to the language pairs of the entries. '' is any language. */
function selectOthers(tx: Tx, tenantId: string, name: string, entries: readonly NewEntry[]) {
  const pairs = new Map(entries.map(({ sourceLang: s, targetLang: t }) => [`${s} ${t}`, { s, t }]));
  return tx.execute<OtherTerm>(sql`
    select s.name as set_name, e.source_lang, e.target_lang, e.source_term, e.target_term, e.case_sensitive
    from terminology_sets s join terminology_entries e on e.tenant_id = s.tenant_id and e.set_id = s.set_id
    where s.tenant_id = ${tenantId} and e.tenant_id = ${tenantId} and s.name <> ${name}
      and exists (
        select from json_to_recordset(${JSON.stringify([...pairs.values()])}::json) as f(s text, t text)
        where (f.s = e.source_lang or '' in (f.s, e.source_lang)) and (f.t = e.target_lang or '' in (f.t, e.target_lang)))
    order by s.updated_at desc, s.set_id, e.entry_no desc
    limit ${maxCompared}`);
}

function isForSameTexts(entry: NewEntry, other: OtherTerm): boolean {
  const fits = (one: string, two: string) => one === two || one === '' || two === '';
  return (
    fits(entry.sourceLang, other.source_lang) &&
    fits(entry.targetLang, other.target_lang) &&
    (!(entry.caseSensitive && other.case_sensitive) ||
      normalForm(entry.sourceTerm) === normalForm(other.source_term))
  );
}

function foldCase(term: string): string {
  return normalForm(term).toLowerCase();
}
