import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { LinguaLoop } from '#sdk/index.ts';
import { killableAlone } from '#test/faults/kills.ts';
import { connect } from '#test/setup/app.ts';
import { root, testFolder } from '#test/setup/launch.ts';
import { startCuttingProxy } from '../events/cutting-proxy.ts';
import { type Received, startReceiver } from './receiver.ts';

const wanted = { events: 3000, cuts: 20, relayKills: 4, serviceKills: 4 };
/** A held translation, its approval, and its publication. */
const eventsPerJob = 3;
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

const idOf = ({ headers }: Received) => String(headers['webhook-id']);

test(`${wanted.events} events over ${wanted.cuts} cut connections, ${wanted.relayKills} kills of the relay and ${wanted.serviceKills} of the service: each exactly once by its ID, in order per job`, async () => {
  const killable = await killableAlone({
    // A sweep publishes what a killed process has approved.
    STALE_PENDING_SECONDS: '5',
    SWEEP_INTERVAL_SECONDS: '2',
  });
  onTestFinished(killable.end);
  const startApi = () => killable.start('api');
  const apis = [await startApi(), await startApi()];
  await killable.start('worker');
  const proxy = await startCuttingProxy(apis[0]?.address as string);
  // The load has its own proxy, so that its connections do not count as those of the relay.
  const door = await startCuttingProxy(apis[0]?.address as string);
  const at = await connect(door.address).signUp();
  const client = new LinguaLoop({ baseUrl: door.address, apiKey: at.apiKey, maxRetries: 8 });

  let refused = 0;
  const { url, received } = await startReceiver((_one, n) => {
    if (n % 50 !== 49) return 204;
    refused += 1;
    return 503;
  });
  const stateDir = await testFolder();
  const config = { destinations: [{ name: 'app', url, secrets: [secret], concurrency: 16 }] };
  let failures = '';
  const startRelay = () => {
    const relay = spawn(process.execPath, [join(root, 'test/cli/relay-process.ts')], {
      cwd: root,
      env: {
        PATH: process.env['PATH'],
        BASE_URL: proxy.address,
        API_KEY: at.apiKey,
        STATE_DIR: stateDir,
        CONFIG: JSON.stringify(config),
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    relay.stderr?.on('data', (chunk) => {
      failures += chunk;
    });
    return relay;
  };
  let relay = startRelay();
  onTestFinished(() => void relay.kill('SIGKILL'));
  const { sql } = killable;
  await expect
    .poll(async () => (await sql`select from event_feeds where complete`).length, { timeout: 30_000 })
    .toBe(1);

  // The load: each job is held, approved and published.
  const jobs: string[] = [];
  let next = 0;
  const count = Math.ceil(wanted.events / eventsPerJob);
  const work = async () => {
    while (next < count) {
      const text = `a text with the number ${next++}`;
      const request = { source_text: text, target_lang: 'fr', domain: 'legal' };
      const job = await untilDone(() => client.translations.create(request, { idempotencyKey: text }));
      jobs.push(job.id);
      await untilDone(async () => {
        // After a lost response, the job may be approved already.
        const { status } = await client.translations.get(job.id);
        if (status === 'awaiting_review') await client.translations.review(job.id, { action: 'approve' });
        else if (status !== 'published' && status !== 'approved') {
          // The process of the job was killed: a repeated request translates it again.
          if (status === 'failed') await client.translations.create(request, { idempotencyKey: text });
          throw new Error(`the job is ${status}`);
        }
      });
    }
  };
  const load = Promise.all(Array.from({ length: 12 }, work));
  let loadFailure: unknown;
  load.catch((error) => {
    loadFailure = error;
  });

  // Cuts and kills, spread over the deliveries.
  const total = wanted.cuts + wanted.relayKills + wanted.serviceKills;
  const done = { cuts: 0, relayKills: 0, serviceKills: 0 };
  const distinct = new Set<string>();
  let counted = 0;
  const delivered = () => {
    for (; counted < received.length; counted += 1) distinct.add(idOf(received[counted] as Received));
    return distinct.size;
  };
  for (let step = 0; step < total; step += 1) {
    const due = Math.floor(((step + 1) * wanted.events * 0.9) / total);
    await expect
      .poll(() => [loadFailure, failures, delivered() > due], { timeout: 120_000, interval: 10 })
      .toEqual([undefined, '', true]);
    if (step % 7 === 3 && done.relayKills < wanted.relayKills) {
      relay.kill('SIGKILL');
      if (relay.exitCode === null && relay.signalCode === null) await once(relay, 'exit');
      relay = startRelay();
      done.relayKills += 1;
    } else if (step % 7 === 6 && done.serviceKills < wanted.serviceKills) {
      const [killed, other] = done.serviceKills % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const);
      await apis[killed]?.stop('SIGKILL');
      for (const one of [proxy, door]) one.moveTo(apis[other]?.address as string);
      apis[killed] = await startApi();
      done.serviceKills += 1;
    } else {
      // The relay may be connecting again after the last step.
      await expect.poll(() => proxy.cut(), { timeout: 30_000, interval: 10 }).toBeGreaterThan(0);
      done.cuts += 1;
    }
  }
  expect(done).toEqual({
    cuts: wanted.cuts,
    relayKills: wanted.relayKills,
    serviceKills: wanted.serviceKills,
  });
  await load;
  expect(jobs).toHaveLength(count);
  const unpublished = () =>
    sql`select from translation_jobs where tenant_id = ${at.tenantId} and status <> 'published'`;
  await expect.poll(async () => (await unpublished()).length, { timeout: 60_000, interval: 200 }).toBe(0);

  const recorded = await sql<{ id: string; job: string; type: string }[]>`
    select event_id as id, resource_id as job, type from events where tenant_id = ${at.tenantId} order by sequence`;
  expect(recorded.length).toBeGreaterThanOrEqual(wanted.events);
  await expect.poll(delivered, { timeout: 120_000, interval: 100 }).toBe(recorded.length);

  // Each event has one ID, and no ID stands for two events.
  expect(distinct).toEqual(new Set(recorded.map(({ id }) => id)));
  const bodies = new Map<string, string>();
  for (const one of received) {
    expect(bodies.get(idOf(one)) ?? one.body).toBe(one.body);
    bodies.set(idOf(one), one.body);
  }
  // The order of first arrivals that the receiver accepted or refused, and the order of the changes.
  const arrived = [...distinct].map((id) => ({
    id,
    job: JSON.parse(bodies.get(id) as string).data.resource_id,
  }));
  const inFeed = Map.groupBy(recorded, ({ job }) => job);
  const atReceiver = Map.groupBy(arrived, ({ job }) => job);
  for (const job of jobs) {
    expect(atReceiver.get(job)?.map(({ id }) => id)).toEqual(inFeed.get(job)?.map(({ id }) => id));
    // A job whose process was killed fails, and the client's next attempt translates it.
    const types = inFeed.get(job)?.flatMap(({ type }) => (type === 'translation.failed' ? [] : [type]));
    expect(types).toEqual(['translation.awaiting_review', 'review.approved', 'translation.published']);
  }
  expect(failures).toBe('');
  console.log(
    `${recorded.length} events of ${jobs.length} jobs in ${received.length} requests, ${refused} of them refused`,
  );
}, 900_000);

/** Repeats a call of the load until it succeeds: the service is killed in between. */
async function untilDone<T>(call: () => PromiseLike<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (attempt === 300) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
