import { strToU8, zipSync } from 'fflate';
import { afterAll, expect, test } from 'vitest';
import { fileErrorOf, openFileWork } from '#server/platform/sandbox/file-work.ts';

const fileWork = openFileWork();
afterAll(() => fileWork.close());

const namespaces = ['office:office', 'text:text', 'table:table', 'draw:drawing', 'style:style']
  .map((name) => `xmlns:${name.replace(':', '="urn:oasis:names:tc:opendocument:xmlns:')}:1.0"`)
  .join(' ');
const begin = `<office:document-content ${namespaces}><office:body><office:text><text:p>a`;
const end = '</text:p></office:text></office:body></office:document-content>';

type Entries = Record<string, string | Uint8Array>;

function zipOf(entries: Entries): Uint8Array {
  return zipSync(
    Object.fromEntries(
      Object.entries(entries).map(([name, content]) => [
        name,
        typeof content === 'string' ? strToU8(content) : content,
      ]),
    ),
  );
}

const fileOf = (content: string, more: Entries = {}): Uint8Array =>
  zipOf({ mimetype: 'application/vnd.oasis.opendocument.text', 'content.xml': content, ...more });
const repeat = (piece: string) => piece.repeat(Math.floor(500_000 / piece.length));

const pieces = [
  '<text:span>',
  '<text:span text:style-name="B">b</text:span>',
  '<text:a>b</text:a>',
  '<text:s/>',
  '<text:s text:c="1000000000"/>b',
  '<text:tab/>b',
  '<text:line-break/>b',
  '<text:page-number>1</text:page-number>',
  '<text:note><text:p>b</text:p></text:note>',
  '<text:p>b',
  '<text:p>b</text:p>',
  '</text:p><text:p>b',
  '<draw:frame><text:p>b',
  '<draw:frame><draw:text-box><text:p>b</text:p></draw:text-box></draw:frame>',
  '<table:table table:name="x"><table:table-row><table:table-cell><text:p>b',
  '<table:table-cell table:number-columns-repeated="999999999999999999999"><text:p>b</text:p></table:table-cell>',
  '<table:table-row table:number-rows-repeated="-1"/>',
  '</table:table-cell>',
  '<text:bookmark/>b',
  '<!-- c -->b',
  '<?p?>b',
  '<![CDATA[b]]>',
  '&amp;',
  '&#65;',
  ' ',
  'b',
  '\u0301',
  '<style:text-properties/>',
  '<style:style style:name="B" style:family="text"><style:text-properties a="b"/></style:style>',
];

const bomb = zipSync({ 'content.xml': [new Uint8Array(150_000_000), { level: 9 }] });
const damaged = fileOf(begin + end);
damaged.fill(7, 60, 120);

const files: [string, Uint8Array][] = [
  ...pieces.map((piece): [string, Uint8Array] => [`${piece} repeated`, fileOf(begin + repeat(piece) + end)]),
  ...pieces
    .slice(0, 8)
    .map((piece): [string, Uint8Array] => [
      `styles with ${piece} repeated`,
      fileOf(begin + end, { 'styles.xml': begin + repeat(piece) + end }),
    ]),
  ['nothing', new Uint8Array()],
  ['half of a file', fileOf(begin + end).subarray(0, 200)],
  ['damaged content', damaged],
  ['no mimetype', zipOf({ 'content.xml': begin + end })],
  ['another mimetype', zipOf({ mimetype: 'application/zip', 'content.xml': begin + end })],
  ['no content', zipOf({ mimetype: 'application/vnd.oasis.opendocument.text' })],
  ['a bomb', bomb],
  ['a NUL in the XML', fileOf(`${begin}\0${end}`)],
  ['a NUL in the mimetype', fileOf(begin + end, { mimetype: 'application/vnd.oasis.opendocument.text\0' })],
  ['invalid UTF-8', fileOf(begin + end, { 'content.xml': Uint8Array.from([0x3c, 0x61, 0xff, 0xfe]) })],
  ['UTF-16', fileOf(begin + end, { 'content.xml': Buffer.from(`\ufeff${begin}${end}`, 'utf16le') })],
  ['entities', fileOf(`<!DOCTYPE a [<!ENTITY b "c">]>${begin}&b;${end}`)],
  ['an external entity', fileOf(`<!DOCTYPE a SYSTEM "file:///etc/passwd">${begin}${end}`)],
  ['encryption', fileOf(begin + end, { 'META-INF/manifest.xml': '<encryption-data/>' })],
  [
    'many attributes',
    fileOf(`${begin}<text:span ${Array.from({ length: 5_000 }, (_, at) => `a${at}="b"`).join(' ')}/>${end}`),
  ],
  ['a long attribute', fileOf(`${begin}<text:span a="${repeat('b ')}"/>${end}`)],
  [
    'many entries',
    fileOf(begin + end, Object.fromEntries(Array.from({ length: 11_000 }, (_, at) => [`p${at}`, '']))),
  ],
];

test('fifty hostile OpenDocument files are refused or read within the limits of the sandbox', {
  timeout: 600_000,
}, async () => {
  expect(files.length).toBeGreaterThanOrEqual(50);
  const languages = { sourceLanguage: 'en', targetLanguage: 'ar' };
  let refused = 0;
  for (const [at, [name, bytes]] of files.entries()) {
    const scope = { tenantId: `opendocument ${at}` };
    const started = performance.now();
    const extracted = await fileWork
      .run('extract_document', { format: 'odt', bytes: bytes.slice(), languages }, scope)
      .catch((error: unknown) => {
        const problem = fileErrorOf(error);
        if (!problem) throw new Error(`${name}: ${String(error)}`, { cause: error });
        return { refused: problem.reason, message: problem.message };
      });
    expect([name, performance.now() - started < 20_000]).toEqual([name, true]);
    if ('refused' in extracted) {
      refused++;
      expect(extracted.message.length).toBeGreaterThan(10);
      continue;
    }
    expect([name, extracted.outcome?.unaccounted]).toEqual([name, 0]);
    const translations = extracted.segments
      .slice(0, 10)
      .map(({ regionId, cellId }) => ({ regionId, cellId, target: ['x'] }));
    const rebuilt = await fileWork.run(
      'rebuild_document',
      { format: 'odt', bytes: bytes.slice(), translations, options: languages },
      scope,
    );
    expect([name, 'refused' in rebuilt]).toEqual([name, false]);
  }
  console.log(`${refused} of ${files.length} files were refused`);
  expect(refused).toBeGreaterThan(10);
});
