import { beforeAll, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { answered, engineOf } from '#test/setup/engine.ts';
import {
  base,
  type Customer,
  type Headers,
  operator,
  provision,
  sessionOf,
  text,
} from '../billing/customers.ts';

// Translating a text costs 7 input and 7 output tokens; judging costs nothing.
const engine = engineOf(async ({ segments }) =>
  answered(
    segments.map((one) => `«${one}»`),
    7,
  ),
);
const app = useTestApp({ env: base, engine });

let mine: Customer;
let admin: Headers;
beforeAll(async () => {
  mine = await provision(app);
  admin = await sessionOf(app, mine);
});

const views = () => [
  '/api/tenants/usage/daily',
  `/api/tenants/${mine.tenantId}/billing`,
  `/api/tenants/${mine.tenantId}/billing/export?format=json`,
];

test('all views have the same figures, which deletion and rejection of a job leave; a failed one is not counted', async () => {
  const texts = [text(9), text(30), ' '];
  const answers = [
    await mine.translate(texts[0]!, { target_lang: 'ja' }),
    await mine.translate(texts[1]!, { domain: 'legal' }),
    await mine.translate(texts[2]!),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 400]);
  const [published, held] = answers.map(({ body }) => `/api/translations/${body.id}`);
  await app.json('DELETE', published!, { headers: admin });
  const rejection = { action: 'reject', reviewer: 'R' };
  await app.json('POST', `${held}/review`, { headers: mine.headers, body: rejection });
  // 9 × 3.5 = 31.5, rounded up.
  const chars = 32 + 30;
  const summary = await mine.billing();
  expect(summary).toMatchObject({ jobs: 2, source_chars: 39, billable_chars: chars });
  expect(summary.allowance).toMatchObject({ used: chars, reserved: 0 });
  const days = await app.json('GET', `/api/tenants/usage/daily?tenant_id=${mine.tenantId}`, {
    headers: operator,
  });
  expect(days.body.totals).toMatchObject({ jobs: 2, billable_chars: chars, total_tokens: 28 });
  const exported = await app.json('GET', views()[2]!, { headers: operator });
  expect(exported.body.records).toEqual(summary.records.toReversed());
});
