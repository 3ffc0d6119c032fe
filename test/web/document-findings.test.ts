import { expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { answered, engineOf } from '#test/setup/engine.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { corpusDocument, sendDocument } from './document-files.ts';
import { signedIn } from './founder.ts';

/** An engine that gives each text a low score, and translates short texts into very long ones. */
const engine = engineOf(
  async ({ segments }) =>
    answered(segments.map((text) => (text.length < 30 ? `${text}, and much more than it was before` : text))),
  {
    assessEach: async ({ segments }) =>
      answered(segments.map(() => ({ score: 40, issues: [], summary: 'doubtful' }))),
  },
);
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' }, engine });
const browser = useBrowser(app);

interface Found {
  code: string;
  message: string;
}

test.skipIf(withoutBrowser)(
  'a finding of the report opens the segment that it names, among those that need a review, even if several sheets have that cell',
  async () => {
    const founder = await signedIn(app, browser, '/app/files');
    const { page } = founder;
    const id = await sendDocument(app, founder, corpusDocument('xlsx/charts-header-rich-text.xlsx'));
    const headers = { 'x-api-key': founder.apiKey };
    const read = async (path: string) =>
      (await app.json('GET', `/api/documents/${id}${path}`, { headers })).body;
    const findings: Found[] = (await read('')).quality_report.findings;
    const { segments } = await read('/segments?limit=500');
    // Two cells have the same name; this is the later one.
    const place = segments.findIndex(
      (one: { cell_id: string; source_text: string }, at: number) =>
        one.source_text.length < 30 &&
        segments.slice(0, at).some((before: { cell_id: string }) => before.cell_id === one.cell_id),
    );
    const nameOf = (sought: string) =>
      findings.find(({ code, message }) => code === sought && message.startsWith(`${segments[place].place}:`))
        ?.message ?? 'no such finding';
    await page.goto(`/app/edit/documents/${id}`);
    await page.getByRole('tab', { name: /^Issues/ }).click();
    await page
      .locator('summary')
      .getByText(/^Score /)
      .click();
    const open = async (kind: string, finding: string) => {
      await page.locator('summary').getByText(kind).click();
      await page.getByRole('button', { name: finding, exact: true }).click();
    };
    await open('Needs a review', nameOf('low_segment_quality'));
    const field = page.getByRole('textbox', { name: `Translation of segment ${place + 1}`, exact: true });
    await field.waitFor();
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(new URL(page.url()).search).toBe('?flagged=true');
    await page.getByRole('button', { name: 'Remove filter: Needs review' }).waitFor();
    await field.press('Alt+ArrowUp');
    await field.waitFor({ state: 'detached' });
    await open('Much longer than the source', nameOf('translation_expansion'));
    await field.waitFor();
    expect(new URL(page.url()).search).toBe('');
    await page.locator('summary').getByText('Unsupported content not translated').click();
    // This finding has no segment.
    await page.getByText('2 texts in charts are not translated').waitFor();
    expect(await page.getByRole('button', { name: 'texts in charts' }).count()).toBe(0);
  },
);
