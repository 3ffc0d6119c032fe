import { describe, expect, it } from 'vitest';
import { check, extract } from '#server/formats/pptx.ts';
import { zipOf } from './flatten-zip.ts';
import {
  body,
  type Deck,
  deckFiles,
  deckOf,
  paragraph,
  type Related,
  read,
  root,
  run,
  shape,
  slideOf,
  translate,
  written,
} from './pptx-file.ts';

const notes = (text: string): Related => [
  'notesSlides/notesSlide1.xml',
  'notesSlide',
  root('p:notes', `<p:cSld><p:spTree>${shape(paragraph(run(text)))}</p:spTree></p:cSld>`),
];

const oneSlide = (...related: Related[]): Deck => slideOf(shape(paragraph(run('Text'))), ...related);

describe('speaker notes', () => {
  it('are segments after the texts of their slide', async () => {
    const { texts, segments } = await read(oneSlide(notes('Say hello')));
    expect(texts).toEqual(['slide1-p1 Text', 'notes1-p1 Say hello']);
    expect([segments[1]!.place, segments[1]!.page]).toEqual(['slide 1, notes, paragraph 1', 1]);
    expect(segments[1]).not.toHaveProperty('rectangles');
  });

  it('are written into their part', async () => {
    const { parts } = await translate(oneSlide(notes('Say hello')), ['Texte', 'Dites bonjour']);
    expect(parts['ppt/notesSlides/notesSlide1.xml']).toContain(written('Dites bonjour'));
  });
});

describe('charts', () => {
  const cache = (...names: string[]): string =>
    `<c:strRef><c:f>A</c:f><c:strCache>${names.map((name, index) => `<c:pt idx="${index}"><c:v>${name}</c:v></c:pt>`).join('')}</c:strCache></c:strRef>`;
  const chart: Related = [
    'charts/chart1.xml',
    'chart',
    root(
      'c:chartSpace',
      `<c:title><c:tx><c:rich>${paragraph(run('Sales'))}</c:rich></c:tx></c:title><c:ser><c:cat>${cache('North', 'South')}</c:cat></c:ser><c:ser><c:cat>${cache('North', 'South')}</c:cat></c:ser>`,
    ),
    ['embeddings/data.xlsx', 'package', 'x'],
  ];

  it('have their titles and names as segments, each name once', async () => {
    const { texts, messages, unaccounted } = await read(oneSlide(chart));
    expect(texts).toEqual([
      'slide1-p1 Text',
      'slide1-chart1-p1 Sales',
      'slide1-chart1-p2 North',
      'slide1-chart1-p3 South',
    ]);
    expect(messages).toEqual([
      'the data sheet of 1 chart is not translated; if the data are edited in PowerPoint, the names of the source replace the translations',
    ]);
    expect(unaccounted).toBe(0);
  });

  it('have translated names in each copy', async () => {
    const { parts } = await translate(oneSlide(chart), ['Texte', 'Ventes', 'Nord', 'Sud']);
    const xml = parts['ppt/charts/chart1.xml']!;
    expect([xml.match(/<c:v>Nord<\/c:v>/g)?.length, xml.includes('North'), xml.includes('Ventes')]).toEqual([
      2,
      false,
      true,
    ]);
  });
});

describe('SmartArt', () => {
  const point = (text: string): string =>
    `<dgm:pt>${body(paragraph(run(text)), '<a:bodyPr/>', 'dgm:t')}</dgm:pt>`;
  const drawn = (text: string): string =>
    `<dsp:sp><dsp:spPr/>${body(paragraph(run(text, ' sz="1200"')), '<a:bodyPr/>', 'dsp:txBody')}</dsp:sp>`;
  const diagram = (...shapes: string[]): Related[] => [
    [
      'diagrams/data1.xml',
      'diagramData',
      root('dgm:dataModel', `<dgm:ptLst>${point('Plan')}${point('Do')}</dgm:ptLst>`),
    ],
    [
      'diagrams/drawing1.xml',
      'diagramDrawing',
      root('dsp:drawing', `<dsp:spTree>${shapes.join('')}</dsp:spTree>`),
    ],
  ];

  it('has each text once, although its drawing repeats it', async () => {
    const { texts, segments, unaccounted } = await read(oneSlide(...diagram(drawn('Do'), drawn('Plan'))));
    expect(texts).toEqual(['slide1-p1 Text', 'slide1-diagram1-p1 Plan', 'slide1-diagram1-p2 Do']);
    expect([segments[1]!.kind, segments[1]!.place]).toEqual([
      'text_block',
      'slide 1, diagram 1, paragraph 1',
    ]);
    expect(unaccounted).toBe(0);
  });

  it('has the translation in its data and in its drawing', async () => {
    const { parts } = await translate(oneSlide(...diagram(drawn('Do'), drawn('Plan'))), [
      'Texte',
      'Planifier',
      'Faire',
    ]);
    expect(parts['ppt/diagrams/data1.xml']).toContain(written('Planifier'));
    expect(parts['ppt/diagrams/drawing1.xml']).toMatch(/Faire.*Planifier/s);
  });

  it('has other texts of its drawing as segments, too', async () => {
    const { texts } = await read(oneSlide(...diagram(drawn('Plan'), drawn('Another'))));
    expect(texts).toContain('slide1-diagram1-drawing-p2 Another');
  });
});

describe('a preview of SmartArt that is not read', () => {
  const data: Related = [
    'diagrams/data1.xml',
    'diagramData',
    root(
      'dgm:dataModel',
      `<dgm:ptLst><dgm:pt>${body(paragraph(run('Plan')), '<a:bodyPr/>', 'dgm:t')}</dgm:pt></dgm:ptLst>`,
    ),
  ];
  const relationship = `<Relationship Id="old" Type="http://schemas.microsoft.com/office/2007/relationships/diagramDrawing" Target="../diagrams/drawing9.xml"/>`;

  it.each([
    ['of an older kind', '<p:oldDrawing xmlns:p="old"><p:sp>Plan</p:sp></p:oldDrawing>'],
    ['that is no XML', 'not XML'],
    ['that is missing', undefined],
  ])('%s does not refuse the file', async (_, content) => {
    const files = deckFiles(oneSlide(data));
    const rels = 'ppt/slides/_rels/slide1.xml.rels';
    files[rels] = String(files[rels]).replace('</Relationships>', `${relationship}</Relationships>`);
    if (content) files['ppt/diagrams/drawing9.xml'] = content;
    const { segments } = await extract(zipOf(files));
    expect(segments.map(({ source }) => source.join(''))).toEqual(['Text', 'Plan']);
  });
});

describe('alternative content for older programs', () => {
  const alternatives =
    `<mc:AlternateContent><mc:Choice Requires="a14">${shape(paragraph(run('New')))}</mc:Choice>` +
    `<mc:Fallback>${shape(paragraph(run('New')))}${shape(paragraph(run('Old')))}</mc:Fallback></mc:AlternateContent>`;

  it('has its repeated texts once, and both copies are translated', async () => {
    const { texts, unaccounted } = await read(slideOf(alternatives));
    expect(texts).toEqual(['slide1-p1 New', 'slide1-p3 Old']);
    expect(unaccounted).toBe(0);
    const { shapes } = await translate(slideOf(alternatives), ['Neuf', 'Vieux']);
    expect(shapes.match(/Neuf/g)?.length).toBe(2);
  });
});

describe('pictures', () => {
  const picture = '<p:pic><p:blipFill><a:blip r:embed="rId9"/></p:blipFill></p:pic>';

  it('are counted with their slides, but not copies for older programs', async () => {
    const copy = `<mc:AlternateContent><mc:Fallback>${picture}</mc:Fallback></mc:AlternateContent>`;
    const { messages } = await read({
      slides: [
        { shapes: copy },
        { shapes: picture, hidden: true },
        { shapes: picture + picture },
        { shapes: picture },
      ],
    });
    expect(messages).toContain('4 pictures are kept (slides 2, 3, 4); text in pictures is not translated');
  });
});

describe('comments', () => {
  const old: Related = [
    'comments/comment1.xml',
    'comments',
    root('p:cmLst', '<p:cm><p:text>Check this</p:text></p:cm>'),
  ];
  const threaded: Related = [
    'comments/modern.xml',
    'comments',
    root(
      'p188:cmLst',
      `<p188:cm>${body(paragraph(run('A comment')), '<a:bodyPr/>', 'p188:txBody')}</p188:cm>`,
    ),
  ];

  it.each([
    ['old', old, 'slide1-comment1 Check this', 'slide 1, comment 1'],
    ['threaded', threaded, 'slide1-comments-p1 A comment', 'slide 1, comments, paragraph 1'],
  ])('in the %s form are translated if the request includes them', async (_, comment, text, place) => {
    const left = await read(oneSlide(comment));
    expect(left.texts).toEqual(['slide1-p1 Text']);
    expect(left.messages).toEqual([
      '1 comment is not translated; add `comments` to `include` to translate them',
    ]);
    expect(left.unaccounted).toBe(0);
    const { texts, segments } = await read(oneSlide(comment), { include: ['comments'] });
    expect(texts).toEqual(['slide1-p1 Text', text]);
    expect(segments[1]!.place).toBe(place);
    const { parts } = await translate(oneSlide(comment), ['Texte', 'Un commentaire'], {
      include: ['comments'],
    });
    expect(parts[`ppt/${comment[0]}`]).toContain('Un commentaire');
  });
});

describe('hidden slides and shapes', () => {
  const deck: Deck = {
    slides: [
      { shapes: shape(paragraph(run('Shown'))) + shape(paragraph(run('Hidden shape')), { hidden: true }) },
      { shapes: shape(paragraph(run('Hidden slide'))), hidden: true, related: [notes('Hidden notes')] },
    ],
  };

  it('are left out, counted and named', async () => {
    const { texts, messages, kept, unaccounted } = await read(deck);
    expect(texts).toEqual(['slide1-p1 Shown']);
    expect(messages).toEqual([
      '1 hidden slide is not translated; add `hidden` to `include` to translate them',
    ]);
    expect(kept).toEqual(['not_selected hidden 33']);
    expect(unaccounted).toBe(0);
  });

  it('are segments if the request includes them', async () => {
    const { texts, messages } = await read(deck, { include: ['hidden'] });
    expect(texts).toEqual([
      'slide1-p1 Shown',
      'slide1-p2 Hidden shape',
      'slide2-p1 Hidden slide',
      'notes2-p1 Hidden notes',
    ]);
    expect(messages).toEqual([]);
  });
});

describe('masters and layouts', () => {
  const deck: Deck = {
    ...oneSlide(),
    layout: shape(paragraph(run('Company'))),
    master: shape(paragraph(run('Click to edit')), { placeholder: 'type="title"' }),
  };

  it('are translated only on request', async () => {
    const { texts, kept, messages } = await read(deck);
    expect([texts, kept, messages]).toEqual([['slide1-p1 Text'], ['not_selected masters 18'], []]);
    const included = await read(deck, { include: ['masters'] });
    expect(included.texts).toEqual(['slide1-p1 Text', 'master1-p1 Click to edit', 'layout1-p1 Company']);
    expect(included.segments.map(({ place, page }) => [place, page]).slice(1)).toEqual([
      ['master 1, paragraph 1', null],
      ['layout 1, paragraph 1', null],
    ]);
    const { parts } = await translate(deck, ['Texte', 'Modifiez', 'Société'], { include: ['masters'] });
    expect(parts['ppt/slideLayouts/slideLayout1.xml']).toContain(written('Société'));
  });
});

describe('selected slides', () => {
  const deck: Deck = {
    slides: ['One', 'Two', 'Three'].map((text) => ({ shapes: shape(paragraph(run(text))) })),
  };

  it('are the only ones with segments', async () => {
    const { texts, messages, kept } = await read(deck, { pages: ['2-'] });
    expect(texts).toEqual(['slide2-p1 Two', 'slide3-p1 Three']);
    expect(messages).toEqual(['1 slide is not selected; the text stays unchanged']);
    expect(kept).toEqual(['not_selected pages 3']);
  });

  it('must exist', async () => {
    await expect(read(deck, { pages: ['4'] })).rejects.toMatchObject({ reason: 'selection' });
  });
});

describe('a broken file', () => {
  const files = deckFiles(oneSlide(notes('Notes')));
  const rejected = (changes: Record<string, string | undefined>) => {
    const all = Object.entries({ ...files, ...changes }).filter(
      (file): file is [string, string] => file[1] !== undefined,
    );
    return expect(check(zipOf(Object.fromEntries(all)))).rejects;
  };

  it.each([
    [
      'slides/slide1.xml',
      '<p:sld><p:cSld>',
      /^ppt\/slides\/slide1\.xml: the XML in the file is not well-formed/,
    ],
    ['slides/slide1.xml', '<x/>', /^ppt\/slides\/slide1\.xml is not a part of a presentation/],
    ['slides/slide1.xml', undefined, /^ppt\/slides\/slide1\.xml: the Office file refers to a missing part/],
    ['notesSlides/notesSlide1.xml', '<p:notes>', /^ppt\/notesSlides\/notesSlide1\.xml: the XML/],
    ['slideLayouts/slideLayout1.xml', '&', /^ppt\/slideLayouts\/slideLayout1\.xml: the XML/],
    ['_rels/presentation.xml.rels', '<Relationships/>', /^ppt\/presentation\.xml: slide 1 is missing/],
    ['presentation.xml', '<w:document/>', /^ppt\/presentation\.xml: the file is not a presentation/],
  ])('is rejected with an error that names %s', async (path, content, message) => {
    await rejected({ [`ppt/${path}`]: content }).toMatchObject({
      name: 'FileError',
      reason: 'unreadable',
      message: expect.stringMatching(message),
    });
  });

  it('that is empty or of another kind is rejected', async () => {
    await expect(check(new Uint8Array())).rejects.toMatchObject({ reason: 'empty' });
    await expect(check(new TextEncoder().encode('no zip'))).rejects.toMatchObject({ reason: 'unreadable' });
    await expect(check(zipOf({ 'a.txt': 'a' }))).rejects.toMatchObject({ reason: 'unreadable' });
  });

  it('without text has a finding', async () => {
    expect((await read(slideOf(shape(paragraph(run('42')))))).messages).toEqual([
      'the file has no text to translate',
    ]);
    expect(deckOf(slideOf('')).length).toBeGreaterThan(0);
  });
});
