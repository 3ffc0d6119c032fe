import { PDFHexString } from '@cantoo/pdf-lib';
import { describe, expect, it } from 'vitest';
import { plainText } from '#server/formats/inline-content.ts';
import { extract } from '#server/formats/pdf.ts';
import { type Made, madePdf } from './pdf-made.ts';

/** A font that states the characters of the codes a to z. The glyphs of the codes 1 and 2 have no width. */
const font: Made = ({ context }) => {
  const map = `begincmap 1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfrange <61> <7a> <0061> endbfrange endcmap`;
  return context.register(
    context.obj({
      Type: 'Font',
      Subtype: 'TrueType',
      BaseFont: 'ABCDEF+Unknown',
      FirstChar: 1,
      LastChar: 122,
      Widths: Array.from({ length: 122 }, (_, at) => (at < 2 ? 0 : 500)),
      ToUnicode: context.register(context.stream(map)),
      FontDescriptor: context.obj({ Type: 'FontDescriptor', FontName: 'ABCDEF+Unknown', Flags: 4 }),
    }),
  );
};

const hex = (text: string) => `<feff${Buffer.from(text, 'utf16le').swap16().toString('hex')}>`;
/** Shows glyphs with a text that the file states for them. */
const stated = (text: string, glyphs: string) => `/Span << /ActualText ${hex(text)} >> BDC ${glyphs} EMC`;

async function read(shown: string, properties?: Made): Promise<string[]> {
  const resources = { Font: { U: font }, ...(properties && { Properties: { P: properties } }) };
  const { segments } = await extract(
    await madePdf({ content: `BT /U 12 Tf 40 300 Td ${shown} ET`, resources }),
  );
  return segments.map(({ source }) => plainText(source));
}

describe('a glyph whose characters the font does not define', () => {
  it('has the characters that the file states: an accent over a letter, in one operator or two', async () => {
    expect(await read(`(exp) Tj ${stated('ê', '(e\\001) Tj')} (ncia) Tj`)).toEqual(['expência']);
    expect(await read(`(exp) Tj ${stated('ê', '(e) Tj (\\001) Tj')} (ncia) Tj`)).toEqual(['expência']);
  });

  it('has them in properties that the content only names', async () => {
    const named: Made = ({ context }) =>
      context.register(context.obj({ ActualText: PDFHexString.fromText('ê') }));
    expect(await read('(exp) Tj /Span /P BDC (e\\001) Tj EMC (ncia) Tj', named)).toEqual(['expência']);
  });

  it('has no characters if the letter before it already has the stated accent', async () => {
    const accented = stated('íx', '(i\\001x) Tj');
    expect(await read(`(dom) Tj ${accented} (nio) Tj`)).toEqual(['domíxnio']);
  });

  it('has its characters between others, if each has one of them', async () => {
    expect(await read(`(a) Tj ${stated('bêcôd', '(be\\001co\\002d) Tj')} (e) Tj`)).toEqual(['abêcôde']);
    expect(await read(`(a) Tj ${stated('zêôd', '(z\\001\\002d) Tj')} (e) Tj`)).toEqual([]);
  });

  it('stays unknown if the stated text contradicts the other glyphs, or is far too long', async () => {
    expect(await read(`(exp) Tj ${stated('â', '(e\\001) Tj')} (ncia) Tj`)).toEqual([]);
    expect(await read(`(exp) Tj ${stated(`e${'x'.repeat(300)}`, '(e\\001) Tj')} (ncia) Tj`)).toEqual([]);
  });

  it.each([
    ['a private character', 'e\ue000'],
    ['the code of a language', 'e\u001bde\u001b'],
    ['another direction', 'e\u05e9'],
    ['a mark of direction', 'e\u202e'],
  ])('stays unknown if the stated text has %s', async (_name, own) => {
    expect(await read(`(exp) Tj ${stated(own, '(e\\001) Tj')} (ncia) Tj`)).toEqual([]);
  });

  it('does not end the reading of a file with a stated text of a megabyte', async () => {
    const huge = `/Span << /ActualText <${'65'.repeat(1_000_000)}> >> BDC (two) Tj EMC`;
    expect(await read(`(one) Tj ${huge}`)).toEqual(['onetwo']);
  });

  it('does not change the characters of other glyphs', async () => {
    expect(await read(`(one) Tj ${stated('three', '(two) Tj')}`)).toEqual(['onetwo']);
  });
});
