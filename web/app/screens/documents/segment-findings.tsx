import { useT } from '../../i18n.tsx';
import { LanguageText } from '../../parts/language-text.tsx';
import styles from './documents.module.css';
import type { Segment } from './search.ts';
import { useSegmentCheck } from './use-segment-check.ts';

/** Shows the issues found in a segment's translation, and the origin of the translation. */
export function SegmentFindings({
  documentId,
  segment,
  text,
  language,
}: {
  documentId: string;
  segment: Segment;
  /** The reviewer's unapplied text; undefined without such a text. */
  text: string | undefined;
  language: string;
}) {
  const t = useT();
  const issues = useSegmentCheck(documentId, segment, text);
  const origin = text === undefined && segment.provenance?.['set_name'];
  if (issues.length === 0 && typeof origin !== 'string') return null;
  return (
    <div className={styles.findings}>
      {issues.length > 0 && (
        <ul>
          {issues.map((issue, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they have no other identity, and none is added or removed
            <li key={place}>
              <span className={issue.severity === 'critical' ? 'badge bad' : 'badge'}>
                {t(`jobs.severity_${issue.severity}`)}
              </span>{' '}
              <bdi>{issue.explanation}</bdi>
              {issue.suggestion && (
                <LanguageText as="span" language={language} className={styles.suggestion}>
                  {issue.suggestion}
                </LanguageText>
              )}
            </li>
          ))}
        </ul>
      )}
      {typeof origin === 'string' && (
        <p className="hint">
          {t('documents.from_set')} <bdi translate="no">{origin}</bdi>
        </p>
      )}
    </div>
  );
}
