import type { TenantDocumentJob } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import styles from './documents.module.css';
import type { SegmentFilter } from './search.ts';

const findingCodes = [
  'missing_translation',
  'translation_expansion',
  'low_segment_quality',
  'terminology_noncompliant',
  'text_truncated',
  'text_shrunk',
  'font_substituted',
  'table_header_kept',
  'unsupported_content_kept',
] as const;

/** How many findings of a kind are listed. */
const most = 100;

/** The score of a document, and what the checks found, by kind. */
export function QualityReport({
  document: { quality_report: report },
  onFilter,
}: {
  document: TenantDocumentJob;
  onFilter: (filter: SegmentFilter) => void;
}) {
  const t = useT();
  const { number } = useFormat();
  if (!report || report.total_units === 0) return null;
  const kinds = [...Map.groupBy(report.findings, ({ code }) => code)];
  const nameOf = (code: string) => {
    const known = findingCodes.find((one) => one === code);
    return known ? t(`documents.finding_${known}`) : code;
  };
  return (
    <details className={styles.report}>
      <summary>
        {t('documents.report', {
          score: number(Math.round(report.overall_score * 100)),
          count: report.findings.length,
        })}
      </summary>
      {kinds.length === 0 && <p>{t('documents.no_findings')}</p>}
      {kinds.map(([code, findings]) => (
        <details key={code}>
          <summary>
            <span className={findings.some(({ severity }) => severity === 'error') ? 'badge bad' : 'badge'}>
              {number(findings.length)}
            </span>{' '}
            {nameOf(code)}
          </summary>
          {(code === 'low_segment_quality' || code === 'terminology_noncompliant') && (
            <button type="button" className="plain small" onClick={() => onFilter({ flagged: true })}>
              {t('documents.show_flagged')}
            </button>
          )}
          <ul>
            {findings.slice(0, most).map((finding, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a report does not change, and its findings have no id
              <li key={place}>
                <bdi>{finding.message}</bdi>
              </li>
            ))}
          </ul>
          {findings.length > most && <p className="hint">{t('documents.first_findings', { most })}</p>}
        </details>
      ))}
    </details>
  );
}
