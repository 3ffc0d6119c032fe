import type { PositionedXmlEvents, XmlStartTag } from '../office/xml-reader.ts';
import type { PartEditor } from './part-stream.ts';
import { isOn, prefixOf, setAttribute } from './part-stream.ts';
import { isSpreadsheet } from './workbook.ts';

/** The widths and heights of papers in points, by their numbers. 0 is that of the printer: A4, or the shorter Letter. */
const papers: Readonly<Record<string, readonly [width: number, height: number]>> = {
  0: [595, 792],
  1: [612, 792],
  5: [612, 1008],
  8: [842, 1191],
  9: [595, 842],
  11: [420, 595],
};
/** The measured widths differ from those of Excel by about this factor. */
const tolerance = 1.02;

/** How a sheet is printed. */
export class PageSetup {
  /** The attributes of the page setup and of the margins, which have different names. */
  readonly #values: Record<string, string> = {};
  #isWritten = false;
  /** Whether the file sets the number of the pages, or their ends. */
  #isFixed = false;

  /** Adds an element of the sheet. @param section the child of the root element that it is or is in */
  add(section: string, { local, attributes }: XmlStartTag): void {
    this.#isWritten ||= section === 'pageSetup';
    this.#isFixed ||= (section === 'colBreaks' && local === 'brk') || isOn(attributes['fitToPage']);
    if (section === 'pageSetup' || section === 'pageMargins') Object.assign(this.#values, attributes);
  }

  /**
   * Returns the scale in percent at which a sheet stays one page wide, if that is at least 60.
   *
   * @param before the width of the sheet in digits of the usual font
   * @param fontSize the size of this font in points
   */
  scaleFor(before: number, after: number, fontSize: number): number | undefined {
    const { left = 0.7, right = 0.7, paperSize = 0, orientation, scale = 100 } = this.#values;
    const paper = papers[paperSize]?.[orientation === 'landscape' ? 1 : 0] ?? 0;
    // A digit of Calibri has 0.507 ems. Columns have whole numbers of pixels for each digit.
    const digit = Math.round((fontSize / 0.75) * 0.507) * 0.75;
    const room = (100 * (paper - (Number(left) + Number(right)) * 72)) / digit;
    const next = Math.floor(room / (after * tolerance));
    const wasOne = before * Number(scale) <= room * tolerance;
    return !this.#isFixed && wasOne && next < Number(scale) && next >= 60 ? next : undefined;
  }

  /** Writes the scale at which the sheet is printed, in percent. */
  scaleWriter(editor: PartEditor, scale: number): PositionedXmlEvents {
    let depth = 0;
    return {
      openTag: (tag) => {
        if (++depth === 2 && tag.local === 'pageSetup' && isSpreadsheet(tag))
          setAttribute(editor, tag, 'scale', `${scale}`);
      },
      closeTag: (tag) => {
        if (depth-- === 2 && tag.local === 'pageMargins' && !this.#isWritten)
          editor.replace(tag.end, tag.end, `<${prefixOf(tag)}pageSetup scale="${scale}"/>`);
      },
    };
  }
}
