import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { normalForm } from '#server/matching/normal-form.ts';
import { inSlices } from '#server/platform/threads/slices.ts';
import type { NewEntry } from './sets.ts';

/** Maximum number of terms of other glossaries that are compared. */
const maxCompared = 50_000;

/**
 * Maximum number of these terms that are compared with one entry: those with its source, without letter case. Without the
 * limit, thousands of entries with one source would be compared with thousands of terms each.
 */
const maxOfSource = 100;

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
  status: string;
};

/** A term of another glossary, with the normal forms of its source and target. */
interface NormalTerm {
  term: OtherTerm;
  source: string;
  target: string;
}

/**
 * Finds preferred entries whose source has only other targets in the tenant's other glossaries, for texts of the same
 * languages. Forbidden targets do not count. Of several other preferred targets, returns that of the glossary that was changed last, because it is used in translations.
 *
 * @param name the glossary that the entries replace
 */
export async function findConflicts(
  tx: Tx,
  tenantId: string,
  name: string,
  entries: readonly NewEntry[],
): Promise<Conflict[]> {
  return inSlices(conflictsWith(await selectOthers(tx, tenantId, name, entries), entries));
}

function* conflictsWith(
  found: readonly OtherTerm[],
  entries: readonly NewEntry[],
): Generator<undefined, Conflict[]> {
  const others = new Map<string, NormalTerm[]>();
  for (const term of found) {
    const normal = { term, source: normalForm(term.source_term), target: normalForm(term.target_term) };
    const group = others.get(normal.source.toLowerCase());
    if (!group) others.set(normal.source.toLowerCase(), [normal]);
    else if (group.length < maxOfSource) group.push(normal);
    yield;
  }
  const conflicts: Conflict[] = [];
  for (const entry of entries) {
    yield;
    if ((entry.status ?? 'preferred') !== 'preferred') continue;
    const source = normalForm(entry.sourceTerm);
    const same = (others.get(source.toLowerCase()) ?? []).filter((other) =>
      isForSameTexts(entry, source, other),
    );
    const first = same.find(({ term }) => term.status === 'preferred');
    const normalTarget = normalForm(entry.targetTerm);
    if (!first || same.some(({ target }) => target === normalTarget)) continue;
    conflicts.push({ entry, target: first.term.target_term, setName: first.term.set_name });
  }
  return conflicts;
}

/** Selects the terms of other glossaries that apply to the language pairs of the entries. '' is any language. */
function selectOthers(tx: Tx, tenantId: string, name: string, entries: readonly NewEntry[]) {
  const pairs = new Map(entries.map(({ sourceLang: s, targetLang: t }) => [`${s} ${t}`, { s, t }]));
  return tx.execute<OtherTerm>(sql`
    select s.name as set_name, e.source_lang, e.target_lang, e.source_term, e.target_term, e.case_sensitive, e.status
    from terminology_sets s join terminology_entries e on e.tenant_id = s.tenant_id and e.set_id = s.set_id
    where s.tenant_id = ${tenantId} and e.tenant_id = ${tenantId} and s.name <> ${name}
      and e.status <> 'forbidden'
      and exists (
        select from json_to_recordset(${JSON.stringify([...pairs.values()])}::json) as f(s text, t text)
        where (f.s = e.source_lang or '' in (f.s, e.source_lang)) and (f.t = e.target_lang or '' in (f.t, e.target_lang)))
    order by s.updated_at desc, s.set_id, e.entry_no desc
    limit ${maxCompared}`);
}

function isForSameTexts(
  entry: NewEntry,
  source: string,
  { term: other, source: otherSource }: NormalTerm,
): boolean {
  const fits = (one: string, two: string) => one === two || one === '' || two === '';
  return (
    fits(entry.sourceLang, other.source_lang) &&
    fits(entry.targetLang, other.target_lang) &&
    (!(entry.caseSensitive && other.case_sensitive) || source === otherSource)
  );
}
