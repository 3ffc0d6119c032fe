import { PDFDocument, PDFName, type PDFObject, PDFString } from '@cantoo/pdf-lib';
import { describe, expect, it } from 'vitest';
import { runQpdf } from '#server/formats/pdf/qpdf.ts';
import { extract, rebuild } from '#server/formats/pdf.ts';
import { at, madePdf } from './pdf-made.ts';
import { qpdfCheck } from './qpdf-check.ts';

const code = (number: number) => PDFString.of(`app.alert(${number})`);
const script = (number: number) => ({ S: 'JavaScript', JS: code(number) });
const rect = (place: number) => [10, place, 20, place + 8];

/**
 * A page with text. In all places where the specification allows active content, it contains something active next to
 * something that must stay.
 */
async function activePdf(content = at(9, 300, 'A paragraph')): Promise<Uint8Array> {
  const document = await PDFDocument.load(await madePdf({ content }));
  const { context, catalog } = document;
  const page = document.getPage(0).node;
  // biome-ignore lint/suspicious/noExplicitAny: literals of any depth
  const make = (literal: any): PDFObject => context.obj(literal);
  // biome-ignore lint/suspicious/noExplicitAny: literals of any depth
  const refer = (literal: any) => context.register(make(literal));
  const set = (name: string, literal: unknown) => catalog.set(PDFName.of(name), make(literal));
  const file = context.register(context.stream('MZ program', { Type: 'EmbeddedFile' }));
  const attached = refer({ Type: 'Filespec', F: PDFString.of('run.exe'), EF: { F: file, UF: file } });
  const uri = (address: string, more = {}) => ({ S: 'URI', URI: PDFString.of(address), ...more });
  const link = (place: number, A: unknown, more = {}) =>
    refer({ Type: 'Annot', Subtype: 'Link', Rect: rect(place), A, ...more });
  const note = refer({ Subtype: 'FileAttachment', Rect: rect(0), FS: attached });
  const field = refer({
    FT: 'Tx',
    T: PDFString.of('total'),
    V: PDFString.of('42'),
    Subtype: 'Widget',
    Rect: rect(10),
    AA: { K: script(1), F: refer(script(2)) },
  });
  const button = refer({
    FT: 'Btn',
    Ff: 65536,
    T: PDFString.of('send'),
    Subtype: 'Widget',
    Rect: rect(20),
    A: { S: 'SubmitForm', F: { FS: 'URL', F: PDFString.of('https://example.com/collect') } },
  });
  const annotations = [
    note,
    refer({ Subtype: 'Popup', Rect: rect(0), Parent: note }),
    refer({ Subtype: 'Text', Rect: rect(0), IRT: note, Contents: PDFString.of('a reply') }),
    field,
    button,
    link(30, uri('https://example.com/kept')),
    link(40, uri('https://example.com/chain', { Next: [script(3), { S: 'GoTo', D: [0], Next: script(4) }] })),
    link(50, uri('java\tscript:alert(1)')),
    link(60, { S: 'Launch', F: PDFString.of('cmd.exe') }),
    link(70, { S: 'GoToR', F: PDFString.of('second-part.pdf'), D: [0] }),
    link(80, { S: 'GoToR', F: PDFString.of('//203.0.113.9/share/x.pdf'), D: [0] }),
    link(90, { S: 'GoToE', F: attached, D: [0] }),
    link(100, { S: 'Named', N: 'NextPage' }),
    link(110, { S: 'Named', N: 'Print' }),
    link(120, { Type: 'Action', S: 'Unheard' }),
    link(130, { S: 'ImportData', F: PDFString.of('data.fdf') }),
    link(140, uri('https://example.com/hover'), { AA: { E: uri('https://example.com/track') } }),
    // The name contains codes, and is in a separate object.
    link(150, { S: refer(PDFName.of('J#61vaScript')), JS: code(5) }),
    refer({ Subtype: 'RichMedia', Rect: rect(160), RichMediaContent: { Assets: { Names: [] } } }),
    refer({
      Subtype: 'Sound',
      Rect: rect(170),
      Sound: context.register(context.stream('beep', { R: 8000 })),
    }),
    refer({ Subtype: 'Movie', Rect: rect(180), Movie: { F: PDFString.of('film.mov') } }),
    refer({ Subtype: '3D', Rect: rect(190), '3DD': context.register(context.stream('u3d')) }),
    refer({ Subtype: 'Screen', Rect: rect(200), A: { S: 'Rendition', OP: 0, JS: code(6) } }),
  ];
  page.set(PDFName.of('Annots'), make(annotations));
  page.set(PDFName.of('AA'), make({ O: script(7) }));
  page.set(PDFName.of('AF'), make([attached]));
  set('OpenAction', uri('https://example.com/opened'));
  set('AA', { WC: script(8), DP: refer({ S: 'Launch', F: PDFString.of('calc.exe') }) });
  set('AF', [attached]);
  set('Collection', { View: 'D' });
  set('AcroForm', { Fields: [field, button], CO: [field] });
  set('Names', {
    JavaScript: { Kids: [refer({ Names: [PDFString.of('a'), refer(script(9))] })] },
    EmbeddedFiles: { Names: [PDFString.of('run.exe'), attached] },
    Dests: { Names: [PDFString.of('start'), [page, 'Fit'], PDFString.of('trap'), refer(script(10))] },
  });
  const outlines = context.nextRef();
  const title = (name: string, A: unknown, more = {}) => ({
    Title: PDFString.of(name),
    Parent: outlines,
    A,
    ...more,
  });
  const second = refer(title('Active', script(11)));
  const first = refer(title('Kept', { S: 'GoTo', D: [0, 'Fit'] }, { Next: second }));
  context.assign(outlines, make({ First: first, Last: second, Count: 2 }) as never);
  set('Outlines', outlines);
  // Resources may have any names, including those of active entries.
  const resources = page.Resources()!;
  const state = {
    AA: { SMask: { S: 'Luminosity', G: context.register(context.stream('')) } },
    EF: { LW: 2 },
  };
  resources.set(PDFName.of('ExtGState'), make(state));
  resources.set(PDFName.of('ColorSpace'), make({ AF: ['CalGray', { WhitePoint: [1, 1, 1] }] }));
  return document.save({ useObjectStreams: false });
}

/** The complete file as qpdf reads it. The engine removes content with another reader. */
async function qpdfJson(bytes: Uint8Array): Promise<string> {
  const { succeeded, message, written } = await runQpdf(
    ['--json=2', '--json-stream-data=inline', '--decode-level=all'],
    bytes,
  );
  expect([succeeded, message]).toEqual([true, '']);
  return Buffer.from(written!).toString();
}

async function translated(bytes: Uint8Array) {
  const { segments } = await extract(bytes);
  const translations = segments.map((segment) => ({ ...segment, target: ['Un paragraphe'] }));
  return rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage: 'fr' });
}

const active = [
  /"\/(JavaScript|JS|Launch|SubmitForm|ImportData|GoToE|Rendition|EmbeddedFiles?|Collection|Unheard|Print)"/,
  /"\/(FileAttachment|RichMedia|RichMediaContent|Sound|Movie|3D|3DD|Popup)"/,
  /app\.alert|run\.exe|cmd\.exe|calc\.exe|203\.0\.113|collect|track|opened|script:/,
];

describe('active content', () => {
  it('is in no object of a translated PDF, wherever it was', async () => {
    const source = await activePdf();
    const before = await qpdfJson(source);
    for (const pattern of active) expect(before).toMatch(pattern);
    const { bytes } = await translated(source);
    const after = await qpdfJson(bytes);
    for (const pattern of active) expect(after).not.toMatch(pattern);
    expect(await qpdfCheck(bytes)).toBe('');
  });

  it('goes alone: links, bookmarks, fields, destinations and resources stay', async () => {
    const { bytes } = await translated(await activePdf());
    const after = await qpdfJson(bytes);
    for (const kept of '/kept /chain /hover second-part.pdf start total 42 send reply'.split(' '))
      expect(after).toContain(`${kept}"`);
    expect(after).toMatch(/"u:Kept"(.|\n)*"u:Active"|"u:Active"(.|\n)*"u:Kept"/);
    for (const name of ['NextPage', 'Luminosity', 'CalGray', 'LW']) expect(after).toContain(`"/${name}"`);
    const document = await PDFDocument.load(bytes);
    expect(document.getPage(0).node.Annots()!.size()).toBe(17);
    expect(
      document
        .getForm()
        .getFields()
        .map((field) => field.getName()),
    ).toEqual(['total', 'send']);
  });

  it('is found where programs are lenient: in dictionaries of streams, behind the first place to show, in addresses without a scheme', async () => {
    const document = await PDFDocument.load(await madePdf({ content: at(9, 300, 'A paragraph') }));
    const { context, catalog } = document;
    const page = document.getPage(0).node;
    // biome-ignore lint/suspicious/noExplicitAny: literals of any depth
    const stream = (literal: any) => context.register(context.stream('MZ program', literal));
    const link = (place: number, A: unknown) => ({ Subtype: 'Link', Rect: rect(place), A }) as never;
    const address = (text: string) => ({ S: 'URI', URI: PDFString.of(text) });
    const file = { Type: 'Filespec', F: PDFString.of('tool'), EF: stream({ F: stream({}) }) };
    const annotations = [
      link(0, stream(script(1))),
      link(10, address('\\\\\\\\203.0.113.9\\\\share')),
      link(20, address('//203.0.113.9/share')),
      link(30, address('search-ms:query')),
      link(40, address('page.html')),
      { ...(link(50, address('https://example.com/kept')) as object), FS: file } as never,
      stream({ Subtype: 'Movie', Rect: rect(60) }),
    ];
    page.set(PDFName.of('Annots'), context.obj(annotations));
    page.set(PDFName.of('AA'), stream({ O: address('https://example.com/track') }));
    const opening = { S: 'GoTo', D: [0, 'Fit'], Next: address('https://example.com/opened') };
    catalog.set(PDFName.of('OpenAction'), context.obj(opening as never));
    catalog.set(PDFName.of('URI'), context.obj({ Base: PDFString.of('javascript:') }));
    const { bytes } = await translated(await document.save({ useObjectStreams: false }));
    const after = await qpdfJson(bytes);
    for (const pattern of [/MZ program|TVogcHJvZ3Jh/, /search-ms/, ...active])
      expect(after).not.toMatch(pattern);
    for (const kept of ['page.html"', '/kept"', '"/OpenAction"']) expect(after).toContain(kept);
  });

  it('is told of by kind and number', async () => {
    const { findings } = await translated(await activePdf());
    expect(findings).toEqual([
      {
        severity: 'warning',
        code: 'active_content_removed',
        message:
          'the translated file does not have the active content of the source: scripts: 11; actions that run automatically, start programs, send data or open other files: 11; attached files: 1; sounds, videos and 3D scenes: 5',
        unitId: null,
      },
    ]);
  });

  it('stays in a file without text, which is returned unchanged and reported so', async () => {
    const { findings } = await extract(await activePdf(''));
    expect(findings).toContainEqual(
      expect.objectContaining({
        severity: 'warning',
        code: 'unsupported_content_kept',
        message: expect.stringMatching(
          /^the file is returned unchanged with its active content: scripts: 11;/,
        ),
      }),
    );
  });
});
