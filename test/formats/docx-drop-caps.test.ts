import { describe, expect, it } from 'vitest';
import { check, extract } from '#server/formats/docx.ts';
import { plainText } from '#server/formats/inline-content.ts';
import { field, link, paragraph, run, textsOf, translate, wordFile, written } from './docx-file.ts';

const frame = '<w:framePr w:dropCap="drop" w:lines="3" w:wrap="around" w:vAnchor="text" w:hAnchor="text"/>';
const framed = `<w:pPr><w:keepNext/>${frame}</w:pPr>`;
const size = '<w:sz w:val="116"/>';
/** A paragraph with large letters, and the paragraph after it. */
const dropCap = (letters: string, ...rest: string[]): string =>
  paragraph(framed, run(letters, size)) + paragraph(...rest);
const large = (letters: string, language?: string): string =>
  paragraph(framed, written(letters, size, language));

describe('a drop cap in a Word file', () => {
  it.each<[rule: string, body: string, texts: string[]]>([
    ['is a text with its paragraph', dropCap('O', run('nce upon a time.')), ['Once upon a time.']],
    [
      'in the margin is, too',
      dropCap('O', run('nce.')).replace('w:dropCap="drop"', 'w:dropCap="margin"'),
      ['Once.'],
    ],
    ['may be a word', dropCap('Once', run(' upon a time.')), ['Once upon a time.']],
    [
      'may have several runs',
      paragraph(framed, run('“'), run('O', size)) + paragraph(run('nce.')),
      ['“Once.'],
    ],
    [
      'may have bookmarks between it and its paragraph',
      `${paragraph(framed, run('O'))}<w:bookmarkEnd w:id="1"/>${paragraph(run('nce.'))}`,
      ['Once.'],
    ],
    [
      'belongs to the first text of a paragraph with tabs',
      dropCap('O', run('nce'), '<w:r><w:tab/></w:r>', run('Upon')),
      ['Once', 'Upon'],
    ],
    ['is in the link at the beginning', dropCap('O', link(run('nce')), run(' upon')), ['<1>Once</1> upon']],
    [
      'has the formatting of its paragraph',
      dropCap('O', run('nce ', '<w:b/>'), run('upon a time')),
      ['<1>Once</1> upon a time'],
    ],
    [
      'is separate before a table',
      `${paragraph(framed, run('O'))}<w:tbl><w:tr><w:tc>${paragraph(run('Cell'))}</w:tc></w:tr></w:tbl>`,
      ['O', 'Cell'],
    ],
    ['is separate at the end', paragraph(run('Text')) + paragraph(framed, run('O')), ['Text', 'O']],
    [
      'is separate before another one',
      paragraph(framed, run('O')) + dropCap('T', run('wice.')),
      ['O', 'Twice.'],
    ],
    ['is separate before a paragraph without text', dropCap('O') + paragraph(run('Text')), ['O', 'Text']],
    ['is separate before a field', dropCap('O', field('PAGE', run('3')), run(' pages')), ['O', '<1/> pages']],
    [
      'does not count if it is long',
      dropCap('A title in a frame that is longer than a word', run('Text')),
      ['A title in a frame that is longer than a word', 'Text'],
    ],
    ['does not count without a letter', dropCap('1', run('nce')), ['nce']],
    [
      'does not count in another frame',
      dropCap('O', run('nce')).replace(' w:dropCap="drop"', ''),
      ['O', 'nce'],
    ],
    [
      'does not count if a tracked change has removed it',
      paragraph(`<w:pPr><w:pPrChange><w:pPr>${frame}</w:pPr></w:pPrChange></w:pPr>`, run('O')) +
        paragraph(run('nce')),
      ['O', 'nce'],
    ],
  ])('%s', async (_, body, texts) => {
    expect(await textsOf(body)).toEqual(texts);
    const bytes = wordFile(body);
    const { segments, outcome } = await extract(bytes);
    expect(outcome?.unaccounted).toBe(0);
    const taken: string[] = [];
    await check(bytes, (text) => taken.push(text) > 0);
    expect(taken).toEqual(segments.map(({ source }) => plainText(source)));
    expect((await translate(body, texts)).body).toBe(body);
  });

  it.each<[rule: string, body: string, reply: string, result: string]>([
    [
      'gets the first letter of the translation',
      dropCap('O', run('nce upon a time.')),
      'Il était une fois.',
      large('I') + paragraph(written('l était une fois.')),
    ],
    [
      'gets the quotation mark before it',
      dropCap('“O', run('nce.”')),
      '«\u00a0Un jour.\u00a0»',
      large('«\u00a0U') + paragraph(written('n jour.\u00a0»')),
    ],
    [
      'gets a letter with its marks',
      dropCap('O', run('nce.')),
      'E\u0301tait.',
      large('E\u0301') + paragraph(written('tait.')),
    ],
    [
      'gets the first word for a word',
      dropCap('Once', run(' upon a time.')),
      'Autrefois, un jour.',
      large('Autrefois') + paragraph(written(', un jour.')),
    ],
    [
      'leaves the space after a word of one letter',
      dropCap('I', run('n a house.')),
      'À la maison.',
      large('À') + paragraph(written(' la maison.')),
    ],
    [
      'leaves tags where they are',
      dropCap('O', run('nce', '<w:b/>'), run(' upon a time')),
      '<1>Un</1> jour',
      large('U') + paragraph(written('n', '<w:b/>'), written(' jour')),
    ],
    ['may be all of the translation', dropCap('O', run('nce')), 'X', large('X') + paragraph()],
    [
      'stays if only another text changes',
      dropCap('O', run('nce'), '<w:r><w:tab/></w:r>', run('Upon')),
      'Once',
      paragraph(framed, run('O', size)) + paragraph(run('nce'), '<w:r><w:tab/></w:r>', written('jour')),
    ],
  ])('%s', async (_, body, reply, result) => {
    expect((await translate(body, [reply, 'jour'])).body).toBe(result);
  });

  it('may have its frame by a style', async () => {
    const styles = `<w:styles><w:style w:type="paragraph" w:styleId="Large"><w:pPr>${frame}</w:pPr></w:style></w:styles>`;
    const body =
      paragraph('<w:pPr><w:pStyle w:val="Large"/></w:pPr>', run('O')) +
      paragraph(run('nce.')) +
      paragraph('<w:pPr><w:pStyle w:val="Large"/><w:framePr w:w="1"/></w:pPr>', run('Box')) +
      paragraph(run('text.'));
    expect(await textsOf(body, { styles })).toEqual(['Once.', 'Box', 'text.']);
  });

  it('gets a whole word of a script that joins its letters', async () => {
    const { body } = await translate(dropCap('O', run('nce upon a time.')), ['كان يا ما كان.'], { to: 'ar' });
    const shown = [...body.matchAll(/<w:t[^>]*>([^<]*)/g)].map(([, text]) => text);
    expect(shown).toEqual(['كان', ' يا ما كان.']);
    expect(body.match(/<w:bidi\/>/g)).toHaveLength(2);
  });

  it('gets a character of a script without capitals', async () => {
    const { body } = await translate(dropCap('O', run('nce upon a time.')), ['从前有一座山。'], { to: 'zh' });
    const shown = [...body.matchAll(/<w:t[^>]*>([^<]*)/g)].map(([, text]) => text);
    expect(shown).toEqual(['从', '前有一座山。']);
  });

  it('stays above a translation', async () => {
    const source = dropCap('O', run('nce.'));
    const { body } = await translate(source, ['Un jour.'], { output: 'bilingual' });
    expect(body.startsWith(source)).toBe(true);
    expect(body.slice(source.length)).toContain('>Un jour.<');
    expect(body.slice(source.length)).not.toContain('framePr');
  });
});
