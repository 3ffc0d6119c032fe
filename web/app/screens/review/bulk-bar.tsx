import { useT } from '../../i18n.tsx';
import styles from './review.module.css';
import type { Selection } from './use-selection.ts';

/** The actions on the selected rows, and the results of the previous action. */
export function BulkBar({
  selection: { ids, outcome, clear },
  onApprove,
  onReject,
}: {
  selection: Selection;
  onApprove: () => void;
  onReject: () => void;
}) {
  const t = useT();
  if (ids.size === 0)
    return outcome ? <p className={styles.outcome}>{t('review.bulk_outcome', outcome)}</p> : null;
  return (
    <fieldset className={styles.bulk}>
      <legend>{t('review.selected', { count: ids.size })}</legend>
      <button type="button" className="primary" onClick={onApprove}>
        {t('review.approve')}
      </button>
      <button type="button" className="danger" onClick={onReject}>
        {t('review.reject')}
      </button>
      <button type="button" onClick={clear}>
        {t('review.clear')}
      </button>
    </fieldset>
  );
}
