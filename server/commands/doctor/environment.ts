import { access, constants, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError } from '#server/errors.ts';
import { openEngines, selectModels } from '#server/platform/engines/select.ts';
import { newId } from '#server/platform/ids.ts';
import { openFileWork } from '#server/platform/sandbox/file-work.ts';
import { systemIsolation } from '#server/platform/sandbox/isolation.ts';
import { checkSmtp } from '#server/platform/smtp.ts';
import { openPlatformStore } from '#server/platform/stores/platform-store.ts';
import { hasLanguageModel } from '#server/settings/environment.ts';
import { publicAddress, type Settings } from '#server/settings.ts';
import { dist, readBuild } from '#web/server/build.ts';
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts';
import { judgeIsolation } from './isolation.ts';

const megabyte = 1024 * 1024;
/**
 * Free megabytes below which a check fails or warns. With less than `fail`, uploads and the embedded database may
 * stop working at any time.
 */
const freeSpace = { fail: 64, warn: 1024 };

/** Checks the folders to which the service writes, and the free space on their disks. */
export async function checkDisks(settings: Settings): Promise<Finding[]> {
  const { DATA_DIR, PLATFORM_STORAGE_URL, DATABASE_URL, SECRETS_KEY } = settings;
  const folders = new Map<string, string>();
  if (DATABASE_URL === undefined || SECRETS_KEY === undefined) folders.set(resolve(DATA_DIR), 'DATA_DIR');
  if (PLATFORM_STORAGE_URL?.startsWith('file:'))
    folders.set(fileURLToPath(PLATFORM_STORAGE_URL), 'PLATFORM_STORAGE_URL');
  if (PLATFORM_STORAGE_URL === undefined) folders.set(resolve(DATA_DIR), 'DATA_DIR');
  return Promise.all([...folders].map(([folder, setting]) => checkDisk(folder, setting)));
}

async function checkDisk(folder: string, setting: string): Promise<Finding> {
  const existing = await nearestFolder(folder);
  try {
    await access(existing, constants.W_OK | constants.X_OK);
  } catch {
    return fail(
      'disk',
      `${setting}: this user cannot write to ${existing}`,
      "make the service's user its owner, or set another folder",
    );
  }
  const { bavail, bsize } = await statfs(existing);
  const free = Math.floor((bavail * bsize) / megabyte);
  const message = `${setting}: ${free} MB are free in ${folder}`;
  const advice = 'free some space, or set a folder on a larger disk';
  if (free < freeSpace.fail) return fail('disk', message, advice);
  return free < freeSpace.warn ? warn('disk', message, advice) : ok('disk', message);
}

/** Returns the folder or, if it does not exist, its nearest existing parent. */
async function nearestFolder(folder: string): Promise<string> {
  for (let at = folder; ; at = dirname(at))
    if (
      at === dirname(at) ||
      (await access(at).then(
        () => true,
        () => false,
      ))
    )
      return at;
}

/** Checks whether an object can be written, read and removed. */
export async function checkStorage(settings: Settings): Promise<Finding> {
  const store = openPlatformStore(settings);
  await store.check();
  const path = `lingualoop-doctor/${newId()}`;
  await store.put(path, 'doctor');
  const read = await store.read(path, 0, 100);
  await store.remove(path);
  if (Buffer.from(read ?? []).toString() !== 'doctor')
    throw new Error('the test object could not be read back');
  const place = settings.PLATFORM_STORAGE_URL?.replace(/\?.*$/s, '') ?? `${settings.DATA_DIR}/storage`;
  return ok('storage', `an object was written, read and removed at ${place}`);
}

/** Checks whether the web application has been built. */
export async function checkWeb(): Promise<Finding> {
  return readBuild(dist)
    ? ok('web', 'the web application is built')
    : warn(
        'web',
        'the web application is not built; the API works without it',
        'npm run build:web, with the dev dependencies installed',
      );
}

/** Checks whether files of callers can be read in child processes, and how strongly the processes are isolated. */
export async function checkSandbox(settings: Settings): Promise<Finding[]> {
  const fileWork = openFileWork({ fontsDir: settings.FONTS_DIR });
  try {
    await fileWork.loadFonts();
    // These bytes are not a Word file. If the child process works, it rejects them.
    const payload = { kind: 'docx' as const, bytes: new Uint8Array(2000) };
    const result = await fileWork.run('flatten', payload, {
      tenantId: 'doctor',
      signal: AbortSignal.timeout(30_000),
    });
    if (!('refused' in result)) throw new Error('a child process returned a wrong result');
  } finally {
    await fileWork.close();
  }
  return judgeIsolation(await systemIsolation.get(), settings);
}

/** Checks the models by sending one short request to each. */
export async function checkEngine(settings: Settings): Promise<Finding[]> {
  const { ENGINES, ...own } = settings;
  return [
    ...(ENGINES ? await checkNamedEngines(settings) : []),
    ...(ENGINES && own.OPENAI_API_KEY === undefined ? [] : await checkEndpoint(own as Settings)),
  ];
}

/** Asks each engine of ENGINES for one short translation, and language models for one judgement. An engine without this pair of languages has responded, too. */
async function checkNamedEngines(settings: Settings): Promise<Finding[]> {
  const engines = await openEngines({ ...settings, OPENAI_MAX_RETRIES: 2 });
  const findings = engines.map(async ({ name, model, translate }): Promise<Finding> => {
    const begun = performance.now();
    try {
      await translate({ ...greeting, targetLang: 'es' }, checkScope());
      await model?.assess(greeting, ['Bonjour.'], checkScope());
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'validation_error'))
        return fail(
          'engine',
          `the engine ${name} does not respond: ${reasonOf(error)}`,
          `check the address and the key of ${name} in ENGINES`,
        );
    }
    return ok('engine', `the engine ${name} responds in ${Math.round(performance.now() - begun)} ms`);
  });
  const { without_judge } = settings.ENGINES!;
  return [
    ...(await Promise.all(findings)),
    ...(hasLanguageModel(settings)
      ? []
      : [
          warn(
            'engine',
            without_judge === 'review'
              ? 'no language model judges: each translation of an engine needs a review'
              : 'no language model judges: translations are published after the checks of the service alone',
            'add an engine of the kind openai or anthropic to ENGINES, or set OPENAI_API_KEY',
          ),
        ]),
  ];
}

const greeting = {
  segments: ['Good morning.'],
  sourceLang: 'en',
  targetLang: 'fr',
  textType: 'Plain' as const,
  tone: null,
  gender: null,
  domain: null,
};

const checkScope = () => ({ tenantId: 'doctor', signal: AbortSignal.timeout(60_000) });

async function checkEndpoint(settings: Settings): Promise<Finding[]> {
  if (settings.OPENAI_API_KEY === undefined)
    return [
      warn(
        'engine',
        'no model is connected: the stub engine runs, which does not translate',
        'set OPENAI_API_KEY, and OPENAI_BASE_URL for an endpoint other than OpenAI',
      ),
    ];
  // Two retries are needed: an endpoint that ignores the output mode gets the next mode only after its second
  // response.
  const { engine, embedder, modeOf } = await selectModels({ ...settings, OPENAI_MAX_RETRIES: 2 });
  const scope = checkScope();
  const ask = async (setting: string, model: string, question: () => Promise<unknown>): Promise<Finding> => {
    const begun = performance.now();
    try {
      await question();
      const ms = Math.round(performance.now() - begun);
      const mode = modeOf && model !== embedder?.model ? `, output mode ${modeOf(model)}` : '';
      return ok('engine', `${setting} ${model} responds in ${ms} ms${mode}`);
    } catch (error) {
      return fail(
        'engine',
        `${setting} ${model} does not respond: ${reasonOf(error)}`,
        'check OPENAI_BASE_URL, OPENAI_API_KEY and the name of the model',
      );
    }
  };
  return [
    await ask('OPENAI_MODEL', settings.OPENAI_MODEL, () => engine.translate(greeting, scope)),
    await ask('OPENAI_REFINER_MODEL', settings.OPENAI_REFINER_MODEL, () =>
      engine.assess(greeting, ['Bonjour.'], scope),
    ),
    ...(embedder
      ? [await ask('OPENAI_EMBEDDING_MODEL', embedder.model, () => embedder.embed(['Good morning.'], scope))]
      : []),
  ];
}

/** Checks whether the port of the API is free, or in use by the service. */
export async function checkPort(settings: Settings): Promise<Finding> {
  if (settings.PORT === 0) return ok('port', 'the system selects a free port');
  const { BASE_URL: _public, ...own } = settings;
  const address = publicAddress(own as Settings).replace(/\/\/0\.0\.0\.0:/, '//127.0.0.1:');
  try {
    const response = await fetch(`${address}/healthz`, { signal: AbortSignal.timeout(3000) });
    const body = (await response.json()) as { stub_mode?: unknown };
    if (body.stub_mode !== undefined) return ok('port', `the service runs at ${address}`);
  } catch (error) {
    const { cause } = error as { cause?: { code?: string } };
    if (cause?.code === 'ECONNREFUSED') return ok('port', `${address} is free`);
  }
  return fail('port', `another process listens at ${address}`, 'stop it, or set PORT to another number');
}

/** Checks whether the identity provider responds, if single sign-on is enabled. */
export async function checkSso(settings: Settings): Promise<Finding[]> {
  if (!settings.OIDC_ENABLED) return [];
  const { openSsoProvider } = await import('#server/identity/auth/sso/provider.ts');
  const exchange = {
    redirectUri: `${publicAddress(settings)}/`,
    state: 'doctor',
    nonce: 'doctor',
    codeVerifier: 'd'.repeat(43),
  };
  await openSsoProvider(settings).authorizationUrl(exchange);
  return [ok('sso', `${settings.OIDC_ISSUER} answers`)];
}

/** Checks whether the mail server accepts a connection and the sign-in, if mail is on. It sends no mail. */
export async function checkMail(settings: Settings): Promise<Finding[]> {
  const { MAIL_SERVER: server } = settings;
  if (server === undefined) return [];
  const { host } = new URL(server.url);
  try {
    await checkSmtp(settings);
    return [ok('mail', `${host} accepts connections; mails are sent from ${server.from}`)];
  } catch (error) {
    const { code, responseCode, message } = error as Error & { code?: string; responseCode?: number };
    return [
      fail(
        'mail',
        `${host} cannot be used: ${[code, responseCode].filter(Boolean).join(' ') || message}`,
        'check MAIL_SERVER: scheme, host, port, and percent-encoded credentials; over smtp://, credentials need STARTTLS',
      ),
    ];
  }
}

/** Checks whether Node has the version that `npm ci` installs. */
export async function checkNode(): Promise<Finding> {
  // An earlier version than the required one does not get here.
  return ok('node', `Node ${process.versions.node}`);
}

/** Whether a start of the service has created the embedded database. The doctor does not create one. */
export async function hasEmbeddedDatabase({ DATA_DIR }: Settings): Promise<boolean> {
  return access(resolve(DATA_DIR, 'postgres')).then(
    () => true,
    () => false,
  );
}
