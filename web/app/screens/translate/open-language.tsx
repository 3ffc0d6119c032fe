import { LinguaLoopError } from '#sdk/errors.ts';
import { languageOf } from '#web/server/locale.ts';
import { useInterface } from '../../i18n.tsx';
import { useLanguages } from '../../parts/languages.tsx';
import { detected } from '../../parts/source-language.tsx';
import styles from './panes.module.css';

/**
 * If the service could not detect the language of a text, returns the candidates that it named; undefined for other
 * errors.
 */
export function openCandidates(error: unknown): string[] | undefined {
  return error instanceof LinguaLoopError ? (error.candidates ?? undefined) : undefined;
}

/**
 * Asks for the language of a text that the service could not detect. The candidates and the language of the interface
 * are offered: a text that is too short for detection is probably in that language.
 */
export function OpenLanguage({
  error,
  from,
  onChoose,
}: {
  error: unknown;
  /** The selected source language. */
  from: string;
  onChoose: (code: string) => void;
}) {
  const { t, locale } = useInterface();
  const { nameOf } = useLanguages();
  const candidates = openCandidates(error);
  if (!candidates || from !== detected) return null;
  return (
    <div role="alert" className={styles.open}>
      <p className={styles.problem}>{t('translate.language_open')}</p>
      <div className="actions">
        {[...new Set([...candidates, languageOf(locale)])].map((code) => (
          <button key={code} type="button" className="small" onClick={() => onChoose(code)}>
            {nameOf(code)}
          </button>
        ))}
      </div>
    </div>
  );
}
