import { describe, expect, test } from 'vitest';
import { useBrowser, withoutBrowser } from './browser.ts';
import { useKillableService } from './killable-service.ts';
import { kills, runKills, seriesTimeout } from './killed-series.ts';
import { KilledTexts } from './killed-texts.ts';

const service = useKillableService();
const browser = useBrowser(service, { mayEnd: true });

describe.skipIf(withoutBrowser)(
  'when the tab, the server or the network is killed while a reviewer approves texts',
  () => {
    test(
      'no keystroke older than a second is lost, no approval takes effect twice, and what was called saved is stored',
      async () => {
        const { kept } = await runKills(service, browser, KilledTexts);
        expect(kept.counts.keystrokes).toBeGreaterThan(kills);
        expect(kept.counts.approvals).toBeGreaterThan(kills / 2);
      },
      seriesTimeout,
    );
  },
);
