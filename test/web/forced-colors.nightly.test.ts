import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { addDocument, found, submitHeld } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { field } from './reviewing.ts';
import { sessionCookie } from './screens.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

/**
 * The visible properties of an element in forced-colors mode, where shadows and backgrounds of the application do not
 * apply.
 */
const marksOf = (page: Page, selector: string) =>
  page
    .locator(selector)
    .first()
    .evaluate((element) => {
      const style = getComputedStyle(element);
      const line = (width: string, kind: string, color: string) =>
        width === '0px' || kind === 'none' || color === style.backgroundColor
          ? ''
          : `${width} ${kind} ${color}`;
      return JSON.stringify([
        ...(['Top', 'Right', 'Bottom', 'Left'] as const).map((side) =>
          line(style[`border${side}Width`], style[`border${side}Style`], style[`border${side}Color`]),
        ),
        line(style.outlineWidth, style.outlineStyle, style.outlineColor),
        style.textDecorationLine,
        style.forcedColorAdjust === 'none' && style.backgroundColor,
      ]);
    });

/** Expects that two elements look different. */
const expectDifferent = async (page: Page, one: string, other: string) =>
  expect([one, await marksOf(page, one)]).not.toEqual([one, await marksOf(page, other)]);

describe.skipIf(withoutBrowser)('in forced colors, without motion', () => {
  test('current, selected, changed and focused elements can be distinguished from others', async () => {
    const founder = await found(app);
    for (let jobs = 0; jobs < 2; jobs += 1) await submitHeld(app, founder);
    const document = await addDocument(app, founder);
    const { page, context } = await browser.person('/about', { viewport: { width: 1280, height: 800 } });
    await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce', colorScheme: 'dark' });
    await context.addCookies([await sessionCookie(app, founder)]);

    await page.goto('/app');
    await page.locator('nav [aria-current]').waitFor();
    await expectDifferent(page, 'nav [aria-current]', 'nav a:not([aria-current])');

    await page.goto('/app/edit/texts');
    await field(page).fill('Salut');
    await expectDifferent(page, '[role=row][data-open]', '[role=row][data-index]:not([data-open])');
    await expectDifferent(page, 'footer button.primary', 'footer button:not(.primary):not([disabled])');
    await expectDifferent(page, 'textarea:focus', 'input[type=search]');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.locator('[role=option]').first().waitFor();
    await expectDifferent(page, '[role=option][aria-selected=true]', '[role=option][aria-selected=false]');
    await page.keyboard.press('Escape');

    // The page of the file marks the cell of the open segment.
    await page.goto(`/app/edit/documents/${document}`);
    const cell = 'button[aria-description]';
    await page.locator(`${cell}[aria-current]`).waitFor();
    await expectDifferent(page, `${cell}[aria-current]`, `${cell}:not([aria-current])`);

    for (const address of ['/app', '/app/texts', '/app/settings/members', '/app/translate']) {
      await page.goto(address);
      await page.locator('main h1').waitFor();
      for (let stops = 0; stops < 12; stops += 1) {
        await page.keyboard.press('Tab');
        // Some elements have their own outline, and each has an outline.
        expect(
          await page.evaluate(() => {
            const { outlineStyle, outlineWidth } = getComputedStyle(window.document.activeElement as Element);
            return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2;
          }),
        ).toBe(true);
      }
    }
    const moving = await page.evaluate(() => window.document.getAnimations().length);
    expect(moving).toBe(0);
  });
});
