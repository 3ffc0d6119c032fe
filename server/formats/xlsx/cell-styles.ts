import type { OfficePackage } from '../office/package.ts';
import { isOn, readXmlPart } from './part-stream.ts';
import { isSpreadsheet, type Workbook } from './workbook.ts';

/** How a cell sets its text. */
export interface CellStyle {
  /** The angle between the text and the horizontal, from 0 to 90 degrees; `stacked` if the letters are upright. */
  angle: number | 'stacked';
  /** The size of the font in points. */
  size: number;
  isBold: boolean;
  wraps: boolean;
  /** Whether the text is made smaller if it is wider than the cell. */
  shrinks: boolean;
  /** The horizontal alignment; '' for the usual one. */
  alignment: string;
  /** The distance of the text from the edge of the cell, in steps of three spaces. */
  indent: number;
}

interface Font {
  size: number;
  isBold: boolean;
}

const usualFont: Font = { size: 11, isBold: false };

function styleWith({ size, isBold }: Font): CellStyle {
  return { angle: 0, size, isBold, wraps: false, shrinks: false, alignment: '', indent: 0 };
}

/** The cell styles of a workbook. */
export class CellStyles {
  readonly #styles: readonly CellStyle[];
  /** The size of the font in whose digits the widths of columns are measured. */
  readonly fontSize: number;

  constructor(styles: readonly CellStyle[], fontSize: number) {
    this.#styles = styles;
    this.fontSize = fontSize;
  }

  /**
   * Reads the cell styles of a workbook.
   *
   * @throws {FileError} `unreadable` or `too_large`
   */
  static async read({ office, path }: Workbook): Promise<CellStyles> {
    const part = (await office.relationships(path)).find(({ type }) => type === 'styles')?.target;
    return part === undefined ? new CellStyles([], usualFont.size) : await readStyles(office, part);
  }

  /** @param number the number of the style in the cell */
  get(number: number): CellStyle {
    return this.#styles[number] ?? this.#styles[0] ?? styleWith(usualFont);
  }
}

async function readStyles(office: OfficePackage, path: string): Promise<CellStyles> {
  const fonts: Font[] = [];
  const styles: CellStyle[] = [];
  const open: string[] = [];
  await readXmlPart(office, path, {
    openTag: (tag) => {
      open.push(isSpreadsheet(tag) ? tag.local : '');
      const { attributes } = tag;
      const place = open.slice(1).join('/');
      if (place === 'fonts/font') fonts.push({ ...usualFont });
      else if (place === 'fonts/font/sz') fonts.at(-1)!.size = Number(attributes['val']) || usualFont.size;
      else if (place === 'fonts/font/b') fonts.at(-1)!.isBold = isOn(attributes['val'] ?? '1');
      else if (place === 'cellXfs/xf')
        styles.push(styleWith(fonts[Number(attributes['fontId'] ?? 0)] ?? usualFont));
      else if (place === 'cellXfs/xf/alignment')
        Object.assign(styles.at(-1)!, {
          angle: angleOf(Number(attributes['textRotation'] ?? 0)),
          wraps: isOn(attributes['wrapText']),
          shrinks: isOn(attributes['shrinkToFit']),
          alignment: attributes['horizontal'] ?? '',
          indent: Number(attributes['indent'] ?? 0) || 0,
        });
    },
    closeTag: () => {
      open.pop();
    },
  });
  return new CellStyles(styles, fonts[0]?.size ?? usualFont.size);
}

/** Values above 90 turn the text clockwise, and 255 stacks its letters. */
function angleOf(rotation: number): CellStyle['angle'] {
  if (rotation === 255) return 'stacked';
  if (!(rotation > 0 && rotation <= 180)) return 0;
  return rotation > 90 ? rotation - 90 : rotation;
}
