import { describe, expect, it } from 'vitest';
import { extract, rebuild } from '#server/formats/pptx.ts';
import { partsOf } from './docx-walk.ts';
import { zipOf } from './flatten-zip.ts';
import { deckFiles, paragraph, run, shape, slideOf, translate } from './pptx-file.ts';

const long = 'This translation needs much more room than its source, because it has many more words.';

/** The `bodyPr` element of a shape after its text has been translated. */
async function fitted(
  bodyProperties: string,
  {
    text = 'A short text',
    reply = long,
    height = 30,
  }: { text?: string; reply?: string; height?: number } = {},
): Promise<string> {
  const deck = slideOf(shape(paragraph(run(text)), { bodyProperties, frame: [0, 0, 200, height] }));
  const { shapes } = await translate(deck, [reply]);
  return /<a:bodyPr.*?(?=<a:lstStyle)/s.exec(shapes)![0];
}

describe('a translation that is longer than its source', () => {
  it('is shrunk to the height of its shape', async () => {
    expect(await fitted('<a:bodyPr/>')).toBe('<a:bodyPr><a:normAutofit fontScale="47500"/></a:bodyPr>');
    expect(await fitted('<a:bodyPr wrap="square"><a:noAutofit/></a:bodyPr>')).toMatch(
      /^<a:bodyPr wrap="square"><a:normAutofit fontScale="\d+"\/><\/a:bodyPr>$/,
    );
  });

  it('keeps its size if the shape has room, and is shrunk on overflow', async () => {
    expect(await fitted('<a:bodyPr/>', { height: 300 })).toBe('<a:bodyPr><a:normAutofit/></a:bodyPr>');
  });

  it('is shrunk further than its source', async () => {
    expect(
      await fitted('<a:bodyPr><a:normAutofit fontScale="85000" lnSpcReduction="10000"/></a:bodyPr>'),
    ).toMatch(/^<a:bodyPr><a:normAutofit fontScale="[4-6]\d+" lnSpcReduction="10000"\/><\/a:bodyPr>$/);
  });

  it('has a percentage in strict files', async () => {
    const deck = slideOf(shape(paragraph(run('A short text')), { frame: [0, 0, 200, 30] }));
    const files = deckFiles(deck);
    const slide = 'ppt/slides/slide1.xml';
    const strict = files[slide]!.replaceAll(
      'http://schemas.openxmlformats.org/drawingml/2006/main',
      'http://purl.oclc.org/ooxml/drawingml/main',
    );
    const bytes = zipOf({ ...files, [slide]: strict });
    const { segments } = await extract(bytes);
    const translations = segments.map(({ regionId, cellId }) => ({ regionId, cellId, target: [long] }));
    const rebuilt = await rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage: 'fr' });
    expect(partsOf(rebuilt.bytes)[slide]).toContain('<a:normAutofit fontScale="47.5%"/>');
  });

  it('stays before the properties that follow the kind of fit', async () => {
    expect(await fitted('<a:bodyPr><a:sp3d/></a:bodyPr>', { height: 300 })).toBe(
      '<a:bodyPr><a:normAutofit/><a:sp3d/></a:bodyPr>',
    );
  });

  it.each([
    ['grows with its text', '<a:bodyPr><a:spAutoFit/></a:bodyPr>'],
    ['does not break lines', '<a:bodyPr wrap="none"/>'],
    ['bends its text', '<a:bodyPr><a:prstTxWarp prst="textArchUp"/></a:bodyPr>'],
  ])('keeps the properties of a shape that %s', async (_, properties) => {
    expect(await fitted(properties)).toBe(properties);
  });

  it('keeps those of a shape that inherits its growth', async () => {
    const deck = {
      ...slideOf(shape(paragraph(run('Short')), { placeholder: 'type="body" idx="1"' })),
      layout: shape('', {
        ...{ placeholder: 'type="body" idx="1"', frame: [0, 0, 100, 20] as const },
        bodyProperties: '<a:bodyPr><a:spAutoFit/></a:bodyPr>',
      }),
    };
    const { shapes } = await translate(deck, [long]);
    expect(shapes).not.toContain('normAutofit');
  });
});

describe('masters and layouts', () => {
  it('keep their kinds of fit, because slides inherit them', async () => {
    const deck = {
      ...slideOf(''),
      layout: shape(paragraph(run('A short text')), { frame: [0, 0, 200, 30] }),
    };
    const { parts } = await translate(deck, [long], { include: ['masters'] });
    const layout = parts['ppt/slideLayouts/slideLayout1.xml']!;
    expect([layout.includes(long), layout.includes('normAutofit')]).toEqual([true, false]);
  });
});

describe('shapes with smaller text', () => {
  it('have one finding', async () => {
    const short = shape(paragraph(run('A short text')), { frame: [0, 0, 200, 30] });
    const { findings } = await translate(slideOf(short + short), [long, long]);
    expect(findings).toMatchObject([
      { code: 'text_shrunk', message: '2 shapes have smaller text, because the translation is longer' },
    ]);
  });
});

describe('a translation that is not longer', () => {
  it('keeps the properties of its shape', async () => {
    expect(await fitted('<a:bodyPr/>', { text: long, reply: 'Short' })).toBe('<a:bodyPr/>');
  });
});

describe('a right-to-left translation', () => {
  const arabic = async (properties: string, deck = {}): Promise<string> => {
    const { shapes } = await translate(
      { ...slideOf(shape(paragraph(properties, run('Text')), { placeholder: 'type="title"' })), ...deck },
      ['نص'],
      { to: 'ar' },
    );
    return /<a:p>(.*?)<a:r>/s.exec(shapes)![1]!;
  };

  it('has right-to-left paragraphs, aligned at the other side', async () => {
    expect(await arabic('')).toBe('<a:pPr algn="r" rtl="1"/>');
    expect(await arabic('<a:pPr marL="0" algn="l"><a:buNone/></a:pPr>')).toBe(
      '<a:pPr marL="0" algn="r" rtl="1"><a:buNone/></a:pPr>',
    );
    expect(await arabic('<a:pPr algn="r"/>')).toBe('<a:pPr algn="l" rtl="1"/>');
  });

  it('stays centered, also if it inherits this', async () => {
    expect(await arabic('<a:pPr algn="ctr"/>')).toBe('<a:pPr algn="ctr" rtl="1"/>');
    const styles = '<p:titleStyle><a:lvl1pPr algn="ctr"/></p:titleStyle>';
    expect(await arabic('', { styles })).toBe('<a:pPr rtl="1"/>');
  });

  it('turns back to left-to-right text', async () => {
    const source = paragraph('<a:pPr algn="r" rtl="1"/>', run('نص'));
    const { shapes } = await translate(slideOf(shape(source)), ['Text'], { from: 'ar', to: 'en' });
    expect(shapes).toContain('<a:pPr algn="l" rtl="0"/>');
  });

  it('has the language of the target', async () => {
    const { shapes } = await translate(slideOf(shape(paragraph(run('Text')))), ['نص'], { to: 'ar' });
    expect(shapes).toMatch(/<a:rPr lang="ar-[A-Z]{2}"\/>/);
  });
});
