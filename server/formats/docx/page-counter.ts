import { attributeOf, type XmlStartTag } from '../office/xml-reader.ts';
import { isOn } from './word-xml.ts';

/**
 * Counts pages. When Word saves a file, it records the position of every page break. Other programs do not, so in their
 * files only explicit page breaks are counted.
 */
export class PageCounter {
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
