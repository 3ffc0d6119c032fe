import { AlarmClock, CalendarDays, Clock } from 'lucide-react';
import { useInterface, useT } from '../i18n.tsx';
import { Row } from '../kit/box.tsx';
import { Badge, Text } from '../kit/text.tsx';
import { useFormat } from '../parts/format.ts';

export type DueState = 'overdue' | 'today' | 'later' | 'none';

/** Whether a due date is over, today, or later, by the local clock. @param due ISO 8601; null without one */
export function dueState(due: string | null, now = new Date()): DueState {
  if (due === null) return 'none';
  const at = new Date(due);
  if (at <= now) return 'overdue';
  return at.toDateString() === now.toDateString() ? 'today' : 'later';
}

/** A due date in local time: `Yesterday, 18:00`, `14:00` for today, `Fri, Nov 27, 17:00`. Overdue: a filled pill. */
export function Due({ at }: { at: string | null }) {
  const t = useT();
  const words = useDueWords();
  const { moment } = useFormat();
  const state = dueState(at);
  const Icon = state === 'overdue' ? AlarmClock : state === 'none' ? CalendarDays : Clock;
  const shown = (
    <>
      <Icon size={14} aria-hidden />
      {at === null ? (
        t('assignments.no_date')
      ) : (
        <>
          <span className="visually-hidden">
            {t(state === 'overdue' ? 'assignments.overdue' : 'assignments.due')}
          </span>
          <time dateTime={at} title={moment(at)}>
            {words(at)}
          </time>
        </>
      )}
    </>
  );
  if (state === 'overdue') return <Badge tone="waits">{shown}</Badge>;
  return (
    <Text
      size="sm"
      tone={state === 'today' ? undefined : 'soft'}
      {...(state === 'today' && { weight: 'bold' })}
    >
      <Row as="span" isTight gap={1}>
        {shown}
      </Row>
    </Text>
  );
}

/** Returns a function that names a time relative to today, if it is at most a day away. */
export function useDueWords(): (iso: string) => string {
  const { locale } = useInterface();
  return (iso) => {
    const at = new Date(iso);
    const midnight = (time: Date) => new Date(time.getFullYear(), time.getMonth(), time.getDate()).getTime();
    const days = Math.round((midnight(at) - midnight(new Date())) / 86_400_000);
    const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short' }).format(at);
    if (Math.abs(days) <= 1) {
      const day = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(days, 'day');
      return `${day.replace(/^\p{Ll}/u, (letter) => letter.toLocaleUpperCase(locale))}, ${time}`;
    }
    const isNear = Math.abs(days) < 180;
    return new Intl.DateTimeFormat(locale, {
      ...(isNear ? { weekday: 'short' } : { year: 'numeric' }),
      ...{ month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' },
    }).format(at);
  };
}

/** A time as the value of a field for a local date and time. @param iso ISO 8601; null for no time */
export function toLocal(iso: string | null): string {
  if (iso === null) return '';
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The limits of the service for due dates. They also keep a year at four digits. */
export const dueLimits = { min: '2000-01-02T00:00', max: '2199-12-30T23:59' };

/** Returns the time of a field for a local date and time in ISO 8601; null for an empty field and an impossible time. */
export function fromLocal(local: string): string | null {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}
