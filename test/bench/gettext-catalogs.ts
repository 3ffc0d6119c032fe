import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LanguageCode, readLanguage } from '#server/languages.ts';

/** An English message of a program and its translation. */
export interface Message {
  /** The file name of the catalog without `.mo`. */
  catalog: string;
  lang: LanguageCode;
  source: string;
  target: string;
}

const magic = 0x950412de;

/**
 * The language of a path such as `…/pt_BR/LC_MESSAGES/x.mo`. In gettext, `pt` is the Portuguese of Portugal, and `zh`
 * the Chinese of China.
 */
function languageOf(path: string): LanguageCode | undefined {
  const locale = /([^/]+)\/LC_MESSAGES\/[^/]+$/.exec(path)?.[1];
  if (locale === undefined || locale.includes('@')) return undefined;
  const lang = { pt: 'pt-PT' as const, zh: 'zh-Hans' as const }[locale] ?? readLanguage(locale);
  return lang === 'en' ? undefined : lang;
}

/**
 * The messages of a compiled gettext catalog, in the order of the file. For a message with plural forms, the plural and
 * the last form. Contexts are removed.
 */
function messagesOf(file: Buffer): [source: string, target: string][] {
  const little = file.length >= 28 && file.readUInt32LE(0) === magic;
  if (!little) return [];
  const count = file.readUInt32LE(8);
  const stringAt = (table: number, i: number): string => {
    const at = file.readUInt32LE(table) + 8 * i;
    const start = file.readUInt32LE(at + 4);
    return file.toString('utf8', start, start + file.readUInt32LE(at));
  };
  return Array.from({ length: count }, (_, i): [string, string] => [stringAt(12, i), stringAt(16, i)])
    .filter(([source]) => source !== '')
    .map(([source, target]) => [
      source
        .slice(source.indexOf('\u0004') + 1)
        .split('\0')
        .at(-1)!,
      target.split('\0').at(-1)!,
    ]);
}

/** The messages of all catalogs below `folder` in supported languages. Each message occurs once for each language. */
export function* messagesBelow(folder: string): Generator<Message> {
  const seen = new Set<string>();
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.mo'),
  );
  for (const path of paths.sort()) {
    const lang = languageOf(path);
    if (lang === undefined) continue;
    const catalog = path.slice(path.lastIndexOf('/') + 1, -3);
    for (const [source, target] of messagesOf(readFileSync(join(folder, path)))) {
      const key = `${lang} ${source}`;
      if (seen.has(key) || target === '') continue;
      seen.add(key);
      yield { catalog, lang, source, target };
    }
  }
}
