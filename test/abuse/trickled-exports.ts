import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '#db/client.ts';
import { fillLedger } from '#test/metering/ledger.ts';
import { connect as connectTo, type Signup } from '#test/setup/app.ts';
import type { Attack } from './measure-attack.ts';

const tenants: Signup[] = [];

const exportPath = ({ tenantId }: Signup) =>
  `/api/tenants/${tenantId}/billing/export?period=2026-09&format=jsonl`;
const bearer = ({ accessToken }: Signup) => ({ authorization: `Bearer ${accessToken}` });

export const trickledExports: Attack = {
  title: '64 readers over 8 tenants take 1 KB of an export a second; one of them and 4 others want theirs',
  async prepare({ address, databaseUrl }) {
    const app = connectTo(address);
    const database = openDatabase(() => databaseUrl, { size: 2 });
    for (let i = 0; i < 12; i++) tenants.push(await app.signUp());
    for (const { tenantId } of tenants)
      await fillLedger({ database } as Parameters<typeof fillLedger>[0], tenantId, 60_000);
    await database.close();
  },
  async run({ address }) {
    let answered = 0;
    let cut = 0;
    const readers = Array.from({ length: 64 }, (_, reader) => {
      const tenant = tenants[reader % 8] as Signup;
      const request = get(address + exportPath(tenant), { headers: bearer(tenant), agent: false });
      request.on('error', () => {});
      request.on('response', (response) => {
        answered += 1;
        response.on('error', () => {
          cut += 1;
        });
        const trickle = setInterval(() => response.read(1024), 1000);
        response.once('close', () => clearInterval(trickle));
      });
      return request;
    });
    await sleep(5000);
    let whole = 0;
    let others = 0;
    let slowest = 0;
    const end = Date.now() + 40_000;
    const ask = async (honest: Signup) => {
      for (; Date.now() < end; await sleep(1000)) {
        const start = performance.now();
        const signal = AbortSignal.timeout(25_000);
        const ok = await fetch(address + exportPath(honest), { headers: bearer(honest), signal })
          .then(async (answer) => answer.ok && (await answer.arrayBuffer()).byteLength > 1_000_000)
          .catch(() => false);
        if (ok) whole += 1;
        else others += 1;
        slowest = Math.max(slowest, performance.now() - start);
      }
    };
    await Promise.all(tenants.slice(7).map(ask));
    const figures = {
      'exports of honest readers, whole': whole,
      'not answered within 25 s, refused or broken off': others,
      'longest of them in ms': Math.round(slowest),
      'trickled exports begun': answered,
      'trickled exports broken off': cut,
    };
    for (const reader of readers) reader.destroy();
    return figures;
  },
};
