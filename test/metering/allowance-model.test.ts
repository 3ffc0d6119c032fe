import { afterEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { holdRuns } from '#test/setup/held-runs.ts';
import { type Customer, expectOverLimit, provision, text } from '../billing/customers.ts';
import {
  deliverAll,
  nextSecond,
  paid,
  subscribed,
  subscriptionEvent,
  toppedUp,
} from '../billing/payments.ts';

const CEILING = 6000;
const LIMIT = 1000;
const runs = holdRuns();
const app = useTestApp({ env: { ...paid(), MONTHLY_CHAR_CEILING: String(CEILING) }, engine: runs.engine });
afterEach(() => runs.release());

/** The inputs of A 8.2 rules 2 to 4, computed independently of the service. */
interface Ledger {
  window: number;
  month: number;
  bought: number;
  spent: number;
  spentInWindow: number;
}

function roomOf({ window, month, bought, spent, spentInWindow }: Ledger): number {
  const prepaid = Math.min(bought - spent + spentInWindow, Math.max(0, CEILING - LIMIT));
  return Math.min(LIMIT + prepaid - window, CEILING - month);
}

function record(ledger: Ledger, weight: number): void {
  const beyond = Math.max(0, ledger.window + weight - LIMIT) - Math.max(0, ledger.window - LIMIT);
  ledger.window += weight;
  ledger.month += weight;
  ledger.spent += beyond;
  ledger.spentInWindow += beyond;
}

/** Numbers from 0 up to 1, the same for the same seed. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const weightOf = (length: number, dense: boolean) => (dense ? Math.ceil(length * 3.5) : length);

async function live(mine: Customer, steps: number, seed: number): Promise<void> {
  const random = numbers(seed);
  const below = (count: number) => Math.floor(random() * count);
  const ledger: Ledger = { window: 0, month: 0, bought: 0, spent: 0, spentInWindow: 0 };
  let subscription = 0;
  const id = () => `sub_${subscription}_${mine.tenantId}`;
  await deliverAll(app, subscribed(mine.tenantId, id()));
  const told: string[] = [];

  /** One text or batch, expected to be admitted if the allowance suffices; `fails` if its first run is to fail. */
  const submit = async (lengths: number[], dense: boolean, fails: boolean) => {
    const weight = lengths.reduce((sum, length) => sum + weightOf(length, dense), 0);
    const fits = weight <= roomOf(ledger);
    const Targets = [{ Language: dense ? 'ja' : 'fr' }];
    const inputs = lengths.map((length) => ({ Text: text(length, fails ? 'held' : ''), Targets }));
    const answer = mine.submit({ inputs });
    if (!fits) return void expectOverLimit(await answer);
    if (!fails) {
      expect((await answer).status).toBe(200);
      for (const length of lengths) record(ledger, weightOf(length, dense));
      return;
    }
    const run = await runs.next();
    expect((await mine.billing()).allowance).toMatchObject({
      reserved: weight,
      remaining: roomOf(ledger) - weight,
    });
    run.fail(new Error('as told'));
    expect((await answer).status).toBeGreaterThanOrEqual(500);
  };

  for (let step = 0; step < steps; step++) {
    const kind = random();
    const length = 41 + below(500);
    told.push(`${step}: ${kind.toFixed(2)} ${length} room ${roomOf(ledger)}`);
    if (kind < 0.35) await submit([length], false, false);
    else if (kind < 0.5) await submit([length], true, false);
    // To the character.
    else if (kind < 0.6) await submit([roomOf(ledger) + 1], false, false);
    else if (kind < 0.65 && roomOf(ledger) > 0) await submit([roomOf(ledger)], false, false);
    else if (kind < 0.8) await submit([length, 41 + below(300)], random() < 0.5, false);
    else if (kind < 0.87) await submit([length, 41 + below(100)], random() < 0.5, true);
    else if (kind < 0.93) {
      const chars = 1 + below(900);
      await deliverAll(app, toppedUp(mine.tenantId, chars));
      ledger.bought += chars;
    } else if (kind < 0.97) {
      await nextSecond();
      await deliverAll(app, subscriptionEvent('deleted', { tenantId: mine.tenantId, id: id() }));
      subscription += 1;
      await deliverAll(app, subscribed(mine.tenantId, id()));
      Object.assign(ledger, { window: 0, spentInWindow: 0 });
    } else {
      await mine.moveUsageBack(1 + step);
      Object.assign(ledger, { window: 0, spentInWindow: 0, month: 0 });
    }
    const { allowance, topup, billable_chars } = await mine.billing();
    const { bought, spent, window, month } = ledger;
    expect({ allowance, topup, billable_chars }, told.join('\n')).toMatchObject({
      allowance: { used: window, reserved: 0, remaining: roomOf(ledger) },
      topup: { purchased: bought, used: spent, balance: bought - spent },
      billable_chars: month,
    });
  }
}

describe('A 8.2 rules 1 to 4: after any history the remaining allowance follows the rules', () => {
  test.each([1, 2])('40 steps of history %i', async (seed) => {
    const mine = await provision(app, { monthly_char_limit: LIMIT });
    await live(mine, 40, seed * 7919);
  });
});
