import { type KeptContent, letter } from './kept-content.ts';

/** The mark of a `fldChar`: the start of a field, the end of its code, or the end of its result. */
export type FieldMark = 'begin' | 'separate' | 'end';

/**
 * Live fields: Word computes their result, or takes it from data, so the result stays unchanged. The results of all other
 * fields, such as cross references, links and tables of contents, are text of the document.
 */
const liveFields = new Set(
  (
    'PAGE NUMPAGES SECTION SECTIONPAGES PAGEREF NOTEREF DATE TIME CREATEDATE SAVEDATE PRINTDATE EDITTIME NUMWORDS NUMCHARS ' +
    'FILENAME FILESIZE REVNUM TEMPLATE SEQ LISTNUM AUTONUM AUTONUMLGL AUTONUMOUT = EQ SYMBOL ADVANCE BARCODE DISPLAYBARCODE ' +
    'MERGEBARCODE FORMTEXT FORMCHECKBOX FORMDROPDOWN MERGEFIELD MERGEREC MERGESEQ NEXT NEXTIF SKIPIF ADDRESSBLOCK GREETINGLINE ' +
    'DOCPROPERTY DOCVARIABLE AUTHOR LASTSAVEDBY USERNAME USERINITIALS USERADDRESS CITATION'
  ).split(' '),
);

/** Fields that display nothing: entries of an index or a table of contents, and assignments. */
const silentFields = new Set('XE TC TA RD SET ASK PRIVATE'.split(' '));

/** Returns the type of a field by its code: `PAGE`, `=`, … */
function fieldType(code: string): string {
  const trimmed = code.trimStart();
  return trimmed.startsWith('=') ? '=' : /^\S*/.exec(trimmed)![0].toUpperCase();
}

/** Whether the result of a field with this code stays unchanged. */
export function isLiveField(code: string): boolean {
  return liveFields.has(fieldType(code));
}

/** Whether a field with this code displays nothing. */
export function isSilentField(code: string): boolean {
  return silentFields.has(fieldType(code));
}

/** A field whose end is not read yet. */
export interface OpenField {
  /** The offset of its start in the part. */
  start: number;
  code: string;
  /** Whether the current text is part of its code or of its result. */
  phase: 'code' | 'result';
  /** Whether its result stays unchanged. Set at the end of its code. */
  live: boolean;
  /** Whether it is inside the code or the live result of another field. */
  enclosed: boolean;
  /** Whether its result stays unchanged and contains a letter. */
  hasKeptText: boolean;
}

/** The open fields at a position in a story, outermost first. A field may extend over many paragraphs. */
export class FieldStack {
  readonly #open: OpenField[] = [];
  readonly #allLive: boolean;
  readonly #unclosed: ReadonlySet<number>;
  readonly #kept: KeptContent;

  /**
   * @param allLive whether all results stay unchanged, as in headers and footers
   * @param unclosed the starts that have no end, found by a first reading: they are not fields
   * @param kept counts the fields whose text stays unchanged
   */
  constructor(allLive: boolean, unclosed: ReadonlySet<number>, kept: KeptContent) {
    this.#allLive = allLive;
    this.#unclosed = unclosed;
    this.#kept = kept;
  }

  /** Whether text at this position is the code or the live result of a field. */
  get isInert(): boolean {
    const innermost = this.#open.at(-1);
    return innermost !== undefined && (innermost.enclosed || innermost.phase === 'code' || innermost.live);
  }

  /** Returns undefined for a start without an end. */
  begin(start: number): OpenField | undefined {
    if (this.#unclosed.has(start)) return undefined;
    const field: OpenField = {
      start,
      code: '',
      phase: 'code',
      live: false,
      enclosed: this.isInert,
      hasKeptText: false,
    };
    this.#open.push(field);
    return field;
  }

  /** Adds to the code of the innermost field. */
  addCode(code: string): void {
    const innermost = this.#open.at(-1);
    if (innermost?.phase === 'code') innermost.code += code;
  }

  /** Records text while `isInert`. */
  addKeptText(text: string): void {
    const outermost = this.#open.findLast(({ enclosed }) => !enclosed);
    if (outermost?.phase === 'result' && letter.test(text)) outermost.hasKeptText = true;
  }

  /** Returns the field whose result starts; undefined if the position is not in the code of a field. */
  separate(): OpenField | undefined {
    const innermost = this.#open.at(-1);
    if (innermost?.phase !== 'code') return undefined;
    innermost.phase = 'result';
    innermost.live = this.#allLive || isLiveField(innermost.code);
    return innermost;
  }

  /** Returns the field that ends; undefined if none is open. */
  end(): OpenField | undefined {
    const field = this.#open.pop();
    if (field?.hasKeptText) this.#kept.add('field');
    return field;
  }

  /** The starts of the open fields. */
  openStarts(): number[] {
    return this.#open.map(({ start }) => start);
  }
}
