import {
  attribute,
  translatableCells,
  unescapeCell,
  type WalkedWorkbook,
  walkWorkbook,
} from '#test/formats/xlsx-walk.ts';
import { describeFormats, type ShownText } from './shown-text.ts';

/** The cells with letters of a workbook, with their places. */
export function shownCells(bytes: Uint8Array): { texts: ShownText[]; pages: number } {
  const workbook = walkWorkbook(bytes);
  const themes = themeColors(workbook.parts);
  const fonts = fontsOfStyles(workbook.parts, themes);
  const items = new Map(workbook.strings.map((text, index) => [text, workbook.items[index]!]));
  const texts = workbook.sheets.flatMap((sheet) =>
    translatableCells(sheet).map(({ reference, attributes, text }): ShownText => {
      const font = fonts[Number(attribute(attributes, 's') ?? 0)] ?? describeFont('', themes);
      const runs = [...(items.get(text!) ?? '').matchAll(/<(?:\w+:)?r>.*?<\/(?:\w+:)?r>/gs)].map(
        ([run]) => run,
      );
      const pieces = runs.map((run) => ({
        text: unescapeCell(/<(?:\w+:)?t(?:\s[^>]*)?>([^<]*)</.exec(run)?.[1] ?? ''),
        format: /<(?:\w+:)?rPr>/.test(run) ? describeFont(run, themes) : font,
      }));
      return {
        text: `${sheet.name} ${reference} ${text}`,
        formats: describeFormats(pieces.length > 0 ? pieces : [{ text: text!, format: font }]),
      };
    }),
  );
  return { texts, pages: 0 };
}

/** The description of the font of each cell style. */
function fontsOfStyles(parts: WalkedWorkbook['parts'], themes: readonly string[]): string[] {
  const xml = Buffer.from(parts['xl/styles.xml'] ?? '').toString();
  const inside = (name: string): string =>
    new RegExp(`<(?:\\w+:)?${name}\\b.*?</(?:\\w+:)?${name}>`, 's').exec(xml)?.[0] ?? '';
  const fonts = inside('fonts').match(/<(?:\w+:)?font(?:\s*\/>|>.*?<\/(?:\w+:)?font>)/gs) ?? [];
  return [...inside('cellXfs').matchAll(/<(?:\w+:)?xf\s[^>]*>/g)].map(([tag]) =>
    describeFont(fonts[Number(attribute(tag, 'fontId') ?? 0)] ?? '', themes),
  );
}

/** The colors of the theme in the order in which cells number them, which starts with the background. */
function themeColors(parts: WalkedWorkbook['parts']): string[] {
  const scheme = Buffer.from(parts['xl/theme/theme1.xml'] ?? '').toString();
  const names = [
    'lt1',
    'dk1',
    'lt2',
    'dk2',
    ...[1, 2, 3, 4, 5, 6].map((accent) => `accent${accent}`),
    'hlink',
  ];
  return names.map((name) => {
    const color = new RegExp(`<a:${name}>\\s*<a:\\w+ [^>]*?(?:lastClr|val)="(\\w{6})"`).exec(scheme);
    return color?.[1] ?? '';
  });
}

/** Black is the color of text without a color. */
function describeFont(xml: string, themes: readonly string[]): string {
  const isOn = (name: string): boolean =>
    new RegExp(`<(?:\\w+:)?${name}(?:\\s+val="(?:1|true)")?\\s*/>`).test(xml);
  const underlined = /<(?:\w+:)?u(?:\s+val="(?!none)\w+")?\s*\/>/.test(xml);
  const size = /<(?:\w+:)?sz\s+val="([\d.]+)"/.exec(xml)?.[1];
  const theme = /<(?:\w+:)?color\s+theme="(\d+)"/.exec(xml)?.[1];
  const color = theme ? themes[Number(theme)] : /<(?:\w+:)?color\s+rgb="\w\w(\w{6})"/.exec(xml)?.[1];
  const raised = /<(?:\w+:)?vertAlign\s+val="(s\w+)"/.exec(xml)?.[1];
  return [
    isOn('b') && 'bold',
    isOn('i') && 'italic',
    underlined && 'underlined',
    color !== '000000' && color,
    // LibreOffice gives text without a size 10 points.
    Number(size ?? 10),
    raised,
  ]
    .filter(Boolean)
    .join(' ');
}
