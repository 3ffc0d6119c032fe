import { createHash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { weighCharacters } from '#server/billing/metering/weight.ts';
import type { RunServices } from '#server/documents/document-run.ts';
import { selectKnownKeys } from '#server/documents/earlier-document.ts';
import { checkSource, extractForm, textsOf } from '#server/documents/source-file.ts';
import { withNames } from '#server/documents/submission.ts';
import { type CheckedForm, checkForm } from '#server/documents/submission-form.ts';
import type { Segment } from '#server/formats/document.ts';
import { plainText } from '#server/formats/inline-content.ts';
import type { LayoutKind } from '#server/formats/layout-kinds.ts';
import type { TaskScope } from '#server/platform/sandbox/task-queue.ts';
import { pausing } from '#server/platform/threads/slices.ts';
import { bands, type EstimatedText, type MatchedText, matchTexts } from '#server/translation/estimate.ts';
import type { AnalysisRow, FileRow } from './analyses.ts';
import { formOf } from './file-form.ts';
import type { CellCounts, Share } from './schema.ts';

/** A text of a file, with what all target languages have in common. */
interface CountedText extends EstimatedText {
  words: number;
  /** By which equal texts of several files are found. */
  key: bigint;
  /** By which the text is found in an earlier version of the file: `source_key`, in hexadecimal. */
  sourceKey: string;
}

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

/** Milliseconds after which other work of the process may run. */
const maxSliceMs = 4;

/** A file that has been read. */
export interface ReadFile {
  /** The request of its first document, with the stated or detected language. */
  request: CheckedForm['request'];
  imagePages: number;
  /** Whether it has neither texts nor pages that consist of images. */
  isEmpty: boolean;
  /** Returns its texts for a target language. */
  textsFor(targetLang: string): Promise<CountedText[]>;
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
  const words = new Map<string, number>();
  const read = async (targetLang: string) => {
    const request = { ...form.request, target_lang: targetLang };
    const extracted = await extractForm(services, { ...form, request }, undefined, scope);
    const plain = await inSlices(extracted.segments, scope.signal, (segments) =>
      segments.map(({ source }) => plainText(source)),
    );
    await countWords(services, scope, plain, words);
    const texts = await inSlices(extracted.segments, scope.signal, (segments) =>
      countedOf(request, segments, words),
    );
    return { texts, imagePages: extracted.imagePages?.length ?? 0 };
  };
  const { texts: firstTexts, imagePages } = await read(first);
  return {
    request: form.request,
    imagePages,
    isEmpty: firstTexts.length === 0 && imagePages === 0,
    async textsFor(target_lang) {
      if (target_lang === first) return firstTexts;
      if (!sameForAll.has(form.format)) return (await read(target_lang)).texts;
      return inSlices(firstTexts, scope.signal, (texts) =>
        texts.map((text) => ({ ...text, request: { ...text.request, target_lang } })),
      );
    },
  };
}

function countedOf(
  request: CheckedForm['request'],
  segments: readonly Segment[],
  words: ReadonlyMap<string, number>,
): CountedText[] {
  return textsOf(request, segments).map((text, at) => {
    // The source key of a segment is the hash of the text by which repetitions are found.
    const hash = createHash('sha256').update(text.repeatKey ?? text.request.source_text);
    const digest = hash.digest();
    return {
      ...text,
      words: words.get(plainText(segments[at]!.source)) ?? 0,
      key: digest.readBigUInt64LE(),
      sourceKey: digest.toString('hex'),
    };
  });
}

/** UTF-16 units of the texts whose words are counted in one statement, with some more for each text. */
const countedTogether = { units: 100_000, ofText: 50 };

/** Adds the words of texts to `known`. The database counts them, as it does for assignments. */
async function countWords(
  { database }: RunServices,
  { tenantId, signal }: { tenantId: string; signal: AbortSignal },
  texts: readonly string[],
  known: Map<string, number>,
): Promise<void> {
  const rest = [...new Set(texts)].filter((text) => !known.has(text));
  for (let start = 0, end = 0; start < rest.length; start = end) {
    for (let units = 0; units < countedTogether.units && end < rest.length; end++)
      units += rest[end]!.length + countedTogether.ofText;
    const batch = rest.slice(start, end);
    signal.throwIfAborted();
    const rows = await database.inTenant(tenantId, (tx) =>
      tx.execute<{ words: number }>(sql`
        select count_words(value) as words from json_array_elements_text(${JSON.stringify(batch)}::json)
        with ordinality order by ordinality`),
    );
    for (const [at, { words }] of rows.entries()) known.set(batch[at]!, words);
  }
}

/** Maps items in short slices, so that other work of the process is not delayed. */
async function inSlices<T, U>(
  items: readonly T[],
  signal: AbortSignal,
  map: (slice: readonly T[]) => U[],
): Promise<U[]> {
  const mapped: U[] = [];
  const pause = pausing(maxSliceMs);
  for (let start = 0; start < items.length; start += 20) {
    mapped.push(...map(items.slice(start, start + 20)));
    await pause();
    signal.throwIfAborted();
  }
  return mapped;
}

const noShare = (): Share => ({ segments: 0, words: 0, characters: 0 });

export function noCounts(): CellCounts {
  return {
    ...noShare(),
    unchanged: noShare(),
    repetitions: noShare(),
    repetitions_across: noShare(),
    exact_matches: noShare(),
    context_matches: noShare(),
    sentence_matches: noShare(),
    typography_matches: noShare(),
    fuzzy_matches: { ...noShare(), by_similarity: bands.map((from) => ({ from, ...noShare() })) },
    no_match: { ...noShare(), not_searched: 0 },
    billable_characters: 0,
  };
}

/** Adds some texts, or the sum of some texts. */
function addShare(
  sum: Share,
  { segments = 1, words, characters }: Omit<Share, 'segments'> & { segments?: number },
) {
  sum.segments += segments;
  sum.words += words;
  sum.characters += characters;
}

/** Adds the counts of a file in a language to a sum. */
export function addCounts(sum: CellCounts, counts: CellCounts): void {
  addShare(sum, counts);
  for (const name of [
    'unchanged',
    'repetitions',
    'repetitions_across',
    'exact_matches',
    'context_matches',
    'sentence_matches',
    'typography_matches',
    'fuzzy_matches',
    'no_match',
  ] as const)
    addShare(sum[name], counts[name]);
  sum.no_match.not_searched += counts.no_match.not_searched;
  for (const [index, band] of counts.fuzzy_matches.by_similarity.entries())
    addShare(sum.fuzzy_matches.by_similarity[index]!, band);
  sum.billable_characters += counts.billable_characters;
}

/**
 * Counts the texts of a file for a target language.
 * @param earlier the keys of the texts of earlier files
 */
export async function countTexts(
  services: RunServices,
  scope: { tenantId: string; signal: AbortSignal },
  texts: readonly CountedText[],
  earlier: ReadonlySet<bigint>,
): Promise<CellCounts> {
  const counts = noCounts();
  const take = ({ text, repeats, match }: MatchedText<CountedText>) => {
    for (const one of [text, ...repeats]) addShare(counts, one);
    if (match === 'exact' || match === 'context') {
      for (const one of [text, ...repeats]) {
        addShare(counts.exact_matches, one);
        if (match === 'context') addShare(counts.context_matches, one);
      }
      return;
    }
    for (const one of repeats) addShare(counts.repetitions, one);
    if (earlier.has(text.key)) addShare(counts.repetitions_across, text);
    else if (match === 'sentences' || match === 'typography') {
      addShare(counts.sentence_matches, text);
      if (match === 'typography') addShare(counts.typography_matches, text);
    } else if (typeof match === 'string') {
      addShare(counts.no_match, text);
      if (match === 'not_searched') counts.no_match.not_searched++;
    } else {
      addShare(counts.fuzzy_matches, text);
      const band = counts.fuzzy_matches.by_similarity.find(({ from }) => match * 100 >= from);
      if (band) addShare(band, text);
    }
  };
  await matchTexts(services, scope, texts, take, { isSearched: ({ key }) => !earlier.has(key) });
  const [text] = texts;
  const { DENSE_SCRIPT_WEIGHT: weight } = services.settings;
  if (text) {
    const { source_lang: from, target_lang: to } = text.request;
    counts.billable_characters = weighCharacters(counts.characters, from, to, weight);
  }
  return counts;
}

/**
 * Counts the texts of a file as a new version of a document: those that it has in common with it keep their translations,
 * and are not billed.
 * @returns undefined if it has no text in common with the document
 */
export async function countVersion(
  services: RunServices,
  scope: { tenantId: string; signal: AbortSignal },
  texts: readonly CountedText[],
  earlier: ReadonlySet<bigint>,
  documentId: string,
): Promise<CellCounts | undefined> {
  const { tenantId } = scope;
  const keys = [...new Set(texts.map(({ sourceKey }) => sourceKey))];
  const known = await services.database.inTenant(tenantId, (tx) =>
    selectKnownKeys(tx, tenantId, documentId, keys),
  );
  if (known.size === 0) return undefined;
  const isKnown = ({ sourceKey }: CountedText) => known.has(sourceKey);
  const counts = await countTexts(
    services,
    scope,
    texts.filter((text) => !isKnown(text)),
    earlier,
  );
  for (const text of texts.filter(isKnown)) {
    addShare(counts, text);
    addShare(counts.unchanged, text);
  }
  return counts;
}
