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
import { Avatar } from '../../kit/avatar.tsx';
import { Row, Stack } from '../../kit/box.tsx';
import { Text } from '../../kit/text.tsx';
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
      <h2 id="happened">{t('jobs.happened')}</h2>
      <ol className="bare">
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
      {isMember ? (
        <Avatar name={event.who} />
      ) : (
        <Text tone={toneOf(event)} aria-hidden>
          <span className={styles.icon}>
            <Icon size={15} />
          </span>
        </Text>
      )}
      <Stack gap={1}>
        <Row justify="space-between">
          <b>{useEventTitle(event)}</b>
          <EventTime event={event} />
        </Row>
        <EventBody event={event} job={job} />
      </Stack>
    </li>
  );
}

/** The tone of an event's icon. The icons differ, too. */
function toneOf(event: TimelineEvent): 'ok' | 'warn' | 'crit' | undefined {
  if (event.kind === 'published') return 'ok';
  if (event.kind === 'held' || event.kind === 'failed' || event.kind === 'unpublished') return 'crit';
  if (event.kind === 'checked' && event.threshold !== undefined && event.score < event.threshold)
    return 'warn';
  return event.kind === 'verified' && !event.isPassed ? 'warn' : undefined;
}

function EventTime({ event: { at, ms } }: { event: TimelineEvent }) {
  const { moment, duration } = useFormat();
  if (at)
    return (
      <Text as="time" size="xs" tone="faint" dateTime={at}>
        {moment(at)}
      </Text>
    );
  if (ms === undefined || ms < 50) return null;
  return (
    <Text size="xs" tone="faint">
      {duration(ms)}
    </Text>
  );
}
