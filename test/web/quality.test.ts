import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { countTenant } from '#server/quality/counting.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { signedIn } from './founder.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

/** Adds published texts and spot checks of yesterday, by score. */
async function addChecks(
  tenantId: string,
  results: [score: number, texts: number, checked: number, errors: number][],
) {
  const sql = openSuperuser(app.superuserUrl);
  const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const rest = { tenant_id: tenantId, day, target_lang: 'de', domain: 'travel', route: 'published' };
  for (const [score, texts, checked, errors] of results) {
    await sql`insert into quality_scores ${sql({ ...rest, score, texts })}`;
    const rows = Array.from({ length: checked }, (_, at) => ({
      ...{ ...rest, score, origin: 'spot_check', item_kind: 'job', item_id: `${score} ${at}`, position: 0 },
      ...{
        check_id: createHash('md5').update(`${tenantId} ${score} ${at}`).digest('hex'),
        source_lang: 'en',
      },
      ...{ state: 'done', checked_at: new Date(), probability: checked / texts },
      verdict: at < errors ? 'major' : 'none',
    }));
    await sql`insert into quality_checks ${sql(rows)}`;
  }
  await countTenant(app.services, tenantId);
}

describe.skipIf(withoutBrowser)('a member at /app/quality', () => {
  test('sees what the minimum score is worth, and what another one would do', async () => {
    const { page, tenantId } = await signedIn(app, browser, '/app/quality');
    await page.getByText('More checks needed: 50').first().waitFor();
    await addChecks(tenantId, [
      [87, 400, 100, 20],
      [96, 600, 100, 1],
    ]);
    await page.reload();
    await page
      .getByText('With the minimum quality score 85, 91.4% of published texts need no change.')
      .waitFor();
    await page
      .getByText('93% fewer texts with a major error reach readers: about 6 instead of 86.')
      .waitFor();
    const bands = page.getByRole('region', { name: 'Results of checks, by score' });
    expect(await bands.getByRole('row').allInnerTexts()).toEqual([
      expect.anything(),
      expect.stringMatching(/85–89\s+80%\s+71.1% to 86.7%\s+100\s+400\s+0/),
      expect.stringMatching(/95–100\s+99%/),
    ]);
  });

  test.each([1440, 768, 390])('sees the results of the scorecard at a width of %i px', async (width) => {
    const options = { viewport: { width, height: 900 } };
    const { page, tenantId, email } = await signedIn(app, browser, '/app/quality', options);
    const sql = openSuperuser(app.superuserUrl);
    const [creator] = await sql`select user_id from users where email = ${email}`;
    await sql`insert into quality_checks ${sql({
      ...{ tenant_id: tenantId, day: '2026-11-01', source_lang: 'en', target_lang: 'de', domain: '' },
      ...{ route: 'published', origin: 'quality_check', item_kind: 'job', item_id: 'j', position: 0 },
      ...{ check_id: 'c', state: 'done', checked_at: new Date(), verdict: 'none', words: 1200 },
      reviewed_by: creator?.['user_id'],
    })}`;
    await page.goto('/app/quality?view=scorecard');
    const results = page.getByText('Passes', { exact: true });
    await results.first().waitFor();
    for (const result of await results.all()) {
      const box = await result.boundingBox();
      expect(box && box.x >= 0 && box.x + box.width <= width).toBe(true);
    }
    expect(
      await page.evaluate(
        () =>
          [...document.querySelectorAll('.table-scroll')].filter((one) => one.scrollWidth > one.clientWidth)
            .length,
      ),
    ).toBe(0);
  });

  test('checks a drawn text without its score, marks an error by keyboard, and gets the next', async () => {
    const { page, apiKey } = await signedIn(app, browser, '/app/quality?view=spot_check');
    await page.getByText('No open spot checks.').waitFor();
    for (const source_text of ['The pool closes on Mondays', 'Bring a photo ID'])
      await app.json('POST', '/api/translations', {
        headers: { 'x-api-key': apiKey },
        body: { source_text, target_lang: 'de' },
      });
    await page.getByLabel('Target language').first().selectOption('German');
    await page.getByRole('button', { name: 'Draw published texts' }).click();
    await page.getByText('Texts drawn: 2').first().waitFor();
    const translation = page.getByRole('textbox', { name: 'German' });
    await translation.waitFor();
    await page.getByText('The score is hidden until you decide.').waitFor();
    expect(await page.getByText('92').count()).toBe(0);
    const first = await translation.inputValue();
    await translation.focus();
    await page.keyboard.press('Control+Home');
    for (let at = 0; at < 4; at++) await page.keyboard.press('Shift+ArrowRight');
    await page.getByLabel('Terminology').check();
    await page.getByRole('button', { name: 'Major' }).click();
    await page.getByText('[de]', { exact: true }).waitFor();
    // The mark stays if another text is opened, and a note without a mark is not lost.
    const rows = page.getByRole('list', { name: 'Texts' }).getByRole('button');
    await rows.nth(1).click();
    await expect.poll(() => translation.inputValue()).not.toBe(first);
    await rows.nth(0).click();
    await page.getByText('[de]', { exact: true }).waitFor();
    await page.getByLabel('Note').fill('The article');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Mark the error of the note, or clear the note.').waitFor();
    await page.getByLabel('Note').fill('');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Saved: Major. The score was 92.').first().waitFor();
    await expect.poll(() => translation.inputValue()).not.toBe(first);
    await page.getByRole('button', { name: 'No error, open next' }).click();
    await page.getByText('No open spot checks.').waitFor();
    await page.getByText('Completed').click();
    await page.getByText('Major').first().waitFor();
  });
});
