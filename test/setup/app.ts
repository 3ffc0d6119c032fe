import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, vi } from 'vitest';
import { type Database, openDatabase } from '#db/client.ts';
import { buildApp } from '#server/app.ts';
import { openPaymentProcessor } from '#server/billing/capabilities.ts';
import type { Services } from '#server/context.ts';
import { stageRetry } from '#server/documents/run-document.ts';
import { type EngineParts, openWorkspaceEngines } from '#server/engines/workspace-engines.ts';
import { createGlossaries } from '#server/language/terminology/glossary.ts';
import { storeUses } from '#server/language/translation-memory/use-counts.ts';
import { createBackgroundWork } from '#server/platform/background-work.ts';
import { loadSecretsKeys } from '#server/platform/encryption.ts';
import type { Embedder, Engine } from '#server/platform/engines/engine.ts';
import { stubEngine } from '#server/platform/engines/stub.ts';
import { withTenantEngines } from '#server/platform/engines/tenant-engine.ts';
import { type FileWork, openFileWork } from '#server/platform/sandbox/file-work.ts';
import { openAccountStores } from '#server/platform/stores/account-stores.ts';
import { openPlatformStore } from '#server/platform/stores/platform-store.ts';
import { withRedaction } from '#server/redaction/redacted-models.ts';
import { readSettings } from '#server/settings.ts';
import { protectText } from '#server/translation/pipeline/protected-words.ts';
import { type RegistrationFields, registerFounder, tokensOf } from '../factories/registration.ts';
import { type FakeOpenAi, startFakeOpenAi } from '../fakes/openai.ts';
import { borrowDatabase, createTestDatabase } from './database.ts';

/** The expected body of an error (A 7.1, C 8), with its further fields. */
export function refusalOf(detail: unknown, further: Record<string, unknown> = {}) {
  return { detail, error_code: expect.any(String), request_id: expect.any(String), ...further };
}

export interface TestAppOptions {
  /** Environment variables that are added to the defaults, or replace them. */
  env?: Record<string, string> | undefined;
  /** The port. Needed only if the settings of the application contain its own URL. */
  port?: number;
  engine?: Engine;
  embedder?: Embedder;
  fileWork?: Parameters<typeof openFileWork>[0];
  /** Time limits and pauses of requests to tenants' own storage. */
  accountTimes?: Parameters<typeof openAccountStores>[2];
  /** The addresses of the services to which workspaces have their own keys. */
  engineAddresses?: EngineParts['addresses'];
  /** Why the tests cannot share a database, such as `plans depend on its statistics`. */
  ownDatabase?: string;
}

export interface TestApp {
  /** The URL of the HTTP server, without a slash at the end. */
  address: string;
  services: Services;
  database: Database;
  databaseUrl: string;
  /** The URL with the role that owns the tables. */
  ownerUrl: string;
  superuserUrl: string;
  /** Resolves when the work that earlier requests have left in the background has ended. */
  settled(): Promise<unknown>;
  /** The registered routes, such as `GET /healthz`. */
  routes: readonly string[];
  /** Sends a request over REST. */
  request(path: string, init?: RequestInit): Promise<Response>;
  /** Sends a JSON request, and parses the body of the response. */
  json(
    method: string,
    path: string,
    options?: { body?: unknown; headers?: Record<string, string> },
    // The parsed body of any route: the tests look into it freely.
    // biome-ignore lint/suspicious/noExplicitAny: see above
  ): Promise<{ status: number; headers: Headers; body: any }>;
  /**
   * Creates a workspace with a new name: in the database if the application runs in this process, otherwise over HTTP.
   */
  signUp(fields?: Record<string, unknown>): Promise<Signup>;
}

export interface Signup {
  tenantId: string;
  apiKey: string;
  accessToken: string;
  /** Headers that identify the tenant by its API key. */
  headers: Record<string, string>;
}

/** The SECRETS_KEY of all applications in tests. */
export const secretsKey = Buffer.alloc(32).toString('base64');

/** An address that refuses connections. */
const nowhere = 'http://127.0.0.1:9';

/**
 * The processes that read files, for all applications of this process: to start them for each test file would take a
 * second each time.
 */
const sharedFileWork: FileWork = openFileWork();

/** Milliseconds between two parts of a manifest: fewer than in production, because many tests look for a line. */
const manifestPause = 50;

// Many tests look for what remains after all retries.
stageRetry.pause = 50;

let founded = 0;

function newFounder(): RegistrationFields {
  founded += 1;
  return {
    tenant_name: `Workspace ${founded}`,
    email: `founder${founded}@example.org`,
    password: 'a long enough passphrase',
  };
}

const signupOf = (tenantId: string, apiKey: string, accessToken: string): Signup => ({
  tenantId,
  apiKey,
  accessToken,
  headers: { 'x-api-key': apiKey },
});

/** Starts an application in this process, on a free port, with the database at `databaseUrl`. */
async function startApp(databaseUrl: string, options: TestAppOptions) {
  const dataDir = await mkdtemp(join(tmpdir(), 'lingualoop-test-'));
  const settings = readSettings({
    LOG_LEVEL: 'silent',
    DATA_DIR: dataDir,
    SECRETS_KEY: secretsKey,
    ...options.env,
  });
  const platformStore = openPlatformStore(settings);
  const storage: typeof platformStore = {
    ...platformStore,
    addLine: (path, line, pauseMs) => platformStore.addLine(path, line, pauseMs && manifestPause),
  };
  const secretsKeys = await loadSecretsKeys(settings);
  const ownFileWork = options.fileWork && openFileWork(options.fileWork);
  // A copy, because a test may replace its functions.
  const fileWork =
    ownFileWork ?? Object.defineProperties({} as FileWork, Object.getOwnPropertyDescriptors(sharedFileWork));
  const database = openDatabase(databaseUrl, { size: 5, pooler: inject('pooler') });
  const workspaceEngines = openWorkspaceEngines(Promise.resolve(database), {
    ...{
      settings,
      secretsKeys,
      protect: protectText,
      addresses: { google: nowhere, ...options.engineAddresses },
    },
  });
  const engine = withTenantEngines(options.engine ?? stubEngine, workspaceEngines.find);
  const backgroundWork = createBackgroundWork();
  const works = new Set<Promise<unknown>>();
  const { track } = backgroundWork;
  backgroundWork.track = (work) => {
    works.add(work);
    const forget = () => void works.delete(work);
    work.then(forget, forget);
    return track(work);
  };
  const { http, services } = await buildApp({
    settings,
    database,
    engine,
    workspaceEngines,
    embedder: options.embedder ?? null,
    payments: await openPaymentProcessor(settings),
    storage,
    accountStores: openAccountStores(settings, secretsKeys, options.accountTimes),
    fileWork,
    glossaries: createGlossaries(),
    backgroundWork,
    secretsKeys,
  });
  const address = await http.listen({ host: '127.0.0.1', port: options.port ?? 0 });
  /** Replaces the engine and the embedder. */
  const use = (replaced: Engine, embedder: Embedder | null) => {
    const parts = { database, embedder, engine: withTenantEngines(replaced, workspaceEngines.find) };
    Object.assign(services, withRedaction(parts));
  };
  const close = async () => {
    await http.close();
    await ownFileWork?.close();
    await database.close();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  };
  return {
    address,
    services,
    database,
    routes: routesOf(http),
    settled: () => {
      storeUses(database);
      return Promise.allSettled(works);
    },
    use,
    /** Removes the stored files. */
    empty: () => rm(join(dataDir, 'storage'), { recursive: true, force: true, maxRetries: 5 }),
    close,
  };
}

/** The routes of an application, from the tree that Fastify prints: it shortens `/static/*` to `/*`. */
function routesOf(http: { printRoutes(options: { commonPrefix: false }): string }): string[] {
  const parents: string[] = [];
  return http
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', part = '', methods = ''] = /^(.*?[├└]── )(\S*) \(([A-Z, ]+)\)/.exec(line) ?? [];
      const depth = indent.length / 4;
      const path = ((parents[depth - 1] ?? '') + part).replace(/(?<!\/)\*$/, '/*');
      parents[depth] = path;
      return methods.split(', ').flatMap((method) => (method === '' ? [] : [`${method} ${path}`]));
    });
}

type StartedApp = Awaited<ReturnType<typeof startApp>>;

/** The applications that test files use one after another, by their database and what cannot change while they run. */
const kept = new Map<string, Promise<StartedApp>>();

/**
 * Returns an application for `options`. Test files share it if they need no rate limits and no settings but the
 * operator's key: only its engine and its embedder change.
 */
async function borrowApp(databaseUrl: string, options: TestAppOptions): Promise<StartedApp> {
  const { env = {}, engine = stubEngine, embedder = null, ...others } = options;
  const { AUTH_RATE_LIMIT_ENABLED, OPERATOR_API_KEY, ...settings } = env;
  const isCommon =
    AUTH_RATE_LIMIT_ENABLED === 'false' && Object.keys({ ...settings, ...others }).length === 0;
  if (!isCommon) return startApp(databaseUrl, options);
  const key = JSON.stringify([databaseUrl, OPERATOR_API_KEY, engine.live, engine.withoutJudge]);
  const started = kept.get(key) ?? startApp(databaseUrl, options);
  kept.set(key, started);
  const app = await started;
  const initial = { ...app.services };
  app.use(engine, embedder);
  const giveBack = async () => {
    vi.restoreAllMocks();
    await app.settled();
    Object.assign(app.services, initial);
    await app.empty();
  };
  return { ...app, close: giveBack };
}

/**
 * Gives the tests of the current file an application. Its database has no rows but those of a new installation. Both
 * are shared with other files that run in this process, unless `options` need others.
 */
export function useTestApp(options: TestAppOptions = {}): TestApp {
  const app = {} as TestApp;
  let close: (() => Promise<void>) | undefined;

  beforeAll(async () => {
    const testDatabase = await (options.ownDatabase ? createTestDatabase() : borrowDatabase());
    const { url: databaseUrl, ownerUrl, superuserUrl } = testDatabase;
    const started = await borrowApp(databaseUrl, options);
    close = async () => {
      await started.close();
      await testDatabase.drop();
    };
    const { services, database, routes, settled } = started;
    const signUp: TestApp['signUp'] = async (fields = {}) => {
      const { account, apiKey, signIn } = await registerFounder(services, { ...newFounder(), ...fields });
      return signupOf(account.id, apiKey, tokensOf(signIn).accessToken);
    };
    Object.assign(app, connect(started.address), {
      ...{ services, database, routes, settled, databaseUrl, ownerUrl, superuserUrl, signUp },
    });
  });

  afterAll(() => close?.());

  return app;
}

/** Starts a fake model for the current test file. */
export async function useFakeOpenAi(): Promise<FakeOpenAi> {
  const fake = await startFakeOpenAi();
  afterAll(() => fake.close());
  return fake;
}

/** Starts a second application in this process. It shares the database of `app`, but has its own settings. */
export async function startBeside(app: TestApp, env: Record<string, string>) {
  const { address, services, close } = await startApp(app.databaseUrl, { env });
  return { ...connect(address), services, close };
}

/** Functions that send requests to the application at `address`, with `send`. */
export function connect(
  address: string,
  send: (url: string, init?: RequestInit) => Promise<Response> = fetch,
): Pick<TestApp, 'address' | 'request' | 'json' | 'signUp'> {
  const request = (path: string, init?: RequestInit) => send(`${address}${path}`, init);

  const json: TestApp['json'] = async (method, path, { body, headers } = {}) => {
    const response = await request(path, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : parse(text),
    };
  };

  const signUp: TestApp['signUp'] = async (fields = {}) => {
    const signup = { ...newFounder(), ...fields };
    const { status, body } = await json('POST', '/api/auth/signup/email', { body: signup });
    if (status !== 200) throw new Error(`signup answered ${status}: ${JSON.stringify(body)}`);
    return signupOf(body.account.id, body.tenant_api_key, body.token.access_token);
  };

  return { address, request, json, signUp };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
