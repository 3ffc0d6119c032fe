import { canonicalLanguage } from '#server/languages.ts';

export type TranslateKind = 'text' | 'batch' | 'file';

/** What stands in the address of the screen; languages as codes of B 2.4. Without `from` the language is detected. */
export interface TranslateSearch {
  kind?: TranslateKind;
  from?: string;
  to?: string[];
}

/** What each way to translate knows of the address, and how it changes the languages there. */
export interface LanguageChoiceProps {
  from: string;
  to: string[];
  choose(languages: { from?: string; to?: string[] }): void;
}

/** Reads the address; what it has no meaning for is left out. */
export function readTranslateSearch({ kind, from, to }: Record<string, unknown>): TranslateSearch {
  const source = typeof from !== 'string' || from === 'auto' ? undefined : canonicalLanguage(from);
  const targets = (Array.isArray(to) ? to : [to]).flatMap((code) =>
    typeof code === 'string' ? (canonicalLanguage(code) ?? []) : [],
  );
  return {
    ...((kind === 'text' || kind === 'batch' || kind === 'file') && { kind }),
    ...(source && { from: source }),
    ...(targets.length > 0 && { to: [...new Set(targets)] }),
  };
}
