import type { Finding } from '../document.ts';
import { classOf } from '../layout-kinds.ts';
import { alternativeTexts, alternativeTextsOf, keptFinding, picturesKept } from '../office/kept-finding.ts';
import { attributeOf, type XmlStartTag } from '../office/xml-reader.ts';
import type { Includable } from '../selection.ts';
import { letter } from '../text.ts';
import { isTableText, isWord } from './word-xml.ts';

/** The kinds of text that stay untranslated, each with its singular and plural form. */
const kinds = {
  text_box: ['text box', 'text boxes'],
  word_art: ['WordArt text', 'WordArt texts'],
  content_control: ['content control', 'content controls'],
  value_control: [
    'content control with a date, a list or a value from data',
    'content controls with a date, a list or a value from data',
  ],
  tracked_change: ['tracked change', 'tracked changes'],
  deletion: ['deleted text', 'deleted texts'],
  field: ['result of a field', 'results of fields'],
  footnote: ['footnote', 'footnotes'],
  endnote: ['endnote', 'endnotes'],
  comment: ['comment', 'comments'],
  hidden_text: ['hidden text', 'hidden texts'],
  chart: ['chart', 'charts'],
  diagram: ['diagram', 'diagrams'],
  list_label: ['list label with words', 'list labels with words'],
  embedded_document: ['embedded document', 'embedded documents'],
  picture: ['picture', 'pictures'],
  alternative_text: alternativeTexts,
  other: ['text in an unknown element', 'texts in unknown elements'],
} as const;

type KeptKind = keyof typeof kinds;

/** The kinds that a request can include, with the name by which it does so. */
const includedBy: Partial<Record<KeptKind, Includable>> = {
  text_box: 'text_boxes',
  content_control: 'content_controls',
  tracked_change: 'tracked_changes',
  footnote: 'footnotes',
  endnote: 'endnotes',
  comment: 'comments',
  hidden_text: 'hidden',
  chart: 'charts',
};

/** The kinds of what stays of a kind that is included. */
const restOf: Partial<Record<KeptKind, KeptKind>> = {
  content_control: 'value_control',
  tracked_change: 'deletion',
};

const kindOfElement: ReadonlyMap<string, KeptKind> = new Map([
  ['txbxContent', 'text_box'],
  ['sdt', 'content_control'],
  ['ins', 'tracked_change'],
  ['del', 'tracked_change'],
  ['moveFrom', 'tracked_change'],
  ['moveTo', 'tracked_change'],
  ['fldSimple', 'field'],
]);

/**
 * Counts the content of a file that stays untranslated. Of nested elements, only the outermost counts. Pass the XML
 * events of each unchanged element to `open`, `text` and `close`.
 */
export class KeptContent {
  readonly #counts = new Map<KeptKind, number>();
  readonly #include: ReadonlySet<Includable>;
  #depth = 0;
  #kind: KeptKind | undefined;
  /** The depth of the element that has the kind `#kind`. */
  #kindDepth = 0;
  #hasLetter = false;
  /**
   * The depth of the `Fallback` element around the current position, or 0. A `Fallback` repeats the content of the
   * `Choice` before it, so it is not counted.
   */
  #fallbackDepth = 0;
  #isTextElement = false;
  /** The depth of the text box around the current position that is read as a story, or 0. Its content does not count. */
  #boxDepth = 0;

  constructor(include: ReadonlySet<Includable> = new Set()) {
    this.#include = include;
  }

  /** Whether the current position is in a text box whose text is translated. */
  get isInBox(): boolean {
    return this.#boxDepth > 0;
  }

  add(kind: KeptKind, count = 1): void {
    if (count > 0) this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + count);
  }

  addAll(other: KeptContent): void {
    for (const [kind, count] of other.#counts) this.add(kind, count);
  }

  open(tag: XmlStartTag): void {
    if (++this.#depth === 1) this.#hasLetter = false;
    if (this.#boxDepth > 0) return;
    if (tag.local === 'txbxContent' && this.#include.has('text_boxes') && this.#kind === undefined) {
      this.#boxDepth = this.#depth;
      this.#isTextElement = false;
      return;
    }
    if (this.#fallbackDepth > 0) return;
    if (tag.local === 'Fallback') {
      this.#fallbackDepth = this.#depth;
      return;
    }
    this.#isTextElement =
      (tag.local === 't' && (isWord(tag) || this.#kind === 'diagram')) ||
      (tag.local === 'delText' && isWord(tag));
    if (tag.local === 'altChunk' && isWord(tag)) this.add('embedded_document');
    // The text of WordArt, such as a watermark, is an attribute.
    if (tag.local === 'textpath' && letter.test(attributeOf(tag, 'string') ?? '')) this.add('word_art');
    if ((tag.local === 'docPr' || tag.local === 'shape') && alternativeTextsOf(tag).length > 0)
      this.add('alternative_text');
    if (isTableText(tag.local) && letter.test(attributeOf(tag, 'val') ?? '')) this.add('alternative_text');
    // Whether a picture has text is not known, because the text of pictures is not recognized.
    if (tag.local === 'blip' || tag.local === 'imagedata') this.add('picture');
    const kind = this.#kindOf(tag);
    if (this.#kind !== undefined || kind === undefined) return;
    if (this.#hasLetter) this.add('other');
    this.#kind = kind;
    this.#kindDepth = this.#depth;
    this.#hasLetter = false;
  }

  #kindOf(tag: XmlStartTag): KeptKind | undefined {
    if (tag.local === 'lockedCanvas') return 'diagram';
    // Strict files have text boxes in a separate namespace.
    const kind = isWord(tag) || tag.local === 'txbxContent' ? kindOfElement.get(tag.local) : undefined;
    const by = kind && includedBy[kind];
    return by !== undefined && this.#include.has(by) ? (restOf[kind!] ?? kind) : kind;
  }

  text(text: string): void {
    if (this.#isTextElement && this.#fallbackDepth === 0 && !this.#hasLetter)
      this.#hasLetter = letter.test(text);
  }

  close(): void {
    this.#isTextElement = false;
    if (this.#boxDepth > 0) {
      if (this.#depth === this.#boxDepth) this.#boxDepth = 0;
      this.#depth--;
      return;
    }
    if (this.#depth === this.#fallbackDepth) this.#fallbackDepth = 0;
    const isKind = this.#kind !== undefined && this.#depth === this.#kindDepth;
    this.#depth--;
    if (!isKind && this.#depth > 0) return;
    if (this.#hasLetter) this.add(this.#kind ?? 'other');
    this.#hasLetter = false;
    if (isKind) this.#kind = undefined;
  }

  /** Returns one finding for each kind of content that was counted. */
  findings(): Finding[] {
    return (Object.keys(kinds) as KeptKind[]).flatMap((kind): Finding[] => {
      const count = this.#counts.get(kind);
      if (count === undefined) return [];
      const by = includedBy[kind];
      if (kind === 'picture') return [picturesKept(count)];
      const isOffered = by !== undefined && classOf('docx', by) !== 'kept' && !this.#include.has(by);
      return [keptFinding(count, kinds[kind], isOffered ? by : undefined)];
    });
  }
}
