import { describe, expect, it } from 'vitest';
import type { Segment } from '#server/formats/document.ts';
import { check, extract, rebuild } from '#server/formats/docx.ts';
import { limits } from '#server/formats/file-error.ts';
import { formatTagged } from '#server/formats/inline-content.ts';
import type { Includable } from '#server/formats/selection.ts';
import { corpusFile, corpusNames } from '#test/corpus/files.ts';
import { field, link, paragraph, run, translate, withoutShare, wordFile, written } from './docx-file.ts';
import { partsOf } from './docx-walk.ts';

const everything: Includable[] = [
  ...(['footnotes', 'endnotes', 'comments', 'text_boxes'] as const),
  ...(['content_controls', 'tracked_changes', 'charts', 'hidden'] as const),
];

interface Read {
  texts: string[];
  segments: Segment[];
  messages: string[];
}

async function read(body: string, include: Includable[], parts?: Record<string, string>): Promise<Read> {
  const { segments, findings } = await extract(wordFile(body, parts), { include });
  return {
    texts: segments.map(({ regionId, cellId, source }) =>
      [regionId, ...(cellId ? [cellId] : []), formatTagged(source)].join(' '),
    ),
    segments,
    messages: findings.map((finding) => withoutShare(finding).message),
  };
}

describe('footnotes, endnotes and comments', () => {
  const separator = `<w:footnote w:type="separator" w:id="-1">${paragraph(run('between'))}</w:footnote>`;
  const note = (name: string, ...content: string[]): string =>
    `<w:${name} w:id="2">${content.join('')}</w:${name}>`;
  const mark = '<w:r><w:footnoteRef/></w:r>';
  const parts = {
    footnotes: `<w:footnotes>${separator}${note('footnote', paragraph(mark, run(' one')))}${note('footnote', paragraph(run('two')), paragraph(run('three')))}</w:footnotes>`,
    endnotes: `<w:endnotes>${note('endnote', `<w:tbl><w:tr><w:tc>${paragraph(run('four'))}</w:tc></w:tr></w:tbl>`)}</w:endnotes>`,
    comments: `<w:comments>${note('comment', paragraph(run('five')))}</w:comments>`,
  };
  const body = paragraph(run('text'));

  it('are segments after all others, in the order of their parts', async () => {
    const { texts, segments, messages } = await read(body, ['footnotes', 'endnotes', 'comments'], parts);
    expect(texts).toEqual([
      'p1 text',
      'footnote1-p1 one',
      'footnote2-p1 two',
      'footnote2-p2 three',
      'endnote1-t1 r1c1 four',
      'comment1-p1 five',
    ]);
    expect(segments.map(({ place, kind, page }) => [place, kind, page])).toContainEqual([
      'word/footnotes.xml, footnote 2, paragraph 2',
      'text_block',
      null,
    ]);
    expect(messages).toEqual([]);
  });

  it('are included separately', async () => {
    const { texts, messages } = await read(body, ['endnotes'], parts);
    expect(texts).toEqual(['p1 text', 'endnote1-t1 r1c1 four']);
    expect(messages).toEqual([
      '3 footnotes are not translated; add `footnotes` to `include` to translate them',
      '1 comment is not translated; add `comments` to `include` to translate them',
    ]);
  });

  it('are written in their parts, and separators stay', async () => {
    const { parts: after } = await translate(body, ['texte', 'un', 'deux', 'trois'], {
      parts,
      include: ['footnotes'],
    });
    expect(after['word/footnotes.xml']).toContain(
      `${separator}${note('footnote', paragraph(mark, written(' un')))}${note('footnote', paragraph(written('deux')), paragraph(written('trois')))}`,
    );
    expect(after['word/comments.xml']).toBe(partsOf(wordFile(body, parts))['word/comments.xml']);
  });

  it('have their number once in a bilingual file', async () => {
    const { parts: after } = await translate(body, ['texte', 'un', 'deux', 'trois'], {
      parts,
      include: ['footnotes'],
      output: 'bilingual',
    });
    expect(after['word/footnotes.xml']!.match(/footnoteRef/g)).toHaveLength(1);
  });
});

describe('text boxes', () => {
  const content = (...texts: string[]): string =>
    `<w:txbxContent>${texts.map((text) => paragraph(run(text))).join('')}</w:txbxContent>`;
  const shape = (inner: string): string => `<wps:txbx xmlns:wps="wps">${inner}</wps:txbx>`;
  const drawing = (inner: string): string => `<w:drawing>${shape(inner)}</w:drawing>`;
  const picture = (inner: string): string => `<w:pict>${inner}</w:pict>`;
  const both = (choice: string, fallback: string): string =>
    `<w:r><mc:AlternateContent xmlns:mc="mc"><mc:Choice Requires="wps">${drawing(choice)}</mc:Choice><mc:Fallback>${picture(fallback)}</mc:Fallback></mc:AlternateContent></w:r>`;

  it('are one segment for both forms in which Word writes them', async () => {
    const body = paragraph(run('a'), both(content('one', 'two'), content('one', 'two')), run('b'));
    const { texts, segments, messages } = await read(body, ['text_boxes']);
    expect(texts).toEqual(['p1 a<1/>b', 'box1-p1 one', 'box1-p2 two']);
    expect(segments[2]).toMatchObject({
      place: 'word/document.xml, text box 1, paragraph 2',
      kind: 'text_block',
      page: 1,
    });
    expect(messages).toEqual([]);
  });

  it('are translated in both forms, also if the text around them is not', async () => {
    const box = (one: string): string =>
      both(content('x').replace(run('x'), one), content('x').replace(run('x'), one));
    const body = paragraph(run('a '), box(run('one')), run(' b')) + paragraph(box(run('two')));
    const replies = ['A <1/> B', 'un', 'deux'];
    expect((await translate(body, replies, { include: ['text_boxes'] })).body).toBe(
      paragraph(written('A '), box(written('un')), written(' B')) + paragraph(box(written('deux'))),
    );
    expect((await translate(body, ['a <1/> b', 'un', 'deux'], { include: ['text_boxes'] })).body).toBe(
      paragraph(run('a '), box(written('un')), run(' b')) + paragraph(box(written('deux'))),
    );
  });

  it('follow their paragraph in a bilingual file, in which both have source and translation', async () => {
    const body = paragraph(run('a '), `<w:r>${picture(content('one'))}</w:r>`);
    const after = await translate(body, ['A', 'un'], { include: ['text_boxes'], output: 'bilingual' });
    const texts = [...after.body.matchAll(/<w:t\b[^>]*>([^<]*)/g)].map(([, text]) => text);
    expect(texts).toEqual(['a ', 'one', 'un', 'A ']);
  });

  it('have a segment for a second form with another text', async () => {
    const body = paragraph(both(content('one', 'two'), content('one', 'old')));
    const { texts } = await read(body, ['text_boxes']);
    expect(texts).toEqual(['box1-p1 one', 'box1-p2 two', 'copy1-box1-p2 old']);
    const { outcome } = await extract(wordFile(body), { include: ['text_boxes'] });
    expect(outcome).toEqual({ kept: [], unaccounted: 0 });
  });

  it('are found in headers, tables and content outside of paragraphs', async () => {
    const box = `<w:r>${picture(content('one'))}</w:r>`;
    const header = `<w:hdr>${paragraph(box)}</w:hdr>`;
    const table = `<w:tbl><w:tr><w:tc>${paragraph(run('cell'), box)}</w:tc></w:tr></w:tbl>`;
    const { texts } = await read(`${table}<mc:x xmlns:mc="mc">${paragraph(box)}</mc:x>`, ['text_boxes'], {
      header,
    });
    expect(texts).toEqual(['header1-box1-p1 one', 't1 r1c1 cell', 'box1-p1 one', 'box2-p1 one']);
  });

  it('stay in text boxes, tracked changes and controls that are not included', async () => {
    const box = `<w:r>${picture(content('one'))}</w:r>`;
    const inner = `<w:r>${picture(content('two').replace(run('two'), run('two') + box))}</w:r>`;
    const body = paragraph(`<w:ins>${box}</w:ins>`) + paragraph(inner);
    const { texts, messages } = await read(body, ['text_boxes']);
    expect(texts).toEqual(['box1-p1 two']);
    expect(messages).toEqual([
      '1 text box is not translated',
      '1 tracked change is not translated; add `tracked_changes` to `include` to translate them',
    ]);
  });
});

describe('content controls', () => {
  const control = (content: string, properties = '<w:id w:val="1"/>'): string =>
    `<w:sdt><w:sdtPr>${properties}</w:sdtPr><w:sdtContent>${content}</w:sdtContent></w:sdt>`;

  it('are read around blocks, rows, cells and words, and do not change other keys', async () => {
    const cell = (text: string): string => `<w:tc>${paragraph(run(text))}</w:tc>`;
    const table = `<w:tbl>${control(`<w:tr>${cell('row')}</w:tr>`)}<w:tr>${control(cell('cell'))}${cell('last')}</w:tr></w:tbl>`;
    const body =
      control(paragraph(run('one')) + control(paragraph(run('two')))) +
      table +
      paragraph(run('Dear '), control(run('Jane')), run('!'));
    const { texts, segments, messages } = await read(body, ['content_controls']);
    expect(texts).toEqual([
      'control1-p1 one',
      'control1-control1-p1 two',
      'control2-p1 row',
      'control3-p1 cell',
      't1 r1c1 last',
      'p1 Dear <1>Jane</1>!',
    ]);
    expect(segments.map(({ kind }) => kind)).toEqual([
      ...['paragraph', 'paragraph', 'table_cell', 'table_cell', 'table_cell', 'paragraph'],
    ]);
    expect(segments[1]!.place).toBe('word/document.xml, content control 1, content control 1, paragraph 1');
    expect(messages).toEqual([]);
  });

  it('are written around their translation', async () => {
    const body = (dear: string, jane: string, block: string): string =>
      paragraph(control(jane, '<w:text/>'), dear) + control(paragraph(block));
    const after = await translate(
      body(run(' dear'), run('Jane'), run('one')),
      ['<1>Jeanne</1> chère', 'un'],
      {
        include: ['content_controls'],
      },
    );
    expect(after.body).toBe(body(written(' chère'), written('Jeanne'), written('un')));
  });

  it.each(['dropDownList', 'comboBox', 'date', 'dataBinding', 'w15:dataBinding'])(
    'stay if Word takes their text from a %s, with a finding',
    async (name) => {
      const bound = `<${name.includes(':') ? `${name} xmlns:w15="w15"` : `w:${name}`}/>`;
      const body =
        paragraph(run('Dear '), control(run('Jane'), bound), run('!')) +
        control(paragraph(run('one')), bound);
      const { texts, messages } = await read(body, ['content_controls']);
      expect(texts).toEqual(['p1 Dear <1/>!']);
      expect(messages).toEqual([
        '2 content controls with a date, a list or a value from data are not translated',
      ]);
      const after = await translate(body, ['Chère <1/> !'], { include: ['content_controls'] });
      expect(after.body).toContain(control(run('Jane'), bound));
    },
  );

  it('have the entries of a table of contents, with the texts of the headings', async () => {
    const entry = (number: string, text: string): string =>
      paragraph(
        run(number),
        '<w:r><w:tab/></w:r>',
        run(text),
        '<w:r><w:tab/></w:r>',
        field('PAGEREF x', run('3')),
      );
    const toc = entry('1', 'Scope') + entry('2', 'Terms');
    const begin = field('TOC').replace(/<w:r><w:fldChar w:fldCharType="end"\/><\/w:r>$/, '');
    const end = paragraph('<w:r><w:fldChar w:fldCharType="end"/></w:r>');
    const body =
      control(
        toc.replace('<w:p>', `<w:p>${begin}`) + end,
        '<w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj>',
      ) +
      paragraph(run('Scope')) +
      paragraph(run('Terms'));
    const { texts } = await read(body, ['content_controls']);
    expect(texts).toEqual(['control1-p1s1 Scope', 'control1-p2s1 Terms', 'p1 Scope', 'p2 Terms']);
  });

  it('without content, or with two of them, stay whole', async () => {
    const broken = '<w:sdt><w:sdtPr/></w:sdt>';
    const twice = `<w:sdt><w:sdtContent>${run('one')}</w:sdtContent><w:sdtContent>${run('two')}</w:sdtContent></w:sdt>`;
    const body = paragraph(run('a'), broken, run('b'), twice, run('c'));
    const { texts } = await read(body, ['content_controls']);
    expect(texts).toEqual(['p1 a<1/>b<2>one</2>c']);
    const after = await translate(body, ['A<1/>B<2>un</2>C'], { include: ['content_controls'] });
    expect(after.body).toBe(
      paragraph(written('A'), broken, written('B'), twice.replace(run('one'), written('un')), written('C')),
    );
  });
});

describe('tracked changes', () => {
  const ins = (content: string, name = 'ins'): string =>
    `<w:${name} w:id="1" w:author="A">${content}</w:${name}>`;
  const del = '<w:del w:id="2" w:author="A"><w:r><w:delText>old</w:delText></w:r></w:del>';

  it('translate inserted texts; deleted texts stay, with a finding', async () => {
    const body = (...texts: string[]): string =>
      paragraph(
        texts[0]!,
        ins(texts[1]!),
        del,
        ins(texts[2]!, 'moveTo'),
        texts[3]!,
        ins(run('z'), 'moveFrom'),
      );
    const source = body(run('a '), run('new'), run(' here'), run(' b'));
    const { texts, messages } = await read(source, ['tracked_changes']);
    expect(texts).toEqual(['p1 a <1>new</1><2/><3> here</3> b']);
    expect(messages).toEqual(['2 deleted texts are not translated']);
    const after = await translate(source, ['A <1>neuf</1><2/><3> ici</3> B'], {
      include: ['tracked_changes'],
    });
    expect(after.body).toBe(body(written('A '), written('neuf'), written(' ici'), written(' B')));
  });

  it('stay inside the link that they are in', async () => {
    const body = paragraph(run('a '), link(run('site'), ins(run(' new'))), run(' b'));
    const after = await translate(body, ['<2>neuf</2> <1>site</1> b'], { include: ['tracked_changes'] });
    expect(after.body).toContain('<w:hyperlink');
    expect(after.body.indexOf('<w:ins')).toBeGreaterThan(after.body.indexOf('<w:hyperlink'));
    expect(after.body.indexOf('</w:ins>')).toBeLessThan(after.body.indexOf('</w:hyperlink>'));
  });

  it('are plain text in the translation of a bilingual file', async () => {
    const body = paragraph(run('a '), ins(run('new')), del);
    const { body: after } = await translate(body, ['A <1>neuf</1>'], {
      include: ['tracked_changes'],
      output: 'bilingual',
    });
    const [source, translation = ''] = after.split('</w:p>');
    expect(`${source}</w:p>`).toBe(body);
    expect(translation).toMatch(/<\/w:pPr>/);
    expect(translation.replace(/.*<\/w:pPr>/, '')).toBe(written('A ') + written('neuf'));
  });
});

describe('hidden texts', () => {
  const hidden = '<w:vanish/>';

  it('have their own tags, so that no other text is hidden', async () => {
    const body = paragraph(
      run('a '),
      run('se', hidden),
      run('cret', `${hidden}<w:b/>`),
      run(' 12 ', hidden),
      run('b'),
    );
    const { texts, messages } = await read(body, ['hidden']);
    expect(texts).toEqual(['p1 a <1>se<2>cret</2> 12 </1>b']);
    expect(messages).toEqual([]);
    const after = await translate(body, ['<1>se<2>cr</2></1>B a'], { include: ['hidden'] });
    expect(after.body).toBe(
      paragraph(written('se', hidden), written('cr', `${hidden}<w:b/>`), written('B a')),
    );
  });

  it('are whole paragraphs, also by a style, and parts of links', async () => {
    const styles =
      '<w:styles><w:style w:type="paragraph" w:styleId="H"><w:rPr><w:vanish/></w:rPr></w:style></w:styles>';
    const body =
      paragraph('<w:pPr><w:pStyle w:val="H"/></w:pPr>', run('one')) +
      paragraph(run('a '), link(run('site '), run('two', hidden)));
    const { texts } = await read(body, ['hidden'], { styles });
    expect(texts).toEqual(['p1 one', 'p2 a <1>site <2>two</2></1>']);
  });

  it('may end a paragraph, and have a letter', async () => {
    const { texts } = await read(paragraph(run('a '), run('12', hidden), run('b '), run('secret', hidden)), [
      'hidden',
    ]);
    expect(texts).toEqual(['p1 a b <1>secret</1>']);
  });

  it('are not the entries of an index, which are separate texts', async () => {
    const separate = '<w:r><w:fldChar w:fldCharType="separate"/></w:r>';
    const entry = field(' XE "word" ')
      .replace(separate, '')
      .replaceAll('<w:r>', `<w:r><w:rPr>${hidden}</w:rPr>`);
    const { texts } = await read(paragraph(run('a '), entry, run('b')), ['hidden']);
    expect(texts).toEqual(['words1 word', 'p1 a b']);
  });
});

describe('charts', () => {
  const rich = (...texts: string[]): string =>
    `<a:p>${texts.map((text, index) => `<a:r><a:rPr b="${index}"/><a:t>${text}</a:t></a:r>`).join('')}</a:p>`;
  const cache = (...names: string[]): string =>
    `<c:strCache>${names.map((name, index) => `<c:pt idx="${index}"><c:v>${name}</c:v></c:pt>`).join('')}</c:strCache>`;
  const chart = (...content: string[]): string =>
    `<c:chartSpace xmlns:c="c" xmlns:a="a">${content.join('')}</c:chartSpace>`;
  /** Names of a series and of its trendline that are only in the chart. */
  const own = (series: string, trendline: string): string =>
    `<c:tx><c:v>${series}</c:v></c:tx><c:trendline><c:name>${trendline}</c:name></c:trendline>`;
  const numbers = '<c:numCache><c:pt><c:v>12</c:v></c:pt></c:numCache>';
  const parts = {
    chart1: chart(
      rich('Sales ', 'by region'),
      cache('North', '2019'),
      cache('North', 'South &amp; East'),
      numbers,
      own('Plan', 'Trend'),
    ),
    chartEx2: `<cx:chartSpace xmlns:cx="cx"><cx:strDim><cx:f>A1</cx:f><cx:lvl><cx:pt>West</cx:pt></cx:lvl></cx:strDim></cx:chartSpace>`,
  };

  it('have their titles and names as segments, and each name once', async () => {
    const { texts, segments, messages } = await read(paragraph(run('text')), ['charts'], parts);
    expect(texts).toEqual([
      'p1 text',
      'chart1-p1 Sales by region',
      'chart1-p2 North',
      'chart1-p4 South & East',
      'chart1-p5 Plan',
      'chart1-p6 Trend',
      'chart2-p1 West',
    ]);
    expect(segments[1]!.place).toBe('word/chart1.xml, chart 1, paragraph 1');
    expect(messages).toEqual([]);
  });

  it('are written at each copy of a name', async () => {
    const replies = ['texte', 'Ventes', 'Nord', 'Sud <Est>', 'Prévu', 'Tendance', 'Ouest'];
    const after = await translate(paragraph(run('text')), replies, { parts, include: ['charts'] });
    expect(after.parts['word/chart1.xml']).toContain(
      `${rich('', 'Ventes')}${cache('Nord', '2019')}${cache('Nord', 'Sud &lt;Est&gt;')}${numbers}${own('Prévu', 'Tendance')}`,
    );
    expect(after.parts['word/chartEx2.xml']).toContain('<cx:pt>Ouest</cx:pt>');
    expect(after.findings).toMatchObject([{ code: 'formatting_lost', unitId: 'chart1-p1' }]);
  });
});

describe('limits hold for included texts', () => {
  const long = 'word '.repeat(limits.textChars / 5 + 1);

  it.each<[string, Record<string, string>, Includable]>([
    [
      'a footnote',
      { footnotes: `<w:footnotes><w:footnote>${paragraph(run(long))}</w:footnote></w:footnotes>` },
      'footnotes',
    ],
    ['a chart', { chart: `<c:chart xmlns:a="a"><a:p><a:t>${long}</a:t></a:p></c:chart>` }, 'charts'],
  ])('the characters of %s count', async (_, parts, name) => {
    const bytes = wordFile(paragraph(run('a')), parts);
    await expect(check(bytes, undefined, { include: [name] })).rejects.toMatchObject({ reason: 'too_large' });
    await expect(extract(bytes, { include: [name] })).rejects.toMatchObject({ reason: 'too_large' });
    await expect(check(bytes)).resolves.toBeUndefined();
  });

  it('many boxes in one paragraph, and deep controls, are read in linear time', async () => {
    const box = `<w:r><w:pict><w:txbxContent>${paragraph(run('one'))}</w:txbxContent></w:pict></w:r>`;
    const controls = 300;
    const deep = `${'<w:sdt><w:sdtContent>'.repeat(controls)}${run('x')}${'</w:sdtContent></w:sdt>'.repeat(controls)}`;
    const body = paragraph(run('a'), box.repeat(10_000), run('b')) + paragraph(deep);
    const bytes = wordFile(body);
    const { segments } = await extract(bytes, { include: everything });
    const translations = segments.map((segment) => ({
      ...segment,
      target: segment.source.map((item) => (typeof item === 'string' ? `${item}e` : item)),
    }));
    const started = performance.now();
    await rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage: 'fr', include: everything });
    expect(performance.now() - started).toBeLessThan(6000);
  });
});

describe.each(corpusNames('docx'))('%s, with everything included', (name) => {
  it('has each included text translated, in parts that can be read again', async () => {
    const bytes = corpusFile(`docx/${name}`);
    const before = await extract(bytes, { include: everything });
    expect(before.outcome!.unaccounted).toBe(0);
    expect(before.outcome!.kept.filter((kept) => kept.class === 'not_selected')).toEqual([]);
    const keys = before.segments.map(({ regionId, cellId }) => `${regionId} ${cellId}`);
    expect(new Set(keys).size).toBe(keys.length);
    const translations = before.segments.map((segment) => ({
      ...segment,
      target: segment.source.map((item) => (typeof item === 'string' ? item.replace(/[aeiou]/g, 'o') : item)),
    }));
    const options = { sourceLanguage: 'en', targetLanguage: 'fr', include: everything };
    const after = await extract((await rebuild(bytes, translations, options)).bytes, { include: everything });
    expect(after.segments.map(({ source }) => formatTagged(source))).toEqual(
      translations.map(({ target }) => formatTagged(target)),
    );
    expect(after.segments.map(({ place }) => place)).toEqual(before.segments.map(({ place }) => place));
  });

  it('has the segments of the default at the same keys', async () => {
    const bytes = corpusFile(`docx/${name}`);
    const all = await extract(bytes, { include: everything });
    const keys = new Set(all.segments.map(({ regionId, cellId }) => `${regionId} ${cellId}`));
    const lost = (await extract(bytes)).segments.filter(
      ({ regionId, cellId }) =>
        !keys.has(`${regionId} ${cellId}`) && !keys.has(`${regionId.replace(/s\d+$/, '')} ${cellId}`),
    );
    expect(lost).toEqual([]);
  });
});
