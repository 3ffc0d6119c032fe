import { describe, expect, it } from 'vitest';
import { extract, rebuild } from '#server/formats/pptx.ts';
import { partsOf } from './docx-walk.ts';
import { zipOf } from './flatten-zip.ts';
import {
  deckFiles,
  deckOf,
  link,
  paragraph,
  read,
  run,
  shape,
  slideOf,
  translate,
  written,
} from './pptx-file.ts';

const textsOf = async (...content: string[]): Promise<string[]> =>
  (await read(slideOf(shape(paragraph(...content))))).texts.map((text) => text.replace(/^\S+ /, ''));

describe('a paragraph of a slide', () => {
  it('is one segment, with tags around formatted words and links', async () => {
    expect(await textsOf(run('A plain text with '), run('bold', ' b="1"'), run(' words'))).toEqual([
      'A plain text with <1>bold</1> words',
    ]);
    expect(await textsOf(run('See '), link('the site'), run(' now'))).toEqual(['See <1>the site</1> now']);
  });

  it('has no tags for properties that a reader does not see', async () => {
    expect(await textsOf(run('One ', ' dirty="0" err="1"'), run('text'), run(' only', ' spc="10"'))).toEqual([
      'One text only',
    ]);
  });

  it('has no tag for a size that the text inherits from the master', async () => {
    const deck = {
      ...slideOf(
        shape(paragraph(run('Same '), run('size', ' sz="3200"')), { placeholder: 'type="body" idx="1"' }),
      ),
      master: shape('', { placeholder: 'type="body" idx="7"' }),
      styles: '<p:bodyStyle><a:lvl1pPr><a:defRPr sz="3200"/></a:lvl1pPr></p:bodyStyle>',
    };
    expect((await read(deck)).texts).toEqual(['slide1-p1 Same size']);
  });

  it('has void tags for breaks, fields and tabs in a sentence', async () => {
    const field = '<a:fld id="{1}" type="slidenum"><a:rPr/><a:t>7</a:t></a:fld>';
    expect(await textsOf(run('One'), '<a:br/>', run('two'))).toEqual(['One<1/>two']);
    expect(await textsOf(run('Page '), field, run(' of many'))).toEqual(['Page <1/> of many']);
    expect(await textsOf(run('one\tand two'))).toEqual(['one<1/>and two']);
  });

  it('is several segments if tabs or blanks of a form separate texts', async () => {
    expect(await textsOf(run('Name\tDate'))).toEqual(['Name', 'Date']);
    expect(await textsOf(run('Name ______ Date ______'))).toEqual(['Name', 'Date']);
  });

  it('without a letter, or with a field only, has no segment', async () => {
    const field = '<a:fld id="{1}" type="datetime1"><a:rPr/><a:t>May</a:t></a:fld>';
    expect(await textsOf(run('42%'))).toEqual([]);
    expect(await textsOf(field)).toEqual([]);
  });

  it('is written with the language of the translation and the formatting of the source', async () => {
    const source = paragraph(
      '<a:pPr lvl="1"/>',
      run('See '),
      run('bold', ' b="1"'),
      run(' text', ' err="1"'),
      '<a:endParaRPr lang="en-US"/>',
    );
    const { shapes } = await translate(slideOf(shape(source)), ['Voir <1>gras</1> &amp; texte']);
    expect(shapes).toContain(
      `<a:p><a:pPr lvl="1"/>${written('Voir ')}${written('gras', ' b="1"')}${written(' &amp;amp; texte')}<a:endParaRPr lang="en-US"/></a:p>`,
    );
  });

  it('keeps its links, fields and breaks in other places', async () => {
    const field = '<a:fld id="{1}" type="slidenum"><a:rPr/><a:t>7</a:t></a:fld>';
    const source = paragraph(run('Go '), link('here'), run(' from '), field, '<a:br/>', run('now'));
    const { shapes } = await translate(slideOf(shape(source)), ['<2/>maintenant <1>ici</1> aller']);
    expect(shapes).toContain(
      `${field}<a:br/>${written('maintenant ')}<a:r><a:rPr lang="fr-FR"><a:hlinkClick r:id="rId9"/></a:rPr><a:t>ici</a:t></a:r>${written(' aller')}`,
    );
  });

  it('has line breaks of the translation as elements between runs', async () => {
    const { shapes } = await translate(slideOf(shape(paragraph(run('One text')))), ['Un\ntexte']);
    expect(shapes).toContain(`${written('Un')}<a:br><a:rPr lang="fr-FR"/></a:br>${written('texte')}`);
  });

  it('keeps the lines of a form, each in a run', async () => {
    const { shapes } = await translate(slideOf(shape(paragraph(run('Name ______ Date ______')))), [
      'Nom',
      'Jour',
    ]);
    expect(shapes).toContain(`${written('Nom ')}${run('______')}${written(' Jour ')}${run('______')}`);
    expect(shapes).not.toContain('xml:space');
  });

  it('may have other prefixes, references and CDATA sections', async () => {
    const files = deckFiles(slideOf(shape(paragraph(run('A &#38; <![CDATA[<B>]]>')))));
    const slide = 'ppt/slides/slide1.xml';
    const renamed = files[slide]!.replaceAll(/(<\/?|xmlns:)a\b/g, '$1other');
    const bytes = zipOf({ ...files, [slide]: renamed });
    const { segments, outcome } = await extract(bytes);
    expect([segments.map(({ source }) => source), outcome?.unaccounted]).toEqual([[['A & <B>']], 0]);
    const translations = [{ regionId: 'slide1-p1', cellId: null, target: ['C & <D>'] }];
    const rebuilt = await rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage: 'fr' });
    expect(partsOf(rebuilt.bytes)[slide]).toContain(
      '<other:r><other:rPr lang="fr-FR"/><other:t>C &amp; &lt;D&gt;</other:t></other:r>',
    );
  });

  it('stays byte for byte if its translation equals its source', async () => {
    const bytes = deckOf(slideOf(shape(paragraph(run('Same '), run('text', ' b="1"')))));
    const { segments } = await extract(bytes);
    const translations = segments.map(({ regionId, cellId, source }) => ({
      regionId,
      cellId,
      target: source,
    }));
    const rebuilt = await rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage: 'fr' });
    expect(Buffer.compare(rebuilt.bytes, bytes)).toBe(0);
  });
});

describe('the kinds and places of segments', () => {
  it('follow the roles of shapes', async () => {
    const shapes = [
      shape(paragraph(run('Title')), { placeholder: 'type="ctrTitle"' }),
      shape(paragraph(run('Text')), { frame: [10, 20, 100, 50] }),
      shape(paragraph(run('Footer')), { placeholder: 'type="ftr" idx="11"' }),
    ];
    const { segments } = await read(slideOf(shapes.join('')));
    expect(segments.map(({ kind, page, place, rectangles }) => [kind, page, place, rectangles])).toEqual([
      ['heading', 1, 'slide 1, paragraph 1', undefined],
      ['paragraph', 1, 'slide 1, paragraph 2', [[10, 470, 110, 520]]],
      ['footer', 1, 'slide 1, paragraph 3', undefined],
    ]);
  });

  it('include the rectangles that shapes inherit, and those in groups', async () => {
    const group =
      '<p:grpSp><p:grpSpPr><a:xfrm><a:off x="127000" y="127000"/><a:ext cx="1270000" cy="1270000"/><a:chOff x="0" y="0"/><a:chExt cx="635000" cy="635000"/></a:xfrm></p:grpSpPr>' +
      `${shape(paragraph(run('In a group')), { frame: [10, 10, 20, 20] })}</p:grpSp>`;
    const deck = {
      ...slideOf(shape(paragraph(run('Inherited')), { placeholder: 'idx="3"' }) + group),
      layout: shape('', { placeholder: 'type="body" idx="3"', frame: [0, 0, 50, 60] }),
    };
    const { segments } = await read(deck);
    expect(segments.map(({ rectangles }) => rectangles)).toEqual([[[0, 480, 50, 540]], [[30, 470, 70, 510]]]);
  });

  it('name the rows and cells of tables', async () => {
    const cell = (text: string, attributes = ''): string =>
      `<a:tc${attributes}><a:txBody><a:bodyPr/><a:lstStyle/>${paragraph(run(text))}</a:txBody><a:tcPr/></a:tc>`;
    const table =
      '<p:graphicFrame><p:xfrm><a:off x="0" y="0"/><a:ext cx="2540000" cy="1270000"/></p:xfrm><a:graphic><a:graphicData><a:tbl>' +
      '<a:tblGrid><a:gridCol w="1270000"/><a:gridCol w="1270000"/></a:tblGrid>' +
      `<a:tr h="635000">${cell('Wide', ' gridSpan="2"')}<a:tc hMerge="1"/></a:tr>` +
      `<a:tr h="635000">${cell('Left')}${cell('Right')}</a:tr>` +
      '</a:tbl></a:graphicData></a:graphic></p:graphicFrame>';
    const deck = slideOf(table);
    const { texts, segments } = await read(deck);
    expect(texts).toEqual(['slide1-t1 r1c1 Wide', 'slide1-t1 r2c1 Left', 'slide1-t1 r2c2 Right']);
    expect(segments.map(({ kind, place, rectangles }) => [kind, place, rectangles])).toEqual([
      ['table_cell', 'slide 1, table 1, row 1, cell 1', [[0, 490, 200, 540]]],
      ['table_cell', 'slide 1, table 1, row 2, cell 1', [[0, 440, 100, 490]]],
      ['table_cell', 'slide 1, table 1, row 2, cell 2', [[100, 440, 200, 490]]],
    ]);
    const { shapes } = await translate(deck, ['Large texte de la cellule', 'Gauche', 'Droite']);
    expect(shapes).toContain(written('Droite'));
    expect(shapes).not.toContain('normAutofit');
  });
});
