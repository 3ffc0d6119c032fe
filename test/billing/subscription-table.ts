import type { PaymentEvent } from '#server/platform/payments/payment-event.ts';
import type { Tier } from '#server/platform/payments/tiers.ts';

/**
 * A 3.1's table as data, to be read against the text line by line. It is written from the specification, not from the
 * code. Each event updates what is known of its own subscription (`table`); one of the known subscriptions is
 * recorded (`preferences`).
 *
 * What A 3.1 and A 6 leave open is settled so: of one subscription the newest created / updated counts (of two as old as
 * each other the later to arrive), a session yields to a newer one of them, and an end is final whenever it comes. A lapsed
 * subscription does not displace a current one, against the letter of row 2: a tenant that pays must not be locked out.
 */

/** A 3.1 "Values seen". */
export const lapsedStatuses = ['past_due', 'unpaid', 'incomplete', 'paused'] as const;
export const endedStatuses = ['canceled', 'incomplete_expired'] as const;
/** C 2 "Subscription-current statuses". */
export const currentStatuses = ['active', 'trialing'] as const;
export const liveStatuses = [...currentStatuses, ...lapsedStatuses] as const;
export const statuses = [...liveStatuses, ...endedStatuses] as const;

export const isEnded = (status: string | null) => endedStatuses.some((ended) => ended === status);
export const isCurrent = (status: string | null) => currentStatuses.some((current) => current === status);
/** "Lapsed but still live at the processor" and current: what is recorded and has not ended. */
export const isLive = (status: string | null) => status !== null && !isEnded(status);

/** What is known of one subscription from the events so far. */
export interface Known {
  /** null: its session did not name it. */
  id: string | null;
  status: string;
  /** Creation time of its newest event, a session's included. */
  toldAt: string;
  /** Creation time of its newest created / updated / deleted. */
  eventAt: string | null;
  tier: Tier | null;
  windowFrom: string | null;
}

export interface Moment {
  event: PaymentEvent;
  /** What is known of the subscription that the event is about; undefined before its first event. */
  known: Known | undefined;
  recorded: Known | undefined;
}

/** The next state of the event's subscription. 'kept': its status stays, the event's tier and its time count. */
export type Next = 'active' | 'carried' | 'canceled' | 'kept' | 'unchanged';

export interface Row {
  rule: string;
  kinds: readonly PaymentEvent['kind'][];
  when: (moment: Moment) => boolean;
  /** Every outcome that is allowed. */
  next: readonly Next[];
}

const carriedBy = ({ event }: Moment) => ('status' in event ? event.status : null);
const hasEnded = ({ known }: Moment) => known !== undefined && isEnded(known.status);
const ownEventIsNewer = ({ event, known }: Moment) => event.createdAt < (known?.eventAt ?? '');
const namesNone = ({ event }: Moment) => event.kind !== 'topup_paid' && event.subscriptionId === null;

const changed = ['subscription_changed'] as const;
const session = ['subscription_session'] as const;
const deleted = ['subscription_deleted'] as const;

/** The first row that fits decides. */
export const table: readonly Row[] = [
  {
    rule: 'A session of mode payment never writes the subscription status or id',
    kinds: ['topup_paid'],
    when: () => true,
    next: ['unchanged'],
  },
  {
    rule: '(settled) session completed without an id | the recorded subscription has ended | unchanged',
    kinds: session,
    when: (moment) => namesNone(moment) && isEnded(moment.recorded?.status ?? null),
    next: ['unchanged'],
  },
  {
    rule: 'canceled / incomplete_expired | late created/updated/completed event for the same id | always | unchanged',
    kinds: [...changed, ...session],
    when: hasEnded,
    next: ['unchanged'],
  },
  {
    rule: '(settled) session completed | a newer own event has applied, past incomplete | unchanged',
    kinds: session,
    when: (moment) => ownEventIsNewer(moment) && moment.known?.status !== 'incomplete',
    next: ['unchanged'],
  },
  {
    rule: 'any | session completed, mode subscription | subscription not already recorded as ended | active',
    kinds: session,
    when: () => true,
    next: ['active'],
  },
  {
    rule: '(settled) created / updated | carries an end, however old | status carried',
    kinds: changed,
    when: (moment) => isEnded(carriedBy(moment)),
    next: ['carried'],
  },
  {
    rule: 'any | created / updated | older than the newest applied of its id | unchanged',
    kinds: changed,
    when: ownEventIsNewer,
    next: ['unchanged'],
  },
  {
    rule: 'any | created / updated | incomplete, and its id is past incomplete | status unchanged',
    kinds: changed,
    when: (moment) =>
      carriedBy(moment) === 'incomplete' && (moment.known?.status ?? 'incomplete') !== 'incomplete',
    next: ['kept'],
  },
  {
    rule: 'any | created / updated | not older than the newest applied; id not recorded as ended | status carried',
    kinds: changed,
    when: () => true,
    next: ['carried'],
  },
  {
    rule: '(open) deleted | has ended already',
    kinds: deleted,
    when: hasEnded,
    next: ['canceled', 'unchanged'],
  },
  {
    rule: 'any | deleted | canceled, final for that id',
    kinds: deleted,
    when: () => true,
    next: ['canceled'],
  },
];

export function rowFor(moment: Moment): Row {
  const row = table.find(({ kinds, when }) => kinds.includes(moment.event.kind) && when(moment));
  if (!row) throw new Error(`no row for ${moment.event.kind}`);
  return row;
}

/** Which subscription is recorded: the first of these that only one of two fulfils decides between them. */
export const preferences: readonly { rule: string; holds: (known: Known) => boolean }[] = [
  { rule: 'a current one before one that is not', holds: ({ status }) => isCurrent(status) },
  { rule: 'a live one before an ended one (row 3)', holds: ({ status }) => isLive(status) },
  { rule: 'incomplete behind other live ones', holds: ({ status }) => status !== 'incomplete' },
];
