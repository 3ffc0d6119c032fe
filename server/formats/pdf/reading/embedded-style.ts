import { type PDFDict, PDFStream } from '@cantoo/pdf-lib';
import { readTables, viewOf } from '../../typesetting/truetype.ts';
import { decodeStream, get } from '../objects.ts';

/** The maximum size of a packed font file that is read, in bytes. Larger ones have thousands of ideographs. */
const maxBytes = 1_000_000;
/** The weight from which a font is bold. Medium fonts have 500. */
const boldWeight = 600;
/** Bits of `macStyle` in the table `head` of a TrueType font. */
const macStyle = { bold: 1, italic: 2 };

/** Whether an embedded TrueType font is bold or italic, by the tables of its file. */
export function embeddedStyle(descriptor: PDFDict | undefined): { bold: boolean; italic: boolean } {
  const file = get(descriptor, 'FontFile2');
  const style = { bold: false, italic: false };
  if (!(file instanceof PDFStream) || file.getContentsSize() > maxBytes) return style;
  try {
    const tables = readTables(decodeStream(file));
    const [head, os2] = [tables.get('head'), tables.get('OS/2')];
    const bits = head ? viewOf(head).getUint16(44) : 0;
    const weight = os2 ? viewOf(os2).getUint16(4) : 0;
    return {
      bold: (bits & macStyle.bold) !== 0 || weight >= boldWeight,
      italic: (bits & macStyle.italic) !== 0,
    };
  } catch {
    // The font file is damaged.
    return style;
  }
}
