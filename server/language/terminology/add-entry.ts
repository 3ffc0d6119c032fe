import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { givenFields } from '#server/formats/term-fields.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { requireLanguagePair } from '#server/language/set-upload.ts';
import { entryView } from './entries.ts';
import type { AddEntryRequest, AddedEntry } from './entry-schema.ts';
import { setView } from './sets.ts';
import {
  changeGlossary,
  findDuplicate,
  insertLast,
  otherTargets,
  renewSet,
  requireLanguages,
  requireRoom,
  selectSameSources,
} from './term-changes.ts';

/**
 * Adds one term to the end of a glossary. The glossary gets a new revision, so that the next translation uses the term.
 * @throws AppError 404 for an unknown glossary or one of another tenant; 409 if it already has the term with this
 *   translation; 422 if the glossary is for other languages or would become too large
 */
export function addEntry(
  services: Pick<Services, 'database' | 'settings'>,
  withTenant: WithTenant,
  request: AddEntryRequest,
): Promise<AddedEntry> {
  const prepare = () => {
    const { source, target } = requireLanguagePair(request);
    const { source_term: sourceTerm, case_sensitive: caseSensitive } = request;
    const fields = givenFields(request);
    const targetTerm = fields.doNotTranslate ? sourceTerm : request.target_term;
    return {
      ...{ sourceLang: source.code, targetLang: target.code, sourceTerm, targetTerm },
      ...{ caseSensitive, priority: 0, ...fields },
    };
  };
  return changeGlossary(services, withTenant, request.set_id, prepare, async (tx, set, term) => {
    requireLanguages(set, term);
    const same = await selectSameSources(tx, set, term);
    if (findDuplicate(same, term))
      throw new AppError('conflict', 'the glossary already has this term and translation');
    await requireRoom(tx, services.settings, set, [term]);
    const entry = await insertLast(tx, set, term);
    const renewed = await renewSet(tx, set, 1);
    return { set: setView(renewed), entry: entryView(entry), other_targets: otherTargets(same, term) };
  });
}
