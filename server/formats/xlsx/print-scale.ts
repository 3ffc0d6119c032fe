import type { PositionedXmlEvents, XmlStartTag } from '../office/xml-reader.ts';
import { replaceAttributes } from './attributes.ts';
import type { PartEditor } from './part-stream.ts';
import { isSpreadsheet } from './workbook.ts';

/** The widths and heights of papers by their numbers, in points. 0 is that of the printer: A4, or the shorter Letter. */
const papers: Readonly<Record<string, readonly [width: number, height: number]>> = {
  0: [595, 792],
  1: [612, 792],
  3: [792, 1224],
  5: [612, 1008],
  7: [522, 756],
  8: [842, 1191],
  9: [595, 842],
  11: [420, 595],
  12: [729, 1032],
  13: [516, 729],
};
/** The margins of a sheet that sets none, in inches. */
const usualMargin = 0.7;
/** The smallest scale at which a printed sheet is easy to read, in percent. */
const minScale = 60;
/** The measured widths differ from those of Excel by about this factor. */
const tolerance = 1.02;
/** The width of a digit of Calibri in ems. Columns have whole numbers of pixels for each digit. */
const digitEms = 0.507;

/** The elements that the schema places after the page setup of a sheet, and the wrapper of some of them. */
const afterSetup =
  /^(?:headerFooter|rowBreaks|colBreaks|customProperties|cellWatches|ignoredErrors|smartTags|(?:legacyD|d)rawing(?:HF)?|picture|oleObjects|controls|webPublishItems|tableParts|extLst|AlternateContent)$/;

/** How a sheet is printed. */
export class PageSetup {
  #setup: XmlStartTag['attributes'] = {};
  #margins: XmlStartTag['attributes'] = {};
  /** Whether the number of pages is set, or their ends. */
  #isFixed = false;

  /** Adds an element of the sheet. @param section the child of the root element that it is or is in */
  add(section: string, { local, attributes }: XmlStartTag): void {
    if (local === 'pageSetup' && section === local) this.#setup = attributes;
    else if (local === 'pageMargins' && section === local) this.#margins = attributes;
    else if (section === 'colBreaks' && local === 'brk') this.#isFixed = true;
    else if (section === 'sheetPr' && local === 'pageSetUpPr')
      this.#isFixed = /^(?:1|true)$/.test(attributes['fitToPage'] ?? '');
  }

  /**
   * Returns the scale in percent at which a sheet that was one page wide stays so; undefined if its scale can stay, or
   * if it would be too small.
   *
   * @param before the width of the sheet in digits of the usual font
   * @param fontSize the size of this font in points
   */
  scaleFor(before: number, after: number, fontSize: number): number | undefined {
    const { paperSize = '0', orientation, scale } = this.#setup;
    const paper = papers[paperSize]?.[orientation === 'landscape' ? 1 : 0];
    if (paper === undefined || this.#isFixed) return undefined;
    const { left = usualMargin, right = usualMargin } = this.#margins;
    const room = paper - (Number(left) + Number(right)) * 72;
    const digit = Math.round((fontSize / 0.75) * digitEms) * 0.75;
    const current = Number(scale) || 100;
    const next = Math.floor((room * 100) / (after * digit * tolerance));
    const wasOne = before * digit * current <= room * 100 * tolerance;
    return wasOne && next < current && next >= minScale ? next : undefined;
  }
}

/** Writes the scale at which a sheet is printed, in percent. */
export function printScaleWriter(editor: PartEditor, scale: number): PositionedXmlEvents {
  let depth = 0;
  let prefix = '';
  let isWritten = false;
  const insert = (at: number): void => {
    if (!isWritten) editor.replace(at, at, `<${prefix}pageSetup scale="${scale}"/>`);
    isWritten = true;
  };
  return {
    openTag: (tag) => {
      if (++depth === 1) prefix = tag.name.slice(0, tag.name.length - tag.local.length);
      if (depth !== 2) return;
      if (afterSetup.test(tag.local)) insert(tag.start);
      if (tag.local !== 'pageSetup' || !isSpreadsheet(tag)) return;
      isWritten = true;
      const nameEnd = tag.start + 1 + tag.name.length;
      if (tag.attributes['scale'] === undefined) editor.replace(nameEnd, nameEnd, ` scale="${scale}"`);
      else replaceAttributes(editor, tag, new Map([['scale', `${scale}`]]));
    },
    closeTag: ({ start }) => {
      if (depth-- === 1) insert(start);
    },
  };
}
