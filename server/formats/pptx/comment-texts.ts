import type { ChartText } from '../office/chart-texts.ts';
import { readPositionedXml } from '../office/xml-reader.ts';
import { letter } from '../text.ts';

/**
 * Reads the comments that PowerPoint wrote before 2019, which have no formatting.
 *
 * @throws {FileError} as `readPositionedXml` does
 */
export function readCommentTexts(source: string, countElement: () => void): ChartText[] {
  const texts: ChartText[] = [];
  let number = 0;
  let start: number | undefined;
  let text = '';
  readPositionedXml(source, {
    openTag: (tag) => {
      countElement();
      if (tag.local === 'text' && !tag.selfClosing) [start, text] = [tag.end, ''];
    },
    closeTag: ({ local, start: end }) => {
      if (local !== 'text' || start === undefined) return;
      number++;
      if (letter.test(text))
        texts.push({ number, text, pieces: [{ start, end, text, format: '' }], isName: false });
      start = undefined;
    },
    text: (piece) => {
      if (start !== undefined) text += piece;
    },
  });
  return texts;
}
