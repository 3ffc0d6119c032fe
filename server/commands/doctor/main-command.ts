import { joinDatabase } from '#server/platform/database-home.ts';
import { loadSecretsKeys, type SecretsKeys } from '#server/platform/encryption.ts';
import { refuseContradictions } from '#server/platform/process-settings.ts';
import { listenForStop } from '#server/platform/stop-signals.ts';
import { readSettings, type Settings } from '#server/settings.ts';
import { checkDatabase } from './database.ts';
import { check, type Finding, fail, ok, reasonOf } from './finding.ts';
import { checkSettings } from './settings.ts';
import {
  checkDisks,
  checkEngine,
  checkNode,
  checkPort,
  checkSandbox,
  checkSso,
  checkStorage,
  checkWeb,
  hasEmbeddedDatabase,
} from './surroundings.ts';

const usage = `npm run doctor

Looks at everything that the service needs, beside a running service or before its first start, with the service's own
environment. It says what it finds and what to do, and changes nothing. With a model, it asks each a small question.

Exit codes: 0 if nothing has failed (warnings may be left), otherwise 1.`;

// Whoever started the embedded database must also stop it.
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
    print(fail('settings', reasonOf(error), 'docs/settings.md says what each may be'));
    return;
  }
  await report('node', checkNode, 'run it by npm');
  await report('settings', async () => checkSettings(settings), '');
  await report('disk', () => checkDisks(settings), 'look at DATA_DIR and PLATFORM_STORAGE_URL');
  await report(
    'database',
    () => lookAtDatabase(settings),
    'look at DATABASE_URL, and whether PostgreSQL runs',
  );
  await report('storage', () => checkStorage(settings), 'look at PLATFORM_STORAGE_URL and its permissions');
  await report('sandbox', checkSandbox, 'child processes must be allowed; the log of the service says more');
  await report('engine', () => checkEngine(settings), 'look at OPENAI_BASE_URL and OPENAI_API_KEY');
  await report('sso', () => checkSso(settings), 'look at OIDC_ISSUER, and whether this machine reaches it');
  await report('web', checkWeb, 'npm run build:web');
  await report('port', () => checkPort(settings), 'look at HOST and PORT');
}

async function lookAtDatabase(settings: Settings): Promise<Finding[]> {
  if (settings.DATABASE_URL === undefined && !(await hasEmbeddedDatabase(settings)))
    return [ok('database', `there is none yet: the first start makes it in ${settings.DATA_DIR}`)];
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
let failed = 0;
await diagnose(({ about, state, says, advice }) => {
  if (state === 'fail') failed += 1;
  process.stdout.write(`${state.padEnd(4)}  ${about.padEnd(8)}  ${says}\n`);
  if (advice) process.stdout.write(`                → ${advice}\n`);
});
const result =
  failed === 0 ? 'Nothing has failed.' : `${failed} ${failed === 1 ? 'check has' : 'checks have'} failed.`;
process.stdout.write(`${stop.aborted ? 'Stopped.' : result}\n`);
process.exit(failed === 0 ? 0 : 1);
