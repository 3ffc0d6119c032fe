import type { Page } from 'playwright-core';
import { pick } from '#test/bench/seeded-random.ts';
import { workbookFile } from '#test/factories/workbook.ts';
import { poll } from '#test/setup/poll.ts';
import { sendDocument } from './document-files.ts';
import { KeptSegments, type SeenInEditor } from './kept-segments.ts';
import { KilledSeries, nextWord, pause, soon } from './killed-series.ts';
import { field } from './reviewing.ts';
import { readDrafts } from './stored-drafts.ts';

const segmentCount = 200;

/**
 * A reviewer adds words to a translation up to this length. A longer one would be critical: too long, or in another
 * language.
 */
const maxLength = 60;

/** A reviewer who works in the editor of a document through a series of kills. */
export class KilledDocument extends KilledSeries {
  readonly kept = new KeptSegments();
  protected readonly events = ['input', 'confirm', 'sent', 'answered'];
  /** The status or error of each request that saves. */
  private readonly outcomes: string[] = [];
  protected id = '';

  async begin(): Promise<void> {
    const texts = Array.from({ length: segmentCount }, (_, n) => `Sentence ${n + 1} of this text.`);
    const apiKey = this.member.key['x-api-key'] as string;
    this.id = await sendDocument(this.service, { apiKey }, workbookFile(texts));
    const { context } = this.person;
    await context.exposeBinding('tellTest', ({ page }, seen: SeenInEditor) => {
      if (page !== this.page) return;
      this.kept.see(seen);
      this.tell(seen.kind);
    });
    await context.addInitScript(watchEditor);
    const isSave = (url: string) => url.includes('documents.save');
    context.on('request', (request) => isSave(request.url()) && this.tell('sent'));
    context.on('response', (response) => {
      if (!isSave(response.url())) return;
      this.tell('answered');
      this.outcomes.push(String(response.status()));
    });
    context.on('requestfailed', (request) => {
      if (isSave(request.url())) this.outcomes.push(request.failure()?.errorText ?? 'failed');
    });
    await this.open();
  }

  protected async step(page: Page): Promise<void> {
    const { random } = this;
    if (await this.decideConflict(page)) return;
    if (random() < 0.3) await this.decideFound(page);
    await field(page).focus(soon);
    const chance = random();
    const isFull = (await field(page).inputValue(soon)).length > maxLength;
    if (chance < 0.55 && !isFull) {
      await page.keyboard.press('Control+End');
      await page.keyboard.type(` ${nextWord()} ${nextWord()}`, { delay: pick([0, 5, 30], random) });
    } else if (chance < 0.8 && !isFull) await page.keyboard.press('Control+Enter');
    else if (chance < 0.85) await page.keyboard.press('Control+s');
    else if (chance < 0.9 || isFull) await page.keyboard.press('Alt+ArrowDown');
    else if (chance < 0.94) await page.keyboard.press('Alt+ArrowUp');
    else await pause(random() * 1200);
  }

  /** Selects one of both texts, if the editor asks which to keep. */
  private async decideConflict(page: Page): Promise<boolean> {
    const mine = page.getByRole('button', { name: 'Keep mine' });
    if ((await mine.count()) === 0) return false;
    const { position, text } = await this.shown(page);
    this.kept.choose(position, text);
    this.kept.counts.conflicts += 1;
    await mine.first().click(soon);
    return true;
  }

  /** Restores or discards the texts of earlier visits that are offered. */
  private async decideFound(page: Page): Promise<void> {
    const offer = page.getByRole('region', { name: 'Unsent changes of an earlier visit' });
    if ((await offer.count()) === 0) return;
    const isRestored = this.random() < 0.8;
    if (!isRestored) {
      // Only the words in the stored texts must be kept. The page may end with the click.
      const { segments } = await this.stored();
      for (const [position, text] of segments.entries()) this.kept.choose(position, text);
    }
    this.kept.counts[isRestored ? 'restored' : 'discarded'] += 1;
    await offer.getByRole('button', { name: isRestored ? /^Restore/ : /^Discard/ }).click(soon);
  }

  /** Resolves when all edits are stored. Solves conflicts. */
  protected async settle(): Promise<void> {
    const { page } = this;
    const note = page.locator('footer [role=status]');
    const toFailed = page.getByRole('button', { name: /^Open segment \d/ });
    await poll(async () => {
      if (await this.decideConflict(page)) return false;
      if ((await toFailed.count()) > 0) await toFailed.first().click(soon);
      // A segment with critical findings is not confirmed. Its text stays on the device.
      if ((await page.locator('[role=alert] input[type=radio]').count()) > 0) return true;
      return /^\s*(Saved.*)?$/.test(await note.innerText());
    }).catch(async () => {
      throw new Error(
        `the edits are not stored; the last requests: ${this.outcomes.slice(-5)}; ${await page.locator('main').innerText()}`,
      );
    });
    await pause(300);
  }

  protected async look(endedAt: number | undefined): Promise<string[]> {
    const stored = await this.stored();
    const tab = endedAt ? await this.blankTab() : this.page;
    const drafts = new Map<number, string[]>();
    for (const [key, texts] of await readDrafts(tab)) {
      const [, position = ''] = key.split('/');
      drafts.set(Number(position), [...(drafts.get(Number(position)) ?? []), ...texts]);
    }
    if (endedAt) await tab.close();
    return this.kept.check({ ...stored, drafts, endedAt });
  }

  private shown(page: Page): Promise<{ position: number; text: string }> {
    return field(page).evaluate((element) => ({
      position: Number(/\d+/.exec(element.ariaLabel ?? '')?.[0]) - 1,
      text: (element as HTMLTextAreaElement).value,
    }));
  }

  private async stored() {
    const { sql } = this.service;
    const segments = await sql<{ text: string }[]>`
      select target_text as text from document_segments where document_id = ${this.id} order by position`;
    const events = await sql<{ position: number; text: string }[]>`
      select position, target_text as text from segment_events
      where document_id = ${this.id} and kind = 'confirmed'`;
    const confirmed = new Map<number, string[]>();
    for (const { position, text } of events)
      confirmed.set(position, [...(confirmed.get(position) ?? []), text]);
    return { segments: segments.map(({ text }) => text), confirmed };
  }

  protected open(): Promise<void> {
    return this.openAt(`/app/edit/documents/${this.id}`);
  }
}

/** Reports the events of the editor. Runs in the page. */
function watchEditor(): void {
  const { tellTest } = globalThis as unknown as { tellTest: (seen: SeenInEditor) => void };
  const tellOf = (kind: SeenInEditor['kind'], element: EventTarget | null) => {
    if (!(element instanceof HTMLTextAreaElement) || !element.matches('[data-edited]')) return;
    const position = Number(/\d+/.exec(element.ariaLabel ?? '')?.[0]) - 1;
    tellTest({ kind, at: Date.now(), position, text: element.value });
  };
  addEventListener('input', ({ target }) => tellOf('input', target), true);
  addEventListener(
    'keydown',
    ({ key, ctrlKey, target }) => {
      if (ctrlKey && key === 'Enter') tellOf('confirm', target);
    },
    true,
  );
  let last = '';
  new MutationObserver(() => {
    const note = document.querySelector('footer [role=status]')?.textContent?.trim() ?? '';
    if (note !== last && note.startsWith('Saved'))
      tellTest({ kind: 'saved', at: Date.now(), position: -1, text: note });
    last = note;
  }).observe(document, { childList: true, characterData: true, subtree: true });
}
