import { letter } from '../../text.ts';

/**
 * The type of a `fldChar` element: `begin` starts a field, `separate` ends the field's code and starts its result,
 * `end` ends the field.
 */
export type FieldMark = 'begin' | 'separate' | 'end';

/**
 * The types of live fields. Word computes the result of a live field or takes it from data, so the result is not
 * translated. The results of all other fields, such as cross references, links and tables of contents, are translated
 * as text of the document.
 */
const liveFields = new Set(
  (
    'PAGE NUMPAGES SECTION SECTIONPAGES PAGEREF NOTEREF DATE TIME CREATEDATE SAVEDATE PRINTDATE EDITTIME NUMWORDS NUMCHARS ' +
    'FILENAME FILESIZE REVNUM TEMPLATE SEQ LISTNUM AUTONUM AUTONUMLGL AUTONUMOUT = EQ SYMBOL ADVANCE BARCODE DISPLAYBARCODE ' +
    'MERGEBARCODE FORMTEXT FORMCHECKBOX FORMDROPDOWN MERGEFIELD MERGEREC MERGESEQ NEXT NEXTIF SKIPIF ADDRESSBLOCK GREETINGLINE ' +
    'DOCPROPERTY DOCVARIABLE AUTHOR LASTSAVEDBY USERNAME USERINITIALS USERADDRESS CITATION'
  ).split(' '),
);

/** The types of fields that display nothing: entries of an index or a table of contents, and assignments. */
const silentFields = new Set('XE TC TA RD SET ASK PRIVATE'.split(' '));

/** Returns the type of the field with this code: `PAGE`, `=`, … */
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

/** A field whose end has not been read yet. */
export interface OpenField {
  /** The offset of the field's start in the part. */
  start: number;
  code: string;
  /** Whether the reader is in the code of the field or in its result. */
  phase: 'code' | 'result';
  /** Whether the result of the field stays unchanged. Set at the end of the code. */
  live: boolean;
  /** Whether the field is inside the code or the live result of another field. */
  enclosed: boolean;
  /** Whether the result of the field stays unchanged and contains a letter. */
  hasKeptText: boolean;
}

/** The open fields at a position in a story, outermost first. A field may extend over many paragraphs. */
export class FieldStack {
  readonly #open: OpenField[] = [];
  readonly #allLive: boolean;
  readonly #unclosed: ReadonlySet<number>;
  readonly #onKept: () => void;

  /**
   * @param allLive whether the results of all fields stay unchanged, as in headers and footers
   * @param unclosed the offsets of field starts that have no end, as found in a first reading. They are not fields
   * @param onKept is called for each field whose text stays unchanged
   */
  constructor(allLive: boolean, unclosed: ReadonlySet<number>, onKept: () => void) {
    this.#allLive = allLive;
    this.#unclosed = unclosed;
    this.#onKept = onKept;
  }

  /** Whether text at the current position is part of the code or of the live result of a field. */
  get isInert(): boolean {
    const innermost = this.#open.at(-1);
    return innermost !== undefined && (innermost.enclosed || innermost.phase === 'code' || innermost.live);
  }

  /** Opens the field that starts at this offset. Returns undefined if the field has no end. */
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

  /** Adds text to the code of the innermost field. */
  addCode(code: string): void {
    const innermost = this.#open.at(-1);
    if (innermost?.phase === 'code') innermost.code += code;
  }

  /** Records that a live result contains this text. Call it only while `isInert`. */
  addKeptText(text: string): void {
    const outermost = this.#open.findLast(({ enclosed }) => !enclosed);
    if (outermost?.phase === 'result' && letter.test(text)) outermost.hasKeptText = true;
  }

  /**
   * Ends the code of the innermost field. Returns this field; undefined if the current position is not in the code of a
   * field.
   */
  separate(): OpenField | undefined {
    const innermost = this.#open.at(-1);
    if (innermost?.phase !== 'code') return undefined;
    innermost.phase = 'result';
    innermost.live = this.#allLive || isLiveField(innermost.code);
    return innermost;
  }

  /** Closes the innermost field. Returns this field; undefined if no field is open. */
  end(): OpenField | undefined {
    const field = this.#open.pop();
    if (field?.hasKeptText) this.#onKept();
    return field;
  }

  /** Returns the offsets at which the open fields start. */
  openStarts(): number[] {
    return this.#open.map(({ start }) => start);
  }
}
