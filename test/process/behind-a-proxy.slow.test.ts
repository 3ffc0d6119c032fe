import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { selling } from '#test/contract/fixture.ts';
import { useGuardFixture } from '#test/contract/guards/guard-fixture.ts';
import { testTransports } from '#test/contract/transports.ts';
import { useCluster } from '#test/setup/cluster.ts';
import { poll } from '#test/setup/poll.ts';
import { hasProxy } from '#test/setup/proxy.ts';

const installed = hasProxy();
if (!installed) console.log('skipped: haproxy is not installed, in front of two API processes');

/*
 * Two API processes and two workers on one external PostgreSQL, behind haproxy: consecutive requests go to different
 * processes.
 */
describe.runIf(installed)('the contract, by two API processes behind a proxy', () => {
  const [plain, billing] = [useGuardFixture({}, useCluster), useGuardFixture(selling, useCluster)];
  testTransports(plain, billing, { workers: true });
});

describe.runIf(installed)('one of two API processes that is killed', () => {
  const cluster = useCluster({
    env: { AUTH_RATE_LIMIT_ENABLED: 'false', STALE_PENDING_SECONDS: '2', SWEEP_INTERVAL_SECONDS: '1' },
  });

  test('loses no job that was answered, and what was not answered is sent again under its key', async () => {
    const { headers, accessToken } = await cluster.signUp();
    const send = (key: string) =>
      cluster.json('POST', '/api/translations', {
        headers: { ...headers, 'idempotency-key': key },
        body: { source_text: `Text of ${key}.`, target_lang: 'fr' },
      });
    const answered = new Map<string, string>();
    const broken: string[] = [];
    let killed = false;
    let afterwards = 0;
    const client = async () => {
      while (afterwards < 100) {
        const key = randomUUID();
        const answer = await send(key).catch(() => undefined);
        if (answer?.status === 200) {
          answered.set(key, answer.body.id);
          if (killed) afterwards += 1;
        } else broken.push(key);
      }
    };
    const clients = Array.from({ length: 8 }, client);
    await poll(async () => answered.size > 50);
    await cluster.apis[0]?.stop('SIGKILL');
    killed = true;
    await Promise.all(clients);

    expect(answered.size).toBeGreaterThan(150);
    for (const key of broken) {
      // A job of the killed process is pending until a sweep finds it, and then runs again.
      const { body } = await poll(async () => {
        const answer = await send(key);
        return answer.body.status === 'published' && answer;
      });
      answered.set(key, body.id);
    }
    expect(new Set(answered.values()).size).toBe(answered.size);
    for (const [key, id] of answered) {
      const { body } = await cluster.json('GET', `/api/translations/${id}`, { headers });
      expect(body).toMatchObject({
        ...{ id, status: 'published', final_translation: `[fr] Text of ${key}.` },
      });
    }
    const { body: usage } = await cluster.json('GET', '/api/tenants/usage/daily', {
      headers: { authorization: `Bearer ${accessToken}` },
    });
    expect(usage.days.at(-1).jobs).toBe(answered.size);
  });
});
