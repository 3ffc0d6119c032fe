import type { XmlEvents } from '../flatten/xml.ts';
import { openPackage } from '../office/package.ts';
import { classOf } from '../selection.ts';
import { countCharacters, type TextOutcome, TextTally } from '../text-tally.ts';
import { letter } from './kept-content.ts';
import { isOffValue } from './word-xml.ts';

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
};

/** The parts whose texts stay, by the type of the relationship: the reason, and the element around one text. */
const keptParts: Readonly<Record<string, [reason: string, element: string]>> = {
  footnotes: ['footnotes', 'footnote'],
  endnotes: ['endnotes', 'endnote'],
  comments: ['comments', 'comment'],
  chart: ['charts', 'p'],
  chartEx: ['charts', 'p'],
  diagramData: ['diagrams', 'pt'],
};

const stories: readonly string[] = ['header', 'footer'];

/**
 * Counts the visible texts of a Word file, independently of the reader of its segments, and returns those that are in no
 * segment.
 *
 * @param inSegments the number of visible characters of all segments
 * @throws {FileError} as `openPackage` and `readPart` do
 */
export async function textOutcome(bytes: Uint8Array, inSegments: number): Promise<TextOutcome> {
  const office = await openPackage(bytes);
  const main = (await office.relationships('')).find(({ type }) => type === 'officeDocument')?.target;
  const tally = new TextTally();
  if (main === undefined) return tally.outcome();
  const story = new StoryCounter(tally);
  const read = new Set([main]);
  // The loop also visits the headers and footers that are added to the set during the loop.
  for (const path of read) {
    await office.readPart(path, {
      openTag: (tag) => story.openTag(tag),
      text: (text) => story.text(text),
      closeTag: (tag) => story.closeTag(tag),
    });
    for (const { type, target } of await office.relationships(path)) {
      if (target === undefined || read.has(target)) continue;
      if (path === main && stories.includes(type)) read.add(target);
      const kept = keptParts[type];
      if (kept) await office.readPart(target, keptTexts(tally, ...kept));
    }
  }
  story.finish(inSegments);
  return tally.outcome();
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

/** Counts the texts of the main text, the headers and the footers. */
class StoryCounter {
  readonly #tally: TextTally;
  #depth = 0;
  /** The kept element around the current position, with its depth and its characters so far. */
  #kept: { reason: string; depth: number; characters: number } | undefined;
  #fallbackDepth = 0;
  #isText = false;
  #isHidden = false;
  /** For each open complex field, whether the current position is in its result; and the number of simple fields. */
  readonly #fields: boolean[] = [];
  #simpleFields = 0;
  #paragraph = { text: '', inField: 0, hidden: 0 };
  #total = 0;
  /** The results of fields, and the texts without a letter between tabs. Some of them are in segments. */
  #inFields = { texts: 0, characters: 0 };
  #betweenTabs = { texts: 0, characters: 0 };

  constructor(tally: TextTally) {
    this.#tally = tally;
  }

  openTag(tag: XmlTag): void {
    this.#depth++;
    const local = localName(tag);
    this.#isText = local === 't';
    if (this.#fallbackDepth > 0) return;
    if (local === 'Fallback') this.#fallbackDepth = this.#depth;
    else if (this.#kept) return;
    else if (keptElements[local])
      this.#kept = { reason: keptElements[local], depth: this.#depth, characters: 0 };
    else if (local === 'p') this.#paragraph = { text: '', inField: 0, hidden: 0 };
    else if (local === 'r') this.#isHidden = false;
    else if (local === 'vanish') this.#isHidden = !isOffValue(attribute(tag, 'val'));
    else if (local === 'fldSimple') this.#simpleFields++;
    else if (local === 'noBreakHyphen') this.#add('-');
    else if (local === 'tab') this.#paragraph.text += '\t';
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
      if (characters > 0) this.#tally.keep(classOf('docx', reason), reason, characters);
    } else if (local === 'fldSimple') this.#simpleFields--;
    else if (local === 'p' && this.#fallbackDepth === 0) this.#endParagraph();
  }

  #add(text: string): void {
    const visible = text.replaceAll('\u00ad', '');
    if (this.#isHidden) {
      this.#paragraph.hidden += countCharacters(visible);
      return;
    }
    this.#paragraph.text += visible;
    if (this.#simpleFields > 0 || this.#fields.length > 0)
      this.#paragraph.inField += countCharacters(visible);
  }

  #endParagraph(): void {
    const { text, inField, hidden } = this.#paragraph;
    this.#paragraph = { text: '', inField: 0, hidden: 0 };
    const characters = countCharacters(text);
    if (hidden > 0) this.#tally.keep(classOf('docx', 'hidden'), 'hidden', hidden);
    if (!letter.test(text)) {
      if (characters > 0) this.#tally.keep('kept', 'number', characters);
      return;
    }
    this.#total += characters;
    for (const part of text.split('\t')) {
      const count = letter.test(part) ? 0 : countCharacters(part);
      if (count === 0) continue;
      this.#betweenTabs.texts++;
      this.#betweenTabs.characters += count;
    }
    if (inField === 0) return;
    this.#inFields.texts++;
    this.#inFields.characters += inField;
  }

  /**
   * Compares the characters with those of the segments. The rest is texts without a letter between tabs, the results of
   * fields, and (`other`) texts that styles hide.
   */
  finish(inSegments: number): void {
    let rest = this.#total - inSegments;
    if (rest < 0) this.#tally.check(0, rest);
    const rules: [reason: string, found: { texts: number; characters: number }][] = [
      ['number', this.#betweenTabs],
      ['fields', this.#inFields],
      ['other', { texts: 1, characters: rest }],
    ];
    for (const [reason, { texts, characters }] of rules) {
      const kept = Math.min(rest, characters);
      if (kept <= 0) continue;
      this.#tally.keep('kept', reason, kept, texts);
      rest -= kept;
    }
  }
}

function attribute({ attributes }: XmlTag, local: string): string | undefined {
  for (const name in attributes) if (name === local || name.endsWith(`:${local}`)) return attributes[name];
  return undefined;
}
