import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** A picture: the path of the screen, and what is done before it is taken. */
export interface View {
  name: string;
  path: string;
  /** Whether the screen is shown without a session. */
  isPublic?: true;
  prepare?(page: Page): Promise<void>;
}

/** How a screen is shown, such as in a dark theme or on a phone. The name is the end of the file's name. */
export interface Look extends BrowserContextOptions {
  name: string;
}

export interface Account {
  email: string;
  password: string;
}

/** Opens a browser window, in which the member is signed in if there is one. */
export async function opened(
  browser: Browser,
  { name: _, ...look }: Look,
  baseURL: string,
  member?: Account,
): Promise<Page> {
  const page = await browser.newPage({ reducedMotion: 'reduce', locale: 'en', ...look, baseURL });
  if (!member) return page;
  await page.goto('/signin');
  await page.locator('input[name=username]').fill(member.email);
  await page.locator('input[name=password]').fill(member.password);
  await page.locator('button[type=submit]').click();
  await page.waitForURL('**/app');
  return page;
}

/**
 * Takes a picture of a screen as WebP, and prints its size.
 * @param limit the maximum size of the file, in bytes
 */
export async function take(page: Page, { path, prepare }: View, file: string, limit: number): Promise<void> {
  await page.goto(path);
  await settled(page);
  if (prepare) {
    await prepare(page);
    await settled(page);
  }
  await shoot(page, file, limit);
}

/** Takes a picture of what a page shows. */
export async function shoot(page: Page, file: string, limit: number): Promise<void> {
  const picture = await webp(page, await page.screenshot(), limit);
  await writeFile(file, picture);
  process.stdout.write(`${basename(file)}: ${Math.ceil(picture.length / 1000)} kB\n`);
}

/** Waits until a screen shows its data: the editor its grid, other screens their heading. */
export async function settled(page: Page): Promise<void> {
  await page.locator('[role=grid], main h1').first().waitFor();
  await page.waitForFunction(() => !document.querySelector('[aria-busy=true]'));
  await page.evaluate(() => document.fonts.ready);
  // Connections for live events stay open, so the network is never idle.
  await page.waitForTimeout(1500);
}

/**
 * Converts a picture to WebP, in the best quality with which it is small enough.
 * @throws Error if even the lowest quality is too large
 */
async function webp(screen: Page, png: Buffer, maxBytes: number): Promise<Buffer> {
  const page = await (screen.context().browser() as Browser).newPage();
  try {
    const encoded = await page.evaluate(
      async ({ source, limit }) => {
        const bitmap = await createImageBitmap(await (await fetch(source)).blob());
        const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
        canvas.getContext('2d', { alpha: false })?.drawImage(bitmap, 0, 0);
        for (const quality of [0.92, 0.86, 0.8, 0.74, 0.68, 0.6, 0.5]) {
          const blob = await canvas.convertToBlob({ type: 'image/webp', quality });
          if (blob.size <= limit) return [...new Uint8Array(await blob.arrayBuffer())];
        }
        return undefined;
      },
      { source: `data:image/png;base64,${png.toString('base64')}`, limit: maxBytes },
    );
    if (!encoded) throw new Error(`a picture is larger than ${maxBytes} bytes in every quality`);
    return Buffer.from(encoded);
  } finally {
    await page.close();
  }
}
