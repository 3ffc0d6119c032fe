import { describe, expect, it } from 'vitest';
import { tallyTexts } from '#server/formats/docx/text-outcome.ts';
import { extract } from '#server/formats/docx.ts';
import { plainText } from '#server/formats/inline-content.ts';
import { openOfficeFile } from '#server/formats/office/office-format.ts';
import { TextTally } from '#server/formats/text-tally.ts';
import {
  field,
  mark,
  paragraph,
  run,
  textsOf,
  translate,
  withoutShare,
  wordFile,
  written,
} from './docx-file.ts';
import { wordFiles, zipOf } from './flatten-zip.ts';

describe('what stays untranslated is counted by kind', () => {
  const box = (text: string): string =>
    `<w:r><mc:AlternateContent xmlns:mc="mc"><mc:Choice><w:txbxContent>${paragraph(run(text))}</w:txbxContent></mc:Choice>` +
    `<mc:Fallback><w:pict><w:txbxContent>${paragraph(run(text))}</w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent></w:r>`;
  it.each<[kind: string, body: string, message: string, texts: string[]]>([
    [
      'text boxes',
      paragraph(run('a'), box('one'), box('two')),
      '2 text boxes are not translated; add `text_boxes` to `include` to translate them',
      ['a'],
    ],
    [
      'an old text box',
      paragraph(`<w:r><w:pict><w:txbxContent>${paragraph(run('one'))}</w:txbxContent></w:pict></w:r>`),
      '1 text box is not translated; add `text_boxes` to `include` to translate them',
      [],
    ],
    [
      'WordArt, such as a watermark',
      paragraph(
        run('a'),
        '<w:r><w:pict><v:shape xmlns:v="v"><v:textpath string="DRAFT"/></v:shape></w:pict></w:r>',
      ),
      '1 WordArt text is not translated',
      ['a'],
    ],
    [
      'drawings with texts',
      paragraph(
        run('a'),
        '<w:r><w:drawing><lc:lockedCanvas xmlns:lc="l" xmlns:a="a"><a:t>one</a:t></lc:lockedCanvas></w:drawing></w:r>',
      ),
      '1 diagram is not translated',
      ['a'],
    ],
    [
      'content controls around paragraphs',
      `<w:sdt><w:sdtContent>${paragraph(run('one'), box('two'))}</w:sdtContent></w:sdt>`,
      '1 content control is not translated; add `content_controls` to `include` to translate them',
      [],
    ],
    [
      'content controls in a paragraph',
      paragraph(run('Dear '), `<w:sdt><w:sdtContent>${run('Jane')}</w:sdtContent></w:sdt>`, run('!')),
      '1 content control is not translated; add `content_controls` to `include` to translate them',
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
      '2 tracked changes are not translated; add `tracked_changes` to `include` to translate them',
      ['a<1/>d'],
    ],
    [
      'results of fields that Word computes, each field once',
      paragraph(run('a '), field(' DATE ', run('1 '), run('May '), run('2026')), run(' b')) +
        paragraph(`<w:fldSimple w:instr="AUTHOR">${run('Jane')}</w:fldSimple>`, run('c')) +
        paragraph(run('d '), field('FORMTEXT', run('e '), field('REF x', run('f'))), run(' g')) +
        paragraph(run('h '), field(' PAGE ', run('12')), field('REF y', run('i'))) +
        paragraph(
          mark('begin'),
          '<w:r><w:instrText>IF </w:instrText></w:r>',
          field('MERGEFIELD x', run('j')),
        ) +
        paragraph(mark('separate'), run('k'), mark('end')),
      '3 results of fields are not translated',
      ['a <1/> b', '<1/>c', 'd <1/> g', 'h <1/><2>i</2>', 'k'],
    ],
    [
      'hidden text',
      paragraph(run('a'), run('secret', '<w:vanish/>'), run('b')),
      '1 hidden text is not translated; add `hidden` to `include` to translate them',
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
    expect(findings.map(withoutShare)).toContainEqual({
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
    expect(findings.map((finding) => withoutShare(finding).message)).toEqual([
      '2 footnotes are not translated; add `footnotes` to `include` to translate them',
      '2 endnotes are not translated; add `endnotes` to `include` to translate them',
      '2 comments are not translated; add `comments` to `include` to translate them',
    ]);
  });

  it('labels of lists with words, if a paragraph uses them', async () => {
    const level = (index: number, text: string, more = '') =>
      `<w:lvl w:ilvl="${index}"><w:numFmt w:val="decimal"/>${more}<w:lvlText w:val="${text}"/></w:lvl>`;
    const numbering =
      `<w:numbering><w:abstractNum w:abstractNumId="7">${level(0, 'Article %1')}${level(1, '%1.%2 a)')}${level(2, 'Part %3')}` +
      `${level(3, 'Annex %4', '<w:pStyle w:val="Annex"/>')}</w:abstractNum>` +
      `<w:abstractNum w:abstractNumId="8"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="oo"/></w:lvl></w:abstractNum>` +
      '<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="8"/></w:num></w:numbering>';
    const listed = (list: number, index: number) =>
      paragraph(
        `<w:pPr><w:numPr><w:ilvl w:val="${index}"/><w:numId w:val="${list}"/></w:numPr></w:pPr>`,
        run('text'),
      );
    const messages = async (...paragraphs: string[]) =>
      (await extract(wordFile(paragraphs.join(''), { numbering }))).findings.map(({ message }) => message);
    expect(await messages(listed(1, 1), listed(2, 0))).toEqual([]);
    expect(await messages(listed(1, 0), listed(1, 0))).toEqual(['1 list label with words is not translated']);
    expect(
      await messages(listed(1, 0), paragraph('<w:pPr><w:pStyle w:val="Annex"/></w:pPr>', run('text'))),
    ).toEqual(['2 list labels with words are not translated']);
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

describe('content of other kinds', () => {
  it('is the same afterwards, wherever it stands', async () => {
    const kept = [
      `<w:sdt><w:sdtContent>${run('control')}</w:sdtContent></w:sdt>`,
      `<w:ins w:id="1">${run('new')}</w:ins>`,
      '<w:del w:id="2"><w:r><w:delText>old</w:delText></w:r></w:del>',
      '<m:oMath><m:r><m:t>x</m:t></m:r></m:oMath>',
      `<w:r><w:pict><w:txbxContent>${paragraph(run('box'))}</w:txbxContent></w:pict></w:r>`,
      '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteReference w:id="2"/></w:r>',
      '<w:r><w:sym w:font="Wingdings" w:char="F0FC"/></w:r>',
      '<w:r><w:drawing><x/></w:drawing></w:r>',
    ];
    const source = paragraph(...kept.flatMap((raw, index) => [run(`t${index} `), raw]), run('end'));
    const [text] = await textsOf(source);
    const { body } = await translate(source, [text!.replace(/t(\d)/g, 'T$1')]);
    const parts = kept.flatMap((raw, index) => [written(`T${index} `), raw]);
    expect(body).toBe(paragraph(...parts, written('end')));
  });
});

describe('the outcome of the texts', () => {
  const styles =
    '<w:styles><w:style w:type="character" w:styleId="Off"><w:rPr><w:vanish/></w:rPr></w:style></w:styles>';
  const body =
    paragraph(run('Some text'), run('unseen', '<w:rStyle w:val="Off"/>')) +
    paragraph(
      `<w:r><w:ruby><w:rt>${run('reading')}</w:rt><w:rubyBase>${run('base')}</w:rubyBase></w:ruby></w:r>`,
    ) +
    paragraph('<w:r><w:pict><v:shape xmlns:v="v"><v:textpath string="DRAFT"/></v:shape></w:pict></w:r>');

  it('has every text: hidden by a style, the reading of a word, WordArt', async () => {
    const { outcome } = await extract(wordFile(body, { styles }));
    expect(outcome).toEqual({
      kept: [
        { class: 'not_selected', reason: 'hidden', texts: 1, characters: 6 },
        { class: 'kept', reason: 'other', texts: 1, characters: 7 },
        { class: 'kept', reason: 'text_boxes', texts: 1, characters: 5 },
      ],
      unaccounted: 0,
    });
  });

  it('has the characters that the reader of the segments has lost', async () => {
    const tally = new TextTally();
    const file = await openOfficeFile(wordFile(body, { styles }), 'a Word document');
    await tallyTexts(file, 'Sometextbase'.length - 4, [], tally);
    expect(tally.outcome().unaccounted).toBe(4);
  });

  it('counts a part once to which several relationships refer', async () => {
    const files = wordFiles(paragraph(run('text')), {
      diagramData1:
        '<dgm:dataModel xmlns:dgm="d" xmlns:a="a"><dgm:pt><a:t>box</a:t></dgm:pt></dgm:dataModel>',
      chart2: '<c:chart xmlns:c="c" xmlns:a="a"><a:p><a:t>North</a:t></a:p></c:chart>',
    });
    const path = 'word/_rels/document.xml.rels';
    const again = files[path]!.replace(
      /<Relationship .*\/>/,
      (all) => all + all.replaceAll(' Id="', ' Id="x'),
    );
    const [once, twice] = [await extract(zipOf(files)), await extract(zipOf({ ...files, [path]: again }))];
    expect(once.outcome!.kept.map(({ reason, texts }) => [reason, texts])).toEqual([
      ['diagrams', 1],
      ['charts', 1],
    ]);
    expect(twice.outcome).toEqual(once.outcome);
  });

  it('counts the text boxes in a chart, and the alternative texts of a table', async () => {
    const properties = '<w:tblCaption w:val="Prices"/><w:tblDescription w:val="12"/>';
    const table = `<w:tbl><w:tblPr>${properties}</w:tblPr><w:tr><w:tc>${paragraph(run('text'))}</w:tc></w:tr></w:tbl>`;
    const files = wordFiles(table, { chart: '<c:chart xmlns:c="c"></c:chart>' });
    files['word/_rels/chart.xml.rels'] =
      '<Relationships><Relationship Id="a" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/chartUserShapes" Target="shapes.xml"/></Relationships>';
    files['word/shapes.xml'] =
      '<c:userShapes xmlns:c="c" xmlns:a="a"><cdr:sp xmlns:cdr="cdr"><cdr:txBody><a:p><a:r><a:t>Peak</a:t></a:r></a:p></cdr:txBody></cdr:sp></c:userShapes>';
    const { outcome, findings } = await extract(zipOf(files));
    expect(outcome!.kept.map(({ reason, characters }) => [reason, characters])).toEqual([
      ['alternative_texts', 6],
      ['diagrams', 4],
    ]);
    expect(findings.map(({ message }) => message)).toContain('1 alternative text is not translated');
  });
});
