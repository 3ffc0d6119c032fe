import { Ban } from 'lucide-react';
import type { RefObject } from 'react';
import { useT } from '../i18n.tsx';
import { Fill, Row } from '../kit/box.tsx';
import { Text } from '../kit/text.tsx';
import { LanguageText } from '../parts/language-text.tsx';
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
    <ul className="rows">
      {terms.map(({ source_term, target_terms, forbidden_terms = [], set_name }) => (
        <li key={`${set_name} ${source_term}`}>
          <Row isTight gap={2}>
            <Fill>
              <LanguageText as="span" language={languages.source}>
                {source_term}
              </LanguageText>
            </Fill>
            <Fill>
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
            </Fill>
            <Text as="bdi" size="xs" tone="faint">
              {set_name}
            </Text>
          </Row>
          {forbidden_terms.length > 0 && (
            <Text size="xs" tone="faint">
              <Row as="span">
                <Ban size={12} aria-hidden /> {t('editor.forbidden_terms')}
                {forbidden_terms.map(({ term }) => (
                  <Text key={term} {...(isIn(segment, term) && { tone: 'crit', weight: 'medium' })}>
                    <LanguageText as={isIn(segment, term) ? 'mark' : 'span'} language={languages.target}>
                      {term}
                    </LanguageText>
                  </Text>
                ))}
              </Row>
            </Text>
          )}
        </li>
      ))}
    </ul>
  );
}
