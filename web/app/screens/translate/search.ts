import { canonicalLanguage } from '#server/languages.ts';

export type TranslateKind = 'text' | 'batch' | 'file';

/**
 * The parameters in the screen's URL, with canonical language codes. Without `from`, the service detects the language.
 */
export interface TranslateSearch {
  kind?: TranslateKind;
  from?: string;
  to?: string[];
}

/** The properties that all ways to translate share: the languages, and a function that changes them. */
export interface LanguageChoiceProps {
  from: string;
  to: string[];
  choose(languages: { from?: string; to?: string[] }): void;
}

/** Reads the URL; invalid parameters are ignored. */
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
