import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Tx } from '#db/client.ts';
import { usageTotals } from '#db/schema/metering.ts';
import { tenants } from '#db/schema/tenants.ts';
import {
  checkEntitlement,
  readBilledTenant,
  recordFailedRun,
  secondsPerFailedRun,
} from '#server/billing/metering/entitlement.ts';
import { newId } from '#server/platform/ids.ts';
import { readSettings } from '#server/settings.ts';
import { admitJob } from '#server/texts/insert-jobs.ts';
import { translationRequest } from '#server/texts/schema.ts';
import { useTestApp } from '#test/setup/app.ts';

const app = useTestApp();
const request = translationRequest.parse({ source_text: 'x', target_lang: 'fr' });

/** The state of a tenant. The numbers are small, so that limits are often met exactly. */
const small = fc.integer({ min: 0, max: 20 });
const state = fc.record({
  limit: fc.integer({ min: 1, max: 40 }),
  ceiling: fc.integer({ min: 10, max: 50 }),
  /** The characters of the new work. At least 1, because an empty text is a 400 before admission. */
  chars: fc.integer({ min: 1, max: 10 }),
  pending: fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 3 }),
  billing: fc.boolean(),
  status: fc.constantFrom('active', 'trialing', null, 'canceled'),
  granted: fc.integer({ min: 1, max: 20 }),
  purchased: small,
  drawn: fc.integer({ min: 0, max: 5 }),
  /** The characters that were used: in the window, in this month before the window, and last month. */
  window: small,
  earlier: fc.integer({ min: 0, max: 6 }),
  lastMonth: fc.integer({ min: 0, max: 8 }),
  onTrial: fc.integer({ min: 0, max: 8 }),
  /**
   * The number of failed runs that are allowed in an hour, and the number that have occurred. `failed` is null if no
   * run has ever failed.
   */
  mostFailed: fc.integer({ min: 0, max: 4 }),
  failed: fc.option(fc.integer({ min: 0, max: 4 }), { freq: 2 }),
  /**
   * The tokens that are allowed per day and that were spent, in thousands. `yesterday`: they were spent on the previous
   * day.
   */
  mostTokens: fc.integer({ min: 0, max: 30 }),
  spent: fc.integer({ min: 0, max: 30 }),
  yesterday: fc.boolean(),
});
type State = typeof state extends fc.Arbitrary<infer S> ? S : never;

const from = '2026-01-15T12:00:00.000Z';

async function lay(tx: Tx, tenantId: string, given: State): Promise<void> {
  const metadata = {
    ...(given.status && { pay_subscription_status: given.status }),
    trial_chars_granted: given.granted,
    topup_chars_purchased: given.purchased,
    topup_chars_used: given.drawn,
    pay_allowance_from: from,
  };
  await tx.insert(tenants).values({
    tenantId,
    name: 'x',
    apiKeyPrefix: '',
    monthlyCharLimit: given.limit,
    metadata,
    createdAt: new Date(Date.now() - 40 * 86_400_000),
  });
  const share = secondsPerFailedRun(readSettings({ WORKSPACE_LIMITS: limitsOf(given) })) ?? 3600;
  for (let n = 0; n < (given.failed ?? 0); n++) await recordFailedRun(tx, tenantId, share);
  const today = sql`(now() at time zone 'UTC')::date`;
  const last = sql`date_trunc('month', now() at time zone 'UTC')::date - 1`;
  const { window, drawn: topupChars, onTrial: trialChars } = given;
  await tx.insert(usageTotals).values([
    { tenantId, day: today, allowanceWindow: from, slot: 0, billableChars: window, topupChars, trialChars },
    { tenantId, day: today, allowanceWindow: '', slot: 3, billableChars: given.earlier, topupChars: 2 },
    { tenantId, day: last, allowanceWindow: from, slot: 0, billableChars: given.lastMonth, trialChars },
  ] as never);
  await tx.execute(sql`insert into token_spending (tenant_id, day, tokens)
    values (${tenantId}, ${today} - ${given.yesterday ? 1 : 0}::int, ${1000 * given.spent})`);
  for (const chars of given.pending)
    await tx.execute(sql`
      insert into translation_jobs (tenant_id, job_id, status, request, agent_run, reserved_chars)
      values (${tenantId}, ${newId()}, 'pending', '{}', '{}', ${chars})`);
}

function limitsOf(given: State): string {
  return JSON.stringify({
    failed_runs_per_hour: given.mostFailed,
    tokens_per_day: 1000 * given.mostTokens,
  });
}

test('the database admits the same as the pure functions, in 1,000 random states', async () => {
  let admitted = 0;
  let refused = 0;
  let overFailed = 0;
  let overSpent = 0;
  await fc.assert(
    fc.asyncProperty(state, async (given) => {
      const tenantId = newId();
      const settings = readSettings({
        BILLING_ENABLED: String(given.billing),
        MONTHLY_CHAR_CEILING: String(given.ceiling),
        TRIAL_DAYS: '90',
        WORKSPACE_LIMITS: limitsOf(given),
        OPENAI_API_KEY: 'sk-test',
      });
      await app.database.inTenant(tenantId, async (tx) => {
        await lay(tx, tenantId, given);
        const asked = { kind: 'text', credential: 'session', chars: given.chars } as const;
        let admission: ReturnType<typeof checkEntitlement>;
        try {
          admission = checkEntitlement(settings, await readBilledTenant(tx, settings), asked, []);
        } catch {
          refused += 1;
          return;
        }
        const job = {
          tenantId,
          jobId: newId(),
          request,
          requestFingerprint: null,
          warnings: [],
          reservedChars: given.chars,
          queued: false,
        };
        const [counted] = await admitJob(tx, job, admission.limits);
        const spent = given.yesterday ? 0 : 1000 * given.spent;
        // A pending document whose size is not known yet has 0 characters, and is expected to cost nothing.
        const expected = given.pending.reduce((sum, chars) => sum + 3 * chars + (chars > 0 ? 4000 : 0), 0);
        const isLimited = given.mostTokens > 0;
        expect(counted?.usage).toEqual({
          tokensSpent: isLimited ? spent : null,
          tokensExpected: isLimited ? expected : null,
          monthlyLimit: given.limit,
          monthUsed: given.window + given.earlier,
          windowUsed: given.window,
          inFlight: given.pending.reduce((sum, chars) => sum + chars, 0),
          topUp: Math.max(given.purchased, 0),
          trialUsed: admission.onTrial ? 2 * given.onTrial : expect.any(Number),
          failedFor: given.failed ? expect.any(Number) : null,
        });
        const refusal = counted && admission.refusal(counted.usage);
        expect(counted?.admitted === null).toBe(refusal !== null);
        // All failures have the same time: the allowed number of failures exhausts the limit, and one less does not.
        const failedTooOften = given.mostFailed > 0 && (given.failed ?? 0) >= given.mostFailed;
        expect(refusal !== null || !failedTooOften).toBe(true);
        if (refusal?.code === 'rate_limit') {
          expect(failedTooOften).toBe(true);
          expect(refusal.retryAfter).toBeGreaterThan(0);
          overFailed += 1;
        }
        const isOverSpent = isLimited && spent + expected >= 1000 * given.mostTokens;
        expect(refusal !== null || !isOverSpent).toBe(true);
        if (refusal?.code === 'too_many_requests' && refusal.retryAfter !== undefined) {
          expect(isOverSpent).toBe(true);
          if (spent >= 1000 * given.mostTokens) expect(refusal.message).toContain('00:00 UTC');
          else expect(refusal.retryAfter).toBe(10);
          overSpent += 1;
        }
        if (refusal) refused += 1;
        else admitted += 1;
      });
    }),
    { numRuns: 1000 },
  );
  // Both results must occur often, so that their agreement proves something.
  expect(admitted).toBeGreaterThan(50);
  expect(refused).toBeGreaterThan(50);
  expect(overFailed).toBeGreaterThan(5);
  expect(overSpent).toBeGreaterThan(10);
}, 60_000);
