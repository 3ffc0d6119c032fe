import { createDecipheriv } from 'node:crypto';
import type { CDPSession, Page } from 'playwright-core';
import { draftKeys } from '#server/platform/encryption.ts';
import { pick, type Random } from '#test/bench/seeded-random.ts';
import type { KeptWork } from './kept-work.ts';
import { field } from './reviewing.ts';

/** Maximum duration of a step in a working page. If a step takes longer, the reviewer does something else. */
const soon = { timeout: 2000 };

let words = 0;

/** Returns a unique word, so that each word can be found again. */
export const nextWord = () => `w${(words++).toString(36)}z`;

/** A reviewer who types, approves, saves and navigates at random, until the test stops it or the page ends. */
export class ReviewerAtWork {
  private isStopped = false;
  private readonly done: Promise<void>;
  readonly page: Page;
  private readonly random: Random;
  private readonly kept: KeptWork;

  constructor(page: Page, random: Random, kept: KeptWork) {
    this.page = page;
    this.random = random;
    this.kept = kept;
    this.done = this.work();
  }

  /** Waits until the current step has ended. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.done;
  }

  private async work(): Promise<void> {
    while (!this.isStopped) {
      // The page may end during a step, or the item may disappear.
      await this.step().catch(() => undefined);
    }
  }

  private async step(): Promise<void> {
    const { page, random } = this;
    const chance = random();
    if (page.isClosed()) return pause(20);
    const choice = page.getByRole('button', { name: /^Keep my text|^Discard my text/ });
    if ((await choice.count()) > 0) return choice.first().click(soon);
    if ((await foundTexts(page).count()) > 0 && random() < 0.6) await this.decideFound();
    await field(page).focus(soon);
    if (chance < 0.5)
      await page.keyboard.type(`${nextWord()} ${nextWord()} `, { delay: pick([0, 5, 30], random) });
    else if (chance < 0.75) await page.keyboard.press('Control+Enter');
    else if (chance < 0.83) await page.keyboard.press('Control+s');
    else if (chance < 0.87) {
      // The reviewer continues before the response to the draft has arrived.
      await page.keyboard.press('Control+s');
      await page.keyboard.press('Control+Enter');
    } else if (chance < 0.92) await page.keyboard.press('Alt+ArrowDown');
    else if (chance < 0.95) await page.keyboard.press('Alt+ArrowUp');
    else await pause(random() * 500);
  }

  /** Restores or discards a text that is offered. */
  private async decideFound(): Promise<void> {
    const { page, random, kept } = this;
    const name = random() < 0.75 ? 'Restore' : 'Discard';
    const offer = foundTexts(page).first();
    const { source, text, replaced } = await offer.evaluate((region) => {
      const of = region.parentElement?.querySelector('textarea')?.closest('section')?.parentElement;
      const shown = region.querySelector('[lang]')?.cloneNode(true) as Element;
      for (const removed of shown.querySelectorAll('del')) removed.remove();
      const source = of?.querySelector('section [lang]')?.textContent ?? '';
      return { source, text: shown.textContent, replaced: of?.querySelector('textarea')?.value ?? '' };
    });
    // The text in the field is replaced. This is recorded before the click, because the page may end with the click.
    if (name === 'Restore') kept.giveUp(source, replaced, 'used');
    else kept.giveUp(source, text, 'discarded');
    await offer.getByRole('button', { name }).click(soon);
  }
}

/** The texts that the screen offers for restoring. */
export function foundTexts(page: Page) {
  return page.getByRole('region', { name: 'Unsent changes' });
}

/**
 * All texts in the browser's storage, by job ID. The latest text of a job is first.
 * @param secretsKey the SECRETS_KEY of the service
 */
export async function readDrafts(page: Page, secretsKey: Buffer): Promise<Map<string, string[]>> {
  const all = await readSealed(page);
  return new Map(
    all.map(({ key, iv, sealed }) => {
      const [tenantId = '', userId = '', , id = ''] = key.split(':');
      const [own] = draftKeys({ current: secretsKey, previous: null }, tenantId, userId);
      const decipher = createDecipheriv('aes-256-gcm', own, Buffer.from(iv));
      decipher.setAAD(Buffer.from(key)).setAuthTag(Buffer.from(sealed.slice(-16)));
      const plain = Buffer.concat([decipher.update(Buffer.from(sealed.slice(0, -16))), decipher.final()]);
      const texts: string[] = [];
      for (let draft = JSON.parse(plain.toString()); draft; draft = draft.former) texts.push(draft.text);
      return [id, texts];
    }),
  );
}

/** The records of drafts in the browser's storage, which are encrypted. */
export function readSealed(page: Page): Promise<{ key: string; iv: number[]; sealed: number[] }[]> {
  return page.evaluate(async () => {
    const answer = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    // Opening a database that does not exist would create it.
    if (!(await indexedDB.databases()).some(({ name }) => name === 'lingualoop-drafts')) return [];
    const database = await answer(indexedDB.open('lingualoop-drafts'));
    const store = database.transaction('drafts').objectStore('drafts');
    const [keys, drafts] = await Promise.all([
      answer(store.getAllKeys()),
      answer<{ iv: Uint8Array; sealed: ArrayBuffer }[]>(store.getAll()),
    ]);
    database.close();
    return keys.map((key, at) => ({
      key: String(key),
      iv: [...(drafts[at]?.iv ?? [])],
      sealed: [...new Uint8Array(drafts[at]?.sealed ?? new ArrayBuffer())],
    }));
  });
}

/** Crashes the process of a page. */
export async function crash(page: Page, session: CDPSession): Promise<void> {
  const crashed = page.waitForEvent('crash');
  void session.send('Page.crash').catch(() => undefined);
  await crashed;
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
