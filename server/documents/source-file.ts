import { weighCharacters } from '#server/billing/metering/weight.ts';
import type { Services } from '#server/context.ts';
import type { Segment } from '#server/formats/document.ts';
import type { KeptTexts } from '#server/formats/existing-target.ts';
import { FileError } from '#server/formats/file-error.ts';
import { plainText } from '#server/formats/inline-content.ts';
import { layoutKinds } from '#server/formats/layout-kinds.ts';
import { countCodePoints } from '#server/formats/text.ts';
import { textContext } from '#server/matching/normal-form.ts';
import type { TaskScope } from '#server/platform/sandbox/task-queue.ts';
import { inSlices } from '#server/platform/threads/slices.ts';
import type { EstimatedText, TranslationEstimate } from '#server/translation/estimate.ts';
import {
  asksForDetection,
  readSourceLanguage,
  type SourceDetection,
  undetected,
} from '#server/translation/intake/source-language.ts';
import { lookupOfText } from '#server/translation/pipeline/group.ts';
import { requireEarlier, selectKnownKeys } from './earlier-document.ts';
import { checkFile, extractFile, fileRefusal, sampleFile } from './file-work.ts';
import { groupRequestOf } from './jobs.ts';
import { selectionOf } from './selection-fields.ts';
import { repeatedText, repeatedTypography, sourceKeyOf } from './stages/extract.ts';
import type { Submission } from './submission.ts';
import { type CheckedForm, languagesOfForm } from './submission-form.ts';

/** The content of a submitted file, as the sandbox reads it. */
const payloadOf = ({ file, format, request }: CheckedForm) => ({
  format,
  bytes: file.bytes,
  selection: selectionOf(request),
});

/**
 * Checks the file, detects its language if the request asks for that, and checks the earlier document against it.
 * @returns the form with the language of the file
 * @throws AppError 400 for an invalid file, for one without a selected page or sheet, or for an earlier document that
 *   cannot be used; 422 if the language cannot be detected, or if the text of a PDF cannot be read to detect it; 429 or
 *   503 if too many files are being read
 */
export async function checkSource(
  services: Pick<Services, 'fileWork'>,
  { form, earlier }: Pick<Submission, 'earlier' | 'form'>,
  scope: TaskScope,
): Promise<{ form: CheckedForm; detection: SourceDetection | null }> {
  const { language, detection } = await checkLanguage(services, form, scope);
  const request = { ...form.request, source_lang: language };
  requireEarlier(earlier, request);
  return { form: { ...form, request }, detection };
}

async function checkLanguage(
  services: Pick<Services, 'fileWork'>,
  form: CheckedForm,
  scope: TaskScope,
): Promise<{ language: string; detection: SourceDetection | null }> {
  const names = { field: 'source_lang', text: 'the text of source_document' };
  const { source_lang } = form.request;
  try {
    if (asksForDetection(source_lang))
      return readSourceLanguage(names, source_lang, await sampleFile(services, payloadOf(form), scope));
    await checkFile(services, payloadOf(form), scope);
    return { language: source_lang, detection: null };
  } catch (error) {
    if (error instanceof FileError && error.reason !== 'selection' && layoutKinds[form.format].readLater)
      throw undetected(names.field, `${error.message}; send the language of the file in ${names.field}`);
    throw fileRefusal(error);
  }
}

/** The texts of a file that a job would translate. */
interface SourceTexts {
  texts: EstimatedText[];
  billableChars: number;
  /** The texts that keep the translations of an earlier document; absent if the request names none. */
  kept?: NonNullable<TranslationEstimate['kept']>;
  /** Options that fit the file and that the request does not have. */
  proposed: NonNullable<TranslationEstimate['proposed']>;
}

/**
 * Reads the texts of a checked file, as a job would. Nothing is stored.
 * @param existing the texts of the existing translation that stay
 * @throws AppError 400 for an invalid file, 429 or 503 if too many files are being read
 */
export async function readTexts(
  services: Pick<Services, 'database' | 'fileWork' | 'settings'>,
  form: CheckedForm,
  existing: KeptTexts | undefined,
  scope: TaskScope,
): Promise<SourceTexts> {
  const { request } = form;
  const {
    segments: all,
    include = [],
    excludeColumns = [],
  } = await extractForm(services, form, existing, scope);
  const { update_of: earlierId } = request;
  const known =
    earlierId === undefined
      ? null
      : await services.database.inTenant(scope.tenantId, (tx) =>
          selectKnownKeys(tx, scope.tenantId, earlierId, all.map(sourceKeyOf)),
        );
  const texts = await inSlices(textsInSteps(request, all, (segment) => !known?.has(sourceKeyOf(segment))));
  const characters = texts.reduce((sum, text) => sum + text.characters, 0);
  const { DENSE_SCRIPT_WEIGHT: weight } = services.settings;
  const billableChars = weighCharacters(characters, request.source_lang, request.target_lang, weight);
  const kept = known && {
    segments: all.length - texts.length,
    characters: all.reduce((sum, { source }) => sum + countCodePoints(plainText(source)), -characters),
  };
  const proposed = { include, exclude_columns: excludeColumns };
  return { texts, billableChars, proposed, ...(kept && { kept }) };
}

/**
 * Extracts the segments of a checked file, as a job would.
 * @param existing the texts of the existing translation that stay
 * @throws AppError 400 for an invalid file, 429 or 503 if too many files are being read
 */
export function extractForm(
  services: Pick<Services, 'fileWork'>,
  form: CheckedForm,
  existing: KeptTexts | undefined,
  scope: TaskScope,
) {
  const payload = { ...payloadOf(form), languages: languagesOfForm(form), kept: existing };
  return extractFile(services, payload, scope).catch((error: unknown) => {
    throw fileRefusal(error);
  });
}

/** Number of segments whose texts take about a millisecond. */
const segmentsOfStep = 50;

/** Returns the texts of some segments of a document, as `textsOf` does, in short steps. */
function* textsInSteps(
  request: CheckedForm['request'],
  segments: readonly Segment[],
  isChosen: (segment: Segment) => boolean,
): Generator<undefined, EstimatedText[]> {
  const texts: EstimatedText[] = [];
  for (let start = 0; start < segments.length; start += segmentsOfStep) {
    const end = start + segmentsOfStep;
    // With the neighbors, which are the contexts of the first and the last one.
    const first = Math.max(0, start - 1);
    for (const [at, text] of textsOf(request, segments.slice(first, end + 1)).entries())
      if (first + at >= start && first + at < end && isChosen(segments[first + at]!)) texts.push(text);
    yield;
  }
  return texts;
}

/** Returns the texts of all segments of a document, whose work can be estimated. */
export function textsOf(request: CheckedForm['request'], segments: readonly Segment[]): EstimatedText[] {
  const ofAll = groupRequestOf(request);
  const textAt = (at: number) => (segments[at] ? plainText(segments[at].source) : null);
  return segments.map((segment, at) => ({
    request: lookupOfText(ofAll, segment),
    characters: countCodePoints(plainText(segment.source)),
    repeatKey: repeatedText(segment),
    typographyKey: repeatedTypography(segment, request.source_lang),
    hasVariant: segment.variant !== undefined,
    context: textContext(textAt(at - 1), textAt(at + 1)),
  }));
}
