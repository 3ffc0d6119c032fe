import { afterEach, beforeEach, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { holdRuns } from '#test/setup/held-runs.ts';
import { base, type Customer, expectOverLimit, provision, text } from '../billing/customers.ts';

const runs = holdRuns();
const app = useTestApp({ env: { ...base, DENSE_SCRIPT_WEIGHT: '1.1' }, engine: runs.engine });
afterEach(() => runs.release());

let mine: Customer;
beforeEach(async () => {
  mine = await provision(app, { monthly_char_limit: 110 });
});

test('the weight is a setting, and counts if either language is dense, in any case of its code', async () => {
  expect((await mine.translate(text(10), { source_lang: 'EN', target_lang: 'ZH-HANS' })).status).toBe(200);
  expect((await mine.translate(text(10), { source_lang: 'JA', target_lang: 'Fr' })).status).toBe(200);
  expect((await mine.translate(text(10))).status).toBe(200);
  expect(await mine.billed()).toBe(11 + 11 + 10);
});

test('a batch is weighed by the languages of each item, each rounded up', async () => {
  const batch = {
    inputs: [
      { Text: text(1), Targets: [{ Language: 'ja' }, { Language: 'fr' }, { Language: 'ko' }] },
      { Text: text(3), Language: 'th', Targets: [{ Language: 'de' }] },
    ],
  };
  const weight = 2 + 1 + 2 + 4;
  expectOverLimit(await (await provision(app, { monthly_char_limit: weight - 1 })).submit(batch));
  const enough = await provision(app, { monthly_char_limit: weight });
  expect((await enough.submit(batch)).status).toBe(200);
  expect(await enough.billed()).toBe(weight);
});

test('admission and reservation are by weight', async () => {
  expectOverLimit(await mine.translate(text(101), { target_lang: 'ja' }));
  const answer = mine.translate(text(50, 'held'), { target_lang: 'ja' });
  const run = await runs.next();
  expect((await mine.billing()).allowance).toMatchObject({ used: 0, reserved: 55, remaining: 55 });
  expectOverLimit(await mine.translate(text(51), { source_lang: 'ko' }));
  run.succeed();
  expect((await answer).status).toBe(200);
  expect((await mine.billing()).allowance).toMatchObject({ used: 55, reserved: 0, remaining: 55 });
});

test('markup counts as source text', async () => {
  const source_text = `<p class="x">${text(20)}</p>`;
  expect((await mine.translate(source_text, { text_type: 'Html' })).status).toBe(200);
  expect(await mine.billed()).toBe(source_text.length);
});
