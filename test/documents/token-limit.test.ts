import { beforeAll, expect, test } from 'vitest';
import { openTokenSpending, type TokenSpending } from '#server/billing/metering/token-spending.ts';
import { workbookFile } from '#test/factories/workbook.ts';
import { env } from '#test/factories.ts';
import { translatingReply } from '#test/fakes/openai.ts';
import { useFakeOpenAi, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { cat, liveEngine, translate } from '#test/translations/live.ts';
import { openDocuments } from './workspace.ts';

const limit = 1_000_000;
const perCall = 2000;
const fake = await useFakeOpenAi();
fake.otherwise(translatingReply({ translate, usage: { prompt_tokens: 1500, completion_tokens: 500 } }));

let spending: TokenSpending;
const app = useTestApp({
  env: { ...env, WORKSPACE_LIMITS: `{"tokens_per_day":${limit}}`, OPENAI_API_KEY: 'sk-test' },
  engine: liveEngine(fake, {}, { paid: (...paid) => spending.record(...paid) }),
});
beforeAll(() => {
  spending = openTokenSpending(app.database, (error) => expect.unreachable(String(error)));
});

async function spent(tenantId: string): Promise<number> {
  const [row] = await openSuperuser(app.superuserUrl)`
    select tokens::int from token_spending where tenant_id = ${tenantId}`;
  return row?.['tokens'] ?? 0;
}

test('the tokens of a document count; beyond tokens_per_day a document is rejected, and a queued one fails with quota_exceeded', async () => {
  const theirs = await openDocuments(app);
  const send = () => theirs.send({ source_document: workbookFile([cat]), target_lang: 'de', wait: 'true' });
  expect((await send()).status).toBe(200);
  const calls = fake.requests.length;
  expect(calls).toBeGreaterThan(0);
  expect(await spent(theirs.tenantId)).toBe(calls * perCall);

  const queued = await theirs.queue([cat]);
  await spending.record(theirs.tenantId, limit);
  const refused = await send();
  expect([refused.status, refused.body.error_code]).toEqual([429, 'quota_exceeded']);
  expect(refused.body.detail).toContain('the limit of model tokens a day is reached');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  await theirs.run(queued);
  expect((await theirs.read(queued)).failure).toMatchObject({
    code: 'quota_exceeded',
    message: expect.stringContaining('the limit of model tokens a day is reached'),
  });
  expect(fake.requests).toHaveLength(calls);
});
