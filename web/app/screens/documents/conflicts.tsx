import { useT } from '../../i18n.tsx';
import { LanguageText } from '../../parts/language-text.tsx';
import type { Correction, CorrectionChange } from './corrections.ts';
import styles from './documents.module.css';

/**
 * Translations that someone else has changed while the reviewer corrected them. Shows the original text, the text of
 * the other member, and the reviewer's text.
 */
export function Conflicts({
  conflicts,
  language,
  onChange,
}: {
  conflicts: readonly Correction[];
  language: string;
  onChange: (change: CorrectionChange) => void;
}) {
  const t = useT();
  return (
    <div role="alert" className="problem">
      <p>{t('documents.conflicts', { count: conflicts.length })}</p>
      <ul className="rows">
        {conflicts.map(({ segment, text: mine, replaces }) => {
          const texts = [
            [t('documents.text_before'), replaces],
            [t('documents.text_theirs'), segment.target_text],
            [t('documents.text_mine'), mine],
          ] as const;
          return (
            <li key={segment.position}>
              <b>{t('documents.segment_n', { number: segment.position + 1 })}</b>
              <dl className={styles.texts}>
                {texts.map(([name, text]) => (
                  <div key={name}>
                    <dt>{name}</dt>
                    <LanguageText as="dd" language={language}>
                      {text ?? t('documents.untranslated')}
                    </LanguageText>
                  </div>
                ))}
              </dl>
              <div className="actions">
                <button type="button" className="small" onClick={() => onChange({ kind: 'rebase', segment })}>
                  {t('documents.keep_mine')}
                </button>
                <button
                  type="button"
                  className="small"
                  onClick={() => onChange({ kind: 'drop', positions: [segment.position] })}
                >
                  {t('documents.take_theirs')}
                </button>
              </div>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
