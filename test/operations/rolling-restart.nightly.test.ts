import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '#db/embedded/secrets.ts';
import { env, founding } from '#test/factories.ts';
import { type Killable, killableAlone } from '#test/faults/kills.ts';
import { connect } from '#test/setup/app.ts';
import { poll } from '#test/setup/poll.ts';
import type { RunningService } from '#test/setup/service.ts';
import { shippedProxies, startShippedProxy } from '#test/setup/shipped-proxy.ts';

/** Restarts behind each proxy. */
const restarts = Number(process.env['ROLLING_RESTARTS'] ?? 2);
/** Requests at the same time. */
const clients = 8;

let killable: Killable;
const ports: number[] = [];
const processes: RunningService[] = [];

/** Starts an API process with the settings of the unit in examples/deploy. */
const start = (port: number) =>
  killable.start('api', { PORT: String(port), TRUST_PROXY: '1', DRAIN_DELAY_SECONDS: '10' });

beforeAll(async () => {
  killable = await killableAlone(env as Record<string, string>);
  for (const _ of [1, 2]) {
    const port = await freePort();
    ports.push(port);
    processes.push(await start(port));
  }
}, 300_000);

afterAll(() => killable?.end());

describe.each(shippedProxies)('rolling restarts behind $program', (proxy) => {
  test('fail no request', { timeout: 180_000 + restarts * 180_000 }, async () => {
    const address = await startShippedProxy(
      proxy,
      ports.map((port) => `127.0.0.1:${port}`),
    );
    if (!address) return;
    const through = connect(address);
    const { body: founded } = await through.json('POST', '/api/auth/signup/email', { body: founding() });
    const headers = { 'x-api-key': founded.tenant_api_key };
    const statuses = new Map<string, number>();
    let done = false;
    const load = async (client: number) => {
      for (let n = 0; !done; n++) {
        const sent =
          n % 3 === 0
            ? through.json('POST', '/api/translations', {
                headers,
                body: { source_text: `Client ${client} says ${n}.`, target_lang: 'fr' },
              })
            : through.json('GET', '/api/translations', { headers });
        const outcome = await sent.then(({ status }) => String(status), String);
        statuses.set(outcome, (statuses.get(outcome) ?? 0) + 1);
      }
    };
    const running = Array.from({ length: clients }, (_, client) => load(client));
    try {
      for (let n = 0; n < restarts; n++) {
        const at = n % processes.length;
        expect(await processes[at]?.stop()).toBe(0);
        processes[at] = await start(ports[at] as number);
        // The proxies ask every 2 s.
        const ready = () =>
          fetch(`http://127.0.0.1:${ports[at]}/readyz`).then(
            ({ ok }) => ok,
            () => false,
          );
        await poll(ready);
        await new Promise((resolve) => setTimeout(resolve, 3000));
      }
    } finally {
      done = true;
      await Promise.all(running);
    }
    console.log(`${proxy.program}: ${restarts} restarts, ${JSON.stringify(Object.fromEntries(statuses))}`);
    expect([...statuses.keys()]).toEqual(['200']);
  });
});
