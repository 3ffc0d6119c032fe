import type { TenantDocumentJob } from '#sdk/types.ts';
import { useT } from '../i18n.tsx';
import { fileFailureText } from '../parts/file-failure.ts';
import { useFormat } from '../parts/format.ts';
import { reviewerName } from '../parts/member-name.tsx';
import { Reopen } from '../parts/reopen.tsx';
import { isDelivered, TranslateAgain } from '../parts/translate-again.tsx';
import { Warnings } from '../parts/warnings.tsx';
import { isInFlight, useProgress } from '../screens/documents/use-progress.ts';
import { DocumentStatus } from './document-status.tsx';
import styles from './editor.module.css';

/** A line for a document that is not simply being reviewed: in progress, failed, approved, or with warnings. */
export default function DocumentNotices({ document }: { document: TenantDocumentJob }) {
  const t = useT();
  const { moment } = useFormat();
  const progress = useProgress([document]).get(document.id);
  const {
    id,
    status,
    failure,
    warnings,
    waiting,
    approved_at: approvedAt,
    approved_by: approvedBy,
    approved_via: approvedVia,
  } = document;
  return (
    <div className={styles['notices']}>
      {(status !== 'translated' || approvedAt) && (
        <DocumentStatus status={status} approvedAt={approvedAt} progress={progress} waiting={waiting} />
      )}
      {isInFlight(status) && <span className={styles['soft']}>{t('documents.under_way')}</span>}
      {approvedAt && (
        <span className={styles['soft']}>
          {t('documents.approved_by')}{' '}
          <bdi translate="no">{reviewerName(approvedBy ?? '', approvedVia, t)}</bdi>, {moment(approvedAt)}
        </span>
      )}
      {approvedAt && (
        <Reopen
          item={{ kind: 'document', id }}
          decidedAt={approvedAt}
          decidedBy={approvedVia ? null : approvedBy}
        />
      )}
      {failure && (
        <bdi className={styles['criticalCount']} title={failure.message}>
          {fileFailureText(failure, t)}
        </bdi>
      )}
      {status === 'failed' && failure && !isDelivered(document) && (
        <TranslateAgain id={id} code={failure.code} />
      )}
      <Warnings of={warnings} />
    </div>
  );
}
