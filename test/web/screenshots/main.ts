import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import { pictureDirectory, pictureSize } from '#web/server/pictures.ts';
import { startService } from '../../../examples/service.ts';
import { fillWorkspace, member, startRecordedModel } from './workspace.ts';

/*
 * Writes the pictures of the application for the README, the landing page and the guides: `npm run screenshots`, with
 * `-- --out DIRECTORY` to another directory. Each picture is made in a light and a dark theme. The service runs with the
 * embedded database. Needs chromium, at /usr/bin/chromium or CHROMIUM.
 */

/** The maximum size of a file, in bytes. */
const maxBytes = 150_000;

/** A picture: the path of the screen, and what is done before it is taken. */
interface View {
  name: string;
  path: string;
  prepare?(page: Page): Promise<void>;
}

const { values } = parseArgs({ options: { out: { type: 'string', default: pictureDirectory } } });
const data = await mkdtemp(join(tmpdir(), 'lingualoop-screenshots-'));
await using model = await startRecordedModel();
Object.assign(process.env, {
  DATA_DIR: data,
  OPENAI_API_KEY: 'none',
  OPENAI_BASE_URL: model.baseUrl,
  OPENAI_EMBEDDING_MODEL: 'none',
});
const service = await startService();
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  const documentId = await fillWorkspace(service.address);
  const views: View[] = [
    { name: 'editor', path: `/app/edit/documents/${documentId}`, prepare: openCriticalSegment },
    { name: 'inbox', path: '/app' },
    { name: 'files', path: '/app/files' },
    { name: 'glossary', path: '/app/glossaries', prepare: openGlossary },
  ];
  for (const theme of ['light', 'dark'] as const) {
    const page = await signedIn(browser, service.address, theme);
    for (const { name, path, prepare } of views) {
      await page.goto(path);
      await settled(page);
      await prepare?.(page);
      await settled(page);
      const file = `${name}-${theme}.webp`;
      const picture = await webp(browser, await page.screenshot());
      await writeFile(join(values.out, file), picture);
      process.stdout.write(`${file}: ${Math.ceil(picture.length / 1000)} kB\n`);
    }
    await page.context().close();
  }
} finally {
  await browser.close();
  await service.stop();
  await rm(data, { recursive: true, force: true });
}

/** Opens a browser window in which the member is signed in. */
async function signedIn(from: Browser, baseURL: string, colorScheme: 'light' | 'dark'): Promise<Page> {
  const page = await from.newPage({
    baseURL,
    colorScheme,
    locale: 'en',
    viewport: pictureSize,
    deviceScaleFactor: 2,
    reducedMotion: 'reduce',
  });
  await page.goto('/signin');
  await page.locator('input[name=username]').fill(member.email);
  await page.locator('input[name=password]').fill(member.password);
  await page.locator('button[type=submit]').click();
  await page.waitForURL('**/app');
  return page;
}

/** Waits until a screen shows its data: the editor its grid, other screens their heading. */
async function settled(page: Page): Promise<void> {
  await page.locator('[role=grid], main h1').first().waitFor();
  await page.waitForFunction(() => !document.querySelector('[aria-busy=true]'));
  await page.evaluate(() => document.fonts.ready);
  // Connections for live events stay open, so the network is never idle.
  await page.waitForTimeout(1500);
}

/** Opens the segment with the wrong time, so that the picture shows its finding. */
async function openCriticalSegment(page: Page): Promise<void> {
  await page.getByText('6.50').first().click();
}

async function openGlossary(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Gardens' }).first().click();
  await page.waitForURL('**/app/glossaries/*');
}

/**
 * Converts a picture to WebP, in the best quality with which it is small enough.
 * @throws Error if even the lowest quality is too large
 */
async function webp(from: Browser, png: Buffer): Promise<Buffer> {
  const page = await from.newPage();
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
