import { describe, expect, test } from 'vitest';
import { layoutFormats } from '#server/formats/layout-formats.ts';
import type { LayoutKind } from '#server/formats/layout-kinds.ts';
import { textsOf } from './text/texts.ts';

/*
 * Faults of one format that another format can have, too. A row is a kind of fault; a cell is a small file in a format, with
 * what the service makes of it. Each text is translated to itself in brackets unless the row has a `translation`.
 */

export interface Row {
  kind: string;
  /** The languages. The default is from English to French. */
  from?: string;
  to?: string;
  translation?: string;
  cells: readonly Cell[];
}

type Cell = readonly [format: LayoutKind, file: string, expected: Expected];

/** The translated file; or the texts with their contexts; or the line and the reason of the rejection. */
export type Expected = string | { texts: readonly string[]; file?: string } | { rejected: string };

export const srt = (text: string) => `1\n00:00:01,000 --> 00:00:59,000\n${text}\n`;
export const vtt = (text: string, header = '') => `WEBVTT${header}\n\n00:01.000 --> 00:59.000\n${text}\n`;
export const android = (text: string) => `<resources>\n<string name="a">${text}</string></resources>`;
export const plurals = (...items: string[]) =>
  `<resources><plurals name="f">${items.join('')}</plurals></resources>`;
export const catalog = (...strings: string[]) => `{"sourceLanguage":"en","strings":{${strings.join()}}}`;
export const localized = (text: string) =>
  `"localizations":{"fr":{"stringUnit":{"state":"translated","value":"${text}"}}}`;
export const po = (source: string, target: string, header = '') =>
  `${header}msgid "${source}"\nmsgstr "${target}"\n`;
export const poHeader = (...fields: string[]) =>
  `msgid ""\nmsgstr ""\n${fields.map((field) => `"${field}\\n"\n`).join('')}\n`;
export const french = [
  'Language: fr',
  'Plural-Forms: nplurals=2; plural=(n > 1);',
  'Content-Type: text/plain; charset=UTF-8',
];
export const xliff = (source: string, target = '', languages = ' target-language="fr"') =>
  `<xliff version="1.2"><file source-language="en"${languages}><body>\n<trans-unit id="a"><source>${source}</source>${target}</trans-unit></body></file></xliff>`;
export const translated = (text: string) => `<target state="translated">${text}</target>`;

/** Tests all cells of rows. */
export function testRows(rows: readonly Row[]): void {
  describe.each(rows)('$kind', ({ from = 'en', to = 'fr', translation, cells }) => {
    test.each(cells)('%s %j', async (format, file, expected) => {
      const { extract, rebuild } = textsOf(format, file, to, from);
      if (typeof expected !== 'string' && 'rejected' in expected) {
        const error = await extract().catch(String);
        expect(error).toContain('FileError: ');
        expect(error).toContain(expected.rejected);
        const { check } = await layoutFormats[format]();
        expect(await check(new TextEncoder().encode(file)).catch(String)).toBe(error);
        return;
      }
      const { segments, outcome } = await extract();
      expect(outcome?.unaccounted).toBe(0);
      const { texts, file: written } = typeof expected === 'string' ? { file: expected } : expected;
      if (texts)
        expect(
          segments.map(({ source, context }) => {
            const about = context?.replace(/, for (?:numbers|fractions).*/, '');
            return source.join('') + (about === undefined ? '' : ` ‹${about}›`);
          }),
        ).toEqual(texts);
      const result = await rebuild(({ source }) =>
        translation === undefined ? ['[', ...source, ']'] : [translation],
      );
      if (written !== undefined) expect(Buffer.from(result.bytes).toString()).toBe(written);
    });
  });
}
