import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/*
 * Keeps the translations of a repository in one pull request. `prepare` goes to its branch, with the latest sources, so that
 * corrections in the pull request stay. `publish` commits the translations, pushes them, and opens the pull request. Both
 * run in the clone, with the variables that GitHub Actions sets.
 */

const read = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`the variable ${name} is missing`);
  return value;
};

const [api, repository, token] = ['GITHUB_API_URL', 'GITHUB_REPOSITORY', 'GITHUB_TOKEN'].map(read) as [
  string,
  string,
  string,
];
const [base, branch] = ['BASE', 'BRANCH'].map(read) as [string, string];

const git = (...args: string[]): string =>
  execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();

async function request(method: string, query: string, body?: object): Promise<unknown> {
  const response = await fetch(`${api}/repos/${repository}/pulls${query}`, {
    method,
    headers: { authorization: `Bearer ${token}`, accept: 'application/vnd.github+json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (response.ok) return response.json();
  const problem = (await response.text()).slice(0, 500);
  throw new Error(
    `GitHub answers ${response.status} to ${method} /pulls: ${problem}. Are pull requests by workflows allowed?`,
  );
}

async function isOpen(): Promise<boolean> {
  const head = `${repository.split('/')[0]}:${branch}`;
  const query = new URLSearchParams({ state: 'open', head, base });
  return ((await request('GET', `?${query}`)) as unknown[]).length > 0;
}

/** Returns the commit of the branch at GitHub; empty without one. */
const remote = () => git('ls-remote', 'origin', `refs/heads/${branch}`).split('\t')[0] ?? '';

/** Returns the files that the command has written: its lock file, and the translations in it. */
function written(): string[] {
  const lock = 'lingualoop.lock.json';
  let files: Record<string, Record<string, { output: string }>> = {};
  try {
    files = JSON.parse(readFileSync(lock, 'utf8')).files;
  } catch {
    // Nothing was translated.
  }
  const outputs = Object.values(files).flatMap((langs) => Object.values(langs).map(({ output }) => output));
  const own = new Set([lock, ...outputs]);
  const changed = git('ls-files', '-z', '--modified', '--others', '--exclude-standard').split('\0');
  return changed.filter((path) => own.has(path));
}

async function prepare(): Promise<void> {
  git('config', 'lingualoop.lease', remote());
  git('config', 'user.name', 'lingualoop');
  git('config', 'user.email', 'lingualoop@users.noreply.github.com');
  git('fetch', '--quiet', 'origin', base);
  if (!(await isOpen())) {
    git('switch', '--quiet', '--force-create', branch, 'FETCH_HEAD');
    return;
  }
  const newest = git('rev-parse', 'FETCH_HEAD');
  git('fetch', '--quiet', 'origin', branch);
  git('switch', '--quiet', '--force-create', branch, 'FETCH_HEAD');
  try {
    git('merge', '--quiet', '--no-edit', newest);
  } catch {
    git('merge', '--abort');
    throw new Error(
      `${base} conflicts with the pull request of ${branch}: resolve the conflict there, or close it`,
    );
  }
}

async function publish(): Promise<void> {
  const paths = written();
  if (paths.length > 0) git('--literal-pathspecs', 'add', '--', ...paths);
  if (git('diff', '--cached', '--name-only') !== '')
    git('commit', '--quiet', '--message', 'Update translations');
  if (git('rev-list', '--count', `origin/${base}..HEAD`) === '0') {
    console.log('Nothing was translated.');
    return;
  }
  const open = await isOpen();
  // The branch of a closed pull request is replaced. The push fails if someone has pushed in between.
  const lease = `--force-with-lease=refs/heads/${branch}:${git('config', '--get', 'lingualoop.lease')}`;
  git('push', '--quiet', ...(open ? [] : [lease]), 'origin', `HEAD:refs/heads/${branch}`);
  if (open) return;
  const body = 'Translated by LinguaLoop. Corrections in this pull request are kept by later runs.';
  await request('POST', '', { title: 'Update translations', head: branch, base, body });
}

const steps: Record<string, () => Promise<void>> = { prepare, publish };
const step = steps[process.argv[2] ?? ''];
if (!step) throw new Error('prepare or publish is expected');
try {
  if (base === branch)
    throw new Error(`the branch of the pull request is ${base}, into which it is merged; name another one`);
  await step();
} catch (error) {
  const { message } = error as Error;
  // GitHub reads each line as a command.
  const line = message.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  console.error(`::error::${line}`);
  process.exitCode = 1;
}
