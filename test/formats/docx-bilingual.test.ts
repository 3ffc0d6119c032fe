import { describe, expect, it } from 'vitest';
import { field, link, mark, paragraph, run, translate, written } from './docx-file.ts';

/** The properties of a paragraph that repeats another one. */
const copied = (before = '', after = '') =>
  `<w:pPr>${before}<w:pageBreakBefore w:val="0"/><w:numPr><w:ilvl w:val="0"/><w:numId w:val="0"/></w:numPr>${after}</w:pPr>`;
const numbered = '<w:numPr><w:ilvl w:val="1"/><w:numId w:val="3"/></w:numPr>';
const breakOf = (type: string) => `<w:r><w:br w:type="${type}"/></w:r>`;
const section = '<w:sectPr><w:pgSz w:w="9" w:h="9"/></w:sectPr>';

describe('a bilingual Word file', () => {
  it.each<[rule: string, source: string, reply: string, result: string]>([
    [
      'has each translation as a paragraph below its source, with its formatting',
      paragraph('<w:pPr><w:jc w:val="both"/></w:pPr>', run('One '), run('two', '<w:b/>')),
      'Un <1>deux</1>',
      paragraph('<w:pPr><w:jc w:val="both"/></w:pPr>', run('One '), run('two', '<w:b/>')) +
        paragraph(copied('', '<w:jc w:val="both"/>'), written('Un '), written('deux', '<w:b/>')),
    ],
    [
      'does not count a list item twice',
      paragraph(`<w:pPr><w:keepNext/>${numbered}<w:jc w:val="left"/></w:pPr>`, run('Item')),
      'Point',
      paragraph(`<w:pPr><w:keepNext/>${numbered}<w:jc w:val="left"/></w:pPr>`, run('Item')) +
        paragraph(copied('<w:keepNext/>', '<w:ind w:left="1440"/><w:jc w:val="left"/>'), written('Point')),
    ],
    [
      'ends a section after the translation',
      paragraph(`<w:pPr>${section}</w:pPr>`, run('Last')),
      'Dernier',
      paragraph('<w:pPr></w:pPr>', run('Last')) + paragraph(copied('', section), written('Dernier')),
    ],
    [
      'repeats links and whole fields, but no bookmark, note or picture',
      paragraph(
        '<w:bookmarkStart w:id="1" w:name="x"/>',
        run('See '),
        link(run('this')),
        '<w:r><w:footnoteReference w:id="2"/></w:r>',
        run(' on page '),
        field('PAGE', run('3')),
        '<w:r><w:drawing><x/></w:drawing></w:r>',
        run('. '),
        '<w:bookmarkEnd w:id="1"/>',
        run('End'),
      ),
      'Voir <1>ceci</1><2/> page <3/>. Fin',
      paragraph(
        '<w:bookmarkStart w:id="1" w:name="x"/>',
        run('See '),
        link(run('this')),
        '<w:r><w:footnoteReference w:id="2"/></w:r>',
        run(' on page '),
        field('PAGE', run('3')),
        '<w:r><w:drawing><x/></w:drawing></w:r>',
        run('. '),
        '<w:bookmarkEnd w:id="1"/>',
        run('End'),
      ) +
        paragraph(
          copied(),
          written('Voir '),
          link(written('ceci')),
          '<w:r></w:r>',
          written(' page '),
          field('PAGE', run('3')),
          '<w:r></w:r>',
          written('.'),
          written(' Fin'),
        ),
    ],
    [
      'repeats no part of a field that ends in another paragraph',
      paragraph(run('One'), mark('begin')) + paragraph(mark('end')),
      'Un',
      paragraph(run('One'), mark('begin')) +
        paragraph(copied(), written('Un'), '<w:r></w:r>') +
        paragraph(mark('end')),
    ],
    ...['page', 'column'].map((type): [string, string, string, string] => [
      `has a ${type} break at the end of a paragraph once, after the translation`,
      paragraph(run('One'), breakOf(type), '<w:bookmarkEnd w:id="1"/>', run(' ')),
      'Un',
      paragraph(run('One'), '<w:r></w:r>', '<w:bookmarkEnd w:id="1"/>', run(' ')) +
        paragraph(copied(), written('Un'), breakOf(type), run(' ')),
    ]),
    [
      'has a break at the start or in the middle of a paragraph once, in the source',
      paragraph(breakOf('page'), run('One'), breakOf('page'), run('two')),
      'Un<1/>deux',
      paragraph(breakOf('page'), run('One'), breakOf('page'), run('two')) +
        paragraph(copied(), '<w:r></w:r>', written('Un'), '<w:r></w:r>', written('deux')),
    ],
    [
      'has a paragraph with only a break once',
      paragraph(run('One')) + paragraph(breakOf('page')),
      'Un',
      paragraph(run('One')) + paragraph(copied(), written('Un')) + paragraph(breakOf('page')),
    ],
  ])('%s', async (_rule, source, reply, result) => {
    expect((await translate(source, [reply], { output: 'bilingual' })).body).toBe(result);
  });

  it('lets rows and frames of an exact height grow, and starts no page at a frame', async () => {
    const frame = (rule: string) => `<w:framePr w:w="9" w:h="9" w:hRule="${rule}"/>`;
    const table = (rule: string, cell: string) =>
      `<w:tbl><w:tr><w:trPr><w:trHeight w:val="9" w:hRule="${rule}"/></w:trPr><w:tc>${cell}</w:tc></w:tr></w:tbl>`;
    const framed = (rule: string) => paragraph(`<w:pPr>${frame(rule)}</w:pPr>`, run('One'));
    const { body } = await translate(table('exact', framed('exact')), ['Un'], { output: 'bilingual' });
    const copy = copied().replace('<w:pageBreakBefore w:val="0"/>', frame('atLeast'));
    expect(body).toBe(table('atLeast', framed('atLeast') + paragraph(copy, written('Un'))));
  });

  it('does not repeat a text whose translation equals it, in any direction', async () => {
    const source = paragraph(run('LinguaLoop'));
    for (const to of ['fr', 'ar'])
      expect((await translate(source, ['LinguaLoop'], { to, output: 'bilingual' })).body).toBe(source);
  });

  it('writes the translation in its own direction', async () => {
    const { body } = await translate(paragraph(run('One')), ['واحد'], { to: 'ar', output: 'bilingual' });
    expect(body.split('</w:p>')[0]).toBe(`<w:p>${run('One')}`);
    expect(body.split('</w:p>')[1]).toContain('<w:bidi/>');
  });
});
