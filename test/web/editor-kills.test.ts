import { describe, expect, test } from 'vitest';
import { seededRandom, shuffled } from '#test/bench/seeded-random.ts';
import { signUpFounder } from '#test/factories.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { useKillableService } from './killable-service.ts';
import { KilledEditing } from './killed-editing.ts';
import { victims } from './killed-series.ts';
import { memberAt } from './reviewing.ts';

/**
 * The number of kills. The complete series: `WEB_KILLS=200 npm run test:all -- test/web/editor-kills.test.ts`. With the
 * same WEB_KILLS_SEED, a series is repeated.
 */
const kills = Number(process.env['WEB_KILLS'] ?? 8);
const seed = Number(process.env['WEB_KILLS_SEED'] ?? Date.now() % 1_000_000);

const service = useKillableService();
const browser = useBrowser(service, { mayEnd: true });

describe.skipIf(withoutBrowser)(
  'when the tab, the server or the network is killed while somebody edits a document',
  () => {
    test(
      'no word older than a second is lost or stored twice, no confirmation takes effect twice, and what was called saved is stored',
      async () => {
        const random = seededRandom(seed);
        const member = await signUpFounder(service);
        const person = await memberAt(browser, member, '/app');
        const series = new KilledEditing(service, random, member, person);
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
        expect(kept.counts.words).toBeGreaterThan(kills);
        expect(kept.counts.claims).toBeGreaterThan(0);
      },
      30_000 + kills * 10_000,
    );
  },
);
