import type { Segment, SegmentKey } from '../document.ts';
import { type InlineContent, plainText } from '../inline-content.ts';
import { reasonToKeep } from '../messages/strings.ts';
import { type Edit, escapeXmlText, splice, withoutForbidden } from '../office/splice.ts';
import {
  attributeOf,
  escapeAttribute,
  type PositionedXmlEvents,
  readPositionedXml,
  textAttribute,
  type XmlEndTag,
  type XmlStartTag,
} from '../office/xml-reader.ts';
import type { Includable } from '../selection.ts';
import { letter } from '../text.ts';
import { innerField, wordsOfField } from './field-words.ts';
import { isWord } from './word-xml.ts';

/*
 * Words of a story that are in no run: in the codes of fields, such as the prompt of a button, and in the properties of
 * form fields and content controls.
 */

/** Words that a reader of the file sees. */
export interface StoryWords {
  /** The position among all words of the story, from 1. */
  number: number;
  text: string;
  /** Describes the words to a reviewer. */
  place: string;
  /** Why the words stay; undefined for words that are translated. */
  reason?: string | undefined;
}

/** The words of one field or attribute, which are written together. */
export interface WordsPlace {
  words: StoryWords[];
  /** Returns the changes that write translations; undefined for words that stay. */
  write(translations: readonly (string | undefined)[]): Edit[];
}

/** The elements with texts that a request must include, by the name under which it does so. */
const regions: Readonly<Record<string, Includable>> = {
  txbxContent: 'text_boxes',
  sdt: 'content_controls',
  ins: 'tracked_changes',
};
/** The elements whose words are not shown. A `Fallback` repeats the content of the `Choice` before it. */
const unseen: ReadonlySet<string> = new Set(['Fallback', 'del', 'moveFrom']);

/** The attributes with words of form fields and content controls, by the names of their elements. */
const attributes: Readonly<Record<string, { local: string; place: string; reason?: string }>> = {
  helpText: { local: 'val', place: 'help of a form field' },
  statusText: { local: 'val', place: 'status text of a form field' },
  listEntry: { local: 'val', place: 'entry of a list' },
  default: { local: 'val', place: 'text of a form field' },
  // Word compares the content of the control with its entries, and programs find controls by their names.
  listItem: { local: 'displayText', place: '', reason: 'dropdown_lists' },
  alias: { local: 'val', place: '', reason: 'form_fields' },
  hyperlink: { local: 'tooltip', place: 'tip of a link' },
};

/** Reads the words of a story. @param include the texts that are translated although they are left out by default */
export function readStoryWords(source: string, include: ReadonlySet<Includable>): WordsPlace[] {
  const reader = new WordsReader(source, include);
  readPositionedXml(source, reader);
  return reader.places;
}

/** A part of a field's code: the content of one element, or an attribute. */
interface Piece {
  start: number;
  end: number;
  text: string;
  isAttribute: boolean;
}

interface Field {
  /** The parts of the code; null for a field inside. */
  pieces: (Piece | null)[];
  isInCode: boolean;
}

class WordsReader implements PositionedXmlEvents {
  readonly places: WordsPlace[] = [];
  #count = 0;
  readonly #source: string;
  readonly #include: ReadonlySet<Includable>;
  readonly #fields: Field[] = [];
  readonly #open: { local: string; reason?: Includable }[] = [];
  #unseen = 0;
  #piece: Piece | undefined;

  constructor(source: string, include: ReadonlySet<Includable>) {
    this.#source = source;
    this.#include = include;
  }

  openTag(tag: XmlStartTag): void {
    const { local } = tag;
    const reason = this.#include.has(regions[local]!) ? undefined : regions[local];
    const outer = this.#open.at(-1)?.reason;
    const isContents = local === 'sdt' && isContentsControl(this.#source, tag);
    const own = outer ?? (isContents ? undefined : reason);
    this.#open.push({ local, ...(own && { reason: own }) });
    if (unseen.has(local)) this.#unseen++;
    if (this.#unseen > 0 || !isWord(tag)) return;
    if (local === 'fldChar') this.#mark(attributeOf(tag, 'fldCharType'));
    else if (local === 'fldSimple') this.#addSimple(tag);
    else if (local === 'instrText')
      this.#piece = { start: tag.end, end: tag.end, text: '', isAttribute: false };
    else if (Object.hasOwn(attributes, local)) this.#addAttribute(tag);
  }

  text(text: string): void {
    if (this.#piece) this.#piece.text += text;
  }

  closeTag({ local, start }: XmlEndTag): void {
    this.#open.pop();
    if (unseen.has(local)) this.#unseen--;
    if (local !== 'instrText' || !this.#piece) return;
    const field = this.#fields.at(-1);
    if (field?.isInCode && start >= this.#piece.end) field.pieces.push({ ...this.#piece, end: start });
    this.#piece = undefined;
  }

  #mark(type: string | undefined): void {
    if (type === 'begin') {
      this.#fields.at(-1)?.pieces.push(null);
      this.#fields.push({ pieces: [], isInCode: true });
    } else if (type === 'separate') this.#endCode(this.#fields.at(-1));
    else if (type === 'end') this.#endCode(this.#fields.pop());
  }

  #endCode(field: Field | undefined): void {
    if (!field?.isInCode) return;
    field.isInCode = false;
    this.#addCode(field.pieces);
  }

  #addSimple(tag: XmlStartTag): void {
    const code = textAttribute(this.#source, tag, 'instr');
    if (!code) return;
    const { valueStart: start, end, text } = code;
    this.#addCode([{ start, end: end - 1, text, isAttribute: true }]);
  }

  #addCode(pieces: Field['pieces']): void {
    const found = wordsOfField(pieces.map((piece) => piece?.text ?? innerField).join(''));
    if (found.length === 0) return;
    this.places.push({
      words: found.map(({ text, write }) =>
        this.#wordsOf(text, 'text of a field', write ? undefined : 'fields'),
      ),
      write: (translations) =>
        editsOf(
          pieces,
          found.flatMap(({ start, end, write }, at) => {
            const translation = translations[at];
            return translation === undefined || !write ? [] : [{ start, end, text: write(translation) }];
          }),
        ),
    });
  }

  #addAttribute(tag: XmlStartTag): void {
    const { local, place, reason } = attributes[tag.local]!;
    const parent = this.#open.at(-2)?.local;
    // A help text may also be the name of a text that Word has stored, and the default of a check box is a number.
    if (/Text$/.test(tag.local) && attributeOf(tag, 'type') !== 'text') return;
    if (tag.local === 'default' && parent !== 'textInput') return;
    const found = textAttribute(this.#source, tag, local);
    if (!found || !letter.test(found.text)) return;
    const { valueStart: start, end, quote, text } = found;
    this.places.push({
      words: [this.#wordsOf(text, place, reason)],
      write: ([translation]) => {
        if (translation === undefined) return [];
        const written = escapeAttribute(translation);
        return [{ start, end: end - 1, text: quote === "'" ? written.replaceAll("'", '&apos;') : written }];
      },
    });
  }

  #wordsOf(text: string, place: string, reason: string | undefined): StoryWords {
    return {
      number: ++this.#count,
      text: text.replaceAll(innerField, ''),
      place,
      // The tip of a link is often its address.
      reason: this.#open.at(-1)?.reason ?? reason ?? reasonToKeep(text.trim()) ?? undefined,
    };
  }
}

/** Returns the changes of the pieces of a code in which ranges are replaced. */
function editsOf(pieces: Field['pieces'], replaced: readonly Edit[]): Edit[] {
  let at = 0;
  return pieces.flatMap((piece): Edit[] => {
    const from = at;
    at += piece?.text.length ?? innerField.length;
    const own = replaced.filter(({ start, end }) => start < at && end > from);
    if (!piece || own.length === 0) return [];
    let changed = piece.text;
    // A text is written where its range begins.
    for (const { start, end, text } of own.toReversed())
      changed =
        changed.slice(0, Math.max(0, start - from)) + (start >= from ? text : '') + changed.slice(end - from);
    const text = piece.isAttribute ? escapeAttribute(changed) : escapeXmlText(changed);
    return [{ start: piece.start, end: piece.end, text }];
  });
}

const keyOf = ({ number }: StoryWords, keyPrefix: string): SegmentKey => ({
  regionId: `${keyPrefix}words${number}`,
  cellId: null,
});

/** Returns the segments of the words that are translated. */
export function segmentsOfWords(
  places: readonly WordsPlace[],
  { path, keyPrefix }: { path: string; keyPrefix: string },
): Segment[] {
  const translated = places.flatMap(({ words }) => words.filter(({ reason }) => reason === undefined));
  return translated.map((words) => ({
    ...{ ...keyOf(words, keyPrefix), kind: 'text_block', page: null },
    place: `${path}, ${words.place} ${words.number}`,
    source: [words.text.trim()],
  }));
}

/** Returns the source of a story with the translations of its words. All elements stay. */
export function writeStoryWords(
  source: string,
  places: readonly WordsPlace[],
  keyPrefix: string,
  targetOf: (key: SegmentKey) => InlineContent | undefined,
): string {
  const edits = places.flatMap(({ words, write }) =>
    write(
      words.map((one) => {
        const target = one.reason === undefined ? targetOf(keyOf(one, keyPrefix)) : undefined;
        const text = target && withoutForbidden(plainText(target)).replace(/\s+/g, ' ').trim();
        return text === one.text.trim() ? undefined : text && one.text.replace(one.text.trim(), () => text);
      }),
    ),
  );
  // The code of a field that has another one inside ends after that one's.
  const inOrder = edits.toSorted((one, other) => one.start - other.start);
  return edits.length === 0 ? source : [...splice(source, inOrder)].join('');
}

/** The properties of a content control that holds a table of contents, which Word builds from the headings. */
const contents =
  /^<[^>]*>\s*<(?:\w+:)?sdtPr\b(?:(?!<\/(?:\w+:)?sdtPr>).)*?<(?:\w+:)?docPartGallery\b[^>]*"Table of Contents"/s;

/** Whether a content control holds a table of contents. */
export function isContentsControl(source: string, { start }: XmlStartTag): boolean {
  return contents.test(source.slice(start, start + maxProperties));
}

/** The characters of a content control that are read to find its kind. */
const maxProperties = 4_000;
