import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { workbookFile } from '#test/factories/workbook.ts';
import type { TestApp } from '#test/setup/app.ts';
import type { useBrowser } from './browser.ts';
import { sendDocument } from './document-files.ts';
import { signedIn } from './founder.ts';
import { field } from './reviewing.ts';

interface StoredSegment {
  target_text: string;
  confirmed_at: string | null;
  region_id: string | null;
  cell_id: string | null;
}

/**
 * Opens a document in the editor, in the browser of a new administrator. The stub engine translates `Hello` as
 * `[fr] Hello`.
 * @param document a file, or the cells of a workbook
 * @param search the query of the URL
 * @param before changes the page before the editor is opened
 */
export async function openDocument(
  app: TestApp,
  browser: ReturnType<typeof useBrowser>,
  document: readonly string[] | File,
  {
    search = '',
    before,
    targetLang = 'fr',
  }: { search?: string; before?: (page: Page) => Promise<unknown>; targetLang?: string } = {},
) {
  let path = '';
  let id = '';
  const founder = await signedIn(
    app,
    browser,
    async (of) => {
      const file = document instanceof File ? document : workbookFile([...document]);
      id = await sendDocument(app, of, file, true, targetLang);
      path = `/app/edit/documents/${id}`;
      return `${path}${search}`;
    },
    before && { prepare: before },
  );
  await field(founder.page).waitFor();
  const headers = { 'x-api-key': founder.apiKey };
  const read = async (part = '') => (await app.json('GET', `/api/documents/${id}${part}`, { headers })).body;
  const segments = async (): Promise<StoredSegment[]> => (await read('/segments')).segments;
  return {
    ...founder,
    id,
    path,
    segments,
    document: () => read(),
    targets: async () => (await segments()).map(({ target_text }) => target_text),
    /** Corrects a segment over the API, as a colleague would. */
    async correct(index: number, target_text: string) {
      const { region_id, cell_id } = (await segments())[index] as StoredSegment;
      const body = { corrections: [{ region_id, cell_id, target_text }] };
      const { status } = await app.json('POST', `/api/documents/${id}/review`, { headers, body });
      expect(status).toBe(200);
    },
  };
}

/** Waits until the segment with this number is open. */
export const opened = (page: Page, number: number) =>
  page.getByRole('textbox', { name: `Translation of segment ${number}`, exact: true }).waitFor();

/**
 * Makes the service unreachable for the edits of a tab, until `reachable`. A page that ends sends its edits, and the
 * browser does not ask the routes of a test about such requests. So the page itself refuses to send.
 */
export async function unreachable(page: Page): Promise<void> {
  const refuseSaves = () => {
    const { fetch } = globalThis;
    globalThis.fetch = (input, init) => {
      const isSave = String(input instanceof Request ? input.url : input).includes('documents.save');
      return isSave && !('isReachable' in globalThis)
        ? Promise.reject(new TypeError('unreachable'))
        : fetch(input, init);
    };
  };
  await page.addInitScript(refuseSaves);
  await page.evaluate(refuseSaves);
}

/** Lets the present page send edits again, after `unreachable`. */
export const reachable = (page: Page) =>
  page.evaluate(() => void Object.assign(globalThis, { isReachable: true }));
