import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LinguaLoop } from '#sdk/index.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { root, testFolder } from '#test/setup/launch.ts';
import { useLossyProxy } from './lossy-proxy.ts';
import { startExample } from './start-example.ts';

const app = useTestApp();

/**
 * Creates a directory with the example files and a text of three pages, an empty directory for the output, and a
 * workspace.
 */
async function scene() {
  const base = await testFolder();
  const folder = join(base, 'files');
  await cp(join(root, 'examples/files'), folder, { recursive: true });
  await cp(join(root, 'examples/files'), join(folder, 'more'), { recursive: true });
  const paragraph = `${'The tide comes in. '.repeat(210).trim()}\n\n`;
  await writeFile(join(folder, 'Gezeiten ä.txt'), paragraph.repeat(3));
  const { tenantId, apiKey } = await app.signUp();
  const proxy = await useLossyProxy(app.address);
  return { folder, out: join(base, 'out'), tenantId, apiKey, proxy };
}

type Scene = Awaited<ReturnType<typeof scene>>;

/** The number of jobs for all files in two languages. One file has three pages, and therefore three jobs. */
const tasks = (9 * 2 + 1) * 2;
const allJobs = (9 * 2 + 3) * 2;

function start({ folder, out: outFolder, apiKey, proxy }: Scene, ...more: string[]) {
  const parameters = [folder, '--to', 'fr,de', '--out', outFolder, ...more];
  const { child, ended } = startExample(
    'batch-translate.ts',
    { address: proxy.address, apiKey },
    ...parameters,
  );
  return {
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    ended: ended.then(({ code, stdout, stderr }) => {
      return { code, out: stdout, progress: stderr.split('\n').filter(Boolean) };
    }),
  };
}

/** What the database contains for the workspace. */
async function stored({ tenantId }: Scene) {
  const sql = openSuperuser(app.superuserUrl);
  const [counts] = await sql`
    select count(*)::int as jobs, count(distinct idempotency_key)::int as keys,
      count(*) filter (where status = 'published')::int as published
    from translation_jobs where tenant_id = ${tenantId}`;
  const [usage] = await sql`select count(*)::int as billed from usage_records where tenant_id = ${tenantId}`;
  return { ...counts, ...usage };
}

async function written(out: string): Promise<string[]> {
  const entries = await readdir(out, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.')).map(({ name }) => name);
}

async function journaled({ out }: Scene): Promise<number> {
  const journal = await readFile(join(out, '.batch-translate.jsonl'), 'utf8');
  return journal.split('\n').filter(Boolean).length;
}

describe('a folder of every kind of file', () => {
  test('is translated whole: a file for each language, a job for each page', async () => {
    const here = await scene();
    const { code, out, progress } = await start(here).ended;
    expect(out).toBe(`${tasks} translated, 0 done before, 0 awaiting review, 0 failed.\n`);
    expect(code).toBe(0);
    expect(progress).toHaveLength(tasks);
    expect(progress.at(-1)).toMatch(new RegExp(`^${tasks}/${tasks} `));
    expect(await stored(here)).toEqual({
      jobs: allJobs,
      keys: allJobs,
      published: allJobs,
      billed: allJobs,
    });
    expect(await written(here.out)).toHaveLength(tasks);
    const read = (name: string) => readFile(join(here.out, name), 'utf8');
    expect(await read('letter.txt.fr.txt')).toMatch(/^\[fr\] Dear members of the reading circle/);
    expect(await read('more/minutes.docx.de.txt')).toContain('Asks the town for a second gate key');
    expect(await read('notice.pdf.de.txt')).toContain('The lift will be serviced on Monday');
    const pages = (await read('Gezeiten ä.txt.fr.txt')).split('[fr] ');
    expect(pages).toHaveLength(4);
    expect(pages.join('').match(/The tide comes in\./g)).toHaveLength(630);
  });
});

describe('a run that was cut short', () => {
  test.each([
    ['killed', 'SIGKILL', null],
    ['by Ctrl-C', 'SIGINT', 130],
  ] as const)('%s is resumed, and pays nothing twice', async (_, signal, code) => {
    const here = await scene();
    const lost = here.proxy.loseAfter(7);
    const first = start(here, '--concurrency', '2');
    await lost;
    first.kill(signal);
    const ended = await first.ended;
    expect(ended.code).toBe(code);
    if (code === 130) expect(ended.out).toMatch(/, 0 failed, \d+ not done \(interrupted\)\.\n$/);

    const before = (await stored(here)) as { jobs: number; billed: number };
    // Files are sent in the order of their names. These files include the one with three pages.
    expect(before).toMatchObject({ jobs: 7 + 2 * 2, billed: 7 + 2 * 2 });
    const done = await journaled(here);
    // Of seven jobs, the response of one was lost, and that of another may have arrived too late to be recorded.
    expect(done).toBeGreaterThanOrEqual(5);
    expect(done).toBeLessThanOrEqual(6);

    here.proxy.heal();
    const again = await start(here, '--concurrency', '3').ended;
    expect(again.out).toBe(`${tasks - done} translated, ${done} done before, 0 awaiting review, 0 failed.\n`);
    expect(again.code).toBe(0);
    expect(here.proxy.uploads()).toBe(7 + tasks - done);
    expect(await stored(here)).toEqual({
      jobs: allJobs,
      keys: allJobs,
      published: allJobs,
      billed: allJobs,
    });
    expect(await written(here.out)).toHaveLength(tasks);
  });

  test('when all is done a further run sends nothing; a changed file is translated anew', async () => {
    const here = await scene();
    await start(here).ended;
    const asked = here.proxy.uploads();
    const third = await start(here).ended;
    expect(third.out).toBe(`0 translated, ${tasks} done before, 0 awaiting review, 0 failed.\n`);
    expect(here.proxy.uploads()).toBe(asked);

    await writeFile(join(here.folder, 'letter.txt'), 'Dear all, the hall is closed.');
    await rm(join(here.out, 'menu.csv.fr.txt'));
    const fourth = await start(here).ended;
    expect(fourth.out).toBe(`3 translated, ${tasks - 3} done before, 0 awaiting review, 0 failed.\n`);
    expect(await readFile(join(here.out, 'letter.txt.de.txt'), 'utf8')).toBe(
      '[de] Dear all, the hall is closed.',
    );
    expect(await readdir(here.out)).toContain('menu.csv.fr.txt');
    // The translation whose file was deleted comes from its existing job, and is not billed again.
    expect(await stored(here)).toMatchObject({ jobs: allJobs + 2, billed: allJobs + 2 });
  });

  test('a journal that a crash cut short keeps all its other entries', async () => {
    const here = await scene();
    await start(here).ended;
    const path = join(here.out, '.batch-translate.jsonl');
    const journal = await readFile(path, 'utf8');
    await writeFile(path, journal.slice(0, -20));
    const { out } = await start(here).ended;
    expect(out).toBe(`1 translated, ${tasks - 1} done before, 0 awaiting review, 0 failed.\n`);
    const last = await start(here).ended;
    expect(last.out).toContain(`0 translated, ${tasks} done before`);
    expect(await stored(here)).toMatchObject({ jobs: allJobs, billed: allJobs });
  });
});

test('pages for review are listed with their jobs and reasons, and written once reviewed', async () => {
  const here = await scene();
  await rm(join(here.folder, 'more'), { recursive: true });
  const legal = ['--domain', 'legal', '--to', 'fr'];
  const held = await start(here, ...legal).ended;
  expect(held.code).toBe(0);
  expect(held.out).toMatch(/^0 translated, 0 done before, 10 awaiting review, 0 failed\.\n/);
  const listed = [...held.out.matchAll(/^ {2}([0-9a-f]{32}) {2}(.+) to fr, page (\d): (.+)$/gm)];
  expect(listed).toHaveLength(9 + 3);
  for (const [, , , , reasons] of listed) expect(reasons).toMatch(/legal/);
  expect(await written(here.out)).toEqual([]);

  const { translations } = new LinguaLoop({ baseUrl: app.address, apiKey: here.apiKey });
  const ofLetter = listed.find(([, , file]) => file === 'letter.txt')![1]!;
  await translations.review(ofLetter, { action: 'modify', final_translation: 'Chers membres' });
  const ofNotice = listed.find(([, , file]) => file === 'notice.pdf')![1]!;
  await translations.review(ofNotice, { action: 'reject' });

  const again = await start(here, ...legal).ended;
  expect(again.out).toMatch(/^1 translated, 0 done before, 8 awaiting review, 1 failed\.\n/);
  expect(again.out).toContain(`  notice.pdf to fr: job ${ofNotice} is rejected`);
  expect(again.code).toBe(1);
  expect(await written(here.out)).toEqual(['letter.txt.fr.txt']);
  expect(await readFile(join(here.out, 'letter.txt.fr.txt'), 'utf8')).toBe('Chers membres');
  expect(await stored(here)).toMatchObject({ jobs: 12, billed: 12 });
});

describe('failures', () => {
  test('a file that cannot be translated is listed with its error; the others are done', async () => {
    const here = await scene();
    await writeFile(join(here.folder, 'blank.txt'), ' \n');
    await writeFile(join(here.folder, 'broken.docx'), 'no container');
    const { code, out } = await start(here).ended;
    expect(code).toBe(1);
    expect(out).toMatch(new RegExp(`^${tasks} translated, 0 done before, 0 awaiting review, 4 failed\\.\n`));
    expect(out).toMatch(/^ {2}blank\.txt to fr: 400 .+\(request [0-9a-f]{32}\)$/m);
    expect(out).toMatch(/^ {2}broken\.docx to de: 400 /m);
    expect(await stored(here)).toMatchObject({ jobs: allJobs, published: allJobs });
  });

  test('a failure of all files ends the run at once: a wrong key', async () => {
    const here = await scene();
    const { code, out } = await start({ ...here, apiKey: 'wrong' }, '--concurrency', '1').ended;
    expect(code).toBe(1);
    expect(out).toContain(`1 failed, ${tasks - 1} not done (stopped`);
    expect(out).toContain('401 missing or invalid tenant credentials');
    expect(here.proxy.uploads()).toBe(1);
  });
});
