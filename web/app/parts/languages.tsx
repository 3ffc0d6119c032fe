import { useMemo } from 'react';
import { type LanguageCode, languageCodes, supportedLanguages } from '#server/languages.ts';
import { useInterface } from '../i18n.tsx';

/** A supported language with its name in the interface language. */
interface NamedLanguage {
  code: LanguageCode;
  name: string;
  /**
   * The text in which a search looks for the language: its name in the interface language, in English and in the
   * language itself, and its code.
   */
  found: string;
}

/** Returns the supported languages in alphabetical order, and a function that returns the name for a code. */
export function useLanguages() {
  const { locale } = useInterface();
  return useMemo(() => {
    const names = new Intl.DisplayNames(locale, { type: 'language', languageDisplay: 'standard' });
    const { compare } = new Intl.Collator(locale);
    const languages = languageCodes
      .map((code): NamedLanguage => {
        const name = names.of(code) ?? code;
        const own = new Intl.DisplayNames(code, { type: 'language' }).of(code) ?? '';
        return { code, name, found: `${name} ${supportedLanguages[code]} ${own} ${code}`.toLowerCase() };
      })
      .toSorted((a, b) => compare(a.name, b.name));
    const byCode = new Map(languages.map(({ code, name }) => [code as string, name]));
    return { languages, nameOf: (code: string) => byCode.get(code) ?? code };
  }, [locale]);
}

/**
 * A field to select one language.
 * @param any label of the option for all languages; without `any`, a language is required
 * @param first an additional first option that is not a language
 */
export function LanguageSelect({
  label,
  value,
  any,
  first = any === undefined ? undefined : { value: '', name: any },
  onChange,
}: {
  label: string;
  value: string;
  any?: string;
  first?: { value: string; name: string } | undefined;
  onChange: (code: string) => void;
}) {
  const { languages } = useLanguages();
  return (
    <label>
      {label}
      <select value={value} onChange={({ target }) => onChange(target.value)}>
        {first && <option value={first.value}>{first.name}</option>}
        {value !== first?.value && !languages.some(({ code }) => code === value) && (
          <option value={value}>{value}</option>
        )}
        {languages.map(({ code, name }) => (
          <option key={code} value={code}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
