import type { CDPSession, Page } from 'playwright-core';
import { pick, type Random } from '#test/bench/seeded-random.ts';
import type { Person as Member } from '#test/factories.ts';
import { poll } from '#test/setup/poll.ts';
import type { Person } from './browser.ts';
import { KeptWork, type StoredJob } from './kept-work.ts';
import { type KillableService, secretsKey } from './killable-service.ts';
import { crash, foundTexts, pause, ReviewerAtWork, readDrafts } from './reviewer-at-work.ts';
import { field, signInAt, waitingJobs } from './reviewing.ts';
import { witness } from './witness.ts';

/**
 * The processes or connections that are killed while a reviewer types and approves. Network and server return after a
 * moment; a tab is opened again.
 */
export const victims = [
  'tab crashes',
  'tab is closed',
  'server',
  'network',
  'server, then tab',
  'network, then tab',
] as const;
export type Victim = (typeof victims)[number];

/** A reviewer who works in the editor of texts through a series of kills. */
export class KilledSeries {
  readonly kept = new KeptWork();
  /** The number of requests with an approval, and of successful responses for each job. */
  readonly sent = { all: 0, done: new Map<string, number>() };
  signIns = 0;
  private page!: Page;
  private session!: CDPSession;
  private made = 0;
  private readonly service: KillableService;
  private readonly random: Random;
  private readonly member: Member;
  private readonly person: Person;
  private readonly listeners = new Set<(event: string) => void>();

  /** @param person a browser in which the member is signed in */
  constructor(service: KillableService, random: Random, member: Member, person: Person) {
    [this.service, this.random, this.member, this.person] = [service, random, member, person];
  }

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
      if (!jobOf(request.url(), request.postData())) return;
      this.sent.all += 1;
      this.tell('sent');
    });
    context.on('response', (response) => {
      const job = jobOf(response.url(), response.request().postData());
      if (!job) return;
      this.tell('answered');
      if (response.ok()) this.sent.done.set(job, (this.sent.done.get(job) ?? 0) + 1);
    });
    await this.open();
  }

  /**
   * Kills once, lets the reviewer continue, and checks the result.
   * @returns errors: texts that are lost, done twice, or different from what the reviewer saw
   */
  async kill(victim: Victim): Promise<string[]> {
    const { context } = this.person;
    const { page, random, service } = this;
    const endsTab = victim.includes('tab');
    const worker = new ReviewerAtWork(page, random, this.kept);
    await this.moment();
    if (victim.startsWith('server')) await service.kill();
    if (victim.startsWith('network')) await context.setOffline(true);
    // The reviewer continues without the killed part.
    if (!victim.startsWith('tab')) await pause(random() * 1500);
    const endedAt = endsTab ? Date.now() : undefined;
    if (victim === 'tab is closed') await page.close();
    else if (endsTab) await crash(page, this.session);
    const stopped = endsTab && worker.stop();
    // Settings of a crashed page cannot be changed.
    if (endsTab) await page.close().catch(() => undefined);
    if (victim.startsWith('server')) await service.start();
    if (victim.startsWith('network')) await context.setOffline(false);
    if (stopped) {
      await stopped;
      const wrong = await this.look(endedAt);
      await this.open();
      return [...wrong, ...(await this.lookAtOffered())];
    }
    await pause(random() * 500);
    await worker.stop();
    await this.settle();
    const wrong = await this.look(undefined);
    if (random() < 0.4) {
      await page.close();
      await this.open();
    }
    return wrong;
  }

  /** Approves all jobs whose reviews were not saved, until none is left. */
  async finish(): Promise<string[]> {
    await this.settle();
    return this.look(undefined);
  }

  /** Waits until no review is being sent and the last text is stored. */
  private async settle(): Promise<void> {
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

  private async look(endedAt: number | undefined): Promise<string[]> {
    const jobs = await this.stored();
    const tab = endedAt ? await this.blankTab() : this.page;
    const drafts = await readDrafts(tab, secretsKey);
    const shown = endedAt ? undefined : await this.shown();
    if (endedAt) await tab.close();
    const wrong = this.kept.check({ jobs, drafts, field: shown, endedAt });
    for (const [job, count] of this.sent.done)
      if (count > 1) wrong.push(`${count} approvals of ${job} were answered with success`);
    return wrong;
  }

  /** Checks whether the stored text of the open item is offered. */
  private async lookAtOffered(): Promise<string[]> {
    const { source } = await this.shown();
    const job = (await this.stored()).get(source);
    const drafts = (await readDrafts(this.page, secretsKey)).get(job?.id ?? '') ?? [];
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

  /** Opens a page with the origin of the application but without its scripts. */
  private async blankTab(): Promise<Page> {
    const tab = await this.person.tab();
    await tab.goto('/healthz');
    return tab;
  }

  /** Opens the editor in a new tab: at its start, or at the item that was open. */
  private async open(): Promise<void> {
    await this.moreJobs();
    const item = this.page && new URL(this.page.url()).searchParams.get('item');
    this.page = await this.person.tab();
    this.session = await this.person.context.newCDPSession(this.page);
    this.kept.begin();
    await this.page.goto(`/app/edit/texts${item && this.random() < 0.6 ? `?item=${item}` : ''}`);
    const signIn = this.page.locator('input[name=username]');
    await field(this.page)
      .or(signIn)
      .first()
      .waitFor()
      .catch(async () => {
        throw new Error(`no field is shown, but: ${await this.page.locator('body').innerText()}`);
      });
    // If the cookie of the session was lost with its response, the reviewer signs in again.
    if ((await signIn.count()) > 0) {
      this.signIns += 1;
      await signInAt(this.page, this.member);
    }
    await field(this.page).waitFor();
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

  private tell(event: string): void {
    for (const listener of this.listeners) listener(event);
  }

  /** Waits until the time of a kill, which may be any time, or directly after a key, a request or a response. */
  private async moment(): Promise<void> {
    const { random, listeners } = this;
    await pause(random() * 1500);
    const awaited = pick([undefined, 'input', 'save', 'approve', 'sent', 'answered'], random);
    if (!awaited) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, 1500);
      const listener = (event: string) => {
        if (event !== awaited) return;
        clearTimeout(timer);
        listeners.delete(listener);
        resolve();
      };
      listeners.add(listener);
    });
    if (random() < 0.5) await pause(random() * 25);
  }
}
