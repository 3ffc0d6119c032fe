import { describe, expect, it } from 'vitest';
import { extract, rebuild } from '#server/formats/docx.ts';
import { type InlineContent, joinStrings, plainText } from '#server/formats/inline-content.ts';
import { field, link, paragraph, run, textsOf, translate, wordFile, written } from './docx-file.ts';
import { partsOf } from './docx-walk.ts';

const bold = '<w:b/>';
const italic = '<w:i/>';
const style = (type: string, id: string, properties: string, more = ''): string =>
  `<w:style w:type="${type}" w:styleId="${id}"${more}><w:rPr>${properties}</w:rPr></w:style>`;
const styles = (...all: string[]): Record<string, string> => ({
  styles: `<w:styles>${all.join('')}</w:styles>`,
});

describe('formatting inside a paragraph', () => {
  it.each<[rule: string, body: string, text: string]>([
    [
      'has a tag if it is visible',
      paragraph(run('Press '), run('Stop', bold), run(' now')),
      'Press <1>Stop</1> now',
    ],
    [
      'has none if the whole text has it',
      paragraph(run('Press '), run('Stop')).replaceAll('<w:r>', `<w:r><w:rPr>${bold}</w:rPr>`),
      'Press Stop',
    ],
    [
      'leaves spaces at its edges outside, and those between equal texts inside',
      paragraph(run('Press'), run(' the ', bold), run(' '), run('red', bold), run(' button to stop it')),
      'Press <1>the  red</1> button to stop it',
    ],
    [
      'is one tag for runs that differ in nothing visible',
      paragraph(
        run('Read the manual '),
        run('very ', '<w:b/><w:lang w:val="en-US"/><w:noProof/>'),
        run('well', '<w:b w:val="true"/><w:rFonts w:hint="eastAsia"/><w:szCs w:val="30"/>'),
      ),
      'Read the manual <1>very well</1>',
    ],
    [
      'has no tag if only the language, the spelling or half a point differ',
      paragraph(
        run('one ', '<w:sz w:val="22"/>'),
        run('two', '<w:lang w:val="fr-FR"/><w:sz w:val="21"/><w:color w:val="auto"/>'),
      ),
      'one two',
    ],
    [
      'does not follow the face of signs alone',
      paragraph(run('A note', bold), run(': '), run('read', bold), run('.')),
      'A note: read.',
    ],
    [
      'follows their color and their place',
      paragraph(
        run('Your name'),
        run('*', '<w:color w:val="FF0000"/>'),
        run(' here'),
        run('®', '<w:vertAlign w:val="superscript"/>'),
      ),
      'Your name<1>*</1> here<2>®</2>',
    ],
    [
      'stays inside of its link, and its link inside of nothing',
      paragraph(run('See '), run('our ', bold), link(run('new', bold), run(' site on the web')), run('.')),
      'See <2>our</2> <1><3>new</3> site on the web</1>.',
    ],
    [
      'continues after a note or a break',
      paragraph(
        run('Look: '),
        run('one', bold),
        '<w:r><w:footnoteReference w:id="2"/></w:r>',
        run('two', bold),
        run(' and all others'),
      ),
      'Look: <2>one<1/>two</2> and all others',
    ],
    [
      'does not count capitals in two sizes as two formats',
      paragraph(run('I', '<w:sz w:val="28"/>'), run('NTRODUCTION', '<w:sz w:val="20"/>')),
      'INTRODUCTION',
    ],
    [
      'has a tag for a size after a break, which ends a word',
      paragraph(
        run('A long title of a page', '<w:sz w:val="40"/>'),
        '<w:r><w:br/></w:r>',
        run('and more', '<w:sz w:val="24"/>'),
      ),
      'A long title of a page<1/><2>and more</2>',
    ],
    [
      'has a tag for words of another size that follow a letter directly',
      paragraph(run('A long title of a page', '<w:sz w:val="40"/>'), run('and more', '<w:sz w:val="24"/>')),
      'A long title of a page<1>and more</1>',
    ],
    [
      'does not count the font of words in another script',
      paragraph(
        run('これは', '<w:rFonts w:ascii="MS Mincho" w:eastAsia="MS Mincho"/>'),
        run('PDF', '<w:rFonts w:ascii="Arial" w:eastAsia="MS Gothic"/>'),
        run('です', '<w:rFonts w:eastAsia="MS Mincho"/>'),
      ),
      'これはPDFです',
    ],
    [
      'ignores the font of signs, and letter-spacing that is not visible',
      paragraph(
        run('all of it '),
        run('12', '<w:rFonts w:ascii="Arial"/>'),
        run(' and '),
        run('more', '<w:spacing w:val="10"/>'),
        run(' and '),
        run('less', '<w:spacing w:val="40"/>'),
      ),
      'all of it 12 and more and <1>less</1>',
    ],
    [
      'follows a font of the theme rather than the named one',
      paragraph(
        run('one of these ', '<w:rFonts w:ascii="Arial" w:asciiTheme="minorHAnsi"/>'),
        run('or', '<w:rFonts w:ascii="Times" w:asciiTheme="minorHAnsi"/>'),
        run('not', '<w:rFonts w:ascii="Arial" w:asciiTheme="majorHAnsi"/>'),
      ),
      'one of these or<1>not</1>',
    ],
    [
      'of right-to-left text is that for complex scripts',
      paragraph(
        run('نص طويل هنا ', '<w:rtl/><w:b/>'),
        run('كلمة', '<w:rtl/><w:bCs/>'),
        run(' أخرى', '<w:rtl/>'),
      ),
      'نص طويل هنا <1>كلمة</1> أخرى',
    ],
  ])('%s', async (_, body, text) => {
    expect(await textsOf(body)).toEqual([text]);
  });

  it.each<[words: number, spans: number]>([
    [14, 6],
    [30, 10],
    [90, 20],
  ])('of %i words has at most %i tags', async (words, spans) => {
    const textWith = (count: number): string =>
      paragraph(
        ...Array.from({ length: words / 2 }, (_, index) => [
          run(`${index} `, index < count ? '<w:color w:val="FF0000"/>' : ''),
          run('word '),
        ]).flat(),
      );
    const tagsOf = async (count: number) => (await textsOf(textWith(count)))[0]!.match(/<\d+>/g)?.length ?? 0;
    expect(await tagsOf(spans)).toBe(spans);
    expect(await tagsOf(spans + 1)).toBe(0);
  });

  it('comes from styles, and a paragraph and a character style that are both bold are not', async () => {
    const parts = styles(
      style('paragraph', 'Title', bold),
      style('character', 'Strong', bold),
      style('character', 'Plain', '<w:lang w:val="en-US"/>'),
    );
    const strong = '<w:rStyle w:val="Strong"/>';
    const title = '<w:pPr><w:pStyle w:val="Title"/></w:pPr>';
    const body =
      paragraph(
        run('a word '),
        run('in bold', strong),
        run(' or so'),
        run(' here', '<w:rStyle w:val="Plain"/>'),
      ) +
      paragraph(title, run('a heading'), run(' in bold', bold)) +
      paragraph(title, run('a heading'), run(' not', strong));
    expect(await textsOf(body, parts)).toEqual([
      'a word <1>in bold</1> or so here',
      'a heading in bold',
      'a heading <1>not</1>',
    ]);
  });

  it('comes from a style together with the styles on which it is based', async () => {
    const parts = styles(
      style('character', 'Base', bold),
      '<w:style w:type="character" w:styleId="Derived"><w:basedOn w:val="Base"/><w:rPr><w:i/></w:rPr></w:style>',
    );
    const body = paragraph(run('a long text ', '<w:rStyle w:val="Derived"/>'), run('here', bold + italic));
    expect(await textsOf(body, parts)).toEqual(['a long text here']);
  });

  it('has a kind', async () => {
    const { segments } = await extract(
      wordFile(
        paragraph(
          run('a long text with '),
          run('x', bold),
          run(' '),
          run('2', '<w:vertAlign w:val="subscript"/>'),
        ),
      ),
    );
    expect(segments[0]!.source).toContainEqual({ tag: 1, type: 'open', format: 'bold' });
    expect(segments[0]!.source).toContainEqual({ tag: 2, type: 'close', format: 'subscript' });
  });

  it('does not change the text that is counted', async () => {
    const { segments } = await extract(wordFile(paragraph(run(' a '), run(' b ', bold), run('c '))));
    expect(segments.map(({ source }) => plainText(source))).toEqual(['a  b c']);
  });

  it('that changes at each letter is not tagged, and is reported', async () => {
    const letters = [...'abcdefghijklmnopqrstuvwxyz'];
    const colored = paragraph(
      ...letters.map((letter, index) => run(letter, `<w:color w:val="0000${index + 10}"/>`)),
    );
    const { findings } = await translate(colored, ['eins']);
    expect(findings).toMatchObject([{ severity: 'info', code: 'formatting_lost', unitId: 'p1' }]);
    const mixed = paragraph(
      ...letters.map((letter, index) => run(letter, `<w:color w:val="0000${index + 10}"/>`)),
      run(' press '),
      run('Stop', bold),
    );
    expect(await textsOf(mixed)).toEqual(['abcdefghijklmnopqrstuvwxyz press <1>Stop</1>']);
  });
});

describe('a translated text', () => {
  const pressStop = paragraph(
    run('Press '),
    run('Stop', bold),
    run(' and '),
    link(run('read'), run(' on', italic)),
  );

  it.each<[rule: string, reply: string, result: string[]]>([
    [
      'has the formats of the source, wherever its words stand',
      '<1>Lisez<3> plus</3></1> et <2>arrêtez</2>',
      [link(written('Lisez'), written(' plus', italic)), written(' et '), written('arrêtez', bold)],
    ],
    [
      'may have its link inside of a format, but then has no other format in it',
      '<2>Arrêtez et <1><3>lisez</3></1></2>',
      [written('Arrêtez et ', bold), link(written('lisez', italic))],
    ],
    [
      'has the format of the link if a format from elsewhere moves into it',
      'Press <1>read <2>Stop</2><3>x</3></1>',
      [written('Press '), link(written('read '), written('Stop'), written('x', italic))],
    ],
  ])('%s', async (_, reply, result) => {
    expect((await translate(pressStop, [reply])).body).toBe(paragraph(...result));
  });

  const rebuilt = async (target: (source: InlineContent) => InlineContent) => {
    const bytes = wordFile(pressStop);
    const { segments } = await extract(bytes);
    const translations = segments.map((segment) => ({ ...segment, target: target(segment.source) }));
    return rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage: 'fr' });
  };

  it('without a format has the usual one, and this is reported', async () => {
    const { findings } = await rebuilt((source) =>
      source
        .map((item) => (typeof item === 'string' ? `${item}e` : item))
        .filter((item) => typeof item === 'string' || item.tag !== 2),
    );
    expect(findings).toEqual([
      {
        severity: 'info',
        code: 'formatting_lost',
        message:
          'word/document.xml, paragraph 1: some words of the translation do not have the formatting of the source',
        unitId: 'p1',
      },
    ]);
  });

  it('has the format of its words, although the sign between them is longer and has none', async () => {
    const body = paragraph(
      run('let '),
      run('y', italic),
      run(' = '),
      run('f', italic),
      run(' be a function'),
    );
    const { body: after, findings } = await translate(body, ['soit <1>y = f</1> une fonction']);
    expect(after).toBe(paragraph(written('soit '), written('y = f', italic), written(' une fonction')));
    expect(findings).toEqual([]);
  });

  it('has the format of its link in the link', async () => {
    const colored = '<w:color w:val="0000FF"/>';
    const { body } = await translate(paragraph(run('See our new '), link(run('site', colored))), [
      'Voir <1>notre</1> site',
    ]);
    expect(body).toBe(paragraph(written('Voir '), link(written('notre', colored)), written(' site')));
  });

  it('that equals its source stays unchanged, although its formats are lost', async () => {
    const { bytes, findings } = await rebuilt((source) =>
      joinStrings(source.filter((item) => typeof item === 'string' || item.tag === 1)),
    );
    expect(partsOf(bytes)['word/document.xml']).toContain(pressStop);
    expect(findings).toEqual([]);
  });

  it('may have other tags after a format in a link', async () => {
    const ins = (text: string): string => `<w:ins w:id="1">${text}</w:ins>`;
    const body = paragraph(run('See '), link(run('new', bold), run(' site of '), ins(run('all'))));
    const { findings } = await translate(body, ['Voir <1><3>neuf</3> site de <2>tous</2></1>'], {
      include: ['tracked_changes'],
    });
    expect(findings).toEqual([]);
  });

  it('whose tags are put in order loses its formats, and its words stay in their link', async () => {
    const bytes = wordFile(paragraph(run('See '), link(run('our '), run('new', bold), run(' site of it'))));
    const { segments } = await extract(bytes);
    const [{ source, ...segment }] = segments as [(typeof segments)[0]];
    const broken = source.filter(
      (item) => typeof item === 'string' || item.tag !== 1 || item.type !== 'close',
    );
    const target = broken.map((item) => (typeof item === 'string' ? `${item}e` : item));
    const result = await rebuild(bytes, [{ ...segment, target }], {
      sourceLanguage: 'en',
      targetLanguage: 'fr',
    });
    expect(result.findings).toMatchObject([{ code: 'low_segment_quality' }]);
    expect(partsOf(result.bytes)['word/document.xml']).toContain(link(written('our enewe site of ite')));
  });

  it('with all of its formats has no finding', async () => {
    const { findings } = await rebuilt((source) =>
      source.map((item) => (typeof item === 'string' ? `${item}e` : item)),
    );
    expect(findings).toEqual([]);
  });

  it('keeps its formats in a field that ends in the next paragraph', async () => {
    const [first, second] = [`${field('TOC', run('One '), run('two', bold))}`, run('three')];
    const open = first.replace(/<w:r><w:fldChar w:fldCharType="end"\/><\/w:r>$/, '');
    const end = '<w:r><w:fldChar w:fldCharType="end"/></w:r>';
    const body = paragraph(open) + paragraph(second, end);
    const { body: after, findings } = await translate(body, ['<1>Zwei</1> eins', 'drei']);
    expect(after).toContain(written('Zwei', bold) + written(' eins'));
    expect(findings).toEqual([]);
  });
});

it('reads long blanks inside of formatted text in linear time', async () => {
  const blanks = ' '.repeat(90_000);
  const begun = performance.now();
  await extract(wordFile(paragraph(run('One '), run(`two${blanks}three`, bold), run(' four'))));
  expect(performance.now() - begun).toBeLessThan(10_000);
});
