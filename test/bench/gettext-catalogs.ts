import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LanguageCode, readLanguage } from '#server/languages.ts';

/** An English message of a program and its translation. */
export interface Message {
  /** The catalog's file name without `.mo`. */
  catalog: string;
  lang: LanguageCode;
  source: string;
  target: string;
}

const magic = 0x950412de;

/** The language of `…/pt_BR/LC_MESSAGES/x.mo`; a bare `pt` and `zh` are those of Portugal and of China in gettext. */
function languageOf(path: string): LanguageCode | undefined {
  const locale = /([^/]+)\/LC_MESSAGES\/[^/]+$/.exec(path)?.[1];
  if (locale === undefined || locale.includes('@')) return undefined;
  const lang = { pt: 'pt-PT' as const, zh: 'zh-Hans' as const }[locale] ?? readLanguage(locale);
  return lang === 'en' ? undefined : lang;
}

/**
 * The messages of a compiled gettext catalog in its file order. Of a message with plural forms, the plural and the
 * last form; a message's context is left out.
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

/** The messages of every catalog in supported languages below `folder`, none twice in a language. */
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
