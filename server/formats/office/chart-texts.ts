import type { Finding, Segment, SegmentKey } from '../document.ts';
import type { XmlEvents } from '../flatten/xml.ts';
import { plainText } from '../inline-content.ts';
import { letter } from '../text.ts';
import type { Targets } from './office-format.ts';
import { lossFinding } from './paragraph/placed-texts.ts';
import { type Edit, escapeXmlText, withoutForbidden } from './splice.ts';
import {
  type PositionedXmlEvents,
  readPositionedXml,
  type XmlEndTag,
  type XmlStartTag,
} from './xml-reader.ts';

/** A piece of a text: the content of one element. The offsets are those of this content. */
interface Piece {
  start: number;
  end: number;
  text: string;
  /** The XML before the content, from the start of the run. It determines the formatting. */
  format: string;
}

/** A text of a chart: a line of a title or a label, or the name of a series or category. */
export interface ChartText {
  /** The position of the text among all texts of the chart, from 1. */
  number: number;
  text: string;
  /** For a name: each of its copies in the chart. Otherwise the runs of the text. */
  pieces: Piece[];
  isName: boolean;
}

/** The elements that contain copies of names from the chart's data sheet, and those with one name in them. */
const caches = new Set('strCache strLit multiLvlStrCache strDim txData'.split(' '));
const names = new Set('v pt'.split(' '));

/** Whether an element is the name of a series or of a trendline that is only in the chart. */
const isOwnName = (local: string, parent: string | undefined): boolean =>
  (local === 'v' && parent === 'tx') || (local === 'name' && parent === 'trendline');

/**
 * Reads the texts with letters of a chart. A name that the chart has several times is one text.
 *
 * @param countElement is called for each XML element; it may throw to stop the reading
 * @throws {FileError} as `readPositionedXml` does
 */
export function readChartTexts(source: string, countElement: () => void): ChartText[] {
  const reader = new ChartReader(source, countElement);
  readPositionedXml(source, reader);
  // Names that are only in the chart follow, so that the keys of the other texts are those of earlier versions.
  const own = reader.ownNames.map((text, index) => ({ ...text, number: reader.texts.length + index + 1 }));
  return [...reader.texts, ...own].filter(({ text }) => letter.test(text));
}

class ChartReader implements PositionedXmlEvents {
  readonly texts: ChartText[] = [];
  readonly ownNames: ChartText[] = [];
  readonly #source: string;
  readonly #countElement: () => void;
  readonly #names = new Map<string, ChartText>();
  #depth = 0;
  /** The depths of the open paragraph, of the open cache, and of the open field, whose text is skipped; 0 if missing. */
  #paragraphAt = 0;
  #cacheAt = 0;
  #fieldAt = 0;
  #runStart = 0;
  #pieces: Piece[] = [];
  #piece: (Piece & { depth: number; isOwn: boolean }) | undefined;
  /** The names of the open elements. */
  readonly #open: string[] = [];

  constructor(source: string, countElement: () => void) {
    this.#source = source;
    this.#countElement = countElement;
  }

  openTag({ local, start, end }: XmlStartTag): void {
    this.#countElement();
    this.#depth++;
    const isOwn = isOwnName(local, this.#open.at(-1));
    this.#open.push(local);
    if (this.#fieldAt > 0) return;
    // A `pt` with further elements is not a value: its value is in the element `v`.
    this.#piece = undefined;
    const isPiece = this.#paragraphAt > 0 ? local === 't' : isOwn || (this.#cacheAt > 0 && names.has(local));
    if (local === 'fld') this.#fieldAt = this.#depth;
    else if (isPiece)
      this.#piece = {
        start: end,
        end,
        text: '',
        format: this.#source.slice(this.#runStart, start),
        depth: this.#depth,
        isOwn,
      };
    else if (local === 'p' && this.#paragraphAt === 0) this.#paragraphAt = this.#depth;
    else if (local === 'br') this.#endLine();
    else if (caches.has(local) && this.#cacheAt === 0) this.#cacheAt = this.#depth;
    else if (local === 'r') this.#runStart = start;
  }

  text(text: string): void {
    if (this.#piece && this.#fieldAt === 0) this.#piece.text += text;
  }

  closeTag({ start }: XmlEndTag): void {
    const depth = this.#depth--;
    this.#open.pop();
    if (depth === this.#fieldAt) this.#fieldAt = 0;
    else if (this.#piece?.depth === depth) {
      const { depth: _, isOwn, ...piece } = this.#piece;
      this.#piece = undefined;
      if (this.#paragraphAt > 0) this.#pieces.push({ ...piece, end: start });
      else if (isOwn) this.#add(this.ownNames, [{ ...piece, end: start }], true);
      else this.#addName({ ...piece, end: start });
    } else if (depth === this.#paragraphAt) {
      this.#endLine();
      this.#paragraphAt = 0;
    } else if (depth === this.#cacheAt) this.#cacheAt = 0;
  }

  #addName(piece: Piece): void {
    const known = this.#names.get(piece.text);
    if (known) known.pieces.push(piece);
    else this.#names.set(piece.text, this.#add(this.texts, [piece], true));
  }

  #endLine(): void {
    if (this.#pieces.length > 0) this.#add(this.texts, this.#pieces, false);
    this.#pieces = [];
  }

  #add(texts: ChartText[], pieces: Piece[], isName: boolean): ChartText {
    const text = pieces.map((piece) => piece.text).join('');
    const added = { number: texts.length + 1, text, pieces, isName };
    texts.push(added);
    return added;
  }
}

/** The beginning of the keys and of the places of a part's texts, and the number of its slide. */
export interface ChartPlace {
  keyPrefix: string;
  place: string;
  page: number | null;
}

function keyOf({ number }: ChartText, { keyPrefix }: ChartPlace): SegmentKey {
  return { regionId: `${keyPrefix}${number}`, cellId: null };
}

/** Returns the segment of a text that is read without tags. */
export function chartSegment(text: ChartText, part: ChartPlace): Segment {
  return {
    ...{ ...keyOf(text, part), kind: 'text_block', page: part.page },
    place: `${part.place}${text.number}`,
    source: [text.text.trim()],
  };
}

/**
 * Returns the edits that write the translations of a part's texts that are read without tags.
 *
 * @param findings receives a finding for each text in which words lose their formatting
 * @param program the program that opens the file
 */
export function writeChartTexts(
  texts: readonly ChartText[],
  part: ChartPlace,
  targets: Targets,
  findings: Finding[],
  program: string,
): Edit[] {
  return texts.flatMap((text) => {
    const target = targets.of(keyOf(text, part));
    const translation = target && plainText(target);
    if (translation === undefined || translation === text.text.trim()) return [];
    const { edits, hasLostFormat } = writeChartText(text, translation);
    if (hasLostFormat)
      findings.push(lossFinding('format', `${part.place}${text.number}`, keyOf(text, part), program));
    return edits;
  });
}

function writeChartText(
  { text, pieces, isName }: ChartText,
  translation: string,
): { edits: Edit[]; hasLostFormat: boolean } {
  const leading = text.slice(0, text.length - text.trimStart().length);
  const trailing = text.slice(text.trimEnd().length);
  const written = escapeXmlText(withoutForbidden(leading + translation.trim() + trailing));
  // The longest run gets the translation, because it has the formatting of most of the text.
  const longest = pieces.reduce((best, piece) => (piece.text.length > best.text.length ? piece : best));
  return {
    edits: pieces.map((piece) => ({
      start: piece.start,
      end: piece.end,
      text: isName || piece === longest ? written : '',
    })),
    hasLostFormat:
      !isName && pieces.some(({ text: run, format }) => letter.test(run) && format !== longest.format),
  };
}

/** Collects the texts of a chart: its paragraphs, its own names, and each name once that it copies from its data sheet. */
export class ChartCounter {
  readonly #paragraphs: string[] = [];
  readonly #names = new Set<string>();
  readonly #open: string[] = [];
  #text = '';
  /** Whether the current element is a name that is only in the chart. */
  #isOwn = false;

  get texts(): string[] {
    return [...this.#paragraphs, ...this.#names];
  }

  openTag(tag: Parameters<XmlEvents['openTag']>[0]): void {
    const local = tag.name.slice(tag.name.indexOf(':') + 1);
    this.#isOwn = isOwnName(local, this.#open.at(-1));
    this.#open.push(local);
    if (this.#isOwn || local === 'p' || local === 'v' || local === 'pt') this.#text = '';
  }

  text(text: string): void {
    const parent = this.#open.at(-1);
    const isName = parent === 'v' || parent === 'pt';
    if (
      parent === 't' ||
      this.#isOwn ||
      (isName && this.#open.some((local) => /^str(Cache|Lit|Dim)$|^multiLvl|^txData$/.test(local)))
    )
      this.#text += text;
  }

  closeTag(): void {
    const local = this.#open.pop();
    if (this.#isOwn || local === 'p') this.#paragraphs.push(this.#text);
    else if (local === 'v' || local === 'pt') this.#names.add(this.#text);
    if (this.#isOwn || local === 'p' || local === 'v' || local === 'pt') this.#text = '';
    this.#isOwn = false;
  }
}
