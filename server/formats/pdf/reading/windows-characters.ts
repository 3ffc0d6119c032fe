import type { PDFDict } from '@cantoo/pdf-lib';
import { get, getName } from '../objects.ts';

const [macintosh, windows] = [new TextDecoder('macintosh'), new TextDecoder('windows-1252')];

/**
 * Returns a function that corrects the characters of a TrueType font without an encoding. pdf.js reads their codes above
 * 127 as on a Macintosh, but the programs that write such fonts use those of Windows. Returns undefined for other fonts.
 */
export function windowsCharacters(
  font: PDFDict,
): ((unicode: string, code: number) => string | undefined) | undefined {
  const isCoded = get(font, 'Encoding') !== undefined || get(font, 'ToUnicode') !== undefined;
  if (isCoded || getName(font, 'Subtype') !== 'TrueType') return undefined;
  return (unicode, code) => {
    const byte = Uint8Array.of(code);
    const isRead = code > 127 && code < 256 && unicode === macintosh.decode(byte);
    return isRead ? windows.decode(byte) : undefined;
  };
}
