import type {
  ExtractedDocument,
  Finding,
  RebuildOptions,
  RebuiltDocument,
  Segment,
  SegmentKey,
  SegmentKind,
  SegmentTranslation,
  TakeText,
} from './document.ts';
import { addBelow, growingHeights } from './docx/bilingual.ts';
import { complexScriptEdits, paragraphDirection } from './docx/direction.ts';
import { splitDropCap } from './docx/drop-caps.ts';
import { WordRunFormatting } from './docx/run-formatting.ts';
import type { StoryParagraph } from './docx/story-paragraph.ts';
import { textOutcome } from './docx/text-outcome.ts';
import { wordMarkup } from './docx/word-markup.ts';
import { readFormatParts, readStories, type StoryPart } from './docx/word-package.ts';
import { limits, overLimit } from './file-error.ts';
import { formatTagged, plainText } from './inline-content.ts';
import { writeChartText } from './office/chart-texts.ts';
import { dataSheetsKept, emptyFinding, signatureFinding } from './office/kept-finding.ts';
import { type Loss, lossFinding, type PlacedText, writeTexts } from './office/paragraph/placed-texts.ts';
import { encodePart } from './office/part-text.ts';
import { type PartContent, rewritePackage } from './office/rewrite-package.ts';
import { type Edit, splice } from './office/splice.ts';
import { textLanguageOf } from './office/text-language.ts';
import { SegmentBudget } from './segment-budget.ts';
import type { Selection } from './selection.ts';
import { countCharacters } from './text-tally.ts';
import { directionChange } from './typesetting/languages.ts';

/**
 * Checks the limits that apply before a job is created: sizes, XML elements and characters.
 *
 * @throws {FileError} `unreadable`, `protected`, `empty` or `too_large`
 */
export async function check(
  bytes: Uint8Array,
  take: TakeText = () => false,
  { include = [] }: Selection = {},
): Promise<void> {
  const budget = new SegmentBudget();
  const { stories, charts } = await readStories(bytes, include, ({ texts, isRepeated }) => ({
    sources: isRepeated ? [] : texts.map(({ content }) => content.source),
    edits: [],
  }));
  const sources = stories.flatMap(({ paragraphs }) => paragraphs.flatMap((paragraph) => paragraph.sources));
  const texts = [
    ...sources.map(plainText),
    ...charts.flatMap((chart) => chart.texts.map(({ text }) => text)),
  ];
  let wanted = true;
  for (const text of texts) {
    budget.addChars(text);
    wanted = wanted && take(text);
  }
}

/**
 * Lists the texts of a Word file to translate, which are its paragraphs and, in some, the texts between tabs: in the
 * headers, the body with its tables, and the footers. Text boxes, content controls, tracked changes, notes, comments,
 * charts and hidden texts are listed only if the request includes them; otherwise the findings contain their numbers.
 *
 * @throws {FileError} as `check` does, and `too_large` if there are too many segments
 */
export async function extract(
  bytes: Uint8Array,
  { include = [] }: Selection = {},
): Promise<ExtractedDocument> {
  const { stories, charts, kept, pages, isSigned } = await readStories(bytes, include, (paragraph, story) => {
    const segments = paragraph.texts.map(
      ({ content, regionId, cellId, place }): Segment => ({
        regionId,
        cellId,
        kind: kindOf(paragraph, story),
        page: story.kind === 'main' ? content.page : null,
        place: `${story.path}, ${place}`,
        source: content.source,
      }),
    );
    return { segments: paragraph.isRepeated ? [] : segments, isFallback: paragraph.isFallback, edits: [] };
  });
  const ofCharts = charts.flatMap((chart, index) =>
    chart.texts.map(
      ({ number, text }): Segment => ({
        ...keyOfChart(index, number),
        kind: 'text_block',
        page: null,
        place: `${chart.path}, chart ${index + 1}, paragraph ${number}`,
        source: [text.trim()],
      }),
    ),
  );
  const read = [
    ...stories.flatMap(({ paragraphs }) => paragraphs),
    { segments: ofCharts, isFallback: false },
  ];
  const segments = read.flatMap((paragraph) => paragraph.segments);
  const budget = new SegmentBudget();
  let characters = 0;
  for (const paragraph of read)
    for (const { source } of paragraph.segments) {
      const text = plainText(source);
      budget.add(text, formatTagged(source));
      if (!paragraph.isFallback) characters += countCharacters(text);
    }
  const findings = kept.findings();
  const copied = charts.filter(
    ({ texts, hasDataSheet }) => hasDataSheet && texts.some(({ isName }) => isName),
  );
  if (copied.length > 0) findings.push(dataSheetsKept(copied.length, 'Word'));
  if (isSigned) findings.push(signatureFinding);
  if (segments.length === 0) findings.push(emptyFinding);
  return { segments, pageCount: pages, findings, outcome: await textOutcome(bytes, characters, include) };
}

function kindOf({ inTable, inBox, isHeading }: StoryParagraph, { kind }: StoryPart): SegmentKind {
  if (inBox) return 'text_block';
  if (kind !== 'main') return kind === 'header' || kind === 'footer' ? kind : 'text_block';
  return inTable ? 'table_cell' : isHeading ? 'heading' : 'paragraph';
}

/**
 * Writes translations into a copy of a Word file. A paragraph stays unchanged if it has no translation, or if its
 * translation equals its source. XML parts in which no paragraph changes are copied byte for byte.
 *
 * @throws {FileError} as `extract` does
 * @throws {RangeError} if a translation has the key of no segment of this file
 */
export async function rebuild(
  bytes: Uint8Array,
  translations: readonly SegmentTranslation[],
  { sourceLanguage, targetLanguage, output, include = [] }: RebuildOptions,
): Promise<RebuiltDocument> {
  const targets = new Map(translations.map((translation) => [keyOf(translation), translation.target]));
  const used = new Set<string>();
  const direction = directionChange(sourceLanguage, targetLanguage);
  const formatting = new WordRunFormatting(direction, textLanguageOf(targetLanguage));
  const { stories, charts } = await readStories(
    bytes,
    include,
    (paragraph, story, styles): WrittenParagraph => {
      const { prefix, properties, start, end, innerEdits, dropCap } = paragraph;
      const isRead = paragraph.texts.some((text) => targets.has(keyOf(text)));
      const texts = isRead ? paragraph.texts : [paragraph.whole()];
      for (const text of texts) used.add(keyOf(text));
      const findings: Finding[] = [];
      const keepsUnchanged = direction === 'kept' || output === 'bilingual';
      const writingOf = (one: StoryParagraph) => {
        const { bidi = false, rtl = false } = styles.ofParagraph(one.style);
        return {
          style: { prefix: one.prefix, formatting, markup: wordMarkup, isRightToLeftStyle: rtl },
          properties: paragraphDirection(one.properties, one.prefix, direction, bidi),
        };
      };
      // Below its source, a translation has no large letters.
      const split =
        dropCap && output !== 'bilingual'
          ? splitDropCap(dropCap.texts[0]!, texts[0]!, (text) => targets.get(keyOf(text)), keepsUnchanged)
          : undefined;
      const large: Edit[] = [];
      if (dropCap) {
        used.add(keyOf(dropCap.texts[0]!));
        const { style: own, properties: translated } = writingOf(dropCap);
        const opening = writeTexts(
          dropCap.texts,
          () => split?.opening,
          { style: own, keepsUnchanged },
          () => {},
        );
        if (opening !== undefined)
          large.push({ start: dropCap.start, end: dropCap.end, text: translated + opening });
      }
      const { style: writing, properties: translatedProperties } = writingOf(paragraph);
      const translation = writeTexts(
        split ? [split.text, ...texts.slice(1)] : texts,
        (text) => (text === split?.text ? split.rest : targets.get(keyOf(text))),
        { style: writing, keepsUnchanged },
        (text, loss) => findings.push(lossOf(loss, text, story)),
      );
      if (translation === undefined)
        return { edits: large.length === 0 ? [] : [...large, ...innerEdits], findings };
      if (output !== 'bilingual')
        return { edits: [...large, { start, end, text: translatedProperties + translation }], findings };
      const source = story.source.slice(start, end);
      const below = addBelow({
        ...{ source, properties, translatedProperties, translation, prefix },
        hasInsertions: include.includes('tracked_changes'),
      }).map((edit) => ({
        ...edit,
        start: start + edit.start,
        end: start + edit.end,
      }));
      const edits = [...below, ...innerEdits].toSorted((one, other) => one.start - other.start);
      return { edits, findings };
    },
  );
  const parts = new Map<string, PartContent>();
  const findings: Finding[] = [];
  for (const [index, { path, text, texts }] of charts.entries()) {
    const edits: Edit[] = [];
    for (const chartText of texts) {
      const key = keyOfChart(index, chartText.number);
      const target = targets.get(keyOf(key));
      used.add(keyOf(key));
      const translation = target && plainText(target);
      if (translation === undefined || translation === chartText.text.trim()) continue;
      const written = writeChartText(chartText, translation);
      edits.push(...written.edits);
      const place = `chart ${index + 1}, paragraph ${chartText.number}`;
      if (written.hasLostFormat) findings.push(lossFinding('format', `${path}, ${place}`, key, 'Word'));
    }
    edits.sort((one, other) => one.start - other.start);
    if (edits.length > 0) parts.set(path, () => encodePart(text, splice(text.source, edits)));
  }
  const unknown = [...targets.keys()].find((key) => !used.has(key));
  if (unknown !== undefined) throw new RangeError(`the file has no segment ${unknown}`);
  for (const { part, paragraphs, edits } of stories) {
    for (const paragraph of paragraphs) findings.push(...paragraph.findings);
    const length = edits.reduce((sum, { text }) => sum + text.length, 0);
    if (length > 2 * limits.docxWritten)
      throw overLimit('the length of the translated paragraphs of one part', 2 * limits.docxWritten);
    if (edits.length === 0) continue;
    if (output === 'bilingual') {
      edits.push(...growingHeights(part.source));
      edits.sort((one, other) => one.start - other.start);
    }
    parts.set(part.path, () => encodePart(part.text, splice(part.source, edits)));
  }
  if (direction === 'rtl' && parts.size > 0)
    for (const { path, text } of await readFormatParts(bytes)) {
      const edits = complexScriptEdits(text.source);
      if (edits.length > 0) parts.set(path, () => encodePart(text, splice(text.source, edits)));
    }
  return { bytes: await rewritePackage(bytes, parts), findings };
}

/** A paragraph of the source file and its translation. */
interface WrittenParagraph {
  edits: Edit[];
  findings: Finding[];
}

function lossOf(loss: Loss, text: PlacedText, { path }: { path: string }): Finding {
  return lossFinding(loss, `${path}, ${text.place}`, text, 'Word');
}

function keyOfChart(index: number, number: number): SegmentKey {
  return { regionId: `chart${index + 1}-p${number}`, cellId: null };
}

function keyOf({ regionId, cellId }: SegmentKey): string {
  return cellId === null ? regionId : `${regionId} ${cellId}`;
}
