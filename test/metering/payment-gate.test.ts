import { expect, test } from 'vitest';
import {
  type BillableRequest,
  type PaymentState,
  refuseByPayment,
} from '#server/billing/metering/entitlement.ts';

const day = 86_400_000;
const now = Date.UTC(2026, 4, 1);
const text: BillableRequest = { kind: 'text', credential: 'session', chars: 100 };
const trial = { granted: 1000, endsAt: now + day, used: 0, inFlight: 0 };

const subscribe = '; subscribe at /billing';
const required = `subscription required${subscribe}`;
const lapsed = 'subscription is not current; update the payment method at /billing';
const workspaceOnly =
  'the free trial covers the workspace only - API access requires an active subscription; subscribe at /billing';

type Case = [
  rule: string,
  state: PaymentState['subscription'],
  trial: Partial<PaymentState['trial']>,
  request: Partial<BillableRequest>,
  refusal: string | null,
];

/** A 7.4, A 8.3, C 3, C 7. If several reasons apply, the first one in this list counts. */
const cases: Case[] = [
  ['a current subscription', 'current', { granted: 0 }, {}, null],
  [
    'it lifts the trial’s distinctions',
    'current',
    { used: 1000, endsAt: 0 },
    { credential: 'api_key', kind: 'document' },
    null,
  ],
  ['a lapsed one', 'lapsed', { granted: 0 }, {}, lapsed],
  ['a lapsed one goes before what is left of a trial', 'lapsed', {}, {}, lapsed],
  ['none, and no grant', 'none', { granted: 0 }, {}, required],
  ['ended, and no grant', 'ended', { granted: 0 }, {}, required],
  ['an API key on a trial', 'none', {}, { credential: 'api_key' }, workspaceOnly],
  [
    'an API key on a trial, for a document too',
    'none',
    {},
    { credential: 'api_key', kind: 'document' },
    workspaceOnly,
  ],
  ['a document on a trial', 'none', {}, { kind: 'document' }, required],
  ['a trial in time and characters', 'none', {}, {}, null],
  ['an ended subscription falls back to its trial', 'ended', {}, {}, null],
  ['the last moment', 'none', { endsAt: now + 1 }, {}, null],
  ['its end', 'none', { endsAt: now }, {}, `free trial ended${subscribe}`],
  [
    'its end goes before its last character',
    'none',
    { endsAt: now, used: 1000 },
    {},
    `free trial ended${subscribe}`,
  ],
  ['used up', 'none', { used: 1000 }, {}, `free trial used up${subscribe}`],
  ['overdrawn', 'none', { used: 1001 }, { chars: 0 }, `free trial used up${subscribe}`],
  ['exactly what is left', 'none', { used: 900 }, {}, null],
  ['one more', 'none', { used: 901 }, {}, `free trial has too few characters left${subscribe}`],
  [
    'what is in flight is not left',
    'none',
    { used: 850, inFlight: 51 },
    {},
    `free trial has too few characters left${subscribe}`,
  ],
  [
    'all in flight is not used up',
    'none',
    { inFlight: 1000 },
    {},
    `free trial has too few characters left${subscribe}`,
  ],
];

test.each(cases)('%s', (_rule, subscription, left, asked, refusal) => {
  const state = { subscription, trial: { ...trial, ...left } };
  expect(refuseByPayment(state, { ...text, ...asked }, now)).toBe(refusal);
});
