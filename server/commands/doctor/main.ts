import { joinDatabase } from '#server/platform/database-home.ts';
import { loadSecretsKeys, type SecretsKeys } from '#server/platform/encryption.ts';
import { refuseContradictions } from '#server/platform/process-settings.ts';
import { listenForStop } from '#server/platform/stop-signals.ts';
import { readSettings, type Settings } from '#server/settings.ts';
import { checkDatabase } from './database.ts';
import {
  checkDisks,
  checkEngine,
  checkMail,
  checkNode,
  checkPort,
  checkSandbox,
  checkSso,
  checkStorage,
  checkWeb,
  hasEmbeddedDatabase,
} from './environment.ts';
import { check, type Finding, fail, ok, reasonOf, summary } from './finding.ts';
import { checkSettings } from './settings.ts';

const usage = `npm run doctor

Checks everything that the service needs, during normal operation or before its first start, with the service's own
environment. It prints what it finds and how to fix it, and changes nothing. With a model, it sends each a short request.

Exit codes: 0 if no check failed (there may be warnings), otherwise 1.`;

// Handle signals: a process that has started the embedded database must also stop it.
const { stop } = listenForStop();

async function diagnose(print: (finding: Finding) => void): Promise<void> {
  const report = async (about: string, look: () => Promise<Finding | Finding[]>, advice: string) => {
    if (!stop.aborted) for (const finding of await check(about, look, advice)) print(finding);
  };
  let settings: Settings;
  try {
    settings = readSettings();
    refuseContradictions(settings, { api: true });
  } catch (error) {
    print(fail('settings', reasonOf(error), 'docs/settings.md lists the allowed values'));
    return;
  }
  await report('node', checkNode, 'start it with npm');
  await report('settings', async () => checkSettings(settings), '');
  await report('disk', () => checkDisks(settings), 'check DATA_DIR and PLATFORM_STORAGE_URL');
  await report(
    'database',
    () => lookAtDatabase(settings),
    'check DATABASE_URL, and that PostgreSQL is running',
  );
  await report('storage', () => checkStorage(settings), 'check PLATFORM_STORAGE_URL and its permissions');
  await report(
    'sandbox',
    () => checkSandbox(settings),
    'allow child processes; the log of the service has details',
  );
  await report('engine', () => checkEngine(settings), 'check OPENAI_BASE_URL and OPENAI_API_KEY');
  await report('sso', () => checkSso(settings), 'check OIDC_ISSUER, and that this machine can reach it');
  await report('mail', () => checkMail(settings), 'check MAIL_SERVER');
  await report('web', checkWeb, 'npm run build:web');
  await report('port', () => checkPort(settings), 'check HOST and PORT');
}

async function lookAtDatabase(settings: Settings): Promise<Finding[]> {
  if (settings.DATABASE_URL === undefined && !(await hasEmbeddedDatabase(settings)))
    return [ok('database', `not created yet; the first start creates it in ${settings.DATA_DIR}`)];
  const found: Finding[] = [];
  let keys: SecretsKeys | undefined;
  try {
    keys = await loadSecretsKeys(settings, { make: false });
  } catch (error) {
    found.push(
      fail(
        'secrets',
        reasonOf(error),
        'set the key, or restore the file from a backup; for a new database: openssl rand -base64 32',
      ),
    );
  }
  const home = await joinDatabase(settings, stop);
  try {
    return [...found, ...(await checkDatabase(home.url, settings, keys))];
  } finally {
    await home.stop();
  }
}

if (process.argv.length > 2) {
  process.stdout.write(`${usage}\n`);
  process.exit(process.argv.includes('--help') ? 0 : 1);
}
const counts = { ok: 0, warn: 0, fail: 0 };
await diagnose(({ about, state, message, advice }) => {
  counts[state] += 1;
  process.stdout.write(`${state.padEnd(4)}  ${about.padEnd(8)}  ${message}\n`);
  if (advice) process.stdout.write(`                → ${advice}\n`);
});
process.stdout.write(`${stop.aborted ? 'Stopped.' : summary(counts)}\n`);
process.exit(counts.fail === 0 ? 0 : 1);
