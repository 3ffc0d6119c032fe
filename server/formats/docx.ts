import type { Finding, Segment, SegmentKind } from './document.ts';
import { addBelow, growingHeights } from './docx/bilingual.ts';
import { complexScriptEdits, paragraphDirection, runDirection } from './docx/direction.ts';
import { splitDropCap } from './docx/drop-caps.ts';
import type { StoryParagraph } from './docx/story.ts';
import { segmentsOfWords } from './docx/story-words.ts';
import { tallyTexts } from './docx/text-outcome.ts';
import { readFormatParts, readStories, type StoryPart } from './docx/word-package.ts';
import { wordMarkup } from './docx/word-xml.ts';
import { plainText } from './inline-content.ts';
import { classOf } from './layout-kinds.ts';
import { chartSegment, writeChartTexts } from './office/chart-texts.ts';
import { dataSheetsKept } from './office/kept-finding.ts';
import { changePart, officeFormat } from './office/office-format.ts';
import type { RunFormatting } from './office/paragraph/paragraph-writer.ts';
import { type Loss, lossFinding, type PlacedText, writeTexts } from './office/paragraph/placed-texts.ts';
import { isVariety, parseProperties, type TextLanguage, textLanguageOf } from './office/properties.ts';
import type { PartContent } from './office/rewrite-package.ts';
import { type Edit, splice } from './office/splice.ts';
import { countCharacters } from './text-tally.ts';
import { type DirectionChange, directionChange } from './typesetting/languages.ts';

/**
 * Word files. The texts to translate are the paragraphs and, in some, the texts between tabs: in the headers, the body
 * with its tables, and the footers. Text boxes, content controls, tracked changes, notes, comments,
 * charts and hidden texts are read only if the request includes them; otherwise the findings contain their numbers.
 */
export const { check, extract, rebuild } = officeFormat({
  async read(bytes, { include = [] }, add, tally) {
    const { file, stories, charts, kept, labels, prompts, pages } = await readStories(
      bytes,
      include,
      (paragraph, story) => {
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
        return {
          segments: paragraph.isRepeated ? [] : segments,
          isFallback: paragraph.isFallback,
          edits: [],
        };
      },
    );
    const ofCharts = charts.flatMap((chart) => chart.texts.map((text) => chartSegment(text, chart)));
    for (const { part, words } of stories) for (const segment of segmentsOfWords(words, part)) add(segment);
    let characters = 0;
    for (const { segments, isFallback } of [
      ...stories.flatMap(({ paragraphs }) => paragraphs),
      { segments: ofCharts, isFallback: false },
    ])
      for (const segment of segments) {
        add(segment);
        if (tally && !isFallback) characters += countCharacters(plainText(segment.source));
      }
    const findings = kept.findings();
    const copied = charts.filter(
      ({ texts, hasDataSheet }) => hasDataSheet && texts.some(({ isName }) => isName),
    );
    if (copied.length > 0) findings.push(dataSheetsKept(copied.length, 'Word'));
    if (tally) {
      await tallyTexts(file, characters, include, tally);
      for (const { text, reason } of stories.flatMap(({ words }) => words.flatMap((one) => one.words)))
        if (reason !== undefined) tally.keep(classOf('docx', reason), reason, countCharacters(text));
      for (const label of labels) tally.keep('kept', 'label', countCharacters(label));
      for (const prompt of prompts) tally.keep('kept', 'form_fields', countCharacters(prompt));
    }
    return { pageCount: pages, findings, isSigned: file.isSigned };
  },

  async write(bytes, targets, { sourceLanguage, targetLanguage, output, include = [] }) {
    const direction = directionChange(sourceLanguage, targetLanguage);
    const formatting = new WordRunFormatting(direction, textLanguageOf(targetLanguage));
    const { file, stories, charts } = await readStories(
      bytes,
      include,
      (paragraph, story, styles): WrittenParagraph => {
        const { prefix, properties, start, end, innerEdits, dropCap } = paragraph;
        const { texts } = paragraph;
        const targetOf = (text: PlacedText) => targets.of(text);
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
            ? splitDropCap(dropCap.texts[0]!, texts[0]!, targetOf(texts[0]!), keepsUnchanged)
            : undefined;
        const large: Edit[] = [];
        if (dropCap) {
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
          (text) => (text === split?.text ? split.rest : targetOf(text)),
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
      (key) => targets.of(key),
    );
    const parts = new Map<string, PartContent>();
    const findings: Finding[] = [];
    for (const chart of charts)
      changePart(parts, chart, writeChartTexts(chart.texts, chart, targets, findings, 'Word'));
    for (const { part, paragraphs, edits } of stories) {
      for (const paragraph of paragraphs) findings.push(...paragraph.findings);
      if (edits.length > 0 && output === 'bilingual') edits.push(...growingHeights(part.source));
      changePart(parts, part, edits);
    }
    if (direction === 'rtl' && parts.size > 0)
      for (const part of await readFormatParts(file))
        changePart(parts, part, complexScriptEdits(part.text.source));
    return { parts, findings };
  },
});

function kindOf({ inTable, inBox, isHeading }: StoryParagraph, { kind }: StoryPart): SegmentKind {
  if (inBox) return 'text_block';
  if (kind !== 'main') return kind === 'header' || kind === 'footer' ? kind : 'text_block';
  return inTable ? 'table_cell' : isHeading ? 'heading' : 'paragraph';
}

/** A paragraph of the source file and its translation. */
interface WrittenParagraph {
  edits: Edit[];
  findings: Finding[];
}

function lossOf(loss: Loss, text: PlacedText, { path }: { path: string }): Finding {
  return lossFinding(loss, `${path}, ${text.place}`, text, 'Word');
}

/** The elements that the schema of `rPr` places after `lang`, apart from elements of newer namespaces. */
const afterLang = new Set('eastAsianLayout specVanish oMath rPrChange'.split(' '));

/**
 * Returns the XML of an `rPr` element for text in the language. If the old element already sets a variety of this
 * language, it stays unchanged.
 *
 * @param properties the XML of the old `rPr`; '' if the run has none
 * @param prefix the namespace prefix of Word's elements, with the colon
 */
function runLanguage(properties: string, prefix: string, language: TextLanguage): string {
  const { raw, opening, name, prefix: own, children, endTag } = parseProperties(properties, `${prefix}rPr`);
  // The attribute is in Word's namespace, so it can only be written with a prefix.
  if (own === '') return properties;
  const { attribute, tag } = language;
  const element = `<${own}lang ${own}${attribute}="${tag}"/>`;
  if (endTag === undefined) return `${opening}>${element}</${name}>`;
  const present = children.find(({ local }) => local === 'lang');
  if (!present) {
    const at = children.find(({ local }) => local === undefined || afterLang.has(local))?.start ?? endTag;
    return [...splice(raw, [{ start: at, end: at, text: element }])].join('');
  }
  const written = raw.slice(present.start, present.end);
  const value = new RegExp(`\\s${own}${attribute}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(written);
  if (value && isVariety(value[1] ?? value[2] ?? '', language)) return raw;
  const edit: Edit = { start: present.start, end: present.end, text: '' };
  edit.text = value
    ? `${written.slice(0, value.index)} ${own}${attribute}="${tag}"${written.slice(value.index + value[0].length)}`
    : `<${own}lang ${own}${attribute}="${tag}"${written.slice(own.length + '<lang'.length)}`;
  return [...splice(raw, [edit])].join('');
}

/** The maximum number of cached results. A document has many runs, but few different run properties. */
const maxCached = 1000;

/**
 * Computes the `rPr` elements of translated runs: the properties of the source, with the direction and the language of
 * the translation.
 */
class WordRunFormatting implements RunFormatting {
  readonly #direction: DirectionChange;
  readonly #language: TextLanguage;
  readonly #made = new Map<string, string>();

  constructor(direction: DirectionChange, language: TextLanguage) {
    this.#direction = direction;
    this.#language = language;
  }

  get changesDirection(): boolean {
    return this.#direction !== 'kept';
  }

  /**
   * @param properties the XML of the source's `rPr` element; '' if the run has none
   * @param prefix the namespace prefix of Word's elements, with the colon
   * @param isRightToLeft whether the paragraph's style makes the text right-to-left
   */
  of(properties: string, prefix: string, isRightToLeft: boolean): string {
    const key = `${prefix}${isRightToLeft}${properties}`;
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    const turned = runDirection(properties, prefix, this.#direction, isRightToLeft);
    const made = runLanguage(turned, prefix, this.#language);
    if (this.#made.size === maxCached) this.#made.clear();
    this.#made.set(key, made);
    return made;
  }
}
