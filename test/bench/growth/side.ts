import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { joinEmbeddedPostgres } from '#db/embedded/index.ts';
import { tmxHead, tmxTail, tmxUnit } from '#server/formats/tmx/writer.ts';
import { type RunningService, startService } from '#test/setup/service.ts';
import { createBenchTenant } from '../bench-service.ts';
import type { Sizes } from './sizes.ts';

export const operatorKey = 'the-operator-of-the-growth-bench';

/** A service with its own database, and a tenant for which the requests are sent. */
export interface Side {
  name: string;
  sizes: Sizes;
  dataDir: string;
  /** Connects to the database: `url` with the service's role, `superuser` with the superuser. */
  url: string;
  superuser: postgres.Sql;
  address(): string;
  tenantId: string;
  apiKey: string;
  email: string;
  accessToken: string;
  /** Source texts of the tenant's TM from English into French. */
  sources: readonly string[];
  /** Settings of the service. */
  env: Record<string, string>;
  /** Ends the process of the service, and starts another one with the same database. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a service without workers and creates its tenant. Requests create all data that is not inserted with SQL. */
export async function openSide(name: string, sizes: Sizes, sources: readonly string[]): Promise<Side> {
  const dataDir = await mkdtemp(join(tmpdir(), 'lingualoop-bench-'));
  const server = await joinEmbeddedPostgres(dataDir);
  const env = {
    DATA_DIR: dataDir,
    AUTH_RATE_LIMIT_ENABLED: 'false',
    OPERATOR_API_KEY: operatorKey,
    LOG_LEVEL: 'error',
    MONTHLY_CHAR_CEILING: '1000000000000',
    DEFAULT_MONTHLY_CHAR_LIMIT: '2000000000',
    MAX_TM_SEGMENTS: '60000',
    STALE_PENDING_SECONDS: '100000000',
  };
  const start = (): Promise<RunningService> => startService(env, 'server/main.ts', ['--api-only']);
  let service = await start();
  const superuserUrl = new URL(server.superuserUrl);
  superuserUrl.pathname = new URL(server.url).pathname;
  const superuser = postgres(superuserUrl.href, { max: 2, onnotice: () => {} });
  // The benchmark determines when statistics are collected.
  await superuser.unsafe('alter system set autovacuum = off');
  await superuser`select pg_reload_conf()`;
  const { tenantId, apiKey, email } = await createBenchTenant(service.address);
  const side: Side = {
    name,
    sizes,
    dataDir,
    env,
    url: server.url,
    superuser,
    address: () => service.address,
    ...{ tenantId, apiKey, email, accessToken: '', sources },
    async restart() {
      await service.stop();
      service = await start();
    },
    async stop() {
      await superuser.end();
      await service.stop();
      await server.leave();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  side.accessToken = await signIn(side);
  await importSets(side);
  await makeTemplates(side);
  return side;
}

async function signIn(side: Side): Promise<string> {
  const { access_token } = (await send(side, 'POST', '/api/oauth2/token', {
    form: { grant_type: 'password', username: side.email, password: 'a long enough passphrase' },
  })) as { access_token: string };
  return access_token;
}

/** Uploads the segments in `sizes.sets` files of equal length. */
async function importSets(side: Side): Promise<void> {
  const { sets } = side.sizes;
  const each = Math.ceil(side.sources.length / sets);
  for (let set = 0; set < sets; set++) {
    const pair = { sourceLang: 'en', targetLang: 'fr' };
    const units = side.sources.slice(set * each, (set + 1) * each).map((source, index) =>
      tmxUnit({
        ...{ ...pair, source, tuid: `${set}-${index}`, changedate: null },
        target: `Phrase ${set}-${index} : ${source}`,
      }),
    );
    const file = `${tmxHead({ ...pair, creationDate: new Date() })}${units.join('')}${tmxTail}`;
    const form = new FormData();
    form.set('tmx_file', new File([file], 'memory.tmx', { type: 'application/xml' }));
    form.set('name', `set ${set}`);
    form.set('source_lang', 'en');
    form.set('target_lang', 'fr');
    const answer = await fetch(`${side.address()}/api/tm`, {
      method: 'POST',
      headers: { 'x-api-key': side.apiKey },
      body: form,
    });
    if (answer.status !== 200) throw new Error(`an import answered ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  }
}

/** Runs a worker process until the index contains all segments of the TM. */
export async function letWorkersIndex({ env, superuser }: Side): Promise<void> {
  const worker = await startService({ ...env, SWEEP_INTERVAL_SECONDS: '1' }, 'workers/main.ts');
  const look = async () => {
    const [row] = await superuser<{ text: string }[]>`
      select count(*) || ' ' || (select count(*) from graphile_worker.jobs where task_identifier like 'index_memory%' and attempts < max_attempts) as text
      from memory_segments where shard_no is null`;
    return row!.text;
  };
  for (let seen = await look(), times = 0; times < 6; ) {
    await sleep(500);
    const now = await look();
    times = now === seen && now.endsWith(' 0') ? times + 1 : 0;
    seen = now;
  }
  await worker.stop();
}

/** Creates jobs through the service, of which all others are copies: 30 published jobs and 10 that await review. */
async function makeTemplates(side: Side): Promise<void> {
  for (let index = 0; index < 40; index++) {
    const length = 40 + ((index * 37) % 20) ** 2 * 3;
    const text = Array.from(
      { length: Math.ceil(length / 60) },
      (_, at) => side.sources[(index * 7 + at) % 90],
    );
    await send(side, 'POST', '/api/translations', {
      headers: { 'x-api-key': side.apiKey, 'idempotency-key': `template ${index}` },
      json: {
        source_text: `${index}. ${text.join(' ')}`.slice(0, length),
        source_lang: 'en',
        target_lang: 'it',
        metadata: { sensitive: index >= 30, project: `project ${index % 7}` },
      },
    });
  }
  // The TM does not store the output of the stub engine, but it stores a reviewer's text.
  const headers = { 'x-api-key': side.apiKey };
  const { id } = (await send(side, 'POST', '/api/translations', {
    headers,
    json: {
      source_text: 'The first approved text.',
      ...{ source_lang: 'en', target_lang: 'de', metadata: { sensitive: true } },
    },
  })) as { id: string };
  await send(side, 'POST', `/api/translations/${id}/review`, {
    headers,
    json: { action: 'modify', final_translation: 'Der erste freigegebene Text.' },
  });
}

/** Sends a request, and parses the JSON of the response. @throws Error if the request fails */
async function send(
  side: Side,
  method: string,
  path: string,
  options: { form?: Record<string, string>; json?: unknown; headers?: Record<string, string> },
): Promise<unknown> {
  const { form, json, headers } = options;
  const answer = await fetch(`${side.address()}${path}`, {
    method,
    headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(form && { body: new URLSearchParams(form) }),
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status} ${text.slice(0, 300)}`);
  return JSON.parse(text);
}
