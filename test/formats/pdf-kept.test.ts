import { describe, expect, it } from 'vitest';
import { at, form, helvetica, type MadePage, object, readMade, textOf } from './pdf-made.ts';

/** The kept reason of each text, by what it says. */
async function keptOf(page: MadePage): Promise<Record<string, string | null>> {
  const { texts } = await readMade(page);
  return Object.fromEntries(texts.map((text) => [textOf(text), text.kept]));
}

describe('text that a reader does not see is kept', () => {
  it('invisible by its render mode', async () => {
    const content = ['0 Tr', '1 Tr', '2 Tr', '3 Tr', '7 Tr'].map(
      (mode, index) => `${mode} ${at(9, 20 * index + 9, mode)}`,
    );
    expect(await keptOf({ content })).toEqual({
      '0 Tr': null,
      '1 Tr': null,
      '2 Tr': null,
      '3 Tr': 'invisible',
      '7 Tr': 'invisible',
    });
  });

  it('outside of the clip, of the page, or of the box of its form', async () => {
    const content =
      at(-90, 9, 'left') +
      at(9, 405, 'above') +
      `q 50 50 100 100 re W n ${at(60, 60, 'in')}${at(160, 60, 'out')}${at(140, 90, 'across')} Q ${at(160, 60, 'after')} /Form Do`;
    const clipped = form(
      at(5, 5, 'inside') + at(5, 30, 'outside'),
      { Font: { F: helvetica } },
      { BBox: [0, 0, 50, 20] },
    );
    expect(await keptOf({ content, resources: { XObject: { Form: clipped } } })).toEqual({
      left: 'clipped',
      above: 'clipped',
      in: null,
      out: 'clipped',
      across: null,
      after: null,
      inside: null,
      outside: 'clipped',
    });
  });

  it('covered by something opaque that was painted later, and by nothing else', async () => {
    const box = (y: number): string => `0 ${y} 200 20 re`;
    const content =
      at(9, 5, 'before') +
      `1 g ${box(0)} f ` +
      `1 g ${box(20)} f ` +
      at(9, 25, 'above it') +
      at(9, 45, 'framed') +
      `${box(40)} S ` +
      at(9, 65, 'veiled') +
      `/Half gs ${box(60)} f /Full gs ` +
      at(9, 85, 'multiplied') +
      `/Multiply gs ${box(80)} f /Full gs ` +
      at(9, 105, 'half covered in the middle of it') +
      '60 100 10 20 re f ' +
      at(9, 125, 'under a triangle') +
      '0 120 m 200 120 l 0 140 l f ' +
      at(9, 145, 'under a frame') +
      `${box(140)} 2 142 196 16 re f* ` +
      at(9, 165, 'under a picture') +
      'q 200 0 0 20 0 160 cm BI /W 1 /H 1 /BPC 8 /CS /G ID x EI Q ' +
      at(9, 185, 'under a mask') +
      'q 200 0 0 20 0 180 cm BI /W 8 /H 1 /IM true ID x EI Q ';
    const resources = {
      ExtGState: {
        Half: object({ ca: 0.5 }),
        Multiply: object({ BM: 'Multiply' }),
        Full: object({ ca: 1, BM: 'Normal' }),
      },
    };
    expect(await keptOf({ content, resources })).toEqual({
      before: 'covered',
      'above it': null,
      framed: null,
      veiled: null,
      multiplied: null,
      'half covered in the middle of it': null,
      'under a triangle': null,
      'under a frame': null,
      'under a picture': 'covered',
      'under a mask': null,
    });
  });

  it('in a layer that is hidden when the file is opened', async () => {
    const group = object({ Type: 'OCG', Name: 'A' });
    const shared = new Map<unknown, ReturnType<typeof group>>();
    const once =
      (make: typeof group): typeof group =>
      (document) => {
        const made = shared.get(make) ?? make(document);
        shared.set(make, made);
        return made;
      };
    const [shown, hidden] = [once(object({ Type: 'OCG' })), once(object({ Type: 'OCG', A: 1 }))];
    const page = await readMade({
      content: `/OC /On BDC ${at(9, 9, 'on')} EMC /OC /Off BDC ${at(9, 30, 'off')} /Span BMC ${at(9, 50, 'inside')} EMC EMC ${at(9, 70, 'after')}`,
      resources: { Properties: { On: shown, Off: hidden } },
      catalog: {
        OCProperties: (document) =>
          document.context.obj({ OCGs: [shown(document), hidden(document)], D: { OFF: [hidden(document)] } }),
      },
    });
    expect(page.texts.map((text) => [textOf(text), text.kept, text.optionalContent])).toEqual([
      ['on', null, ['On']],
      ['off', 'invisible', ['Off']],
      ['inside', 'invisible', ['Off']],
      ['after', null, []],
    ]);
  });
});
