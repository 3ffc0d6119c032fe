import { PDFDocument, PDFName, StandardFonts } from '@cantoo/pdf-lib';
import { seededRandom } from '../seeded-random.ts';
import { inventWords } from './sentences.ts';

const page = { width: 595, height: 842, margin: 64 };
const size = 10.5;
const leading = 13;

/**
 * A report in the form in which a typesetting program writes PDF. Each page has a running title, a heading, about 45
 * justified lines in paragraphs with some bold words, and a page number. Each fourth page has a table of 18 ruled
 * cells.
 * @param filled the part of the lines on a page that contain text, from 0 to 1
 */
export async function pdfReport(pages: number, filled = 1): Promise<Uint8Array<ArrayBuffer>> {
  const random = seededRandom(pages);
  const invent = (count: number) => inventWords(count, random);
  const document = await PDFDocument.create({ updateMetadata: false });
  const [roman, bold] = await Promise.all([
    document.embedFont(StandardFonts.TimesRoman),
    document.embedFont(StandardFonts.TimesRomanBold),
  ]);
  const fonts = { roman, bold };
  const widthOf = (text: string, font: keyof typeof fonts) => fonts[font].widthOfTextAtSize(text, size);
  const space = widthOf(' ', 'roman');
  const right = page.width - page.margin;

  const textAt = (x: number, y: number, text: string, font: keyof typeof fonts, points = size) =>
    `BT /${font} ${points} Tf ${x.toFixed(2)} ${y.toFixed(2)} Td (${text}) Tj ET`;

  /** Justified lines of words. Each line has one TJ operator for each run of words in one font. */
  const paragraph = (count: number, top: number, operators: string[]): number => {
    let y = top;
    let line: Word[] = [];
    let width = 0;
    const flush = (isLast: boolean) => {
      const room = right - page.margin - width;
      const gap = isLast || line.length < 2 ? space : space + room / (line.length - 1);
      const shown = groupByFont(line).map(({ font, words }) => {
        const space = (-gap * 1000) / size;
        return `/${font} ${size} Tf [${words.map((word) => `(${word}) ${space.toFixed(0)}`).join(' ')}] TJ`;
      });
      operators.push(`BT ${page.margin} ${y.toFixed(2)} Td ${shown.join(' ')} ET`);
      y -= leading;
      line = [];
      width = 0;
    };
    for (const word of `${invent(count)}.`.split(' ')) {
      const font: Word['font'] = random() < 0.03 ? 'bold' : 'roman';
      const more = widthOf(word, font) + (line.length > 0 ? space : 0);
      if (page.margin + width + more > right) flush(false);
      width += widthOf(word, font) + (line.length > 0 ? space : 0);
      line.push({ word, font });
    }
    flush(true);
    return y - leading / 2;
  };

  const table = (top: number, operators: string[]): number => {
    const [width, height] = [(right - page.margin) / 3, 18];
    for (let cell = 0; cell < 18; cell++) {
      const x = page.margin + (cell % 3) * width;
      const y = top - height * (1 + Math.floor(cell / 3));
      operators.push(`0.5 w ${x.toFixed(2)} ${y.toFixed(2)} ${width.toFixed(2)} ${height} re S`);
      operators.push(textAt(x + 4, y + 5, invent(2), 'roman'));
    }
    return top - 6 * height - leading;
  };

  const resources = document.context.obj({ Font: { roman: roman.ref, bold: bold.ref } });
  for (let number = 1; number <= pages; number++) {
    const operators = [
      textAt(page.margin, page.height - 40, 'Annual report of the invented company', 'roman', 8),
      textAt(page.width / 2, 36, String(number), 'roman', 8),
      textAt(page.margin, page.height - 80, `${number} ${invent(4)}`, 'bold', 15),
    ];
    let y = page.height - 110;
    if (number % 4 === 0) y = table(y, operators);
    const last = y - filled * (y - 110);
    while (y > last) y = paragraph(Math.min(90, Math.floor((12 * (y - 70)) / leading)), y, operators);
    const added = document.addPage([page.width, page.height]);
    added.node.set(PDFName.of('Resources'), resources);
    added.node.set(
      PDFName.of('Contents'),
      document.context.register(document.context.flateStream(operators.join('\n'))),
    );
  }
  return new Uint8Array(await document.save());
}

interface Word {
  word: string;
  font: 'roman' | 'bold';
}

/** Groups adjacent words with the same font, which one operator shows. */
function groupByFont(line: readonly Word[]): { font: Word['font']; words: string[] }[] {
  const groups: { font: Word['font']; words: string[] }[] = [];
  for (const { word, font } of line) {
    const last = groups.at(-1);
    if (last?.font === font) last.words.push(word);
    else groups.push({ font, words: [word] });
  }
  return groups;
}
