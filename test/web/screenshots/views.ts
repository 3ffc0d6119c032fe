import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { pictureDirectory, pictureSize } from '#web/server/public-pages.ts';
import type { Look, View } from './camera.ts';
import type { Workspace } from './workspace.ts';

/** A series of pictures: each view in each look. */
export interface Series {
  directory: string;
  /** The maximum size of a file, in bytes. */
  maxBytes: number;
  looks: readonly Look[];
  views(workspace: Workspace): View[];
}

/**
 * The pictures of the README, the landing page and the guides. They are shown smaller than the screen, so that 1.5 pixels
 * per CSS pixel are sharp; with two, the editor would only fit in a quality that blurs its letters.
 */
export const guidePictures: Series = {
  directory: pictureDirectory,
  maxBytes: 150_000,
  looks: (['light', 'dark'] as const).map((colorScheme) => ({
    name: colorScheme,
    colorScheme,
    viewport: pictureSize,
    deviceScaleFactor: 1.5,
  })),
  views: ({ documentId }) => [
    { name: 'editor', path: `/app/edit/documents/${documentId}`, prepare: openCriticalSegment },
    { name: 'inbox', path: '/app' },
    { name: 'files', path: '/app/files' },
    { name: 'glossary', path: '/app/glossaries', prepare: openSet },
  ],
};

/** The pictures of all screens (docs/decisions/0089). */
export const screenPictures: Series = {
  directory: join(import.meta.dirname, '../../../docs/decisions/pictures/0089'),
  maxBytes: 100_000,
  looks: [
    { name: 'light', colorScheme: 'light', viewport: pictureSize },
    { name: 'dark', colorScheme: 'dark', viewport: pictureSize },
    { name: 'phone', colorScheme: 'light', viewport: { width: 390, height: 844 }, hasTouch: true },
    { name: 'arabic', colorScheme: 'light', viewport: pictureSize, locale: 'ar' },
  ],
  views: ({ documentId, jobId }) => [
    { name: 'landing', path: '/', isPublic: true },
    { name: 'sign-in', path: '/signin', isPublic: true },
    { name: 'inbox', path: '/app' },
    { name: 'palette', path: '/app', prepare: (page) => page.keyboard.press('Control+k') },
    { name: 'files', path: '/app/files' },
    { name: 'texts', path: '/app/texts' },
    { name: 'job', path: `/jobs/${jobId}` },
    { name: 'editor', path: `/app/edit/documents/${documentId}`, prepare: openCriticalSegment },
    { name: 'keys', path: `/app/edit/documents/${documentId}`, prepare: openKeys },
    { name: 'approve', path: `/app/edit/documents/${documentId}`, prepare: openApproval },
    { name: 'texts-editor', path: '/app/edit/texts?source=en&target=fr' },
    { name: 'glossaries', path: '/app/glossaries' },
    { name: 'glossary', path: '/app/glossaries', prepare: openSet },
    { name: 'style-guides', path: '/app/style-guides' },
    { name: 'memories', path: '/app/memories' },
    { name: 'memory', path: '/app/memories', prepare: openSet },
    { name: 'concordance', path: '/app/concordance?from=en&to=es&text=meeting' },
    { name: 'reports', path: '/app/reports' },
    { name: 'reports-senders', path: '/app/reports', prepare: groupBySender },
    { name: 'members', path: '/app/settings/members' },
    { name: 'security', path: '/app/settings/security' },
    { name: 'api-keys', path: '/app/settings/api-keys' },
    { name: 'storage', path: '/app/settings/storage' },
    { name: 'audit', path: '/app/settings/audit' },
    { name: 'billing', path: '/billing' },
    { name: 'translate', path: '/app/translate?from=en&to=%5B%22fr%22%5D', prepare: translateText },
    { name: 'translate-files', path: '/app/translate?kind=file' },
  ],
};

/** Opens the segment with the wrong time, so that the picture shows its finding. */
async function openCriticalSegment(page: Page): Promise<void> {
  const segment = page.getByText('6.50').first();
  if (await segment.isVisible()) return segment.click();
  // A phone shows only the open segment, which is the first one.
  await page.keyboard.press('Alt+ArrowDown');
}

async function openApproval(page: Page): Promise<void> {
  await page.locator('button:has(.lucide-check-check)').click();
}

async function openKeys(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
}

/** Opens the first glossary or TM. */
async function openSet(page: Page): Promise<void> {
  await page.locator('main td a, main th a').first().click();
  await page.waitForURL(/\/(glossaries|memories)\/[^/]+$/);
}

/** Groups the billed characters of the reports by the last choice. */
async function groupBySender(page: Page): Promise<void> {
  await page.locator('#billed ~ fieldset label').last().click();
}

async function translateText(page: Page): Promise<void> {
  await page.locator('main textarea').fill('Notice must be given three months in advance.');
  await page.keyboard.press('Control+Enter');
}
