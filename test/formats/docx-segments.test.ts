import { describe, expect, it } from 'vitest';
import { extract } from '#server/formats/docx.ts';
import { field, link, paragraph, run, textsOf, wordFile } from './docx-file.ts';

const simple = (code: string, ...content: string[]): string =>
  `<w:fldSimple w:instr="${code}">${content.join('')}</w:fldSimple>`;
const drawing = '<w:r><w:drawing><a:x/></w:drawing></w:r>';
const tab = '<w:r><w:tab/></w:r>';

describe('a paragraph as a segment', () => {
  it.each<[rule: string, body: string, texts: string[]]>([
    [
      'runs are one text',
      paragraph(run('un'), run('believ', '<w:lang w:val="en-GB"/>'), run('able')),
      ['unbelievable'],
    ],
    [
      'a hyperlink is a pair of tags',
      paragraph(run('Click '), link(run('here')), run(' now')),
      ['Click <1>here</1> now'],
    ],
    ['a hyperlink around all text needs no tag', paragraph(link(run('All '), run('of it'))), ['All of it']],
    [
      'a pair that begins the text is not cut',
      paragraph(link(run('Here')), run(' it is')),
      ['<1>Here</1> it is'],
    ],
    ['a hyperlink around an image is one tag', paragraph(run('a'), link(drawing), run('b')), ['a<1/>b']],
    [
      'breaks and tabs between texts are tags',
      paragraph(run('a'), tab, run('b'), '<w:r><w:br/></w:r>', run('c')),
      ['a<1/>b<2/>c'],
    ],
    [
      'several in a row are one tag',
      paragraph(run('a'), tab, '<w:r><w:br/></w:r>', drawing, run('b')),
      ['a<1/>b'],
    ],
    [
      'tabs, images and spaces at the edges are not part of the text',
      paragraph(tab, run('  a '), drawing, tab),
      ['a'],
    ],
    [
      'a page number at an edge is, because the sentence has it',
      paragraph(run('Page '), simple('PAGE', run('3'))),
      ['Page <1/>'],
    ],
    ['but not behind a tab', paragraph(run('Chapter'), tab, field('PAGEREF x', run('3'))), ['Chapter']],
    [
      'a no-break hyphen is a hyphen, and a soft hyphen is no text',
      paragraph('<w:r><w:t>a</w:t><w:noBreakHyphen/><w:t>b</w:t><w:softHyphen/><w:t>c</w:t></w:r>'),
      ['a-bc'],
    ],
    [
      'even if they are written as characters, and a run has nothing else',
      paragraph(run('\u00ad'), run('Fach\u00adkraft\u2011Suche'), run('\u00ad', '<w:b/>'), run(' da')),
      ['Fachkraft-Suche da'],
    ],
    [
      'a text without a letter is no segment',
      paragraph(run('12.50 – 13')) + paragraph(run('№ 5, ½')) + paragraph(tab),
      [],
    ],
    [
      'spaces at the edges of a text count only if it says so',
      paragraph('<w:r><w:t> a\n </w:t></w:r>', run('b '), '<w:r><w:t>c</w:t></w:r>'),
      ['ab c'],
    ],
    ['a line feed in a text is a space', paragraph(run('a\nb')), ['a b']],
  ])('%s', async (_, body, texts) => {
    expect(await textsOf(body)).toEqual(texts);
  });
});

describe('keys, kinds and places', () => {
  const cell = (...paragraphs: string[]): string => `<w:tc>${paragraphs.join('')}</w:tc>`;
  const table = (...rows: string[][]): string =>
    `<w:tbl>${rows.map((cells) => `<w:tr>${cells.join('')}</w:tr>`).join('')}</w:tbl>`;

  it('headers, body and footers come in reading order, each paragraph with its key and place', async () => {
    const inner = table([cell(paragraph(run('inner')))]);
    const body =
      paragraph(run('1')) +
      paragraph(run('one')) +
      table(
        [cell(paragraph(run('a'))), cell(paragraph(run('b')), inner, paragraph(run('c')))],
        [cell(paragraph(run('d')))],
      ) +
      `<w:customXml>${paragraph(run('two'))}</w:customXml>` +
      '<w:sectPr><w:footerReference w:type="first" r:id="footer2.xml"/><w:footerReference r:id="footer1.xml"/><w:headerReference r:id="header1.xml"/></w:sectPr>';
    const parts = {
      footer1: `<w:ftr>${paragraph(run('usual'))}</w:ftr>`,
      footer2: `<w:ftr>${table([cell(paragraph(run('first')))])}</w:ftr>`,
      header1: `<w:hdr>${paragraph(run('top'))}</w:hdr>`,
    };
    const { segments } = await extract(wordFile(body, parts));
    const main = 'word/document.xml';
    expect(
      segments.map(({ regionId, cellId, kind, place, source }) => [regionId, cellId, kind, place, ...source]),
    ).toEqual([
      ['header1-p1', null, 'header', 'word/header1.xml, paragraph 1', 'top'],
      ['p2', null, 'paragraph', `${main}, paragraph 2`, 'one'],
      ['t1', 'r1c1', 'table_cell', `${main}, table 1, row 1, cell 1`, 'a'],
      ['t1', 'r1c2', 'table_cell', `${main}, table 1, row 1, cell 2`, 'b'],
      ['t2', 'r1c1', 'table_cell', `${main}, table 2, row 1, cell 1`, 'inner'],
      ['t1', 'r1c2p2', 'table_cell', `${main}, table 1, row 1, cell 2, paragraph 2`, 'c'],
      ['t1', 'r2c1', 'table_cell', `${main}, table 1, row 2, cell 1`, 'd'],
      ['p3', null, 'paragraph', `${main}, paragraph 3`, 'two'],
      ['footer1-t1', 'r1c1', 'footer', 'word/footer2.xml, table 1, row 1, cell 1', 'first'],
      ['footer2-p1', null, 'footer', 'word/footer1.xml, paragraph 1', 'usual'],
    ]);
  });

  it('a heading has an outline level, by itself or by its style', async () => {
    const style = (id: string, content: string): string =>
      `<w:style w:type="paragraph" w:styleId="${id}">${content}</w:style>`;
    const styles = `<w:styles>${style('Heading1', '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>')}${style('Mine', '<w:basedOn w:val="Heading1"/>')}${style('Loop', '<w:basedOn w:val="Loop"/>')}${style('Named', '<w:name w:val="Heading 2"/>')}</w:styles>`;
    const styled = (properties: string): string => paragraph(`<w:pPr>${properties}</w:pPr>`, run('a'));
    const body = [
      '<w:pStyle w:val="Mine"/>',
      '<w:outlineLvl w:val="3"/>',
      '<w:pStyle w:val="Mine"/><w:outlineLvl w:val="9"/>',
      '<w:pStyle w:val="Loop"/>',
      '<w:pStyle w:val="Unknown"/>',
      '<w:pStyle w:val="Named"/>',
      '<w:pPrChange><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:pPrChange>',
    ];
    const { segments } = await extract(wordFile(body.map(styled).join(''), { styles }));
    expect(segments.map(({ kind }) => kind).join(' ')).toBe(
      'heading heading paragraph paragraph paragraph heading paragraph',
    );
  });

  it('pages are those that Word recorded', async () => {
    const rendered = '<w:r><w:lastRenderedPageBreak/></w:r>';
    const body =
      paragraph(run('one'), '<w:r><w:br w:type="page"/></w:r>') +
      paragraph(rendered, run('two')) +
      paragraph(run('two, '), rendered, run('three')) +
      paragraph(run('three'));
    const { segments, pageCount } = await extract(
      wordFile(body, { header1: `<w:hdr>${paragraph(run('h'))}</w:hdr>` }),
    );
    expect(segments.map(({ page }) => page)).toEqual([null, 1, 2, 2, 3]);
    expect(pageCount).toBe(3);
  });

  it('counts hard breaks without a record, but none before the first paragraph', async () => {
    const body =
      paragraph(
        '<w:pPr><w:pageBreakBefore/></w:pPr>',
        run('one'),
        '<w:r><w:br/><w:br w:type="page"/></w:r>',
      ) +
      paragraph(run('two')) +
      paragraph('<w:pPr><w:pageBreakBefore/></w:pPr>', run('three'));
    const { segments, pageCount } = await extract(wordFile(body));
    expect(segments.map(({ page }) => page)).toEqual([1, 2, 3]);
    expect(pageCount).toBe(3);
  });
});
