import { describe, expect, it } from 'vitest';
import { paragraph, run, translate } from './docx-file.ts';

const turned = async (
  source: string,
  reply: string,
  languages: { from?: string; to?: string; styles?: string } = {},
): Promise<string> => {
  const parts: Record<string, string> = languages.styles ? { styles: languages.styles } : {};
  return (await translate(source, [reply], { to: 'ar', ...languages, parts })).body;
};
const arabicText = '<w:lang w:bidi="ar-EG"/>';
const written = (text: string, properties: string, language = arabicText): string =>
  `<w:r><w:rPr>${properties}${language}</w:rPr><w:t>${text}</w:t></w:r>`;

describe('a translation into a right-to-left language', () => {
  it.each<[rule: string, source: string, result: string]>([
    [
      'turns the paragraph and its text',
      paragraph(run('a')),
      paragraph('<w:pPr><w:bidi/></w:pPr>', written('x', '<w:rtl/>')),
    ],
    [
      'adds to the properties where the schema has it',
      paragraph(
        '<w:pPr><w:pStyle w:val="a"/><w:numPr><w:ilvl w:val="0"/></w:numPr><w:spacing w:after="1"/><w:jc w:val="left"/><w:rPr><w:b/></w:rPr></w:pPr>',
        run(
          'a',
          '<w:rStyle w:val="b"/><w:color w:val="FF0000"/><w:u w:val="single"/><w:lang w:val="en-US"/><w14:x/>',
        ),
      ),
      paragraph(
        '<w:pPr><w:pStyle w:val="a"/><w:numPr><w:ilvl w:val="0"/></w:numPr><w:bidi/><w:spacing w:after="1"/><w:jc w:val="left"/><w:rPr><w:b/></w:rPr></w:pPr>',
        written(
          'x',
          '<w:rStyle w:val="b"/><w:color w:val="FF0000"/><w:u w:val="single"/><w:rtl/><w:lang w:bidi="ar-EG" w:val="en-US"/><w14:x/>',
          '',
        ),
      ),
    ],
    [
      'comes before properties of newer namespaces and tracked changes',
      paragraph(
        '<w:pPr><w:keepNext/><w:pPrChange><w:pPr><w:jc/></w:pPr></w:pPrChange></w:pPr>',
        run('a', '<w:shd/><w14:x/>'),
      ),
      paragraph(
        '<w:pPr><w:keepNext/><w:bidi/><w:pPrChange><w:pPr><w:jc/></w:pPr></w:pPrChange></w:pPr>',
        written('x', `<w:shd/><w:rtl/>${arabicText}<w14:x/>`, ''),
      ),
    ],
    [
      'replaces what says the opposite, once',
      paragraph(
        '<w:pPr><w:bidi w:val="0"/><w:jc w:val="end"/></w:pPr>',
        run('a', '<w:rtl w:val="false"></w:rtl>'),
      ),
      paragraph('<w:pPr><w:bidi/><w:jc w:val="end"/></w:pPr>', written('x', '<w:rtl/>')),
    ],
    [
      'keeps bold, italics and size, which right-to-left text takes from other properties',
      paragraph(run('a', '<w:b/><w:i w:val="1"/><w:sz w:val="40"/>')),
      paragraph(
        '<w:pPr><w:bidi/></w:pPr>',
        written(
          'x',
          '<w:b/><w:bCs/><w:i w:val="1"/><w:iCs w:val="1"/><w:sz w:val="40"/><w:szCs w:val="40"/><w:rtl/>',
        ),
      ),
    ],
    [
      'but does not change those that are there',
      paragraph(run('a', '<w:b/><w:bCs w:val="0"/><w:sz w:val="40"/><w:szCs w:val="20"/>')),
      paragraph(
        '<w:pPr><w:bidi/></w:pPr>',
        written('x', '<w:b/><w:bCs w:val="0"/><w:sz w:val="40"/><w:szCs w:val="20"/><w:rtl/>'),
      ),
    ],
    [
      'even if the text stays the same',
      paragraph(run('x')),
      paragraph('<w:pPr><w:bidi/></w:pPr>', written('x', '<w:rtl/>')),
    ],
  ])('%s', async (_, source, result) => {
    expect(await turned(source, 'x')).toBe(result);
  });
});

describe('a translation into a left-to-right language', () => {
  const arabic = paragraph(
    '<w:pPr><w:bidi/><w:jc w:val="left"/></w:pPr>',
    run('a', '<w:b/><w:rtl/><w:lang w:bidi="ar-SA"/>'),
  );

  it('takes the direction away if the source ran right to left', async () => {
    expect(await turned(arabic, 'x', { from: 'ar', to: 'en' })).toBe(
      paragraph(
        '<w:pPr><w:jc w:val="left"/></w:pPr>',
        written('x', '<w:b/>', '<w:lang w:val="en-US" w:bidi="ar-SA"/>'),
      ),
    );
  });

  it('keeps it if the source ran left to right, too', async () => {
    expect(await turned(arabic, 'x', { from: 'en', to: 'de' })).toBe(
      paragraph(
        '<w:pPr><w:bidi/><w:jc w:val="left"/></w:pPr>',
        written('x', '<w:b/><w:rtl/>', '<w:lang w:val="de-DE" w:bidi="ar-SA"/>'),
      ),
    );
  });

  it('turns off what a style sets', async () => {
    const styles =
      '<w:styles><w:docDefaults><w:rPrDefault><w:rPr><w:rtl/></w:rPr></w:rPrDefault></w:docDefaults>' +
      '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:pPr><w:bidi/></w:pPr></w:style></w:styles>';
    expect(await turned(arabic, 'x', { from: 'ar', to: 'en', styles })).toBe(
      paragraph(
        '<w:pPr><w:bidi w:val="0"/><w:jc w:val="left"/></w:pPr>',
        written('x', '<w:b/><w:rtl w:val="0"/>', '<w:lang w:val="en-US" w:bidi="ar-SA"/>'),
      ),
    );
  });
});

it('styles and lists get the complex-script form of bold, italics and size, for right-to-left targets only', async () => {
  const parts = {
    styles: `<w:styles><w:style w:type="paragraph" w:styleId="Title"><w:rPr><w:b/><w:i/><w:iCs w:val="0"/><w:sz w:val="40"/></w:rPr></w:style></w:styles>`,
    numbering: `<w:numbering><w:abstractNum><w:lvl><w:rPr><w:b/></w:rPr></w:lvl></w:abstractNum></w:numbering>`,
  };
  const translated = async (to: string) => (await translate(paragraph(run('a')), ['x'], { parts, to })).parts;
  const { 'word/styles.xml': styles, 'word/numbering.xml': numbering } = await translated('ar');
  expect(styles).toContain(
    '<w:rPr><w:b/><w:bCs/><w:i/><w:iCs w:val="0"/><w:sz w:val="40"/><w:szCs w:val="40"/></w:rPr>',
  );
  expect(numbering).toContain('<w:rPr><w:b/><w:bCs/></w:rPr>');
  expect((await translated('fr'))['word/styles.xml']).not.toContain('bCs');
});
