import { X } from 'lucide-react';
import { useId, useMemo, useState } from 'react';
import { type LanguageCode, languageCodes, supportedLanguages } from '#server/languages.ts';
import { useInterface } from '../i18n.tsx';
import { isComposing } from '../keys/match-key.ts';
import styles from './languages.module.css';

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
        {languages.map(({ code, name }) => (
          <option key={code} value={code}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/**
 * Selects several languages: shows the selected languages as a list, and all others in a searchable disclosure.
 * @param noteOf returns a note about a selected language, such as the weight of the text in that language
 */
export function LanguageChoice({
  legend,
  chosen,
  noteOf,
  problem,
  onChange,
}: {
  legend: string;
  chosen: readonly string[];
  noteOf?: (code: LanguageCode) => string;
  problem?: string | undefined;
  onChange: (codes: LanguageCode[]) => void;
}) {
  const { t } = useInterface();
  const { languages, nameOf } = useLanguages();
  const [sought, setSought] = useState('');
  const [isOpen, setOpen] = useState(chosen.length === 0);
  const problemId = useId();
  const shown = languages.filter(({ found }) => found.includes(sought.trim().toLowerCase()));
  const select = (code: LanguageCode, isChosen: boolean) =>
    onChange(languageCodes.filter((one) => (one === code ? isChosen : chosen.includes(one))));
  return (
    <fieldset className={styles.choice} aria-describedby={problem && problemId}>
      <legend>{legend}</legend>
      <ul className={styles.chosen}>
        {languageCodes
          .filter((code) => chosen.includes(code))
          .map((code) => (
            <li key={code}>
              <span>{nameOf(code)}</span>
              {noteOf && <span className={styles.note}>{noteOf(code)}</span>}
              <button
                type="button"
                aria-label={t('languages.remove', { name: nameOf(code) })}
                onClick={() => select(code, false)}
              >
                <X size={16} aria-hidden />
              </button>
            </li>
          ))}
      </ul>
      {problem && (
        <p id={problemId} className={styles.problem}>
          {problem}
        </p>
      )}
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{t('languages.choose')}</summary>
        <input
          type="search"
          aria-label={t('languages.find')}
          placeholder={t('languages.find')}
          value={sought}
          onChange={({ target }) => setSought(target.value)}
          onKeyDown={(event) => {
            // Enter selects the matching language, and must not submit the surrounding form.
            if (event.key !== 'Enter' || isComposing(event.nativeEvent)) return;
            event.preventDefault();
            const [only] = shown;
            if (only && shown.length === 1) select(only.code, !chosen.includes(only.code));
          }}
        />
        <div className={styles.all}>
          {shown.map(({ code, name }) => (
            <label key={code}>
              <input
                type="checkbox"
                checked={chosen.includes(code)}
                onChange={({ target }) => select(code, target.checked)}
              />
              {name}
            </label>
          ))}
          {shown.length === 0 && <p className="hint">{t('languages.none')}</p>}
        </div>
      </details>
    </fieldset>
  );
}
