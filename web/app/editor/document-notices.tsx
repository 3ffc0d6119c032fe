import type { TenantDocumentJob } from '#sdk/types.ts';
import { useT } from '../i18n.tsx';
import { Badge, Text } from '../kit/text.tsx';
import { fileFailureText } from '../parts/file-failure.ts';
import { useFormat } from '../parts/format.ts';
import { reviewerName } from '../parts/member-name.tsx';
import { Reopen } from '../parts/reopen.tsx';
import { isDelivered, TranslateAgain } from '../parts/translate-again.tsx';
import { Warnings } from '../parts/warnings.tsx';
import { documentStatuses, type KnownDocumentStatus, type Progress } from '../screens/documents/search.ts';
import { isInFlight, useProgress } from '../screens/documents/use-progress.ts';
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
    changed_since_approval: changedAt,
  } = document;
  return (
    <div className={styles['message']}>
      {(status !== 'translated' || approvedAt) && (
        <DocumentStatus status={status} approvedAt={approvedAt} progress={progress} waiting={waiting} />
      )}
      {isInFlight(status) && (
        <Text size="xs" tone="faint">
          {t('documents.under_way')}
        </Text>
      )}
      {approvedAt && (
        <Text size="xs" tone="faint">
          {t('documents.approved_by')}{' '}
          <bdi translate="no">{reviewerName(approvedBy ?? '', approvedVia, t)}</bdi>, {moment(approvedAt)}
        </Text>
      )}
      {changedAt && (
        <Text as="b" tone="crit">
          {t('documents.changed_since', { time: moment(changedAt) })}
        </Text>
      )}
      {approvedAt && <Reopen item={{ kind: 'document', id }} decidedBy={approvedVia ? null : approvedBy} />}
      {failure && (
        <Text as="bdi" tone="crit" title={failure.message}>
          {fileFailureText(failure, t)}
        </Text>
      )}
      {status === 'failed' && failure && !isDelivered(document) && (
        <TranslateAgain id={id} code={failure.code} />
      )}
      <Warnings of={warnings} />
    </div>
  );
}

/** A document's status as text, with its progress while the service processes it. */
function DocumentStatus({
  status: known,
  approvedAt,
  progress,
  waiting: knownWaiting,
}: {
  status: string;
  approvedAt: string | null;
  progress: Progress | undefined;
  waiting: TenantDocumentJob['waiting'];
}) {
  const t = useT();
  const { number, moment } = useFormat();
  const status = progress?.status ?? known;
  const waiting = isInFlight(status) ? (progress ? progress.waiting : knownWaiting) : null;
  const isKnown = (documentStatuses as readonly string[]).includes(status);
  if (approvedAt) return <Badge tone="good">{t('documents.approved')}</Badge>;
  return (
    <>
      <Badge tone={status === 'failed' ? 'bad' : undefined}>
        {waiting
          ? t('documents.held_up')
          : isKnown
            ? t(`documents.status_${status as KnownDocumentStatus}`)
            : status}
      </Badge>
      {isInFlight(status) && progress && (
        <>
          {' '}
          <progress max={100} value={progress.percent} aria-label={t('documents.progress')} />{' '}
          <span className="hint">
            {progress.total_segments > 0
              ? t('documents.segments_done', {
                  done: number(progress.translated_segments),
                  total: number(progress.total_segments),
                })
              : t(`documents.stage_${progress.stage}`)}
          </span>
        </>
      )}
      {waiting && (
        <span className="hint">
          {t(`documents.waiting_${reasonOf(waiting.reason)}`)}{' '}
          {t('documents.waiting_next', {
            since: moment(waiting.since),
            next: moment(waiting.next_attempt_at),
          })}
        </span>
      )}
    </>
  );
}

/** Returns a reason for a wait that has its own text; `transient_error` for all other reasons. */
function reasonOf(reason: string): 'rate_limit' | 'service_unavailable' | 'transient_error' {
  return reason === 'rate_limit' || reason === 'service_unavailable' ? reason : 'transient_error';
}
