import { zipOf } from '#test/formats/flatten-zip.ts';
import { seededRandom } from '../seeded-random.ts';
import { inventWords } from './sentences.ts';

const word = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const officeTypes = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packageTypes = 'http://schemas.openxmlformats.org/package/2006';
const wordTypes = 'application/vnd.openxmlformats-officedocument.wordprocessingml';

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const runOf = (text: string, properties = '') =>
  `<w:r w:rsidRPr="00A77B3E">${properties && `<w:rPr>${properties}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r>`;
const paragraphOf = (style: string, content: string, properties = '') =>
  `<w:p w:rsidR="00A77B3E" w:rsidRDefault="00B71002"><w:pPr><w:pStyle w:val="${style}"/>${properties}</w:pPr>${content}</w:p>`;

/** A file with a paragraph for each text. */
export const wordSentences = (texts: readonly string[]): Uint8Array<ArrayBuffer> =>
  wordPackage(texts.map((text) => paragraphOf('Normal', runOf(text))).join(''), {});

/**
 * A report as an office writes it. Each page begins with a heading, followed by eight paragraphs of three to five runs
 * with bold, italic and linked words. Each fourth page has a table of 18 cells. The header and footer contain the page
 * number.
 */
export function wordReport(pages: number): Uint8Array<ArrayBuffer> {
  const random = seededRandom(pages);
  const invent = (count: number) => inventWords(count, random);
  const sentence = () => `${invent(7 + Math.floor(14 * random()))}. `;
  const paragraph = () => {
    const runs = Array.from({ length: 3 + Math.floor(3 * random()) }, (_, n) =>
      runOf(sentence(), ['', '<w:b/><w:bCs/>', '', '<w:i/><w:iCs/>', ''][n]),
    );
    if (random() < 0.2)
      runs.push(
        `<w:hyperlink r:id="link" w:history="1">${runOf(invent(2), '<w:u w:val="single"/>')}</w:hyperlink>`,
      );
    return paragraphOf('Normal', runs.join(''));
  };
  const table = () => {
    const cell = () =>
      `<w:tc><w:tcPr><w:tcW w:w="3000" w:type="dxa"/></w:tcPr>${paragraphOf('Normal', runOf(invent(3)))}</w:tc>`;
    const row = () => `<w:tr>${cell()}${cell()}${cell()}</w:tr>`;
    return `<w:tbl><w:tblPr><w:tblW w:w="9000" w:type="dxa"/></w:tblPr><w:tblGrid>${'<w:gridCol w:w="3000"/>'.repeat(3)}</w:tblGrid>${Array.from({ length: 6 }, row).join('')}</w:tbl>`;
  };
  const page = (number: number) =>
    [
      paragraphOf('Heading1', runOf(`${number + 1} ${invent(5)}`), '<w:pageBreakBefore/>'),
      ...Array.from({ length: number % 4 === 3 ? 6 : 8 }, paragraph),
      ...(number % 4 === 3 ? [table()] : []),
    ].join('');
  const body = Array.from({ length: pages }, (_, number) => page(number)).join('');
  const field = '<w:fldSimple w:instr=" PAGE "><w:r><w:t>1</w:t></w:r></w:fldSimple>';
  return wordPackage(
    `${body}<w:sectPr><w:headerReference w:type="default" r:id="header1"/><w:footerReference w:type="default" r:id="footer1"/><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1100" w:right="1100" w:bottom="1100" w:left="1100" w:header="500" w:footer="500" w:gutter="0"/></w:sectPr>`,
    {
      header1: ['header', `<w:hdr>${paragraphOf('Normal', runOf(invent(4)))}</w:hdr>`],
      footer1: ['footer', `<w:ftr>${paragraphOf('Normal', runOf('Page ') + field)}</w:ftr>`],
      styles: [
        'styles',
        `<w:styles><w:docDefaults><w:rPrDefault><w:rPr><w:sz w:val="20"/></w:rPr></w:rPrDefault></w:docDefaults><w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:basedOn w:val="Normal"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:rPr><w:b/><w:sz w:val="32"/></w:rPr></w:style></w:styles>`,
      ],
    },
  );
}

/**
 * A Word file just below the limits of B 8. Unpacked, it has 200,000,000 bytes: 80,000,000 of main text, 20,000,000 of
 * headers in ten parts, 40,000,000 of styles and 59,000,000 of notes. It has 50,000 texts with 2,000,000 characters,
 * and 1,000,000 elements. Because of its apostrophes, each character needs two bytes in memory.
 */
export function largestWordFile(): Uint8Array<ArrayBuffer> {
  const random = seededRandom(200);
  const padded = (open: string, close: string, bytes: number) => {
    const missing = bytes - Buffer.byteLength(open) - Buffer.byteLength(close);
    return `${open}${' '.repeat(missing)}${close}`;
  };
  const paragraph = (n: number) => {
    const text = `${n} ${inventWords(8, random)}`.slice(0, 36).replace(/ (?=\S*$)/, '’');
    const half = text.length / 2;
    const properties = `<w:rFonts w:ascii="Arial" w:hAnsi="Arial" w:cs="Arial"/><w:b/><w:bCs/><w:color w:val="${(n % 4096).toString(16).padStart(6, '0')}"/>`;
    const plain = `<w:rFonts w:ascii="Arial" w:hAnsi="Arial" w:cs="Arial"/><w:color w:val="000000"/>`;
    const filler = `<w:bookmarkStart w:id="${n}" w:name="${'b'.repeat(900)}${n}"/><w:bookmarkEnd w:id="${n}"/>`;
    return paragraphOf(
      'Normal',
      filler + runOf(text.slice(0, half), properties) + runOf(text.slice(half), plain),
    );
  };
  const paragraphs = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) => paragraph(from + n)).join('');
  const notes = (root: string, name: string, bytes: number) =>
    padded(
      `<w:${root}>`,
      `${Array.from(
        { length: 1000 },
        (_, n) => `<w:${name} w:id="${n}"><w:p><w:r><w:t>${'note '.repeat(50)}</w:t></w:r></w:p></w:${name}>`,
      ).join('')}</w:${root}>`,
      bytes,
    );
  const headers = Array.from({ length: 10 }, (_, n): [string, [string, string]] => [
    `header${n + 1}`,
    ['header', padded('<w:hdr>', `${paragraphs(46_000 + 400 * n, 46_400 + 400 * n)}</w:hdr>`, 1_990_000)],
  ]);
  const body = paragraphs(0, 46_000);
  return wordPackage(' '.repeat(79_990_000 - Buffer.byteLength(body)) + body, {
    ...Object.fromEntries(headers),
    styles: ['styles', padded('<w:styles>', '</w:styles>', 40_000_000)],
    footnotes: ['footnotes', notes('footnotes', 'footnote', 30_000_000)],
    comments: ['comments', notes('comments', 'comment', 29_900_000)],
  });
}

/** @param parts the type and XML of each part, by name; the name is also the ID of the part's relationship */
function wordPackage(
  body: string,
  parts: Record<string, [type: string, xml: string]>,
): Uint8Array<ArrayBuffer> {
  const named = Object.entries(parts);
  const spaces = `xmlns:w="${word}" xmlns:r="${officeTypes}"`;
  return new Uint8Array(
    zipOf({
      '[Content_Types].xml': `${declaration}<Types xmlns="${packageTypes}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="${wordTypes}.document.main+xml"/>${named.map(([name, [type]]) => `<Override PartName="/word/${name}.xml" ContentType="${wordTypes}.${type}+xml"/>`).join('')}</Types>`,
      '_rels/.rels': `${declaration}<Relationships xmlns="${packageTypes}/relationships"><Relationship Id="main" Type="${officeTypes}/officeDocument" Target="word/document.xml"/></Relationships>`,
      'word/document.xml': `${declaration}<w:document ${spaces}><w:body>${body}</w:body></w:document>`,
      'word/_rels/document.xml.rels': `${declaration}<Relationships xmlns="${packageTypes}/relationships"><Relationship Id="link" Type="${officeTypes}/hyperlink" Target="https://example.org/" TargetMode="External"/>${named.map(([name, [type]]) => `<Relationship Id="${name}" Type="${officeTypes}/${type}" Target="${name}.xml"/>`).join('')}</Relationships>`,
      ...Object.fromEntries(
        named.map(([name, [, xml]]) => [`word/${name}.xml`, declaration + xml.replace('>', ` ${spaces}>`)]),
      ),
    }),
  );
}
