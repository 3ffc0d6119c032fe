import { afterAll, expect, test } from 'vitest';
import { fileErrorOf, openFileWork } from '#server/platform/sandbox/file-work.ts';
import { zipOf } from '#test/formats/flatten-zip.ts';
import { body, deckFiles, link, paragraph, root, run, shape, slideOf } from '#test/formats/pptx-file.ts';

const fileWork = openFileWork();
afterAll(() => fileWork.close());

type Files = Record<string, string | Uint8Array>;

/** XML of about a megabyte that repeats a piece. */
const repeat = (piece: string) => piece.repeat(Math.floor(1_000_000 / piece.length));
const nested = (depth: number, open: string, inner: string, close: string) =>
  open.repeat(depth) + inner + close.repeat(depth);
const deck = (shapes: string): Files => deckFiles(slideOf(shapes));
const slidePath = 'ppt/slides/slide1.xml';
const text = paragraph(run('A text'));
const relationship = (id: string, type: string, target: string) =>
  `<Relationship Id="${id}" Type="http://x/${type}" Target="${target}"/>`;

/** Slides that repeat a piece in a paragraph, in a text body, or among the shapes. */
const inParagraph: [string, string][] = [
  ['runs', run('x')],
  ['runs with formats', run('x ', ' b="1"') + run('y ')],
  ['links', link('x ') + run('y ')],
  ['breaks', '<a:br/>'],
  ['fields', '<a:fld id="{1}" type="slidenum"><a:t>7</a:t></a:fld>x'],
  ['empty runs', '<a:r/>'],
  ['properties', '<a:pPr/>'],
  ['marks of paragraphs', '<a:endParaRPr/>'],
  ['unknown elements', '<x:y xmlns:x="z"/>'],
  ['declarations', '<a:r xmlns:q="q"><a:t>x</a:t></a:r>'],
  ['tabs', '<a:r><a:t>a\t</a:t></a:r>'],
  ['runs with many texts', '<a:r><a:t>a</a:t><a:t>b</a:t></a:r>'],
  ['formulas', '<a14:m xmlns:a14="m"><m:oMath/></a14:m>'],
  ['blanks', run('Name ______ ')],
];
const inBody: [string, string][] = [
  ['paragraphs', '<a:p><a:r><a:t>x</a:t></a:r></a:p>'],
  ['empty paragraphs', '<a:p/>'],
  ['body properties', '<a:bodyPr><a:normAutofit fontScale="NaN"/></a:bodyPr>'],
  ['lists', '<a:lstStyle><a:lvl1pPr><a:defRPr sz="x"/></a:lvl1pPr></a:lstStyle>'],
  ['levels', '<a:p><a:pPr lvl="99999999999"/><a:r><a:t>x</a:t></a:r></a:p>'],
];
const inTree: [string, string][] = [
  ['shapes', shape(text)],
  [
    'groups',
    '<p:grpSp><p:grpSpPr><a:xfrm><a:chOff x="9" y="9"/><a:chExt cx="0" cy="0"/></a:xfrm></p:grpSpPr></p:grpSp>',
  ],
  [
    'alternatives',
    `<mc:AlternateContent><mc:Choice>${shape(text)}</mc:Choice><mc:Fallback>${shape(text)}</mc:Fallback></mc:AlternateContent>`,
  ],
  ['embedded objects', '<p:graphicFrame><p:oleObj/></p:graphicFrame>'],
  ['placeholders', shape(text, { placeholder: 'type="body" idx="99999"' })],
];
const column = '<a:gridCol w="1"/>';
const cell = `<a:tc gridSpan="999999999">${body(text, '<a:bodyPr/>', 'a:txBody')}</a:tc>`;

/** Changed files of a presentation with one slide. */
const changed: [string, Files][] = [
  ['no slides', { 'ppt/presentation.xml': root('p:presentation', '') }],
  [
    'a slide many times',
    {
      'ppt/presentation.xml': root(
        'p:presentation',
        `<p:sldIdLst>${repeat('<p:sldId r:id="rId1"/>')}</p:sldIdLst>`,
      ),
    },
  ],
  [
    'slides without a part',
    {
      'ppt/presentation.xml': root(
        'p:presentation',
        `<p:sldIdLst>${repeat('<p:sldId r:id="r"/>')}</p:sldIdLst>`,
      ),
    },
  ],
  [
    'a master that is its own layout',
    {
      'ppt/slideMasters/_rels/slideMaster1.xml.rels': `<Relationships>${relationship('a', 'slideLayout', 'slideMaster1.xml')}</Relationships>`,
    },
  ],
  [
    'a slide that is its own notes',
    {
      'ppt/slides/_rels/slide1.xml.rels': `<Relationships>${relationship('a', 'notesSlide', 'slide1.xml')}</Relationships>`,
    },
  ],
  [
    'a slide that is its own chart',
    {
      'ppt/slides/_rels/slide1.xml.rels': `<Relationships>${relationship('a', 'chart', 'slide1.xml')}</Relationships>`,
    },
  ],
  [
    'many relationships',
    {
      'ppt/slides/_rels/slide1.xml.rels': `<Relationships>${repeat(relationship('a', 'chart', 'c.xml'))}</Relationships>`,
    },
  ],
  [
    'paths outside',
    {
      'ppt/slides/_rels/slide1.xml.rels': `<Relationships>${relationship('a', 'notesSlide', '../../../../etc/passwd')}</Relationships>`,
    },
  ],
  [
    'an external part',
    {
      'ppt/slides/_rels/slide1.xml.rels': `<Relationships><Relationship Id="a" Type="x/notesSlide" Target="http://x/" TargetMode="External"/></Relationships>`,
    },
  ],
  [
    'entities',
    {
      [slidePath]: `<!DOCTYPE a [<!ENTITY b "${'x'.repeat(100_000)}">]><p:sld>${'&b;'.repeat(1000)}</p:sld>`,
    },
  ],
  [
    'an external entity',
    { [slidePath]: '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><p:sld>&b;</p:sld>' },
  ],
  ['half of the XML', { [slidePath]: '<p:sld><p:cSld><p:spTree>' }],
  ['another root', { [slidePath]: '<w:document/>' }],
  ['an empty part', { [slidePath]: '' }],
  ['bytes that are no text', { [slidePath]: new Uint8Array(10_000).fill(0xff) }],
  [
    'many attributes',
    { [slidePath]: `<p:sld ${Array.from({ length: 100_000 }, (_, at) => `a${at}="x"`).join(' ')}/>` },
  ],
  ['a long attribute', { [slidePath]: root('p:sld', '', ` show="${repeat('x')}"`) }],
  ['deep elements', { [slidePath]: nested(1_000_000, '<a>', '', '</a>') }],
  ['a zip bomb', { [slidePath]: Buffer.alloc(190_000_000, ' ') }],
  [
    'a huge slide',
    {
      [slidePath]: Buffer.from(
        root('p:sld', `<p:cSld><p:spTree>${shape(text).repeat(150_000)}</p:spTree></p:cSld>`),
      ),
    },
  ],
  [
    'many old comments',
    {
      'ppt/slides/_rels/slide1.xml.rels': `<Relationships>${relationship('a', 'comments', 'c.xml')}</Relationships>`,
      'ppt/slides/c.xml': root('p:cmLst', repeat('<p:cm><p:text>x</p:text></p:cm>')),
    },
  ],
  [
    'a chart of many names',
    {
      'ppt/slides/_rels/slide1.xml.rels': `<Relationships>${relationship('a', 'chart', 'c.xml')}</Relationships>`,
      'ppt/slides/c.xml': root(
        'c:chartSpace',
        `<c:strCache>${Array.from({ length: 60_000 }, (_, at) => `<c:pt><c:v>n${at}</c:v></c:pt>`).join('')}</c:strCache>`,
      ),
    },
  ],
];

const hostile: [string, Uint8Array][] = [
  ...inParagraph.map(([name, piece]): [string, Files] => [
    `${name} in a paragraph`,
    deck(shape(paragraph(repeat(piece)))),
  ]),
  ...inBody.map(([name, piece]): [string, Files] => [
    `${name} in a body`,
    deck(shape(repeat(piece), { frame: [0, 0, 0, 0] })),
  ]),
  ...inTree.map(([name, piece]): [string, Files] => [`${name} on a slide`, deck(repeat(piece))]),
  ...(
    [
      ['deep groups', nested(1500, '<p:grpSp>', shape(text), '</p:grpSp>')],
      [
        'deep alternatives',
        nested(
          900,
          '<mc:AlternateContent><mc:Fallback>',
          shape(text),
          '</mc:Fallback></mc:AlternateContent>',
        ),
      ],
      ['deep bodies', nested(600, '<p:sp><p:txBody><a:p>', run('x'), '</a:p></p:txBody></p:sp>')],
      [
        'a table of wide cells',
        `<p:graphicFrame><p:xfrm><a:off x="NaN" y="-1"/><a:ext cx="1e400" cy="-5"/></p:xfrm><a:tbl><a:tblGrid>${column.repeat(20_000)}</a:tblGrid><a:tr h="1">${cell.repeat(5000)}</a:tr></a:tbl></p:graphicFrame>`,
      ],
      ['one long word', shape(paragraph(run(repeat('x'))), { frame: [0, 0, 1, 1] })],
      ['one long link', shape(paragraph(link(repeat('x '))))],
    ] as const
  ).map(([name, shapes]): [string, Files] => [name, deck(shapes)]),
  ...changed.map(([name, files]): [string, Files] => [name, { ...deck(shape(text)), ...files }]),
].map(([name, files]) => [name, zipOf(files)]);

test('fifty hostile presentations are refused or translated within the limits of the sandbox', {
  timeout: 900_000,
}, async () => {
  expect(hostile.length).toBeGreaterThanOrEqual(50);
  const languages = { sourceLanguage: 'en', targetLanguage: 'ar' };
  const slow: [string, number][] = [];
  let refused = 0;
  for (const [at, [name, bytes]] of hostile.entries()) {
    // Each file is of another workspace: the next file of a workspace with a hostile one is deferred.
    const scope = { tenantId: `presentation ${at}` };
    const started = performance.now();
    const refusal = (error: unknown) => {
      const found = fileErrorOf(error);
      if (!found) throw new Error(`${name}: ${String(error)}`, { cause: error });
      return { refused: found.reason, message: found.message };
    };
    const extracted = await fileWork
      .run('extract_document', { format: 'pptx', bytes, languages }, scope)
      .catch(refusal);
    if ('refused' in extracted) {
      refused++;
      expect(extracted.message.length).toBeGreaterThan(10);
    } else {
      const translations = extracted.segments.slice(0, 10).map(({ regionId, cellId, source }) => ({
        ...{ regionId, cellId },
        target: ['a longer translation ', ...source],
      }));
      const rebuilt = await fileWork
        .run('rebuild_document', { format: 'pptx', bytes, translations, options: languages }, scope)
        .catch(refusal);
      if ('refused' in rebuilt) refused++;
    }
    const milliseconds = performance.now() - started;
    if (milliseconds > 3000) slow.push([name, Math.round(milliseconds)]);
  }
  console.warn(
    `${hostile.length} files, ${refused} refused; more than 3 s: ${slow.map(([name, ms]) => `${name} ${ms} ms`).join(', ') || 'none'}`,
  );
  expect(slow.filter(([, ms]) => ms > 60_000)).toEqual([]);
});
