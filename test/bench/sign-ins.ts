import { Pool } from 'undici';
import { startBenchService } from './bench-service.ts';
import { median, requirePremise } from './load.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3);
const addresses = 100;
/** Enough for a stable median. */
const quietReads = 2000;
const attempts = 200;
const password = 'a long enough passphrase';

/**
 * What sign-ins cost other requests: the latency of `GET /api/translations` on one connection, alone and while 100
 * addresses sign in at once, alternating; then what the duration of a failed sign-in reveals.
 */
export async function benchSignIns(print: (line: string) => void): Promise<void> {
  const service = await startBenchService();
  const reader = new Pool(service.address, { connections: 1, pipelining: 1 });
  const people = new Pool(service.address, { connections: addresses, pipelining: 1 });
  try {
    const tenant = await service.foundTenant();
    const emails: string[] = [];
    for (let n = 0; n < addresses; n++) emails.push((await service.foundTenant()).email);
    for (let n = 0; n < 50; n++) await translate(reader, tenant.apiKey, n);
    const read = () => list(reader, tenant.apiKey);
    for (let n = 0; n < quietReads; n++) await read();

    const ratios: number[] = [];
    const [quiet, busy, rates]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round < rounds; round++) {
      quiet.push(median(await latencies(read, (n) => n < quietReads)));
      const begun = performance.now();
      let done = false;
      const grants = Promise.all(emails.map((email) => signIn(people, email, password))).finally(() => {
        done = true;
      });
      const during = await latencies(read, () => !done);
      requirePremise(
        during.length >= 50,
        `enough reads during the sign-ins for a median, not ${during.length}`,
      );
      busy.push(median(during));
      const statuses = await grants;
      if (statuses.some((status) => status !== 200)) throw new Error('not every sign-in was answered 200');
      rates.push(addresses / ((performance.now() - begun) / 1000));
      ratios.push((busy.at(-1) as number) / (quiet.at(-1) as number));
    }
    print(`sign-ins of ${addresses} addresses at once   ${Math.round(median(rates))}/s`);
    print(`GET /api/translations, alone       ${median(quiet).toFixed(2)} ms`);
    print(`GET /api/translations, meanwhile   ${median(busy).toFixed(2)} ms`);
    print(
      `meanwhile / alone                  ${median(ratios).toFixed(2)}   (target at most 1.50; ${ratios.map((ratio) => ratio.toFixed(2)).join(', ')})`,
    );
    await timing(print, people, emails[0] as string);
  } finally {
    await reader.close();
    await people.close();
    await service.stop();
  }
}

/** 200 interleaved failures: of a known address and of unknown ones. */
async function timing(print: (line: string) => void, people: Pool, known: string): Promise<void> {
  const [ofKnown, ofUnknown]: [number[], number[]] = [[], []];
  for (let n = 0; n < attempts; n++) {
    // The order alternates, so that neither is always second.
    const kinds = n % 2 === 0 ? [ofKnown, ofUnknown] : [ofUnknown, ofKnown];
    for (const kind of kinds) {
      const email = kind === ofKnown ? known : `nobody-${n}@example.org`;
      const start = performance.now();
      const status = await signIn(people, email, 'not the passphrase of anybody');
      kind.push(performance.now() - start);
      if (status !== 401) throw new Error(`a wrong password was answered ${status}`);
    }
  }
  const [a, b] = [median(ofKnown), median(ofUnknown)];
  const apart = (Math.abs(a - b) / Math.min(a, b)) * 100;
  print(
    `wrong password ${a.toFixed(2)} ms, unknown address ${b.toFixed(2)} ms: ${apart.toFixed(1)} % apart   (target below 5)`,
  );
}

async function latencies(work: () => Promise<void>, more: (n: number) => boolean): Promise<number[]> {
  const measured: number[] = [];
  while (more(measured.length)) {
    const start = performance.now();
    await work();
    measured.push(performance.now() - start);
  }
  return measured;
}

async function signIn(people: Pool, username: string, secret: string): Promise<number> {
  const { statusCode, body } = await people.request({
    method: 'POST',
    path: '/api/oauth2/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ grant_type: 'password', username, password: secret }).toString(),
  });
  await body.dump();
  return statusCode;
}

async function list(reader: Pool, apiKey: string): Promise<void> {
  const { statusCode, body } = await reader.request({
    method: 'GET',
    path: '/api/translations',
    headers: { 'x-api-key': apiKey },
  });
  await body.text();
  if (statusCode !== 200) throw new Error(`the list answered ${statusCode}`);
}

async function translate(reader: Pool, apiKey: string, n: number): Promise<void> {
  const { statusCode, body } = await reader.request({
    method: 'POST',
    path: '/api/translations',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ source_text: `Sentence number ${n}.`, target_lang: 'fr' }),
  });
  await body.dump();
  if (statusCode !== 200) throw new Error(`a translation answered ${statusCode}`);
}
