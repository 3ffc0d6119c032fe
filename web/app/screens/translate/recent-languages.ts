import { canonicalLanguage } from '#server/languages.ts';

/** The name of the item in `localStorage`. It contains only language codes. */
const storageKey = 'lingualoop-source-languages';

/** Number of languages that are offered without opening the list. */
const most = 2;

/** The source languages that were selected last in this browser, the latest first. */
export function recentSources(): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]');
    if (!Array.isArray(stored)) return [];
    return stored
      .flatMap((code) => (typeof code === 'string' ? (canonicalLanguage(code) ?? []) : []))
      .slice(0, most);
  } catch {
    return [];
  }
}

export function rememberSource(code: string): void {
  try {
    const codes = [code, ...recentSources().filter((one) => one !== code)].slice(0, most);
    localStorage.setItem(storageKey, JSON.stringify(codes));
  } catch {
    // Without storage, only the list of all languages is offered.
  }
}
