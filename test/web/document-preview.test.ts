import { expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { corpusDocument, sendDocument } from './document-files.ts';
import { signedIn } from './founder.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

test.skipIf(withoutBrowser)(
  'a PDF page marks the segment that is open, and opens the one that is clicked in it',
  { timeout: 40_000 },
  async () => {
    const founder = await signedIn(app, browser, '/app/documents');
    const { page } = founder;
    const id = await sendDocument(app, founder, corpusDocument('pdf/made-rotations-labels-links.pdf'));
    await page.goto(`/app/documents/${id}`);
    await page.getByRole('button', { name: 'Open segment 1', exact: true }).click();
    const first = page.getByRole('img', { name: 'Page 1', exact: true });
    const marked = page.locator('[data-marked]').first();
    await marked.waitFor();
    const [paper, mark] = [await first.boundingBox(), await marked.boundingBox()];
    // The canvas has been painted, and the mark lies within the page.
    expect(mark!.x).toBeGreaterThanOrEqual(paper!.x);
    expect(mark!.y + mark!.height).toBeLessThanOrEqual(paper!.y + paper!.height + 1);
    await page.getByRole('button', { name: 'Open segment 2', exact: true }).click();
    await page.getByRole('textbox', { name: 'Translation of segment 2' }).waitFor();
    await page.mouse.click(mark!.x + mark!.width / 2, mark!.y + mark!.height / 2);
    await page.getByRole('textbox', { name: 'Translation of segment 1' }).waitFor();
  },
);
