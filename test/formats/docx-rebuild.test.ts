import { describe, expect, it } from 'vitest';
import { extract, rebuild } from '#server/formats/docx.ts';
import type { InlineContent } from '#server/formats/inline-content.ts';
import { field, link, paragraph, run, translate, wordFile, written } from './docx-file.ts';
import { allOf, parse, partsOf, textOf } from './docx-walk.ts';
import { wordFiles, zipOf } from './flatten-zip.ts';

const tab = '<w:r><w:tab/></w:r>';
const bookmark = { start: '<w:bookmarkStart w:id="1" w:name="x"/>', end: '<w:bookmarkEnd w:id="1"/>' };

describe('a translated paragraph', () => {
  it.each<[rule: string, source: string, reply: string, result: string]>([
    [
      'keeps its properties, and text outside of tags has those of most of its characters',
      paragraph(
        '<w:pPr><w:jc w:val="both"/></w:pPr>',
        run('Not so', '<w:lang w:val="en-US"/>'),
        run(' so '),
        run('bold'),
        run('!', '<w:i/>'),
      ),
      'Pas gras',
      paragraph('<w:pPr><w:jc w:val="both"/></w:pPr>', written('Pas gras')),
    ],
    [
      'counts the characters of all runs with the same properties',
      paragraph(run('aaaa', '<w:b/>'), run('bbb', '<w:i/>'), run('ccc', '<w:i/>')),
      '<1>x</1>y',
      paragraph(written('x', '<w:b/>'), written('y', '<w:i/>')),
    ],
    [
      'a hyperlink keeps its target and its own text',
      paragraph(run('Click '), link(run('here', '<w:u w:val="single"/>')), run(' now')),
      'Cliquez <1>ici</1> maintenant',
      paragraph(written('Cliquez '), link(written('ici', '<w:u w:val="single"/>')), written(' maintenant')),
    ],
    [
      'spaces around tags are as the translation has them, and at the edges as in the source',
      paragraph(run('  a '), tab, run(' b  ')),
      ' x<1/>y ',
      paragraph(written('  x'), tab, written('y  ')),
    ],
    [
      'spaces at the edges stay there if a tag moves to the edge',
      paragraph(run(' a '), field('PAGE', run('3')), run(' b ')),
      '<1/> x',
      paragraph(written(' '), field('PAGE', run('3')), written(' x ')),
    ],
    [
      'what stands at the edges stays there',
      paragraph(tab, run(' '), link(run('One'), tab, field('PAGEREF a', run('3')))),
      'Eins',
      paragraph(tab, run(' '), link(written('Eins'), tab, field('PAGEREF a', run('3')))),
    ],
    [
      'a field with text keeps its code, and its result is translated',
      paragraph(run('See '), field(' REF x ', run('Figure 3', '<w:b/>')), run(' below')),
      '<1>Abbildung 3</1> unten',
      paragraph(field(' REF x ', written('Abbildung 3', '<w:b/>')), written(' unten')),
    ],
    [
      'the data of a simple field stay directly behind its tag',
      paragraph(
        run('a'),
        '<w:fldSimple w:instr="REF x"><w:fldData>AA==</w:fldData>',
        run('b'),
        '</w:fldSimple>',
      ),
      'x<1>y</1>',
      paragraph(
        written('x'),
        '<w:fldSimple w:instr="REF x"><w:fldData>AA==</w:fldData>',
        written('y'),
        '</w:fldSimple>',
      ),
    ],
    [
      'pieces of one run are taken apart, each with its properties',
      paragraph('<w:r w:rsidR="1"><w:rPr><w:b/></w:rPr><w:t>a</w:t><w:tab/><w:t>b</w:t></w:r>'),
      'x<1/>y',
      paragraph(
        written('x', '<w:b/>'),
        '<w:r w:rsidR="1"><w:rPr><w:b/></w:rPr><w:tab/></w:r>',
        written('y', '<w:b/>'),
      ),
    ],
    [
      'line feeds and tabs in a translation are breaks and tabs, and Word has elements for its hyphens',
      paragraph(run('a')),
      'a\nb\tc\u00add\u2011e\r\nf',
      paragraph(
        '<w:r><w:rPr><w:lang w:val="fr-FR"/></w:rPr><w:t>a</w:t><w:br/><w:t>b</w:t><w:tab/><w:t>c</w:t><w:softHyphen/><w:t>d</w:t><w:noBreakHyphen/><w:t>e</w:t><w:br/><w:t>f</w:t></w:r>',
      ),
    ],
    [
      'a word that has no-break hyphens in the source has them in the translation',
      paragraph(
        '<w:r><w:t xml:space="preserve">The F</w:t><w:noBreakHyphen/><w:t>16, e\u2011mail</w:t></w:r>',
      ),
      'F-16 (F-16): E-Mail, F-1',
      paragraph(
        '<w:r><w:rPr><w:lang w:val="fr-FR"/></w:rPr><w:t>F</w:t><w:noBreakHyphen/><w:t>16 (F</w:t><w:noBreakHyphen/><w:t>16): E-Mail, F-1</w:t></w:r>',
      ),
    ],
    [
      "a paragraph with Word's hyphens stays as it is if the translation is its text",
      paragraph('<w:r><w:t>a</w:t><w:noBreakHyphen/><w:t>b</w:t><w:softHyphen/><w:t>c</w:t></w:r>'),
      'a-bc',
      paragraph('<w:r><w:t>a</w:t><w:noBreakHyphen/><w:t>b</w:t><w:softHyphen/><w:t>c</w:t></w:r>'),
    ],
    [
      'characters of XML are escaped, and those that it cannot hold are left out',
      paragraph(run('a')),
      'a < b & ]]> c\u0000\u0008\ufffe\ud800😀',
      paragraph(written('a &lt; b &amp; ]]&gt; c😀')),
    ],
    ['a translation without text leaves no run', paragraph(run('a'), tab, run('b')), '<1/>', paragraph(tab)],
    [
      'hidden text stays between the words',
      paragraph(run('one '), run('secret', '<w:vanish/>'), run('two')),
      'eins zwei',
      paragraph(written('eins'), run('secret', '<w:vanish/>'), written(' zwei')),
    ],
    [
      'a bookmark stays around its share of the text, at the edges of words',
      paragraph(run('The '), bookmark.start, run('main valve'), bookmark.end, run(' is closed')),
      'Das Absperrventil ist zu',
      paragraph(written('Das '), bookmark.start, written('Absperrventil'), bookmark.end, written(' ist zu')),
    ],
    [
      'a marker never cuts a character',
      paragraph(run('ab'), bookmark.start, bookmark.end, run('cd')),
      '字😀字',
      paragraph(written('字😀'), bookmark.start, bookmark.end, written('字')),
    ],
    [
      'marks of spelling and smart tags go with the words that they are about',
      paragraph(
        '<w:proofErr w:type="spellStart"/>',
        '<w:smartTag w:element="x">',
        run('Paris'),
        '</w:smartTag>',
        run(' is'),
      ),
      'Parigi è',
      paragraph(written('Parigi è')),
    ],
    [
      'ruby text loses its reading aid',
      paragraph(
        '<w:r><w:ruby><w:rt><w:r><w:t>かん</w:t></w:r></w:rt><w:rubyBase><w:r><w:rPr><w:b/></w:rPr><w:t>漢</w:t></w:r></w:rubyBase></w:ruby></w:r>',
      ),
      'Han',
      paragraph(written('Han', '<w:b/>')),
    ],
    [
      'no hyperlink is written into another, even if the translation says so',
      paragraph(link(run('a')), run(' and '), link(run('b')).replace('rId1', 'rId2')),
      '<1>x <2>y</2></1> z',
      paragraph(link(written('x ')), link(written('y')).replace('rId1', 'rId2'), written(' z')),
    ],
  ])('%s', async (_, source, reply, result) => {
    expect((await translate(source, [reply])).body).toBe(result);
  });

  it('without a translation stays as it is, and so does one that equals its source', async () => {
    const source =
      paragraph('<!-- c -->', run('a', '<w:b/>'), run('b'), '<w:proofErr/>') + paragraph(run('c'));
    const bytes = wordFile(source);
    const same = await rebuild(bytes, [{ regionId: 'p1', cellId: null, target: ['ab'] }], {
      sourceLanguage: 'en',
      targetLanguage: 'fr',
    });
    expect(Buffer.from(same.bytes).equals(bytes)).toBe(true);
  });

  it('a translation for a segment that the file does not have is refused', async () => {
    const made = rebuild(wordFile(paragraph(run('a'))), [{ regionId: 'p2', cellId: null, target: ['x'] }], {
      sourceLanguage: 'en',
      targetLanguage: 'fr',
    });
    await expect(made).rejects.toThrow(RangeError);
  });
});

describe('tags that the writer cannot use', () => {
  const put = async (target: InlineContent): Promise<string> => {
    const source = paragraph(run('a'), tab, run('b'), link(run('c')), run('d'));
    const key = { regionId: 'p1', cellId: null };
    const options = { sourceLanguage: 'en', targetLanguage: 'fr' };
    const { bytes } = await rebuild(wordFile(source), [{ ...key, target }], options);
    return /<w:body>(.*)<\/w:body>/s.exec(partsOf(bytes)['word/document.xml']!)![1]!;
  };

  it.each<[rule: string, target: InlineContent]>([
    ['missing', ['x', 'y']],
    ['twice', ['x', { tag: 1, type: 'void' }, 'y', { tag: 1, type: 'void' }]],
    ['not closed', ['x', { tag: 1, type: 'void' }, { tag: 2, type: 'open' }, 'y']],
    ['unknown', ['x', { tag: 9, type: 'void' }, 'y']],
  ])('%s: the source has each of them once, and no text is lost', async (_, target) => {
    const body = await put(target);
    const root = parse(`<w:document><w:body>${body}</w:body></w:document>`);
    expect(allOf(root, 'tab')).toHaveLength(1);
    expect(allOf(root, 'hyperlink')).toHaveLength(1);
    expect(textOf(root)).toBe('xy');
  });
});

describe('namespaces and encodings', () => {
  const strict = 'http://purl.oclc.org/ooxml/wordprocessingml/main';
  const put = async (xml: string | Uint8Array): Promise<Uint8Array> => {
    const bytes = zipOf({ ...wordFiles(''), 'word/document.xml': xml as string });
    const { segments } = await extract(bytes);
    const translations = segments.map((segment) => ({
      ...segment,
      target: segment.source.map((item) => (typeof item === 'string' ? item.toUpperCase() : item)),
    }));
    return (await rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage: 'ar' })).bytes;
  };

  it.each([
    ['a prefix other than w', 'x:', `xmlns:x="${strict}"`],
    ['no prefix', '', `xmlns="${strict}"`],
  ])('%s is used in what is written', async (_, p, declaration) => {
    const body = (text: string, direction: boolean): string =>
      `<${p}document ${declaration}><${p}body><${p}p>${direction ? `<${p}pPr><${p}bidi/></${p}pPr>` : ''}<${p}r>${
        direction ? `<${p}rPr><${p}rtl/>${p && '<x:lang x:bidi="ar-EG"/>'}</${p}rPr>` : ''
      }<${p}t>${text}</${p}t></${p}r></${p}p></${p}body></${p}document>`;
    expect(partsOf(await put(body('ab', false)))['word/document.xml']).toBe(body('AB', true));
  });

  it('what a hyperlink declares is declared again for what leaves it', async () => {
    const source = paragraph(
      run('a '),
      '<w:hyperlink xmlns:q="urn:q" q:id="1">',
      run('b', '<q:x/>'),
      '<w:r><q:picture/></w:r>',
      run('c', '<q:x/>'),
      '<q:y/>',
      run('d', '<q:x/>'),
      '</w:hyperlink>',
    );
    const { body } = await translate(source, ['<2/><1>x</1><3/> y']);
    expect(body).toContain('<w:r xmlns:q="urn:q"><q:picture/></w:r>');
    expect(body).toContain('<q:y xmlns:q="urn:q"/>');
    expect(body).toContain(
      '<w:r xmlns:q="urn:q"><w:rPr><w:lang w:val="fr-FR"/><q:x/></w:rPr><w:t>x</w:t></w:r>',
    );
  });

  it.each<[encoding: string, encode: (text: string) => Buffer]>([
    ['utf-16le', (text) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['utf-16be', (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
    ['utf-8', (text) => Buffer.from(`\ufeff${text}`)],
  ])('a part in %s stays in it', async (encoding, encode) => {
    const xml = `<?xml version="1.0"?>${wordFiles(paragraph(run('grüße 😀')))['word/document.xml']}`;
    const { unzipSync } = await import('fflate');
    const after = unzipSync(await put(encode(xml)))['word/document.xml']!;
    const text = new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(after);
    expect(text.startsWith('\ufeff<?xml')).toBe(true);
    expect(text).toContain('GRÜSSE 😀');
  });

  it('a part in another encoding is refused', async () => {
    const xml = wordFiles(paragraph(run('a')))['word/document.xml']!;
    await expect(put(`<?xml version="1.0" encoding="ISO-8859-1"?>${xml}`)).rejects.toMatchObject({
      reason: 'unreadable',
    });
  });

  it('CDATA and references are text', async () => {
    const source = paragraph('<w:r><w:t><![CDATA[a <b>]]> &amp; &#x63;</w:t></w:r>');
    expect((await translate(source, ['x <b> & c'])).body).toBe(paragraph(written('x &lt;b&gt; &amp; c')));
  });
});
