import type { Page } from 'playwright-core';
import { LinguaLoopError } from '#sdk/errors.ts';
import { LinguaLoop } from '#sdk/index.ts';
import type { Assignment } from '#sdk/types.ts';
import { type Finding, idOf, isOpen } from '#server/translation/findings.ts';
import { pick } from '#test/bench/seeded-random.ts';
import { workbookFile } from '#test/factories/workbook.ts';
import { freshEmail, invite, password } from '#test/factories.ts';
import { sendDocument } from './document-files.ts';
import { KilledDocument } from './killed-document.ts';
import { nextWord, pause, soon, type Victim } from './killed-series.ts';
import { waitingJobs } from './reviewing.ts';

/** A member who works over the SDK. */
interface Colleague {
  userId: string;
  client: LinguaLoop;
}

interface Segment {
  id: string;
  position: number;
  text: string;
  issues: Finding[];
}

interface StoredAssignment {
  id: string;
  version: number;
  assignee: string | null;
  /** Whether one member makes both reviews, or the second one alone. */
  isWrong: boolean;
  /** The changes in the audit log. */
  audited: number;
}

/** The number of times that an act was confirmed to a member, and the number of times without a response. */
interface Outcomes {
  told: number;
  unknown: number;
}

const colleagueCount = 4;
const files = ['one.xlsx', 'two.xlsx', 'three.xlsx'];
/** Programs edit a translation up to this length. */
const maxLength = 90;
/** Texts that await review at the same time. */
const textCount = 24;

/**
 * Five people who work on the same files and texts through a series of kills. The administrator has two tabs, an editor
 * and the inbox, and a program; four colleagues work with programs. They assign, take, hand over, resolve findings, edit,
 * pass on and approve. A confirmed act must be stored once, and one without a response at most once.
 */
export class KilledTeam extends KilledDocument {
  /** The outcomes of each act, by its key, as `storedActs` writes it. */
  private readonly acts = new Map<string, Outcomes>();
  /** The last version of each assignment that someone was told, and its assignee. */
  private readonly versions = new Map<string, { version: number; assignee: string | null }>();
  readonly responses: Record<string, number> = {};
  private readonly colleagues: Colleague[] = [];
  private readonly documents: string[] = [];
  private inbox!: Page;
  private network = new AbortController();
  private made = 0;
  private isStopped = true;
  private loops: Promise<unknown>[] = [];

  override async begin(): Promise<void> {
    const { service, member } = this;
    this.colleagues.push(await this.signIn(member));
    const [{ client: admin }] = this.colleagues as [Colleague];
    for (let n = 0; n < colleagueCount; n++) {
      const email = freshEmail();
      const { invite_token } = await invite(service as never, member, { role: 'agent_id_developer' });
      await new LinguaLoop({ baseUrl: service.address }).auth.signUp({ email, password, invite_token });
      this.colleagues.push(await this.signIn({ email, password }));
    }
    const languages = [{ source_lang: '*', target_lang: 'fr', review: true, second: true }];
    for (const { userId } of this.colleagues)
      await admin.assignments.saveProfile({ user_id: userId, languages });
    const cells = (name: string) => Array.from({ length: 200 }, (_, n) => `Line ${n + 1} of file ${name}.`);
    for (const name of files)
      this.documents.push(
        await sendDocument(service, { apiKey: member.apiKey }, workbookFile(cells(name), name)),
      );
    await this.moreTexts();
    await super.begin();
  }

  override async kill(victim: Victim): Promise<string[]> {
    await this.moreTexts();
    this.isStopped = false;
    const [admin] = this.colleagues;
    this.loops = this.colleagues.map((one) => this.repeat(() => this.workOnce(one, one === admin)));
    this.loops.push(this.repeat(() => (this.inbox.isClosed() ? pause(20) : this.assignInInbox(this.inbox))));
    const { inbox } = this;
    const closing = victim.includes('tab') && pause(this.random() * 2500).then(() => inbox.close());
    const wrong = await super.kill(victim);
    await closing;
    return wrong;
  }

  protected override async cut(isOffline: boolean): Promise<void> {
    if (isOffline) this.network.abort();
    else this.network = new AbortController();
    await super.cut(isOffline);
  }

  protected override async open(): Promise<void> {
    await super.open();
    const earlier = this.inbox;
    this.inbox = await this.person.tab();
    await earlier?.close();
    await this.inbox.goto('/app?view=all');
  }

  /** Everyone pauses while the texts and the acts are compared with what is stored. */
  protected override async look(endedAt: number | undefined): Promise<string[]> {
    this.isStopped = true;
    await Promise.all(this.loops);
    return [...(await super.look(endedAt)), ...(await this.compare())];
  }

  protected override async step(page: Page): Promise<void> {
    const button = page.getByRole('button', { name: 'Resolve' }).first();
    if (this.random() > 0.25 || (await button.count()) === 0) return super.step(page);
    const reason = `Not an error: ${nextWord()}`;
    await button.press('Enter', soon);
    await page.getByRole('radio', { name: 'Not an error' }).check(soon);
    await page.getByLabel(/^Note/).fill(reason, soon);
    const keys = [`resolve ${reason}`, `resolved ${reason}`];
    await this.seeDone(keys, async () => {
      await page.keyboard.press('Enter');
      await page.getByText(reason).waitFor(soon);
    });
  }

  /** Assigns a file to another member in the inbox. */
  private async assignInInbox(page: Page): Promise<void> {
    await pause(this.random() * 400);
    const index = Math.floor(this.random() * files.length);
    const dialog = page.getByRole('dialog');
    await page.keyboard.press('Escape');
    if ((await dialog.count()) > 0 || this.random() < 0.1) await page.goto('/app?view=all', soon);
    for (const [at, name] of files.entries())
      await page.getByRole('checkbox', { name: `Select ${name}` }).setChecked(at === index, soon);
    await page.keyboard.press('a');
    const select = dialog.getByLabel('First review');
    await select.waitFor(soon);
    const present = await select.inputValue();
    const ids = this.colleagues.map(({ userId }) => userId).filter((id) => id !== present);
    const assignee = pick(ids, this.random);
    // Someone cannot make both reviews, so that the option may be disabled.
    await select.selectOption(assignee, soon);
    const key = `assign ${this.member.userId} ${this.documents[index]} ${assignee}`;
    await this.seeDone([key], async () => {
      await page.keyboard.press('Control+Enter');
      await dialog.waitFor({ state: 'detached' });
      await page.getByText('1 translation assigned.').waitFor(soon);
    });
  }

  /** Does something whose success a page shows. */
  private async seeDone(keys: readonly string[], act: () => Promise<void>): Promise<void> {
    for (const key of keys) this.outcomesOf(key).unknown += 1;
    await act();
    this.count('in a tab', 'done');
    this.close(keys, true);
  }

  private close(keys: readonly string[], isDone: boolean): void {
    for (const key of keys) {
      this.outcomesOf(key).unknown -= 1;
      if (isDone) this.outcomesOf(key).told += 1;
    }
  }

  /** Does one thing that a member does with a program. */
  private async workOnce({ client, userId }: Colleague, isAdmin: boolean): Promise<void> {
    const { random } = this;
    await pause(random() * 300);
    const chance = random();
    if (chance < 0.25) await this.resolve(client);
    else if (chance < 0.4) await this.save(client);
    else {
      const state = pick(['assigned', 'assigned', 'unassigned'] as const, random);
      const page = await client.assignments.listPage({ state, limit: 100 });
      const item = page.items.length > 0 ? pick([...page.items], random) : undefined;
      if (item) await this.decide({ client, userId }, item, isAdmin);
    }
  }

  private async decide({ client, userId }: Colleague, item: Assignment, isAdmin: boolean): Promise<void> {
    const { kind, id, version, assignee, second, four_eyes, step } = item;
    const other = pick(this.colleagues, this.random).userId;
    const isMine = (step === 'first' ? assignee : second)?.user_id === userId;
    const chance = this.random();
    if (isAdmin && chance < 0.6) {
      const [one, two] = [pick(this.colleagues, this.random).userId, other];
      await this.assign(client, userId, item, {
        assignee: one,
        second: two === one || chance < 0.2 ? null : two,
      });
    } else if (assignee === null) await this.assign(client, userId, item, { assignee: userId });
    else if (isMine && chance < 0.4)
      await this.assign(client, userId, item, { assignee: chance < 0.1 ? null : other });
    else if (four_eyes && isMine && (step === 'first' || chance < 0.6)) {
      const to = step === 'first' ? 'second' : 'first';
      const pass = client.assignments.pass({ kind, id, version, back: to === 'first' });
      await this.ask([`pass ${userId} ${id} ${to}`], pass, (passed) => {
        this.learn(id, passed.version, assignee?.user_id ?? null);
        return true;
      });
    } else if (kind === 'job' && (isMine || chance > 0.9))
      await this.ask([`approve ${id}`], client.translations.review(id, { action: 'approve' }));
  }

  private async assign(
    client: LinguaLoop,
    by: string,
    { kind, id, version }: Assignment,
    change: { assignee: string | null; second?: string | null },
  ): Promise<void> {
    const seen = this.random() < 0.7 ? { version } : {};
    const key = `assign ${by} ${id} ${change.assignee}`;
    const assigned = client.assignments.assign({ items: [{ kind, id, ...seen }], ...change });
    await this.ask([key], assigned, ([result]) => {
      if (result?.outcome !== 'done') return false;
      this.learn(id, result.version, change.assignee);
      return true;
    });
  }

  private learn(id: string, version: number, assignee: string | null): void {
    if (version > (this.versions.get(id)?.version ?? 0)) this.versions.set(id, { version, assignee });
  }

  private async resolve(client: LinguaLoop): Promise<void> {
    const segment = await this.anySegment([this.id, ...this.documents]);
    const finding = segment.issues.find(isOpen);
    if (!finding) return;
    const reason = `Accepted: ${nextWord()}`;
    const { id, position, text } = segment;
    const resolved = client.documents.resolve({
      ...{ document_id: id, position, target_text: text, finding_id: idOf(finding) },
      ...{ resolution: 'accepted', reason },
    });
    await this.ask([`resolve ${reason}`, `resolved ${reason}`], resolved);
  }

  private async save(client: LinguaLoop): Promise<void> {
    const { id, position, text } = await this.anySegment(this.documents);
    if (text.length > maxLength) return;
    const word = nextWord();
    const segments = [
      { position, target_text: `${text} ${word}`, replaces: text, confirmed: this.random() < 0.3 },
    ];
    await this.ask([`save ${word}`], client.documents.save({ document_id: id, segments, repeat: false }));
  }

  private async anySegment(documents: readonly string[]): Promise<Segment> {
    const [id, position] = [pick(documents, this.random), Math.floor(this.random() * 200)];
    const [segment] = await this.service.sql<Segment[]>`
      select document_id as id, position, target_text as text, issues from document_segments
      where document_id = ${id} and position = ${position}`;
    return segment as Segment;
  }

  /** Waits for the response to an act. @param isDone whether the response confirms it */
  private async ask<T>(keys: readonly string[], response: PromiseLike<T>, isDone?: (response: T) => boolean) {
    const [verb = ''] = (keys[0] as string).split(' ');
    for (const key of keys) this.outcomesOf(key).unknown += 1;
    try {
      const answer = await response;
      const done = isDone?.(answer) ?? true;
      this.close(keys, done);
      this.count(verb, done ? 'done' : 'refused');
    } catch (error) {
      const status = error instanceof LinguaLoopError ? error.status : null;
      this.count(verb, status ?? 'no response');
      if (status !== null && status < 500) this.close(keys, false);
      throw error;
    }
  }

  private outcomesOf(key: string): Outcomes {
    const known = this.acts.get(key) ?? { told: 0, unknown: 0 };
    this.acts.set(key, known);
    return known;
  }

  private count(verb: string, result: string | number): void {
    const name = `${verb}: ${result}`;
    this.responses[name] = (this.responses[name] ?? 0) + 1;
  }

  /** Repeats a step until everyone pauses. A step ends if its page, its response or its item is gone. */
  private async repeat(step: () => Promise<void>): Promise<void> {
    while (!this.isStopped) await step().catch(() => pause(50));
  }

  private async signIn({ email, password }: { email: string; password: string }): Promise<Colleague> {
    const client = new LinguaLoop({
      baseUrl: this.service.address,
      timeout: 60_000,
      fetch: async (url, init) => {
        const signal = AbortSignal.any([this.network.signal, ...(init.signal ? [init.signal] : [])]);
        return fetch(url, { ...init, signal }).catch((cause) => {
          throw new TypeError('no response', { cause });
        });
      },
    });
    await client.auth.signIn({ email, password });
    return { client, userId: (await client.auth.me()).user.user_id };
  }

  private async moreTexts(): Promise<void> {
    const { service, member } = this;
    const [waiting] = await service.sql<{ count: number }[]>`
      select count(*)::int from translation_jobs where tenant_id = ${member.tenantId}
        and status in ('awaiting_review', 'refined')`;
    const missing = textCount - (waiting?.count ?? 0);
    const texts = Array.from({ length: Math.max(0, missing) }, () => `Text ${++this.made} of this team.`);
    await waitingJobs(service, member.key, texts);
  }

  /** Compares the acts with the database. @returns errors */
  private async compare(): Promise<string[]> {
    const { sql } = this.service;
    const { tenantId } = this.member;
    const stored = await sql<{ key: string; count: number }[]>`
      select concat_ws(' ', case action when 'review_passed' then 'pass' else 'assign' end, actor_id, target,
          case action when 'review_passed' then details ->> 'to' else coalesce(details ->> 'assignee', 'null') end) as key,
        count(*)::int
      from audit_log where tenant_id = ${tenantId}
        and action in ('review_assigned', 'review_unassigned', 'review_passed') group by 1
      union all select 'resolve ' || (reason ->> 'note'), count(*)::int from segment_events
      where tenant_id = ${tenantId} and kind = 'resolved' group by 1
      union all select 'resolved ' || (issue #>> '{resolution,reason}'), count(*)::int
      from document_segments, jsonb_array_elements(issues) issue
      where tenant_id = ${tenantId} and issue ->> 'status' in ('accepted', 'not_an_error')
        and issue #>> '{resolution,reason}' is not null group by 1
      union all select 'save ' || word[1], count(*)::int
      from document_segments, regexp_matches(target_text, '\\m(w[0-9a-z]+z)\\M', 'g') word
      where tenant_id = ${tenantId} and document_id <> ${this.id} group by 1
      union all select 'approve ' || job_id, count(*)::int
      from translation_jobs, jsonb_array_elements(agent_run -> 'steps') step
      where tenant_id = ${tenantId} and step ->> 'name' = 'human_review'
        and step ->> 'output_summary' = 'approve' group by 1`;
    const counts = new Map(stored.map(({ key, count }) => [key, count]));
    const wrong = [...new Set([...this.acts.keys(), ...counts.keys()])].flatMap((key) => {
      const { told, unknown } = this.outcomesOf(key);
      const count = counts.get(key) ?? 0;
      const isRight = told <= count && count <= told + unknown;
      return isRight ? [] : [`${key}: ${told} were confirmed, ${unknown} are unknown, ${count} are stored`];
    });
    const assignments = await sql<StoredAssignment[]>`
      select a.item_id as id, a.version, a.assignee, a.assignee = a.second or a.passed_by = a.second
          or a.four_eyes and a.closed_at is not null and a.passed_by is null as "isWrong",
        (select count(*)::int from audit_log l where l.tenant_id = a.tenant_id and l.target = a.item_id
          and l.action in ('review_assigned', 'review_unassigned', 'review_passed')) as audited
      from review_assignments a where a.tenant_id = ${tenantId}`;
    for (const { id, version, assignee, isWrong, audited } of assignments) {
      const last = this.versions.get(id) ?? { version: 0, assignee: null };
      if (isWrong) wrong.push(`${id} was reviewed or is to be reviewed twice by one member`);
      if (version !== audited)
        wrong.push(`${id} has version ${version}, and ${audited} changes in the audit log`);
      if (version < last.version || (version === last.version && version > 0 && last.assignee !== assignee))
        wrong.push(`${id} has version ${version} and ${assignee}; confirmed was ${JSON.stringify(last)}`);
    }
    return wrong;
  }
}
