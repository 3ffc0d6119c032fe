import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startFakeOpenAi, translatingReply } from '#test/fakes/openai.ts';

const root = join(import.meta.dirname, '../..');
/** Each job needs another text, because a repeated text would be served from the TM. */
const animals = ['dog', 'cat', 'cow', 'hen', 'pig', 'horse', 'goat', 'sheep'];
const translated = 'Le vif renard brun saute par-dessus le chien paresseux, et personne ne s’en soucie.';

/** The code of the service that ran in its main thread. */
export interface ExecutedCode {
  files: string[];
  functions: string[];
}

/** The code that runs for one text job: with the stub engine, and with the live engine and a local endpoint. */
export async function executedByOneJob(): Promise<{ stub: ExecutedCode; live: ExecutedCode }> {
  const stub = await executedWith({});
  await using fake = await startFakeOpenAi();
  fake.otherwise(translatingReply({ translate: () => translated }));
  const live = await executedWith({
    OPENAI_API_KEY: 'structure',
    OPENAI_BASE_URL: fake.baseUrl,
    OPENAI_EMBEDDING_MODEL: 'none',
  });
  return { stub, live };
}

/**
 * Starts the API with a separate database, warms it up, and sends `POST /api/translations` three times. Only code that
 * ran for each of the three jobs counts, so that timers are excluded.
 */
async function executedWith(env: Record<string, string>): Promise<ExecutedCode> {
  const dataDir = await mkdtemp(join(tmpdir(), 'lingualoop-structure-'));
  const hook = join(root, 'test/architecture/take-coverage.ts');
  const service = spawn(process.execPath, ['--import', hook, join(root, 'server/main.ts'), '--api-only'], {
    cwd: root,
    env: { PATH: process.env['PATH'] ?? '', PORT: '0', LOG_LEVEL: 'silent', DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const ended = once(service, 'exit');
  try {
    const address = await listeningAddress(service);
    const apiKey = await createTenant(address);
    const [warmUp, measured] = [animals.slice(0, 5), animals.slice(5)];
    for (const animal of warmUp) await translate(address, apiKey, animal);

    const runs: string[][] = [];
    for (const animal of measured) {
      await executedSince(service);
      await translate(address, apiKey, animal);
      runs.push(await executedSince(service));
    }
    const functions = (runs[0] as string[]).filter((name) => runs.every((run) => run.includes(name)));
    const files = [...new Set(functions.map((name) => name.slice(0, name.lastIndexOf(':'))))].sort();
    return { files, functions };
  } finally {
    service.kill('SIGTERM');
    await ended;
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function listeningAddress(service: ChildProcess): Promise<string> {
  let printed = '';
  for await (const chunk of service.stdout as NodeJS.ReadableStream) {
    printed += chunk;
    const address = /LinguaLoop.*?(https?:\/\/[\w.:-]+)/.exec(printed)?.[1];
    if (address) return address;
  }
  throw new Error('the service ended before it listened');
}

async function executedSince(service: ChildProcess): Promise<string[]> {
  const answer = once(service, 'message');
  service.send('take');
  const [executed] = await answer;
  return executed as string[];
}

async function createTenant(address: string): Promise<string> {
  const body = { tenant_name: 'Structure', email: 'ada@example.org', password: 'a long enough passphrase' };
  const signup = await post(`${address}/api/auth/signup/email`, body);
  return signup['tenant_api_key'] as string;
}

async function translate(address: string, apiKey: string, animal: string): Promise<void> {
  const text = `The quick brown fox jumps over the lazy ${animal}, and nobody minds.`;
  const body = { source_text: text, target_lang: 'fr' };
  const job = await post(`${address}/api/translations`, body, { 'x-api-key': apiKey });
  if (job['status'] !== 'published') throw new Error(`the job is ${job['status']}`);
}

async function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url} returned ${response.status}: ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}
