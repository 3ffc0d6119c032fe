import type { XmlEndTag, XmlStartTag } from '../office/xml-reader.ts';
import { decodeCellText } from './cell-text.ts';
import { isSpreadsheet } from './workbook.ts';

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
