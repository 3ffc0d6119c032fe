import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import { documentStatuses, type KnownDocumentStatus, type Progress } from './search.ts';
import { isInFlight } from './use-progress.ts';

/** A document's status in words, with how far it is while the service works at it. */
export function DocumentStatus({
  status: known,
  approvedAt,
  progress,
}: {
  status: string;
  approvedAt: string | null;
  progress: Progress | undefined;
}) {
  const t = useT();
  const { number } = useFormat();
  const status = progress?.status ?? known;
  const isKnown = (documentStatuses as readonly string[]).includes(status);
  if (approvedAt) return <span className="badge good">{t('documents.approved')}</span>;
  return (
    <>
      <span className={status === 'failed' ? 'badge bad' : 'badge'}>
        {isKnown ? t(`documents.status_${status as KnownDocumentStatus}`) : status}
      </span>
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
    </>
  );
}
