import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase } from '#db/client.ts';
import { openTokenSpending, type TokenSpending } from '#server/billing/metering/token-spending.ts';
import type { Paid } from '#server/platform/engines/engine.ts';
import { createOpenAiEmbedder } from '#server/platform/engines/openai/embedder.ts';
import { completion, failure, startFakeOpenAi, translatingReply } from '#test/fakes/openai.ts';
import { refusalOf, type Signup, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import { bread, cat, heldReply, liveEngine, train, translate } from '#test/translations/live.ts';

const limit = 50_000;
const usage = { prompt_tokens: 1500, completion_tokens: 500 };
const good = translatingReply({ translate, usage });
/** The tokens for translation, assessment and verification. */
const cost = 3 * 2000;

const fake = await startFakeOpenAi();
let spending: TokenSpending;
const paid: Paid = (tenantId, tokens) => spending.record(tenantId, tokens);
const env = { WORKSPACE_LIMITS: `{"tokens_per_day":${limit}}`, OPENAI_API_KEY: 'sk-test' };
const app = useTestApp({ env, engine: liveEngine(fake, {}, { paid }) });

let mine: Signup;
const failures: unknown[] = [];
beforeAll(() => {
  spending = openTokenSpending(app.database, (error) => failures.push(error));
});
beforeEach(async () => {
  fake.otherwise(good);
  mine = await app.signUp();
});
afterAll(() => fake.close());

const send = (source_text: string, more: object = {}, { headers } = mine) =>
  app.json('POST', '/api/translations', { headers, body: { source_text, target_lang: 'de', ...more } });

const superuser = () => openSuperuser(app.superuserUrl);

async function spent({ tenantId } = mine): Promise<number> {
  const [row] = await superuser()`select tokens::int from token_spending
    where tenant_id = ${tenantId} and day = (now() at time zone 'UTC')::date`;
  return row?.['tokens'] ?? 0;
}

/** Records that the tenant's models have used this many tokens today. */
async function spend(tokens: number, { tenantId } = mine): Promise<void> {
  await spending.record(tenantId, tokens - (await spent(mine)));
}

describe('a tenant’s tokens of the day', () => {
  test('are those of all model calls, stored when the response is sent', async () => {
    expect((await send(cat)).body.status).toBe('published');
    expect(await spent()).toBe(cost);
    expect((await send(bread)).body.status).toBe('published');
    expect(await spent()).toBe(2 * cost);
  });

  test('have those of failed work, and of unusable responses', async () => {
    fake.enqueue(completion({ content: 'no JSON', usage }));
    expect((await send(cat)).status).toBe(503);
    expect(await spent()).toBe(2000);
    fake.enqueue(good, failure(401));
    expect((await send(cat)).status).toBe(503);
    expect(await spent()).toBe(4000);
  });

  test('do not grow with what the memory gives, nor with a replay', async () => {
    const headers = { ...mine.headers, 'idempotency-key': 'once' };
    const body = { source_text: cat, target_lang: 'de' };
    await app.json('POST', '/api/translations', { headers, body });
    expect(await spent()).toBe(cost);
    const again = await app.json('POST', '/api/translations', { headers, body });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const asked = fake.requests.length;
    expect((await send(cat)).body.final_translation).toBe(translate(cat));
    expect(fake.requests).toHaveLength(asked);
    expect(await spent()).toBe(cost);
  });

  test('have those of embeddings', async () => {
    const settings = {
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: fake.baseUrl,
      OPENAI_EMBEDDING_MODEL: 'near-1',
      OPENAI_TIMEOUT_SECONDS: 20,
      OPENAI_MAX_RETRIES: 0,
    };
    fake.enqueue((response) => {
      const data = [{ object: 'embedding', index: 0, embedding: [1, 2] }];
      const body = { object: 'list', data, model: 'near-1', usage: { prompt_tokens: 70, total_tokens: 70 } };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    await createOpenAiEmbedder(settings, { paid }).embed(['a text'], { tenantId: mine.tenantId });
    expect(await spent()).toBe(70);
  });

  test('of a transaction from before midnight are added to the new day', async () => {
    await superuser()`insert into token_spending values (${mine.tenantId}, (now() at time zone 'UTC')::date + 1, 5)`;
    await spending.record(mine.tenantId, 7);
    const [row] = await superuser()`select tokens::int, day - (now() at time zone 'UTC')::date as ahead
      from token_spending where tenant_id = ${mine.tenantId}`;
    expect(row).toMatchObject({ tokens: 12, ahead: 1 });
  });

  test('are exact for concurrent calls of several processes', async () => {
    const other = openDatabase(app.databaseUrl, { size: 1 });
    const elsewhere = openTokenSpending(other, (error) => failures.push(error));
    const tenants = [mine, await app.signUp(), await app.signUp()];
    await Promise.all(
      Array.from({ length: 600 }, (_, at) =>
        (at % 2 ? spending : elsewhere).record(tenants[at % 3]!.tenantId, 1 + (at % 3)),
      ),
    );
    expect(await Promise.all(tenants.map((tenant) => spent(tenant)))).toEqual([200, 400, 600]);
    expect(failures).toEqual([]);
    await other.close();
  });

  describe('that cannot be stored', () => {
    let isDown = true;
    const told: unknown[] = [];
    const openFailing = (retryMs?: number) => {
      isDown = true;
      told.length = 0;
      const inPlatform: typeof app.database.inPlatform = (work) =>
        isDown ? Promise.reject(new Error('down')) : app.database.inPlatform(work);
      return openTokenSpending({ ...app.database, inPlatform }, (error) => told.push(error), retryMs);
    };

    test('are stored with the next ones, or at the end; no response is lost', async () => {
      const failing = openFailing();
      await failing.record(mine.tenantId, 3);
      expect([told.length, await spent()]).toEqual([1, 0]);
      isDown = false;
      await failing.record(mine.tenantId, 4);
      expect(await spent()).toBe(7);
      isDown = true;
      await failing.record(mine.tenantId, 5);
      isDown = false;
      await failing.close();
      expect(await spent()).toBe(12);
    });

    test('are tried again until they are stored, once, without a next call', async () => {
      const failing = openFailing(20);
      await failing.record(mine.tenantId, 3);
      await failing.record(mine.tenantId, 4);
      await poll(async () => told.length >= 4);
      isDown = false;
      await poll(async () => (await spent()) > 0);
      await failing.close();
      expect(await spent()).toBe(7);
    });
  });

  test('of a deleted tenant are dropped, without those of others', async () => {
    const gone = await app.signUp();
    await superuser()`delete from tenants where tenant_id = ${gone.tenantId}`;
    await Promise.all([spending.record(gone.tenantId, 9), spending.record(mine.tenantId, 9)]);
    expect([await spent(), failures]).toEqual([9, []]);
  });
});

describe('tokens_per_day', () => {
  const secondsLeft = () => (new Date().setUTCHours(24, 0, 0, 0) - Date.now()) / 1000;

  test('rejects as the allowance does, until the end of the day, without a figure', async () => {
    await spend(limit - 1);
    expect((await send(cat)).status).toBe(200);
    const refused = await send(bread);
    expect(refused.status).toBe(429);
    expect(refused.body).toEqual(
      refusalOf(
        'tenant usage limit exceeded: the limit of model tokens a day is reached; it resets at 00:00 UTC',
      ),
    );
    const retryAfter = Number(refused.headers.get('retry-after'));
    expect(Math.abs(retryAfter - secondsLeft())).toBeLessThan(5);
    // No model was called, and no job was created.
    expect(await spent()).toBe(limit - 1 + cost);
    const { body } = await app.json('GET', '/api/translations', { headers: mine.headers });
    expect(body).toHaveLength(1);
  });

  test('finishes what runs, and expects of it what such work costs', async () => {
    const { held, reached, letGo } = heldReply(good);
    await spend(limit - 5000);
    fake.otherwise(held);
    const running = send(train);
    await reached;
    // The expected cost of this job is 4,000 tokens and 3 for each character. One more job is admitted, and after that
    // none.
    expect(3 * train.length).toBeLessThan(1000);
    const second = send(cat);
    await poll(async () => (await pending()) === 2);
    const refused = await send(bread);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10']);
    expect(refused.body.detail).toBe(
      'tenant usage limit exceeded: jobs in progress may use the remaining model tokens of the day; try again when they have ended',
    );
    letGo();
    expect((await running).status).toBe(200);
    expect((await second).status).toBe(200);
    expect(await spent()).toBe(limit - 5000 + 2 * cost);
    expect((await send(bread)).headers.get('retry-after')).not.toBe('10');
  });

  test('expects of a batch what all of its jobs cost', async () => {
    const { held, reached, letGo } = heldReply(good);
    fake.otherwise(held);
    const inputs = Array.from({ length: 13 }, (_, at) => ({
      Text: `Text ${at}`,
      Targets: [{ Language: 'de' }],
    }));
    const batch = app.json('POST', '/api/translations', { headers: mine.headers, body: { inputs } });
    await reached;
    expect((await send(cat)).status).toBe(429);
    letGo();
    expect((await batch).status).toBe(200);
    expect(await spent()).toBe(13 * cost);
  });

  async function pending(): Promise<number> {
    const [row] = await superuser()`select count(*)::int as jobs from translation_jobs
      where tenant_id = ${mine.tenantId} and status = 'pending'`;
    return row?.['jobs'];
  }
});
