import { useT } from '../i18n.tsx';

/** The statuses of a text job, in order. */
export const jobStatuses = [
  'pending',
  'translated',
  'refined',
  'awaiting_review',
  'approved',
  'published',
  'human_edited',
  'rejected',
  'failed',
  'persistence_failed',
] as const;

export type KnownJobStatus = (typeof jobStatuses)[number];

const badges: Partial<Record<string, string>> = {
  published: 'badge good',
  human_edited: 'badge good',
  awaiting_review: 'badge waits',
  failed: 'badge bad',
  persistence_failed: 'badge bad',
  rejected: 'badge bad',
};

/** The label of a status. For an unknown status, the name in the API is shown. */
export function JobStatus({ status }: { status: string }) {
  const t = useT();
  const isKnown = (jobStatuses as readonly string[]).includes(status);
  return (
    <span className={badges[status] ?? 'badge'}>
      {isKnown ? t(`jobs.status_${status as KnownJobStatus}`) : status}
    </span>
  );
}

/** Whether a job's translation may be downloaded. */
export function isDownloadable(status: string): boolean {
  return status === 'published' || status === 'human_edited';
}

/** Whether the service is still processing a job, so that its status changes automatically. */
export function isUnderWay(status: string): boolean {
  return status === 'pending' || status === 'translated' || status === 'approved';
}
