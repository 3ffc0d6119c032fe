import { describe, expect, it } from 'vitest';
import { extract, rebuild } from '#server/formats/docx.ts';
import { field, link, paragraph, run, textsOf, translate, wordFile, written } from './docx-file.ts';
import { partsOf } from './docx-walk.ts';

const tab = '<w:r><w:tab/></w:r>';

describe('a tab', () => {
  it.each<[rule: string, body: string, texts: string[]]>([
    [
      'separates texts',
      paragraph(run('Left'), tab, run('In the center'), tab, run('Right')),
      ['Left', 'In the center', 'Right'],
    ],
    [
      'does not separate a text from its label',
      paragraph(run('(a)'), tab, run('The tenant pays.')),
      ['(a)<1/>The tenant pays.'],
    ],
    [
      'leaves figures around a text outside',
      paragraph(run('1.'), tab, run('The tenant pays'), tab, run('12')),
      ['The tenant pays'],
    ],
    [
      'inside of a sentence is a tag',
      paragraph(run('Agreed between'), tab, tab, run('and the tenant')),
      ['Agreed between<1/>and the tenant'],
    ],
    [
      'inside of a link is a tag',
      paragraph(run('See '), link(run('One'), tab, run('Two')), run(' here')),
      ['See <1>One<2/>Two</1> here'],
    ],
    [
      'inside of a link around everything separates',
      paragraph(link(run('One'), tab, run('Two'))),
      ['One', 'Two'],
    ],
    [
      'does not take a page number from its sentence',
      paragraph(run('Report'), tab, field('PAGE', run('3')), run(' of 12 pages')),
      ['Report', '<1/> of 12 pages'],
    ],
    [
      'separates texts in scripts without capitals',
      paragraph(run('報告書'), tab, run('社外秘')),
      ['報告書', '社外秘'],
    ],
  ])('%s', async (_, body, texts) => {
    expect(await textsOf(body)).toEqual(texts);
  });

  it('gives each text a key and a place', async () => {
    const body =
      paragraph(run('Left'), tab, run('Right')) +
      `<w:tbl><w:tr><w:tc>${paragraph(run('1.'), tab, run('Text'))}</w:tc></w:tr></w:tbl>`;
    const { segments } = await extract(wordFile(body));
    expect(segments.map(({ regionId, cellId, place }) => [regionId, cellId, place])).toEqual([
      ['p1s1', null, 'word/document.xml, paragraph 1, text 1'],
      ['p1s2', null, 'word/document.xml, paragraph 1, text 2'],
      ['t1', 'r1c1s1', 'word/document.xml, table 1, row 1, cell 1, text 1'],
    ]);
  });

  it('stays between its texts, with everything else that is there', async () => {
    const source = paragraph(run(' One '), tab, run('Two'), tab, run('12', '<w:b/>'), tab);
    const { body } = await translate(source, ['Eins', 'Zwei']);
    expect(body).toBe(paragraph(written(' Eins '), tab, written('Zwei'), tab, run('12', '<w:b/>'), tab));
  });

  const source = paragraph(run('One', '<w:b/>'), tab, run('Two words'));
  const rebuilt = async (translations: Parameters<typeof rebuild>[1]): Promise<string> => {
    const { bytes } = await rebuild(wordFile(source), translations, {
      sourceLanguage: 'en',
      targetLanguage: 'fr',
    });
    return partsOf(bytes)['word/document.xml']!;
  };

  it('has a text without a translation unchanged at its side', async () => {
    expect(await rebuilt([{ regionId: 'p1s2', cellId: null, target: ['Deux'] }])).toContain(
      run('One', '<w:b/>') + tab + written('Deux'),
    );
  });
});

it('figures between tabs turn with their paragraph', async () => {
  const { body } = await translate(paragraph(run('1.'), tab, run('Text')), ['نص'], { to: 'ar' });
  expect(body).toContain('<w:rPr><w:rtl/><w:lang w:bidi="ar-EG"/></w:rPr><w:t xml:space="preserve">1.</w:t>');
});

it('the entries of a table of contents are the same texts as the headings, so that they get the same translation', async () => {
  const entry = (...content: string[]): string =>
    link(...content, tab, field(' PAGEREF _Toc1 \\h ', run('3')));
  const [begin, end] = field(' TOC \\o "1-3" \\h ', '|').split('|') as [string, string];
  const body =
    paragraph(begin, entry(run('1', '<w:noProof/>'), tab, run('Scope', '<w:noProof/>'))) +
    paragraph(entry(run('2'), tab, run('Terms'))) +
    paragraph(end) +
    paragraph('<w:bookmarkStart w:id="1" w:name="_Toc1"/>', run('Scope'), '<w:bookmarkEnd w:id="1"/>') +
    paragraph(run('2'), tab, run('Ter'), run('ms', '<w:lang w:val="en-US"/>'));
  expect(await textsOf(body)).toEqual(['Scope', 'Terms', 'Scope', 'Terms']);
});
