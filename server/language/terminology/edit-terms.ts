import { and, eq, type SQL } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { terminologyEntries } from '#db/schema/terminology.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { givenFields } from '#server/formats/term-fields.ts';
import { countCodePoints } from '#server/formats/text.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { readDeclaredLanguage, requireDifferent } from '#server/language/set-upload.ts';
import { readLanguage } from '#server/languages.ts';
import { entryView } from './entries.ts';
import { setView } from './sets.ts';
import {
  changeGlossary,
  type EntryRow,
  findDuplicate,
  insertLast,
  otherTargets,
  renewSet,
  requireLanguages,
  requireRoom,
  type SetRow,
  selectSameSources,
  type Term,
} from './term-changes.ts';
import type {
  AddedTerm,
  AddTermRequest,
  DeletedTerm,
  DeleteTermRequest,
  SeenTerm,
  TermInput,
  UpdatedTerm,
  UpdateTermRequest,
} from './term-schema.ts';

type Needed = Pick<Services, 'database' | 'settings'>;

/**
 * Adds a term to a glossary, at the end or at the place of a deleted term. If the glossary already has exactly this
 * term, nothing changes, so that the request can be sent again.
 * @throws AppError 404 for an unknown glossary or one of another tenant; 409, with the present term, if the glossary
 *   has this term and translation with another priority; 422 for the languages or the capacity
 */
export function addTerm(
  services: Needed,
  withTenant: WithTenant,
  request: AddTermRequest,
): Promise<AddedTerm> {
  const prepare = () => readTerm(request.term);
  return changeGlossary(services, withTenant, request.set_id, prepare, async (tx, set, given) => {
    const term = withLanguagesOf(set, given);
    requireLanguages(set, term);
    const same = await selectSameSources(tx, set, term);
    const present = findDuplicate(same, term);
    const others = otherTargets(
      same.filter((row) => row !== present),
      term,
    );
    if (present && isSame(present, term))
      return { set: setView(set), entry: entryView(present), added: false, other_targets: others };
    if (present) throw alreadyThere(present);
    await requireRoom(tx, services.settings, set, [term]);
    const entry = await insertTerm(tx, set, term, request.entry_no);
    const renewed = await renewSet(tx, set, 1);
    return { set: setView(renewed), entry: entryView(entry), added: true, other_targets: others };
  });
}

/**
 * Replaces a term that the member saw. If the glossary already has the new term at this place, nothing changes.
 * @throws AppError 404 for an unknown or foreign glossary, or a deleted term; 409, with the present term, if another
 *   member has changed the term or if the glossary already has the new one; 422 for the languages or the capacity
 */
export function updateTerm(
  services: Needed,
  withTenant: WithTenant,
  request: UpdateTermRequest,
): Promise<UpdatedTerm> {
  const prepare = () => readTerm(request.term);
  return changeGlossary(services, withTenant, request.set_id, prepare, async (tx, set, given) => {
    const term = withLanguagesOf(set, given);
    const row = await selectTerm(tx, set, request.entry_no);
    if (!row) throw new AppError('not_found', 'term not found');
    if (isSame(row, term)) return { set: setView(set), entry: entryView(row) };
    requireSeen(row, request.replaces);
    const keepsLanguages = row.sourceLang === term.sourceLang && row.targetLang === term.targetLang;
    // A file may contain terms for other languages than the glossary. Their texts can be corrected, too.
    if (!keepsLanguages) requireLanguages(set, term);
    const same = await selectSameSources(tx, set, term);
    const duplicate = findDuplicate(
      same.filter(({ entryNo }) => entryNo !== row.entryNo),
      term,
    );
    if (duplicate) throw alreadyThere(duplicate);
    // A correction that needs no more room is accepted even if the limit has been lowered since.
    if (!keepsLanguages || charactersOf(term) > charactersOf(row))
      await requireRoom(tx, services.settings, set, [term], [row]);
    await tx.update(terminologyEntries).set(term).where(isTerm(set, row.entryNo));
    const renewed = await renewSet(tx, set, 0);
    return { set: setView(renewed), entry: entryView({ ...row, ...term }) };
  });
}

/**
 * Deletes a term that the member saw. If this place has none, nothing changes.
 * @throws AppError 404 for an unknown glossary or one of another tenant; 409, with the present term, if another member
 *   has changed the term
 */
export function deleteTerm(
  services: Needed,
  withTenant: WithTenant,
  request: DeleteTermRequest,
): Promise<DeletedTerm> {
  return changeGlossary(
    services,
    withTenant,
    request.set_id,
    () => undefined,
    async (tx, set) => {
      const row = await selectTerm(tx, set, request.entry_no);
      if (!row) return { set: setView(set), deleted: false };
      requireSeen(row, request.replaces);
      await tx.delete(terminologyEntries).where(isTerm(set, row.entryNo));
      return { set: setView(await renewSet(tx, set, -1)), deleted: true };
    },
  );
}

/** @throws AppError 422 for an unsupported language, 400 if both languages are the same */
function readTerm(given: TermInput): Term {
  const codeOf = (field: string, tag: string | null) =>
    readDeclaredLanguage(field, tag ?? undefined)?.code ?? '';
  const sourceLang = codeOf('source_lang', given.source_lang);
  const targetLang = codeOf('target_lang', given.target_lang);
  requireDifferent(sourceLang, targetLang);
  const fields = givenFields(given);
  return {
    sourceLang,
    targetLang,
    sourceTerm: given.source_term,
    targetTerm: fields.doNotTranslate ? given.source_term : given.target_term,
    caseSensitive: given.case_sensitive,
    priority: given.priority,
    ...fields,
  };
}

/** A term without a language has that of the glossary, as in an upload. */
function withLanguagesOf(set: SetRow, term: Term): Term {
  const declared = (tag: string | null) => (tag === null ? '' : (readLanguage(tag) ?? ''));
  return {
    ...term,
    sourceLang: term.sourceLang || declared(set.sourceLang),
    targetLang: term.targetLang || declared(set.targetLang),
  };
}

function isSame(row: EntryRow, term: Term): boolean {
  return (Object.keys(term) as (keyof Term)[]).every((name) => row[name] === term[name]);
}

/** @throws AppError 409, with the present term */
function requireSeen(row: EntryRow, seen: SeenTerm): void {
  const { entry_no: _, ...present } = entryView(row);
  // A response has no fields that are empty, false or `preferred`; a request may have them.
  const filled = (given: unknown) => (given === 'preferred' ? undefined : given || undefined);
  const isSeen = (Object.keys({ ...present, ...seen }) as (keyof SeenTerm)[]).every(
    (name) => filled(present[name]) === filled(seen[name]),
  );
  if (!isSeen)
    throw new AppError('conflict', 'another member has changed this term', { present: entryView(row) });
}

function alreadyThere(row: EntryRow): AppError {
  return new AppError('conflict', 'the glossary already has this term and translation', {
    present: entryView(row),
  });
}

function isTerm({ tenantId, setId }: SetRow, entryNo: number): SQL | undefined {
  return and(
    eq(terminologyEntries.tenantId, tenantId),
    eq(terminologyEntries.setId, setId),
    eq(terminologyEntries.entryNo, entryNo),
  );
}

async function selectTerm(tx: Tx, set: SetRow, entryNo: number): Promise<EntryRow | undefined> {
  const [row] = await tx.select().from(terminologyEntries).where(isTerm(set, entryNo));
  return row;
}

/** Inserts a term at a place if it is free, otherwise at the end. */
async function insertTerm(tx: Tx, set: SetRow, term: Term, place: number | undefined): Promise<EntryRow> {
  if (place === undefined || (await selectTerm(tx, set, place))) return insertLast(tx, set, term);
  const entry = { ...term, tenantId: set.tenantId, setId: set.setId, entryNo: place };
  await tx.insert(terminologyEntries).values(entry);
  return entry;
}

function charactersOf({ sourceTerm, targetTerm }: Term): number {
  return countCodePoints(sourceTerm) + countCodePoints(targetTerm);
}
