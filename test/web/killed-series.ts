import type { CDPSession, Page } from 'playwright-core';
import { expect } from 'vitest';
import { pick, type Random, seededRandom, shuffled } from '#test/bench/seeded-random.ts';
import { type Person as Member, signUpFounder } from '#test/factories.ts';
import type { Person, useBrowser } from './browser.ts';
import type { KillableService } from './killable-service.ts';
import { field, memberAt, signInAt } from './reviewing.ts';

/** The number of kills: `WEB_KILLS=200` for a complete series. With the same WEB_KILLS_SEED, a series is repeated. */
export const kills = Number(process.env['WEB_KILLS'] ?? 8);
const seed = Number(process.env['WEB_KILLS_SEED'] ?? Date.now() % 1_000_000);

/** Maximum milliseconds for all kills. */
export const seriesTimeout = 30_000 + kills * 10_000;

/**
 * The processes or connections that are killed while a reviewer works. Network and server return after a moment; a tab
 * is opened again.
 */
const victims = [
  'tab crashes',
  'tab is closed',
  'server',
  'network',
  'server, then tab',
  'network, then tab',
] as const;
export type Victim = (typeof victims)[number];

/** Maximum duration of a step in a working page. If a step takes longer, the reviewer does something else. */
export const soon = { timeout: 2000 };

let words = 0;

/** Returns a unique word, so that each word can be found again. */
export const nextWord = () => `w${(words++).toString(36)}z`;

/** A reviewer who works in an editor through a series of kills. */
export abstract class KilledSeries {
  signIns = 0;
  /** Records what the reviewer does. */
  abstract readonly kept: { begin(): void; counts: Readonly<Record<string, number>> };
  /** The events after which a kill can follow directly. */
  protected abstract readonly events: readonly string[];
  protected page!: Page;
  protected readonly service: KillableService;
  protected readonly random: Random;
  protected readonly member: Member;
  protected readonly person: Person;
  private session!: CDPSession;
  private readonly listeners = new Set<(event: string) => void>();

  /** @param person a browser in which the member is signed in */
  constructor(service: KillableService, random: Random, member: Member, person: Person) {
    [this.service, this.random, this.member, this.person] = [service, random, member, person];
  }

  /** Watches the browser, and opens the editor. */
  abstract begin(): Promise<void>;
  /** Opens the editor in a new tab. */
  protected abstract open(): Promise<void>;
  /** Does one thing that reviewers do, at random. */
  protected abstract step(page: Page): Promise<void>;
  /** Waits until nothing is being sent and everything is stored. */
  protected abstract settle(): Promise<void>;
  /**
   * Checks what is stored.
   * @param endedAt the time at which the page ended; undefined if it still exists, and has sent everything
   * @returns errors: texts that are lost, stored twice, or different from what the reviewer saw
   */
  protected abstract look(endedAt: number | undefined): Promise<string[]>;

  /** Called after each kill and its check. @returns errors */
  protected async afterKill(_endedTab: boolean): Promise<string[]> {
    return [];
  }

  /** Kills once, lets the reviewer continue, and checks the result. @returns errors */
  async kill(victim: Victim): Promise<string[]> {
    const { page, random, service } = this;
    const endsTab = victim.includes('tab');
    const work = this.work(page);
    await this.moment();
    if (victim.startsWith('server')) await service.kill();
    if (victim.startsWith('network')) await this.cut(true);
    // The reviewer continues without the killed part.
    if (!victim.startsWith('tab')) await pause(random() * 1500);
    const endedAt = endsTab ? Date.now() : undefined;
    if (victim === 'tab is closed') await page.close();
    else if (endsTab) await crash(page, this.session);
    const stopped = endsTab && work.stop();
    // Settings of a crashed page cannot be changed.
    if (endsTab) await page.close().catch(() => undefined);
    if (victim.startsWith('server')) await service.start();
    if (victim.startsWith('network')) await this.cut(false);
    if (!stopped) {
      await pause(random() * 500);
      await work.stop();
      await this.settle();
    }
    await stopped;
    const wrong = await this.look(endedAt);
    if (stopped) await this.open();
    return [...wrong, ...(await this.afterKill(endsTab))];
  }

  /** Checks the texts after everything is stored. @returns errors */
  async finish(): Promise<string[]> {
    await this.settle();
    return this.look(undefined);
  }

  /** Opens a page with the origin of the application but without its scripts. */
  protected async blankTab(): Promise<Page> {
    const tab = await this.person.tab();
    await tab.goto('/healthz');
    return tab;
  }

  /** Opens the editor in a new tab. @param path its path and query */
  protected async openAt(path: string): Promise<void> {
    this.page = await this.person.tab();
    this.session = await this.person.context.newCDPSession(this.page);
    this.kept.begin();
    await this.page.goto(path);
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

  /** Reports an event, after which a kill may follow. */
  protected tell(event: string): void {
    for (const listener of this.listeners) listener(event);
  }

  /** Lets the reviewer work until `stop` is called, which resolves after the current step. */
  private work(page: Page) {
    let isStopped = false;
    const work = async () => {
      // The page may end during a step, or the item may disappear.
      while (!isStopped) await (page.isClosed() ? pause(20) : this.step(page).catch(() => undefined));
    };
    const done = work();
    return {
      stop: () => {
        isStopped = true;
        return done;
      },
    };
  }

  /** Ends or restores the network of the reviewer. */
  protected async cut(isOffline: boolean): Promise<void> {
    await this.person.context.setOffline(isOffline);
  }

  /** Waits until the time of a kill, which may be any time, or directly after one of the events. */
  private async moment(): Promise<void> {
    const { random, listeners } = this;
    await pause(random() * 1500);
    const awaited = pick([undefined, ...this.events], random);
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

/**
 * Runs a series of kills, and expects that nothing is lost or done twice.
 * @returns the series, with its counts
 */
export async function runKills<Series extends KilledSeries>(
  service: KillableService,
  browser: ReturnType<typeof useBrowser>,
  Series: new (...parts: ConstructorParameters<typeof KilledSeries>) => Series,
): Promise<Series> {
  const random = seededRandom(seed);
  const member = await signUpFounder(service);
  const person = await memberAt(browser, member, '/app');
  const series = new Series(service, random, member, person);
  await series.begin();
  await person.page.close();
  const order = shuffled(
    Array.from({ length: kills }, (_, n) => victims[n % victims.length] ?? 'server'),
    random,
  );
  const lines = [`WEB_KILLS_SEED=${seed}`];
  const faults: string[] = [];
  for (const [n, victim] of order.entries()) {
    const began = Date.now();
    const wrong = await series.kill(victim);
    lines.push(`${n + 1}. ${victim}: ${Date.now() - began} ms`, ...wrong);
    faults.push(...wrong);
    if (process.env['WEB_KILLS']) console.log(lines.slice(-1 - wrong.length).join('\n'));
    if (faults.length > 5) break;
  }
  faults.push(...(await series.finish()));
  expect(faults, lines.join('\n')).toEqual([]);
  const { kept, signIns } = series;
  console.log(JSON.stringify({ seed, kills, ...kept.counts, signIns }));
  return series;
}

/** Crashes the process of a page. */
async function crash(page: Page, session: CDPSession): Promise<void> {
  const crashed = page.waitForEvent('crash');
  void session.send('Page.crash').catch(() => undefined);
  await crashed;
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
