import type { XmlEvents } from '../flatten/xml.ts';
import { classOf } from '../layout-kinds.ts';
import { ChartCounter } from '../office/chart-texts.ts';
import { alternativeTextsOf } from '../office/kept-finding.ts';
import type { OfficeFile } from '../office/office-format.ts';
import { blank } from '../office/paragraph/blanks.ts';
import type { Includable } from '../selection.ts';
import { letter } from '../text.ts';
import { countCharacters, type KeptClass, type TextTally } from '../text-tally.ts';
import type { Styles } from './styles.ts';
import { readStylesPart } from './word-package.ts';
import { isOffValue, isTableText, isValueProperty } from './word-xml.ts';

type XmlTag = Parameters<XmlEvents['openTag']>[0];

/** The elements whose texts stay, each with the name of the reason. Of nested elements, the outermost counts. */
const keptElements: Readonly<Record<string, string>> = {
  txbxContent: 'text_boxes',
  sdt: 'content_controls',
  ins: 'tracked_changes',
  del: 'tracked_changes',
  moveFrom: 'tracked_changes',
  moveTo: 'tracked_changes',
  oMath: 'formula',
  lockedCanvas: 'diagrams',
  // The reading of a word in ruby text.
  rt: 'other',
};

/** The elements that contain no visible text of the translation even if tracked changes are included. */
const deletions = new Set(['del', 'moveFrom']);

/** The parts whose texts stay, by the type of the relationship: the reason, and the element around one text. */
const keptParts: Readonly<Record<string, [reason: string, element: string]>> = {
  footnotes: ['footnotes', 'footnote'],
  endnotes: ['endnotes', 'endnote'],
  comments: ['comments', 'comment'],
  diagramData: ['diagrams', 'pt'],
};

/** The parts that are read like the main text. */
const stories: readonly string[] = ['header', 'footer'];
const charts: readonly string[] = ['chart', 'chartEx'];
const notes: readonly string[] = ['footnotes', 'endnotes', 'comments'];

/**
 * Counts the visible texts of a Word file, independently of the reader of its segments, and adds those that are in no
 * segment to a tally.
 *
 * @param inSegments the number of visible characters of all segments
 * @param included the texts that are in segments although they are left out by default
 * @throws {FileError} as `OfficePackage.readPart` does
 */
export async function tallyTexts(
  file: OfficeFile,
  inSegments: number,
  included: readonly Includable[],
  tally: TextTally,
): Promise<void> {
  const { office, main } = file;
  const include: ReadonlySet<string> = new Set(included);
  const styles = await readStylesPart(file);
  const story = new StoryCounter(tally, include, styles);
  const read = new Set([main]);
  /** The other parts that were read. Several relationships may refer to one part. */
  const counted = new Set<string>();
  // The loop also visits the headers and footers that are added to the set during the loop.
  for (const path of read) {
    await office.readPart(path, story);
    for (const { type, target } of await office.relationships(path)) {
      if (target === undefined || read.has(target) || counted.has(target)) continue;
      const isIncluded = notes.includes(type) && include.has(type);
      if (path === main && (stories.includes(type) || isIncluded)) read.add(target);
      if (isIncluded) continue;
      const kept = keptParts[type];
      if (kept || charts.includes(type)) counted.add(target);
      if (charts.includes(type)) {
        const counter = new ChartCounter();
        await office.readPart(target, counter);
        story.addChart(counter.texts);
        // The text boxes in a chart.
        for (const shapes of await office.relationships(target))
          if (shapes.type === 'chartUserShapes' && shapes.target !== undefined)
            await office.readPart(shapes.target, keptTexts(tally, 'diagrams', 'txBody'));
      } else if (kept) await office.readPart(target, keptTexts(tally, ...kept));
    }
  }
  story.finish(inSegments);
}

function localName({ name }: XmlTag): string {
  return name.slice(name.indexOf(':') + 1);
}

/** Returns a reader that adds the text of each element with this name to a tally. */
function keptTexts(tally: TextTally, reason: string, element: string): XmlEvents {
  let isText = false;
  let characters = 0;
  let depth = 0;
  return {
    openTag: (tag) => {
      const local = localName(tag);
      isText = local === 't';
      if (local === element && depth++ === 0) characters = 0;
    },
    closeTag: (tag) => {
      isText = false;
      if (localName(tag) === element && --depth === 0 && characters > 0)
        tally.keep(classOf('docx', reason), reason, characters);
    },
    text: (text) => {
      if (isText && depth > 0) characters += countCharacters(text);
    },
  };
}

interface OpenParagraph {
  text: string;
  style?: string | undefined;
  /** The number of characters in results of fields, and of hidden characters. */
  inField: number;
  hidden: number;
}

/** Counts the texts of the main text, the headers and the footers. */
class StoryCounter {
  readonly #tally: TextTally;
  readonly #include: ReadonlySet<string>;
  readonly #styles: Styles;
  #depth = 0;
  /** The depths of the open content controls whose texts are in segments, unless they have a value. */
  readonly #controls: { depth: number; hasValue: boolean }[] = [];
  /** The kept element around the current position, with its depth and its characters so far. */
  #kept: { reason: string; depth: number; characters: number } | undefined;
  #fallbackDepth = 0;
  #isText = false;
  /** The style of the open run, and whether its own properties hide it. */
  #run: { style?: string | undefined; vanish?: boolean } = {};
  /** For each open complex field, whether the current position is in its result; and the number of simple fields. */
  readonly #fields: boolean[] = [];
  #simpleFields = 0;
  /** The open paragraphs, outermost first: a paragraph may be in a text box of another one. */
  readonly #paragraphs: OpenParagraph[] = [];
  #total = 0;
  /** The results of fields, and texts without a letter between tabs, in blanks and in hidden runs. Some of them are in segments. */
  #inFields = { texts: 0, characters: 0 };
  #signs = { texts: 0, characters: 0 };

  constructor(tally: TextTally, include: ReadonlySet<string>, styles: Styles) {
    this.#tally = tally;
    this.#include = include;
    this.#styles = styles;
  }

  openTag(tag: XmlTag): void {
    this.#depth++;
    const local = localName(tag);
    this.#isText = local === 't';
    if (this.#fallbackDepth > 0) return;
    if (local === 'docPr' || local === 'shape') this.#addAlternatives(alternativeTextsOf(tag));
    if (isTableText(local)) this.#addAlternatives([attribute(tag, 'val') ?? '']);
    if (local === 'Fallback') this.#fallbackDepth = this.#depth;
    else if (this.#kept) {
      if (local === 'textpath') this.#kept.characters += countCharacters(attribute(tag, 'string') ?? '');
      if (local === 'docPartGallery' && attribute(tag, 'val') === 'Table of Contents') this.#openContents();
    } else if (this.#keeps(local))
      this.#kept = { reason: keptElements[local] ?? 'content_controls', depth: this.#depth, characters: 0 };
    else if (notes.includes(`${local}s`) && (attribute(tag, 'type') ?? 'normal') !== 'normal')
      this.#kept = { reason: `${local}s`, depth: this.#depth, characters: 0 };
    else if (local === 'sdt') this.#controls.push({ depth: this.#depth, hasValue: false });
    else if (isValueProperty(local)) this.#addValue();
    else if (local === 'p') this.#paragraphs.push({ text: '', inField: 0, hidden: 0 });
    else if (local === 'pStyle') {
      const paragraph = this.#paragraphs.at(-1);
      if (paragraph) paragraph.style = attribute(tag, 'val');
    } else if (local === 'r') this.#run = {};
    else if (local === 'rStyle') this.#run.style = attribute(tag, 'val');
    else if (local === 'vanish') this.#run.vanish = !isOffValue(attribute(tag, 'val'));
    else if (local === 'textpath') this.#addWordArt(attribute(tag, 'string') ?? '');
    else if (local === 'fldSimple') this.#simpleFields++;
    else if (local === 'noBreakHyphen') this.#add('-');
    else if (local === 'tab') this.#addVisible('\t');
    else if (local === 'fldChar') {
      const type = attribute(tag, 'fldCharType');
      if (type === 'begin') this.#fields.push(false);
      else if (type === 'separate' && this.#fields.length > 0) this.#fields[this.#fields.length - 1] = true;
      else if (type === 'end') this.#fields.pop();
    }
  }

  text(text: string): void {
    if (!this.#isText || this.#fallbackDepth > 0) return;
    if (this.#kept) this.#kept.characters += countCharacters(text);
    else this.#add(text);
  }

  closeTag(tag: XmlTag): void {
    const depth = this.#depth--;
    const local = localName(tag);
    this.#isText = false;
    if (depth === this.#fallbackDepth) this.#fallbackDepth = 0;
    else if (this.#kept) {
      const { reason, characters } = this.#kept;
      if (depth !== this.#kept.depth) return;
      this.#kept = undefined;
      if (characters > 0) this.#tally.keep(this.#classOf(reason), reason, characters);
    } else if (depth === this.#controls.at(-1)?.depth) this.#controls.pop();
    else if (local === 'fldSimple') this.#simpleFields--;
    else if (local === 'p' && this.#fallbackDepth === 0) this.#endParagraph();
  }

  addChart(texts: readonly string[]): void {
    for (const text of texts) {
      const characters = countCharacters(text);
      if (characters === 0) continue;
      if (!letter.test(text)) this.#tally.keep('kept', 'number', characters);
      else if (this.#include.has('charts')) this.#total += characters;
      else this.#tally.keep(classOf('docx', 'charts'), 'charts', characters);
    }
  }

  /** Whether the element's text is in no segment. */
  #keeps(local: string): boolean {
    const reason = keptElements[local];
    if (reason === undefined) {
      const control = this.#controls.at(-1);
      return local === 'sdtContent' && control?.depth === this.#depth - 1 && control.hasValue;
    }
    return !this.#include.has(reason) || deletions.has(local);
  }

  /** Records that the content control whose properties are at the current position has a value. */
  #addValue(): void {
    const control = this.#controls.at(-1);
    if (control?.depth === this.#depth - 2) control.hasValue = true;
  }

  /** The text of a table of contents is in segments, although it is in a content control. */
  #openContents(): void {
    if (this.#kept?.reason !== 'content_controls' || this.#kept.depth !== this.#depth - 3) return;
    this.#controls.push({ depth: this.#kept.depth, hasValue: false });
    this.#kept = undefined;
  }

  /** Texts of a kind that is included stay only by a rule. */
  #classOf(reason: string): KeptClass {
    return this.#include.has(reason) ? 'kept' : classOf('docx', reason);
  }

  #addSigns(characters: number): void {
    if (characters === 0) return;
    this.#signs.texts++;
    this.#signs.characters += characters;
  }

  #addAlternatives(texts: readonly string[]): void {
    for (const text of texts)
      if (letter.test(text)) this.#tally.keep('kept', 'alternative_texts', countCharacters(text));
  }

  #addWordArt(text: string): void {
    if (letter.test(text)) this.#tally.keep('kept', 'text_boxes', countCharacters(text));
  }

  #add(text: string): void {
    const visible = text.replaceAll('\u00ad', '');
    const paragraph = this.#paragraphs.at(-1);
    const isHidden = this.#run.vanish ?? this.#styles.isHidden(paragraph?.style, this.#run.style);
    if (isHidden && !this.#include.has('hidden')) {
      if (paragraph) paragraph.hidden += countCharacters(visible);
      return;
    }
    if (isHidden && !letter.test(visible)) this.#addSigns(countCharacters(visible));
    this.#addVisible(visible);
    if (paragraph && (this.#simpleFields > 0 || this.#fields.length > 0))
      paragraph.inField += countCharacters(visible);
  }

  #addVisible(text: string): void {
    const paragraph = this.#paragraphs.at(-1);
    if (paragraph) paragraph.text += text;
  }

  #endParagraph(): void {
    const paragraph = this.#paragraphs.pop();
    if (!paragraph) return;
    const { text, inField, hidden } = paragraph;
    const characters = countCharacters(text);
    if (hidden > 0) this.#tally.keep(classOf('docx', 'hidden'), 'hidden', hidden);
    if (!letter.test(text)) {
      if (characters > 0) this.#tally.keep('kept', 'number', characters);
      return;
    }
    this.#total += characters;
    for (const part of text.split('\t').flatMap((side) => side.split(blank))) {
      if (!letter.test(part)) this.#addSigns(countCharacters(part));
    }
    if (inField === 0) return;
    this.#inFields.texts++;
    this.#inFields.characters += inField;
  }

  /**
   * Compares the characters with those of the segments. Texts without a letter between tabs, in blanks and in hidden
   * runs, and the results of fields, may be in segments or not.
   */
  finish(inSegments: number): void {
    let rest = this.#total - inSegments;
    const rules: [reason: string, found: { texts: number; characters: number }][] = [
      ['number', this.#signs],
      ['fields', this.#inFields],
    ];
    for (const [reason, { texts, characters }] of rules) {
      const kept = Math.min(rest, characters);
      if (kept <= 0) continue;
      this.#tally.keep('kept', reason, kept, texts);
      rest -= kept;
    }
    this.#tally.check(rest, 0);
  }
}

function attribute({ attributes }: XmlTag, local: string): string | undefined {
  for (const name in attributes) if (name === local || name.endsWith(`:${local}`)) return attributes[name];
  return undefined;
}
