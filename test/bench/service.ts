import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Dispatcher, request } from 'undici';
import { joinEmbeddedPostgres } from '#db/embedded/index.ts';
import { type RunningService, startService } from '#test/setup/service.ts';

export interface BenchTenant {
  /** The address of its service. */
  address: string;
  tenantId: string;
  apiKey: string;
  email: string;
}

/** A service with its own embedded database, to which the benchmark also has access. */
export interface BenchService {
  service: RunningService;
  address: string;
  dataDir: string;
  /** The settings of the service. */
  env: Record<string, string>;
  /** The URLs of the database: with the owner's role, with the service's, and with the superuser's. */
  url: string;
  serviceUrl: string;
  superuserUrl: string;
  /** The process of PostgreSQL. */
  postmaster: number;
  tenant(): Promise<BenchTenant>;
}

/** Runs a service with workers, as started by `npm start`, or with `--api-only` without them. */
export async function withService(
  work: (open: BenchService) => Promise<void>,
  settings: Record<string, string> = {},
  args: string[] = [],
): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'lingualoop-bench-'));
  const server = await joinEmbeddedPostgres(dataDir);
  const env = {
    DATA_DIR: dataDir,
    AUTH_RATE_LIMIT_ENABLED: 'false',
    LOG_LEVEL: 'silent',
    MONTHLY_CHAR_CEILING: '1000000000',
    DEFAULT_MONTHLY_CHAR_LIMIT: '1000000000',
    ...settings,
  };
  try {
    const service = await startService(env, 'server/main.ts', args);
    const superuserUrl = new URL(server.superuserUrl);
    superuserUrl.pathname = new URL(server.url).pathname;
    const { address } = service;
    const pidFile = await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8');
    const urls = { url: server.ownerUrl, serviceUrl: server.url, superuserUrl: superuserUrl.href };
    try {
      await work({
        ...{ service, address, dataDir, env, ...urls },
        postmaster: Number(pidFile.split('\n')[0]),
        tenant: () => createBenchTenant(address),
      });
    } finally {
      await service.stop();
    }
  } finally {
    await server.leave();
    await rm(dataDir, { recursive: true, force: true });
  }
}

let founded = 0;

export async function createBenchTenant(address: string): Promise<BenchTenant> {
  founded += 1;
  const email = `bench${founded}@example.org`;
  const response = await fetch(`${address}/api/auth/signup/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      tenant_name: `Bench ${founded}`,
      email,
      password: 'a long enough passphrase',
    }),
  });
  const { account, tenant_api_key } = (await response.json()) as {
    account: { id: string };
    tenant_api_key: string;
  };
  return { address, tenantId: account.id, apiKey: tenant_api_key, email };
}

export interface TextJob {
  status: string;
  /** The response as it was sent. */
  text: string;
}

/**
 * Translates a text, or texts with `inputs`, into French.
 * @param dispatcher the connections; those of the process by default
 * @throws Error if the response is not 200
 */
export async function submitText(
  { address, apiKey }: Pick<BenchTenant, 'address' | 'apiKey'>,
  json: ({ source_text: string } & Record<string, unknown>) | { inputs: unknown[] },
  dispatcher?: Dispatcher,
): Promise<TextJob> {
  const { statusCode, body } = await request(`${address}/api/translations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify('inputs' in json ? json : { target_lang: 'fr', ...json }),
    ...(dispatcher && { dispatcher }),
  });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`a text answered ${statusCode} ${text.slice(0, 500)}`);
  return { status: (JSON.parse(text) as { status: string }).status, text };
}

/** Translates a file with `wait`, into French by the stub engine. @returns the ID of the document */
export async function submitFile(
  { address, apiKey }: BenchTenant,
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const form = new FormData();
  form.set('target_lang', 'fr');
  form.set('wait', 'true');
  form.set('source_document', new File([bytes], name));
  const response = await fetch(`${address}/api/documents/translate`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey },
    body: form,
  });
  const job = (await response.json()) as { id: string; status: string };
  if (job.status !== 'translated') throw new Error(`answered ${response.status}: ${JSON.stringify(job)}`);
  return job.id;
}
