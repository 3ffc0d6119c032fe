import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { startWorkers, type Workers } from '#workers/run.ts';
import { runShell } from './shell.ts';
import { pages, root, type Snippet, sectionOf, snippetsOf, variablesOf } from './snippets.ts';

const run = promisify(execFile);

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
let workers: Workers;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lingualoop-pages-'));
  workers = await startWorkers(app.services, () => app.databaseUrl);
});
afterAll(async () => {
  await workers?.stop();
  await rm(folder, { recursive: true, force: true });
});

/**
 * Pages that are tested elsewhere (test/first-hour): on a clone of the repository, with a service that their own
 * commands start.
 */
const runElsewhere = ['README.md'];
/** Maximum milliseconds for all commands of a page. */
const longestRun = 80_000;
/**
 * The page of the SDK's package, which people read outside of the repository. Each program on it is complete; the files
 * that the programs need are listed here.
 */
const ofPackage = 'sdk/README.md';
const besidePackage = {
  'minutes.docx': 'files/minutes.docx',
  'menu.xlsx': 'translate-document/menu.xlsx',
  'terms.csv': 'import-memory/canteen.csv',
  'legacy.tmx': 'import-memory/canteen.tmx',
};
const quickStart = 'docs/quick-start.md';
/** The parts of the quick start that other pages use: they set the API key, the session and the client. */
const beginning = snippetsOf(quickStart, sectionOf(quickStart, '## Your key'));

const nameOf = (page: string) => page.replaceAll('/', '-').replace(/\.md$/, '');
const isRun = ({ reason }: Snippet) => reason === undefined;
const codeOf = (snippets: readonly Snippet[], language: string) =>
  snippets.filter((one) => one.language === language && isRun(one));

const all = pages.flatMap((page) => snippetsOf(page));

test('every block of code runs in a test, is a drawing, or has a reason why it does not run', () => {
  const unclear = all.filter(
    ({ language, reason }) => !['sh', 'ts', ''].includes(language) && (reason?.split(' ').length ?? 0) < 3,
  );
  expect(unclear.map(({ page, line, language }) => `${page}:${line} ${language}`)).toEqual([]);
  const short = all.filter(({ reason }) => reason !== undefined && reason.split(' ').length < 3);
  expect(short.map(({ page, line, reason }) => `${page}:${line} ${reason}`)).toEqual([]);
});

test('no command has a comment, which an interactive shell may read as arguments', () => {
  const commented = all
    .filter(({ language }) => language === 'sh')
    .flatMap(({ page, line, code }) =>
      code.split('\n').flatMap((text, at) => (/(^|\s)#/.test(text) ? [`${page}:${line + at} ${text}`] : [])),
    );
  expect(commented).toEqual([]);
});

test('every test that a reason names exists', () => {
  const named = all.flatMap(({ page, line, reason = '' }) =>
    [...reason.matchAll(/\b(?:test|\.ci)\/[\w./-]+/g)].map(([path]) => ({ path, at: `${page}:${line}` })),
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter(({ path }) => !existsSync(join(root, path)))).toEqual([]);
});

const runnable = pages.filter(
  (page) =>
    ![...runElsewhere, ofPackage].includes(page) &&
    all.some((one) => one.page === page && isRun(one) && one.language),
);

const ofPackagePage = all.filter(({ page, language }) => page === ofPackage && language === 'ts');
const fileOf = ({ line }: Snippet) => `line-${line}.ts`;

test('the TypeScript of every page compiles, and each program of the package’s page', async () => {
  const place = join(folder, 'programs');
  await mkdir(place);
  const programs = [
    ...runnable.map((page) => [`${nameOf(page)}.ts`, programOf(page)] as const),
    ...ofPackagePage.map((one) => [fileOf(one), one.code] as const),
  ].flatMap(([name, code]) => (code === undefined ? [] : [{ name, code }]));
  for (const { name, code } of programs) await writeFile(join(place, name), code);
  const names = programs.map(({ name }) => name);
  expect(await compile(place, names)).toBe('');
});

describe('the page of the package is self-contained', () => {
  test('it has no links to other pages, and no URL except that of this machine', async () => {
    const text = await readFile(join(root, ofPackage), 'utf8');
    const links = [...text.matchAll(/\]\(([^)]*)\)/g)].map(([, target = '']) => target);
    expect(links.filter((target) => !target.startsWith('#'))).toEqual([]);
    const addresses = [...text.matchAll(/https?:\/\/[^\s`'")]+|[\w.]+@[\w-]+\.\w+/g)].map(
      ([address]) => address,
    );
    expect(new Set(addresses)).toEqual(new Set(['http://127.0.0.1:8080']));
  });

  test('its programs without further requirements run', { timeout: 180_000 }, async () => {
    const place = join(folder, 'package');
    await mkdir(place);
    for (const [name, source] of Object.entries(besidePackage))
      await copyFile(join(root, 'examples', source), join(place, name));
    await writeFile(join(place, 'package.json'), '{"type":"module"}');
    for (const one of ofPackagePage) await writeFile(join(place, fileOf(one)), one.code);

    const { apiKey } = await app.signUp();
    const named = ofPackagePage.filter(isRun).map(fileOf);
    const inOrder = `for (const file of ${JSON.stringify(named)}) {
      try { await import('./' + file); } catch (error) { throw new Error(file + ': ' + error.stack); }
    }`;
    await runProgram(place, inOrder, {
      LINGUALOOP_URL: app.address,
      LINGUALOOP_API_KEY: apiKey,
      EMAIL: 'press@package.example.org',
      PASSWORD: 'a long enough passphrase',
    });
    expect(await readdir(place)).toEqual(
      expect.arrayContaining(['menu.fr.xlsx', 'menu.xlsx', 'session.json']),
    );
  });
});

describe.concurrent('the commands and programs of a page run, in their order', () => {
  test.for(runnable)('%s', { timeout: 180_000 }, async (page, { expect }) => {
    const shell = codeOf(snippetsOf(page), 'sh');
    const program = programOf(page);
    const { missing, borrows } = await variablesOfPage(page, shell);
    expect(missing, 'variables that no command sets').toEqual([]);
    const explained = /quick-start\.md#your-key/.test(await readFile(join(root, page), 'utf8'));
    expect(!borrows || explained, 'it says where its variables come from: quick-start.md#your-key').toBe(
      true,
    );

    const place = await workplace(nameOf(page));
    const before = page === quickStart ? [] : codeOf(beginning, 'sh');
    const { variables } = await runShell([...before, ...shell], {
      place,
      env: environment(),
      longest: longestRun,
      adapt: (code) => adapted(code, page),
      before: refuseNpm,
    });
    if (program !== undefined) await runProgram(place, program, variables);
  });
});

/** Returns the variables that no command sets, and whether the page uses variables of the quick start. */
async function variablesOfPage(page: string, shell: readonly Snippet[]) {
  const codeIn = (snippets: readonly Snippet[]) => snippets.map(({ code }) => code).join('\n');
  const { read, set } = variablesOf(codeIn(shell));
  if (page === quickStart) return { missing: without(read, set), borrows: false };
  const given = variablesOf(codeIn(codeOf(beginning, 'sh'))).set;
  const program = codeIn(codeOf(snippetsOf(page), 'ts'));
  const open = without(read, set);
  return {
    missing: without(open, given),
    borrows: open.length > 0 || /\b(client|LinguaLoop)\b/.test(program),
  };
}

const without = (names: Iterable<string>, others: ReadonlySet<string>) =>
  [...names].filter((name) => !others.has(name));

/** Creates a directory that looks like the repository, and to which commands may write. */
async function workplace(name: string): Promise<string> {
  const place = join(folder, name);
  await mkdir(place);
  for (const entry of await readdir(root))
    if (!entry.startsWith('.')) await symlink(join(root, entry), join(place, entry));
  return place;
}

/** Adapts code to the service of this test. The email addresses are those of an account that no other page uses. */
function adapted(code: string, page: string): string {
  return code
    .replaceAll('http://127.0.0.1:8080', app.address)
    .replaceAll(/\b(\w+)@example\.org/g, `$1.${page.replace(/\W+/g, '-')}@example.org`);
}

/** Replaces `npm`: tests must not install packages permanently or start other processes. */
const refuseNpm = `npm() {
  case $1 in ci | i | install | start | test) echo "$BLOCK: not here: npm $1" >> .failures; return 1 ;; esac
  command npm "$@"
}`;

const environment = () => ({
  PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH']}`,
  HOME: folder,
});

/** Joins the blocks of a page to one module; undefined if the page has no program. */
function programOf(page: string): string | undefined {
  const own = codeOf(snippetsOf(page), 'ts');
  if (own.length === 0) return undefined;
  const hasClient = own.some(({ code }) => /\bconst client = /.test(code));
  const borrowed = hasClient ? [] : codeOf(beginning, 'ts');
  return [...borrowed, ...own]
    .map((one) => `// ${one.page}:${one.line}\n${adapted(one.code, page)}`)
    .join('\n');
}

/** Compiles the programs in a directory. @returns the errors */
async function compile(place: string, files: string[]): Promise<string> {
  const sources = (name: string) => [join(root, `sdk/src/${name}.ts`)];
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      noUnusedLocals: false,
      typeRoots: [join(root, 'node_modules/@types')],
      paths: { '@lingualoop/sdk': sources('index'), '@lingualoop/sdk/testing': sources('testing') },
    },
    files,
    include: [],
  };
  await writeFile(join(place, 'package.json'), '{"type":"module"}');
  await writeFile(join(place, 'tsconfig.json'), JSON.stringify(config));
  const { stdout } = await run('tsc', ['-p', place], { env: environment() }).catch(
    (error: { stdout: string }) => error,
  );
  return stdout;
}

async function runProgram(place: string, program: string, env: Record<string, string>): Promise<void> {
  await writeFile(join(place, 'program.ts'), program);
  const hooks = join(import.meta.dirname, 'sdk-sources.ts');
  await run(process.execPath, ['--import', hooks, 'program.ts'], {
    cwd: place,
    env: { ...env, ...environment() },
    timeout: longestRun,
  }).catch(({ stdout, stderr }: { stdout: string; stderr: string }) => {
    throw new Error(`${stdout.slice(-2000)}${stderr}`);
  });
}
