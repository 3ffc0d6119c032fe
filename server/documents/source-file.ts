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
import { type CountedText, countWork, type KnownWords, sumTexts } from '#server/translation/count-work.ts';
import type { TranslationEstimate } from '#server/translation/estimate.ts';
import type { FileFigures } from '#server/translation/figures.ts';
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

/** A text of a file. */
export interface SourceText extends CountedText {
  /** By which the text is found in other files, and in an earlier version of the file. */
  sourceKey: string;
}

/** The content of a file that a job would read. */
export interface SourceTexts {
  texts: SourceText[];
  /** The number of pages whose text is only in images. */
  imagePages: number;
  /** Options that fit the file and that the request does not have. */
  proposed: NonNullable<TranslationEstimate['proposed']>;
}

/**
 * Reads the texts of a checked file, as a job would. Nothing is stored.
 * @param existing the texts of the existing translation that stay
 * @throws AppError 400 for an invalid file, 429 or 503 if too many files are being read
 */
export async function readTexts(
  services: Pick<Services, 'fileWork'>,
  form: CheckedForm,
  existing: KeptTexts | undefined,
  scope: TaskScope,
): Promise<SourceTexts> {
  const payload = { ...payloadOf(form), languages: languagesOfForm(form), kept: existing };
  const extracted = await extractFile(services, payload, scope).catch((error: unknown) => {
    throw fileRefusal(error);
  });
  const { segments, imagePages, include = [], excludeColumns = [] } = extracted;
  return {
    texts: await inSlices(textsOf(form.request, segments)),
    imagePages: imagePages?.length ?? 0,
    proposed: { include, exclude_columns: excludeColumns },
  };
}

/** Number of segments whose texts take about a millisecond. */
const segmentsOfStep = 50;

/** Returns the texts of all segments of a document, in short steps. */
function* textsOf(
  request: CheckedForm['request'],
  segments: readonly Segment[],
): Generator<undefined, SourceText[]> {
  const ofAll = groupRequestOf(request);
  const plainAt = (at: number) => (segments[at] ? plainText(segments[at].source) : null);
  const texts: SourceText[] = [];
  for (const [at, segment] of segments.entries()) {
    if (at % segmentsOfStep === 0) yield;
    const plain = plainText(segment.source);
    const repeatKey = repeatedText(segment);
    texts.push({
      request: lookupOfText(ofAll, segment),
      plain,
      characters: countCodePoints(plain),
      repeatKey,
      sourceKey: sourceKeyOf(segment, repeatKey),
      typographyKey: repeatedTypography(segment, request.source_lang),
      hasVariant: segment.variant !== undefined,
      context: textContext(plainAt(at - 1), plainAt(at + 1)),
    });
  }
  return texts;
}

interface CountOptions {
  /** The document of which the file is a new version: texts that both have in common are neither translated nor billed. */
  updateOf?: string | undefined;
  /** Whether an earlier file has the text. */
  isRepeated?: (text: SourceText) => boolean;
  words?: KnownWords;
}

/** Counts the texts of a file by the work that each needs. Of its figures, only `unchanged` has texts that stay. */
export async function countTexts(
  services: Pick<Services, 'database' | 'embedder' | 'glossaries' | 'log' | 'settings'>,
  scope: { tenantId: string; signal: AbortSignal },
  all: readonly SourceText[],
  { updateOf, words = new Map(), ...options }: CountOptions = {},
): Promise<FileFigures> {
  const { texts, kept } = await withoutKept(services, scope, all, updateOf);
  return {
    ...(await countWork(services, scope, texts, { words, ...options })),
    unchanged: await sumTexts(services, scope, kept, words),
    billable_characters: billableOf(services, texts),
  };
}

/** Returns the texts that a job would translate, and those that keep the translations of an earlier document. */
export async function withoutKept(
  { database }: Pick<Services, 'database'>,
  { tenantId }: { tenantId: string },
  all: readonly SourceText[],
  updateOf: string | undefined,
): Promise<{ texts: SourceText[]; kept: SourceText[] }> {
  if (updateOf === undefined) return { texts: [...all], kept: [] };
  const keys = [...new Set(all.map(({ sourceKey }) => sourceKey))];
  const known = await database.inTenant(tenantId, (tx) => selectKnownKeys(tx, tenantId, updateOf, keys));
  const { kept = [], texts = [] } = Object.groupBy(all, ({ sourceKey }) =>
    known.has(sourceKey) ? 'kept' : 'texts',
  );
  return { texts, kept };
}

/** Returns the characters that are billed for texts of one file. */
export function billableOf(
  { settings }: Pick<Services, 'settings'>,
  texts: readonly Pick<SourceText, 'characters' | 'request'>[],
): number {
  const [first] = texts;
  if (!first) return 0;
  const characters = texts.reduce((sum, text) => sum + text.characters, 0);
  const { source_lang: from, target_lang: to } = first.request;
  return weighCharacters(characters, from, to, settings.DENSE_SCRIPT_WEIGHT);
}
