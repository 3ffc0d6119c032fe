import type { FileView } from '#sdk/file-types.ts';
import { useT } from '../../i18n.tsx';
import { StatusMark } from '../../parts/status-mark.tsx';
import styles from './files.module.css';
import { percentOf, sharesOf, stateOf } from './files.ts';

/** The share of confirmed segments as a text and a bar, which also shows the segments with findings. */
export function SegmentShares({ translations }: { translations: readonly FileView[] }) {
  const t = useT();
  const shares = sharesOf(translations);
  if (shares.total === 0) return null;
  const isApproved = translations.every((file) => stateOf(file) === 'approved');
  return (
    <div className={styles.progress}>
      <span>
        {isApproved ? (
          <>
            <StatusMark status="confirmed" size={14} /> {t('documents.approved')}
          </>
        ) : (
          t('documents.percent', { percent: percentOf(shares.confirmed, shares.total) / 100 })
        )}
      </span>
      <span className={styles.bar} aria-hidden>
        {(['confirmed', 'flagged', 'critical'] as const).map(
          (part) =>
            shares[part] > 0 && (
              <i
                key={part}
                data-part={part}
                style={{ inlineSize: `${(100 * shares[part]) / shares.total}%` }}
              />
            ),
        )}
      </span>
      {shares.critical > 0 && (
        <span className="visually-hidden">{t('documents.critical_count', { count: shares.critical })}</span>
      )}
    </div>
  );
}
