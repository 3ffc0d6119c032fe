import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Blob, Face, Font } from 'harfbuzzjs';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  familyName,
  matchingFont,
  type OperatorFont,
  useOperatorFonts,
  versionOf,
} from '#server/formats/operator-fonts.ts';
import { extract, rebuild } from '#server/formats/pdf.ts';
import { readFonts } from '#server/formats/read-fonts.ts';
import { withQuadraticOutlines } from '#server/formats/typesetting/cubic-outlines.ts';
import { loadFont } from '#server/formats/typesetting/fonts.ts';
import { readTables, viewOf, writeTables } from '#server/formats/typesetting/truetype.ts';
import { openFileWork } from '#server/platform/sandbox/file-work.ts';
import { at, type Made, madePdf } from './pdf-made.ts';
import { shownTexts } from './pdf-shown.ts';

const { resolve } = createRequire(import.meta.url);
const notoSans = (style: string) => resolve(`@expo-google-fonts/noto-sans/${style}/NotoSans_${style}.ttf`);

afterEach(() => useOperatorFonts([]));

/** A directory with these files that everyone may read. */
function directoryWith(files: Record<string, string | Uint8Array>): string {
  const directory = mkdtempSync(join(tmpdir(), 'lingualoop-fonts-'));
  chmodSync(directory, 0o755);
  onTestFinished(() => rmSync(directory, { recursive: true }));
  for (const [name, content] of Object.entries(files))
    if (typeof content === 'string') copyFileSync(content, join(directory, name));
    else writeFileSync(join(directory, name), content);
  return directory;
}

/** A page with a text in each of these fonts, which the file does not contain. */
function pageIn(...names: string[]): Promise<Uint8Array> {
  const font =
    (BaseFont: string): Made =>
    ({ context }) =>
      context.register(
        context.obj({ Type: 'Font', Subtype: 'Type1', BaseFont, Encoding: 'WinAnsiEncoding' }),
      );
  return madePdf({
    content: names
      .map((_, index) => at(40, 350 - 60 * index, 'A text of the source').replace('/F', `/F${index}`))
      .join('\n'),
    resources: { Font: Object.fromEntries(names.map((name, index) => [`F${index}`, font(name)])) },
  });
}

async function translationsOf(bytes: Uint8Array, target: string) {
  const { segments } = await extract(bytes);
  return segments.map(({ regionId, cellId }) => ({ regionId, cellId, target: [target] }));
}

describe('FONTS_DIR', () => {
  it('a process that renders sets a translation in the face of its source, and the rest as before', async () => {
    const fontsDir = directoryWith({
      'regular.ttf': notoSans('400Regular'),
      'BOLD.TTF': notoSans('700Bold'),
      'medium.otf': notoSans('500Medium'),
      'LICENSE.txt': new Uint8Array(3),
    });
    const fileWork = openFileWork({ fontsDir });
    onTestFinished(() => fileWork.close());
    await fileWork.loadFonts();
    const bytes = await pageIn(
      'ABCDEF+NotoSans',
      'NotoSans-Bold',
      'NotoSans-Medium',
      'NotoSans-Italic',
      'Verdana',
    );
    const rebuilt = await fileWork.run(
      'rebuild_document',
      {
        format: 'pdf',
        bytes,
        translations: await translationsOf(bytes, 'Žluťoučký kůň √'),
        options: { sourceLanguage: 'en', targetLanguage: 'cs' },
      },
      { tenantId: 'a' },
    );
    if ('refused' in rebuilt) throw new Error(rebuilt.message);
    const shown = await shownTexts(new Uint8Array(rebuilt.bytes));
    const letters = shown.filter(({ text }) => text.includes('kůň')).map(({ font }) => font);
    expect(letters).toEqual([
      'NotoSans-Regular',
      'NotoSans-Bold',
      'NotoSans-Medium',
      'NotoSans-Italic',
      'DejaVuSans',
    ]);
    expect(shown.filter(({ text }) => text.includes('√')).map(({ font }) => font)[0]).toMatch(/Math|Arimo/);
  });

  it('a font that was deleted or replaced since is set in a font of the service', async () => {
    const directory = directoryWith({ 'a.ttf': notoSans('400Regular'), 'b.ttf': notoSans('700Bold') });
    const read = readFonts(directory);
    if ('problem' in read) throw new Error(read.problem);
    const usable = () => {
      useOperatorFonts(read.fonts);
      return [false, true].map(
        (bold) => matchingFont({ name: 'NotoSans', bold, italic: false }) !== undefined,
      );
    };
    expect(usable()).toEqual([true, true]);
    rmSync(`${directory}/a.ttf`);
    expect(usable()).toEqual([false, true]);
    writeFileSync(`${directory}/b.ttf`, 'something else');
    expect(usable()).toEqual([false, false]);
  });

  it('a script that the face lacks is set as before', async () => {
    const read = readFonts(directoryWith({ 'a.ttf': notoSans('400Regular') }));
    if ('problem' in read) throw new Error(read.problem);
    useOperatorFonts(read.fonts);
    const bytes = await pageIn('NotoSans');
    const fontsIn = async (target: string, targetLanguage: string) => {
      const translations = await translationsOf(bytes, target);
      const { bytes: result } = await rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage });
      return new Set((await shownTexts(result)).map(({ font }) => font));
    };
    expect(await fontsIn('15 خطوة', 'ar')).toEqual(new Set(['NotoNaskhArabic-Regular']));
    expect(await fontsIn('«15» шагов', 'ru')).toEqual(new Set(['NotoSans-Regular']));
  });

  const changed = (change: (tables: Map<string, Uint8Array>) => void) => {
    const tables = new Map(
      [...readTables(readFileSync(notoSans('400Regular')))].map(([tag, table]) => [tag, table.slice()]),
    );
    change(tables);
    return writeTables(tables);
  };
  const licensed = (type: number) => changed((tables) => viewOf(tables.get('OS/2')!).setUint16(8, type));

  it.each<[content: Uint8Array, name: string, problem: string]>([
    [new Uint8Array(100), 'a.ttf', 'is neither a TrueType nor an OpenType font'],
    [readFileSync(notoSans('400Regular')).subarray(0, 2000), 'a.ttf', 'is damaged: its end is missing'],
    [changed((tables) => tables.delete('OS/2')), 'a.ttf', 'is damaged: it has no table OS/2'],
    [changed((tables) => tables.set('glyf', new Uint8Array(4))), 'a.ttf', 'is damaged: it has no outlines'],
    [licensed(0x2), 'a.otf', 'does not permit embedding (OS/2 fsType)'],
    [licensed(0x108), 'a.ttf', 'does not permit embedding a part of its outlines (OS/2 fsType)'],
    [Buffer.from('ttcf\0\0\0\0'), 'a.ttc', 'is a collection of fonts; store each font in its own file'],
  ])('ends the start with a font that cannot be used: %#', (content, name, problem) => {
    const directory = directoryWith({ [name]: content });
    expect(readFonts(directory)).toEqual({ problem: `${directory}/${name} ${problem}` });
  });

  it('ends the start if the directory or a file cannot be read', async () => {
    const load = async (fontsDir: string) => {
      const fileWork = openFileWork({ fontsDir });
      onTestFinished(() => fileWork.close());
      await fileWork.loadFonts();
    };
    await expect(load('/nowhere/fonts')).rejects.toThrow('FONTS_DIR: /nowhere/fonts is not a directory');
    const damaged = directoryWith({ 'a.ttf': new Uint8Array(9) });
    await expect(load(damaged)).rejects.toThrow(`FONTS_DIR: ${damaged}/a.ttf is neither`);
  });

  it('reads no devices and directories', () => {
    const directory = directoryWith({});
    symlinkSync('/dev/zero', join(directory, 'a.ttf'));
    expect(readFonts(directory)).toEqual({ problem: `${directory}/a.ttf is not a file` });
  });

  it('limits the number of fonts', () => {
    const many = Object.fromEntries(
      Array.from({ length: 201 }, (_, index) => [`${index}.ttf`, new Uint8Array(1)]),
    );
    expect(readFonts(directoryWith(many))).toEqual({
      problem: expect.stringContaining('has 201 fonts; at most 200'),
    });
  });
});

describe('the font of a name', () => {
  const font = (postScriptName: string, others: Partial<OperatorFont> = {}): OperatorFont => ({
    ...{ file: import.meta.filename, version: versionOf(import.meta.filename)! },
    ...{ postScriptName, families: [familyName(postScriptName)], weight: 400 },
    ...{ isItalic: false, isCondensed: false, ...others },
  });
  const found = (name: string, looks: { bold?: boolean; light?: boolean; italic?: boolean } = {}) =>
    matchingFont({ name, bold: false, italic: false, ...looks });

  it('is that of its family with the same slant and width, and nearly the same weight', () => {
    useOperatorFonts([
      font('TimesNewRomanPSMT'),
      font('TimesNewRomanPS-BoldMT', { weight: 700 }),
      font('MyriadPro-Light', { weight: 300 }),
      font('MyriadPro-Semibold', { weight: 600 }),
      font('MyriadPro-Cond', { isCondensed: true }),
      font('MyriadPro-It', { isItalic: true }),
    ]);
    expect(found('TimesNewRoman')).toMatch(/^own\d+$/);
    expect(found('TimesNewRomanPSMT')).toBe(found('TimesNewRoman'));
    expect(found('TimesNewRoman,Bold', { bold: true })).toBe(found('TimesNewRomanPS-BoldMT', { bold: true }));
    expect(found('TimesNewRoman,Italic', { italic: true })).toBeUndefined();
    expect(found('MyriadPro-Semibold', { bold: true })).toMatch(/^own\d+$/);
    expect(found('MyriadPro-Semibold', { bold: true })).not.toBe(found('MyriadPro-Light', { light: true }));
    expect(found('MyriadPro-Black', { bold: true })).toBeUndefined();
    expect(found('MyriadPro-Cond')).not.toBe(found('MyriadPro-Light', { light: true }));
    expect(found('MyriadPro-It', { italic: true })).toMatch(/Italic$/);
    expect(found('MyriadProX')).toBeUndefined();
    expect(found('../../etc/passwd')).toBeUndefined();
  });
});

describe('a text gets the typeface that looks like its font', () => {
  const fontsFor = async (targetLanguage: string, target: string, ...names: string[]) => {
    const bytes = await pageIn(...names);
    const options = { sourceLanguage: 'en', targetLanguage };
    const { bytes: rebuilt } = await rebuild(bytes, await translationsOf(bytes, target), options);
    return (await shownTexts(rebuilt)).map(({ font }) => font);
  };

  it.each([
    ['Calibri-Bold', 'Carlito-Bold'],
    ['Calibri-Light', 'Roboto-Light'],
    ['Cambria,Italic', 'Caladea-Italic'],
    ['Georgia', 'Gelasio-Regular'],
    ['SegoeUI-Semibold', 'OpenSans-SemiBold'],
    ['NotoSans-Italic', 'NotoSans-Italic'],
    ['Roboto-Medium', 'Roboto-Medium'],
    ['Verdana-BoldItalic', 'DejaVuSans-BoldOblique'],
    ['LMRoman10-Italic', 'CMUSerif-Italic'],
    ['CMBX12', 'CMUSerif-Bold'],
    ['CMSS10', 'CMUSansSerif'],
    ['CMTT10', 'CMUTypewriter-Regular'],
    ['CMTTBX10', 'CMUTypewriter-Regular'],
    ['NotoSansMono', 'Arimo-Regular'],
    ['RobotoSlab', 'Arimo-Regular'],
    ['ArialMT', 'Arimo-Regular'],
  ])('%s: %s', async (name, font) => {
    expect(await fontsFor('fr', 'Été', name)).toEqual([font]);
  });

  it.each([
    ['cs', 'Kůň', 'Arimo-Regular', 'Carlito-Regular'],
    ['ru', 'Дом', 'Arimo-Regular', 'Carlito-Regular'],
    ['de', 'Äpfel', 'Lato-Regular', 'Carlito-Regular'],
    ['vi', 'Việt', 'Arimo-Regular', 'Carlito-Regular'],
  ])('if this has the letters of the language: %s', async (language, target, ...fonts) => {
    expect(await fontsFor(language, target, 'Lato-Regular', 'Calibri')).toEqual(fonts);
  });

  it('without letters in other typefaces within its words, nor boxes for other scripts', async () => {
    expect(await fontsFor('vi', 'quyền lợi đầy đủ', 'Cambria')).toEqual(['Tinos-Regular']);
    expect(await fontsFor('ja', 'š', 'ArialMT')).toEqual(['Arimo-Regular']);
    expect(await fontsFor('es', 'en עברית', 'Calibri')).toEqual(['Carlito-Regular', 'Arimo-Regular']);
    expect(await fontsFor('es', 'en ქართული', 'SegoeUI')).toEqual(['OpenSans-Regular', 'DejaVuSans']);
    expect(await fontsFor('es', 'en \u{12000}', 'SegoeUI')).toEqual(['OpenSans-Regular', 'NotoSans-Regular']);
  });

  it('but not for another script, even if it has its letters', async () => {
    expect(new Set(await fontsFor('ar', '12 بيت', 'Verdana'))).toEqual(new Set(['NotoNaskhArabic-Regular']));
  });
});

it('a medium or semibold sans-serif font keeps its weight without a font of the operator', async () => {
  const bytes = await pageIn(
    'HelveticaNeue-Medium',
    'UniversLTStd-SemiboldItalic',
    'Arial-BoldMT',
    'MinionPro-Medium',
  );
  const options = { sourceLanguage: 'en', targetLanguage: 'pl' };
  const rebuilt = await rebuild(bytes, await translationsOf(bytes, 'Żółw'), options);
  const found = (await shownTexts(rebuilt.bytes)).map(({ font }) => font);
  expect(found).toEqual(['Arimo-Medium', 'Arimo-SemiBoldItalic', 'Arimo-Bold', 'Tinos-Regular']);
});

it('cubic outlines become quadratic ones of the same shape', () => {
  const file = loadFont('arimo');
  const source = new Font(new Face(new Blob(file)));
  const ids = [...'gR8&o '].map((letter) => source.nominalGlyph(letter.codePointAt(0)!)!);
  /** The same path with each quadratic curve as a cubic one. */
  const glyphToPath = (id: number): string => {
    let [x, y] = [0, 0];
    return source.glyphToPath(id).replace(/([MLQ])([^A-Z]*)/g, (_, kind: string, values: string) => {
      const n = values.split(/[ ,]+/).map(Number);
      const [cx, cy] = n as [number, number];
      const [toX, toY] = n.slice(-2) as [number, number];
      const points = [
        x + (2 / 3) * (cx - x),
        y + (2 / 3) * (cy - y),
        toX + (2 / 3) * (cx - toX),
        toY + (2 / 3) * (cy - toY),
      ];
      [x, y] = [toX, toY];
      return kind === 'Q' ? `C${[...points, toX, toY].join(',')}` : `${kind}${values}`;
    });
  };
  const result = new Font(new Face(new Blob(withQuadraticOutlines(file, { glyphToPath } as Font, ids))));
  for (const id of ids) {
    const numbers = (path: string) =>
      path
        .split(/[A-Z ,]+/)
        .filter(Boolean)
        .map(Number);
    const [before, after] = [source, result].map((font) => numbers(font.glyphToPath(id)));
    expect(after!.length).toBe(before!.length);
    for (const [index, value] of after!.entries())
      expect(Math.abs(value - before![index]!)).toBeLessThanOrEqual(1);
    expect(result.glyphHAdvance(id)).toBe(source.glyphHAdvance(id));
  }
});
