import { describe, expect, it } from 'vitest';
import { field, link, mark, paragraph, run, textsOf, translate, written } from './docx-file.ts';

const fieldCode = (code: string): string => `<w:r><w:instrText>${code}</w:instrText></w:r>`;
const simple = (code: string, ...content: string[]): string =>
  `<w:fldSimple w:instr="${code}">${content.join('')}</w:fldSimple>`;
const tab = '<w:r><w:tab/></w:r>';

describe('fields', () => {
  it.each<[rule: string, content: string, texts: string[]]>([
    [
      'the result of a cross reference is text',
      field(' REF _Ref1 \\h ', run('Figure 3')),
      ['See <1>Figure 3</1> here'],
    ],
    ['so is that of a simple field', simple('STYLEREF x', run('Intro')), ['See <1>Intro</1> here']],
    ['the result of a page number is not', field(' PAGE ', run('III')), ['See <1/> here']],
    ['in a simple field neither', simple(' NUMPAGES \\* MERGEFORMAT', run('iii')), ['See <1/> here']],
    ['nor of a formula', field(' =SUM(ABOVE) ', run('five')), ['See <1/> here']],
    [
      'a field without a result is one tag',
      mark('begin') + fieldCode('DATE') + mark('end'),
      ['See <1/> here'],
    ],
    [
      'an entry of an index is no tag',
      mark('begin') + fieldCode('XE "valve"') + mark('end'),
      ['valve', 'See  here'],
    ],
    [
      'a field in a code belongs to the code',
      mark('begin') +
        fieldCode('IF ') +
        field('PAGE', run('p')) +
        fieldCode(' = 1') +
        mark('separate') +
        run('first') +
        mark('end'),
      ['See <1>first</1> here'],
    ],
    [
      'a field in a live result belongs to the result',
      field('FORMTEXT', run('a'), field('REF x', run('b')), run('c')),
      ['See <1/> here'],
    ],
    [
      'a field in a text result has a tag of its own',
      field('HYPERLINK "x"', run('page '), field('PAGE', run('3'))),
      ['See <1>page <2/></1> here'],
    ],
    [
      'all in one run',
      '<w:r><w:fldChar w:fldCharType="begin"/><w:instrText>PAGE</w:instrText><w:fldChar w:fldCharType="separate"/><w:t>three</w:t><w:fldChar w:fldCharType="end"/></w:r>',
      ['See <1/> here'],
    ],
  ])('%s', async (_, content, texts) => {
    expect(await textsOf(paragraph(run('See '), content, run(' here')))).toEqual(texts);
  });

  it('the result of a field may extend over paragraphs, as of a table of contents', async () => {
    const body =
      paragraph(
        mark('begin'),
        fieldCode('TOC'),
        mark('separate'),
        link(run('One'), tab, field('PAGEREF a', run('i'))),
      ) +
      paragraph(link(run('Two'), tab, field('PAGEREF b', run('ii')))) +
      paragraph(mark('end'), run('Body'));
    expect(await textsOf(body)).toEqual(['One', 'Two', 'Body']);
  });

  it('a live result may, too', async () => {
    const body =
      paragraph(run('Name '), mark('begin'), fieldCode('FORMTEXT'), mark('separate'), run('Jane')) +
      paragraph(link(run('Doe'))) +
      paragraph(run('Street'), mark('end'), run('City'));
    expect(await textsOf(body)).toEqual(['Name', 'City']);
  });

  it('a begin without an end hides nothing', async () => {
    const body =
      paragraph(run('a'), mark('begin'), fieldCode('FORMTEXT'), mark('separate'), run('b')) +
      paragraph(run('c'));
    expect(await textsOf(body)).toEqual(['a<1/>b', 'c']);
  });

  it('a field may begin in a content control and end behind it', async () => {
    const body =
      `<w:sdt><w:sdtContent>${paragraph(mark('begin'), fieldCode('TOC'), mark('separate'), run('One'))}</w:sdtContent></w:sdt>` +
      paragraph(mark('end'), run('Body'));
    expect(await textsOf(body)).toEqual(['Body']);
  });

  it('in headers and footers every field stays as it is', async () => {
    const content = paragraph(run('Chapter '), field('STYLEREF 1', run('Intro')), run(' of us'));
    const parts = { header1: `<w:hdr>${content}</w:hdr>`, footer1: `<w:ftr>${content}</w:ftr>` };
    expect(await textsOf(content, parts)).toEqual([
      'Chapter <1/> of us',
      'Chapter <1>Intro</1> of us',
      'Chapter <1/> of us',
    ]);
  });
});

it('words in the code of a field and in a field inside of that code are both translated', async () => {
  const code = (words: string) => fieldCode(`XE "${words}"`);
  const nested = (outer: string, inner: string) =>
    mark('begin') + code(outer) + mark('begin') + code(inner) + mark('end') + mark('end');
  const { body } = await translate(paragraph(nested('one', 'two')), ['deux', 'un']);
  expect(body).toBe(paragraph(nested('un', 'deux')));
});

describe('fields over several paragraphs', () => {
  const begin = `${mark('begin')}<w:r><w:instrText>TOC</w:instrText></w:r>${mark('separate')}`;
  const marksOf = (xml: string): string[] =>
    [...xml.matchAll(/fldCharType="(\w+)"/g)].map(([, type]) => type!);

  it('keep their order where the translation moves the tags', async () => {
    const source = paragraph(run('a '), begin, run('b '), link(run('c')), run(' d')) + paragraph(mark('end'));
    const { body, findings } = await translate(source, ['<2>x</2> y <1/> z']);
    expect(marksOf(body)).toEqual(marksOf(source));
    expect(body).toBe(paragraph(begin, link(written('x')), written(' y  z')) + paragraph(mark('end')));
    expect(findings).toEqual([
      {
        severity: 'warning',
        code: 'low_segment_quality',
        message: expect.stringContaining('word/document.xml, paragraph 1'),
        unitId: 'p1',
      },
    ]);
  });

  it('a link that the translation takes out of a field is put back, with a finding for its cell', async () => {
    const source = `<w:tbl><w:tr><w:tc>${paragraph(run('a '), field('QUOTE', run('b '), link(run('c'))), run(' d'))}</w:tc></w:tr></w:tbl>`;
    expect(await textsOf(source)).toEqual(['a <1>b <2>c</2></1> d']);
    const moved = await translate(source, ['w <2>x</2> <1>y</1> z']);
    expect(moved.findings).toMatchObject([{ code: 'low_segment_quality', unitId: 'r1c1' }]);
    expect(marksOf(moved.body)).toEqual(marksOf(source));
    const kept = await translate(source, ['<1><2>x</2> y</1> z w']);
    expect(kept.findings).toEqual([]);
  });
});
