import { deflateSync } from 'node:zlib';

/** An object of a PDF file: its text, or a stream. The dictionary of a stream is completed when the file is written. */
type PdfObject = string | { dictionary?: string; content: string | Uint8Array; deflated?: boolean };

/** Writes a PDF file with these objects. Their numbers begin with 1; the first object is the catalog. */
export function writePdf(objects: readonly PdfObject[]): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  let length = parts[0]!.length;
  const offsets: number[] = [];
  const add = (part: string | Uint8Array): void => {
    const bytes = typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part);
    parts.push(bytes);
    length += bytes.length;
  };
  for (const [index, object] of objects.entries()) {
    offsets.push(length);
    add(`${index + 1} 0 obj\n`);
    if (typeof object === 'string') {
      add(object);
    } else {
      const { dictionary = '', content, deflated = true } = object;
      const body = deflated ? deflateSync(content) : content;
      add(`<<${dictionary}/Length ${body.length}${deflated ? '/Filter/FlateDecode' : ''}>>\nstream\n`);
      add(body);
      add('\nendstream');
    }
    add('\nendobj\n');
  }
  const start = length;
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  add(`xref\n0 ${size}\n0000000000 65535 f \n${table}trailer<</Size ${size}/Root 1 0 R>>\n`);
  add(`startxref\n${start}\n%%EOF\n`);
  return Buffer.concat(parts);
}

const helvetica = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>';
const catalog = '<</Type/Catalog/Pages 2 0 R>>';
const onePage = '<</Type/Pages/Kids[3 0 R]/Count 1>>';
const box = '/MediaBox[0 0 9 9]';
const letter = 'BT /T 9 Tf (a) Tj ET';

/**
 * Nested forms. Each of `levels` draws the next one `fan` times, and the last one draws `leaf`. With 10 levels of 10,
 * `leaf` is drawn 10¹⁰ times.
 */
export function nestedForms(levels = 10, fan = 10, leaf = letter): Buffer {
  const first = 6;
  return writePdf([
    catalog,
    onePage,
    `<</Type/Page/Parent 2 0 R${box}/Contents 4 0 R/Resources<</XObject<</F ${first} 0 R>>>>>>`,
    { content: '/F Do' },
    helvetica,
    ...Array.from({ length: levels }, (_, level) => {
      const isLast = level === levels - 1;
      const next = isLast ? '' : `/XObject<</F ${first + level + 1} 0 R>>`;
      return {
        dictionary: `/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</Font<</T 5 0 R>>${next}>>`,
        content: isLast ? leaf : '/F Do '.repeat(fan),
      };
    }),
  ]);
}

/** One page that its page tree names many times: ten times at each of `levels`. */
export function pageTree(levels = 6): Buffer {
  return writePdf([
    catalog,
    ...Array.from(
      { length: levels },
      (_, level) => `<</Type/Pages/Kids[${`${level + 3} 0 R `.repeat(10)}]/Count ${10 ** (levels - level)}>>`,
    ),
    `<</Type/Page/Parent ${levels + 1} 0 R${box}/Contents ${levels + 3} 0 R/Resources<<>>>>`,
    { content: '0 0 m' },
  ]);
}

/** A form with 60 MB of spaces, which is drawn a million times. */
export const spaces = (): Buffer => nestedForms(3, 1000, ' '.repeat(60_000_000) + letter);

/** A form that contains its font. The font is read each of the 5,000 times that the form is drawn. */
export function fontsOfForms(): Buffer {
  const differences = '/a '.repeat(3000);
  return writePdf([
    catalog,
    onePage,
    `<</Type/Page/Parent 2 0 R${box}/Contents 4 0 R/Resources<</XObject<</F 5 0 R>>>>>>`,
    { content: '/F Do '.repeat(5000) },
    {
      dictionary: `/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</Font<</T <</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Differences[0 ${differences}]>>>>>>>>`,
      content: letter,
    },
  ]);
}

/**
 * A character map of 750 bytes that names 800 million characters. Nothing is drawn, so a limit on draws has no effect.
 */
export function characterRanges(): Buffer {
  const ranges = '1 beginbfrange <00000000> <00fffffe> <0061> endbfrange '.repeat(50);
  return writePdf([
    catalog,
    onePage,
    `<</Type/Page/Parent 2 0 R${box}/Contents 4 0 R/Resources<</Font<</T 5 0 R>>>>>>`,
    { content: letter },
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 6 0 R>>',
    { content: `begincmap 1 begincodespacerange <0000> <ffffffff> endcodespacerange ${ranges} endcmap` },
  ]);
}

/** A cross-reference table with 20 million entries in 60 KB. */
export function objectTable(): Buffer {
  const head = Buffer.from('%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n');
  const table = deflateSync(Buffer.alloc(60_000_000));
  return Buffer.concat([
    head,
    Buffer.from(
      `9 0 obj\n<</Type/XRef/Size 20000000/W[1 1 1]/Root 1 0 R/Length ${table.length}/Filter/FlateDecode>>\nstream\n`,
    ),
    table,
    Buffer.from(`\nendstream\nendobj\nstartxref\n${head.length}\n%%EOF\n`),
  ]);
}
