import { type Settings, SettingsError } from '#server/settings.ts';

/**
 * Combinations of settings with which a process would start but would not work as intended. If one applies, the
 * process does not start; the first one is reported.
 */
const contradictions: readonly ((settings: Settings, parts: { api: boolean }) => string | false)[] = [
  ({ OPENAI_BASE_URL, OPENAI_API_KEY }) =>
    OPENAI_BASE_URL !== undefined &&
    OPENAI_API_KEY === undefined &&
    'OPENAI_BASE_URL: requires OPENAI_API_KEY (any text, if the endpoint needs no key), because without a key the stub engine runs',
  ({ ENGINES, OPENAI_API_KEY }) =>
    OPENAI_API_KEY !== undefined &&
    ENGINES?.engines['openai'] !== undefined &&
    'ENGINES: engines.openai needs another name, because openai is the engine of OPENAI_API_KEY',
  (settings) => {
    const names = namesOfEngines(settings);
    const unknown = settings.ENGINES?.routes.flatMap(({ use }) => use).find((name) => !names.has(name));
    return unknown !== undefined && `ENGINES: routes use ${unknown}, which is not in engines`;
  },
  (settings) => {
    const { judge } = settings.ENGINES ?? {};
    if (judge === undefined) return false;
    const kind = namesOfEngines(settings).get(judge);
    const isModel = kind === 'openai' || kind === 'anthropic';
    return !isModel && `ENGINES: judge is ${judge}, which must be an engine of the kind openai or anthropic`;
  },
  ({ DATABASE_URL, DATABASE_MIGRATION_URL }) =>
    DATABASE_MIGRATION_URL !== undefined &&
    DATABASE_URL === undefined &&
    'DATABASE_MIGRATION_URL: requires DATABASE_URL; the embedded database has its own roles',
  ({ DATABASE_URL, DATABASE_POOLS }) =>
    DATABASE_POOLS.pooler !== undefined &&
    DATABASE_URL === undefined &&
    'DATABASE_POOLS: pooler requires DATABASE_URL, the URL of PostgreSQL itself',
  ({ OPERATOR_API_KEY, SERVICE_API_KEY }) =>
    OPERATOR_API_KEY !== undefined &&
    OPERATOR_API_KEY === SERVICE_API_KEY &&
    'SERVICE_API_KEY: must differ from OPERATOR_API_KEY, which reaches every tenant',
  ({ PORT, METRICS }, { api }) =>
    api && PORT !== 0 && METRICS?.port === PORT && 'METRICS: port must differ from PORT',
  ({ MAIL_SERVER, BASE_URL }) =>
    MAIL_SERVER !== undefined &&
    BASE_URL === undefined &&
    'BASE_URL: is required with MAIL_SERVER, because mails contain links to it',
];

/** The kinds of the engines by their names. */
function namesOfEngines({ ENGINES, OPENAI_API_KEY }: Settings): ReadonlyMap<string, string> {
  const own = Object.entries(ENGINES?.engines ?? {}).map(([name, { kind }]) => [name, kind] as const);
  return new Map([...(OPENAI_API_KEY === undefined ? [] : [['openai', 'openai'] as const]), ...own]);
}

/**
 * Rejects settings that cannot work together in a process with these parts. Applications in tests may omit settings
 * that they do not use.
 * @throws SettingsError with one sentence that begins with the setting to change
 */
export function refuseContradictions(settings: Settings, parts: { api: boolean }): void {
  for (const contradiction of contradictions) {
    const sentence = contradiction(settings, parts);
    if (sentence) throw new SettingsError(sentence);
  }
}

/**
 * Rejects a storage directory that cannot be written, because every translation would fail. An unreachable Data Lake
 * or a full disk is not rejected: this is an outage that may end while the process runs.
 * @throws SettingsError
 */
export async function refuseUnusableFolder(
  storage: { isLocal: boolean; check(): Promise<unknown> },
  settings: Settings,
): Promise<void> {
  if (!storage.isLocal) return;
  await storage.check().catch((error: NodeJS.ErrnoException) => {
    if (error.code === undefined) return;
    const setting = settings.PLATFORM_STORAGE_URL === undefined ? 'DATA_DIR' : 'PLATFORM_STORAGE_URL';
    throw new SettingsError(`${setting}: this process cannot write to its directory (${error.message})`, {
      cause: error,
    });
  });
}

/**
 * Converts a failure to listen to one sentence that begins with the settings. Returns other errors unchanged.
 * @param names the settings of the host and of the port
 */
export function explainListening(
  error: unknown,
  [hostName, portName]: readonly [string, string],
  { host, port }: { host: string; port: number },
): unknown {
  const { code } = error as { code?: unknown };
  const sentences: Record<string, string> = {
    EADDRINUSE: `${portName}: another process already listens at ${host}:${port}`,
    EACCES: `${portName}: this user is not allowed to listen at ${port}`,
    EADDRNOTAVAIL: `${hostName}: this machine does not have the IP address ${host}`,
    ENOTFOUND: `${hostName}: the host ${host} does not exist`,
  };
  const sentence = typeof code === 'string' ? sentences[code] : undefined;
  return sentence === undefined ? error : new SettingsError(sentence, { cause: error });
}
