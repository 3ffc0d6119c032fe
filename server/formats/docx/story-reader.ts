import type { SegmentKey } from '../document.ts';
import { FileError } from '../file-error.ts';
import {
  attributeOf,
  type PositionedXmlEvents,
  readPositionedXml,
  type XmlEndTag,
  type XmlStartTag,
} from '../office/xml-reader.ts';
import { FieldStack } from './fields.ts';
import { KeptContent } from './kept-content.ts';
import { type ParagraphContent, type ParagraphTexts, readContent } from './paragraph-content.ts';
import { type ParagraphContext, ParagraphReader } from './paragraph-reader.ts';
import type { Styles } from './styles.ts';
import { KeptSubtree } from './subtrees.ts';
import { isOn, isWord } from './word-xml.ts';

/** A text of a paragraph: all of it, or the text on one side of a tab. */
export interface StoryText extends SegmentKey {
  /** The location of the text in the story, in a readable form: `paragraph 3`, `table 1, row 2, cell 3`. */
  place: string;
  content: ParagraphContent;
}

/** A paragraph that has text to translate. */
export interface StoryParagraph {
  texts: StoryText[];
  /** Returns the whole paragraph as one text, as earlier versions have read it. */
  whole(): StoryText;
  inTable: boolean;
  isHeading: boolean;
  /** The XML of the `pPr` element; '' if missing. */
  properties: string;
  style: string | undefined;
  /** The namespace prefix of Word's elements, with the colon. */
  prefix: string;
  /**
   * The offsets in the part between which the properties and the content are: everything between the paragraph's tags.
   */
  start: number;
  end: number;
}

/** A sequence of paragraphs in one XML part: the main text of a document, a header or a footer. */
export interface Story {
  kind: 'main' | 'header' | 'footer';
  /** The prefix of the keys of the story's segments: '' or, for example, `header1-`. */
  keyPrefix: string;
  source: string;
}

/** The result of reading a story. */
export interface StoryResult<T> {
  /** What `use` returned for each paragraph. */
  paragraphs: T[];
  kept: KeptContent;
  /** The relationship ids of the headers and footers that the sections refer to, in the order of the sections. */
  headersAndFooters: string[];
  /** The number of the story's last page. */
  pages: number;
}

/**
 * Reads a story.
 *
 * @param use is called for each paragraph with text to translate, in order. It must not keep the paragraph, because
 *   paragraphs are large. The story may be read a second time; the results of the first reading are then discarded.
 * @param countElement is called for each XML element; it may throw to stop the reading
 * @throws {FileError} as `readPositionedXml` does
 */
export function readStory<T>(
  story: Story,
  styles: Styles,
  use: (paragraph: StoryParagraph) => T,
  countElement: () => void = () => {},
): StoryResult<T> {
  const first = new StoryReader(story, styles, use, countElement, new Set());
  readPositionedXml(story.source, first);
  if (!first.fields.isInert) return first.result();
  // A field start without an end is not a field, but this is only known at the end of the story. In the first reading,
  // such a start made the reader treat all later text as a part of the field. The second reading ignores these starts.
  const second = new StoryReader(story, styles, use, () => {}, new Set(first.fields.openStarts()));
  readPositionedXml(story.source, second);
  return second.result();
}

/** The elements of a story that contain paragraphs. All other elements around paragraphs stay unchanged. */
const blocks = new Set('document body hdr ftr tbl tr tc customXml'.split(' '));

/** A table around the current position in the story, with the position of the current cell. */
interface Table {
  id: number;
  row: number;
  column: number;
  /** The number of paragraphs so far in the current cell. */
  paragraph: number;
}

class StoryReader<T> implements PositionedXmlEvents {
  readonly fields: FieldStack;
  readonly #story: Story;
  readonly #styles: Styles;
  readonly #use: (paragraph: StoryParagraph) => T;
  readonly #countElement: () => void;
  readonly #paragraphs: T[] = [];
  readonly #kept = new KeptContent();
  readonly #headersAndFooters: string[] = [];
  readonly #pages: PageCounter;
  readonly #context: ParagraphContext;
  #depth = 0;
  #paragraph: { reader: ParagraphReader; depth: number } | undefined;
  /** The unchanged element around the current position, if any. */
  #keptElement: { subtree: KeptSubtree; depth: number } | undefined;
  readonly #tables: Table[] = [];
  #tableCount = 0;
  #paragraphCount = 0;

  constructor(
    story: Story,
    styles: Styles,
    use: (paragraph: StoryParagraph) => T,
    countElement: () => void,
    unclosedFields: ReadonlySet<number>,
  ) {
    this.#story = story;
    this.#styles = styles;
    this.#use = use;
    this.#countElement = countElement;
    const allFieldsLive = story.kind !== 'main';
    this.fields = new FieldStack(allFieldsLive, unclosedFields, this.#kept);
    this.#pages = new PageCounter(story.source);
    this.#context = {
      source: story.source,
      kept: this.#kept,
      allFieldsLive,
      preservesSpace: false,
      page: () => this.#pages.page,
      isHiddenStyle: (paragraph, run) => styles.isHidden(paragraph, run),
      formatOf: (paragraph, run, properties) => styles.formatOf(paragraph, run, properties),
    };
  }

  result(): StoryResult<T> {
    return {
      paragraphs: this.#paragraphs,
      kept: this.#kept,
      headersAndFooters: this.#headersAndFooters,
      pages: this.#pages.page,
    };
  }

  openTag(tag: XmlStartTag): void {
    this.#countElement();
    this.#depth++;
    if (this.#depth === 1) this.#openRoot(tag);
    this.#pages.open(tag);
    if (tag.local === 'headerReference' || tag.local === 'footerReference') {
      const id = attributeOf(tag, 'id');
      if (id !== undefined) this.#headersAndFooters.push(id);
    }
    if (this.#paragraph) this.#paragraph.reader.open(tag);
    else if (this.#keptElement) this.#keptElement.subtree.open(tag);
    else this.#openBlock(tag);
  }

  text(text: string): void {
    if (this.#paragraph) this.#paragraph.reader.text(text);
    else this.#keptElement?.subtree.text(text);
  }

  closeTag(tag: XmlEndTag): void {
    const depth = this.#depth--;
    if (this.#paragraph) {
      if (depth > this.#paragraph.depth) this.#paragraph.reader.close(tag);
      else this.#closeParagraph(this.#paragraph.reader, tag);
    } else if (this.#keptElement) {
      const { subtree } = this.#keptElement;
      subtree.close();
      if (depth === this.#keptElement.depth) this.#closeKept(subtree);
    } else if (tag.local === 'tbl' && isWord(tag)) this.#tables.pop();
  }

  #openRoot(tag: XmlStartTag): void {
    const { kind } = this.#story;
    const local = kind === 'main' ? 'document' : kind === 'header' ? 'hdr' : 'ftr';
    if (!isWord(tag) || tag.local !== local)
      throw new FileError('unreadable', 'the file is not a Word document');
    this.#context.preservesSpace = tag.attributes['xml:space'] === 'preserve';
  }

  #openBlock(tag: XmlStartTag): void {
    const { local } = tag;
    const table = this.#tables.at(-1);
    if (isWord(tag) && local === 'p') {
      if (table) table.paragraph++;
      else this.#paragraphCount++;
      this.#paragraph = { reader: new ParagraphReader(tag, this.#context), depth: this.#depth };
    } else if (isWord(tag) && blocks.has(local)) {
      if (local === 'tbl') this.#tables.push({ id: ++this.#tableCount, row: 0, column: 0, paragraph: 0 });
      else if (local === 'tr' && table) Object.assign(table, { row: table.row + 1, column: 0 });
      else if (local === 'tc' && table) Object.assign(table, { column: table.column + 1, paragraph: 0 });
    } else {
      const subtree = new KeptSubtree(this.#kept);
      this.#keptElement = { subtree, depth: this.#depth };
      subtree.open(tag);
    }
  }

  /**
   * Opens and closes the fields that an unchanged element starts without ending them, or ends without starting them.
   */
  #closeKept({ marks }: KeptSubtree): void {
    this.#keptElement = undefined;
    for (const { mark, start } of marks) {
      if (mark === 'begin') this.fields.begin(start);
      else if (mark === 'separate') this.fields.separate();
      else this.fields.end();
    }
  }

  #closeParagraph(reader: ParagraphReader, { start: end }: XmlEndTag): void {
    this.#paragraph = undefined;
    const read = readContent(reader.tokens, this.fields);
    if (!read) return;
    const { properties, style, tag } = reader;
    const level = reader.outlineLevel ?? this.#styles.ofParagraph(style).outlineLevel ?? bodyLevel;
    const table = this.#tables.at(-1);
    const key = this.#keyAndPlace(table);
    const paragraph: StoryParagraph = {
      texts: textsOf(read, key),
      whole: () => ({ ...key, content: read.whole() }),
      inTable: table !== undefined,
      isHeading: level >= 0 && level < bodyLevel,
      properties,
      style,
      prefix: tag.name.slice(0, -1),
      start: tag.end,
      end,
    };
    this.#paragraphs.push(this.#use(paragraph));
  }

  #keyAndPlace(table: Table | undefined): SegmentKey & { place: string } {
    const { keyPrefix } = this.#story;
    if (!table) {
      const number = this.#paragraphCount;
      return { regionId: `${keyPrefix}p${number}`, cellId: null, place: `paragraph ${number}` };
    }
    const { id, row, column, paragraph } = table;
    const isFirst = paragraph === 1;
    return {
      regionId: `${keyPrefix}t${id}`,
      cellId: `r${row}c${column}${isFirst ? '' : `p${paragraph}`}`,
      place: `table ${id}, row ${row}, cell ${column}${isFirst ? '' : `, paragraph ${paragraph}`}`,
    };
  }
}

function textsOf({ parts, isWhole }: ParagraphTexts, key: SegmentKey & { place: string }): StoryText[] {
  if (isWhole) return [{ ...key, content: parts[0]! }];
  const { regionId, cellId, place } = key;
  return parts.map((content, index) => {
    const suffix = `s${index + 1}`;
    const own =
      cellId === null ? { regionId: regionId + suffix, cellId } : { regionId, cellId: cellId + suffix };
    return { ...own, place: `${place}, text ${index + 1}`, content };
  });
}

/** The outline level of body text. Headings have lower levels, from 0. */
const bodyLevel = 9;

/**
 * Counts pages. When Word saves a file, it records the position of every page break. Other programs do not, so in their
 * files only explicit page breaks are counted.
 */
class PageCounter {
  page = 1;
  readonly #isRecorded: boolean;
  #paragraphs = 0;
  constructor(source: string) {
    this.#isRecorded = source.includes('lastRenderedPageBreak');
  }

  open(tag: XmlStartTag): void {
    const { local } = tag;
    if (this.#isRecorded) {
      if (local === 'lastRenderedPageBreak') this.page++;
    } else if (local === 'br') {
      if (attributeOf(tag, 'type') === 'page') this.page++;
    } else if (local === 'p') this.#paragraphs++;
    // `#paragraphs` is 1 in the first paragraph, which is at the top of a page anyway.
    else if (local === 'pageBreakBefore' && this.#paragraphs > 1 && isOn(tag)) this.page++;
  }
}
