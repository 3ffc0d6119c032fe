import { describe, expect, test } from 'vitest';
import { useBrowser, withoutBrowser } from './browser.ts';
import { useKillableService } from './killable-service.ts';
import { KilledDocument } from './killed-document.ts';
import { kills, runKills, seriesTimeout } from './killed-series.ts';
import { KilledTexts } from './killed-texts.ts';

describe.skipIf(withoutBrowser)('when the tab, the server or the network is killed', () => {
  describe('while one reviewer works', () => {
    const service = useKillableService();
    const browser = useBrowser(service, { mayEnd: true });

    test(
      'texts: no keystroke older than a second is lost, no approval takes effect twice, and what was called saved is stored',
      async () => {
        const { kept } = await runKills(service, browser, KilledTexts);
        expect(kept.counts.keystrokes).toBeGreaterThan(kills);
        expect(kept.counts.approvals).toBeGreaterThan(kills / 2);
      },
      seriesTimeout,
    );

    test(
      'a document: no word older than a second is lost or stored twice, no confirmation takes effect twice, and what was called saved is stored',
      async () => {
        const { kept } = await runKills(service, browser, KilledDocument);
        expect(kept.counts.words).toBeGreaterThan(kills);
        expect(kept.counts.claims).toBeGreaterThan(0);
      },
      seriesTimeout,
    );
  });
});
