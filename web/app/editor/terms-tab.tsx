import type { RefObject } from 'react';
import { useT } from '../i18n.tsx';
import { LanguageText } from '../parts/language-text.tsx';
import styles from './editor.module.css';
import type { Languages } from './marks.ts';
import type { OpenField } from './open-segment.tsx';
import type { EditedSegment } from './segment.ts';
import { useTerms } from './use-segment-data.ts';

/** The glossary terms of the open segment; a click inserts a target term at the caret. */
export function TermsTab({
  segment,
  languages,
  field,
}: {
  segment: EditedSegment;
  languages: Languages;
  field: RefObject<OpenField | null>;
}) {
  const t = useT();
  const terms = useTerms(segment, languages);
  if (terms.length === 0) return <p className="hint">{t('editor.no_terms')}</p>;
  return (
    <ul className={styles['terms']}>
      {terms.map(({ source_term, target_terms, set_name }) => (
        <li key={`${set_name} ${source_term}`}>
          <LanguageText as="span" language={languages.source}>
            {source_term}
          </LanguageText>
          <span>
            {target_terms.map((term) => (
              <button
                key={term}
                type="button"
                className="plain small"
                onClick={() => field.current?.insert(term)}
              >
                <LanguageText as="span" language={languages.target}>
                  {term}
                </LanguageText>
              </button>
            ))}
          </span>
          <bdi className={styles['soft']}>{set_name}</bdi>
        </li>
      ))}
    </ul>
  );
}
