import { expect, onTestFinished, test } from 'vitest';
import type { Log } from '#server/platform/log.ts';
import { fail } from '#test/fakes/stripe.ts';
import { ask, eventOf, subscriptionEvent, topUpEvent, useBillingApp, webhookSecret } from './billing-app.ts';

const billing = useBillingApp();

/** Records everything that is logged until the end of the test, as JSON. */
function recordLog(): string[] {
  const lines: string[] = [];
  const { services } = billing.app;
  const { log } = services;
  const write = (fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, message }));
  const recording: Log = { debug: write, info: write, warn: write, error: write };
  services.log = recording;
  onTestFinished(() => {
    services.log = log;
  });
  return lines;
}

test('events are logged by their ids, never by their content', async () => {
  const { tenantId } = await billing.app.signUp();
  const lines = recordLog();
  const personal = {
    customer_details: { email: 'ada@example.org', name: 'Ada Lovelace' },
    amount_total: 4242,
  };
  const events = [
    topUpEvent(tenantId, personal),
    topUpEvent('nobody-of-ours', { ...personal, metadata: {} }),
    topUpEvent('nobody-of-ours', personal),
    subscriptionEvent('created', tenantId, { id: 'sub_1', ...personal }),
    eventOf('invoice.payment_failed', { id: 'in_1', ...personal }),
    eventOf('customer.updated', { id: 'cus_1', ...personal }),
  ];
  for (const event of events) await billing.deliver(event);
  const all = lines.join('\n');
  for (const { id } of events) expect(all).toContain(id);
  expect(all).toContain('unknown tenant');
  expect(all).toContain('skipped: no topup_chars');
  for (const secret of ['ada@example.org', 'Lovelace', '4242', webhookSecret])
    expect(all).not.toContain(secret);
});

test('a rejection by the processor is logged by its code, without the key', async () => {
  const founder = await billing.app.signUp();
  const lines = recordLog();
  billing.stripe.enqueue(fail(401, { code: 'api_key_expired' }));
  await ask(billing, 'checkout', founder, { tier: 'pro' });
  const all = lines.join('\n');
  expect(all).toContain('api_key_expired');
  expect(all).toContain('req_fake');
  expect(all).not.toContain(billing.stripe.secretKey);
  // A log message could quote a part of the response.
  expect(all).not.toContain('the fake answers');
});

test('an effect that could not be stored is logged, without the statement’s values', async () => {
  const { tenantId } = await billing.app.signUp();
  await billing.sql.unsafe(`
    create function no_room() returns trigger language plpgsql as $$
    begin raise exception 'no room for %', new using errcode = 'disk_full'; end $$;
    create trigger closed before insert on payment_events for each row execute function no_room()`);
  onTestFinished(() => void billing.sql.unsafe('drop trigger closed on payment_events'));
  const lines = recordLog();
  const event = topUpEvent(tenantId);
  expect((await billing.deliver(event)).status).toBe(500);
  const all = lines.join('\n');
  expect(all).toContain('53100');
  expect(all).not.toContain(event.id);
});
