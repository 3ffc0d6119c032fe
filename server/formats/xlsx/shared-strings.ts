import { FileError } from '../file-error.ts';
import type { OfficePackage } from '../office/package.ts';
import { hasLetter } from './cell-text.ts';
import { boundRun, readXmlPart } from './part-stream.ts';
import { StringItem } from './string-item.ts';
import { isSpreadsheet, requireRoot } from './workbook.ts';

/**
 * The shared strings of a workbook, to which cells refer by index. Their texts are stored as bytes, because a table at the
 * limit has millions of them.
 */
export class SharedStrings {
  /** The number of entries. */
  count = 0;
  readonly #bytes: Buffer;
  /** The end of each entry's text in `#bytes`. */
  #ends = new Uint32Array(1024);

  private constructor(capacity: number) {
    this.#bytes = Buffer.alloc(capacity);
  }

  /**
   * Reads the table.
   *
   * @param path undefined for a workbook without a table
   * @throws {FileError} `unreadable` or `too_large`
   */
  static async read(office: OfficePackage, path: string | undefined): Promise<SharedStrings> {
    if (path === undefined) return new SharedStrings(0);
    // A text takes at most 3 bytes of UTF-8 for every 2 bytes of UTF-16 in its part.
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
        strings.#add(item.text);
      },
      text: (text) => {
        if (inItem) item.append(text);
      },
    });
    return strings;
  }

  /** Stores only texts with a letter, because no other text is translated. */
  #add(text: string): void {
    const start = this.#endOf(this.count - 1);
    if (this.count === this.#ends.length) {
      const longer = new Uint32Array(this.#ends.length * 2);
      longer.set(this.#ends);
      this.#ends = longer;
    }
    const length = hasLetter(text) ? this.#bytes.write(text, start, 'utf8') : 0;
    this.#ends[this.count++] = start + length;
  }

  #endOf(index: number): number {
    return index < 0 ? 0 : this.#ends[index]!;
  }

  /** Whether the text of an entry has a letter. */
  isTranslatable(index: number): boolean {
    return this.#endOf(index) > this.#endOf(index - 1);
  }

  /** Returns the text of an entry if it has a letter, else ''. */
  textOf(index: number): string {
    return this.#bytes.toString('utf8', this.#endOf(index - 1), this.#endOf(index));
  }

  /**
   * Reads the index in a cell's value; undefined for an empty cell.
   *
   * @throws {FileError} `unreadable` if there is no such entry. The cell cannot stay unchanged, because it would show an
   *   appended entry.
   */
  readIndex(value: string): number | undefined {
    const written = value.trim();
    if (written === '') return undefined;
    const index = /^\+?\d{1,10}$/.test(written) ? Number(written) : Number.NaN;
    if (index < this.count) return index;
    throw new FileError('unreadable', 'a cell in the workbook refers to a missing shared string');
  }
}
