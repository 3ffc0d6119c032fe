import type { OfficePackage } from '../office/package.ts';
import { escapeXmlText } from '../office/splice.ts';
import type { PositionedXmlEvents, XmlEndTag, XmlStartTag } from '../office/xml-reader.ts';
import type { Includable, Selection } from '../selection.ts';
import { decodeCellText, encodeCellText, hasLetter } from './cell-text.ts';
import { boundRun, type PartEditor } from './part-stream.ts';
import type { Sheet, Workbook } from './workbook.ts';

/** A reference to another workbook, or to cells that do not exist. `[0]` is the workbook with the chart. */
const outside = /\[(?!0\])|#REF!/;
const references: ReadonlySet<string> = new Set(['strRef', 'multiLvlStrRef', 'txData']);
const copies: ReadonlySet<string> = new Set(['strCache', 'multiLvlStrCache']);

/**
 * Follows the elements of a chart, and finds its own names of series, categories and trendlines. Excel copies all other
 * names from the cells of the workbook when it opens the file.
 */
export class ChartNames {
  readonly #open: string[] = [];
  /** The formula of the last reference; undefined if it has none. */
  #formula: string | undefined;

  /** Returns whether the opened element contains one of these names. */
  openTag(local: string): boolean {
    const parent = this.#open.at(-1);
    this.#open.push(local);
    if (references.has(local)) this.#formula = undefined;
    else if (local === 'f') this.#formula = '';
    if (local === 'name') return parent === 'trendline';
    if (local !== 'v') return false;
    if (parent === 'tx' || this.#open.includes('strLit')) return true;
    if (parent === 'txData') return this.#formula === undefined;
    return outside.test(this.#formula ?? '') && this.#open.some((one) => copies.has(one));
  }

  text(text: string): void {
    if (this.#open.at(-1) === 'f') this.#formula += text;
  }

  closeTag(): void {
    this.#open.pop();
  }
}

/** The elements of a kind of part that contain texts. */
interface TextRule {
  include: Includable;
  /** The element that contains one text, and the elements inside it that contain pieces of the text. */
  container: string;
  piece: string;
  /** The description of the place of a text, for reviewers. */
  place: string;
}

/** The parts with texts that a request can include, by the type of the relationship. */
const rules: Readonly<Record<string, TextRule>> = {
  comments: { include: 'comments', container: 'comment', piece: 't', place: 'comment' },
  threadedComment: { include: 'comments', container: 'threadedComment', piece: 'text', place: 'comment' },
  drawing: { include: 'text_boxes', container: 'p', piece: 't', place: 'text box' },
  chartUserShapes: { include: 'text_boxes', container: 'p', piece: 't', place: 'text box' },
  chart: { include: 'charts', container: 'p', piece: 't', place: 'chart' },
  chartEx: { include: 'charts', container: 'p', piece: 't', place: 'chart' },
};

/** A part whose texts are segments. */
export interface TextPart {
  path: string;
  regionId: string;
  /** The place of the part, in readable form: `Sheet1, chart 2`. */
  place: string;
  rule: TextRule;
}

/** Lists the parts of a sheet whose texts the request includes, in the order of the relationships. */
async function listTextParts(
  office: OfficePackage,
  sheet: Sheet,
  include: readonly Includable[],
): Promise<TextPart[]> {
  const parts: TextPart[] = [];
  const seen = new Set([sheet.path]);
  const counts = new Map<string, number>();
  // The loop also visits the parts that are added to the set during the loop.
  for (const path of seen)
    for (const { type, target } of await office.relationships(path)) {
      const rule = rules[type];
      if (!rule || target === undefined || seen.has(target)) continue;
      seen.add(target);
      if (!include.includes(rule.include)) continue;
      const number = (counts.get(type) ?? 0) + 1;
      counts.set(type, number);
      parts.push({
        path: target,
        regionId: `${sheet.regionId}.${type}${number}`,
        place: `${sheet.name}, ${rule.place}${rule.include === 'comments' ? '' : ` ${number}`}`,
        rule,
      });
    }
  return parts;
}

/** The texts of a request that are translated besides those of cells. */
type PartSelection = Pick<Selection, 'pages' | 'include'>;

/**
 * Lists the parts whose texts the request includes, each with its sheet. A chart sheet belongs to the parts only if the
 * request selects no sheets.
 */
export async function includedParts(
  { office, sheets }: Workbook,
  selected: readonly Sheet[],
  { pages, include = [] }: PartSelection,
): Promise<(TextPart & { sheet: Sheet })[]> {
  const parts: (TextPart & { sheet: Sheet })[] = [];
  const seen = new Set<string>();
  for (const sheet of pages ? selected : sheets)
    for (const part of await listTextParts(office, sheet, include)) {
      if (seen.has(part.path)) continue;
      seen.add(part.path);
      parts.push({ ...part, sheet });
    }
  return parts;
}

/** The cell id of the name of a sheet. */
export const sheetNameKey = 'name';

/** Lists the sheets whose names are translated: those that the request selects, if it includes names with letters. */
export function namedSheets(
  { sheets }: Workbook,
  selected: readonly Sheet[],
  { pages, include = [] }: PartSelection,
): Sheet[] {
  if (!include.includes('sheet_names')) return [];
  return (pages ? selected : sheets).filter(({ name }) => hasLetter(name));
}

export interface PartText {
  /** The cell id: `t1` for the first text of the part, or `n1` for the first name that is only in the chart. */
  key: string;
  text: string;
  /** The cell of a comment. */
  reference: string | undefined;
}

interface Piece {
  start: number;
  end: number;
  text: string;
  /** The properties of its run. */
  format: string;
}

/** Attributes of a run's properties that do not change how the text looks. */
const invisible: ReadonlySet<string> = new Set(['lang', 'altLang', 'dirty', 'err', 'smtClean', 'noProof']);

/** Returns an element of a run's properties as a text that is equal for equal formatting. */
function formatOf({ local, attributes }: XmlStartTag): string {
  const visible = Object.entries(attributes).filter(([name]) => !invisible.has(name));
  return `<${local} ${visible
    .map((one) => one.join('='))
    .sort()
    .join(' ')}>`;
}

interface Writing {
  editor: PartEditor;
  /** Returns the translation of a text that a chart has copied from a cell. */
  cached(text: string): string | undefined;
  /** Is called for each text in which words lose their formatting. */
  formatLost(): void;
}

/** The beginning of the comment that Excel writes next to each threaded comment, for programs that do not support these. */
const threadedCopy = '[Threaded comment]';

/**
 * Reads the texts of a part: each paragraph of a shape or a chart, up to a line break, and each comment. Their runs are
 * one text. Texts of fields, and copies for older programs, are left out.
 */
export class PartTextReader implements PositionedXmlEvents {
  readonly #rule: TextRule;
  readonly #use: (text: PartText) => string | undefined;
  readonly #cached: ((text: string) => string | undefined) | undefined;
  readonly #editor: PartEditor | undefined;
  readonly #formatLost: (() => void) | undefined;
  #depth = 0;
  #containerAt = 0;
  /** The depth of the open element whose texts are skipped, or 0. */
  #skippedAt = 0;
  #cacheAt = 0;
  readonly #chartNames: ChartNames | undefined;
  #isName = false;
  #numbers = { t: 0, n: 0 };
  #reference: string | undefined;
  #pieces: Piece[] = [];
  #piece: Piece | undefined;
  /** The depth of the open properties of a run, or 0. */
  #propertiesAt = 0;
  #format = '';
  #start = 0;

  /**
   * @param use receives each text that has a letter, and returns its translation, or undefined to keep it
   */
  constructor(
    rule: TextRule,
    use: (text: PartText) => string | undefined,
    { editor, cached, formatLost }: Partial<Writing> = {},
  ) {
    this.#rule = rule;
    if (rule.include === 'charts') this.#chartNames = new ChartNames();
    this.#use = use;
    this.#editor = editor;
    this.#cached = cached;
    this.#formatLost = formatLost;
  }

  openTag(tag: XmlStartTag): void {
    this.#depth++;
    const { local } = tag;
    const isName = this.#chartNames?.openTag(local);
    if (this.#skippedAt > 0) return;
    if (['Fallback', 'fld', 'rPh'].includes(local)) this.#skippedAt = this.#depth;
    else if (this.#containerAt > 0) {
      if (local === 'r') this.#format = '';
      else if (local === 'rPr') this.#propertiesAt = this.#depth;
      if (this.#propertiesAt > 0) this.#format += formatOf(tag);
      else if (local === this.#rule.piece && !tag.selfClosing)
        this.#piece = { start: tag.end, end: tag.end, text: '', format: this.#format };
      else if (local === 'br') this.#endText();
    } else if (local === this.#rule.container) {
      this.#containerAt = this.#depth;
      this.#reference = tag.attributes['ref'];
      this.#begin(tag.start);
    } else if (local === 'strCache') this.#cacheAt = this.#depth;
    else if ((isName || (this.#cacheAt > 0 && local === 'v')) && !tag.selfClosing) {
      this.#isName = isName === true;
      this.#begin(tag.start);
      this.#piece = { start: tag.end, end: tag.end, text: '', format: '' };
    }
  }

  text(text: string): void {
    this.#chartNames?.text(text);
    if (this.#piece && this.#skippedAt === 0) this.#piece.text += text;
  }

  closeTag(tag: XmlEndTag): void {
    const depth = this.#depth--;
    this.#chartNames?.closeTag();
    if (this.#containerAt > 0 || this.#piece) boundRun(this.#start, tag.end);
    if (depth === this.#propertiesAt) this.#propertiesAt = 0;
    if (depth === this.#skippedAt) this.#skippedAt = 0;
    else if (this.#piece && this.#skippedAt === 0) {
      const piece = { ...this.#piece, end: tag.start };
      this.#piece = undefined;
      if (this.#containerAt > 0 || this.#isName) this.#pieces.push(piece);
      if (this.#isName) this.#endName();
      else if (this.#containerAt === 0) this.#endCached(piece);
    } else if (depth === this.#containerAt) {
      this.#endText();
      this.#containerAt = 0;
      this.#editor?.hold(undefined);
    } else if (depth === this.#cacheAt) this.#cacheAt = 0;
  }

  #begin(start: number): void {
    this.#start = start;
    this.#editor?.hold(start);
  }

  #endCached({ start, end, text }: Piece): void {
    const next = this.#cached?.(text);
    if (next !== undefined) this.#editor?.replace(start, end, escapeXmlText(next));
    this.#editor?.hold(undefined);
  }

  #endName(): void {
    this.#endText('n');
    this.#isName = false;
    this.#editor?.hold(undefined);
  }

  /** Ends a text: the longest piece gets the translation, because it has the formatting of most of the text. */
  #endText(kind: 't' | 'n' = 't'): void {
    const pieces = this.#pieces;
    this.#pieces = [];
    const isOffice = this.#rule.container === 'comment';
    const written = pieces.map(({ text }) => text).join('');
    const text = isOffice ? decodeCellText(written) : written;
    const key = `${kind}${++this.#numbers[kind]}`;
    if (!hasLetter(text) || (isOffice && text.startsWith(threadedCopy))) return;
    const next = this.#use({ key, text, reference: this.#reference });
    if (next === undefined || next === text || !this.#editor) return;
    const longest = pieces.reduce((best, piece) => (piece.text.length > best.text.length ? piece : best));
    if (pieces.some((piece) => piece.format !== longest.format && piece.text.trim() !== ''))
      this.#formatLost?.();
    const escaped = isOffice ? encodeCellText(next) : escapeXmlText(next);
    for (const piece of pieces)
      this.#editor.replace(piece.start, piece.end, piece === longest ? escaped : '');
  }
}
