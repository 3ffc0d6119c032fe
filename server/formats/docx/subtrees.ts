import type { FieldMark } from '../office/paragraph/fields.ts';
import type { RunProperties } from '../office/paragraph/text-format.ts';
import type { InnerMark } from '../office/paragraph/tokens.ts';
import { attributeOf, type XmlEndTag, type XmlStartTag } from '../office/xml-reader.ts';
import type { KeptContent } from './kept-content.ts';
import { addRunProperty } from './styles.ts';
import { isOn, isWord } from './word-xml.ts';

/**
 * Reads one element with all its content. The first event is the element's start tag, and the last one is its end tag.
 */
export interface Subtree {
  open(tag: XmlStartTag): void;
  text(text: string): void;
  close(tag: XmlEndTag): void;
}

/** Collects the characters directly in an element. */
export class TextSubtree implements Subtree {
  content = '';
  open(): void {}
  text(text: string): void {
    this.content += text;
  }
  close(): void {}
}

/** Reads an element without collecting anything. */
export const ignored: Subtree = { open: () => {}, text: () => {}, close: () => {} };

/** Reads an element that stays unchanged. Counts its content and records its field marks. */
export class KeptSubtree implements Subtree {
  /** The marks of fields that start or end outside of the element. */
  readonly marks: InnerMark[] = [];
  /** The indexes in `marks` of field starts that have no end yet. */
  readonly #begins: number[] = [];
  readonly #kept: KeptContent;
  #depth = 0;
  /**
   * The depth of the outermost text box or `Fallback` element around the current position, or 0. A field cannot extend
   * beyond it.
   */
  #separateDepth = 0;

  constructor(kept: KeptContent) {
    this.#kept = kept;
  }

  open(tag: XmlStartTag): void {
    this.#kept.open(tag);
    this.#depth++;
    if (this.#separateDepth > 0) return;
    if (tag.local === 'txbxContent' || tag.local === 'Fallback') this.#separateDepth = this.#depth;
    const mark = fieldMarkOf(tag);
    if (!mark) return;
    const begin = mark === 'end' ? this.#begins.pop() : undefined;
    if (begin !== undefined) {
      this.marks.length = begin;
      return;
    }
    if (mark === 'begin') this.#begins.push(this.marks.length);
    this.marks.push({ mark, start: tag.start });
  }

  text(text: string): void {
    this.#kept.text(text);
  }

  close(): void {
    this.#kept.close();
    if (this.#depth === this.#separateDepth) this.#separateDepth = 0;
    this.#depth--;
  }
}

/** Returns the type of a `fldChar` element; undefined for other elements. */
export function fieldMarkOf(tag: XmlStartTag): FieldMark | undefined {
  if (tag.local !== 'fldChar' || !isWord(tag)) return undefined;
  const type = attributeOf(tag, 'fldCharType');
  return type === 'begin' || type === 'separate' || type === 'end' ? type : undefined;
}

/** Reads those properties of a paragraph or a run that the reader needs. */
export class PropertiesSubtree implements Subtree {
  /** The value of `pStyle` or `rStyle`. */
  style: string | undefined;
  outlineLevel: number | undefined;
  /** Whether the run is hidden; undefined if the properties do not set this. */
  hidden: boolean | undefined;
  /** The visible formatting that the properties themselves set. */
  readonly run: RunProperties = {};
  #depth = 0;

  open(tag: XmlStartTag): void {
    // Elements at other depths belong to the properties before a tracked change, or to those of the paragraph mark.
    if (++this.#depth !== 2 || !isWord(tag)) return;
    if (tag.local === 'pStyle' || tag.local === 'rStyle') this.style = attributeOf(tag, 'val');
    else if (tag.local === 'outlineLvl') this.outlineLevel = Number(attributeOf(tag, 'val'));
    else if (tag.local === 'vanish') this.hidden = isOn(tag);
    else addRunProperty(this.run, tag);
  }
  text(): void {}
  close(): void {
    this.#depth--;
  }
}

/** Reads ruby text. Its base is part of the text; the reading aid above the base is not. */
export class RubySubtree implements Subtree {
  base = '';
  /** The start and end of the `rPr` element of the base's first run, as offsets. */
  properties: { start: number; end: number } | undefined;
  #depth = 0;
  #baseDepth = 0;
  #isTextElement = false;

  open(tag: XmlStartTag): void {
    this.#depth++;
    if (!isWord(tag)) return;
    if (tag.local === 'rubyBase' && this.#baseDepth === 0) this.#baseDepth = this.#depth;
    if (this.#baseDepth === 0) return;
    this.#isTextElement = tag.local === 't';
    if (tag.local === 'rPr' && this.#depth === this.#baseDepth + 2)
      this.properties ??= { start: tag.start, end: -1 };
  }
  text(text: string): void {
    if (this.#isTextElement) this.base += text;
  }
  close(tag: XmlEndTag): void {
    this.#isTextElement = false;
    if (this.properties?.end === -1 && tag.local === 'rPr' && this.#depth === this.#baseDepth + 2)
      this.properties.end = tag.end;
    if (this.#depth === this.#baseDepth) this.#baseDepth = 0;
    this.#depth--;
  }
}
