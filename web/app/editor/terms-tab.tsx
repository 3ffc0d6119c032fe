import { Ban } from 'lucide-react';
import type { RefObject } from 'react';
import { useT } from '../i18n.tsx';
import { LanguageText } from '../parts/language-text.tsx';
import styles from './editor.module.css';
import { type Languages, occurrences } from './marks.ts';
import type { OpenField } from './open-segment.tsx';
import type { EditedSegment } from './segment.ts';
import { useTerms } from './use-segment-data.ts';

/** Whether a forbidden term is in the stored translation. Its finding shows other forms, and marks it in the text. */
function isIn({ target_text: text }: EditedSegment, term: string): boolean {
  return occurrences(text ?? '', term, 'term', { ignoresCase: true, wholeWords: true }).length > 0;
}

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
      {terms.map(({ source_term, target_terms, forbidden_terms = [], set_name }) => (
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
          {forbidden_terms.length > 0 && (
            <span className={styles['forbidden']}>
              <Ban size={12} aria-hidden /> {t('editor.forbidden_terms')}
              {forbidden_terms.map(({ term }) => (
                <LanguageText
                  key={term}
                  as={isIn(segment, term) ? 'mark' : 'span'}
                  language={languages.target}
                >
                  {term}
                </LanguageText>
              ))}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
