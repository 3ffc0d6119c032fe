import { ArrowRightLeft, ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { useInterface } from '../../i18n.tsx';
import { useLanguages } from '../../parts/languages.tsx';
import { detected } from '../../parts/source-language.tsx';
import styles from './panes.module.css';
import { recentSources, rememberSource } from './recent-languages.ts';

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
  const [recent] = useState(() => [...recentSources(), locale, ...usual]);
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
            {nameOf(found)} <small>{t('translate.found')}</small>
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
      <span className={styles.more}>
        <span aria-hidden>
          {t('translate.more_languages')} <ChevronDown size={14} />
        </span>
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
        <button
          type="button"
          className={`ghost icon ${styles.swap}`}
          aria-label={t('translate.swap')}
          title={t('translate.swap')}
          onClick={swap}
        >
          <ArrowRightLeft size={17} aria-hidden />
        </button>
      )}
    </div>
  );
}
