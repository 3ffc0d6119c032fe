import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { layoutFormats } from '#server/formats/layout-formats.ts';
import type { LayoutKind } from '#server/formats/layout-kinds.ts';
import { textsOf } from './texts.ts';

/*
 * Files in cases/text, each below the rules that it shows, with all that the service makes of it. In the files, `␍` is a
 * carriage return, `␉` a tab and `␠` a space at the end of a line.
 */

interface Case {
  format: LayoutKind;
  /** The languages. The default is from English to German. */
  from?: string;
  to?: string;
  file: string;
  /** The message of a file that is rejected. */
  rejected?: string;
  /** Each text with its place and its context. */
  texts?: string[];
  /** The texts that stay, by reason: their number, and that of their characters. */
  kept?: string[];
  /** The translation of each text, null for none; by default the text in brackets. */
  translation?: string | null;
  translations?: (string | null)[];
  /** The translated file, if it differs. */
  result?: string;
  findings?: string[];
  /** Whether translations that equal their sources leave the file as it is. */
  identity?: boolean;
}

const folder = join(import.meta.dirname, '../cases/text');
const read = (text: string) => text.replaceAll('␍', '\r').replaceAll('␉', '\t').replaceAll('␠', ' ');

describe.each(readdirSync(folder))('%s', (name) => {
  const rules = parse(readFileSync(join(folder, name), 'utf8')) as Record<string, Case[]>;
  describe.each(Object.entries(rules))('%s', (_, cases) => {
    test.each(cases)('$format: $file', async (given) => {
      const file = read(given.file);
      const own = textsOf(given.format, file, given.to, given.from);
      if (given.rejected !== undefined) {
        const { check } = await layoutFormats[given.format]();
        const error = { name: 'FileError', message: given.rejected };
        await expect(own.extract()).rejects.toMatchObject(error);
        await expect(check(new TextEncoder().encode(file))).rejects.toMatchObject(error);
        return;
      }
      const { segments, outcome } = await own.extract();
      const texts = segments.map(({ place, source, context }) => {
        const text = source.map((item) => (typeof item === 'string' ? item : (item.text ?? nameOf(item))));
        return `${place}: ${text.join('')}${context === undefined ? '' : ` ‹${context}›`}`;
      });
      expect(texts).toEqual(given.texts?.map(read));
      const kept = outcome?.kept.map(
        ({ reason, texts, characters }) => `${reason}: ${texts} (${characters})`,
      );
      expect(kept).toEqual(given.kept ?? []);
      expect(outcome?.unaccounted).toBe(0);
      const { translation, translations } = given;
      const { bytes, findings } = await own.rebuild(({ source }, at) => {
        const target = translations ? translations[at]! : translation;
        return target === undefined ? ['[', ...source, ']'] : target === null ? null : [target];
      });
      expect(Buffer.from(bytes).toString()).toBe(read(given.result ?? given.file));
      expect(findings.map(({ message }) => message)).toEqual(given.findings ?? []);
      if (given.identity) expect(await own.identity()).toBe(file);
    });
  });
});

function nameOf({ tag, type }: { tag: number; type: string }): string {
  return type === 'open' ? `<${tag}>` : type === 'close' ? `</${tag}>` : `<${tag}/>`;
}
