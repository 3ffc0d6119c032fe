import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { useTestApp } from '#test/setup/app.ts';
import { root, testFolder } from '#test/setup/launch.ts';
import { openProject } from './cli.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const run = promisify(execFile);
const example = join(root, 'examples/github-workflow');

interface Step {
  name?: string;
  run?: string;
  env?: Record<string, string>;
}

/** The commands of the workflow run in a clone, with programs in place of `npx` and `gh`. */
test('the example workflow translates what has changed, and opens one pull request', async () => {
  const workflow = parse(await readFile(join(example, 'translate.yml'), 'utf8'));
  const steps: Step[] = workflow.jobs.translate.steps;
  const [translate = '', open = ''] = steps.flatMap((step) => step.run ?? []);
  expect(workflow.permissions).toEqual({ contents: 'write', 'pull-requests': 'write' });

  const bin = await testFolder();
  const program = async (name: string, script: string) => {
    await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(bin, name), 0o755);
  };
  // `npx --yes @lingualoop/cli@0.1 translate …`
  await program('npx', `shift 2; exec "${process.execPath}" "${root}/sdk/cli/src/main.ts" "$@"`);
  await program(
    'gh',
    `echo "$1 $2" >> "${bin}/asked"; [ "$2" = view ] && [ -f "${bin}/opened" ] && echo OPEN; [ "$2" = create ] && touch "${bin}/opened"; exit 0`,
  );

  const mine = await openProject(app, { 'docs/a.txt': 'Hello\n', 'docs/drafts/b.txt': 'No\n' });
  await copyFile(join(example, 'lingualoop.json'), join(mine.folder, 'lingualoop.json'));
  const origin = await testFolder();
  const env = { PATH: `${bin}:${process.env['PATH']}`, HOME: bin, ...mine.credentials, GH_TOKEN: 'x' };
  const sh = (script: string) =>
    run('bash', ['-e', '-o', 'pipefail', '-c', script], { cwd: mine.folder, env });
  await run('git', ['init', '--quiet', '--bare', origin]);
  await sh(`git init --quiet --initial-branch main && git config user.name a && git config user.email a@example.org &&
    git remote add origin "${origin}" && git add --all && git commit --quiet --message Start && git push --quiet origin main`);

  await sh(translate);
  await sh(open);
  const { stdout: files } = await run('git', ['ls-tree', '-r', '--name-only', 'lingualoop-translations'], {
    cwd: origin,
  });
  expect(files.trim().split('\n')).toEqual([
    'docs/a.de.txt',
    'docs/a.fr.txt',
    'docs/a.txt',
    'docs/drafts/b.txt',
    'lingualoop.json',
    'lingualoop.lock.json',
  ]);
  expect((await readFile(join(bin, 'asked'), 'utf8')).trim().split('\n')).toEqual(['pr view', 'pr create']);

  // The pull request is merged, and nothing changes, so no pull request is needed.
  await sh('git switch --quiet main && git merge --quiet lingualoop-translations');
  await sh(translate);
  expect((await sh(open)).stdout).toContain('Nothing was translated.');

  // A change updates the same pull request.
  await writeFile(join(mine.folder, 'docs/a.txt'), 'Hello\n\nNew\n');
  await sh('git commit --quiet --all --message Change');
  await mkdir(join(mine.folder, 'docs'), { recursive: true });
  await sh(translate);
  await sh(open);
  expect((await readFile(join(bin, 'asked'), 'utf8')).trim().split('\n')).toEqual([
    'pr view',
    'pr create',
    'pr view',
  ]);
  expect(await mine.read('docs/a.de.txt')).toBe('[de] Hello\n\n[de] New\n');
  expect(await mine.billed()).toBe(2 * ('Hello'.length + 'New'.length));
});
