import type { Page } from 'playwright-core';
import { pick } from '#test/bench/seeded-random.ts';
import { poll } from '#test/setup/poll.ts';
import { KeptWork, type StoredJob } from './kept-work.ts';
import { KilledSeries, nextWord, pause, soon } from './killed-series.ts';
import { field, waitingJobs } from './reviewing.ts';
import { readDrafts } from './stored-drafts.ts';
import { witness } from './witness.ts';

/** A reviewer who works in the editor of texts through a series of kills. */
export class KilledTexts extends KilledSeries {
  readonly kept = new KeptWork();
  /** The number of approvals with a successful response, by job ID. */
  private readonly approved = new Map<string, number>();
  protected readonly events = ['input', 'save', 'approve', 'sent', 'answered'];
  private made = 0;

  async begin(): Promise<void> {
    const { context } = this.person;
    await witness(context, (seen, page) => {
      if (page !== this.page) return;
      this.kept.see(seen);
      this.tell(seen.kind);
    });
    const jobOf = (url: string, body: string | null) =>
      url.includes('translations.act') && body?.includes('"approve"') && /"job_id":"([^"]+)"/.exec(body)?.[1];
    context.on('request', (request) => {
      if (jobOf(request.url(), request.postData())) this.tell('sent');
    });
    context.on('response', (response) => {
      const job = jobOf(response.url(), response.request().postData());
      if (!job) return;
      this.tell('answered');
      if (response.ok()) this.approved.set(job, (this.approved.get(job) ?? 0) + 1);
    });
    await this.open();
  }

  protected async step(page: Page): Promise<void> {
    const { random } = this;
    const chance = random();
    const choice = page.getByRole('button', { name: /^Keep mine|^Use theirs/ });
    if ((await choice.count()) > 0) return choice.first().click(soon);
    if ((await foundTexts(page).count()) > 0 && random() < 0.6) await this.decideFound(page);
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
  private async decideFound(page: Page): Promise<void> {
    const { random, kept } = this;
    const name = random() < 0.75 ? 'Restore' : 'Discard';
    const offer = foundTexts(page).first();
    const { source, text, replaced } = await offer.evaluate((region) => {
      const row = region.closest('[role=row]');
      const shown = region.querySelector('[lang]')?.cloneNode(true) as Element;
      for (const removed of shown.querySelectorAll('del')) removed.remove();
      const source = row?.querySelector('[role=gridcell] [lang]')?.textContent ?? '';
      return { source, text: shown.textContent, replaced: row?.querySelector('textarea')?.value ?? '' };
    });
    // The text in the field is replaced. This is recorded before the click, because the page may end with the click.
    if (name === 'Restore') kept.giveUp(source, replaced, 'used');
    else kept.giveUp(source, text, 'discarded');
    await offer.getByRole('button', { name }).click(soon);
  }

  protected override async afterKill(endedTab: boolean): Promise<string[]> {
    if (endedTab) return this.lookAtOffered();
    if (this.random() < 0.4) {
      await this.page.close();
      await this.open();
    }
    return [];
  }

  protected async settle(): Promise<void> {
    // A text with a critical finding stays unconfirmed, so it is not saved.
    await poll(
      async () =>
        /^(?:Saved|Not saved: segment|$)/.test(
          (await this.page.locator('footer [role=status]').innerText()).trim(),
        ),
      15,
    );
    await pause(300);
  }

  protected async look(endedAt: number | undefined): Promise<string[]> {
    const jobs = await this.stored();
    const tab = endedAt ? await this.blankTab() : this.page;
    const drafts = await readDrafts(tab);
    const shown = endedAt ? undefined : await this.shown();
    if (endedAt) await tab.close();
    const wrong = this.kept.check({ jobs, drafts, field: shown, endedAt });
    for (const [job, count] of this.approved)
      if (count > 1) wrong.push(`${count} approvals of ${job} were answered with success`);
    return wrong;
  }

  /** Checks whether the stored text of the open item is offered. */
  private async lookAtOffered(): Promise<string[]> {
    const { source } = await this.shown();
    const job = (await this.stored()).get(source);
    const drafts = (await readDrafts(this.page)).get(job?.id ?? '') ?? [];
    const expected = drafts.filter((text) => text !== job?.text).length;
    const offers = foundTexts(this.page);
    const isOffered = await poll(async () => (await offers.count()) === expected, 3).catch(() => false);
    return isOffered ? [] : [`${expected} texts of ${source} are kept, ${await offers.count()} offered`];
  }

  private shown() {
    return this.page.evaluate(() => {
      const edited = document.querySelector<HTMLTextAreaElement>('textarea[data-edited]');
      const row = edited?.closest('[role=row]');
      return {
        source: row?.querySelector('[role=gridcell] [lang]')?.textContent ?? '',
        text: edited?.value ?? '',
      };
    });
  }

  /** At its start, or at the item that was open. */
  protected async open(): Promise<void> {
    await this.moreJobs();
    const item = this.page && new URL(this.page.url()).searchParams.get('item');
    await this.openAt(`/app/edit/texts${item && this.random() < 0.6 ? `?item=${item}` : ''}`);
  }

  private async moreJobs(): Promise<void> {
    const waiting = [...(await this.stored()).values()].filter(({ isWaiting }) => isWaiting);
    if (waiting.length >= 25) return;
    const texts = Array.from({ length: 40 }, () => `Sentence ${++this.made} of this text.`);
    await waitingJobs(this.service, this.member.key, texts);
  }

  private async stored(): Promise<Map<string, StoredJob>> {
    const jobs = await this.service.sql<StoredJob[]>`
      select job_id as id, request ->> 'source_text' as source, final_translation as text,
        status in ('awaiting_review', 'refined') as "isWaiting",
        (select count(*)::int from jsonb_array_elements(agent_run -> 'steps') step
          where step ->> 'name' = 'human_review' and step ->> 'output_summary' = 'approve') as approvals
      from translation_jobs where tenant_id = ${this.member.tenantId}`;
    return new Map(jobs.map((job) => [job.source, job]));
  }
}

/** The texts that the screen offers for restoring. */
function foundTexts(page: Page) {
  return page.getByRole('region', { name: 'Unsent changes' });
}
