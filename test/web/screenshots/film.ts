import { readFileSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { unzipSync } from 'fflate';
import { chromium, type Page } from 'playwright-core';
import { LinguaLoop } from '#sdk/index.ts';
import { failure, startFakeOpenAi, translatingReply } from '#test/fakes/openai.ts';
import { startService } from '../../../examples/service.ts';
import { opened, settled } from './camera.ts';
import { member as ada } from './workspace.ts';

/*
 * A project of five people as a series of pictures: `node test/web/screenshots/film.ts --out DIRECTORY`. 40 files are
 * translated into 5 languages, from the upload to the archive, by members in browsers: an estimate, assignment by rules, an
 * outage of the model, a file that is overdue, one that is handed over, two reviews of one file, the download. `--files
 * DIRECTORY,...` takes the smallest files of these directories, `--count N` only N. Exits with 1 if the archive lacks a file.
 */

const root = join(import.meta.dirname, '../../..');
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(tmpdir(), 'lingualoop-film') },
    files: {
      type: 'string',
      default: ['test/corpus/docx', 'docs'].map((folder) => join(root, folder)).join(','),
    },
    count: { type: 'string', default: '40' },
  },
});
const languages = ['de', 'fr', 'es', 'it', 'ja'];
const patient = { timeout: 1_200_000 };

/** The other members, each with the target languages that they review. */
const colleagues = [
  { name: 'Mira Vogel', email: 'mira@example.org', targets: ['de', 'fr'] },
  { name: 'Lenna Brandt', email: 'lenna@example.org', targets: ['de', 'fr'] },
  { name: 'Jonas Ricci', email: 'jonas@example.org', targets: ['es', 'it'] },
  { name: 'Aiko Sato', email: 'aiko@example.org', targets: ['ja', 'es'] },
];

await mkdir(values.out, { recursive: true });
const data = await mkdtemp(join(tmpdir(), 'lingualoop-film-'));
await using model = await startFakeOpenAi();
const working = translatingReply({
  score: ({ data: { segments } }) => (segments.length % 4 === 0 ? 80 : 94),
});
model.otherwise(working);
Object.assign(process.env, {
  DATA_DIR: data,
  OPENAI_API_KEY: 'none',
  OPENAI_BASE_URL: model.baseUrl,
  OPENAI_EMBEDDING_MODEL: 'none',
  AUTH_RATE_LIMIT_ENABLED: 'false',
  DEFAULT_MONTHLY_CHAR_LIMIT: '100000000',
});
const service = await startService();
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
const look = { name: 'day', viewport: { width: 1440, height: 900 } };
let pictures = 0;
try {
  await play();
} finally {
  await browser.close();
  await service.stop();
  await rm(data, { recursive: true, force: true });
}

/** Waits for a screen, and writes a picture of it. */
async function picture(page: Page, name: string): Promise<void> {
  await settled(page);
  const file = `${String(++pictures).padStart(2, '0')}-${name}.png`;
  await writeFile(join(values.out, file), await page.screenshot());
  process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${file}\n`);
}

function signedIn(email: string): Promise<Page> {
  return opened(browser, look, service.address, { email, password: ada.password });
}

/** Creates the workspace with its members and rules. @returns the administrator's client, and the IDs of the members */
async function createTeam() {
  const client = new LinguaLoop({ baseUrl: service.address });
  await client.auth.signUp({ tenant_name: 'Hillside Gardens', ...ada });
  await client.auth.signIn(ada);
  const ids = new Map<string, string>();
  for (const { name, email, targets } of colleagues) {
    const { invite_token } = await client.tenants.invites.create({ email, role: 'agent_id_developer' });
    const colleague = new LinguaLoop({ baseUrl: service.address });
    await colleague.auth.signUp({ email, password: ada.password, invite_token });
    await colleague.auth.signIn({ email, password: ada.password });
    const { user } = await colleague.auth.me();
    ids.set(email, user.user_id);
    await client.assignments.saveProfile({
      user_id: user.user_id,
      display_name: name,
      languages: targets.map((target_lang) => ({
        source_lang: '*',
        target_lang,
        review: true,
        second: true,
      })),
    });
  }
  await client.assignments.saveRules({
    rules: [
      { target_lang: 'de', assignee: 'fewest_words', second: 'fewest_words', due: { working_days: 3 } },
      { assignee: 'fewest_words', second: null, due: { working_days: 5 } },
    ],
  });
  return { client, ids };
}

/** The smallest documents of the directories. */
async function documents(): Promise<string[]> {
  const found: string[] = [];
  for (const folder of values.files.split(','))
    for (const name of await readdir(folder))
      if (/\.(docx|md|pdf|pptx|xlsx)$/.test(name)) found.push(join(folder, name));
  const smallest = found.toSorted((a, b) => statSync(a).size - statSync(b).size);
  const names = new Set<string>();
  return smallest
    .filter((path) => !names.has(basename(path)) && names.add(basename(path)))
    .slice(0, Number(values.count));
}

async function play(): Promise<void> {
  const { client, ids } = await createTeam();
  const paths = await documents();
  const page = await signedIn(ada.email);
  await page.goto('/app/settings/general');
  await page.getByRole('textbox', { name: 'Name' }).waitFor();
  await picture(page, 'general');
  await page.goto('/app/settings/members');
  await page.getByText('Mira Vogel').first().waitFor();
  await picture(page, 'members');

  // The upload and the estimate.
  await page.goto(`/app/translate?kind=file&from=en&to=${encodeURIComponent(JSON.stringify(languages))}`);
  await page.getByLabel('Choose files to translate').setInputFiles(
    paths.map((path) => ({
      name: basename(path),
      mimeType: 'application/octet-stream',
      buffer: readFileSync(path),
    })),
  );
  await picture(page, 'upload');
  await page.getByRole('button', { name: 'Estimate first' }).click();
  await page.waitForURL('**/app/estimates/*');
  const analysisId = new URL(page.url()).pathname.split('/').at(-1)!;
  await page.getByText(/Counting: /).waitFor(patient);
  await picture(page, 'counting');
  const began = Date.now();
  await until(async () => {
    const { status, files } = await client.analyses.get(analysisId);
    return status === 'completed' && files.length === paths.length;
  });
  process.stdout.write(`counted in ${Math.round((Date.now() - began) / 1000)} s\n`);
  await page.reload();
  await page
    .getByText(/second review by a rule/)
    .first()
    .waitFor();
  await picture(page, 'estimate');
  await page.keyboard.press('Control+Enter');
  await page.getByText('translations finished').waitFor(patient);

  // The outage of the model.
  const all = paths.length * languages.length;
  const finished = async () =>
    (await client.documents.list().toArray({ limit: 1000 })).filter(isTranslated).length;
  await until(async () => (await finished()) > all / 4);
  await picture(page, 'translating');
  model.otherwise(failure(503));
  await page.waitForTimeout(30_000);
  await page.reload();
  await picture(page, 'outage');
  await page.goto('/app/files');
  await picture(page, 'files-outage');
  model.otherwise(working);
  await until(async () => (await finished()) >= all);
  await page.goto(`/app/estimates/${analysisId}`);
  await page.getByText(`${all} of ${all} translations finished`).waitFor(patient);
  await picture(page, 'finished');

  // The assignments by the rules; one file is overdue.
  const mira = ids.get('mira@example.org')!;
  const assignments = async () => client.assignments.list({ holder: mira }).toArray({ limit: 500 });
  const unassigned = () => client.assignments.list({ state: 'unassigned' }).toArray({ limit: 1 });
  await until(async () => (await unassigned()).length === 0);
  const [late, german] = [
    (await assignments()).find(({ target_lang }) => target_lang === 'fr')!,
    // The shortest one has no critical finding.
    (await assignments())
      .filter(({ target_lang, second }) => target_lang === 'de' && second)
      .toSorted((a, b) => a.words - b.words)[0]!,
  ];
  const yesterday = new Date(Date.now() - 86_400_000).toISOString();
  await client.assignments.assign({ items: [late], due_at: yesterday });
  await page.goto('/app?view=members');
  await page.getByText('Mira Vogel').first().waitFor();
  await picture(page, 'by-member');
  await page.goto('/app?view=all');
  await picture(page, 'all-work');

  // The first reviewer hands one file over, and passes another one on.
  const first = await signedIn('mira@example.org');
  await first.getByText('Overdue').first().waitFor();
  await picture(first, 'my-work');
  // The second reviewer of a German file cannot be its first one, too.
  const french = first.getByRole('listitem').filter({ hasText: 'French' });
  await french.first().getByRole('checkbox').check();
  await first.keyboard.press('a');
  const dialog = first.getByRole('dialog');
  await dialog.getByLabel('First review').selectOption({ label: 'Lenna Brandt' });
  await dialog.getByLabel('Comment').fill('I am away from tomorrow. Could you take this one?');
  await picture(first, 'hand-over');
  await first.keyboard.press('Control+Enter');
  await first.getByText('1 translation assigned.').waitFor();
  await first.goto(`/app/edit/documents/${german.id}`);
  await first.getByRole('button', { name: 'Approve all' }).waitFor();
  await picture(first, 'first-review');
  await openApproval(first);
  await picture(first, 'approve-all');
  await first.getByRole('button', { name: 'Confirm and pass to second review' }).click();
  await first.getByText('Awaits the second review by').waitFor();
  await picture(first, 'passed');

  const second = await signedIn(
    colleagues.find(({ email }) => ids.get(email) === german.second!.user_id)!.email,
  );
  await picture(second, 'my-work-second');
  await second.goto(`/app/edit/documents/${german.id}`);
  await second.getByText('Your second review (four eyes)').waitFor();
  await picture(second, 'second-review');
  await openApproval(second);
  await second.getByRole('button', { name: 'Approve the file' }).click();
  await until(async () => (await client.documents.get(german.id)).approved_at !== null);
  await picture(second, 'approved');

  // The reports and the archive.
  await page.goto('/app/reports');
  await picture(page, 'reports');
  await page.goto(`/app/estimates/${analysisId}`);
  await page.getByRole('button', { name: `Download all (${all})` }).waitFor(patient);
  const [download] = await Promise.all([
    page.waitForEvent('download', patient),
    page.getByRole('button', { name: `Download all (${all})` }).click(),
  ]);
  await picture(page, 'download');
  const archive = join(values.out, 'translations.zip');
  await download.saveAs(archive);
  const names = Object.keys(unzipSync(readFileSync(archive)));
  process.stdout.write(`${names.length} of ${all} files are in the archive\n`);
  if (names.length !== all) process.exitCode = 1;
}

/** Opens the dialog that approves a file, and includes the segments with warnings. */
async function openApproval(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Approve all' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Cancel' }).waitFor();
  for (const box of await dialog.getByRole('checkbox').all()) await box.check();
}

function isTranslated({ status }: { status: string }): boolean {
  return status === 'translated';
}

/** Waits until a condition holds, up to 20 minutes. */
async function until(isDone: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + patient.timeout;
  while (!(await isDone())) {
    if (Date.now() > end) throw new Error(`the project did not continue: ${isDone}`);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}
