import { ArrowRightLeft, ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { canonicalLanguage } from '#server/languages.ts';
import { languageOf } from '#web/server/locale.ts';
import { useInterface } from '../../i18n.tsx';
import { IconButton } from '../../kit/icon-button.tsx';
import { Text } from '../../kit/text.tsx';
import { useLanguages } from '../../parts/languages.tsx';
import { detected } from '../../parts/source-language.tsx';
import styles from './panes.module.css';

/** The name of the item in `localStorage`. It contains only language codes. */
const storageKey = 'lingualoop-source-languages';

/** Number of languages that are offered without opening the list. */
const most = 2;

/** The source languages that were selected last in this browser, the latest first. */
function recentSources(): string[] {
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

function rememberSource(code: string): void {
  try {
    const codes = [code, ...recentSources().filter((one) => one !== code)].slice(0, most);
    localStorage.setItem(storageKey, JSON.stringify(codes));
  } catch {
    // Without storage, only the list of all languages is offered.
  }
}

/** Languages that are offered in a browser without a selection so far. */
const usual = ['en', 'de', 'fr'];

/**
 * The source language: detection, the languages that were selected last, and a list of all languages.
 * @param found the language that was detected
 * @param swap exchanges source and target; undefined if this is not possible
 */
export function SourceLanguages({
  from,
  found,
  onChange,
  swap,
}: {
  from: string;
  found?: string | undefined;
  onChange: (code: string) => void;
  swap?: (() => void) | undefined;
}) {
  const { t, locale } = useInterface();
  const { languages, nameOf } = useLanguages();
  const [recent] = useState(() => [...recentSources(), languageOf(locale), ...usual]);
  const offered = [
    ...new Set(from === detected || recent.slice(0, 2).includes(from) ? recent : [from, ...recent]),
  ]
    .filter((code) => code !== found)
    .slice(0, 2);
  const choose = (code: string) => {
    if (code !== detected) rememberSource(code);
    onChange(code);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a flex row in all browsers
    <div className={styles.languages} role="group" aria-label={t('translate.source_language')}>
      <button
        type="button"
        className={styles.language}
        aria-pressed={from === detected}
        onClick={() => choose(detected)}
      >
        {from === detected && found ? (
          <>
            {nameOf(found)}{' '}
            <Text tone="faint" weight="regular">
              {t('translate.found')}
            </Text>
          </>
        ) : (
          t('translate.detect')
        )}
      </button>
      {offered.map((code) => (
        <button
          key={code}
          type="button"
          className={styles.language}
          aria-pressed={from === code}
          onClick={() => choose(code)}
        >
          {nameOf(code)}
        </button>
      ))}
      <span className={`button ${styles.language}`}>
        <span aria-hidden>{t('translate.more_languages')}</span>
        <ChevronDown size={14} aria-hidden />
        <select
          aria-label={t('translate.source_language_more')}
          value={from}
          onChange={({ target }) => choose(target.value)}
        >
          <option value={detected}>{t('translate.detect')}</option>
          {languages.map(({ code, name }) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </select>
      </span>
      {swap && (
        <div className={styles.swap}>
          <IconButton label={t('translate.swap')} onClick={swap}>
            <ArrowRightLeft size={17} aria-hidden />
          </IconButton>
        </div>
      )}
    </div>
  );
}
