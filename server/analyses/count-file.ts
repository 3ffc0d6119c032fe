import type { RunServices } from '#server/documents/document-run.ts';
import { checkSource, countTexts, readTexts, type SourceText } from '#server/documents/source-file.ts';
import { withNames } from '#server/documents/submission.ts';
import { type CheckedForm, checkForm } from '#server/documents/submission-form.ts';
import type { LayoutKind } from '#server/formats/layout-kinds.ts';
import type { TaskScope } from '#server/platform/sandbox/task-queue.ts';
import { inSlices } from '#server/platform/threads/slices.ts';
import type { KnownWords } from '#server/translation/count-work.ts';
import { addShare, type FileFigures } from '#server/translation/figures.ts';
import type { AnalysisRow, FileRow } from './analyses.ts';
import { formOf } from './file-form.ts';

/**
 * The formats whose segments are the same for all target languages. Files of the other formats have messages with plural
 * forms, of which each language has others.
 */
const sameForAll: ReadonlySet<LayoutKind> = new Set([
  'pdf',
  'docx',
  'xlsx',
  'pptx',
  'odt',
  'ods',
  'odp',
  'md',
  'txt',
]);

/** A file that has been read. */
export interface ReadFile {
  /** The request of its first document, with the stated or detected language. */
  request: CheckedForm['request'];
  imagePages: number;
  /** Whether it has neither texts nor pages that consist of images. */
  isEmpty: boolean;
  /** Returns its texts for a target language. */
  textsFor(targetLang: string): Promise<SourceText[]>;
  /**
   * Counts its texts for a target language, as a dry run does.
   * @param updateOf the document of which it is a new version
   */
  count(texts: readonly SourceText[], earlier: ReadonlySet<bigint>, updateOf?: string): Promise<FileFigures>;
}

/**
 * Reads a file of an analysis: once or, if its texts depend on the target language, once for each of these.
 * @throws AppError as a submission
 */
export async function readFile(
  services: RunServices,
  analysis: AnalysisRow,
  file: Pick<FileRow, 'fileName'> & { bytes: Uint8Array },
  scope: TaskScope & { signal: AbortSignal },
): Promise<ReadFile> {
  const first = analysis.targetLangs[0]!;
  const sent = checkForm(formOf(analysis, file, first));
  const checked = await services.database.inTenant(scope.tenantId, (tx) => withNames(tx, sent));
  const { form } = await checkSource(services, { form: checked, earlier: undefined }, scope);
  const read = (target_lang: string) =>
    readTexts(services, { ...form, request: { ...form.request, target_lang } }, undefined, scope);
  const { texts: firstTexts, imagePages } = await read(first);
  const words: KnownWords = new Map();
  return {
    request: form.request,
    imagePages,
    isEmpty: firstTexts.length === 0 && imagePages === 0,
    async textsFor(targetLang) {
      if (targetLang === first) return firstTexts;
      if (!sameForAll.has(form.format)) return (await read(targetLang)).texts;
      return inSlices(inLanguage(firstTexts, targetLang));
    },
    async count(texts, earlier, updateOf) {
      const isRepeated = ({ sourceKey }: SourceText) => earlier.has(shortKey(sourceKey));
      const figures = await countTexts(services, scope, texts, { updateOf, isRepeated, words });
      addShare(figures, figures.unchanged);
      return figures;
    },
  };
}

function* inLanguage(texts: readonly SourceText[], target_lang: string): Generator<undefined, SourceText[]> {
  const changed: SourceText[] = [];
  for (const text of texts) {
    changed.push({ ...text, request: { ...text.request, target_lang } });
    yield;
  }
  return changed;
}

/** The part of a source key by which equal texts of several files are found. */
export function shortKey(sourceKey: string): bigint {
  return Buffer.from(sourceKey.slice(0, 16), 'hex').readBigUInt64LE();
}
