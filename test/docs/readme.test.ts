import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LinguaLoop } from '#sdk/index.ts';
import { commandsByName } from '#server/commands/admin/command-line.ts';
import { settingNames, settingsInFiles } from '#server/settings/environment.ts';
import { readSettings } from '#server/settings.ts';
import { anchorOf } from '#web/server/guide-pages.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const pages = ['README.md', 'CONTRIBUTING.md', 'sdk/README.md', ...globSync('docs/**/*.md', { cwd: root })];

test('docs/settings.md names every setting with its default, and no others', () => {
  const rows = [...read('docs/settings.md').matchAll(/^\| (`[A-Z].*?) \| (.*?) \|/gm)];
  const named = rows.flatMap(([, names]) =>
    [...(names as string).matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name),
  );
  expect(new Set(named).size).toBe(named.length);

  expect(named.sort()).toEqual([...settingNames].sort());

  const defaults = readSettings({}) as Record<string, unknown>;
  for (const [, names, stated] of rows) {
    const listed = [...(names as string).matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name as string);
    const values = [...(stated as string).matchAll(/`([^`]+)`/g)].map(([, value]) => value);
    if (values.length !== listed.length) continue;
    for (const [i, name] of listed.entries())
      if (name !== 'BASE_URL') expect(`${name}=${String(defaults[name])}`).toBe(`${name}=${values[i]}`);
  }
});

test('docs/settings.md names every setting that can be in a file', () => {
  const [, paragraph = ''] = /\n(A secret can be in a file[^|]*?)\n\n/.exec(read('docs/settings.md')) ?? [];
  const named = [...paragraph.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name);
  expect(named.sort()).toEqual(['_FILE', ...settingsInFiles].sort());
});

describe('commands', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const users = ['README.md', 'CONTRIBUTING.md', 'docs/running.md'];
  const text = users.map(read).join('\n');

  test('every command of package.json is named', () => {
    for (const name of Object.keys(scripts)) expect(text).toMatch(new RegExp(`npm (run )?${name}\\b`));
  });

  test('every command that a page names is one of package.json', () => {
    for (const page of pages.filter((path) => path !== 'sdk/README.md'))
      for (const [, name] of read(page).matchAll(/\bnpm run (?:-s )?([\w:-]+)/g))
        expect(scripts, `${page}: npm run ${name}`).toHaveProperty([name as string]);
  });

  test('every operator command is named', () => {
    const running = read('docs/running.md');
    for (const name of commandsByName.keys()) expect(running).toMatch(new RegExp(`\\| .*\`${name}\\b`));
  });
});

test('sdk/README.md lists all methods of the client', () => {
  const client = new LinguaLoop({ baseUrl: 'http://127.0.0.1', apiKey: 'none' });
  const rows = Object.entries(client).map(([resource, part]: [string, object]) => {
    const methods = Object.entries(part).flatMap(([name, value]: [string, object]) =>
      typeof value === 'function' ? [name] : Object.keys(value).map((method) => `${name}.${method}`),
    );
    return `| \`${resource}\` | ${methods.map((method) => `\`${method}\``).join(', ')} |`;
  });
  expect(rows.length).toBeGreaterThan(10);
  expect(read('sdk/README.md').split('\n')).toEqual(
    expect.arrayContaining(rows.filter((row) => !/\| {2}\|/.test(row))),
  );
});

test('every file and directory that a page names by its whole path exists', () => {
  const lost = pages.flatMap((page) =>
    [
      ...read(page).matchAll(
        /`((?:server|db|rest|workers|web|sdk|test|examples|docs|docker)\/[\w./-]*)[`:#]/g,
      ),
    ]
      .map(([, path]) => path as string)
      .filter((path) => !existsSync(join(root, path)))
      .map((path) => `${page}: ${path}`),
  );
  expect(lost).toEqual([]);
});

test('every file that docs/architecture.md names exists, from the root or from server/', () => {
  const named = [...read('docs/architecture.md').matchAll(/(?<![\w/.-])[\w-]+(?:\/[\w-]+)+\.ts\b/g)];
  expect(named.length).toBeGreaterThan(20);
  const lost = named
    .map(([path]) => path)
    .filter((path) => !existsSync(join(root, path)) && !existsSync(join(root, 'server', path)));
  expect(lost).toEqual([]);
});

test('every link between pages leads to a file, and to a heading of it', () => {
  const broken = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:)([^)\s#]*)(?:#([^)\s]+))?\)/g)].flatMap(
      ([link, path, anchor]) => {
        const target = path ? join(dirname(page), path) : page;
        if (!existsSync(join(root, target))) return [`${page}: ${link}`];
        return anchor && !anchorsOf(target).has(anchor) ? [`${page}: ${link}`] : [];
      },
    ),
  );
  expect(broken).toEqual([]);
});

/** The anchors of a page: those that it defines, and those of its headings. */
function anchorsOf(page: string): Set<string> {
  const text = read(page);
  const set = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id as string);
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) => anchorOf(title as string));
  return new Set([...set, ...headings]);
}

describe('packages of this repository', () => {
  const manifests = globSync(['sdk/package.json', 'sdk/cli/package.json'], { cwd: root });
  const names = manifests.map((path) => (JSON.parse(read(path)) as { name: string }).name);
  const shown = globSync(
    ['**/*.{md,yml,yaml,sh}', '{web,server,sdk,examples}/**/*.{ts,tsx,json}', '.ci/run', 'Dockerfile'],
    { cwd: root, exclude: ['**/node_modules', '**/dist', 'CHANGELOG.md'] },
  );

  test('are in no registry, so nothing that a reader sees installs or runs them from one', () => {
    expect(names).toEqual(['@lingualoop/sdk', '@lingualoop/cli']);
    expect(shown.length).toBeGreaterThan(500);
    // A name after the command of a package manager, or a published action.
    const fetched =
      /\b(?:npx|npm|pnpm|yarn|bunx?|deno|dlx)\b[^\n]*?[\s'"](?:npm:)?(?:@lingualoop\/|lingualoop(?:@|$))|uses:\s*lingualoop\b/m;
    for (const wrong of [
      'npx --yes @lingualoop/cli@1 x',
      'npm i @lingualoop/sdk',
      'yarn add npm:@lingualoop/sdk',
    ])
      expect(wrong).toMatch(fetched);
    expect(shown.filter((path) => fetched.test(read(path)))).toEqual([]);
  });

  test('have the version that the pages name', () => {
    for (const [at, path] of manifests.entries()) {
      const { version } = JSON.parse(read(path)) as { version: string };
      const file = `${names[at]!.replace('@', '').replace('/', '-')}-${version}.tgz`;
      const naming = shown.filter((page) => page.endsWith('.md') && read(page).includes(file));
      expect(naming.length, file).toBeGreaterThan(0);
    }
  });

  test('are not shown with a key where only a session of an administrator is accepted', () => {
    for (const page of pages.filter(
      (path) => path.startsWith('docs/') && !path.startsWith('docs/decisions/'),
    ))
      for (const [line] of read(page).matchAll(/^.*setSecurityPolicy\([\s\S]*?\n.*$/gm))
        expect(line, page).toMatch(/session|`client\.auth/);
  });
});
