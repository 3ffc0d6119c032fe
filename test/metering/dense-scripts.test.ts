import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { holdRuns } from '#test/setup/held-runs.ts';
import { base, type Customer, expectOverLimit, operator, provision, text } from '../billing/customers.ts';

const runs = holdRuns();
const app = useTestApp({ env: base, engine: runs.engine });
afterEach(() => runs.release());
const odd = useTestApp({ env: { ...base, DENSE_SCRIPT_WEIGHT: '1.1' } });
const even = useTestApp({ env: { ...base, DENSE_SCRIPT_WEIGHT: '1' } });

const dense = ['zh-Hans', 'zh-Hant', 'ja', 'ko', 'th', 'hi', 'mr', 'ne'];
const others =
  'en es fr fr-CA de it pt-BR pt-PT nl ar ru tr vi id pl uk cs ro hu el sv da nb fi ms fa ur'.split(' ');

let mine: Customer;
beforeEach(async () => {
  mine = await provision(app);
});

/** The billed weight of a job of `length` characters. */
async function weight(length: number, source_lang: string, target_lang: string, by = mine): Promise<number> {
  const before = await by.billed();
  const { status, body } = await by.translate(text(length), { source_lang, target_lang });
  expect(status, JSON.stringify(body)).toBe(200);
  return (await by.billed()) - before;
}

describe('A 8.1: every source character counts 3.5 when either side is dense', () => {
  test.each(dense)('%s, on the target’s side, on the source’s, and on both once', async (lang) => {
    expect(await weight(20, 'en', lang)).toBe(70);
    expect(await weight(20, lang, 'en')).toBe(70);
    const another = dense.find((one) => one !== lang)!;
    expect(await weight(20, lang, another)).toBe(70);
  });

  test.each(others)('%s counts 1:1', async (lang) => {
    expect(await weight(20, lang, lang === 'en' ? 'fr' : 'en')).toBe(20);
  });

  test('B 2.4: whatever the case of the code', async () => {
    expect(await weight(20, 'EN', 'ZH-HANS')).toBe(70);
    expect(await weight(20, 'JA', 'Fr')).toBe(70);
  });
});

describe('A 8.1 and C 7: counting', () => {
  test.each([
    [1, 4],
    [2, 7],
    [3, 11],
    [4, 14],
    [31, 109],
  ])('%i characters weigh %i: rounded up, once per job', async (length, billed) => {
    expect(await weight(length, 'en', 'ja')).toBe(billed);
  });

  test('the factor is a setting of the deployment, and no binary fraction adds a character', async () => {
    const theirs = await provision(odd);
    expect(await weight(10, 'en', 'ja', theirs)).toBe(11);
    expect(await weight(20, 'en', 'ja', theirs)).toBe(22);
    expect(await weight(30, 'en', 'ja', theirs)).toBe(33);
    expect(await weight(11, 'en', 'ja', theirs)).toBe(13);
    expect(await weight(20, 'en', 'fr', theirs)).toBe(20);
    expect(await weight(20, 'en', 'ja', await provision(even))).toBe(20);
  });

  test('a batch is weighed input by input, by the languages of each', async () => {
    const { status } = await mine.submit({
      inputs: [
        { Text: text(1), Targets: [{ Language: 'ja' }, { Language: 'fr' }, { Language: 'ko' }] },
        { Text: text(3), Language: 'th', Targets: [{ Language: 'de' }] },
        { Text: text(5), Language: 'de', Targets: [{ Language: 'es' }] },
      ],
    });
    expect(status).toBe(200);
    const { records, billable_chars, source_chars } = await mine.billing();
    const of = (lang: string) => records.find((one: { target_lang: string }) => one.target_lang === lang);
    const billed = ['ja', 'fr', 'ko', 'de', 'es'].map((lang) => of(lang).billable_chars);
    expect(billed).toEqual([4, 1, 4, 11, 5]);
    expect([billable_chars, source_chars]).toEqual([25, 11]);
  });

  test('a character is a code point', async () => {
    const emoji = '😀👍🏽👩‍👩‍👧';
    const points = [...emoji].length;
    const by = async (source_text: string, target_lang: string) => {
      const { status, body } = await mine.translate(source_text, { target_lang });
      expect(status).toBe(200);
      const { records } = await mine.billing();
      return records.find(({ job_id }: { job_id: string }) => job_id === body.id);
    };
    expect(await by(emoji, 'fr')).toMatchObject({ source_chars: points, billable_chars: points });
    expect(await by(`${emoji}${emoji}`, 'ja')).toMatchObject({
      source_chars: 2 * points,
      billable_chars: 7 * points,
    });
    // Neither composed nor trimmed.
    expect(await by(`e\u0301 ${randomUUID()}  `, 'fr')).toMatchObject({
      source_chars: 41,
      billable_chars: 41,
    });
  });

  test('markup counts as source text', async () => {
    const source_text = `<p class="x">${text(20)}</p>`;
    expect((await mine.translate(source_text, { text_type: 'Html' })).status).toBe(200);
    expect(await mine.billed()).toBe(source_text.length);
  });
});

describe('A 8.1: one weighted number everywhere', () => {
  test('the admission: the limit is by weight, in single jobs', async () => {
    const tight = await provision(app, { monthly_char_limit: 39 });
    expectOverLimit(await tight.translate(text(12), { target_lang: 'ja' }));
    expect((await tight.translate(text(11), { target_lang: 'ja' })).status).toBe(200);
    expect((await tight.billing()).allowance.remaining).toBe(0);
  });

  test('reservations are by weight', async () => {
    const tight = await provision(app, { monthly_char_limit: 300 });
    const answer = tight.translate(text(50, 'held'), { target_lang: 'ja' });
    const run = await runs.next();
    expect((await tight.billing()).allowance).toMatchObject({ used: 0, reserved: 175, remaining: 125 });
    expectOverLimit(await tight.translate(text(36), { source_lang: 'ko' }));
    run.succeed();
    expect((await answer).status).toBe(200);
    expect((await tight.billing()).allowance).toMatchObject({ used: 175, reserved: 0, remaining: 125 });
    expect((await tight.translate(text(35), { source_lang: 'ko' })).status).toBe(200);
  });

  test('the admission of a batch adds what each input weighs, rounded up by itself', async () => {
    const batch = (by: Customer) =>
      by.submit({ inputs: ['a', 'b', 'c'].map((Text) => ({ Text, Targets: [{ Language: 'ja' }] })) });
    expectOverLimit(await batch(await provision(app, { monthly_char_limit: 11 })));
    const roomy = await provision(app, { monthly_char_limit: 12 });
    expect((await batch(roomy)).status).toBe(200);
    expect(await roomy.billed()).toBe(12);
  });

  test('the record, the summary, the days and all three exports', async () => {
    await weight(9, 'en', 'ja');
    await weight(7, 'ko', 'de');
    await weight(30, 'en', 'fr');
    const summary = await mine.billing();
    expect(summary.billable_chars).toBe(32 + 25 + 30);
    expect(summary.source_chars).toBe(46);
    expect(summary.allowance.used).toBe(87);
    const billed = summary.records.map((one: { billable_chars: number }) => one.billable_chars);
    expect(billed.toSorted()).toEqual([25, 30, 32]);
    const daily = await app.json('GET', `/api/tenants/usage/daily?tenant_id=${mine.tenantId}`, {
      headers: operator,
    });
    expect(daily.body.totals.billable_chars).toBe(87);
    const exported = async (format: string) => {
      const path = `/api/tenants/${mine.tenantId}/billing/export?format=${format}`;
      return (await app.request(path, { headers: operator })).text();
    };
    const sum = (rows: { billable_chars: number | string }[]) =>
      rows.reduce((total, row) => total + Number(row.billable_chars), 0);
    expect(sum(JSON.parse(await exported('json')).records)).toBe(87);
    const lines = (await exported('jsonl')).trim().split('\n');
    expect(sum(lines.map((line) => JSON.parse(line)))).toBe(87);
    const [head = '', ...rows] = (await exported('csv')).trim().split(/\r?\n/);
    const at = head.split(',').indexOf('billable_chars');
    expect(sum(rows.map((row) => ({ billable_chars: row.split(',')[at]! })))).toBe(87);
  });
});
