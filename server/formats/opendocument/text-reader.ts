import type { SegmentKind } from '../document.ts';
import { limits, overLimit } from '../file-error.ts';
import type { Item } from '../markup/inline-runs.ts';
import { attributeOf, readPositionedXml, type XmlStartTag } from '../office/xml-reader.ts';
import type { Includable } from '../selection.ts';
import { countCharacters } from '../text-tally.ts';
import { writeReference } from '../xlsx/cell-reference.ts';
import { elementName } from './elements.ts';
import type { Styles, TextStyle } from './text-styles.ts';

/** The kinds of files, as the element with the content of the file is named. */
export type FileKind = 'text' | 'spreadsheet' | 'presentation';

/** A paragraph, heading, title or description. */
export interface TextBlock {
  kind: SegmentKind;
  /** The place for a reviewer, such as `content.xml, paragraph 3`, `Costs!B4` or `slide 2, notes, paragraph 1`. */
  place: string;
  /** The number of the sheet or slide; 1 in files without them. */
  page: number | undefined;
  /** The reference of the cell in a spreadsheet. */
  cellId?: string;
  items: Item[];
  /** The tags of elements without an effect, which are not items, in the order of the file. */
  leftOut: { start: number; end: number; type: 'open' | 'close' }[];
  /** The prefix of the elements of the text, such as `text:`. */
  prefix: string;
}

export interface FoundTexts {
  blocks: TextBlock[];
  /** The number of comments and hidden slides that stay. */
  comments: number;
  hiddenSlides: number;
  kept: { reason: string; text: string }[];
  /** Visible characters. */
  characters: number;
}

/** A block that is open, inside others if it is the text of a frame, a note or a comment. */
interface OpenBlock extends TextBlock {
  /** Why its text stays. */
  reason: string | undefined;
  /** The offset after the last tag. */
  at: number;
  /** The text since the last tag. */
  text: string;
  /** The element that becomes one tag, with the number of open elements around it. */
  whole: { start: number; depth: number; isField: boolean; text?: string | undefined } | undefined;
  /** The elements around the current text: the pairs, and null for those that are left out. */
  pairs: (Pair | null)[];
  /** The pair that the last tag closed. */
  closed: Pair | undefined;
}

/** A pair of tags: its name, and the effect of its style; the effect is undefined for a link. */
interface Pair {
  name: string;
  look: string | undefined;
}

const blocks: ReadonlySet<string> = new Set(['text:p', 'text:h', 'svg:title', 'svg:desc']);
/** Elements without an effect on the text. */
const leftOut: ReadonlySet<string> = new Set(['text:soft-page-break', 'text:meta']);
const cells: ReadonlySet<string> = new Set(['table:table-cell', 'table:covered-table-cell']);
/** Elements that are one character. */
const blanks: Readonly<Record<string, string>> = { 'text:tab': '\t', 'text:line-break': '\n' };
/** Elements whose texts stay, with the reason. */
const reasons: Readonly<Record<string, string>> = {
  'office:annotation': 'comments',
  'text:tracked-changes': 'tracked_changes',
  'style:master-page': 'masters',
};
/** Elements of a master page whose texts are translated. */
const headers: Readonly<Record<string, SegmentKind>> = {
  'style:header': 'header',
  'style:header-left': 'header',
  'style:header-first': 'header',
  'style:footer': 'footer',
  'style:footer-left': 'footer',
  'style:footer-first': 'footer',
};

interface Options {
  styles: Styles;
  /** The path of the part. */
  path: string;
  /** Is added to the positions of texts. */
  offset: number;
  include: readonly Includable[];
  kind: FileKind;
}

export function readParts(source: string, options: Options): FoundTexts {
  const reader = new TextReader(source, options);
  readPositionedXml(source, reader);
  return reader.found;
}

interface Table {
  /** The name of a sheet. */
  name: string;
  /** The number of the table in the part or on the slide. */
  number: number;
  row: number;
  column: number;
  /** The repetitions of the current row and cell. */
  rows: number;
  columns: number;
}

class TextReader {
  readonly found: FoundTexts = { blocks: [], comments: 0, hiddenSlides: 0, kept: [], characters: 0 };
  readonly #source: string;
  readonly #styles: Styles;
  readonly #offset: number;
  readonly #include: ReadonlySet<string>;
  readonly #path: string;
  readonly #kind: FileKind;
  readonly #open: OpenBlock[] = [];
  readonly #contexts: { depth: number; reason?: string; kind?: SegmentKind; notes?: true }[] = [];
  #depth = 0;
  #elements = 0;
  #paragraphs = 0;
  #slide = 0;
  #sheets = 0;
  /** The tables around the current element, with the position of the current cell. */
  readonly #tables: Table[] = [];
  #tableCount = 0;

  constructor(source: string, { path, styles, offset, include, kind }: Options) {
    this.#kind = kind;
    this.#path = path;
    this.#source = source;
    this.#styles = styles;
    this.#offset = offset;
    this.#include = new Set(include);
  }

  openTag(tag: XmlStartTag): void {
    if (++this.#elements > limits.docxElements)
      throw overLimit('the number of XML elements of the file', limits.docxElements);
    const name = elementName(tag);
    this.#depth++;
    this.#endText(tag);
    this.#enter(name, tag);
    if (blocks.has(name)) this.#openBlock(name, tag);
    else this.#openInline(name, tag);
  }

  closeTag(tag: {
    name: string;
    local: string;
    namespace: string | undefined;
    start: number;
    end: number;
  }): void {
    const name = elementName(tag);
    const isSelfClosing = this.#source[tag.end - 2] === '/' && this.#source[tag.start + 1] !== '/';
    if (!isSelfClosing) this.#endText(tag);
    const block = this.#open.at(-1);
    if (block) {
      if (blocks.has(name)) this.#closeBlock();
      else if (block.whole?.depth === this.#depth) {
        const { start, isField, text } = block.whole;
        block.whole = undefined;
        const type = text === ' ' ? 'text' : 'void';
        this.#push(block, {
          start,
          end: tag.end,
          type,
          isWord: isField,
          ...(text !== undefined && { text }),
        });
      } else if (!block.whole) {
        const pair = block.pairs.pop();
        if (pair) {
          this.#push(block, { start: tag.start, end: tag.end, type: 'close', name: pair.name });
          block.closed = pair;
        } else if (pair === null && tag.start >= block.at)
          block.leftOut.push({ ...this.#shifted(tag), type: 'close' });
      }
      const current = this.#open.at(-1);
      if (current) current.at = tag.end;
    }
    if (this.#contexts.at(-1)?.depth === this.#depth) this.#contexts.pop();
    const table = this.#tables.at(-1);
    if (name === 'table:table') this.#tables.pop();
    else if (table && cells.has(name)) table.column += table.columns;
    else if (table && name === 'table:table-row') table.row += table.rows;
    this.#depth--;
  }

  text(text: string): void {
    const block = this.#open.at(-1);
    if (!block) return;
    if (!block.whole) block.text += text;
    else if (block.whole.isField) this.#keep('fields', text);
  }

  /** Records what an element means for the texts inside. */
  #enter(name: string, tag: XmlStartTag): void {
    const depth = this.#depth;
    const reason = reasons[name];
    if (name === 'office:annotation' && !this.#include.has('comments')) this.found.comments++;
    if (reason !== undefined) this.#leaveOut(reason);
    else if (headers[name]) this.#contexts.push({ depth, kind: headers[name] });
    else if (name === 'text:section' && attributeOf(tag, 'display') === 'none') this.#leaveOut('hidden');
    else if (name === 'presentation:notes') this.#contexts.push({ depth, notes: true });
    else if (name === 'draw:page' && this.#kind === 'presentation') {
      this.#slide++;
      [this.#paragraphs, this.#tableCount] = [0, 0];
      if (this.#styles.hiddenSlides.has(attributeOf(tag, 'style-name') ?? '')) {
        if (!this.#include.has('hidden')) this.found.hiddenSlides++;
        this.#leaveOut('hidden');
      }
    } else if (name === 'table:table') {
      if (this.#depth === 4 && this.#kind === 'spreadsheet') this.#sheets++;
      const tableName = attributeOf(tag, 'name') ?? '';
      const number = ++this.#tableCount;
      this.#tables.push({ name: tableName, number, row: 1, column: 1, rows: 1, columns: 1 });
    } else if (name === 'table:table-row') {
      const table = this.#tables.at(-1);
      if (table) Object.assign(table, { column: 1, rows: repeats(tag, 'number-rows-repeated') });
    } else if (cells.has(name)) {
      const table = this.#tables.at(-1);
      if (table) table.columns = repeats(tag, 'number-columns-repeated');
      const type = attributeOf(tag, 'value-type');
      const isFormula = attributeOf(tag, 'formula') !== undefined;
      const kept = isFormula
        ? 'formula_result'
        : type !== undefined && type !== 'string'
          ? 'number'
          : undefined;
      const kind = this.#kind === 'spreadsheet' && this.#tables.length === 1 ? 'cell' : 'table_cell';
      this.#contexts.push({ depth, kind, ...(kept && { reason: kept }) });
    }
  }

  /** The texts of the current element stay, unless the request includes them. Deleted texts always stay. */
  #leaveOut(reason: string): void {
    const depth = this.#depth;
    if (!this.#include.has(reason)) this.#contexts.push({ depth, reason });
    // A comment has the reason of the slide or section around it, but not that of its cell.
    else if (reason === 'comments') this.#contexts.push({ depth, kind: 'text_block', ...this.#around() });
  }

  /** Returns the innermost context that can leave out texts, except those of cells. */
  #around(): { reason?: string } {
    const { reason } =
      this.#contexts.findLast(
        ({ kind, reason }) => kind === 'header' || kind === 'footer' || (!kind && reason),
      ) ?? {};
    return { ...(reason && { reason }) };
  }

  #openBlock(name: string, tag: XmlStartTag): void {
    const outer = this.#open.at(-1);
    // An object in a text, such as a frame, is one tag of it.
    if (outer && !outer.whole) outer.whole = { start: tag.start, depth: this.#depth, isField: false };
    const kind = this.#contexts.findLast((one) => one.kind)?.kind;
    this.#open.push({
      kind: kind ?? (name === 'text:h' ? 'heading' : name === 'text:p' ? 'paragraph' : 'text_block'),
      place: this.#place(kind),
      page: this.#slide || this.#sheets || (this.#kind === 'text' ? 1 : undefined),
      ...(kind === 'cell' && { cellId: writeReference(this.#tables[0]!) }),
      items: [],
      leftOut: [],
      prefix: tag.name.includes(':') ? `${tag.name.split(':')[0]}:` : '',
      reason: this.#reason(),
      at: tag.end,
      text: '',
      whole: undefined,
      pairs: [],
      closed: undefined,
    });
  }

  /** Headers and footers are inside a master page, whose other texts stay. */
  #reason(): string | undefined {
    const inner = this.#contexts.findLast(
      ({ reason, kind }) => reason !== undefined || (kind && kind !== 'table_cell' && kind !== 'cell'),
    );
    return inner?.reason;
  }

  #place(kind: SegmentKind | undefined): string {
    const sheet = this.#kind === 'spreadsheet' ? this.#tables[0] : undefined;
    if (sheet && kind === 'cell') return `${sheet.name}!${writeReference(sheet)}`;
    const isNote = this.#contexts.some(({ notes }) => notes);
    const page =
      this.#slide > 0 ? `slide ${this.#slide}${isNote ? ', notes' : ''}` : (sheet?.name ?? this.#path);
    const table = this.#tables.at(-1);
    return table && kind === 'table_cell'
      ? `${page}, table ${table.number}, row ${table.row}, cell ${table.column}`
      : `${page}, paragraph ${++this.#paragraphs}`;
  }

  #closeBlock(): void {
    const { reason, whole, at, text, pairs, closed, ...block } = this.#open.pop()!;
    const outer = this.#open.at(-1);
    if (outer?.whole && outer.whole.depth === this.#depth) {
      // This block was directly in another one, which no program writes.
      this.#push(outer, { start: outer.whole.start, end: at, type: 'boundary' });
      outer.whole = undefined;
    }
    if (reason === undefined) this.found.blocks.push(block);
    else
      for (const { type, text: own = '' } of block.items)
        if (type === 'text' && own.trim() !== '') this.found.kept.push({ reason, text: own });
  }

  #openInline(name: string, tag: XmlStartTag): void {
    const block = this.#open.at(-1);
    if (!block) return;
    const { start, end } = tag;
    if (!block.whole) {
      if (name === 'text:span' || name === 'text:a' || leftOut.has(name)) {
        const style = name === 'text:span' ? this.#styleOf(tag) : undefined;
        const isPair = !tag.selfClosing && (name === 'text:a' || style?.format);
        const last = block.items.at(-1);
        if (!isPair) {
          block.pairs.push(null);
          if (!tag.selfClosing) block.leftOut.push({ ...this.#shifted(tag), type: 'open' });
        } else if (
          last?.type === 'close' &&
          last.end === start + this.#offset &&
          style &&
          style.look === block.closed?.look
        ) {
          // Programs split a text of one style into several elements, which become one pair.
          block.items.pop();
          block.pairs.push(block.closed);
          block.closed = undefined;
        } else {
          const pair = { name: `${name} ${this.#elements}`, look: style?.look };
          block.pairs.push(pair);
          this.#push(block, {
            start,
            end,
            type: 'open',
            name: pair.name,
            format: style?.format ?? undefined,
          });
        }
      } else {
        const isField =
          /^(?:text|presentation):/.test(name) &&
          !/^text:(?:note|bookmark|reference|change|alphabetical|toc|user-index)/.test(name);
        const text = name === 'text:s' ? ' '.repeat(Math.min(repeats(tag, 'c'), 100)) : blanks[name];
        block.whole = { start, depth: this.#depth, isField: isField && text === undefined, text };
      }
    }
    block.at = end;
  }

  #styleOf(tag: XmlStartTag): TextStyle {
    const name = attributeOf(tag, 'style-name') ?? '';
    return this.#styles.ofTexts.get(name) ?? { format: 'other', look: name };
  }

  /** Adds the text before a tag. */
  #endText({ start }: { start: number }): void {
    const block = this.#open.at(-1);
    if (!block || block.text === '') return;
    const { text, at } = block;
    block.text = '';
    this.found.characters += countCharacters(text);
    const raw = this.#source.slice(at, start);
    const lead = /^[ \t\r\n]*/.exec(raw)![0].length;
    const trail = lead === raw.length ? 0 : /[ \t\r\n]*$/.exec(raw.slice(-1_000))![0].length;
    const add = (from: number, to: number, own: string) => {
      if (to > from) this.#push(block, { start: from, end: to, type: 'text', text: own });
    };
    add(at, at + lead, ' ');
    add(at + lead, start - trail, text.replace(/[ \t\r\n]+/g, ' ').replace(/^ | $/g, ''));
    add(start - trail, start, ' ');
  }

  #push(block: OpenBlock, item: Item): void {
    block.items.push({ ...item, ...this.#shifted(item) });
  }

  #shifted({ start, end }: { start: number; end: number }): { start: number; end: number } {
    return { start: start + this.#offset, end: end + this.#offset };
  }

  #keep(reason: string, text: string): void {
    if (text.trim() === '') return;
    this.found.characters += countCharacters(text);
    this.found.kept.push({ reason, text });
  }
}

function repeats(tag: XmlStartTag, name: string): number {
  const count = Number(attributeOf(tag, name) ?? 1);
  return Number.isSafeInteger(count) && count > 0 ? count : 1;
}
