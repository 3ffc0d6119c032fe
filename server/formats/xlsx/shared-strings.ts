import { FileError } from '../file-error.ts';
import type { OfficePackage } from '../office/package.ts';
import type { XmlEndTag, XmlStartTag } from '../office/xml-reader.ts';
import { countCharacters } from '../text-tally.ts';
import { decodeCellText, hasLetter } from './cell-text.ts';
import { boundRun, readXmlPart } from './part-stream.ts';
import { isSpreadsheet, requireRoot } from './workbook.ts';

/**
 * Reads the text of a string item, which is an `si` or `is` element: the text of its `t` element, or of the `t`
 * elements of its runs. Phonetic runs (`rPh`) are reading aids, so they are not part of the text. Pass it every tag
 * inside the item.
 */
export class StringItem {
  text = '';
  #depth = 0;
  #inRun = false;
  #inText = false;
  #written = '';

  /** Starts a new item. */
  reset(): void {
    this.text = '';
    this.#depth = 0;
    this.#inRun = false;
    this.#inText = false;
  }

  open(tag: XmlStartTag): void {
    this.#depth++;
    const isRun = this.#depth === 1 && tag.local === 'r';
    if (this.#depth === 1) this.#inRun = isRun && isSpreadsheet(tag);
    if (tag.local !== 't' || !isSpreadsheet(tag)) return;
    if (this.#depth === 1 || (this.#depth === 2 && this.#inRun)) {
      this.#inText = true;
      this.#written = '';
    }
  }

  close(_: XmlEndTag): void {
    this.#depth--;
    if (!this.#inText) return;
    this.#inText = false;
    this.text += decodeCellText(this.#written);
  }

  append(text: string): void {
    if (this.#inText) this.#written += text;
  }
}

/**
 * The shared strings of a workbook, to which cells refer by index. The texts are stored as bytes, because a table of
 * the maximum size has millions of texts.
 */
export class SharedStrings {
  /** The number of entries. */
  count = 0;
  readonly #bytes: Buffer;
  /** For each entry, the offset at which its text ends in `#bytes`. */
  #ends = new Uint32Array(1024);
  /** For each entry, the number of its visible characters. */
  #characters = new Uint32Array(1024);

  private constructor(capacity: number) {
    this.#bytes = Buffer.alloc(capacity);
  }

  /**
   * Reads the table of shared strings.
   *
   * @param path the path of the part; undefined for a workbook without shared strings
   * @param isKept whether the text of an entry is stored; by default, if it has a letter, because other texts are not
   *   translated
   * @throws {FileError} `unreadable` or `too_large`
   */
  static async read(
    office: OfficePackage,
    path: string | undefined,
    isKept: (text: string) => boolean = hasLetter,
  ): Promise<SharedStrings> {
    if (path === undefined) return new SharedStrings(0);
    // Each UTF-16 unit takes at most 3 bytes in UTF-8, and at least 2 bytes in a part in UTF-16.
    const strings = new SharedStrings(Math.ceil(office.sizeOf(path) * 1.5));
    const item = new StringItem();
    let depth = 0;
    let inItem = false;
    let itemStart = 0;
    await readXmlPart(office, path, {
      openTag: (tag) => {
        depth++;
        if (inItem) item.open(tag);
        else if (depth === 1) requireRoot(tag, 'sst');
        else if (depth === 2 && tag.local === 'si' && isSpreadsheet(tag)) {
          inItem = true;
          itemStart = tag.start;
          item.reset();
        }
      },
      closeTag: (tag) => {
        depth--;
        if (!inItem) return;
        boundRun(itemStart, tag.end);
        if (depth > 1) return item.close(tag);
        inItem = false;
        strings.#add(item.text, isKept(item.text));
      },
      text: (text) => {
        if (inItem) item.append(text);
      },
    });
    return strings;
  }

  #add(text: string, isKept: boolean): void {
    const start = this.#endOf(this.count - 1);
    if (this.count === this.#ends.length) {
      this.#ends = lengthened(this.#ends);
      this.#characters = lengthened(this.#characters);
    }
    const length = isKept ? this.#bytes.write(text, start, 'utf8') : 0;
    this.#characters[this.count] = countCharacters(text);
    this.#ends[this.count++] = start + length;
  }

  #endOf(index: number): number {
    return index < 0 ? 0 : this.#ends[index]!;
  }

  /** Whether the text of an entry is stored. */
  isTranslatable(index: number): boolean {
    return this.#endOf(index) > this.#endOf(index - 1);
  }

  /** Returns the number of visible characters of an entry. */
  charactersOf(index: number): number {
    return this.#characters[index]!;
  }

  /**
   * Returns the text of an entry if it is stored; otherwise ''.
   *
   * @param maxBytes a longer text is cut after this number of bytes
   */
  textOf(index: number, maxBytes = Number.POSITIVE_INFINITY): string {
    const start = this.#endOf(index - 1);
    return this.#bytes.toString('utf8', start, Math.min(this.#endOf(index), start + maxBytes));
  }

  /**
   * Parses the value of a cell as the index of an entry. Returns undefined for an empty cell.
   *
   * @throws {FileError} `unreadable` if there is no such entry. The cell cannot be ignored, because it might display a
   *   new entry
   */
  readIndex(value: string): number | undefined {
    const written = value.trim();
    if (written === '') return undefined;
    const index = /^\+?\d{1,10}$/.test(written) ? Number(written) : Number.NaN;
    if (index < this.count) return index;
    throw new FileError('unreadable', 'a cell in the workbook refers to a missing shared string');
  }
}

function lengthened(numbers: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(numbers.length * 2);
  longer.set(numbers);
  return longer;
}
