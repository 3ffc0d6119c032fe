import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { settled } from './camera.ts';
import { file, member } from './workspace.ts';

/** The maximum size of the moving picture, in bytes. */
const maxBytes = 1_500_000;

/** The part of the screen that the picture shows. Text of the application stays readable at 800 px. */
const viewport = { width: 1120, height: 680 };

/** The height of the line below the screen, in CSS pixels. */
const captionHeight = 52;

/** A picture of a moment. The pointer marks the next click. */
interface Frame {
  screen: Buffer;
  caption: string;
  pointer: { x: number; y: number } | undefined;
  milliseconds: number;
}

/**
 * Follows a Word file from the sign-in to the download, and writes what a member sees as an animated WebP. Needs
 * `img2webp`.
 */
export async function recordTour(browser: Browser, baseURL: string, output: string): Promise<void> {
  const page = await browser.newPage({ viewport, baseURL, locale: 'en', reducedMotion: 'reduce' });
  page.setDefaultTimeout(240_000);
  const frames: Frame[] = [];
  let caption = '';
  const show = async (milliseconds: number, pointer?: Frame['pointer']) => {
    frames.push({ screen: await page.screenshot(), caption, pointer, milliseconds });
  };
  /** Shows the pointer, and clicks. The next frame shows the result. */
  const click = async (target: Locator, milliseconds = 700) => {
    await target.scrollIntoViewIfNeeded();
    await show(milliseconds, await middleOf(target));
    await target.click();
  };

  caption = 'Sign in to your own server';
  await page.goto('/signin');
  await page.locator('input[name=username]').fill(member.email);
  await page.locator('input[name=password]').fill(member.password);
  await settled(page);
  await click(page.locator('button[type=submit]'), 900);
  await page.waitForURL('**/app');

  caption = 'Add a Word file, and choose a language';
  await page.goto('/app/translate?kind=file&from=en&to=["es"]');
  await settled(page);
  await show(900);
  await page.getByLabel('files to translate').setInputFiles(file);
  const translate = page.getByRole('button', { name: 'Translate 1 file' });
  await translate.waitFor();
  await settled(page);
  await click(translate, 1000);

  caption = 'Each segment is translated, checked and scored';
  const open = page.getByRole('link', { name: `Open ${basename(file)}, Spanish` });
  await page.getByText('Awaiting review: 1 segment to check').waitFor();
  await settled(page);
  await click(open, 1200);

  caption = 'A check found a changed time: 6.05 became 6.50';
  const field = page.locator('textarea[data-edited]');
  await page.getByText('6.50').first().click();
  await field.waitFor();
  await settled(page);
  await show(2200);
  await field.evaluate((element: HTMLTextAreaElement) => {
    const start = element.value.indexOf('6.50');
    element.setSelectionRange(start, start + 4);
  });
  await show(500);
  caption = 'The reviewer corrects the segment';
  for (const key of '6.05') {
    await page.keyboard.type(key);
    await show(160);
  }
  await settled(page);
  await show(700);
  await page.keyboard.press('Control+Enter');
  await settled(page);
  await show(1000);

  caption = 'Approve the file';
  await click(page.getByRole('button', { name: 'Approve all…' }));
  await settled(page);
  await click(page.getByRole('dialog').getByRole('button', { name: 'Approve the file' }), 1000);
  await page.getByText('Approved', { exact: true }).waitFor();
  await settled(page);

  caption = 'Download it: the same layout, in Spanish';
  const saved = page.waitForEvent('download');
  await click(page.getByRole('button', { name: 'Download' }), 900);
  await (await saved).delete();
  await settled(page);
  await show(2200);
  await page.context().close();
  await write(browser, frames, output);
}

async function middleOf(target: Locator): Promise<{ x: number; y: number }> {
  const box = await target.boundingBox();
  if (!box) throw new Error('the next click is on something that is not visible');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Draws the frames, and joins them. @throws Error if the file is too large */
async function write(browser: Browser, frames: readonly Frame[], output: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'lingualoop-tour-'));
  const page = await browser.newPage();
  try {
    const files: string[] = [];
    for (const [index, frame] of frames.entries()) {
      const path = join(folder, `${index}.png`);
      await writeFile(path, await drawn(page, frame));
      files.push('-d', String(frame.milliseconds), path);
    }
    execFileSync('img2webp', ['-loop', '0', '-min_size', '-lossy', '-q', '72', ...files, '-o', output]);
  } finally {
    await page.close();
    await rm(folder, { recursive: true });
  }
  const { size } = await stat(output);
  if (size > maxBytes) throw new Error(`${output} has ${size} bytes, more than ${maxBytes}`);
  const seconds = frames.reduce((sum, { milliseconds }) => sum + milliseconds, 0) / 1000;
  process.stdout.write(
    `${basename(output)}: ${Math.ceil(size / 1000)} kB, ${frames.length} frames, ${seconds} s\n`,
  );
}

/** Draws a frame with its pointer, and its caption below, as PNG. */
async function drawn(page: Page, { screen, caption, pointer }: Frame): Promise<Buffer> {
  const bytes = await page.evaluate(
    async ({ source, text, at, width, height, line }) => {
      const bitmap = await createImageBitmap(await (await fetch(source)).blob());
      const canvas = new OffscreenCanvas(width, height + line);
      const context = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
      context.fillStyle = '#12282c';
      context.fillRect(0, 0, width, height + line);
      context.drawImage(bitmap, 0, 0);
      context.fillStyle = '#ffffff';
      context.font = '600 22px sans-serif';
      context.textAlign = 'center';
      context.textBaseline = 'middle';
      context.fillText(text, width / 2, height + line / 2);
      if (at) {
        context.lineWidth = 3;
        context.strokeStyle = '#f0935a';
        context.fillStyle = 'rgb(240 147 90 / 35%)';
        context.beginPath();
        context.arc(at.x, at.y, 20, 0, 2 * Math.PI);
        context.fill();
        context.stroke();
      }
      return [...new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer())];
    },
    {
      source: `data:image/png;base64,${screen.toString('base64')}`,
      ...{ text: caption, at: pointer, ...viewport, line: captionHeight },
    },
  );
  return Buffer.from(bytes);
}
