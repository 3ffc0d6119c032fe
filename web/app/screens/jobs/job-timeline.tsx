import {
  Check,
  Gauge,
  Languages,
  Library,
  LoaderCircle,
  type LucideIcon,
  PencilLine,
  Repeat2,
  RotateCcw,
  ShieldAlert,
  ShieldCheck,
  TriangleAlert,
  Upload,
  X,
} from 'lucide-react';
import type { TranslationJob } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import styles from './job.module.css';
import { type TimelineEvent, timelineOf } from './timeline.ts';
import { EventBody, useEventTitle } from './timeline-events.tsx';

/** The icon of each kind of event. */
const icons: Record<TimelineEvent['kind'], LucideIcon> = {
  submitted: Upload,
  served: Library,
  translated: Languages,
  checked: Gauge,
  repaired: Repeat2,
  verified: ShieldCheck,
  held: ShieldAlert,
  saved: PencilLine,
  approved: Check,
  edited: PencilLine,
  rejected: X,
  reopened: RotateCcw,
  published: Check,
  unpublished: TriangleAlert,
  failed: TriangleAlert,
  running: LoaderCircle,
};

/** The events of a job, in words. */
export function JobTimeline({ job }: { job: TranslationJob }) {
  const t = useT();
  return (
    <section aria-labelledby="happened">
      <h2 id="happened" className={styles.heading}>
        {t('jobs.happened')}
      </h2>
      <ol className={styles.timeline}>
        {timelineOf(job).map((event, place) => (
          // The events of a job are only appended.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <Event key={place} event={event} job={job} />
        ))}
      </ol>
    </section>
  );
}

function Event({ event, job }: { event: TimelineEvent; job: TranslationJob }) {
  const Icon = icons[event.kind];
  const isMember = 'who' in event;
  return (
    <li className={styles.event}>
      <span className={styles.icon} data-tone={toneOf(event)} aria-hidden>
        {isMember ? [...event.who][0]?.toUpperCase() : <Icon size={15} />}
      </span>
      <div>
        <p className={styles.title}>
          <b>{useEventTitle(event)}</b>
          <EventTime event={event} />
        </p>
        <EventBody event={event} job={job} />
      </div>
    </li>
  );
}

/** The tone of an event's icon. The icons differ, too. */
function toneOf(event: TimelineEvent): 'good' | 'warning' | 'critical' | 'member' | undefined {
  if ('who' in event) return 'member';
  if (event.kind === 'published') return 'good';
  if (event.kind === 'held' || event.kind === 'failed' || event.kind === 'unpublished') return 'critical';
  if (event.kind === 'checked' && event.threshold !== undefined && event.score < event.threshold)
    return 'warning';
  return event.kind === 'verified' && !event.isPassed ? 'warning' : undefined;
}

function EventTime({ event: { at, ms } }: { event: TimelineEvent }) {
  const { moment, duration } = useFormat();
  if (at)
    return (
      <time dateTime={at} className={styles.time}>
        {moment(at)}
      </time>
    );
  if (ms === undefined || ms < 50) return null;
  return <span className={styles.time}>{duration(ms)}</span>;
}
