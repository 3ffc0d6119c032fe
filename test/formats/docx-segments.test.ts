import { describe, expect, it } from 'vitest';
import { extract } from '#server/formats/docx.ts';
import { plainText } from '#server/formats/inline-content.ts';
import { field, link, mark, paragraph, run, textsOf, wordFile } from './docx-file.ts';
import { wordFiles, zipOf } from './flatten-zip.ts';

const fieldCode = (code: string): string => `<w:r><w:instrText>${code}</w:instrText></w:r>`;
const simple = (code: string, ...content: string[]): string =>
  `<w:fldSimple w:instr="${code}">${content.join('')}</w:fldSimple>`;
const drawing = '<w:r><w:drawing><a:x/></w:drawing></w:r>';
const tab = '<w:r><w:tab/></w:r>';

describe('a paragraph as a segment', () => {
  it.each<[rule: string, body: string, texts: string[]]>([
    ['runs are one text', paragraph(run('un'), run('believ', '<w:b/>'), run('able')), ['unbelievable']],
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
    ['so is one that ends it', paragraph(run('It is '), link(run('here'))), ['It is <1>here</1>']],
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
      'hyphens of Word are text',
      paragraph('<w:r><w:t>a</w:t><w:noBreakHyphen/><w:t>b</w:t><w:softHyphen/><w:t>c</w:t></w:r>'),
      ['a\u2011b\u00adc'],
    ],
    [
      'ruby text is its base',
      paragraph(
        '<w:r><w:ruby><w:rt><w:r><w:t>かん</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>漢</w:t></w:r></w:rubyBase></w:ruby></w:r>',
        run('字'),
      ),
      ['漢字'],
    ],
    [
      'smart tags are not seen',
      paragraph(
        '<w:smartTag w:element="place"><w:smartTagPr><w:attr w:name="x"/></w:smartTagPr>',
        run('Par'),
        '</w:smartTag>',
        run('is'),
      ),
      ['Paris'],
    ],
    [
      'bookmarks, spelling marks and comment ranges have no tags',
      paragraph(
        run('a'),
        '<w:bookmarkStart w:id="1" w:name="x"/><w:proofErr w:type="spellStart"/><w:commentRangeStart w:id="2"/>',
        run('b'),
        '<w:bookmarkEnd w:id="1"/>',
      ),
      ['ab'],
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
    [
      'text of another namespace is not text',
      paragraph(run('a'), '<m:oMath xmlns:m="math"><m:r><m:t>x</m:t></m:r></m:oMath>', run('b')),
      ['a<1/>b'],
    ],
    [
      'characters like tags get numbers above',
      paragraph(run('see &lt;7/&gt; '), link(run('x'))),
      ['see <7/> <8>x</8>'],
    ],
  ])('%s', async (_, body, texts) => {
    expect(await textsOf(body)).toEqual(texts);
  });
});

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
    ['nor what is merged from data', field('MERGEFIELD Name', run('«Name»')), ['See <1/> here']],
    ['nor of a formula', field(' =SUM(ABOVE) ', run('five')), ['See <1/> here']],
    [
      'a field without a result is one tag',
      mark('begin') + fieldCode('DATE') + mark('end'),
      ['See <1/> here'],
    ],
    ['an entry of an index is no tag', mark('begin') + fieldCode('XE "valve"') + mark('end'), ['See  here']],
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

  it('an end without a begin hides nothing', async () => {
    expect(await textsOf(paragraph(run('a'), mark('separate'), mark('end'), run('b')))).toEqual(['a<1/>b']);
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

describe('what stays untranslated is counted by kind', () => {
  const box = (text: string): string =>
    `<w:r><mc:AlternateContent xmlns:mc="mc"><mc:Choice><w:txbxContent>${paragraph(run(text))}</w:txbxContent></mc:Choice>` +
    `<mc:Fallback><w:pict><w:txbxContent>${paragraph(run(text))}</w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent></w:r>`;
  it.each<[kind: string, body: string, message: string, texts: string[]]>([
    ['text boxes', paragraph(run('a'), box('one'), box('two')), '2 text boxes are not translated', ['a']],
    [
      'an old text box',
      paragraph(`<w:r><w:pict><w:txbxContent>${paragraph(run('one'))}</w:txbxContent></w:pict></w:r>`),
      '1 text box is not translated',
      [],
    ],
    [
      'content controls around paragraphs',
      `<w:sdt><w:sdtContent>${paragraph(run('one'), box('two'))}</w:sdtContent></w:sdt>`,
      '1 content control is not translated',
      [],
    ],
    [
      'content controls in a paragraph',
      paragraph(run('Dear '), `<w:sdt><w:sdtContent>${run('Jane')}</w:sdtContent></w:sdt>`, run('!')),
      '1 content control is not translated',
      ['Dear <1/>!'],
    ],
    [
      'insertions and deletions',
      paragraph(
        run('a'),
        `<w:ins>${run('b')}</w:ins>`,
        '<w:del><w:r><w:delText>c</w:delText></w:r></w:del>',
        run('d'),
      ),
      '2 tracked changes are not translated',
      ['a<1/>d'],
    ],
    [
      'moves',
      paragraph(`<w:moveFrom>${run('a')}</w:moveFrom>`) + paragraph(`<w:moveTo>${run('a')}</w:moveTo>`),
      '2 tracked changes are not translated',
      [],
    ],
    [
      'hidden text',
      paragraph(run('a'), run('secret', '<w:vanish/>'), run('b')),
      '1 hidden text is not translated',
      ['ab'],
    ],
    [
      'embedded documents',
      `${paragraph(run('a'))}<w:altChunk r:id="x"/>`,
      '1 embedded document is not translated',
      ['a'],
    ],
  ])('%s', async (_, body, message, texts) => {
    const { findings, segments } = await extract(wordFile(body));
    expect(segments.map(({ source }) => plainText(source))).toEqual(
      texts.map((text) => text.replace(/<.*?>/g, '')),
    );
    expect(await textsOf(body)).toEqual(texts);
    expect(findings).toContainEqual({
      severity: 'info',
      code: 'unsupported_content_kept',
      message,
      unitId: null,
    });
    expect(findings.filter(({ code }) => code === 'unsupported_content_kept')).toHaveLength(1);
  });

  it('what has no letter is not counted', async () => {
    const body = paragraph(run('a'), box('1'), `<w:ins>${run('2')}</w:ins>`);
    expect((await extract(wordFile(body))).findings).toEqual([]);
  });

  it('text that is hidden by a style, and text that is not hidden after all', async () => {
    const styles =
      '<w:styles><w:style w:type="character" w:styleId="a"><w:rPr><w:vanish/></w:rPr></w:style>' +
      '<w:style w:type="character" w:styleId="b"><w:basedOn w:val="a"/></w:style></w:styles>';
    const body = paragraph(
      run('one'),
      run('two', '<w:rStyle w:val="b"/>'),
      run('three', '<w:rStyle w:val="b"/><w:vanish w:val="0"/>'),
    );
    expect(await textsOf(body, { styles })).toEqual(['onethree']);
  });

  it('notes and comments', async () => {
    const notes = (name: string): string =>
      `<w:${name}s><w:${name} w:type="separator">${paragraph('<w:r><w:separator/></w:r>')}</w:${name}>` +
      `<w:${name}>${paragraph(run('a'))}${paragraph(run('b'))}</w:${name}><w:${name}>${paragraph(run('c'))}</w:${name}></w:${name}s>`;
    const parts = { footnotes: notes('footnote'), endnotes: notes('endnote'), comments: notes('comment') };
    const { findings } = await extract(wordFile(paragraph(run('a')), parts));
    expect(findings.map(({ message }) => message)).toEqual([
      '2 footnotes are not translated',
      '2 endnotes are not translated',
      '2 comments are not translated',
    ]);
  });

  it('a signature is named, because the translation is not what was signed', async () => {
    const files = wordFiles(paragraph(run('a')));
    files['_rels/.rels'] = files['_rels/.rels']!.replace(
      '</Relationships>',
      '<Relationship Id="s" Type="http://schemas.openxmlformats.org/package/2006/relationships/digital-signature/origin" Target="_xmlsignatures/origin.sigs"/></Relationships>',
    );
    const { findings } = await extract(zipOf(files));
    expect(findings).toEqual([
      expect.objectContaining({ severity: 'warning', message: expect.stringContaining('signed') }),
    ]);
  });

  it('a file without text to translate', async () => {
    const { segments, findings } = await extract(wordFile(paragraph(run('1'))));
    expect(segments).toEqual([]);
    expect(findings).toEqual([expect.objectContaining({ code: 'no_translatable_text' })]);
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
    expect(segments.map(({ kind }) => kind)).toEqual([
      'heading',
      'heading',
      'paragraph',
      'paragraph',
      'paragraph',
      'heading',
      'paragraph',
    ]);
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

  it('without a record, hard breaks count', async () => {
    const body =
      paragraph(run('one'), '<w:r><w:br/><w:br w:type="page"/></w:r>') +
      paragraph(run('two')) +
      paragraph('<w:pPr><w:pageBreakBefore/></w:pPr>', run('three'));
    const { segments, pageCount } = await extract(wordFile(body));
    expect(segments.map(({ page }) => page)).toEqual([1, 2, 3]);
    expect(pageCount).toBe(3);
  });
});
