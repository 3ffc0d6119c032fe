import { FileError } from '../file-error.ts';
import { Numbering } from '../office/numbering.ts';
import { FieldStack } from '../office/paragraph/fields.ts';
import { type ParagraphTexts, readContent } from '../office/paragraph/paragraph-content.ts';
import { placedTexts } from '../office/paragraph/placed-texts.ts';
import type { Token } from '../office/paragraph/tokens.ts';
import { type Edit, splice } from '../office/splice.ts';
import {
  attributeOf,
  type PositionedXmlEvents,
  readPositionedXml,
  type XmlEndTag,
  type XmlStartTag,
} from '../office/xml-reader.ts';
import { isDropCap, withOpening } from './drop-caps.ts';
import { KeptContent } from './kept-content.ts';
import { PageCounter } from './page-counter.ts';
import { type ParagraphContext, ParagraphReader } from './paragraph-reader.ts';
import {
  type ParagraphResult,
  roots,
  type Story,
  type StoryOptions,
  type StoryParagraph,
  type StoryResult,
} from './story.ts';
import { isContentsControl } from './story-words.ts';
import { ignored, KeptSubtree, type Subtree } from './subtrees.ts';
import { TextBoxes } from './text-boxes.ts';
import { ControlProperties, isWord } from './word-xml.ts';

/**
 * Reads a story.
 *
 * @param use is called for each paragraph with text to translate, in the order of their ends. It must not keep the
 *   paragraph, because paragraphs are large. The story may be read a second time; the results of the first reading are
 *   then discarded.
 * @throws {FileError} as `readPositionedXml` does
 */
export function readStory<T extends ParagraphResult>(
  story: Story,
  options: StoryOptions,
  use: (paragraph: StoryParagraph) => T,
): StoryResult<T> {
  const read = (countElement: () => void, unclosedFields: ReadonlySet<number>) => {
    const { kind, source, keyPrefix } = story;
    const pages = new PageCounter(source);
    const { styles, include } = options;
    const reader = new StoryReader<T>({
      ...{ styles, include, unclosedFields, use, kind, source },
      root: roots[kind],
      page: () => pages.page,
      onOpen: (tag) => {
        countElement();
        pages.open(tag);
      },
      numbering: new Numbering(keyPrefix),
      boxes: new TextBoxes(),
      copy: 0,
      isFallback: false,
    });
    readPositionedXml(source, reader);
    return { unclosed: reader.unclosedFields(), result: { ...reader.result(), pages: pages.page } };
  };
  const first = read(options.countElement ?? (() => {}), new Set());
  // A field start without an end is not a field, but this is only known at the end of the story. In the first reading,
  // such a start made the reader treat all later text as a part of the field. The second reading ignores these starts.
  return first.unclosed.length === 0 ? first.result : read(() => {}, new Set(first.unclosed)).result;
}

/** The elements of a story that contain paragraphs. All other elements around paragraphs stay unchanged. */
const blocks = new Set(
  'document body hdr ftr footnotes endnotes comments txbxContent tbl tr tc customXml'.split(' '),
);

/** The elements of notes and comments, each with its name in keys and places. */
const notes: ReadonlySet<string> = new Set(['footnote', 'endnote', 'comment']);

interface Setup<T> extends Pick<StoryOptions, 'styles' | 'include'> {
  kind: Story['kind'];
  source: string;
  /** The name of the outermost element. */
  root: string;
  numbering: Numbering;
  /** Returns the number of the page at the current position. */
  page: () => number;
  onOpen: (tag: XmlStartTag) => void;
  unclosedFields: ReadonlySet<number>;
  boxes: TextBoxes;
  /** For the story of a text box that repeats another one: the number of the copy, from 1; otherwise 0. */
  copy: number;
  isFallback: boolean;
  use: (paragraph: StoryParagraph) => T;
}

class StoryReader<T extends ParagraphResult> implements PositionedXmlEvents {
  readonly #setup: Setup<T>;
  readonly #fields: FieldStack;
  readonly #paragraphs: T[] = [];
  readonly #edits: Edit[] = [];
  readonly #kept: KeptContent;
  readonly #headersAndFooters: string[] = [];
  readonly #context: ParagraphContext;
  /** The starts of fields in text boxes that have no end. */
  readonly #unclosedInBoxes: number[] = [];
  #depth = 0;
  #paragraph: { reader: ParagraphReader; depth: number } | undefined;
  /** The last paragraph, if it holds the large first letters of the next one. */
  #dropCap: { paragraph: StoryParagraph; tokens: readonly Token[]; depth: number } | undefined;
  /** The element around the current position that is read as a whole, if any. */
  #inside: { subtree: Subtree; depth: number; finish: () => void } | undefined;
  /** The content controls and notes around the current position that have their own numbers. */
  readonly #objects: { depth: number; control?: { tag: XmlStartTag; properties: ControlProperties } }[] = [];
  /** The text box around the current position, if it is read. */
  #box: { reader: StoryReader<T>; depth: number; isFallback: boolean } | undefined;
  /** The results and changes of text boxes since the end of the last paragraph. */
  #inner: { paragraphs: T[]; edits: Edit[] } = { paragraphs: [], edits: [] };

  constructor(setup: Setup<T>) {
    this.#setup = setup;
    const { kind, include, styles, page, unclosedFields } = setup;
    this.#kept = new KeptContent(include);
    const allFieldsLive = kind === 'header' || kind === 'footer';
    this.#fields = new FieldStack(allFieldsLive, unclosedFields, () => this.#kept.add('field'));
    this.#context = {
      slice: (start, end) => this.#slice(start, end),
      kept: this.#kept,
      include,
      allFieldsLive,
      preservesSpace: false,
      page,
      isHiddenStyle: (paragraph, run) => styles.isHidden(paragraph, run),
      formatOf: (paragraph, run, properties) => styles.formatOf(paragraph, run, properties),
    };
  }

  result(): Omit<StoryResult<T>, 'pages'> {
    this.#endDropCap();
    this.#flushInner();
    return {
      paragraphs: this.#paragraphs,
      edits: this.#edits,
      kept: this.#kept,
      headersAndFooters: this.#headersAndFooters,
    };
  }

  /** Returns the offsets of the starts of fields that have no end and that make text a part of them. */
  unclosedFields(): number[] {
    return [...this.#unclosedInBoxes, ...(this.#fields.isInert ? this.#fields.openStarts() : [])];
  }

  openTag(tag: XmlStartTag): void {
    const { include, boxes, onOpen } = this.#setup;
    onOpen(tag);
    this.#depth++;
    if (this.#depth === 1) this.#openRoot(tag);
    if (tag.local === 'headerReference' || tag.local === 'footerReference') {
      const id = attributeOf(tag, 'id');
      if (id !== undefined) this.#headersAndFooters.push(id);
    }
    if (this.#paragraph) this.#paragraph.reader.open(tag);
    else if (this.#inside) this.#inside.subtree.open(tag);
    else this.#openBlock(tag);
    if (this.#box) this.#box.reader.openTag(tag);
    else if (this.#kept.isInBox) this.#openBox(tag);
    else if (include.has('text_boxes')) boxes.open(tag, this.#depth);
  }

  text(text: string): void {
    this.#box?.reader.text(text);
    if (this.#paragraph) this.#paragraph.reader.text(text);
    else this.#inside?.subtree.text(text);
  }

  closeTag(tag: XmlEndTag): void {
    const depth = this.#depth--;
    if (this.#box) {
      this.#box.reader.closeTag(tag);
      if (depth === this.#box.depth) this.#closeBox(this.#box);
    } else if (this.#setup.include.has('text_boxes')) this.#setup.boxes.close(depth);
    if (this.#paragraph) {
      if (depth > this.#paragraph.depth) this.#paragraph.reader.close(tag);
      else this.#closeParagraph(this.#paragraph.reader, tag);
    } else if (this.#inside) {
      const { subtree, finish } = this.#inside;
      subtree.close(tag);
      if (depth === this.#inside.depth) {
        this.#inside = undefined;
        finish();
        this.#flushInner();
      }
    } else if (tag.local === 'tbl' && isWord(tag)) this.#setup.numbering.closeTable();
    if (depth === this.#objects.at(-1)?.depth) {
      this.#objects.pop();
      this.#setup.numbering.leave();
    }
  }

  #openRoot(tag: XmlStartTag): void {
    if (tag.local !== this.#setup.root || (!isWord(tag) && this.#setup.root !== 'txbxContent'))
      throw new FileError('unreadable', 'the file is not a Word document');
    this.#context.preservesSpace = tag.attributes['xml:space'] === 'preserve';
  }

  #openBlock(tag: XmlStartTag): void {
    const { local } = tag;
    const { numbering } = this.#setup;
    const { depth = 0, control } = this.#objects.at(-1) ?? {};
    // Only bookmarks may be between large letters and their paragraph.
    if (this.#dropCap && (this.#depth !== this.#dropCap.depth || !/^(?:p$|bookmark)/.test(local)))
      this.#endDropCap();
    if (!isWord(tag) && this.#depth > 1) this.#keep(tag);
    else if (control && this.#depth === depth + 1) this.#openInControl(tag, control);
    else if (local === 'p') {
      numbering.openParagraph();
      this.#paragraph = { reader: new ParagraphReader(tag, this.#context), depth: this.#depth };
    } else if (notes.has(local) && this.#depth === 2) this.#openNote(tag);
    else if (local === 'sdt') this.#openControl(tag);
    else if (!blocks.has(local)) this.#keep(tag);
    else if (local === 'tbl') numbering.openTable();
    else if (local === 'tr') numbering.openRow();
    else if (local === 'tc') numbering.openCell();
  }

  /** Opens a note or a comment. Separators, which are between the text and its notes, are left out. */
  #openNote(tag: XmlStartTag): void {
    const type = attributeOf(tag, 'type');
    if (type !== undefined && type !== 'normal') {
      this.#read(tag, ignored, () => {});
      return;
    }
    this.#setup.numbering.enter(tag.local, tag.local);
    this.#objects.push({ depth: this.#depth });
  }

  /**
   * Opens a content control. Word builds a table of contents again from the translated headings, so it is always read.
   * All controls have numbers, so that the keys do not depend on what a request includes.
   */
  #openControl(tag: XmlStartTag): void {
    const { numbering, include, source } = this.#setup;
    numbering.enter('control', 'content control');
    if (include.has('content_controls') || isContentsControl(source, tag))
      this.#objects.push({ depth: this.#depth, control: { tag, properties: new ControlProperties() } });
    else {
      numbering.leave();
      this.#keep(tag);
    }
  }

  /** Opens an element directly in a content control. Its properties determine whether its content is read. */
  #openInControl(
    tag: XmlStartTag,
    { tag: control, properties }: { tag: XmlStartTag; properties: ControlProperties },
  ): void {
    if (tag.local === 'sdtPr') this.#read(tag, properties, () => {});
    else if (tag.local !== 'sdtContent') this.#keep(tag);
    else if (properties.hasValue) {
      const subtree = new KeptSubtree(this.#kept);
      subtree.open(control);
      this.#read(tag, subtree, () => this.#closeKept(subtree));
      this.#inside!.depth--;
    }
  }

  #keep(tag: XmlStartTag): void {
    const subtree = new KeptSubtree(this.#kept);
    this.#read(tag, subtree, () => this.#closeKept(subtree));
  }

  #read(tag: XmlStartTag, subtree: Subtree, finish: () => void): void {
    this.#inside = { subtree, depth: this.#depth, finish };
    subtree.open(tag);
  }

  /**
   * Opens and closes the fields that an unchanged element starts without ending them, or ends without starting them.
   */
  #closeKept({ marks }: KeptSubtree): void {
    for (const { mark, start } of marks) {
      if (mark === 'begin') this.#fields.begin(start);
      else if (mark === 'separate') this.#fields.separate();
      else this.#fields.end();
    }
  }

  #openBox(tag: XmlStartTag): void {
    const { include, boxes, numbering } = this.#setup;
    const box = boxes.start(numbering);
    const reader = new StoryReader<T>({
      ...this.#setup,
      // Word has no text boxes in text boxes.
      include: new Set([...include].filter((name) => name !== 'text_boxes')),
      numbering: box.numbering,
      copy: box.copy,
      isFallback: box.isFallback,
      root: 'txbxContent',
      onOpen: () => {},
    });
    this.#box = { reader, depth: this.#depth, isFallback: box.isFallback };
    reader.openTag(tag);
  }

  #closeBox({ reader, isFallback }: { reader: StoryReader<T>; isFallback: boolean }): void {
    this.#box = undefined;
    this.#unclosedInBoxes.push(...reader.unclosedFields());
    const { paragraphs, edits, kept } = reader.result();
    for (const paragraph of paragraphs) this.#inner.paragraphs.push(paragraph);
    for (const edit of edits) this.#inner.edits.push(edit);
    if (!isFallback) this.#kept.addAll(kept);
  }

  /** Returns the XML between two offsets, with the changes of text boxes inside of it. */
  #slice(start: number, end: number): string {
    const { source } = this.#setup;
    const { edits } = this.#inner;
    if (edits.length === 0 || edits.at(-1)!.start < start || edits[0]!.start >= end)
      return source.slice(start, end);
    const inside = edits.slice(indexFrom(edits, start), indexFrom(edits, end));
    if (inside.length === 0) return source.slice(start, end);
    const moved = inside.map((edit) => ({ ...edit, start: edit.start - start, end: edit.end - start }));
    return [...splice(source.slice(start, end), moved)].join('');
  }

  /** Adds what was read in text boxes since the last paragraph, and returns it. */
  #flushInner(): void {
    const { paragraphs, edits } = this.#inner;
    if (paragraphs.length === 0) return;
    this.#inner = { paragraphs: [], edits: [] };
    for (const paragraph of paragraphs) this.#paragraphs.push(paragraph);
    for (const edit of edits) this.#edits.push(edit);
  }

  #closeParagraph(reader: ParagraphReader, { start: end }: XmlEndTag): void {
    this.#paragraph = undefined;
    const tokens = reader.finish(end);
    const large = this.#dropCap;
    const isLarge = this.#isDropCap(reader, tokens);
    const joined = large && !isLarge ? withOpening(large.tokens, tokens) : undefined;
    if (!joined) this.#endDropCap();
    this.#dropCap = undefined;
    const read = readContent(joined ?? tokens, this.#fields);
    if (read) {
      const paragraph = this.#paragraphOf(reader, read, end);
      if (large && joined) this.#useParagraph({ ...paragraph, dropCap: large.paragraph });
      else if (isLarge)
        this.#dropCap = { paragraph: { ...paragraph, innerEdits: [] }, tokens, depth: this.#depth + 1 };
      else this.#useParagraph(paragraph);
    }
    this.#flushInner();
  }

  #isDropCap({ properties, style }: ParagraphReader, tokens: readonly Token[]): boolean {
    const { isDropCap: isOfStyle = false } = this.#setup.styles.ofParagraph(style);
    return isDropCap(properties, tokens, isOfStyle);
  }

  /** Ends the last paragraph as a separate text, if it was kept for the next one. */
  #endDropCap(): void {
    if (this.#dropCap) this.#useParagraph(this.#dropCap.paragraph);
    this.#dropCap = undefined;
  }

  #paragraphOf(reader: ParagraphReader, read: ParagraphTexts, end: number): StoryParagraph {
    const { styles, numbering, boxes, copy, isFallback, root } = this.#setup;
    const { properties, style, tag } = reader;
    const level = reader.outlineLevel ?? styles.ofParagraph(style).outlineLevel ?? bodyLevel;
    const key = numbering.keyAndPlace();
    const inBox = root === 'txbxContent';
    const { texts, isRepeated } = inBox
      ? boxes.match(placedTexts(read, key), copy)
      : { texts: placedTexts(read, key), isRepeated: false };
    return {
      texts,
      inTable: numbering.isInTable,
      inBox,
      isFallback,
      isRepeated,
      isHeading: level >= 0 && level < bodyLevel,
      properties,
      style,
      prefix: tag.name.slice(0, -1),
      start: tag.end,
      end,
      innerEdits: this.#inner.edits,
    };
  }

  #useParagraph(paragraph: StoryParagraph): void {
    const result = this.#setup.use(paragraph);
    this.#paragraphs.push(result);
    const { edits } = result;
    if (edits.length === 0) return;
    for (const edit of edits) this.#edits.push(edit);
    if (paragraph.innerEdits === this.#inner.edits) this.#inner.edits = [];
  }
}

/** Returns the index of the first edit that starts at this offset or later. */
function indexFrom(edits: readonly Edit[], offset: number): number {
  let low = 0;
  let high = edits.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (edits[middle]!.start < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The outline level of body text. Headings have lower levels, from 0. */
const bodyLevel = 9;
