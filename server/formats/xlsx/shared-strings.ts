import { FileError } from '../file-error.ts';
import type { OfficePackage } from '../office/package.ts';
import { hasLetter } from './cell-text.ts';
import { boundRun, readXmlPart } from './part-stream.ts';
import { StringItem } from './string-item.ts';
import { isSpreadsheet, requireRoot } from './workbook.ts';

/**
 * The shared strings of a workbook: cells refer to them by index. Their texts are kept as bytes, because a table at the limit
 * has millions of them.
 */
export class SharedStrings {
  /** The number of entries. */
  count = 0;
  readonly #bytes: Buffer;
  /** Where the text of each entry ends in `#bytes`. */
  #ends = new Uint32Array(1024);

  private constructor(capacity: number) {
    this.#bytes = Buffer.alloc(capacity);
  }

  /**
   * Reads the table.
   *
   * @param path undefined for a workbook without one
   * @throws {FileError} `unreadable` or `too_large`
   */
  static async read(office: OfficePackage, path: string | undefined): Promise<SharedStrings> {
    if (path === undefined) return new SharedStrings(0);
    // A text takes at most 3 bytes of UTF-8 where its part has 2 of UTF-16.
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

  /** Only texts with a letter are kept: no other text is translated. */
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

  /** The text of an entry whose text has a letter; '' for another. */
  textOf(index: number): string {
    return this.#bytes.toString('utf8', this.#endOf(index - 1), this.#endOf(index));
  }

  /**
   * Reads the index in a cell's value; undefined for an empty cell.
   *
   * @throws {FileError} `unreadable` if there is no such entry. Such a cell is not kept either: it would show what is appended.
   */
  readIndex(value: string): number | undefined {
    const written = value.trim();
    if (written === '') return undefined;
    const index = /^\+?\d{1,10}$/.test(written) ? Number(written) : Number.NaN;
    if (index < this.count) return index;
    throw new FileError('unreadable', 'a cell in the workbook names a shared string that is not there');
  }
}
